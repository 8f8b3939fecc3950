"""The two ways of playing games between players, and the choice between them.

Players that are compiled with the rules, or that search for a number of simulations, play in machine code, in threads
(:mod:`parlour.study.arena`).  All others play from views, in processes.  Both ways give the same games to the byte, so
callers see only a :class:`Runner`; :func:`runner_for` chooses it.
"""

from __future__ import annotations

import itertools
import signal
import threading
import time
import warnings
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from operator import index
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from parlour.base.errors import CompilationError, ParlourError
from parlour.core.game import LONGEST_NAME
from parlour.engine.hashing import MASK, mix
from parlour.players import make
from parlour.players.clock import processor_time
from parlour.players.kind import Kind, parsed
from parlour.players.plugins import checked, name_of
from parlour.players.search import Search
from parlour.players.simple import Random
from parlour.study import arena
from parlour.study.datasets import Steps, Written, steps_of

if TYPE_CHECKING:
    from parlour.core.game import Game, State
    from parlour.players import Player
    from parlour.study.values import Values

__all__ = ["GameResult", "Meeting", "Runner", "play_game", "runner_for"]

MANY = 2000
"""From this many games on, machine code is worth loading or compiling."""
FEW = 5
"""Games that show whether a game can be played interpreted."""
AT_A_TIME, THOUGHTFUL = 500, 20
"""Games between checks for progress and Ctrl-C in machine code; the second number is for players that search."""


class GameObserver(Protocol):
    """An observer that follows a game while it is played; ``names``: the players' names by seat.

    >>> import parlour
    >>> class Actions(GameObserver):
    ...     names = "Ann", "Ben"
    ...     def decide(self, state, seat, legal, action):
    ...         print(self.names[seat], state.game.action_names[action], sep=": ", end="; ")
    ...     def end(self, state):
    ...         print(*state.returns())
    >>> _ = play_game(parlour.load("kuhn"), ["random", "random"], seed=1, written=Actions())
    Ann: bet; Ben: bet; 2.0 -2.0
    """

    names: tuple[str, ...]

    def decide(self, state: State, seat: int, legal: Sequence[int], action: int) -> None:
        """Note a decision before it is carried out."""

    def end(self, state: State) -> None:
        """Note the end of the game."""


@dataclass(frozen=True, slots=True)
class GameResult:
    """One game: ``holder[p]`` is the index of the player in seat ``p``.  Also by seat: the ``returns``, in the game's
    own unit, the ``moves`` (decisions) and the ``seconds`` that they took."""

    holder: tuple[int, ...]
    returns: tuple[float, ...]
    moves: tuple[int, ...]
    seconds: tuple[float, ...]
    written: GameObserver | None = None
    luck: tuple[tuple[float, ...], ...] | None = None
    """For each seat its luck, in the share of the win and then in returns, by kinds of luck
    (:mod:`parlour.study.kernels.luck`); ``None`` if it was not computed."""
    steps: bytes = b""
    """The steps of the game (:data:`parlour.players.kernels.arena.BY_WHOM`) as 32-bit words, where they are kept.  In
    machine code, players who choose several times at once take turns; a state has all choices of a seat together."""

    @property
    def shares(self) -> tuple[float, ...]:
        """Return 1 for the winner, or a part if several share the highest return."""
        best = max(self.returns)
        winners = self.returns.count(best)
        return tuple((r == best) / winners for r in self.returns)


@dataclass(frozen=True, slots=True)
class Meeting:
    """Players that meet at a game: their kinds as :func:`checked_number` returns them, and the seed of the deals.

    ``values``: a value network by which luck is worked out; ``names`` of the players: with them, each game is written
    down; ``keeps_steps``: results have the steps.  None of these affects the games.
    """

    game: Game
    kinds: Sequence[Any]
    seed: int
    values: Values | None = None
    names: tuple[str, ...] | None = None
    keeps_steps: bool = False


class Runner(Protocol):
    """An object that plays a meeting."""

    is_compiled: bool
    """Whether games are played in machine code, in this process."""
    at_once: int
    """Deals that are played in one go: the first is reported only when the last is over."""

    def play(self, deals: range, workers: int = 1) -> Generator[list[GameResult], None, None]:
        """Play these deals, each once for every rotation of the seats; yield the games of one deal after another.  The
        number of workers, threads or processes, affects no game."""


