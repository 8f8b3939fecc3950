"""Skill and luck: by how much better players win, how many games it takes to see that, and what decides the rest.

Players of a *ladder*, each better than the one before, meet pair by pair: the better one alone, the weaker one in all
other seats.  What is said of a pair goes by the share of the games that the better one wins:

* *games for certainty*: after that many games an ordinary 95% interval leaves out a fair share, on average:
  (1.96 σ / lead)², where σ is the standard deviation of one game.  Nothing is taken out of these games: it is how long
  people would have to play.
* the *critical repetition frequency* of returns (Fiedler & Rock 2009), (σ / mean)²: the number of games after which
  what skill brings is as much as the spread of what chance brings.
* the *shares of the variance* of what one seat wins in one game: what follows from who holds it (player), from which
  seat it is (seat), and the rest: the cards, and whatever else is left to chance.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from parlour.errors import ParlourError
from parlour.study import arena
from parlour.study.intervals import Estimate
from parlour.study.match import LEAST, MatchResult, Standing, at_a_time, play, play_deals
from parlour.study.match import summary as standings

if TYPE_CHECKING:
    from parlour.game import Game
    from parlour.study.match import GameResult
    from parlour.study.values import Values

NORMAL = 1.959963984540054
NARROW = 0.005
"""Half-width of the interval of the share at which a pair need not go on."""
MOST_GAMES = 200_000
QUICKLY = 0.15
"""The part of the time that a pair gets which plays in the arena, if there are others."""
SIMULATIONS = 400
"""Simulations a move of players who search."""


def ladder(game: Game, simulations: int = SIMULATIONS) -> list[str]:
    """The players of a game, from the weakest on.

    >>> import parlour
    >>> ladder(parlour.load("diamonds"))
    ['random', 'rule-of-thumb', 'search:400', 'best:400']
    >>> ladder(parlour.load("kuhn"), 1000)
    ['random', 'search:1000']
    """
    if game.definition.has("appraise"):
        return ["random", "rule-of-thumb", f"search:{simulations}", f"best:{simulations}"]
    return ["random", f"search:{simulations}"]


@dataclass(frozen=True, slots=True)
class Parts:
    """Shares of a variance, which add up to 1."""

    player: Estimate
    seat: Estimate
    cards: float


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a ladder: ``stronger`` alone against ``weaker``.  ``share`` and ``returns`` are the stronger
    player's, with the luck taken out if they are ``adjusted``; ``plain`` is the share as it was played.
    ``certainty``: games until it is certain who is stronger, infinite where the pair may as well be equal;
    ``critical``: the critical repetition frequency of returns; ``parts``: what decides a game."""

    weaker: str
    stronger: str
    games: int
    seconds: float
    adjusted: bool
    fair: float
    plain: Estimate
    share: Estimate
    returns: Estimate
    certainty: Estimate
    critical: float
    parts: Parts

    def as_data(self) -> dict[str, Any]:
        """Return JSON-able data."""
        known = {"weaker": self.weaker, "stronger": self.stronger, "games": self.games, "seconds": self.seconds}
        parts = {"player": self.parts.player.as_data(), "seat": self.parts.seat.as_data(), "cards": self.parts.cards}
        return {
            **known,
            "luck_taken_out": self.adjusted,
            "fair_share": self.fair,
            "share": self.share.as_data(),
            "plain_share": self.plain.as_data(),
            "returns": self.returns.as_data(),
            "games_for_certainty": {
                name: value if value is not None and math.isfinite(value) else None
                for name, value in self.certainty.as_data().items()
            },
            "critical_repetition_frequency": self.critical if math.isfinite(self.critical) else None,
            "variance": parts,
        }


def climb(
    game: Game,
    players: Sequence[str],
    seconds: float = 60.0,
    seed: int = 0,
    processes: int = 1,
    values: Values | None = None,
    progress: Callable[[str], None] = lambda said: None,
) -> list[Step]:
    """Play each step of a ladder, all within about this time, not counting what is compiled at first.  A step ends
    sooner when the share is known to within half a percentage point.  How many games are played depends on the machine;
    the games themselves depend on the seed alone.

    >>> import parlour
    >>> step, = climb(parlour.load("kuhn"), ["random", "random"], seconds=0.2)
    >>> step.games > 100, step.fair
    (True, 0.5)
    """
    if not 0 < seconds < math.inf:
        raise ParlourError(f"Say how many seconds, above 0, not {seconds:g}.")
    pairs = [*pairwise(players)]
    if not pairs:
        raise ParlourError("A ladder needs two players at least.")
    quick = [arena.all_compiled(game, pair) for pair in pairs]
    weights = [QUICKLY if q and not all(quick) else 1.0 for q in quick]
    steps, left = [], seconds
    for number, (weaker, stronger) in enumerate(pairs):
        progress(f"{stronger} against {weaker}")
        due = left * weights[number] / sum(weights[number:])
        step = _step(game, weaker, stronger, due, seed, processes, values)
        left = max(left - step.seconds, 0.5)
        steps.append(step)
    return steps


