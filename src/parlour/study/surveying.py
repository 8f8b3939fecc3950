"""The games of a survey: played by players of one kind, and added up exactly, chunk by chunk.

Random players play in the kernel ``survey``, players that are compiled with the rules in the
:mod:`~parlour.study.arena`, and all others from views, in processes.  A game depends only on its seed, and the sums
only on the games, so the same players give the same sums in each of these ways.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from parlour.base.errors import Stopped
from parlour.engine.c.loading import positions, zeros
from parlour.engine.kernels import bulk
from parlour.engine.kernels.bulk import KERNEL
from parlour.players import make
from parlour.players.kind import SEARCH_KINDS, Kind
from parlour.study import arena
from parlour.study import sums as sharing
from parlour.study.runners import FEW, get_ready, in_processes, in_threads, is_loaded, play_game, warm_up
from parlour.study.sums import Sums, exact

if TYPE_CHECKING:
    from parlour.core.game import Game, State

RANDOM = "random"
LONGEST = 1 << 16
"""Games with this many decisions or more are counted together in the histogram of lengths."""
MANY = 1000
"""From this many games from views on, starting more processes pays for quick players."""


def played(
    game: Game, player: Any, seeds: range, threads: int, progress: Callable[[int], None] = lambda done: None
) -> Sums:
    """Play the games with these seeds between players who are all of the kind ``player``, on this number of threads
    (processes, if they play from views).  ``progress`` is called with the number of games finished.  Ctrl-C raises
    :class:`~parlour.base.errors.Stopped` with the sums so far, if there are any."""
    quick = way(game, player)
    if quick is None:
        parts = _at_views(game, player, seeds, threads, progress)
    else:
        parts = _quickly(game, quick, seeds, threads)
    sums, done = None, 0
    try:
        with closing(parts):
            for part in parts:
                sums, done = part if sums is None else sums + part, done + part.games
                progress(done)
    except KeyboardInterrupt:
        if done < 2:
            raise
        raise Stopped(sums) from None
    assert sums is not None
    return sums


def _chunks(seeds: range) -> Iterator[range]:
    """Yield the chunks of these seeds, one by one: of games in bulk there may be many millions of chunks."""
    for first in range(seeds.start, seeds.stop, sharing.CHUNK):
        yield range(first, min(first + sharing.CHUNK, seeds.stop))


Quick = Callable[[range, "Accounts"], int]
"""A function that plays the games with these seeds and adds them up; it returns the number of decisions."""


def way(game: Game, player: Any) -> Quick | None:
    """Return the function that plays games with players of this kind in compiled code, which is loaded here; ``None``
    if they play from views.  Raises ``ParlourError`` if there is no such player; a game that cannot be compiled is
    played interpreted, or from views, with a warning."""
    quick: Quick = partial(_at_random, game) if player == arena.RANDOM else partial(_in_the_arena, game, player)
    if player != arena.RANDOM:
        make(player, game)
        if not arena.all_compiled(game, [player]):
            return None
    slowly = partial(_interpreted, game, range(FEW), Accounts(game))
    if is_loaded(lambda: quick(range(0), Accounts(game)), slowly, "The games are played interpreted, and more slowly."):
        return quick
    return partial(_interpreted, game) if player == arena.RANDOM else None


def _at_random(game: Game, seeds: range, to: Accounts) -> int:
    acts, rng, out = zeros("i16", game.action_count), zeros("u64", 8), zeros("f64", game.players)
    driver, start = KERNEL.compiled(game.definition).survey, game.start()
    return int(driver(positions(game.definition, [start, start]), acts, rng, out, seeds.start, len(seeds), to.arrays))


def _interpreted(game: Game, seeds: range, to: Accounts) -> int:
    """Play the games of :func:`_at_random` by the interpreted rules."""
    from parlour.engine.interpreted import Positions

    index, S = game.definition.book.index, Positions(game.definition, 2)
    S[0] = game.start()
    arrays = to.arrays._replace(deals=_Rows(to.deals, index), clauses=_Rows(to.clauses, index))
    rest = [0] * game.action_count, [0], [0.0] * game.players, seeds.start, len(seeds), arrays
    return int(KERNEL.interpreted(game.definition).survey(S, *rest))


class _Rows:
    """A table that is indexed by row; a row of clauses also counts the events it is told."""

    def __init__(self, numbers: Any, index: Mapping[str, int]) -> None:
        self.numbers, self.index, self.shape = numbers, index, numbers.shape

    def __getitem__(self, place: Any) -> Any:
        return self.numbers[place] if isinstance(place, tuple) else _Row(self, place)

    def __setitem__(self, place: tuple[int, int], value: float) -> None:
        self.numbers[place] = value


class _Row:
    def __init__(self, rows: _Rows, i: int) -> None:
        self._rows, self._i = rows, i

    def __getitem__(self, k: int) -> Any:
        return self._rows[self._i, k]

    def __setitem__(self, k: int, value: float) -> None:
        self._rows[self._i, k] = value

    def append(self, event: tuple[Any, ...]) -> None:
        self[self._rows.index[event[0]]] += 1


def _in_the_arena(game: Game, player: Kind, seeds: range, to: Accounts) -> int:
    return arena.survey(game, player, seeds.start, len(seeds), to.arrays)


def _quickly(game: Game, quick: Quick, seeds: range, threads: int) -> Generator[Sums, None, None]:
    def chunk(seeds: range) -> Sums:
        to = Accounts(game)
        return to.sums(seeds, quick(seeds, to))

    yield from in_threads(chunk, _chunks(seeds), threads)


class Accounts:
    """The sums in which :func:`parlour.engine.kernels.bulk.account` adds up games, as ``arrays``."""

    def __init__(self, game: Game) -> None:
        players, clauses = game.players, len(game.definition.book.index)
        self.scores, self.deals = zeros("f64", 4, players), zeros("f64", 4, players + 2)
        self.lengths, self.winners = zeros("i64", LONGEST + 1), zeros("i64", players + 1)
        self.clauses = zeros("i64", 5, clauses)

    @property
    def arrays(self) -> bulk.GameSums:
        return bulk.GameSums(self.scores, self.deals, self.lengths, self.clauses, self.winners)

    def sums(self, seeds: range, decisions: int) -> Sums:
        """The sums of the games with these seeds."""
        return Sums(
            (seeds,),
            decisions,
            exact(self.scores.tolist()),
            exact(self.deals.tolist()[1:]),
            _histogram(self.lengths),
            tuple(tuple(row) for row in self.clauses.tolist()[1:]),
            _histogram(self.winners),
        )


def _histogram(counted: Any) -> dict[int, int]:
    return {value: n for value, n in enumerate(counted.tolist()) if n}


# ------------------------------------------------------------------------------------------ surveys from views


class _Game(NamedTuple):
    """A finished game: its last position, the numbers of decisions and of choices, the dealer and the results of each
    deal, and how often each clause (by its number) fired."""

    position: Any
    decisions: int
    choices: int
    deals: list[tuple[int, tuple[float, ...]]]
    fired: dict[int, int]


class _Counting:
    """An observer that counts the figures of a survey in one game."""

    def __init__(self, game: Game) -> None:
        self.names = tuple(f"Seat {p}" for p in range(game.players))
        self.decisions = self.choices = 0
        self.game: _Game | None = None

    def decide(self, state: State, seat: int, legal: Sequence[int], action: int) -> None:
        self.decisions += 1
        self.choices += len(legal) > 1

    def end(self, state: State) -> None:
        what = state.game.definition
        before: list[Any] = []
        state.game.start(before)  # events before the beginning do not count as fired clauses
        fired = Counter(what.book.index[clause] for clause, *_ in state.ledger.told(None, len(before)))
        deals = [(deal.dealer, deal.returns) for deal in state.deals]
        self.game = _Game(state.position, self.decisions, self.choices, deals, dict(fired))


def _play_one(game: Game, player: Any, first: int, number: int) -> _Game:
    seed = first + number
    seated = [make(player, game, own) for own in arena.seeds_of_players(game.players, seed)]
    counting = _Counting(game)
    play_game(game, seated, seed, written=counting)
    assert counting.game
    return counting.game


def _at_views(
    game: Game, player: Any, seeds: range, threads: int, progress: Callable[[int], None]
) -> Generator[Sums, None, None]:
    games = len(seeds)
    slow = isinstance(player, Kind) and player.name in SEARCH_KINDS
    processes = threads if slow or games > MANY else 1
    warm_up(game, [player])
    one = partial(_play_one, game, player, seeds.start)
    results, done = in_processes(one, range(games), processes, partial(get_ready, game, (player,))), 0
    for chunk in _chunks(seeds):
        to, decisions = Accounts(game), 0
        for seed in chunk:
            try:
                one_game = next(results)
            except KeyboardInterrupt:
                if seed > chunk.start:  # players that think take minutes for a chunk
                    yield to.sums(range(chunk.start, seed), decisions)
                raise
            _add(game, one_game, to)
            decisions += one_game.decisions
            done += 1
            progress(done)
        yield to.sums(chunk, decisions)


def _add(game: Game, one: _Game, to: Accounts) -> None:
    """Add a game in the same way and order as compiled code."""
    n, deals = game.players, to.deals
    for dealer, brought in one.deals:
        for p in range(n):
            deals[0, (p + n - dealer) % n] += brought[p]
    deals[0, n] = one.choices
    deals[0, n + 1] = len(one.deals) if game.definition.has_deals else 1
    for clause, times in one.fired.items():
        to.clauses[0, clause] = times
    KERNEL.interpreted(game.definition).account(one.position, one.decisions, [0.0] * n, to.arrays)
