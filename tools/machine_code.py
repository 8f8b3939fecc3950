"""Make the libraries that the tests load before they run: set-up, once for each change of rules or kernels, for every
clone on this machine.

Each game has one library of all kernels, as in the wheels.  What cannot be made is left to the test that wants it.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import sys
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor

import parlour
from parlour.base.errors import ParlourError
from parlour.engine.c.building import library
from parlour.engine.definition import definition
from parlour.engine.kernel import Kernel, KernelLibrary, every_kernel
from parlour.games.diamondback import solving
from parlour.games.diamonds import endings
from parlour.games.dividha import odds
from parlour.solve.kernels import regrets
from tests.helpers import GAMES

OWN: Mapping[str, tuple[Kernel, ...]] = {"diamonds": (endings.KERNEL,), "dividha": (odds.KERNEL,)}
"""Kernels of one game."""
ALONE = (regrets.KERNEL, solving.KERNEL)
"""Kernels that know no game."""
NO_GAME = "no game"
DEAREST = ("dividha", "pope_joan", "diamondback", "diamonds", "diabolo", "newmarket", "matrimony", "commit")
"""Games whose libraries take longest to make: they come first."""


def groups(name: str) -> Iterator[KernelLibrary]:
    """What is compiled for a game."""
    if name != NO_GAME:
        yield every_kernel()
    yield from (kernel.group for kernel in (ALONE if name == NO_GAME else OWN.get(name, ())))


def make(name: str) -> str:
    """Make the libraries of a game; what went wrong, if something did."""
    parlour.register("sampler")
    try:
        for group in groups(name):
            library(None if name == NO_GAME else definition(name), group)
    except ParlourError as error:
        return f"{name}: {error}"
    return ""


if __name__ == "__main__":
    said = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    said.add_argument("games", nargs="*", metavar="game", help="all of them if none is given")
    names = said.parse_args().games or [*GAMES, NO_GAME]
    names = sorted(names, key=lambda name: DEAREST.index(name) if name in DEAREST else len(DEAREST))
    with ProcessPoolExecutor(os.cpu_count() or 1, multiprocessing.get_context("spawn")) as pool:
        for failed in pool.map(make, names):
            print(failed, end="\n" * bool(failed), file=sys.stderr)