def _step(
    game: Game, weaker: str, stronger: str, seconds: float, seed: int, processes: int, values: Values | None
) -> Step:
    kinds = [stronger, *[weaker] * (game.players - 1)]
    fast, games = arena.can_play(game, kinds), MOST_GAMES
    if arena.all_compiled(game, kinds):  # more games take less time there than working out how lucky they were
        values = None
    if fast:  # whatever has to be compiled is
        play_deals(game, kinds, seed, range(1))
    play(game, kinds, game.players, seed, values=values)
    if not fast:
        begun = time.perf_counter()
        play(game, kinds, game.players, seed, values=values)
        each = time.perf_counter() - begun
        games = max(LEAST * game.players, int(2 * processes * game.players * seconds / each))
    begun, look, at_once = time.perf_counter(), LEAST, at_a_time(game, kinds, values) if fast else 1

    def enough(deals: Sequence[Sequence[GameResult]]) -> bool:
        nonlocal look
        if len(deals) % at_once == 0 and time.perf_counter() - begun > seconds:
            return True
        if len(deals) < look:
            return False
        look = len(deals) * 5 // 4
        share = _of(standings(game, kinds, deals).players[0])[0]
        return _half(share) <= NARROW

    match = play(game, kinds, games, seed, processes, values=values, enough=enough)
    return _judged(match, weaker, stronger, time.perf_counter() - begun)


def _of(standing: Standing) -> tuple[Estimate, Estimate]:
    """Share and returns, with the luck taken out where it was."""
    found = standing.adjusted or standing
    return found.share, found.returns


def _half(e: Estimate) -> float:
    return (e.high - e.low) / 2


def _judged(match: MatchResult, weaker: str, stronger: str, seconds: float) -> Step:
    first, fair = match.players[0], 1 / match.game.players
    share, returns = _of(first)
    variance, spread = match.spread
    return Step(
        weaker,
        stronger,
        match.games,
        seconds,
        first.adjusted is not None,
        fair,
        first.share,
        share,
        returns,
        certainty(share, fair, variance),
        spread / returns.mean**2 if returns.mean else math.inf,
        parts(share, [_of(seat)[0] for seat in match.seats], variance),
    )


def certainty(share: Estimate, fair: float, variance: float) -> Estimate:
    """After how many games an ordinary 95% interval leaves out a fair share, on average; infinite if the lead may be 0.

    >>> certainty(Estimate(0.6, 0.55, 0.65), 0.5, 0.25)
    Estimate(mean=97, low=43, high=385)
    """

    def games(lead: float) -> float:
        return math.ceil(NORMAL**2 * variance / lead**2) if lead else math.inf

    leads = sorted(abs(bound - fair) for bound in (share.low, share.high))
    least = 0.0 if share.low <= fair <= share.high else leads[0]
    return Estimate(games(share.mean - fair), games(leads[1]), games(least))


def parts(share: Estimate, seats: Sequence[Estimate], variance: float) -> Parts:
    """What shares of the ``variance`` of what one seat wins in one game follow from its holder (one player with this
    ``share``, and others who are all alike) and from the seat.

    >>> even = Estimate(0.5, 0.5, 0.5)
    >>> parts(Estimate(0.75, 0.75, 0.75), [even, even], 0.25)
    Parts(player=Estimate(mean=0.25, low=0.25, high=0.25), seat=Estimate(mean=0.0, low=0.0, high=0.0), cards=0.75)
    """
    n = len(seats)
    fair = 1 / n
    player = _squared(abs(share.mean - fair), _half(share), (n - 1) * variance)
    apart = math.sqrt(sum((seat.mean - fair) ** 2 for seat in seats) / n)
    seat = _squared(apart, math.sqrt(sum(_half(one) ** 2 for one in seats) / n), variance)
    return Parts(player, seat, max(0.0, 1 - player.mean - seat.mean))


def _squared(apart: float, half: float, variance: float) -> Estimate:
    """The square of a distance that is known to within ``half``, as a share of a variance, without what uncertainty
    adds to it."""
    if not variance:
        return Estimate(0.0, 0.0, 0.0)
    mean = max(0.0, apart**2 - (half / NORMAL) ** 2)
    low, high = max(0.0, apart - half) ** 2, (apart + half) ** 2
    return Estimate(mean / variance, min(low, mean) / variance, min(high / variance, 1.0))
