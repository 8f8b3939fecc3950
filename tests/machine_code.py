"""Make the machine code that ``make test`` calls before the tests run: set-up, once for each change of rules or
engine.

Every driver is called as tests call it, game by game, one in each process.  What is missing here, or cannot be made, is
left to the test that wants it.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import numpy as np

import parlour
from hand_for_two import Betting
from helpers import COMPILED, GAMES, plain
from parlour.engine.definition import definition
from parlour.engine.odds import odds
from parlour.engine.tensors import tensor_size
from parlour.errors import ParlourError
from parlour.players.best import Best
from parlour.players.search import Search
from parlour.shelf.diamondback.solving import make_code
from parlour.solve.form import grow
from parlour.solve.sampler import Sampler
from parlour.study import arena, surveying, values

DEAREST = ("dividha", "pope_joan", "diamondback", "diamonds", "diabolo", "newmarket", "matrimony", "commit")
"""Games whose code takes longest to make: they come first."""

SURVEYED = ("commit", "diamondback", "diamonds", "newmarket")
"""Games between rules of thumb in these are counted."""

SIX: dict[str, Any] = {"first_dealer": 0, "deals": 1, "start_coins": 4, "wager_limit": 2, "max_second_wagers": 2}


def bulk(game: Any) -> None:
    """In every way that ``test_parity`` compiles it."""
    from test_parity import SOME_WAYS, Budget, compare, other_way, redealt  # once the sampler is known

    for way, name in SOME_WAYS:
        if name == game.id:
            other_way(way, name)
    compare(plain(game.id)[0], Budget(deals=2, steps=200, remembered=20, tensors=3))
    redealt(game, 1)


def batches(game: Any) -> None:
    """With and without what a batch may keep, on one thread and on several."""
    state = game.new(seed=1)
    for kept in ({"keys": True, "last": True}, {"keys": True}, {"last": True}, {}):
        batch = game.batch(3, seed=1, threads=1 if kept else 2, **kept)
        batch.step(batch.sample())
        batch.observe(0)
        assert batch.mask.any()
        batch.put(1, state)


def states(game: Any) -> None:
    state = game.new(seed=1, binding="compiled")
    while not state.is_terminal:
        player = state.acting[0]
        state.tensor(player)
        state.apply(state.legal_actions(player)[0], player)
    state.returns()
    game.new(binding="compiled")._outcomes()


def searching(game: Any) -> None:
    Search(game, simulations=10, binding="compiled").warm_up()


def rollouts(game: Any) -> None:
    Best(game, simulations=10, binding="compiled").warm_up()


def solving(game: Any) -> None:
    small = SIX if game.id == "diamondback" else {}
    what = parlour.load(game.id, 2, **small)
    for vectors in (False, True):
        grow(what, vectors=vectors, positions=True)
    if game.id == "diamondback":
        make_code()
        Betting(20, 1, doubled=True).run(1.0)
    else:
        sampler = Sampler(what, seed=1)
        sampler.run(iterations=10)
        sampler.estimate(10)


def matches(game: Any) -> None:
    arena.contest(game, ["random"] * game.players, 1, range(1))
    surveying.way(game, "random")


def thinking(game: Any) -> None:
    arena.contest(game, ["search:10"] * game.players, 1, range(1))


def surveys(game: Any) -> None:
    surveying.way(game, "rule-of-thumb")


def lucky(game: Any) -> None:
    net = values.Values(tensor_size(game.definition), 8, values.tensors(game), 1.0, blank_layers(game))
    played = arena.contest(game, ["random"] * game.players, 1, range(1), with_steps=True)
    values.luck(game, net, played, [True] * game.players)
    values.portraits(game, played, 1, 1)


def blank_layers(game: Any) -> tuple[Any, ...]:
    inputs = tensor_size(game.definition) * values.tensors(game)
    return tuple(np.zeros(shape, np.float32) for shape in ((inputs, 8), 8, (8, 8), 8, (8, 2), 2))


def known_cards(game: Any) -> None:
    state = game.new(seed=1)
    odds(state.view(0))


def drivers(name: str) -> Iterator[Callable[[Any], None]]:
    yield bulk
    if name in COMPILED:
        yield from (batches, states, lucky, thinking)
    if name in (*COMPILED, "commit", "dividha", "newmarket"):
        yield searching
    if definition(name).has("appraise"):
        yield rollouts
    if name in ("kuhn", "leduc", "diamondback"):
        yield solving
    if name == "dividha":
        yield known_cards
    if name in ("diamonds", "leduc"):
        yield matches
    if name in SURVEYED:
        yield surveys


def make(name: str) -> list[str]:
    parlour.register("sampler")
    game, failed = plain(name)[0].load(), []
    for driver in drivers(name):
        try:
            driver(game)
        except (ParlourError, AssertionError) as error:
            failed.append(f"{name}: {driver.__name__}: {(str(error).splitlines() or ['failed'])[0]}")
    return failed


if __name__ == "__main__":
    said = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    said.add_argument("games", nargs="*", metavar="game", help="all of them if none is given")
    np.seterr(all="ignore")
    names = said.parse_args().games or GAMES
    names = sorted(names, key=lambda name: DEAREST.index(name) if name in DEAREST else len(DEAREST))
    with ProcessPoolExecutor(os.cpu_count() or 1, multiprocessing.get_context("spawn")) as pool:
        for failed in pool.map(make, names):
            print(*failed, sep="\n", end="\n" * bool(failed), file=sys.stderr)
