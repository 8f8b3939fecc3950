"""The tasks that the bench measures, written as users would write them."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, TypeAlias

from parlour.study.bench.modes import BATCH, LARGE, SIMULATIONS
from parlour.study.gpu import Gpu, device_name

if TYPE_CHECKING:
    from parlour.core.compiled_state import CompiledState
    from parlour.core.game import Game, State


Work: TypeAlias = Callable[[int], int]
"""A function that does about this many units of a mode's work, and returns how many it did."""


@dataclass(frozen=True, slots=True)
class Task:
    """A task to measure: ``prepare`` returns the work, or ``None`` if there is nothing to measure."""

    mode: str
    engine: str
    threads: int
    prepare: Callable[[], Work | None]


def tasks_of(game: Game) -> Iterable[Task]:
    """The tasks that measure Parlour itself."""
    cores = os.cpu_count() or 1

    def own(mode: str, prepare: Callable[..., Work | None], *given: Any, threads: int = 1) -> Task:
        return Task(mode, "parlour", threads, partial(prepare, *given))

    for threads in dict.fromkeys((1, cores)):
        yield own("bulk", _bulk, game, threads, threads=threads)
    if device_name():
        yield own("bulk_gpu", _bulk_gpu, game)
    for mode, sizes in (("batch_tensor", (BATCH, BATCH * cores)), ("batch_large", (LARGE, LARGE))):
        for threads, size in dict(zip((1, cores), sizes, strict=True)).items():
            yield own(mode, _batch, game, size, threads, threads=threads)
    yield own("keys", _keys, game)
    yield own("interpreted", _interpreted, game)
    step = _step_any if game.definition.has("acting") else _step
    for mode, of in (("step", step), ("clone", _clone)):
        yield own(mode, of, game.new)
        yield own(f"{mode}_compiled", _in_machine_code, of, game)
    if find_spec("gymnasium"):
        yield own("vector", _vector, game)
        yield own("one_seat", _one_seat, game)
        yield own("gymnasium", _gymnasium, game)
    if find_spec("pyspiel"):
        yield own("openspiel", _open_spiel, game, False)
        yield own("infostate", _open_spiel, game, True)
        yield own("clone_openspiel", lambda: spiel_clones(_registered(game)))
        yield own("clone_tree", _if_small, spiel_clones, _tree, game)
        yield own("exploitability", _if_small, spiel_exploited, _registered, game)
        yield own("exploitability_tree", _if_small, spiel_exploited, _tree, game)
    if find_spec("pettingzoo"):
        yield own("pettingzoo", _pettingzoo, game)
    yield own("search", _search, game)
    yield own("solve", _solve, game)


def _length(game: Game) -> float:
    """Return roughly how many decisions a game takes with random players."""
    from parlour.study.simulate import simulate

    return simulate(game, 1000, threads=1).length.mean.mean


def _bulk(game: Game, threads: int) -> Work:
    import numpy as np

    from parlour.core.batch import start_records
    from parlour.engine.kernels import bulk

    length, play = _length(game), bulk.KERNEL.compiled(game.definition).play_many
    pool, first = ThreadPoolExecutor(threads), 0

    def share(seed: int, games: int) -> int:
        acts, rng = np.zeros(game.action_count, np.int16), np.zeros(8, np.uint64)
        out, totals = np.zeros(game.players), np.zeros(game.players)
        return int(play(start_records(game), acts, rng, out, np.uint64(seed), games, totals))

    def work(n: int) -> int:
        nonlocal first
        games = max(1, int(n / length / threads))
        seeds = range(first, first + games * threads, games)
        first += games * threads
        return sum(pool.map(share, seeds, [games] * threads)) if threads > 1 else share(seeds[0], games)

    return work


def _bulk_gpu(game: Game) -> Work:
    length, device, first = _length(game), Gpu(game), 0
    device.__enter__()  # stays open until this process ends

    def work(n: int) -> int:
        nonlocal first
        games = max(1, int(n / length))
        first += games
        return int(device.play(games, first - games).decisions.sum())

    return work


