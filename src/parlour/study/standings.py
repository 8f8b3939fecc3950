"""The results of the players of a match, with intervals."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from statistics import fmean, pvariance
from typing import TYPE_CHECKING, Any

from parlour.study.intervals import CONFIDENCE, Estimate, mean_estimate, share_estimate

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from parlour.core.game import Game
    from parlour.study.runners import GameResult
    from parlour.study.sequential import Decision

LEAST = 50
"""Luck is taken out from this many deals on: with fewer, an interval by their spread is not reliable."""

__all__ = ["Adjusted", "ContestResult", "ContestScore", "as_data", "summary"]


@dataclass(frozen=True, slots=True)
class ContestScore:
    """The results of a player, or of all holders of a seat: ``share`` of the games won (0 to 1; tied games are
    divided), mean ``returns`` a game, in the game's own unit, ``moves`` (decisions per game) and ``seconds`` per
    decision.  ``adjusted``: share and returns with the luck taken out, if that was computed.

    >>> from parlour.study.match import play
    >>> first = play("kuhn", ["random", "random"], games=20, seed=1).players[0]
    >>> first.name, first.share.low < first.share.mean < first.share.high
    ('random', True)
    """

    name: str
    share: Estimate
    returns: Estimate
    moves: float
    seconds: float
    adjusted: Adjusted | None = None


@dataclass(frozen=True, slots=True)
class Adjusted:
    """``share`` and ``returns`` with the luck taken out: they estimate the same quantities as those of the
    :class:`ContestScore`, which stay as they are.  ``worth``: the number of games that would give such an interval of
    the share with the luck left in.

    >>> import parlour
    >>> from parlour.study.match import play
    >>> from parlour.study.values import known
    >>> game = parlour.load("diamonds")
    >>> match = play(game, ["rule-of-thumb", "random"], games=100, seed=1, values=known(game))
    >>> better = match.players[0]
    >>> better.adjusted.share.half < better.share.half, better.adjusted.worth > match.games
    (True, True)
    """

    share: Estimate
    returns: Estimate
    worth: float


@dataclass(frozen=True, slots=True)
class ContestResult:
    """The result of a match: ``players`` in the order given, ``seats`` from seat 0, over all their holders.
    ``decision``: the verdict, if the match was to end with one; use it instead of the intervals of the standings, which
    hold only for a number of games fixed beforehand.  ``spread``: the variance of the share of the win, and of the
    returns (in the square of their unit), of one seat in one game, over all holders."""

    game: Game
    seed: int
    deals: int
    games: int
    players: tuple[ContestScore, ...]
    seats: tuple[ContestScore, ...]
    decision: Decision | None = None
    spread: tuple[float, float] = (0.0, 0.0)


def summary(game: Game, names: Sequence[str], deals: Sequence[Sequence[GameResult]], seed: int = 0) -> ContestResult:
    """Return the standings after these deals.

    >>> import parlour
    >>> from parlour.study.match import play_deals
    >>> game, kinds = parlour.load("kuhn"), ["random", "random"]
    >>> summary(game, kinds, play_deals(game, kinds, seed=1, deals=range(10))).games
    20
    """
    lucky = len(deals) >= LEAST and all(result.luck for deal in deals for result in deal)

    def standing(name: str, places: Callable[[GameResult], int]) -> ContestScore:
        def by_deal(what: Callable[[GameResult], Sequence[float]]) -> list[float]:
            return [fmean(what(r)[places(r)] for r in deal) for deal in deals]

        moves = by_deal(lambda r: r.moves)
        shares, brought = by_deal(lambda r: r.shares), by_deal(lambda r: r.returns)
        share, returns = share_estimate(shares), mean_estimate(brought)
        spent = sum(r.seconds[places(r)] for deal in deals for r in deal)
        made = sum(r.moves[places(r)] for deal in deals for r in deal)
        each = spent / made if made else 0.0
        return ContestScore(
            name, share, returns, fmean(moves), each, _adjusted(shares, brought, deals, places) if lucky else None
        )

    seats = range(game.players)
    return ContestResult(
        game,
        seed,
        len(deals),
        sum(map(len, deals)),
        tuple(standing(names[k], lambda r, k=k: r.holder.index(k)) for k in seats),  # type: ignore[misc]
        tuple(standing(f"seat {p}", lambda r, p=p: p) for p in seats),  # type: ignore[misc]
        spread=(_spread(r.shares for deal in deals for r in deal), _spread(r.returns for deal in deals for r in deal)),
    )


def _spread(figures: Iterable[Sequence[float]]) -> float:
    """The variance of a figure that each seat has in each game."""
    flat = [value for game in figures for value in game]
    return pvariance(flat)


def lucks(deals: Sequence[Sequence[GameResult]], places: Callable[[GameResult], int]) -> NDArray[np.float64]:
    """The luck in each deal of the holders of these places, then that of all others, by figure and kind."""
    import numpy as np

    lucky = np.array([[result.luck for result in deal] for deal in deals])
    seats = np.array([[places(result) for result in deal] for deal in deals])
    own = np.take_along_axis(lucky, seats[:, :, None, None], axis=2)[:, :, 0]
    found: NDArray[np.float64] = np.concatenate([own, lucky.sum(axis=2) - own], axis=2).mean(axis=1)
    return found


def believed(figure: int, luck: NDArray[np.float64]) -> NDArray[np.float64]:
    """The factors with which a value network counts the columns of :func:`lucks`, for the share of the win or for
    returns."""
    import numpy as np

    from parlour.study.kernels.luck import KINDS

    found = np.zeros(luck.shape[1])
    found[KINDS * figure : KINDS * (figure + 1)] = 1.0
    return found


def _adjusted(
    shares: list[float],
    brought: list[float],
    deals: Sequence[Sequence[GameResult]],
    places: Callable[[GameResult], int],
) -> Adjusted:
    """Results of deals with the luck taken out, for the holders of these places."""
    import numpy as np

    from parlour.study.reduction import without_luck

    controls = lucks(deals, places)
    figures = []
    for figure, results in enumerate((shares, brought)):
        figures.append(without_luck(np.array(results), controls, believed(figure, controls)))
    share, returns = (mean_estimate(figure.tolist()) for figure in figures)
    left, before = figures[0].var(), np.var(shares)
    games = sum(map(len, deals))
    return Adjusted(share, returns, games * float(before / left) if left else math.inf)


def as_data(match: ContestResult) -> dict[str, Any]:
    """Return a match as JSON-able data; an unknown interval is ``null``.

    >>> from parlour.study.match import play
    >>> as_data(play("kuhn", ["random", "random"], games=20, seed=1))["standings"][0]["name"]
    'random'
    """

    def standing(s: ContestScore) -> dict[str, Any]:
        known: dict[str, Any] = {"name": s.name, "share": s.share.as_data(), "returns": s.returns.as_data()}
        if s.adjusted is not None:
            worth = s.adjusted.worth if math.isfinite(s.adjusted.worth) else None
            adjusted = {"share": s.adjusted.share.as_data(), "returns": s.adjusted.returns.as_data()}
            known["adjusted"] = {**adjusted, "worth_games": worth}
        return {**known, "moves_per_game": s.moves, "seconds_per_move": s.seconds}

    game = {"game": match.game.id, "players": match.game.players, "options": dict(match.game.options)}
    return {
        **game,
        "seed": match.seed,
        "deals": match.deals,
        "games": match.games,
        "confidence": CONFIDENCE,
        "standings": [standing(s) for s in match.players],
        "seats": [standing(s) for s in match.seats],
        **({"decision": asdict(match.decision)} if match.decision else {}),
    }
