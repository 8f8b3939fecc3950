"""Make the libraries that the tests load before they run: set-up, once for each change of rules or kernels, for every
clone on this machine.

Whatever uses machine code is used for a moment, game by game.  What is missing here, or cannot be made, is left to the
test that wants it.
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
from parlour.base.errors import ParlourError
from parlour.engine.odds import odds
from parlour.engine.tensors import tensor_size
from parlour.games.diamondback.solving import make_code
from parlour.players.best import Best
from parlour.players.search import Search
from parlour.solve.form import grow
from parlour.study import arena, values
from tests.helpers import GAMES, plain

DEAREST = ("dividha", "pope_joan", "diamondback", "diamonds", "diabolo", "newmarket", "matrimony", "commit")
"""Games whose libraries take longest to make: they come first."""
SOLVED = ("kuhn", "leduc")


def searched(game: Any) -> None:
    """Searches, and all that play takes."""
    (Best if game.definition.has("appraise") else Search)(game, simulations=10, binding="compiled").warm_up()
    Search(game, simulations=10, binding="compiled").warm_up()
    batch = game.batch(2)
    batch.step(batch.sample())


def studied(game: Any) -> None:
    """The arena, and luck."""
    inputs = tensor_size(game.definition) * values.tensors(game)
    layers = tuple(np.zeros(shape, np.float32) for shape in ((inputs, 8), 8, (8, 8), 8, (8, 2), 2))
    net = values.Values(tensor_size(game.definition), 8, values.tensors(game), 1.0, layers)
    played = arena.contest(game, [arena.RANDOM] * game.players, 1, range(1), with_steps=True)
    values.luck(game, net, played, [True] * game.players)


def solved(game: Any) -> None:
    grow(game, positions=True)


def known_cards(game: Any) -> None:
    odds(game.new(seed=1).view(0))


def uses(name: str) -> Iterator[Callable[[Any], None]]:
    """What uses machine code in a game."""
    yield from (searched, studied)
    if name in SOLVED:
        yield solved
    if name == "diamondback":
        yield lambda game: make_code()
    if name == "dividha":
        yield known_cards


def make(name: str) -> list[str]:
    parlour.register("sampler")
    game, failed = plain(name)[0].load(), []
    for use in uses(name):
        try:
            use(game)
        except (ParlourError, AssertionError) as error:
            failed.append(f"{name}: {use.__name__}: {(str(error).splitlines() or ['failed'])[0]}")
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
