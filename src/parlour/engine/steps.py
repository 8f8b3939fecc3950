"""The parts of the record of a game in progress: steps, finished deals, and events as players were told them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

Event = tuple[str, str, int, int, int, int]
"""An event as the rules noted it: clause, event, audience (``EVERYBODY`` or a player), the player concerned, and two
numbers."""


class Step(NamedTuple):
    """One step of a game: the player (or ``CHANCE``), the id of the action or outcome, and its name.

    >>> import parlour
    >>> state = parlour.load("kuhn").new()
    >>> state.apply("K"); state.history
    [Step(player=-1, action=2, name='K')]
    """

    player: int
    action: int
    name: str


class Deal(NamedTuple):
    """A deal that is over: its dealer, what each player won or lost in it (``returns``, in the game's own unit), and
    the number of steps so far when it was settled.  ``events``: the number of events before the next deal began.

    >>> import parlour
    >>> state = parlour.load("commit", deals=2).new(seed=1)
    >>> while not state.deals:
    ...     state.apply(state.legal_actions()[0])
    >>> state.deals[0].dealer, state.deals[0].returns
    (1, (0.0, 0.0))
    """

    dealer: int
    returns: tuple[float, ...]
    steps: int
    events: int


@dataclass(frozen=True, slots=True)
class Told:
    """An event as one player (or everybody) was told it: the clause that caused it, a key, the player concerned, two
    numbers and the sentence.

    >>> import parlour
    >>> state = parlour.load("kuhn").new(seed=1)
    >>> state.apply("bet")
    >>> last = state.events()[-1]
    >>> last.clause, last.event, last.who, last.text
    ('KU-7', 'bets', 0, 'Seat 0 bets.')
    """

    clause: str
    event: str
    who: int
    a: int
    b: int
    text: str


def unnamed(players: int) -> list[str]:
    """Return what players without names are called."""
    return [f"Seat {p}" for p in range(players)]
