"""Random games by the million: how long they are, who wins from which seat, how often each clause fires.

All legal actions are equally likely; chance follows the rules.  Game ``i`` has the seed ``seed + i`` and is the game
that ``game.new(seed=seed + i)`` deals, so nothing depends on how games are shared among threads, or among machines:
:meth:`Survey.merge` puts together what they played.
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from operator import add
from typing import TYPE_CHECKING, Any

from parlour import __version__
from parlour.engine.hashing import check_seeds
from parlour.engine.ruleset import whole_number
from parlour.errors import ParlourError
from parlour.extras import require
from parlour.game import loaded
from parlour.study import sums as sharing
from parlour.study.intervals import CONFIDENCE, Estimate, difference, mean_known, share_known
from parlour.study.sums import Sums, exact

if TYPE_CHECKING:
    from parlour.game import Game

LONGEST = 1 << 16
"""Games with this many decisions or more are counted together in the histogram of lengths."""
FEW = 30
"""With fewer games than this (or games in which a clause fired) an interval is rough."""
NO_SURVEY = "This was not written by parlour simulate --json."
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


@dataclass(frozen=True, slots=True)
class Lengths:
    """Decisions of players in a game: mean, quantiles by share, and how many games had which length.

    A length of :data:`LONGEST` stands for all games that were as long or longer.
    """

    mean: Estimate
    quantiles: Mapping[float, int]
    games: Mapping[int, int]

    @property
    def shortest(self) -> int:
        return min(self.games)

    @property
    def longest(self) -> int:
        return max(self.games)


@dataclass(frozen=True, slots=True)
class Seat:
    """How a seat did: mean ``returns`` a game, and its share of games ``won`` (a shared game counts in parts)."""

    seat: int
    returns: Estimate
    won: Estimate


@dataclass(frozen=True, slots=True)
class Deals:
    """How the deals of a match went: how many ``per_game``, and what one brought on average to each of the ``places``
    clockwise from the dealer (the first is the dealer's own)."""

    per_game: Estimate
    places: tuple[Estimate, ...]


@dataclass(frozen=True, slots=True)
class Fired:
    """How often a clause was cited by an event: ``times`` in all, ``per_game`` on average, and in what share of
    ``games`` at least once.  The interval of ``per_game`` is unknown where it fired in fewer than :data:`FEW` games."""

    clause: str
    times: int
    per_game: Estimate
    games: Estimate


@dataclass(frozen=True, slots=True)
class Survey:
    """The result of many random games of one setting.  ``clauses`` lists those that fired, in the order of the book;
    ``deals`` is ``None`` if the game does not consist of deals; ``seconds`` is the time spent playing, on ``threads``
    threads, without compiling.  All of it comes from ``sums``; ``planned`` are the seeds of the whole study, of which
    these games may be a shard."""

    game: Game
    seed: int
    games: int
    decisions: int
    threads: int
    seconds: float
    length: Lengths
    seats: tuple[Seat, ...]
    deals: Deals | None
    clauses: tuple[Fired, ...]
    sums: Sums
    planned: tuple[range, ...]

    def merge(self, *others: Survey) -> Survey:
        """Return the survey of all these games together.  Shards make the survey of the whole, to the last bit.
        ``ParlourError`` if a game is there twice, or was played by other rules.

        >>> import parlour
        >>> one, two = (simulate(parlour.load("kuhn"), games=100, seed=seed) for seed in (0, 100))
        >>> one.merge(two).length == simulate(parlour.load("kuhn"), games=200).length
        True
        """
        for other in others:
            if other.game != self.game:
                raise ParlourError(f"These games were not played by the same rules: {self.game!r} and {other.game!r}.")
        every = (self, *others)
        plans = sorted({seeds for one in every for seeds in one.planned}, key=lambda seeds: seeds.start)
        seconds = sum(one.seconds for one in every)
        threads = max(one.threads for one in every)
        return _survey(self.game, _covered(plans), threads, seconds, reduce(add, (one.sums for one in every)))

    @property
    def missing(self) -> tuple[range, ...]:
        """The seeds of the planned games that are not among these.

        >>> import parlour
        >>> simulate(parlour.load("kuhn"), games=20_000, shard=(2, 2)).missing
        (range(0, 16384),)
        """
        return sharing.without(self.planned, self.sums.seeds)

    @property
    def decisions_per_second(self) -> float:
        return self.decisions / self.seconds

    @property
    def games_per_second(self) -> float:
        return self.games / self.seconds

    def clause(self, clause: str) -> Fired:
        """Return how often one clause fired.  Raises ``ParlourError`` if there is no such clause.

        >>> import parlour
        >>> simulate(parlour.load("kuhn"), games=100, seed=1).clause("KU-4").per_game.mean
        2.0
        """
        wanted = self.game.clause(clause).id
        never = Fired(wanted, 0, Estimate(0.0, 0.0, math.inf), share_known(self.games, 0.0, 0.0))
        return next((fired for fired in self.clauses if fired.clause == wanted), never)

    def to_json(self) -> dict[str, Any]:
        """Return JSON-able data; an unknown interval is ``null``."""
        length, deals = self.length, self.deals
        return {
            "game": self.game.id,
            "players": self.game.players,
            "options": dict(self.game.options),
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
                }
                for c in self.clauses
            ],
            "sums": {"version": __version__, **self.sums.to_json()},
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Survey:
        """Return the survey that :meth:`to_json` wrote, under the same version of Parlour.

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
            raise ParlourError(f"These games were played by Parlour {version}, this is {__version__}.")
        try:
            game = loaded(data["game"], data["players"], data["options"])
            planned = sharing.together(range(first, last + 1) for first, last in data["planned"])
            return _survey(game, planned, data["threads"], data["seconds"], Sums.from_json(data["sums"]))
        except ParlourError:
            raise
        except (KeyError, TypeError, ValueError, IndexError, AttributeError, ArithmeticError) as error:
            raise ParlourError(NO_SURVEY) from error


def _covered(plans: Sequence[range]) -> tuple[range, ...]:
    """What these ranges, in order, cover together; they may overlap."""
    covered: tuple[range, ...] = ()
    for plan in plans:
        covered = sharing.together([*covered, *sharing.without([plan], covered)])
    return covered


def simulate(
    game: Game | str,
    games: int,
    seed: int = 0,
    threads: int | None = None,
    progress: Callable[[int], None] = lambda done: None,
    shard: tuple[int, int] = (1, 1),
) -> Survey:
    """Play ``games`` random games (two or more) with the seeds ``seed``, ``seed + 1`` … on this number of threads
    (default: one a core).  ``game``: one that was loaded, or a name.  ``progress`` is told the number of games
    finished.  ``shard``: ``(i, n)`` plays only the part ``i`` of ``n``, for :meth:`Survey.merge`.

    >>> import parlour
    >>> survey = simulate(parlour.load("kuhn"), games=1000, seed=1)
    >>> survey.length.shortest, survey.length.longest, sum(survey.length.games.values())
    (2, 3, 1000)
    >>> survey.seats[0].returns.mean == -survey.seats[1].returns.mean
    True
    """
    require("fast", "A simulation")
    game, games = loaded(game), whole_number(games, "a number of games")
    if games < 2:
        raise ParlourError(f"An interval needs at least two games, not {games}.")
    seed = check_seeds(seed, games)
    from parlour.batch import threads_allowed

    threads = threads_allowed(threads)
    share = sharing.shard(games, seed, *shard)
    _play(game, seed, 1)  # compiles, or loads what was compiled
    sums, done, start = None, 0, time.perf_counter()
    firsts = range(share.start, share.stop, sharing.CHUNK)
    sizes = [min(sharing.CHUNK, share.stop - first) for first in firsts]
    pool = ThreadPoolExecutor(threads)
    try:
        for size, part in zip(sizes, pool.map(_play, itertools.repeat(game), firsts, sizes), strict=True):
            sums = part if sums is None else sums + part
            done += size
            progress(done)
    finally:
        pool.shutdown(cancel_futures=True)
    assert sums is not None
    return _survey(game, (range(seed, seed + games),), threads, time.perf_counter() - start, sums)


def _play(game: Game, first: int, games: int) -> Sums:
    """Play games with the seeds ``first``, ``first + 1`` …, with memory of their own."""
    import numpy as np

    from parlour.batch import start_records
    from parlour.engine.compiled import compiled

    acts, rng, out = np.zeros(game.action_count, np.int16), np.zeros(8, np.uint64), np.zeros(game.players)
    scores, deals = np.zeros((4, game.players)), np.zeros((4, game.players + 1))
    lengths = np.zeros(LONGEST + 1, np.int64)
    clauses = np.zeros((4, len(game.definition.book.index)), np.int64)
    into = scores, deals, lengths, clauses
    n = compiled(game.definition).survey(start_records(game), acts, rng, out, np.uint64(first), games, *into)
    had = np.flatnonzero(lengths)
    return Sums(
        (range(first, first + games),),
        int(n),
        exact(scores.tolist()),
        exact(deals[1:].tolist()),
        dict(zip(had.tolist(), lengths[had].tolist(), strict=True)),
        tuple(tuple(row) for row in clauses[1:].tolist()),
    )


def _survey(game: Game, planned: tuple[range, ...], threads: int, seconds: float, sums: Sums) -> Survey:
    games = sums.games

    def mean(total: Fraction | int) -> float:
        return float(Fraction(total, games))

    def spread(total: Fraction | int, squares: Fraction | int) -> float:
        # below 0 only if games were longer than the histogram
        return max(0.0, float(Fraction(squares * games - total * total, games * max(1, games - 1))))

    squares = sum(n * n * had for n, had in sums.lengths.items())
    length = Lengths(
        mean_known(games, mean(sums.decisions), spread(sums.decisions, squares)),
        {share: _quantile(sums.lengths, share * games) for share in QUANTILES},
        sums.lengths,
    )
    seats = tuple(
        Seat(
            p,
            mean_known(games, mean(returned), spread(returned, returned_squares)),
            share_known(games, mean(won), spread(won, won_squares)),
        )
        for p, (returned, returned_squares, won, won_squares) in enumerate(zip(*sums.scores, strict=True))
    )
    deals = None
    if game.definition.has_deals:
        (*brought, finished), (*_, finished_squares) = sums.deals[:2]
        places = []
        for total, squared, products in zip(brought, *(row[:-1] for row in sums.deals[1:]), strict=True):
            each = total / finished  # a ratio: its error is that of what games bring beyond the mean for each deal
            error = squared - 2 * each * products + each * each * finished_squares
            errors = error / max(1, games - 1) * (games / finished) ** 2
            places.append(mean_known(games, float(each), float(errors)))
        deals = Deals(mean_known(games, mean(finished), spread(finished, finished_squares)), tuple(places))
    clauses = []
    for name, (times, squared, where) in zip(game.definition.book.index, zip(*sums.clauses, strict=True), strict=True):
        if times:
            per_game = mean_known(games, mean(times), spread(times, squared))
            if where < FEW and where < games:
                per_game = Estimate(mean(times), -math.inf, math.inf)
            clauses.append(Fired(name, times, per_game, share_known(games, mean(where), spread(where, where))))
    return Survey(
        game,
        planned[0].start,
        games,
        sums.decisions,
        threads,
        seconds,
        length,
        seats,
        deals,
        tuple(clauses),
        sums,
        planned,
    )


def _quantile(lengths: Mapping[int, int], rank: float) -> int:
    """The length that this many games do not exceed."""
    known = 0
    for n, games in lengths.items():
        known += games
        if known >= rank:
            return n
    return n


# ------------------------------------------------------------------------------------------ settings side by side


@dataclass(frozen=True, slots=True)
class Measure:
    """One figure of a survey: what it is (``length``, ``return``, ``won``, ``deals``, ``return a deal``, ``per game``,
    ``games with``), of which seat, place or clause, and its estimate."""

    what: str
    of: str
    value: Estimate


def measures(survey: Survey, clauses: Sequence[str] | None = None) -> list[Measure]:
    """Return the figures of a survey in a row; of the clauses only these (default: those that fired).

    >>> import parlour
    >>> [m.what for m in measures(simulate(parlour.load("kuhn"), 100), clauses=[])]
    ['length', 'return', 'return', 'won', 'won']
    """
    fired = survey.clauses if clauses is None else [survey.clause(c) for c in clauses]
    deals = survey.deals
    return [
        Measure("length", "", survey.length.mean),
        *(Measure("return", f"seat {s.seat}", s.returns) for s in survey.seats),
        *(Measure("won", f"seat {s.seat}", s.won) for s in survey.seats),
        *([Measure("deals", "", deals.per_game)] if deals else []),
        *(Measure("return a deal", place_name(q), brought) for q, brought in enumerate(deals.places if deals else ())),
        *(Measure("per game", c.clause, c.per_game) for c in fired),
        *(Measure("games with", c.clause, c.games) for c in fired),
    ]


def place_name(place: int) -> str:
    """Return in words a place clockwise from the dealer.

    >>> place_name(0), place_name(2)
    ('dealer', 'dealer + 2')
    """
    return f"dealer + {place}" if place else "dealer"


def clauses_fired(surveys: Sequence[Survey]) -> list[str]:
    """Return the clauses that fired in any of them, in the order of the book."""
    fired = {c.clause for survey in surveys for c in survey.clauses}
    return [clause for clause in surveys[0].game.definition.book.index if clause in fired]


def compare(survey: Survey, with_: Survey) -> list[Measure]:
    """Return the figures of ``survey`` less those of ``with_``, which was made from other seeds."""
    clauses = clauses_fired([survey, with_])
    pairs = zip(measures(survey, clauses), measures(with_, clauses), strict=True)
    return [Measure(a.what, a.of, difference(a.value, b.value)) for a, b in pairs]


def changed(survey: Survey, among: Sequence[Survey]) -> str:
    """Say what is special about a survey's setting: the options in which the settings differ, or else those that are
    not the default."""
    options = survey.game.options
    names = [n for n in options if len({other.game.options[n] for other in among}) > 1]
    if len(among) == 1:
        defaults = survey.game.definition.options
        names = [n for n in options if options[n] != str(defaults[n].default)]
    return ", ".join(f"{n}={options[n]}" for n in names)
