"""Notes between the steps of a game: changes of who holds a seat, and links of the record's chain."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from parlour.base.languages import Message, marked


class Seated(NamedTuple):
    """A guest or bot of this name takes a seat.  ``at``: the number of entries of the game's log before this note."""

    at: int
    seat: int
    guest: bool
    name: str


class Link(NamedTuple):
    """A link of the chain at this point of the log (``docs/fair_deal.md``, 9)."""

    at: int
    link: str


Note: TypeAlias = Seated | Link


def seatings(notes: Sequence[Note]) -> list[Seated]:
    """Return the notes about seats, without the links.

    >>> seatings([Seated(0, 1, True, "Ann"), Link(0, "00")])
    [Seated(at=0, seat=1, guest=True, name='Ann')]
    """
    return [note for note in notes if isinstance(note, Seated)]


def in_words(seated: Seated) -> Message:
    """Say in a sentence who takes a seat.

    >>> in_words(Seated(0, 1, True, "Ann"))
    'Ann takes a seat.'
    """
    if seated.guest:
        return marked("{name} takes a seat.", name=seated.name)
    return marked("The bot {name} takes a seat.", name=seated.name)


__all__ = ["Link", "Note", "Seated", "in_words", "seatings"]
