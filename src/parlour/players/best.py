"""Search in which imagined games are played on by rule of thumb, and which begins from what was learned, where somebody
has learned the game."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from parlour.engine.telling import View
from parlour.players.learned import Learned, why_not
from parlour.players.search import Search, Tree

if TYPE_CHECKING:
    from parlour.engine.ruleset import Ruleset

TRIALS = 50
"""How many imagined games of each action what was learned counts for."""


class Best(Search):
    """:class:`parlour.players.search.Search`, with the same settings, whose imagined games are played on sensibly.

    >>> import parlour
    >>> Best(parlour.load("diamonds"), simulations=100).name
    'best:100'
    """

    def __init__(self, game: Ruleset[Any], seed: int = 0, **settings: Any) -> None:
        super().__init__(game, seed, **settings, sensible=True)
        self.name = self.name.replace("search", "best")
        self._learned = None if why_not(game) else Learned(game, seed)

    def _prepare(self, tree: Tree, view: View, legal: Sequence[int]) -> int:
        if self._learned is None:
            return 0
        tree.believe(self._learned.weigh(view, legal), TRIALS)
        return 1