def _batch(game: Game, size: int, threads: int) -> Work:
    batch = game.batch(size, threads=threads)

    def work(n: int) -> int:
        steps = max(1, n // batch.size)
        for _ in range(steps):
            batch.step(batch.sample())
        return steps * batch.size

    return work


def _vector(game: Game, **seat: Any) -> Work:
    from parlour.adapters import gymnasium

    envs = gymnasium.vector(game, BATCH, copy=False, **seat)
    envs.reset(seed=0)

    def work(n: int) -> int:
        steps = max(1, n // envs.num_envs)
        for _ in range(steps):
            envs.step(envs.batch.sample())
        return int(steps * envs.num_envs)

    return work


def _one_seat(game: Game) -> Work:
    return _vector(game, seat=0, rivals="random")


def _open_spiel(game: Game, with_states: bool) -> Work:
    return spiel_in_turn(_registered(game), with_states)


def _if_small(driven: Callable[[Any], Work], made: Callable[[Game], Any], game: Game) -> Work | None:
    return driven(made(game)) if solves(game) else None


def _registered(game: Game) -> Any:
    """The game as OpenSpiel loads it by name."""
    import pyspiel

    from parlour.adapters import openspiel

    openspiel.register()
    return pyspiel.load_game(openspiel.spelt(game))


def _tree(game: Game) -> Any:
    from parlour.adapters import openspiel

    return openspiel.tree(game)


def _pettingzoo(game: Game) -> Work:
    from parlour.adapters import pettingzoo

    return agents_in_turn(pettingzoo.aec(game))


def spiel_in_turn(game: Any, with_states: bool = False) -> Work:
    """The work of stepping an OpenSpiel game, one state after another; all outcomes of chance are drawn equally often.
    ``with_states``: each player to act also gets their information state."""
    choose = random.Random(0)

    def work(decisions: int) -> int:
        done = 0
        while done < decisions:
            state = game.new_initial_state()
            while not state.is_terminal():
                if state.is_chance_node():
                    outcomes = state.chance_outcomes()
                    state.apply_action(
                        outcomes[int(choose.random() * len(outcomes))][0]
                    )  # every outcome is equally likely here, whatever its real odds
                else:
                    if with_states:
                        state.information_state_tensor()
                    legal = state.legal_actions()
                    state.apply_action(legal[int(choose.random() * len(legal))])
                    done += 1
            state.returns()
        return done

    return work


def spiel_clones(game: Any) -> Work:
    """The work of copying the first state of an OpenSpiel game in which a player is asked."""
    state, choose = game.new_initial_state(), random.Random(1)
    while state.is_chance_node():  # cards drawn for the deal may tie, and the same ones would for ever
        state.apply_action(choose.choice(state.legal_actions()))

    def work(copies: int) -> int:
        for _ in range(copies):
            state.clone()
        return copies

    return work


def spiel_exploited(game: Any) -> Work:
    """The work of OpenSpiel's own ``exploitability``, of random play."""
    from open_spiel.python.algorithms.exploitability import exploitability
    from open_spiel.python.policy import UniformRandomPolicy

    even = UniformRandomPolicy(game)

    def work(evaluations: int) -> int:
        for _ in range(evaluations):
            exploitability(game, even)
        return evaluations

    return work


def agents_in_turn(env: Any) -> Work:
    """The work of stepping a PettingZoo environment in which one agent acts at a time."""
    choose = random.Random(0)
    env.reset(seed=0)

    def work(decisions: int) -> int:
        done = 0
        while done < decisions:
            env.reset()  # no seed: a seed makes it rebuild everything
            for _ in env.agent_iter():
                observation, _, ended, cut, _ = env.last()
                if ended or cut:
                    env.step(None)
                    continue
                legal = observation["action_mask"].nonzero()[0]
                env.step(legal[int(choose.random() * len(legal))])
                done += 1
        return done

    return work


def _gymnasium(game: Game) -> Work:
    from parlour.adapters import gymnasium

    env, choose = gymnasium.single(game), random.Random(0)

    def work(n: int) -> int:
        seen, _ = env.reset()
        for _ in range(n):
            legal = seen["action_mask"].nonzero()[0]
            seen, _, over, _, _ = env.step(legal[int(choose.random() * len(legal))])
            if over:
                seen, _ = env.reset()
        return n

    return work


def _keys(game: Game) -> Work:
    import numpy as np

    from parlour.core.batch import start_records
    from parlour.engine.kernels import keys

    length, code, records = _length(game), keys.KERNEL.compiled(game.definition), start_records(game)
    acts, rng, first = np.zeros(game.action_count, np.int16), np.zeros(8, np.uint64), 0
    memory = np.zeros((4, max(game.players, 2)), np.uint64)

    def work(n: int) -> int:
        nonlocal first
        games = max(1, int(n / length))
        first += games
        return int(
            code.play_keys(
                records, acts, rng, memory, np.uint64(first), games, np.zeros((games, game.players), np.uint64)
            )
        )

    return work


def _interpreted(game: Game) -> Work:
    from parlour.engine.interpreted import Positions
    from parlour.engine.kernels import bulk

    length, code, positions = _length(game), bulk.KERNEL.interpreted(game.definition), Positions(game.definition, 2)
    positions[0] = game.start()
    first = 0

    def work(n: int) -> int:
        nonlocal first
        games = max(1, int(n / length))
        first += games
        out, totals = [0.0] * game.players, [0.0] * game.players
        return int(code.play_many(positions, [0] * game.action_count, [0], out, first, games, totals))

    return work


def _in_machine_code(of: Callable[..., Work], game: Game) -> Work:
    from parlour.core.compiled_state import CompiledState

    return of(partial(CompiledState, game))


def _step(new: Callable[..., State | CompiledState[State]]) -> Work:
    choose, seed = random.Random(0), 0

    def work(n: int) -> int:
        nonlocal seed
        done = 0
        while done < n:
            seed += 1
            state = new(seed)
            while not state.is_terminal:
                legal = state.legal_actions()
                state.apply(legal[int(choose.random() * len(legal))])
                done += 1
            state.returns()
        return done

    return work


def _step_any(new: Callable[..., State | CompiledState[State]]) -> Work:
    """Step a game in which several may choose at once."""
    choose, seed = random.Random(0), 0

    def work(n: int) -> int:
        nonlocal seed
        done = 0
        while done < n:
            seed += 1
            state = new(seed=seed)
            while not state.is_terminal:
                for player in state.acting:
                    legal = state.legal_actions(player)
                    state.apply(legal[int(choose.random() * len(legal))], player)
                    done += 1
            state.returns()
        return done

    return work


def _clone(new: Callable[..., State | CompiledState[State]]) -> Work:
    state = new(seed=1)

    def work(n: int) -> int:
        for _ in range(n):
            state.clone()
        return n

    return work


def _search(game: Game) -> Work:
    from parlour.players.search import Search

    state = game.new(seed=1)
    view, legal = state.view(state.acting[0]), state.legal_actions(state.acting[0])
    player = Search(game, simulations=SIMULATIONS)
    player.warm_up()

    def work(n: int) -> int:
        decisions = max(1, n // SIMULATIONS)
        for _ in range(decisions):
            player.choose(view, legal)
        return decisions * SIMULATIONS

    return work


SMALL = 0.02
"""The most GiB for the tree of a game that is solved here."""


def solves(game: Game) -> bool:
    """Whether a game is small enough to be solved here."""
    return _solve(game) is not None


def _solve(game: Game) -> Work | None:
    from parlour.base.errors import ParlourError
    from parlour.solve.form import grow
    from parlour.solve.solver import Solver

    try:
        solver = Solver(grow(game, memory=SMALL), "cfr+", threads=1)
    except ParlourError:
        return None

    def work(n: int) -> int:
        solver.iterate(n)
        return n

    return work
