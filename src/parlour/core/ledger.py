""":class:`Ledger`, the data kept with a game in progress for tables, records and checks."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from parlour.base.errors import ParlourError
from parlour.engine.checkpoints import Checkpoints
from parlour.rules.vocabulary import CHANCE, EVERYBODY

if TYPE_CHECKING:
    from parlour.core.fair_deal import FairDeal
    from parlour.core.notes import Note
    from parlour.engine.steps import Deal, Event

NOTHING_OFFERED: Mapping[tuple[int, str], int] = {}  # not a MappingProxyType: that cannot be pickled with a state
"""The counts of possible outcomes at the beginning of a deal: none."""


class Ledger:
    """The data of a game in progress besides its position and its steps.

    ``events``: all events as the rules noted them, each with its audience, secret ones included, and with the number of
    the step that caused it (-1: before the first).  ``kept``: earlier positions, for taking back, for finished deals,
    and for pictures of a step.  ``fair``: the source of chance at a table whose deal can be checked
    (``docs/fair_deal.md``).  ``notes``: changes in the seats, by step, and links of the chain, if the game is played at
    a server's table.  ``nodes``: the number of chance nodes passed; taking back never lowers it.
    ``offered``: how often each outcome could have happened in the present deal, where chance is drawn by position.
    """

    __slots__ = ("events", "fair", "kept", "nodes", "notes", "offered")

    def __init__(self, heard: Sequence[Event] = ()) -> None:
        self.events: list[tuple[int, Event]] = [(-1, event) for event in heard]
        self.kept = Checkpoints()
        self.fair: FairDeal | None = None
        self.notes: list[Note] = []
        self.nodes = 0
        self.offered = NOTHING_OFFERED

    def copy(self) -> Ledger:
        """Return an independent copy, which no longer keeps the position before each event."""
        new = object.__new__(Ledger)
        new.events, new.kept, new.notes = self.events[:], self.kept.copy(), self.notes[:]
        new.fair, new.nodes, new.offered = self.fair, self.nodes, self.offered
        return new

    def caused_since(self, step: int) -> int:
        """Return the number of the first event caused by this step of the history or a later one."""
        return bisect_left(self.events, step, key=lambda noted: noted[0])

    def told(self, player: int | None, first: int = 0, end: int | None = None) -> list[Event]:
        """Return the events from number ``first`` up to ``end`` that ``player`` was told; ``None``: all."""
        events = self.events[first:end]
        return [event for _, event in events if player is None or event[2] in (EVERYBODY, player)]

    def offer(self, deal: int, names: Sequence[str]) -> None:
        """Count the possible outcomes of a chance node of this deal."""
        offered = {one: times for one, times in self.offered.items() if one[0] == deal}
        for name in names:
            offered[deal, name] = offered.get((deal, name), 0) + 1
        self.offered = offered


class Dealt(Protocol):
    """What :func:`fair_outcome` needs of a game in progress; :class:`parlour.State` has it."""

    @property
    def game(self) -> Any: ...

    @property
    def position(self) -> Any: ...

    @property
    def current_player(self) -> int: ...

    @property
    def deals(self) -> Sequence[Deal]: ...

    @property
    def ledger(self) -> Ledger: ...


def fair_outcome(state: Dealt) -> int:
    """Return the outcome that the fair deal, whose secret must be known, gives at this chance node."""
    ledger, deal = state.ledger, len(state.deals)
    if ledger.fair is None or state.current_player != CHANCE:
        raise ParlourError("No fair deal can decide here: this state has none, or its secret is unknown.")
    rules, s = state.game.definition.rules, state.position
    weights = chances(rules, s)
    if not ledger.fair.by_position:
        return list(weights)[ledger.fair.draw(ledger.nodes, list(weights.values()))]
    names = outcome_names(rules, s)
    offered = [ledger.offered.get((deal, name), 0) for name in names]
    return list(weights)[ledger.fair.draw_by_position(deal, names, list(weights.values()), offered)]


def chances(rules: Any, s: Any) -> dict[int, int]:
    """Return the outcomes of a chance node in order of their ids, and their weights."""
    return {k: rules.weight(s, k) for k in outcomes(rules, s)}


def outcome_names(rules: Any, s: Any) -> list[str]:
    """Return the names of the outcomes of a chance node, in order of their ids."""
    return [str(rules.outcome_name(s, k)) for k in outcomes(rules, s)]


def outcomes(rules: Any, s: Any) -> list[int]:
    """Return the ids of the outcomes of a chance node, in order."""
    possible = rules.chance(s)
    return [k for k in range(possible.bit_length()) if possible >> k & 1]


__all__ = ["Ledger", "fair_outcome"]
