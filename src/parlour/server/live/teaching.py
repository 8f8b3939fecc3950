"""A lesson at a table: what comes next as long as nobody has to do anything, and what the learner may do."""

from __future__ import annotations

from parlour.rules.vocabulary import CHANCE
from parlour.server.live import moves
from parlour.server.table import log
from parlour.server.table.table import Change, Table


def goes_on(table: Table, steps: bool = True) -> Change | None:
    """Return the entry by which a lesson goes on as it says; ``None`` where the table waits for the learner, and at the
    end. ``steps``: whether anybody will be shown each event at its own moment."""
    lesson, state = table.lesson, table.state
    if lesson is None or state is None:
        return None
    if table.is_held and (table.stop < 0 or lesson.stops[table.stop].do):
        return Change(log.WentOn())
    step = lesson.next_step(len(state.history)) if table.stop < 0 else None
    if step is None:
        return None
    if step[0] == CHANCE:
        return moves.go_on(table, None, {}, True, steps)
    return moves.act(table, *step, None, holds=True, steps=steps)


def must_fit(table: Table, change: Change) -> None:
    """Raise a friendly ``ParlourError`` if a guest's move is not the one that the lesson asks for."""
    if table.lesson is not None and isinstance(change.entry, log.Did):
        wanted = table.lesson.stops[table.stop].do if table.stop >= 0 else ""
        if change.entry.actions != [wanted]:
            raise table.not_yet()


__all__ = ["goes_on", "must_fit"]
