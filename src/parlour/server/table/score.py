"""The score sheet of a match: what each player had at its beginning and after each deal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from parlour.core.game import Game, State
from parlour.engine.telling import observe, view
from parlour.rules.vocabulary import EVERYBODY


def score_sheet(state: State, known: Sequence[list[int]] = ()) -> list[list[int]]:
    """Return what each player had at the beginning and after each deal, in the game's own unit, as a spectator was told
    it. The thing that counts is ``account`` in the game's words; without one, nothing is returned. In a game of one
    deal, the last row is the end of the match. ``known``: the first rows, from earlier in the same match."""
    account = state.game.definition.words["game"].get("account")
    if account is None:
        return []
    first = [] if known else [state.game.new().position]
    settled = state.ledger.kept.ends[max(len(known) - 1, 0) : len(state.deals)]
    ends = settled if state.deals else [state.position] * (state.is_terminal and len(known) < 2)
    return [*known, *(_worth(state.game, one, account) for one in (*first, *ends))]


def _worth(game: Game, position: Any, account: str) -> list[int]:
    """Return how much each player has, as a spectator is told it; of a thing that is cards, how many."""
    told = observe(game, (item for item in view(game, position, EVERYBODY).items if item[0] == account), {})[account]
    return [len(each) if isinstance(each, list) else int(each or 0) for each in told]


def told_earlier(settled: State, seat: int) -> int:
    """Return how many sentences a seat had been told before the last settled deal began."""
    before = settled.deals[-2].events if len(settled.deals) > 1 else 0
    return len(settled.ledger.told(seat, 0, before))


def places(returns: Sequence[float], worth: Sequence[int] = (), fewest: bool = False) -> list[int]:
    """Return the place of each player at the end, 1 for the best, with equal places shared. ``worth``: what each has,
    or has gained, where that is shown; it separates players who have not won, because some results say only who
    has. ``fewest``: whether less is better.

    >>> places([1.0, -0.5, -0.5]), places([1.0, -0.5, -0.5], [67, -20, 45])
    ([1, 2, 2], [1, 3, 2])
    """
    shown = [-n if fewest else n for n in worth] or [0] * len(returns)
    merit = [(mine, n if mine < max(returns) else 0) for mine, n in zip(returns, shown, strict=True)]
    return [1 + sum(other > mine for other in merit) for mine in merit]


__all__ = ["places", "score_sheet", "told_earlier"]
