"""Endings that a game works out exactly (its ``endings.py``), as search uses them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, Protocol

from parlour.players.player import Advice, in_percent

if TYPE_CHECKING:
    from parlour.engine.ruleset import Ruleset


class EndingSolver(Protocol):
    """The class ``Endings`` of a game's ``endings.py``, called as ``Endings(game, binding)``.  It is not used if the
    module's function ``refuse(game)`` returns a reason.  Deals of the game must be either won or lost.
    """

    @property
    def returns(self) -> tuple[float, float]:
        """The returns of a deal for a player who loses it, and for one who wins it."""

    def worths(self, s: Any, places: int, go_on: Callable[[], bool] | None) -> Mapping[int, Fraction] | None:
        """Return the mean return of each legal action to the player to move, if everybody plays perfectly from then on.

        ``s`` is what that player can see, as an interpreted position.  Return ``None`` if this is not an ending, if it
        does not fit into a table of ``places`` (a power of two), and as soon as ``go_on()``, which is called every few
        milliseconds, returns false.  Without ``go_on``, the result depends only on ``s`` and ``places``.
        """


@lru_cache(maxsize=64)
def endings(game: Ruleset[Any], binding: Literal["compiled", "interpreted"]) -> EndingSolver | None:
    """Return the solver for endings of a game; ``None`` if there is none."""
    part = game.definition.part("endings")
    if part is None or part.refuse(game):
        return None
    made: EndingSolver = part.Endings(game, binding)
    return made


class Ending:
    """A solved ending, for a player who must choose between ``legal`` actions."""

    def __init__(
        self, game: Ruleset[Any], worths: Mapping[int, Fraction], returns: tuple[float, float], legal: Sequence[int]
    ) -> None:
        self.game, self._returns = game, returns
        self._values = {a: float(worths[a]) for a in legal}
        highest = max(worths[a] for a in legal)
        self.as_good = [a for a in legal if worths[a] == highest]
        self.action = self.as_good[0]

    def best(self, legal: Sequence[int]) -> int:
        """Return the action with the highest return."""
        return self.action

    def advice(self, legal: Sequence[int]) -> Advice:
        found = Advice(self.action, "", self._values, {}, *self._returns, varies=False, exact=True)
        names, second = self.game.action_names, found.second
        if second is None:
            (share,) = in_percent([found.share(self.action)])
            rest = "so does every other choice"
        else:
            share, less = in_percent([found.share(self.action), found.share(second)])
            rest = f"next best is {names[second]} with {less}"
        return replace(found, reason=f"{names[self.action]}: wins with {share}, exactly; {rest}")
