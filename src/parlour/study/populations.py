"""Populations: round robins, ratings with intervals, and the players that would survive in the long run.

Two players meet in a match (:mod:`parlour.study.match`); at a table for more, each sits alone against players of the
other kind.  Ratings are strengths in a model in which ratios of strengths are odds (Bradley & Terry 1952; Luce 1959 for
more than two), on the scale of Elo: a difference of 400 means odds of ten to one.  Players can beat each other in a
circle, which no rating shows; then look at the table of pairs, and at α-rank (Omidshafiei et al. 2019), which
OpenSpiel computes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

from parlour.base.errors import ParlourError
from parlour.base.extras import needed
from parlour.core.game import Game, loaded
from parlour.study.intervals import CONFIDENCE, Estimate
from parlour.study.match import names_of, play

if TYPE_CHECKING:
    from parlour.study.values import Values

__all__ = ["Population", "alpha_rank", "round_robin"]

ELO = 400 / math.log(10)
ALPHA = 50.0
"""How strongly winners spread, if the highest win of one player from another is scaled to 1."""
SURE = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)


@dataclass(frozen=True)
class Population:
    """The result of a round robin of ``games`` for each pair.

    ``shares[i][j]``: the share of games that player ``i`` wins alone against ``j`` (``None`` for ``i`` itself).
    ``returns[i][j]``: its mean return in those games, in the game's own unit.  ``ratings``: the number of points on the
    scale of Elo, 0 on average.

    >>> import parlour
    >>> table = round_robin(parlour.load("kuhn"), ["random", "search:5"], games=20)
    >>> isinstance(table, Population), round(sum(one.mean for one in table.ratings), 6) + 0.0
    (True, 0.0)
    """

    game: Game
    names: tuple[str, ...]
    games: int
    shares: tuple[tuple[Estimate | None, ...], ...]
    returns: tuple[tuple[Estimate | None, ...], ...]
    ratings: tuple[Estimate, ...]

    def as_data(self) -> dict[str, Any]:
        """JSON-able data."""
        told = {"game": self.game.id, "players": self.game.players, "options": dict(self.game.options)}
        rows = {
            name: [[one and one.as_data() for one in row] for row in getattr(self, name)]
            for name in ("shares", "returns")
        }
        return {
            **told,
            "games": self.games,
            "confidence": CONFIDENCE,
            "names": list(self.names),
            **rows,
            "ratings": [one.as_data() for one in self.ratings],
        }


def round_robin(
    game: Game | str,
    kinds: Sequence[Any],
    games: int,
    seed: int = 0,
    processes: int = 1,
    values: Values | None = None,
    progress: Callable[[int], None] = lambda done: None,
) -> Population:
    """Let all kinds of players meet each other, ``games`` for each pair (for more than two players, twice as many: each
    sits alone once); see :func:`parlour.study.match.play` for the rest.  ``progress`` is called with the number of
    pairs that have met.  Raises ``ParlourError`` for fewer than two kinds, for the same kind twice, and wherever a
    match does.

    >>> import parlour
    >>> table = round_robin(parlour.load("diamonds"), ["rule-of-thumb", "random"], games=100, seed=1)
    >>> table.ratings[0].mean > 0 > table.ratings[1].mean, table.shares[0][0] is None
    (True, True)
    """
    game = loaded(game)
    names = names_of(game, kinds)
    if len(kinds) < 2 or len(set(map(str, kinds))) < len(kinds):
        raise ParlourError("A round robin is between two or more players of different kinds.")
    met: dict[tuple[int, int], tuple[Estimate, Estimate]] = {}
    pairs = [(i, j) for i in range(len(kinds)) for j in range(len(kinds)) if i != j]
    for done, (i, j) in enumerate(pairs):
        if (i, j) not in met:
            seats = [kinds[i], *[kinds[j]] * (game.players - 1)]
            for one, who in zip(play(game, seats, games, seed, processes, values=values).players, (i, j), strict=False):
                best = one.adjusted or one
                if who == i or game.players == 2:
                    met[who, i + j - who] = best.share, best.returns
        progress(done + 1)
    shares, returns = (
        tuple(tuple(met[i, j][of] if i != j else None for j in range(len(kinds))) for i in range(len(kinds)))
        for of in range(2)
    )
    return Population(game, tuple(names), games, shares, returns, _rated(shares, game.players, games))


def _rated(shares: Sequence[Sequence[Estimate | None]], players: int, games: int) -> tuple[Estimate, ...]:
    """Strengths by weighted least squares of the logarithms of odds, each with its variance."""
    import numpy as np

    rows, odds, weights = [], [], []
    for i, row in enumerate(shares):
        for j, one in enumerate(row):
            if one is None or (players == 2 and j < i):
                continue
            # never 0 or 1, which would mean infinite strength
            share = (games * min(1.0, max(0.0, one.mean)) + 0.5) / (games + 1)
            least = 0.5 / math.sqrt(games + 1) * 2 * math.sqrt(share * (1 - share))
            error = max(one.half / SURE if math.isfinite(one.half) else 0.0, least / 4, 1e-9)
            rows.append([float(k == i) - float(k == j) for k in range(len(shares))])
            odds.append(math.log((players - 1) * share / (1 - share)))
            weights.append((share * (1 - share) / error) ** 2)
    a, w = np.array(rows), np.array(weights)
    inverse = np.linalg.pinv(a.T @ (w[:, None] * a))  # the solution whose strengths add up to 0
    found, spread = inverse @ a.T @ (w * np.array(odds)), np.sqrt(np.diag(inverse)) * SURE
    return tuple(
        Estimate(*(float(ELO * (mean + side * half)) for side in (0, -1, 1)))
        for mean, half in zip(found, spread, strict=True)
    )


def alpha_rank(population: Population) -> list[float]:
    """Return the share of each player in the long run if winners spread, by α-rank: shares that add up to 1.  Raises
    ``ParlourError`` without the extras ``adapters`` and ``study``.

    >>> import parlour
    >>> table = round_robin(parlour.load("diamonds"), ["rule-of-thumb", "random"], games=100, seed=1)
    >>> alpha_rank(table)[0] > 0.9
    True
    """
    import numpy as np

    with needed("study"):
        import matplotlib  # noqa: F401  OpenSpiel's module imports it
    with needed("adapters"):
        from open_spiel.python.egt import alpharank
    payoffs = np.array([[one.mean if one else 0.0 for one in row] for row in population.returns])
    with np.errstate(over="ignore"):
        found = alpharank.compute([payoffs / (np.abs(payoffs).max() or 1.0)], alpha=ALPHA)[2]
    return [max(0.0, float(share)) for share in found]
