"""Matches between players over duplicate deals: who is better, and how certain that is.

Every deal (a seed of chance) is played once for each player, so that everybody holds each seat once.  A deal's games
are averaged before the spread is estimated, so luck that a deal gives to a seat is not mistaken for skill.  Chance is
drawn in the course of play: two games of one deal draw the same stream, but as soon as players choose differently it
means different cards.  So luck is reduced, not removed; the intervals are right either way, because they come from the
spread of whole deals.  Where a value network is known, what luck chance had is worked out too, and taken out of the
results (:mod:`parlour.study.values`, :mod:`parlour.study.reduction`): the same means, narrower intervals.
"""

from __future__ import annotations

import itertools
import math
import signal
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from functools import partial
from operator import index
from pathlib import Path
from statistics import fmean, pvariance
from types import NoneType
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from parlour.base.errors import CompilationError, ParlourError
from parlour.core.game import LONGEST_NAME, loaded
from parlour.engine.hashing import MASK, mix, seed_word
from parlour.engine.ruleset import of_kind, whole_number
from parlour.players import make
from parlour.players.clock import processor_time
from parlour.players.kernels.arena import BY_WHOM
from parlour.players.kind import Kind, parsed
from parlour.players.kinds import Random
from parlour.players.own import checked, name_of
from parlour.players.search import Search
from parlour.study import arena
from parlour.study.datasets import Folder, Written
from parlour.study.intervals import CONFIDENCE, Estimate, mean_estimate, share_estimate
from parlour.study.sequential import Decision, Sequential

if TYPE_CHECKING:
    from parlour.core.game import Game, State
    from parlour.players import Player
    from parlour.study.values import Values


@dataclass(frozen=True, slots=True)
class Standing:
    """How a player, or whoever held a seat, did: ``share`` of the games won (shared games count in parts), mean
    ``returns`` a game; decisions per game and seconds per decision.  ``adjusted``: share and returns with the luck
    taken out, where that was worked out."""

    name: str
    share: Estimate
    returns: Estimate
    moves: float
    seconds: float
    adjusted: Adjusted | None = None


@dataclass(frozen=True, slots=True)
class Adjusted:
    """``share`` and ``returns`` with the luck taken out: they estimate the same as those of the
    :class:`Standing`, which are not changed by it.  ``worth``: as many games would have had to be played for such an
    interval of the share if luck had been left in."""

    share: Estimate
    returns: Estimate
    worth: float


@dataclass(frozen=True, slots=True)
class MatchResult:
    """The result of a match: ``players`` in the order given, ``seats`` from seat 0, whoever held them.  ``decision``:
    what was decided, if the match was to end when it is; then this is to be read, and not the intervals of the
    standings, which hold only for a number of games that was fixed before.  ``spread``: the variance of the share of
    the win, and of the returns, of one seat in one game, whoever holds it."""

    game: Game
    seed: int
    deals: int
    games: int
    players: tuple[Standing, ...]
    seats: tuple[Standing, ...]
    decision: Decision | None = None
    spread: tuple[float, float] = (0.0, 0.0)


class Witness(Protocol):
    """An observer that takes down a game while it is played; ``names`` are of the players, by seat."""

    names: tuple[str, ...]

    def decide(self, state: State, seat: int, legal: Sequence[int], action: int) -> None:
        """Take down a decision before it is carried out."""

    def end(self, state: State) -> None:
        """Take down how the game came out."""


@dataclass(frozen=True, slots=True)
class GameResult:
    """One game: ``holder[p]`` is the index of the player in seat ``p``; the rest is by seat too."""

    holder: tuple[int, ...]
    returns: tuple[float, ...]
    moves: tuple[int, ...]
    seconds: tuple[float, ...]
    written: Witness | None = None
    luck: tuple[tuple[float, ...], ...] | None = None
    """For each seat, how lucky it was, in the share of the win and then in returns, by kinds of luck
    (:mod:`parlour.study.kernels.luck`); ``None`` where that was not worked out."""

    @property
    def shares(self) -> tuple[float, ...]:
        """Return 1 for the winner, or a part if several share the highest return."""
        best = max(self.returns)
        winners = self.returns.count(best)
        return tuple((r == best) / winners for r in self.returns)