def runner_for(meeting: Meeting, games: int | None = None) -> Runner:
    """Return the runner of a meeting, ready to play: everything is compiled and loaded.

    It uses machine code if all players can play there, nothing is written down, and there are at least :data:`MANY`
    ``games``, or their number is not given.  A game that cannot be compiled is played from views, with a warning.
    Raises ``ParlourError`` if there is no such player.

    >>> import parlour
    >>> meeting = Meeting(parlour.load("kuhn"), checked_number(parlour.load("kuhn"), ["random", "random"]), seed=1)
    >>> runner = runner_for(meeting, games=4)
    >>> runner.is_compiled, [len(games) for games in runner.play(range(2))]
    (False, [2, 2])
    """
    warm_up(meeting.game, meeting.kinds)
    if meeting.names is None and (games is None or games >= MANY) and arena.can_play(meeting.game, meeting.kinds):
        few = partial(_play_a_few, meeting.game)
        if is_loaded(partial(_loaded, meeting), few, "The match continues interpreted, and more slowly."):
            return CompiledRunner(meeting)
    return AtViews(meeting)


def _play_a_few(game: Game) -> None:
    """Play some random games from views."""
    for seed in range(FEW):
        play_game(game, ["random"] * game.players, seed)


def _loaded(meeting: Meeting) -> object:
    """Load or compile the code that plays a meeting."""
    return arena.set_up(meeting.game, meeting.kinds)[0].contest


def is_loaded(trial: Callable[[], object], interpreted: Callable[[], object], instead: str) -> bool:
    """Whether the machine code that a trial needs could be loaded; if not, warn, and say what happens ``instead``.
    First a few games are played ``interpreted``: an author's mistake that stops them is told by its error alone."""
    try:
        trial()
    except CompilationError as error:
        interpreted()
        warnings.warn(f"{error} {instead}", RuntimeWarning, stacklevel=1)
        return False
    return True


# ------------------------------------------------------------------------------------------ matches in machine code


