"""Skill and luck: how much better players win, how many games it takes to see that, and what decides the rest.

Players of a *ladder*, each better than the one before, meet pair by pair: the better one alone, the weaker one in all
other seats.  They keep the order in which they are given, unless a trial shows that one of them loses to the one below
and must move down; in some games a search of a hundred games a move loses to a rule of thumb.  In games of several
deals they play single deals (:func:`by_the_deal`), because the results of deals add up to that of a match.  A pair is
judged by the better player's mean return, its *lead*:

* *games for certainty*: after that many games an ordinary 95% interval of the lead leaves out 0, on average:
  (1.96 σ / lead)², where σ is the standard deviation of what one game brings.  Nothing is taken out of these games: it
  is how long people would have to keep score.
* the *critical repetition frequency* (Fiedler & Rock 2009), (σ / lead)²: the number of games after which what skill
  brings is as much as the spread of what chance brings.
* the *shares of the variance* of what one seat gets in one game: what follows from who holds it (player), from which
  seat it is (seat), and the rest: the cards, and whatever else is left to chance.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from parlour.base.errors import ParlourError, Stopped
from parlour.players.kind import Kind
from parlour.study import arena
from parlour.study.intervals import Estimate
from parlour.study.runners import Meeting, runner_for
from parlour.study.standings import LEAST, ContestResult, ContestScore, summary

if TYPE_CHECKING:
    from parlour.core.game import Game
    from parlour.study.runners import GameResult
    from parlour.study.values import Values

__all__ = ["Rung", "VarianceShares", "certainty", "climb", "ladder", "parts"]

NORMAL = 1.959963984540054
NARROW = 0.005
"""A pair stops when the intervals of the share of games won and of the parts of the variance have this half-width."""
MOST_GAMES = 2_000_000
TRIAL = 0.02
"""The share of the time for trials, which measure the speed of each pair and the spread of its results."""
FOR_OTHERS = 0.25
"""The share of the remaining time that a pair leaves to those that need more."""
SIMULATIONS = 100
"""Simulations a move of players who search."""


def ladder(game: Game, simulations: int = SIMULATIONS) -> list[str]:
    """The players of a game, from the weakest on.

    >>> import parlour
    >>> ladder(parlour.load("diamonds"))
    ['random', 'rule-of-thumb', 'search:100', 'best:100']
    >>> ladder(parlour.load("kuhn"), 1000)
    ['random', 'search:1000']
    """
    if game.definition.has("appraise"):
        return ["random", "rule-of-thumb", f"search:{simulations}", f"best:{simulations}"]
    return ["random", f"search:{simulations}"]


def by_the_deal(game: Game) -> Game:
    """The game for a ladder: a single deal, if a match has several and their number is an option.

    >>> import parlour
    >>> by_the_deal(parlour.load("newmarket")).options["deals"], by_the_deal(parlour.load("kuhn")).id
    ('1', 'kuhn')
    """
    from parlour.core.game import load

    if "deals" not in game.options:
        return game
    options: dict[str, Any] = {**game.options, "deals": 1}
    return load(game.id, game.players, **options)


@dataclass(frozen=True, slots=True)
class VarianceShares:
    """Shares of a variance, from 0 to 1 and together 1: due to the ``player`` who holds a seat, to the ``seat``, and to
    the ``cards`` and all other chance."""

    player: Estimate
    seat: Estimate
    cards: float


@dataclass(frozen=True, slots=True)
class Rung:
    """One step of a ladder: ``stronger`` alone against ``weaker``.  ``share`` and ``returns`` are the stronger player's
    (0 to 1, and in the game's own unit), with the luck taken out if they are ``adjusted``; ``plain`` is the share as it
    was played, ``fair`` that of equal players.  ``seconds`` is processor time.  ``certainty``: games until it is
    certain who is stronger, infinite if the pair may be equal; ``critical``: the critical repetition frequency of
    returns, in games; ``parts``: what decides a game.

    >>> import parlour
    >>> step, *_ = climb(parlour.load("kuhn"), ["random", "random"], seconds=0.01, seed=1)
    >>> step.weaker, step.stronger, step.fair
    ('random', 'random', 0.5)
    """

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
    parts: VarianceShares

    @property
    def wide(self) -> float:
        """Half of the widest interval: of the share won, and of the parts of the variance."""
        return max(one.half for one in (self.share, self.parts.player, self.parts.seat))

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
) -> list[Rung]:
    """Play each step of a ladder, all within ``seconds`` of this number of idle cores (``processes``), not counting
    compilation.  Each pair first plays a trial, and a player who clearly loses to the one below is moved down.  A step
    ends when its share and its shares of the variance are known to within half a percentage point; those that need
    least time go first.  How many games are played depends on the machine; the games themselves depend on the seed
    alone. Raises ``ParlourError`` for fewer than two players, or no time; Ctrl-C raises
    :class:`~parlour.base.errors.Stopped` with what is known of each pair that has met.

    >>> import parlour
    >>> step, = climb(parlour.load("kuhn"), ["random", "random"], seconds=0.2)
    >>> step.games > 100, step.fair
    (True, 0.5)
    """
    if not 0 < seconds < math.inf:
        raise ParlourError("Say how many seconds, above 0, not {seconds:g}.", seconds=seconds)
    if len(players) < 2:
        raise ParlourError("A ladder needs two players at least.")
    tried = dict[tuple[str, str], tuple[_Pair, Rung]]()
    try:
        return _climbed(game, players, seconds, seed, processes, values, progress, tried)
    except KeyboardInterrupt:
        if not tried:
            raise
        raise Stopped([step for _, step in tried.values()]) from None


def _climbed(
    game: Game, players: Sequence[str], seconds: float, seed: int, processes: int, values: Values | None,
    progress: Callable[[str], None], tried: dict[tuple[str, str], tuple[_Pair, Rung]],
) -> list[Rung]:  # fmt: skip
    """Play each step of a ladder; ``tried``: takes what is known of each pair."""

    def trial(weaker: str, stronger: str) -> Rung:
        if (weaker, stronger) not in tried:
            progress(f"{stronger} against {weaker}")
            pair = _Pair(game, weaker, stronger, seed, processes, values)
            tried[weaker, stronger] = pair, pair.step(TRIAL * seconds * processes)
        return tried[weaker, stronger][1]

    rungs = [players[0]]
    for player in players[1:]:
        place = len(rungs)
        while place > 0 and _loses(trial(rungs[place - 1], player)) and not _loses(trial(player, rungs[place - 1])):
            place -= 1
        rungs.insert(place, player)
    for weaker, stronger in pairwise(rungs):
        trial(weaker, stronger)
    left = seconds * processes - sum(step.seconds for _, step in tried.values())
    pairs = [tried[pair][0] for pair in pairwise(rungs)]
    steps = {number: tried[pair][1] for number, pair in enumerate(pairwise(rungs))}
    order = sorted(steps, key=lambda number: steps[number].seconds * (steps[number].wide / NARROW) ** 2)
    for place, number in enumerate(order, 1):
        if steps[number].wide > NARROW:
            progress(f"{pairs[number].stronger} against {pairs[number].weaker}")
            due = left * (1 - FOR_OTHERS if place < len(order) else 1.0) + steps[number].seconds
            if due > steps[number].seconds:
                # the longer step replays the games of the trial, so their time is not spent twice
                left += steps[number].seconds
                steps[number] = pairs[number].step(due, steps[number])
                left -= steps[number].seconds
                tried[steps[number].weaker, steps[number].stronger] = pairs[number], steps[number]
    return [steps[number] for number in range(len(pairs))]


def _loses(step: Rung) -> bool:
    """Whether the stronger of two players clearly loses to the weaker one; a few deals are not enough to tell."""
    return step.returns.high < 0 and step.games * step.fair >= LEAST


class _Pair:
    """Two players who meet; ``stronger`` sits alone."""

    def __init__(
        self, game: Game, weaker: str, stronger: str, seed: int, processes: int, values: Values | None
    ) -> None:
        self.game, self.weaker, self.stronger = game, weaker, stronger
        self._kinds = [Kind.parsed(kind) for kind in (stronger, *[weaker] * (game.players - 1))]
        self._seed, self._processes = seed, processes
        # compiled games are so fast that playing more beats correcting for luck
        values = None if arena.all_compiled(game, self._kinds) else values
        self._runner = runner_for(Meeting(game, self._kinds, seed, values))
        list(self._runner.play(range(1)))  # compile everything before the clock starts

    def _clock(self) -> float:
        """Processor time: that of this process, if all the work is done here."""
        return time.process_time() if self._runner.is_compiled else time.perf_counter() * self._processes

    def step(self, seconds: float, trial: Rung | None = None) -> Rung:
        """Play for this much processor time, or until enough is known.  ``trial``: an earlier result, from which the
        times of checks follow."""
        players, begun = self.game.players, self._clock()
        look, most = LEAST, -(-MOST_GAMES // players)
        if trial is not None:
            look = max(look, _enough(trial.games // players, trial.wide))
        elif not self._runner.is_compiled:
            most = 2 * self._processes
        deals: list[list[GameResult]] = []
        for games in self._runner.play(range(most), self._processes):
            deals.append(games)
            if len(deals) % self._runner.at_once == 0 and self._clock() - begun > seconds:
                break
            if len(deals) >= look:
                wide = self._judged(self._summary(deals), 0.0).wide
                look = _enough(len(deals), wide)
                if wide <= NARROW:
                    break
        return self._judged(self._summary(deals), self._clock() - begun)

    def _summary(self, deals: Sequence[Sequence[GameResult]]) -> ContestResult:
        return summary(self.game, list(map(str, self._kinds)), deals)

    def _judged(self, match: ContestResult, seconds: float) -> Rung:
        first = match.players[0]
        share, returns = _of(first)
        spread = match.spread[1]
        return Rung(
            self.weaker,
            self.stronger,
            match.games,
            seconds,
            first.adjusted is not None,
            1 / match.game.players,
            first.share,
            share,
            returns,
            certainty(returns, spread),
            spread / returns.mean**2 if returns.mean else math.inf,
            parts(returns, [_of(seat)[1] for seat in match.seats], spread),
        )


def _enough(deals: int, wide: float) -> int:
    """Return the number of deals after which intervals that are now this wide may be narrow enough."""
    return int(deals * min(max((wide / NARROW) ** 2, 1.05), 4.0)) + 1


def _of(standing: ContestScore) -> tuple[Estimate, Estimate]:
    """Share and returns, with the luck taken out if that was computed."""
    found = standing.adjusted or standing
    return found.share, found.returns


def certainty(lead: Estimate, variance: float) -> Estimate:
    """Return the number of games after which an ordinary 95% interval of this ``lead`` (mean return of a game, in any
    unit) excludes 0, on average; infinite if the lead may be 0.  ``variance``: of the return of one game, in the square
    of that unit.

    >>> certainty(Estimate(0.1, 0.05, 0.15), 0.25)
    Estimate(mean=97, low=43, high=385)
    """

    def games(lead: float) -> float:
        return math.ceil(NORMAL**2 * variance / lead**2) if lead else math.inf

    leads = sorted((abs(lead.low), abs(lead.high)))
    least = 0.0 if lead.low <= 0 <= lead.high else leads[0]
    return Estimate(games(lead.mean), games(leads[1]), games(least))


def parts(lead: Estimate, seats: Sequence[Estimate], variance: float) -> VarianceShares:
    """Return the shares of the ``variance`` of one seat's return in one game that are due to its holder (one player
    with this ``lead``, and others, all equal, who pay for it) and to the seat.  ``seats``: the mean return of each, in
    any unit (and the variance in its square).

    >>> even = Estimate(0.0, 0.0, 0.0)
    >>> parts(Estimate(0.5, 0.5, 0.5), [even, even], 1.0)
    VarianceShares(player=Estimate(mean=0.25, low=0.25, high=0.25), seat=Estimate(mean=0.0, low=0.0, high=0.0),
    cards=0.75)
    """
    n = len(seats)
    player = _squared(abs(lead.mean), lead.half, (n - 1) * variance)
    apart = math.sqrt(sum(seat.mean**2 for seat in seats) / n)
    seat = _squared(apart, math.sqrt(sum(one.half**2 for one in seats) / n), variance)
    return VarianceShares(player, seat, max(0.0, 1 - player.mean - seat.mean))


def _squared(apart: float, half: float, variance: float) -> Estimate:
    """The square of a distance that is known to within ``half``, as a share of a variance, corrected for what the
    uncertainty adds."""
    if not variance:
        return Estimate(0.0, 0.0, 0.0)
    mean = max(0.0, apart**2 - (half / NORMAL) ** 2)
    low, high = max(0.0, apart - half) ** 2, (apart + half) ** 2
    return Estimate(mean / variance, min(low, mean) / variance, min(high / variance, 1.0))