def play(
    game: Game | str,
    kinds: Sequence[Any],
    games: int,
    seed: int = 0,
    processes: int = 1,
    progress: Callable[[int], None] = lambda done: None,
    records: str | Path | None = None,
    until: Sequential | None = None,
    values: Values | None = None,
    enough: Callable[[Sequence[Sequence[GameResult]]], bool] = lambda deals: False,
) -> MatchResult:
    """Play a match at ``game`` (one that was loaded, or a name) between as many players as it has seats, of kinds that
    :func:`parlour.players.make` takes: players of your own too, which must be picklable for several processes.

    ``games`` is rounded up to whole deals (each is played once for every rotation of the seats).  Several processes
    share the deals among them (a script needs the usual ``if __name__ == "__main__"``); this does not affect the games,
    unless players look at the clock.  Long matches between players that are compiled beside the rules are played in the
    :mod:`~parlour.study.arena`, which does not affect the games either.  ``progress`` is told the number of games
    finished.
    ``records``: an empty folder, or a new one, that takes each game and each decision (:mod:`parlour.study.datasets`).
    ``until``: end as soon as this test has decided whether the first player wins more than a fair share; ``games`` is
    the most then.
    ``values``: a value network of the game, by which luck is taken out of the results; the games are the same.
    ``enough`` is asked after each deal, with all games so far, whether to end.

    >>> import parlour
    >>> match = play(parlour.load("kuhn"), ["random", "random"], games=20, seed=1)
    >>> match.deals, match.games, [standing.name for standing in match.players]
    (10, 20, ['random', 'random 2'])
    >>> round(sum(standing.share.mean for standing in match.players), 9)
    1.0
    """
    game = loaded(game)
    kinds = _checked_number(game, kinds)
    for given, kind, what in (
        (progress, Callable, "a function"),
        (enough, Callable, "a function"),
        (records, (str, Path, NoneType), "the name of a folder"),
        (until, (Sequential, NoneType), "a Sequential"),
    ):
        of_kind(given, kind, what)
    if until is not None and not (until.is_fresh and math.isclose(until.par, 1 / game.players)):
        raise ParlourError(
            "A match of {players} is decided by a new Sequential(par=1 / {players}).", players=game.players
        )
    seed_word(seed)
    games, seed = whole_number(games, "a number of games"), int(seed)
    processes = whole_number(processes, "a number of processes")
    if games < 1:
        raise ParlourError("A match needs at least one game, not {games}.", games=games)
    if games > MOST:
        raise ParlourError("A match has at most {most:,} games, not {games:,}.", most=MOST, games=games)
    if processes < 1:
        raise ParlourError("A match needs at least one process, not {processes}.", processes=processes)
    warm_up(game, kinds)  # compile once, not in every process
    count, names = -(-games // game.players), names_of(game, kinds)
    folder = None if records is None else Folder(Path(records))
    if folder:
        folder.begin(game, names, count * game.players, seed)
    deals: list[list[GameResult]] = []
    called = tuple(names) if folder else None
    if not hasattr(values, "fits") and values is not None:
        raise ParlourError("{values!r} is not a value network.", values=values)
    if values is not None and not values.fits(game):
        raise ParlourError("This value network was not made for {name}.", name=game.definition.name)
    one_deal = partial(play_deal, game, tuple(kinds), seed, names=called, values=values)
    if folder is None and count * game.players >= MANY and _can_play(game, kinds):
        played = _in_the_arena(game, kinds, seed, count, processes, values)
    else:
        played = in_processes(one_deal, count, processes, partial(get_ready, game, tuple(kinds)))
    for results in played:
        for result in results:
            if folder and isinstance(result.written, Written):
                folder.add(result.written)
        deals.append([replace(result, written=None) for result in results])
        progress(len(deals) * game.players)
        if until:
            until.add([fmean(result.shares[result.holder.index(0)] for result in results)])
            if until.is_decided:
                break
        if enough(deals):
            break
    return replace(summary(game, names, deals, seed), decision=until.decision() if until else None)


LEAST = 50
"""Deals from which on luck is taken out: with fewer, an interval that goes by their spread is not to be trusted."""
MOST = 1 << 31
"""Games that a match may have."""
MANY = 2000
"""Games of a match that are worth loading, or making, machine code for."""
AT_A_TIME, THOUGHTFUL = 500, 20
"""Games after which the arena looks up, for progress and for Ctrl-C; the same where somebody thinks."""


def at_a_time(game: Game, kinds: Sequence[Any], values: Values | None) -> int:
    """Deals after which the arena looks up; where luck is worked out too, each takes longer."""
    games = AT_A_TIME if arena.all_compiled(game, kinds) else THOUGHTFUL
    if values is not None:
        games = min(games, AT_A_TIME // 5)
    return max(1, games // game.players)


def _can_play(game: Game, kinds: Sequence[Any]) -> bool:
    """Whether a match can be played in the arena.  Its machine code is loaded before any clock is started; a game that
    cannot be compiled is played from views, with a warning."""
    if not arena.can_play(game, kinds):
        return False
    try:
        arena.set_up(game, kinds)[0].contest  # noqa: B018 (it is looked for, or made, here)
    except CompilationError as error:
        warnings.warn(f"{error} The match continues interpreted, and more slowly.", RuntimeWarning, stacklevel=1)
        return False
    return True


def _in_the_arena(
    game: Game, kinds: Sequence[Any], seed: int, count: int, threads: int, values: Values | None
) -> Iterator[list[GameResult]]:
    """Play deals in compiled code (:mod:`parlour.study.arena`): the same games, faster."""
    size = at_a_time(game, kinds, values)

    def some(first: int) -> list[list[GameResult]]:
        return _arena_deals(game, kinds, seed, range(first, min(first + size, count)), values)

    with ThreadPoolExecutor(threads) as pool:
        waiting = deque[Future[list[list[GameResult]]]]()
        for first in range(0, count, size):
            waiting.append(pool.submit(some, first))
            if len(waiting) > threads:
                yield from waiting.popleft().result()
        while waiting:
            yield from waiting.popleft().result()


def _arena_deals(
    game: Game, kinds: Sequence[Any], seed: int, deals: range, values: Values | None = None
) -> list[list[GameResult]]:
    """The games of the arena, deal by deal; every decision is said to have taken as long as they took on average, and
    as long as its player thought."""
    start = time.perf_counter()
    played = arena.contest(game, kinds, seed, deals, with_steps=values is not None)
    thought, moves = played.thought.tolist(), played.moves.tolist()
    passed = time.perf_counter() - start - sum(map(sum, thought))
    each = passed / max(1, sum(map(sum, moves)))
    holders = arena.holders(game.players)
    results = [
        GameResult(who, tuple(got), tuple(made), tuple(own + each * n for own, n in zip(spent, made, strict=True)))
        for who, got, made, spent in zip(
            itertools.cycle(holders), played.returns.tolist(), moves, thought, strict=False
        )
    ]
    if values is not None:
        from parlour.study.values import luck

        found = luck(game, values, played, [kind == arena.RANDOM for kind in kinds])
        results = [replace(result, luck=_as_tuples(one)) for result, one in zip(results, found, strict=True)]
    return [results[first : first + len(holders)] for first in range(0, len(results), len(holders))]


def _as_tuples(lucky: Any) -> tuple[tuple[float, ...], ...]:
    """The luck of each seat in one game."""
    return tuple(map(tuple, lucky.reshape(len(lucky), -1).tolist()))


def play_deals(game: Game, kinds: Sequence[Any], seed: int, deals: range) -> list[list[GameResult]]:
    """Play some deals of the match that :func:`play` plays with this seed, for :func:`summary`: so a match can be
    divided among machines.  Players that are compiled beside the rules play in the :mod:`~parlour.study.arena`.

    >>> import parlour
    >>> game, kinds = parlour.load("kuhn"), ["random", "random"]
    >>> parts = [play_deals(game, kinds, 1, deals) for deals in (range(4), range(4, 10))]
    >>> whole = play(game, kinds, games=20, seed=1)
    >>> summary(game, kinds, sum(parts, [])).players[0].returns == whole.players[0].returns
    True
    """
    kinds = _checked_number(game, kinds)
    if deals and _can_play(game, kinds):
        return _arena_deals(game, kinds, seed, deals)
    return [play_deal(game, tuple(kinds), seed, deal) for deal in deals]


Result = TypeVar("Result")


def in_processes(
    one: Callable[[int], Result], count: int, processes: int, get_ready: Callable[[], None]
) -> Iterator[Result]:
    """What ``one`` makes of 0, 1 … ``count`` - 1, in order, worked out by this number of processes, each of which calls
    ``get_ready`` first."""
    if min(processes, count) == 1:
        yield from map(one, range(count))
        return
    import multiprocessing  # with what it brings it takes long to load, and most commands need no processes
    from concurrent.futures import ProcessPoolExecutor

    before = multiprocessing.active_children()
    pool = ProcessPoolExecutor(min(processes, count), multiprocessing.get_context("spawn"), get_ready)
    try:
        yield from pool.map(one, range(count), chunksize=max(1, min(16, count // (8 * processes))))
    except BaseException:
        for process in multiprocessing.active_children():
            if process not in before:
                process.terminate()  # interrupted: nobody waits for unfinished games
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def get_ready(game: Game, kinds: Sequence[Any]) -> None:
    """Prepare a process: Ctrl-C is for the parent, and loading must not cost any player time."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    warm_up(game, kinds)


def warm_up(game: Game, kinds: Sequence[Any]) -> None:
    """Compile, or load, what players of these kinds need.  ``ParlourError`` if there is no such player."""
    for kind in kinds:
        player = make(kind, game)
        if isinstance(player, Search):
            player.warm_up()


def play_deal(
    game: Game,
    kinds: tuple[Any, ...],
    seed: int,
    deal: int,
    names: tuple[str, ...] | None = None,
    values: Values | None = None,
) -> list[GameResult]:
    """Play all rotations of one deal, with fresh players in each game; with ``names`` of the players it is written
    down, with ``values`` its luck is worked out."""
    results, chance = [], arena.chance_seed(seed, deal)
    for turn, holder in enumerate(arena.holders(len(kinds))):
        own = arena.own_seeds(len(kinds), seed, deal, turn)
        written = Written(deal, turn, [names[k] for k in holder]) if names else None
        players = [make(kinds[k], game, own[k]) for k in holder]
        results.append(play_game(game, players, chance, holder, written, values))
    return results


def _checked_number(game: Game, players: Sequence[Any]) -> Sequence[Any]:
    players = list(players) if isinstance(players, list | tuple) else [players]
    if len(players) != game.players:
        raise ParlourError("This match needs {players} players, not {n}.", players=game.players, n=len(players))
    return list(map(parsed, players))


def _is_ours(player: Any) -> bool:
    """Whether this is a player already whose answers need no second look."""
    return not isinstance(player, Kind | type) and type(player).__module__.startswith("parlour.")


def play_game(
    game: Game,
    players: Sequence[str | Player],
    seed: int,
    holder: tuple[int, ...] | None = None,
    written: Witness | None = None,
    values: Values | None = None,
) -> GameResult:
    """Play one game, ``players`` in order of seats, each a player or a kind that :func:`parlour.players.make` takes;
    they get views and legal actions, nothing else.  Those that take their time to think get it as processor time, so a
    busy machine makes them slower, but not weaker.  It is noted in ``written``, if that is given; with ``values`` its
    luck is worked out.

    >>> import parlour
    >>> play_game(parlour.load("kuhn"), ["random", "random"], seed=1).holder
    (0, 1)
    """
    given = _checked_number(game, players)
    state = game.new(seed=seed)
    own = [mix(index(seed) + p & MASK) for p in range(game.players)]
    seated: list[Player] = [one if _is_ours(one) else make(one, game, own[p]) for p, one in enumerate(given)]
    if written:
        state.call_players([name[:LONGEST_NAME] for name in written.names])
    moves, seconds = [0] * game.players, [0.0] * game.players
    while not state.is_terminal:
        answers = []
        for p in state.acting:  # all who choose at once do so before anything happens
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

        steps = [step.action * BY_WHOM + max(step.player + 1, 0) for step in state.history]
        lucky = _as_tuples(luck_of_one(game, values, steps, [isinstance(one, Random) for one in seated]))
    return GameResult(holder, tuple(state.returns()), tuple(moves), tuple(seconds), written, lucky)


# ------------------------------------------------------------------------------------------ results


def summary(game: Game, names: Sequence[str], deals: Sequence[Sequence[GameResult]], seed: int = 0) -> MatchResult:
    """Return the standings after these deals."""
    lucky = len(deals) >= LEAST and all(result.luck for deal in deals for result in deal)

    def standing(name: str, places: Callable[[GameResult], int]) -> Standing:
        def by_deal(what: Callable[[GameResult], Sequence[float]]) -> list[float]:
            return [fmean(what(r)[places(r)] for r in deal) for deal in deals]

        moves = by_deal(lambda r: r.moves)
        shares, brought = by_deal(lambda r: r.shares), by_deal(lambda r: r.returns)
        share, returns = share_estimate(shares), mean_estimate(brought)
        spent = sum(r.seconds[places(r)] for deal in deals for r in deal)
        made = sum(r.moves[places(r)] for deal in deals for r in deal)
        each = spent / made if made else 0.0
        return Standing(
            name, share, returns, fmean(moves), each, _adjusted(shares, brought, deals, places) if lucky else None
        )

    seats = range(game.players)
    return MatchResult(
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


def _adjusted(
    shares: list[float],
    brought: list[float],
    deals: Sequence[Sequence[GameResult]],
    places: Callable[[GameResult], int],
) -> Adjusted:
    """Results of deals with the luck taken out, of whoever had these places: the player's own and that of all
    others."""
    import numpy as np

    from parlour.study.kernels.luck import KINDS
    from parlour.study.reduction import without_luck

    lucky = np.array([[result.luck for result in deal] for deal in deals])
    seats = np.array([[places(result) for result in deal] for deal in deals])
    own = np.take_along_axis(lucky, seats[:, :, None, None], axis=2)[:, :, 0]
    controls = np.concatenate([own, lucky.sum(axis=2) - own], axis=2).mean(axis=1)
    figures = []
    for figure, results in enumerate((shares, brought)):
        believed = np.zeros(controls.shape[1])
        believed[KINDS * figure : KINDS * (figure + 1)] = 1.0
        figures.append(without_luck(np.array(results), controls, believed))
    share, returns = (mean_estimate(figure.tolist()) for figure in figures)
    left, before = figures[0].var(), np.var(shares)
    games = sum(map(len, deals))
    return Adjusted(share, returns, games * float(before / left) if left else math.inf)


def names_of(game: Game, given: Sequence[Any]) -> list[str]:
    """Return the players' names in a match: their kinds, numbered where a kind occurs again.

    >>> import parlour
    >>> names_of(parlour.load("kuhn"), ["random", "random"])
    ['random', 'random 2']
    """
    kinds = [str(kind) if isinstance(kind, str | Kind) else make(kind, game).name for kind in given]
    before = [kinds[:k].count(kind) for k, kind in enumerate(kinds)]
    return [f"{kind} {n + 1}" if n else kind for kind, n in zip(kinds, before, strict=True)]


def as_data(match: MatchResult) -> dict[str, Any]:
    """Return a match as JSON-able data; an unknown interval is ``null``."""

    def standing(s: Standing) -> dict[str, Any]:
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
