"""Simulating millions of games, and their statistics; long because each figure is documented where it is computed.

The figures are lengths of games, numbers of choices, wins by seat, and how often each clause fires.

All players are of one kind: at random (all legal actions are equally likely), by rule of thumb, or any other.  Game
``i`` has the seed ``seed + i`` and is the game that ``game.new(seed=seed + i)`` deals, so results do not depend on how
games are divided among threads or machines; :meth:`Survey.merge` combines surveys.  Intervals are 95%: Student's for
means, Wilson's (1927) with Student's t for shares, and for differences those of Zou & Donner (2008).
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from operator import add
from typing import TYPE_CHECKING, Any, Final

from parlour import __version__
from parlour.base.errors import ParlourError, Stopped
from parlour.base.languages import marked
from parlour.core.game import loaded
from parlour.engine.hashing import check_seeds, mix
from parlour.engine.positions import check_range
from parlour.engine.ruleset import of_kind, threads_allowed, whole_number
from parlour.players import make
from parlour.players.kind import parsed
from parlour.players.plugins import name_of
from parlour.study import sums as sharing
from parlour.study import surveying
from parlour.study.intervals import CONFIDENCE, Estimate, difference, mean_known, share_known
from parlour.study.sums import Sums
from parlour.study.surveying import RANDOM

if TYPE_CHECKING:
    import polars

    from parlour.core.game import Game

__all__ = ["DealFigures", "Fired", "Lengths", "Measure", "SeatFigures", "Survey", "compare", "simulate"]

FEW = 30
"""With fewer games than this (or games in which a clause fired) an interval is rough."""
NO_SURVEY: Final = marked("This was not written by parlour simulate --json.")
TRIED: Final = 500
"""How many steps an author's own game is first played in plain Python."""
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


@dataclass(frozen=True, slots=True)
class Lengths:
    """Decisions of players in a game: their ``mean`` number, ``quantiles`` (by share of the games, 0 to 1), and the
    number of ``games`` of each length.

    A length of :data:`parlour.study.surveying.LONGEST` stands for all games that were as long or longer.

    >>> length = simulate("kuhn", 1000, seed=1).length
    >>> length.shortest, length.longest, length.quantiles[0.5]
    (2, 3, 2)
    """

    mean: Estimate
    quantiles: Mapping[float, int]
    games: Mapping[int, int]

    @property
    def shortest(self) -> int:
        """The fewest decisions of a game."""
        return min(self.games)

    @property
    def longest(self) -> int:
        """The most decisions of a game."""
        return max(self.games)


@dataclass(frozen=True, slots=True)
class SeatFigures:
    """The results of a seat: mean ``returns`` a game, in the game's own unit, and its share of games ``won`` (0 to 1; a
    tied game is divided).

    >>> first, second = simulate("kuhn", 1000, seed=1).seats
    >>> first.seat, first.won.mean > second.won.mean
    (0, True)
    """

    seat: int
    returns: Estimate
    won: Estimate


@dataclass(frozen=True, slots=True)
class DealFigures:
    """The deals of a match: their number ``per_game``, and the mean return of a deal, in the game's own unit, to each
    of the ``places`` clockwise from the dealer (the first is the dealer's own).

    >>> deals = simulate("newmarket", 100, seed=1).deals
    >>> deals.per_game.mean >= 1, len(deals.places)
    (True, 3)
    """

    per_game: Estimate
    places: tuple[Estimate, ...]


@dataclass(frozen=True, slots=True)
class Fired:
    """How often events cited a clause: ``times`` in all, ``per_game`` and ``per_deal`` on average, and the share of
    ``games`` with at least one.  The intervals of the averages are unknown if it fired in fewer than :data:`FEW` games;
    in games without deals ``per_deal`` is ``None``."""

    clause: str
    times: int
    per_game: Estimate
    games: Estimate
    per_deal: Estimate | None = None


DECIDING: Final = 8
READING: Final = 2
LOOKING: Final = 10
"""Seconds on the page (:attr:`Survey.minutes`): to decide, to read the result of a step, to look at a deal."""


