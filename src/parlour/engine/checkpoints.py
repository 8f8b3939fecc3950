"""Earlier positions that a game in progress keeps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from parlour.engine.definition import SettledDeal
from parlour.engine.ruleset import Ruleset
from parlour.engine.steps import Event
from parlour.engine.telling import Item, view


class Mark(NamedTuple):
    """A position in which a player was to act, with the number of steps, events, deals and chance nodes before it."""

    position: Any
    steps: int
    events: int
    deals: int
    nodes: int


class Checkpoints:
    """Earlier positions of a game.

    ``mark``: the first decision after the last chance node; later positions are found by replaying from there.
    ``ends``: for each deal that is over, the position in which it was settled.
    """

    __slots__ = ("_moments", "ends", "mark")

    def __init__(self) -> None:
        self.mark: Mark | None = None
        self.ends: list[Any] = []
        self._moments: dict[int, Any] | None = None

    def copy(self) -> Checkpoints:
        """Return an independent copy, which no longer keeps the position before each event."""
        new = object.__new__(Checkpoints)
        new.mark, new.ends, new._moments = self.mark, self.ends[:], None
        return new

    def at_mark(self) -> Checkpoints:
        """Return the positions that were kept at the mark.  There must be a mark."""
        assert self.mark is not None
        new = self.copy()
        del new.ends[self.mark.deals :]
        return new

    def watch(self) -> None:
        """Start to keep the position before each event, for :meth:`before`, and drop positions kept earlier."""
        self._moments = {}

    def listener(self, s: Any, first: int) -> list[Event]:
        """Return a list that takes the events of a step from ``s``; ``first``: the number of events before it."""
        return [] if self._moments is None else _Watching(s, self._moments, first)

    def settle(self, settled: Sequence[SettledDeal], first: int) -> None:
        """Keep the positions of deals that a step has settled; ``first``: the number of events before it."""
        self.ends += [deal.position for deal in settled]
        if self._moments is not None:
            for deal in settled:  # every event of this deal precedes the events that announce the next
                self._moments[first + deal.heard] = deal.position

    def before(self, game: Ruleset[Any], event: int, player: int) -> tuple[Item, ...] | None:
        """Return what ``player`` would be told of the position just before the event of this number; ``None`` if that
        position was not kept or has no view, since in the middle of a step a game need not be able to show one.

        Within a step, a game may pass through stages that no view can show.  Then the position is shown as if the last
        stage that a view can show still went on.
        """
        moments = self._moments or {}
        if event not in moments:
            return None
        position = moments[event]
        while True:
            try:
                return view(game, position, player).items
            except Exception:
                event -= 1
                if event not in moments or not hasattr(position, "stage"):
                    return None
                position = position.copy()
                position.stage = moments[event].stage


class _Watching(list[Event]):
    """A list of the events of a step that copies the position before each of them, under the event's number."""

    def __init__(self, s: Any, before: dict[int, Any], first: int) -> None:
        super().__init__()
        self._s, self._moments, self._first = s, before, first

    def append(self, event: Event) -> None:
        self._moments[self._first + len(self)] = self._s.copy()
        super().append(event)