class CompiledRunner:
    """Plays in machine code, in threads."""

    is_compiled = True

    def __init__(self, meeting: Meeting) -> None:
        self._meeting = meeting
        games = AT_A_TIME if arena.all_compiled(meeting.game, meeting.kinds) else THOUGHTFUL
        if meeting.values is not None:  # working out luck makes each game slower
            games = min(games, AT_A_TIME // 5)
        self.at_once = max(1, games // meeting.game.players)

    def play(self, deals: range, workers: int = 1) -> Generator[list[GameResult], None, None]:
        """Play these deals in threads (:meth:`Runner.play`)."""
        parts = (deals[first : first + self.at_once] for first in range(0, len(deals), self.at_once))
        for some in in_threads(self._some, parts, workers):
            yield from some

    def _some(self, deals: range) -> list[list[GameResult]]:
        """Play deals.  The time of every decision is taken to be the average of all, plus the player's own thinking
        time."""
        game, kinds, values = self._meeting.game, self._meeting.kinds, self._meeting.values
        keeps = self._meeting.keeps_steps
        start = time.perf_counter()
        played = arena.contest(game, kinds, self._meeting.seed, deals, with_steps=keeps or values is not None)
        thought, moves = played.thought.tolist(), played.moves.tolist()
        passed = time.perf_counter() - start - sum(map(sum, thought))
        each = passed / max(1, sum(map(sum, moves)))
        holders = arena.holders(game.players)
        rows = zip(itertools.cycle(holders), played.returns.tolist(), moves, thought, strict=False)
        results = [
            GameResult(who, tuple(got), tuple(made), tuple(own + each * n for own, n in zip(spent, made, strict=True)))
            for who, got, made, spent in rows
        ]
        if values is not None:
            from parlour.study.values import luck

            found = luck(game, values, played, [kind == arena.RANDOM for kind in kinds])
            results = [replace(result, luck=_as_tuples(one)) for result, one in zip(results, found, strict=True)]
        if keeps:
            kept, taken = memoryview(played.steps).cast("B"), played.taken.tolist()
            width = len(kept) // len(taken)
            parts = (bytes(kept[i * width : i * width + 4 * n]) for i, n in enumerate(taken))
            results = [replace(result, steps=part) for result, part in zip(results, parts, strict=True)]
        return [results[first : first + len(holders)] for first in range(0, len(results), len(holders))]


def _as_tuples(lucky: Any) -> tuple[tuple[float, ...], ...]:
    """The luck of each seat in one game."""
    return tuple(map(tuple, lucky.reshape(len(lucky), -1).tolist()))


# ------------------------------------------------------------------------------------------ matches from views


class AtViews:
    """Plays from views, in processes."""

    is_compiled = False
    at_once = 1

    def __init__(self, meeting: Meeting) -> None:
        self._meeting = meeting

    def play(self, deals: range, workers: int = 1) -> Generator[list[GameResult], None, None]:
        """Play these deals in processes (:meth:`Runner.play`)."""
        meeting = self._meeting
        ready = partial(get_ready, meeting.game, meeting.kinds)
        yield from in_processes(partial(_rotations, meeting), deals, workers, ready)


def _rotations(meeting: Meeting, deal: int) -> list[GameResult]:
    """Play all rotations of one deal, with fresh players in each game."""
    game, kinds, names = meeting.game, meeting.kinds, meeting.names
    results, chance = [], arena.chance_seed(meeting.seed, deal)
    for turn, holder in enumerate(arena.holders(len(kinds))):
        own = arena.own_seeds(len(kinds), meeting.seed, deal, turn)
        written: GameObserver | None = Written(deal, turn, [names[k] for k in holder]) if names else None
        if meeting.keeps_steps:
            written = Steps()
        players = [make(kinds[k], game, own[k]) for k in holder]
        result = play_game(game, players, chance, holder, written, meeting.values)
        results.append(replace(result, written=None, steps=written.words) if isinstance(written, Steps) else result)
    return results


Part = TypeVar("Part")
Result = TypeVar("Result")
AHEAD = 8
"""Parts of the work for each process that are handed out ahead of time, so that none is idle while another takes
long."""
SECOND = 1.0
"""Seconds after which a wait looks whether somebody has pressed Ctrl-C."""


def in_threads(work: Callable[[Part], Result], parts: Iterable[Part], threads: int) -> Iterator[Result]:
    """Yield ``work(part)`` for each of these parts, in order, computed by this number of threads.  There may be any
    number of parts, since few are handed out ahead of time.  Ctrl-C does not wait for those that are under way."""
    pool, waits = ThreadPoolExecutor(threads), True
    try:
        yield from _in_order(lambda part: pool.submit(work, part), parts, threads)
    except KeyboardInterrupt:
        waits = False
        raise
    finally:
        pool.shutdown(waits, cancel_futures=True)


def _in_order(hand_out: Callable[[Part], Future[Result]], parts: Iterable[Part], ahead: int) -> Iterator[Result]:
    """Yield the result of each part, in order; at most ``ahead`` others are handed out before it is known."""
    waiting = deque[Future[Result]]()
    for part in parts:
        waiting.append(hand_out(part))
        if len(waiting) > ahead:
            yield _result(waiting.popleft())
    while waiting:
        yield _result(waiting.popleft())


def _result(future: Future[Result]) -> Result:
    """Wait for a result, a second at a time: Python hears a signal that comes in the instant before a wait, or in
    another thread, only after it."""
    while not future.done():
        wait([future], SECOND)
    return future.result()


def in_processes(
    one: Callable[[int], Result], numbers: range, processes: int, get_ready: Callable[[], None]
) -> Iterator[Result]:
    """Yield ``one(number)`` for each of these numbers, in order, computed by this number of processes, each of which
    calls ``get_ready`` first."""
    count = len(numbers)
    if min(processes, count) <= 1:
        yield from map(one, numbers)
        return
    import multiprocessing  # slow to import, and most commands start no processes
    from concurrent.futures import ProcessPoolExecutor

    before, processes = multiprocessing.active_children(), min(processes, count)
    size = max(1, min(16, count // (8 * processes)))
    parts = (numbers[first : first + size] for first in range(0, count, size))
    pool = ProcessPoolExecutor(processes, multiprocessing.get_context("spawn"), get_ready)
    try:
        for some in _in_order(partial(_hand_out, pool, partial(_each, one)), parts, AHEAD * processes):
            yield from some
    except BaseException:
        for process in multiprocessing.active_children():
            if process not in before:
                process.terminate()  # an error or Ctrl-C: do not wait for unfinished games
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _each(one: Callable[[int], Result], numbers: range) -> list[Result]:
    return [one(number) for number in numbers]


def _hand_out(pool: Executor, work: Callable[[range], Result], numbers: range) -> Future[Result]:
    """Hand out a part of the work.  This may start a process."""
    with ctrl_c_withheld():
        return pool.submit(work, numbers)


@contextmanager
def ctrl_c_withheld() -> Iterator[None]:
    """Let no process that is started within this be stopped by Ctrl-C, not even before its first line of Python: a
    terminal sends it to every process, and it is for the parent, which is told at the end of this; in the middle, a
    process might be left without its work."""
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "pthread_sigmask"):
        yield  # on Windows there are no such masks, and other threads are never told of Ctrl-C
        return
    came: list[int] = []
    told = signal.signal(signal.SIGINT, lambda number, frame: came.append(number))
    masked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # which processes inherit
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, masked)
        signal.signal(signal.SIGINT, told or signal.SIG_DFL)
    if came:
        signal.raise_signal(signal.SIGINT)


def get_ready(game: Game, kinds: Sequence[Any]) -> None:
    """Prepare a process: Ctrl-C is for the parent, and loading must not cost any player time."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    warm_up(game, kinds)


def warm_up(game: Game, kinds: Sequence[Any]) -> None:
    """Compile or load the code that players of these kinds need.  ``ParlourError`` if there is no such player."""
    for kind in kinds:
        player = make(kind, game)
        if isinstance(player, Search):
            player.warm_up()


def checked_number(game: Game, players: Sequence[Any]) -> Sequence[Any]:
    """The players of a meeting, with texts parsed.  Raises ``ParlourError`` unless there is one for each seat."""
    players = list(players) if isinstance(players, list | tuple) else [players]
    if len(players) != game.players:
        raise ParlourError("This match needs {players} players, not {n}.", players=game.players, n=len(players))
    return list(map(parsed, players))


def _is_ours(player: Any) -> bool:
    """Whether this is one of Parlour's own players, whose answers need not be checked."""
    return not isinstance(player, Kind | type) and type(player).__module__.startswith("parlour.")


def play_game(
    game: Game,
    players: Sequence[str | Player],
    seed: int,
    holder: tuple[int, ...] | None = None,
    written: GameObserver | None = None,
    values: Values | None = None,
) -> GameResult:
    """Play one game, ``players`` in order of seats, each a player or a kind that :func:`parlour.players.make` takes;
    they get only views and legal actions.  Thinking time is measured as processor time, so a busy machine makes players
    slower, but not weaker.  ``written``: an observer of the game; ``values``: a value network to compute luck. Raises
    ``ParlourError`` for players that do not fit the game, or that answer with anything but a legal action.

    >>> import parlour
    >>> play_game(parlour.load("kuhn"), ["random", "random"], seed=1).holder
    (0, 1)
    """
    given = checked_number(game, players)
    state = game.new(seed=seed)
    own = [mix(index(seed) + p & MASK) for p in range(game.players)]
    seated: list[Player] = [one if _is_ours(one) else make(one, game, own[p]) for p, one in enumerate(given)]
    if written and written.names:
        state.call_players([name[:LONGEST_NAME] for name in written.names])
    moves, seconds = [0] * game.players, [0.0] * game.players
    while not state.is_terminal:
        answers = []
        for p in state.acting:  # all players who choose at once do so before any choice is carried out
            view, legal = state.view(p), state.legal_actions(p)
            start = time.perf_counter()
            with processor_time():
                answer = seated[p].choose(view, legal)
            seconds[p] += time.perf_counter() - start
            answers.append((checked(answer, view, legal, name_of(seated[p])), p))
            if written:
                written.decide(state, p, legal, answers[-1][0])
            moves[p] += 1
        for action, p in answers:
            state.apply(action, p)
    holder = tuple(range(game.players)) if holder is None else holder
    if written:
        written.end(state)
    lucky = None
    if values is not None:
        from parlour.study.values import luck_of_one

        lucky = _as_tuples(luck_of_one(game, values, steps_of(state), [isinstance(one, Random) for one in seated]))
    return GameResult(holder, tuple(state.returns()), tuple(moves), tuple(seconds), written, lucky)
