"""Random games by the million: how long they are, who wins from which seat, how often each clause fires.

All legal actions are equally likely; chance follows the rules.  Game ``i`` has the seed ``seed + i`` and is the game
that ``game.new(seed=seed + i)`` deals, so nothing depends on how games are shared among threads.
"""

from __future__ import annotations

import itertools
import math
import os
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from parlour.engine.hashing import check_seeds
from parlour.errors import ParlourError
from parlour.extras import require
from parlour.game import loaded
from parlour.study.intervals import CONFIDENCE, Estimate, difference, mean_known, share_known

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from parlour.game import Game

CHUNK = 1 << 14
"""How many games one thread plays at a time; fixed, so that sums are added in the same order with any number of
threads."""
LONGEST = 1 << 16
"""Games with this many decisions or more are counted together in the histogram of lengths."""
FEW = 30
"""With fewer games than this (or games in which a clause fired) an interval is rough."""
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
    threads, without compiling."""

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
        }


def simulate(
    game: Game | str,
    games: int,
    seed: int = 0,
    threads: int | None = None,
    progress: Callable[[int], None] = lambda done: None,
) -> Survey:
    """Play ``games`` random games (two or more) with the seeds ``seed``, ``seed + 1`` … on this number of threads
    (default: one a core).  ``game``: one that was loaded, or a name.  ``progress`` is told the number of games
    finished.

    >>> import parlour
    >>> survey = simulate(parlour.load("kuhn"), games=1000, seed=1)
    >>> survey.length.shortest, survey.length.longest, sum(survey.length.games.values())
    (2, 3, 1000)
    >>> survey.seats[0].returns.mean == -survey.seats[1].returns.mean
    True
    """
    require("fast", "A simulation")
    game = loaded(game)
    if games < 2:
        raise ParlourError(f"An interval needs at least two games, not {games}.")
    check_seeds(seed, games)
    if threads is not None and threads < 1:
        raise ParlourError(f"At least one thread is needed, not {threads}.")
    threads = threads or os.cpu_count() or 1
    _play(game, seed, 1)  # compiles, or loads what was compiled
    tally, done, start = _Tally(game), 0, time.perf_counter()
    firsts = range(seed, seed + games, CHUNK)
    sizes = [min(CHUNK, seed + games - first) for first in firsts]
    pool = ThreadPoolExecutor(threads)
    try:
        for size, part in zip(sizes, pool.map(_play, itertools.repeat(game), firsts, sizes), strict=True):
            tally.add(part)
            done += size
            progress(done)
    finally:
        pool.shutdown(cancel_futures=True)
    return _survey(game, seed, games, threads, time.perf_counter() - start, tally)


@dataclass(slots=True)
class _Part:
    """Return what a chunk of games adds."""

    decisions: int
    scores: NDArray[np.float64]
    deals: NDArray[np.float64]
    lengths: NDArray[np.int64]
    clauses: NDArray[np.int64]


def _play(game: Game, first: int, games: int) -> _Part:
    """Play games with the seeds ``first``, ``first + 1`` …, with memory of their own."""
    import numpy as np

    from parlour.batch import start_records
    from parlour.engine.compiled import compiled

    acts, rng, out = np.zeros(game.action_count, np.int16), np.zeros(8, np.uint64), np.zeros(game.players)
    part = _Tally(game)
    into = part.scores, part.deals, part.lengths, part.clauses
    n = compiled(game.definition).survey(start_records(game), acts, rng, out, np.uint64(first), games, *into)
    return _Part(int(n), part.scores, part.deals, np.trim_zeros(part.lengths, "b"), part.clauses)


class _Tally(_Part):
    """The sum of parts; nothing, to begin with."""

    def __init__(self, game: Game) -> None:
        import numpy as np

        scores, deals = np.zeros((4, game.players)), np.zeros((4, game.players + 1))
        clauses = np.zeros((4, len(game.definition.book.index)), np.int64)
        super().__init__(0, scores, deals, np.zeros(LONGEST + 1, np.int64), clauses)

    def add(self, part: _Part) -> None:
        self.decisions += part.decisions
        self.scores += part.scores
        self.deals += part.deals
        self.lengths[: len(part.lengths)] += part.lengths
        self.clauses += part.clauses


def _survey(game: Game, seed: int, games: int, threads: int, seconds: float, tally: _Part) -> Survey:
    import numpy as np

    def spread(total: float, squares: float) -> float:
        return max(0.0, (squares - total * total / games) / (games - 1))

    at = np.flatnonzero(tally.lengths)
    counts = tally.lengths[at]
    squares = float(sum(int(n) * int(n) * int(c) for n, c in zip(at, counts, strict=True)))
    known = np.cumsum(counts)
    length = Lengths(
        mean_known(games, tally.decisions / games, spread(float(tally.decisions), squares)),
        {q: int(at[np.searchsorted(known, q * games)]) for q in QUANTILES},
        {int(n): int(c) for n, c in zip(at, counts, strict=True)},
    )
    seats = tuple(
        Seat(
            p,
            mean_known(games, returned / games, spread(returned, returned_squares)),
            share_known(games, won / games, spread(won, won_squares)),
        )
        for p, (returned, returned_squares, won, won_squares) in enumerate(tally.scores.T.tolist())
    )
    deals = None
    if game.definition.has_deals:
        (*brought, finished), (*_, finished_squares) = tally.deals[1:3].tolist()
        places = []
        for total, squares, products in zip(brought, *tally.deals[2:, :-1].tolist(), strict=True):
            mean = total / finished  # a ratio: its error is that of what games bring beyond the mean for each deal
            error = squares - 2 * mean * products + mean * mean * finished_squares
            places.append(mean_known(games, mean, max(0.0, error) / (games - 1) * (games / finished) ** 2))
        deals = Deals(mean_known(games, finished / games, spread(finished, finished_squares)), tuple(places))
    clauses = []
    for name, (_, times, squared, where) in zip(game.definition.book.index, tally.clauses.T.tolist(), strict=True):
        if times:
            mean = times / games
            per_game = mean_known(games, mean, spread(times, squared))
            if where < FEW and where < games:
                per_game = Estimate(mean, -math.inf, math.inf)
            share = where / games
            clauses.append(Fired(name, times, per_game, share_known(games, share, spread(where, where))))
    return Survey(game, seed, games, tally.decisions, threads, seconds, length, seats, deals, tuple(clauses))


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