@dataclass(frozen=True, slots=True)
class Survey:
    """The result of many games of one setting between players who are all of the kind ``player``.

    ``choices``: how often a player has more than one legal action, in a deal (in a game, if it does not consist of
    deals); ``ties``: the share of games in which several players have the highest return.  ``clauses`` lists those
    that fired, in the order of the book; ``deals`` is ``None`` if the game does not consist of deals; ``seconds`` is
    the time spent playing, on ``threads`` threads, without compiling.  All of it comes from ``sums``; ``planned`` are
    the seeds of the whole study, of which these games may be a shard."""

    game: Game
    player: str
    seed: int
    games: int
    decisions: int
    threads: int
    seconds: float
    length: Lengths
    choices: Estimate
    ties: Estimate
    seats: tuple[SeatFigures, ...]
    deals: DealFigures | None
    clauses: tuple[Fired, ...]
    sums: Sums
    planned: tuple[range, ...]

    def merge(self, *others: Survey) -> Survey:
        """Return the survey of all these games together.  The shards of a study give the same survey as the whole, to
        the last bit.  Raises ``ParlourError`` if a game occurs twice, or was played by other rules or players.

        >>> import parlour
        >>> one, two = (simulate(parlour.load("kuhn"), games=100, seed=seed) for seed in (0, 100))
        >>> one.merge(two).length == simulate(parlour.load("kuhn"), games=200).length
        True
        """
        for other in others:
            if other.game != self.game:
                raise ParlourError(
                    "These games were not played by the same rules: {game!r} and {other_game!r}.",
                    game=self.game,
                    other_game=other.game,
                )
            if other.player != self.player:
                raise ParlourError(
                    "These games had different players: {player} and {other_player}.",
                    player=self.player,
                    other_player=other.player,
                )
        every = (self, *others)
        plans = sorted({seeds for one in every for seeds in one.planned}, key=lambda seeds: seeds.start)
        seconds = sum(one.seconds for one in every)
        threads = max(one.threads for one in every)
        return _survey(
            self.game, self.player, _covered(plans), threads, seconds, reduce(add, (one.sums for one in every))
        )

    @property
    def missing(self) -> tuple[range, ...]:
        """The seeds of the planned games that are not among these.

        >>> import parlour
        >>> simulate(parlour.load("kuhn"), games=20_000, shard=(2, 2)).missing
        (range(0, 16384),)
        """
        return sharing.without(self.planned, self.sums.seeds)

    @property
    def minutes(self) -> float:
        """The minutes that a game takes a person on the page, against bots that take a second: the person decides in
        ``DECIDING`` seconds, reads the result of each step in ``READING``, and looks at a deal for ``LOOKING``.

        >>> import parlour
        >>> simulate(parlour.load("kuhn"), games=100).minutes < 1
        True
        """
        steps = self.decisions / self.games
        deals = self.deals.per_game.mean if self.deals else 1.0
        return (steps / self.game.players * DECIDING + steps * READING + deals * LOOKING) / 60

    @property
    def decisions_per_second(self) -> float:
        """How many decisions were played in a second, on all threads together."""
        return self.decisions / self.seconds

    @property
    def games_per_second(self) -> float:
        """How many games were played in a second, on all threads together."""
        return self.games / self.seconds

    def clause(self, clause: str) -> Fired:
        """Return how often one clause fired.  Raises ``ParlourError`` if there is no such clause.

        >>> import parlour
        >>> simulate(parlour.load("kuhn"), games=100, seed=1).clause("KU-4").per_game.mean
        2.0
        """
        wanted = self.game.clause(clause).id
        none = Estimate(0.0, 0.0, math.inf)
        never = Fired(wanted, 0, none, share_known(self.games, 0.0, 0.0), none if self.deals else None)
        return next((fired for fired in self.clauses if fired.clause == wanted), never)

    def frame(self) -> polars.DataFrame:
        """Return the figures as a data frame, one row each (extra ``study``): :func:`parlour.study.data_frames.frame`.

        >>> import parlour
        >>> simulate(parlour.load("kuhn"), games=100).frame().filter(measure="won")["of"].to_list()
        ['seat 0', 'seat 1']
        """
        from parlour.study.data_frames import frame

        return frame([self])

    def to_json(self) -> dict[str, Any]:
        """Return JSON-able data; an unknown interval is ``null``."""
        length, deals = self.length, self.deals
        return {
            "game": self.game.id,
            "players": self.game.players,
            "options": dict(self.game.options),
            "player": self.player,
            "seed": self.seed,
            "games": self.games,
            "planned": [[seeds[0], seeds[-1]] for seeds in self.planned],
            "decisions": self.decisions,
            "threads": self.threads,
            "seconds": self.seconds,
            "decisions_per_second": self.decisions_per_second,
            "games_per_second": self.games_per_second,
            "confidence": CONFIDENCE,
            "length": {
                **length.mean.as_data(),
                "shortest": length.shortest,
                "longest": length.longest,
                "quantiles": {f"{q:g}": n for q, n in length.quantiles.items()},
                "histogram": [list(bin) for bin in length.games.items()],
            },
            "choices": self.choices.as_data(),
            "ties": self.ties.as_data(),
            "seats": [{"seat": s.seat, "return": s.returns.as_data(), "won": s.won.as_data()} for s in self.seats],
            "deals": deals
            and {
                "per_game": deals.per_game.as_data(),
                "places": [{"place": q, "return": brought.as_data()} for q, brought in enumerate(deals.places)],
            },
            "clauses": [
                {
                    "clause": c.clause,
                    "text": self.game.clause(c.clause).text,
                    "times": c.times,
                    "per_game": c.per_game.as_data(),
                    "games": c.games.as_data(),
                    "per_deal": c.per_deal and c.per_deal.as_data(),
                }
                for c in self.clauses
            ],
            "sums": {"version": __version__, **self.sums.to_json()},
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Survey:
        """Return the survey that :meth:`to_json` wrote, under the same version of Parlour. Raises ``ParlourError`` if
        it is not such data, or of another version.

        >>> import parlour
        >>> survey = simulate(parlour.load("kuhn"), games=100, seed=1)
        >>> Survey.from_json(survey.to_json()) == survey
        True
        """
        try:
            version = data["sums"]["version"]
        except (KeyError, TypeError) as error:
            raise ParlourError(NO_SURVEY) from error
        if version != __version__:
            raise ParlourError(
                "These games were played by Parlour {version}, this is {this_version}.",
                version=version,
                this_version=__version__,
            )
        try:
            game = loaded(data["game"], data["players"], data["options"])
            planned = sharing.together(range(first, last + 1) for first, last in data["planned"])
            sums = Sums.from_json(data["sums"])
            return _survey(game, str(data["player"]), planned, data["threads"], data["seconds"], sums)
        except ParlourError:
            raise
        except (KeyError, TypeError, ValueError, IndexError, AttributeError, ArithmeticError) as error:
            raise ParlourError(NO_SURVEY) from error


def _covered(plans: Sequence[range]) -> tuple[range, ...]:
    """The numbers that these ranges, in order, cover together; they may overlap."""
    covered: tuple[range, ...] = ()
    for plan in plans:
        covered = sharing.together([*covered, *sharing.without([plan], covered)])
    return covered


def _tried(game: Game, seed: int) -> None:
    """Play an author's own game for some steps in plain Python, which looks where machine code does not.  Raises what
    is wrong there: an event without a sentence, a number that its field cannot hold, a place that an array lacks, a
    player who has nothing to choose."""
    what, dice, steps = game.definition, random.Random(seed), 0
    if what.is_own and what.unsaid:
        raise ParlourError("{wrong}.", wrong=what.unsaid)
    while what.is_own and steps < TRIED:
        state = game.new(seed=mix(seed + steps))
        while steps < TRIED and not state.is_terminal:
            if wrong := check_range(what, state.position):
                raise ParlourError("{package}: {wrong}.", package=what.package, wrong=wrong)
            waiting = state.acting[0]
            state.apply(dice.choice(state.legal_actions(waiting)), waiting)
            steps += 1
        steps += 1


def simulate(
    game: Game | str,
    games: int,
    seed: int = 0,
    threads: int | None = None,
    progress: Callable[[int], None] = lambda done: None,
    shard: tuple[int, int] = (1, 1),
    player: Any = RANDOM,
) -> Survey:
    """Play ``games`` games (two or more) with the seeds ``seed``, ``seed + 1`` … on this number of threads (default:
    one a core).  ``game``: one that was loaded, or a name.  ``progress`` is told the number of games finished.
    ``shard``: ``(i, n)`` plays only the part ``i`` of ``n``, for :meth:`Survey.merge`.  ``player``: the kind of all
    players, as :func:`parlour.players.make` takes it.  ``random``, ``rule-of-thumb`` and ``learned`` play in machine
    code, others from views, in processes instead of threads; this does not affect the games, unless players look at the
    clock. Raises ``ParlourError`` for numbers out of range or a player that the game does not have; Ctrl-C raises
    :class:`~parlour.base.errors.Stopped` with the survey so far.

    >>> import parlour
    >>> survey = simulate(parlour.load("kuhn"), games=1000, seed=1)
    >>> survey.length.shortest, survey.length.longest, sum(survey.length.games.values())
    (2, 3, 1000)
    >>> survey.seats[0].returns.mean == -survey.seats[1].returns.mean
    True
    """
    game, games = loaded(game), whole_number(games, "a number of games")
    if games < 2:
        raise ParlourError("An interval needs at least two games, not {games}.", games=games)
    seed = check_seeds(seed, games)
    threads = threads_allowed(threads)
    if len(of_kind(shard, Sequence, "a shard and how many there are")) != 2:
        raise ParlourError("{shard!r} is not a shard and how many there are.", shard=shard)
    number, of = (whole_number(n, "a number of shards") for n in shard)
    share = sharing.shard(games, seed, number, of)
    of_kind(progress, Callable, "a function")
    name = player if isinstance(player, str) else name_of(make(player, game))
    player = parsed(player)
    _tried(game, seed)
    surveying.way(game, player)  # compile, or load from the cache, before the clock starts
    start = time.perf_counter()

    def survey(sums: Sums) -> Survey:
        return _survey(game, name, (range(seed, seed + games),), threads, time.perf_counter() - start, sums)

    try:
        return survey(surveying.played(game, player, share, threads, progress))
    except Stopped as stopped:
        raise Stopped(survey(stopped.so_far)) from None


def _survey(game: Game, player: str, planned: tuple[range, ...], threads: int, seconds: float, sums: Sums) -> Survey:
    games = sums.games

    def mean(total: Fraction | int) -> float:
        return float(Fraction(total, games))

    def spread(total: Fraction | int, squares: Fraction | int) -> float:
        # negative only if some games were too long for the histogram
        return max(0.0, float(Fraction(squares * games - total * total, games * max(1, games - 1))))

    (*brought, chosen, finished), (*_, finished_squares) = sums.deals[:2]

    def a_deal(total: Fraction | int, squares: Fraction | int, products: Fraction | int, parts: int = 1) -> Estimate:
        # a ratio of sums; its error comes from each game's total less its expected share
        each = Fraction(total) / finished
        error = squares - 2 * each * products + each * each * finished_squares
        errors = error / max(1, games - 1) * (games / finished) ** 2 / parts**2
        return mean_known(games, float(each / parts), max(0.0, float(errors)))  # the sums are rounded

    squares = sum(n * n * had for n, had in sums.lengths.items())
    length = Lengths(
        mean_known(games, mean(sums.decisions), spread(sums.decisions, squares)),
        {share: quantile(sums.lengths, share * games) for share in QUANTILES},
        sums.lengths,
    )
    tied = games - sums.winners.get(1, 0)
    seats = tuple(
        SeatFigures(
            p,
            mean_known(games, mean(returned), spread(returned, returned_squares)),
            share_known(games, mean(won), spread(won, won_squares)),
        )
        for p, (returned, returned_squares, won, won_squares) in enumerate(zip(*sums.scores, strict=True))
    )
    deals = None
    if game.definition.has_deals:
        places = (a_deal(*column) for column in [*zip(*sums.deals, strict=True)][: len(brought)])
        deals = DealFigures(mean_known(games, mean(finished), spread(finished, finished_squares)), tuple(places))
    clauses = []
    for name, (times, squared, where, products) in zip(
        game.definition.book.index, zip(*sums.clauses, strict=True), strict=True
    ):
        if times:
            per_game = mean_known(games, mean(times), spread(times, squared))
            per_deal = a_deal(times, squared, products) if deals else None
            if where < FEW and where < games:
                per_game = _unsure(per_game)
                per_deal = per_deal and _unsure(per_deal)
            share = share_known(games, mean(where), spread(where, where))
            clauses.append(Fired(name, times, per_game, share, per_deal))
    return Survey(
        game,
        player,
        planned[0].start,
        games,
        sums.decisions,
        threads,
        seconds,
        length,
        a_deal(chosen, sums.deals[1][-2], sums.deals[2][-2], game.players),
        share_known(games, mean(tied), spread(tied, tied)),
        seats,
        deals,
        tuple(clauses),
        sums,
        planned,
    )


def _unsure(known: Estimate) -> Estimate:
    return Estimate(known.mean, -math.inf, math.inf)


def quantile(lengths: Mapping[int, int], rank: float) -> int:
    """Return the length that this many games (``rank``) do not exceed; ``lengths``: the number of games of each length.

    >>> quantile({2: 60, 3: 39, 7: 1}, 99)
    3
    """
    known = 0
    for n, games in lengths.items():
        known += games
        if known >= rank:
            return n
    return n


# ------------------------------------------------------------------------------------------ comparing settings


@dataclass(frozen=True, slots=True)
class Measure:
    """One figure of a survey: what it is (``length``, ``choices``, ``ties``, ``return``, ``won``, ``deals``, ``return a
    deal``, ``per game``, ``per deal``, ``games with``), of which seat, place or clause, and its estimate, ``value``: a
    share of the games (0 to 1) for ``ties``, ``won`` and ``games with``; in the game's own unit for both returns; for
    the rest, how often or how many."""

    what: str
    of: str
    value: Estimate


def measures(survey: Survey, clauses: Sequence[str] | None = None) -> list[Measure]:
    """Return the figures of a survey as a list; ``clauses``: only these clauses (default: those that fired).

    >>> import parlour
    >>> [m.what for m in measures(simulate(parlour.load("kuhn"), 100), clauses=[])]
    ['length', 'choices', 'ties', 'return', 'return', 'won', 'won']
    """
    fired = survey.clauses if clauses is None else [survey.clause(c) for c in clauses]
    deals = survey.deals
    return [
        Measure("length", "", survey.length.mean),
        Measure("choices", "", survey.choices),
        Measure("ties", "", survey.ties),
        *(Measure("return", f"seat {s.seat}", s.returns) for s in survey.seats),
        *(Measure("won", f"seat {s.seat}", s.won) for s in survey.seats),
        *([Measure("deals", "", deals.per_game)] if deals else []),
        *(Measure("return a deal", place_name(q), brought) for q, brought in enumerate(deals.places if deals else ())),
        *(Measure("per game", c.clause, c.per_game) for c in fired),
        *(Measure("per deal", c.clause, c.per_deal) for c in fired if c.per_deal),
        *(Measure("games with", c.clause, c.games) for c in fired),
    ]


def place_name(place: int) -> str:
    """Return in words a place clockwise from the dealer.

    >>> place_name(0), place_name(2)
    ('dealer', 'dealer + 2')
    """
    return f"dealer + {place}" if place else "dealer"


def clauses_fired(surveys: Sequence[Survey]) -> list[str]:
    """Return the clauses that fired in any of these surveys, in the order of the book."""
    fired = {c.clause for survey in surveys for c in survey.clauses}
    return [clause for clause in surveys[0].game.definition.book.index if clause in fired]


def compare(survey: Survey, with_: Survey) -> list[Measure]:
    """Return the figures of ``survey`` less those of ``with_``, which must have other seeds.

    >>> import parlour
    >>> usual, other = (simulate(parlour.load("leduc"), 500, seed=seed) for seed in (1, 1000))
    >>> compare(other, usual)[0].what, compare(usual, usual)[0].value.mean
    ('length', 0.0)
    """
    clauses = clauses_fired([survey, with_])
    pairs = zip(measures(survey, clauses), measures(with_, clauses), strict=True)
    return [Measure(a.what, a.of, difference(a.value, b.value)) for a, b in pairs]


def changed(survey: Survey, among: Sequence[Survey]) -> str:
    """Return what is special about a survey's setting: the options in which the settings differ or, without any, those
    that are not the default."""
    options = survey.game.options
    names = [n for n in options if len({other.game.options[n] for other in among}) > 1]
    if len(among) == 1:
        defaults = survey.game.definition.options
        names = [n for n in options if options[n] != str(defaults[n].default)]
    return ", ".join(f"{n}={options[n]}" for n in names)
