"""The same games in other libraries, for the bench: Kuhn and Leduc poker and Hearts, driven as their users drive them.

Each library is optional (``make bench-peers`` installs them).  What it is driven by plays random games for
about ``n`` decisions and returns how many it made.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module, metadata
from typing import Any

from parlour import Game
from parlour.study.bench.tasks import Task, Work, agents_in_turn, solves, spiel_clones, spiel_exploited, spiel_in_turn

BATCH = 1024


@dataclass(frozen=True, slots=True)
class Peer:
    """A library that has some of our games: ``how`` says in words what is measured, ``mode`` which of our modes is
    closest to it, ``games`` what it calls the games, ``more`` what else is measured, by mode."""

    name: str
    package: str
    module: str
    mode: str
    how: str
    games: dict[str, str]
    driver: Callable[[str], Work]
    more: Mapping[str, Callable[[str], Work]] = field(default_factory=dict)

    def version(self) -> str | None:
        """Return the version that is installed, or ``None`` if the library cannot be imported."""
        try:
            import_module(self.module)
            return metadata.version(self.package)
        except (ImportError, metadata.PackageNotFoundError):
            return None


def open_spiel(name: str, with_states: bool = False) -> Work:
    """``pyspiel``: one state after another from Python; whatever chance may bring is drawn equally often."""
    import pyspiel

    return spiel_in_turn(pyspiel.load_game(name), with_states)


def open_spiel_clones(name: str) -> Work:
    """Clones of the first state in which a player is asked."""
    import pyspiel

    return spiel_clones(pyspiel.load_game(name))


def open_spiel_exploited(name: str) -> Work:
    """Its ``exploitability``, called from Python, of random play."""
    import pyspiel

    return spiel_exploited(pyspiel.load_game(name))


def open_spiel_solver(name: str) -> Work:
    """The CFR+ of ``pyspiel``, in C++: a fixed number of iterations, both players in turn."""
    import pyspiel

    solver = pyspiel.CFRPlusSolver(pyspiel.load_game(name))

    def solve(iterations: int) -> int:
        for _ in range(iterations):
            solver.evaluate_and_update_policy()
        return iterations

    return solve


def open_spiel_python(name: str, with_states: bool = False) -> Work:
    """A driver for a game of OpenSpiel that is written in Python, which registers itself when it is imported."""
    import_module(f"open_spiel.python.games.{name.removeprefix('python_')}")
    return open_spiel(name, with_states)


def pgx(name: str) -> Work:
    """``pgx`` on the processor: 1,024 games vectorised and compiled, observations made, finished games restarted,
    random legal actions; many steps in one compiled loop, which is how it is fastest.  One thread, if JAX has not been
    loaded before."""
    one_thread = " --xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
    os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + one_thread
    import jax
    import jax.numpy as jnp
    import pgx as library
    from pgx.experimental import auto_reset

    env: Any = library.make(name)
    start, step = jax.vmap(env.init), jax.vmap(auto_reset(env.step, env.init))
    steps = 100

    def one(carry: Any, _: Any) -> Any:
        state, key = carry
        key, chance, choice = jax.random.split(key, 3)
        logits = jnp.where(state.legal_action_mask, 0.0, -jnp.inf)
        action = jax.random.categorical(choice, logits, axis=-1)
        state = step(state, action, jax.random.split(chance, BATCH))
        return (state, key), jnp.sum(state.observation)  # otherwise it would not be computed

    many = jax.jit(lambda carry: jax.lax.scan(one, carry, None, length=steps))
    carry: Any = (jax.jit(start)(jax.random.split(jax.random.PRNGKey(0), BATCH)), jax.random.PRNGKey(1))

    def play(decisions: int) -> int:
        nonlocal carry
        rounds = max(1, decisions // (BATCH * steps))
        for _ in range(rounds):
            carry, seen = many(carry)
            jax.block_until_ready(seen)
        return rounds * BATCH * steps

    return play


def rlcard(name: str) -> Work:
    """``rlcard``: one environment stepped from Python, which makes the mover's observation."""
    import rlcard as library

    env, choose = library.make(name, config={"seed": 0}), random.Random(0)

    def play(decisions: int) -> int:
        done = 0
        while done < decisions:
            state, _ = env.reset()
            while not env.is_over():
                legal = list(state["legal_actions"])
                state, _ = env.step(legal[int(choose.random() * len(legal))])
                done += 1
            env.get_payoffs()
        return done

    return play


def pettingzoo(name: str) -> Work:
    """``pettingzoo``: one environment stepped from Python (``last``, ``step``)."""
    import pettingzoo as library

    return agents_in_turn(library.make("aec", name))


PEERS = (
    Peer(
        "open_spiel", "open_spiel", "pyspiel", "step", "C++, driven from Python",
        {"kuhn": "kuhn_poker", "leduc": "leduc_poker", "hearts": "hearts"}, open_spiel,
        {
            "infostate": partial(open_spiel, with_states=True),
            "clone": open_spiel_clones,
            "exploitability": open_spiel_exploited,
            "solve": open_spiel_solver,
        },
    ),
    Peer(
        "open_spiel_python", "open_spiel", "pyspiel", "openspiel", "its own games that are written in Python",
        {"kuhn": "python_kuhn_poker"}, open_spiel_python,
        {"infostate": partial(open_spiel_python, with_states=True)},
    ),
    Peer(
        "pgx", "pgx", "pgx", "batch_tensor", "JAX on the processor, 1,024 games at a time, observations made",
        {"kuhn": "kuhn_poker", "leduc": "leduc_holdem"}, pgx,
    ),
    Peer(
        "rlcard", "rlcard", "rlcard", "step", "Python, observations made",
        {"leduc": "leduc-holdem"}, rlcard,
    ),
    Peer(
        "pettingzoo", "pettingzoo", "pettingzoo.classic.rlcard_envs.leduc_holdem", "step",
        "Python (over RLCard), observations made", {"leduc": "classic/leduc_holdem-v4"}, pettingzoo,
    ),
)  # fmt: skip
"""All peers, in the order of the table."""


def tasks_of_peers(game: Game) -> Iterable[Task]:
    """What is measured of the peers that have the game and are installed."""
    for peer in PEERS:
        if game.id in peer.games and peer.version() is not None:
            name = peer.games[game.id]
            yield Task(peer.mode, peer.name, 1, partial(peer.driver, name))
            for mode, driver in peer.more.items():
                yield Task(mode, peer.name, 1, partial(_more, game, mode, driver, name))


WHOLE = ("solve", "exploitability")
"""Modes that go through a whole tree."""


def _more(game: Game, mode: str, driver: Callable[[str], Work], name: str) -> Work | None:
    """Whole trees are only those of games that are small enough for ours."""
    return driver(name) if mode not in WHOLE or solves(game) else None
