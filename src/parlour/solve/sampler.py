"""Strategies for games whose trees are too large: external sampling, and estimates of the result."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from parlour.base.errors import ParlourError
from parlour.core.game import Game, loaded
from parlour.engine.hashing import seed_word
from parlour.engine.positions import to_record
from parlour.solve.form import MEMORY, started
from parlour.solve.kernels import sampling
from parlour.solve.solver import must_be_limits
from parlour.solve.strategy import Behaviour, Strategy

if TYPE_CHECKING:
    from numpy.typing import NDArray

DEEP = 256  # most decisions of the walking player on one path
STRIDE = 16  # iterations between looks at the clock
NORMAL = 1.96  # standard errors on each side of a 95% interval


@dataclass(frozen=True, slots=True)
class SampledValue:
    """What player 0 gets when both play the average strategy: mean and 95% interval of ``games`` deals.  It is not a
    bracket of the game's value, because a best response to such a strategy is unknown.  ``unmet``: the number
    of decisions in these deals, by either player, in information sets that no walk had reached."""

    mean: float
    low: float
    high: float
    games: int
    unmet: int


class Sampler:
    """External-sampling CFR for one deal of a game for two, without its tree.

    ``memory``: GiB that the tables may take; when they are full, all actions of a new information set are equally
    likely.  The result depends only on the seed and the number of iterations.

    >>> import parlour
    >>> sampler = Sampler(parlour.load("kuhn"), seed=1)
    >>> sampler.run(iterations=2000)
    >>> sampler.sets
    12
    """

    def __init__(self, game: Game | str, seed: int = 0, *, after: Sequence[str] = (), memory: float = MEMORY) -> None:
        game = loaded(game)
        if game.players != 2:
            raise ParlourError(
                "Solving is for two players; this is {name} for {players}.",
                name=game.definition.said_name,
                players=game.players,
            )
        self.game, self.memory, self.after = game, memory, tuple(after)
        self.iterations, self.seconds = 0, 0.0
        self.full = False
        self._code = sampling.KERNEL.compiled(game.definition)
        self._seed = np.uint64(seed_word(seed))
        n = game.action_count
        positions: Any = np.zeros(DEEP + 1, self._code.dtype)
        to_record(game.definition, started(game, after), positions[0])
        self._walk = sampling.WalkArrays(
            positions, np.zeros((DEEP + 1, 4, 2), np.uint64), np.zeros((DEEP + 1, n), np.int16), np.zeros(2),
            np.zeros(1, np.uint64), np.zeros(DEEP, np.int64), np.zeros(DEEP, np.int64), np.zeros(DEEP, np.int64),
            np.zeros((DEEP + 1, n)), np.zeros((DEEP + 1, n)),
        )  # fmt: skip
        self._tables: list[NDArray[Any]] = []
        self._lay(1 << 12)
        self._used = np.zeros(3, np.int64)

    def _lay(self, sets: int) -> None:
        """Make tables for this many information sets, and copy the old contents into them."""
        before = self._tables
        kinds = ("u8", "u8", "i1", "i8", "i4")
        new = [np.zeros(2 * sets, np.uint64), np.full(2 * sets, -1, np.int64), *(np.zeros(sets, k) for k in kinds)]
        new += [np.zeros(6 * sets, k) for k in ("i2", "f8", "f8")]
        if before:
            from parlour.solve.kernels.regrets import KERNEL

            for old, table in zip(before[2:], new[2:], strict=True):
                table[: len(old)] = old
            KERNEL.functions.put_sets(new[0], new[1], before[2][: self.sets])
        self._tables = new

    @property
    def sets(self) -> int:
        """Information sets met so far."""
        return int(self._used[sampling.MET]) if self._tables and hasattr(self, "_used") else 0

    @property
    def cut(self) -> int:
        """The number of decisions of which only one action was tried, because the walk was long or deep."""
        return int(self._used[sampling.CUT])

    def _iterate(self, times: int) -> int:
        made = int(
            self._code.sample(
                self._walk, self._seed, self.iterations, times, sampling.InformationSets(*self._tables), self._used
            )
        )
        self.iterations += made
        size = sum(table.nbytes for table in self._tables)
        if made < times or 2 * self.sets > len(self._tables[2]):
            if 3 * size <= self.memory * 2**30:
                self._lay(2 * len(self._tables[2]))
            else:
                self.full = True
        return made

    def run(
        self,
        *,
        iterations: int | None = None,
        seconds: float | None = None,
        progress: Callable[[int, int], None] = lambda iterations, sets: None,
    ) -> None:
        """Iterate up to this number of ``iterations`` in all, or for this number of ``seconds``."""
        must_be_limits(iterations, seconds)
        begun = time.perf_counter()
        while (iterations is None or self.iterations < iterations) and (
            seconds is None or time.perf_counter() - begun < seconds
        ):
            self._iterate(STRIDE if iterations is None else min(STRIDE, iterations - self.iterations))
            progress(self.iterations, self.sets)
        self.seconds += time.perf_counter() - begun

    def estimate(self, games: int = 20_000, seed: int = 1) -> SampledValue:
        """Play the average strategies against each other."""
        totals = np.zeros(3)
        tables = sampling.InformationSets(*self._tables)
        self._code.play_average(self._walk, np.uint64(seed_word(seed)), games, tables, totals)
        mean = totals[0] / games
        error = NORMAL * math.sqrt(max(totals[1] / games - mean * mean, 0.0) / games)
        return SampledValue(float(mean), float(mean - error), float(mean + error), games, int(totals[2]))

    def found(self, about: dict[str, Any]) -> Strategy:
        """The average strategy, to be saved."""
        n, sides = self.sets, []
        _, _, key, glance, player, first, count, deed, _, sums = self._tables
        for p in range(2):
            mine = np.flatnonzero(player[:n] == p)
            places = (
                np.concatenate([np.arange(first[i], first[i] + count[i]) for i in mine])
                if len(mine)
                else np.zeros(0, np.int64)
            )
            owner = np.repeat(np.arange(len(mine)), count[mine])
            totals = np.bincount(owner, sums[places], len(mine))
            known = totals > 0
            chance = np.where(
                known[owner], sums[places] / np.where(known, totals, 1)[owner], 1 / count[mine][owner]
            ).astype(np.float32)
            come = np.ones(len(mine), np.float32)
            sides.append(Behaviour(key[mine], glance[mine], come, count[mine], deed[places], chance))
        return Strategy(self.game, (sides[0], sides[1]), about)
