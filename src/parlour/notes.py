"""What stands beside the steps of a game: who sits where from which step on, and links of its chain."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias


class Seated(NamedTuple):
    """From here on a seat is that of a guest, or of a bot, with this name.  ``at``: how many entries of the game's log
    come before."""

    at: int
    seat: int
    guest: bool
    name: str


class Link(NamedTuple):
    """The link of the chain at this point (``docs/fair_deal.md``, 9)."""

    at: int
    link: str


Note: TypeAlias = Seated | Link


def seatings(notes: Sequence[Note]) -> list[Seated]:
    """Who sits where, without the links.

    >>> seatings([Seated(0, 1, True, "Ann"), Link(0, "00")])
    [Seated(at=0, seat=1, guest=True, name='Ann')]
    """
    return [note for note in notes if isinstance(note, Seated)]


def in_words(seated: Seated) -> str:
    """Who takes a seat, in a sentence.

    >>> in_words(Seated(0, 1, True, "Ann"))
    'Ann has seat 1.'
    """
    return f"{seated.name if seated.guest else f'The bot {seated.name}'} has seat {seated.seat}."


__all__ = ["Link", "Note", "Seated", "in_words", "seatings"]
