"""Counterfactual regret minimisation (Zinkevich, Johanson, Bowling & Piccione 2007) on the sequence form, with exact
best responses at every check."""

from __future__ import annotations

import math
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from parlour.base.errors import ParlourError, unknown
from parlour.engine.ruleset import number, whole_number
from parlour.solve.kernels import regrets
from parlour.solve.kernels.regrets import Discounts, Matrix, SequenceTree, Side
from parlour.solve.sequences import BlockMatrix

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parlour.solve.sequences import SequenceForm

__all__ = ["Check", "Solver"]

METHODS = {"cfr+": regrets.PLUS, "dcfr": regrets.DISCOUNTED, "pcfr+": regrets.PREDICTIVE}
"""Ways to keep regrets, by the names that the field uses."""
USUAL = "dcfr"
DISCOUNTS = Discounts(1.5, 0.0, 2.0)  # alpha, beta and gamma recommended by the authors of discounted CFR
PARTS = 2  # parts into which the multiplication of blocks is divided
MANY = 400_000  # with at least this many payoffs, a second thread pays
SPELL = 0.25  # seconds that compiled code may run before Ctrl-C is noticed


@dataclass(frozen=True, slots=True)
class Check:
    """The result of a check after ``iterations``, which took ``seconds``.  The value of the game to player 0, in the
    game's own unit, lies between ``lower``, the least that player 0's average strategy gets against any opponent, and
    ``upper``, the most that any opponent gets against player 1's average strategy.  Both come from exact best
    responses.

    >>> Check(iterations=100, seconds=0.1, lower=-0.0625, upper=-0.046875).exploitability
    0.0078125
    """

    iterations: int
    seconds: float
    lower: float
    upper: float

    @property
    def exploitability(self) -> float:
        """What a best response to the average strategies wins beyond the value, in the game's own unit, on average over
        both seats: half the width of the bracket."""
        return (self.upper - self.lower) / 2


def must_be_limits(iterations: int | None, seconds: float | None, target: float = 0.0) -> None:
    """Raise ``ParlourError`` for limits that no run can keep, or that let it go on for ever."""
    if not target and iterations is None and seconds is None:
        raise ParlourError(
            "This never ends by itself: give --iterations or --seconds (or a --target above 0, unless it is sampled)."
        )
    if iterations is not None and whole_number(iterations, "a number of iterations") < 0:
        raise ParlourError("A number of iterations is 0 or more, not {iterations}.", iterations=iterations)
    if seconds is not None and not number(seconds, "a number of seconds") >= 0:
        raise ParlourError("A number of seconds is 0 or more, not {seconds}.", seconds=seconds)


@contextmanager
def _ctrl_c_waits() -> Iterator[list[int]]:
    """Delay Ctrl-C until the present work is complete.  The block must look at the list, and stop when it is not empty.
    Otherwise half an iteration would be lost; and an exception that is raised at a random place may be ignored, for
    example while an object is being freed."""
    came: list[int] = []
    if threading.current_thread() is not threading.main_thread() or signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        yield came  # signals never reach this thread, or are ignored, as for a shell's background jobs
        return
    before = signal.signal(signal.SIGINT, lambda number, frame: came.append(number))
    try:
        yield came
    finally:
        signal.signal(signal.SIGINT, before or signal.SIG_DFL)
    if came:
        signal.raise_signal(signal.SIGINT)


class Solver:
    """Approaches an equilibrium of a sequence form, one iteration (both players in turn) after another.

    ``method``: ``cfr+`` (regret matching plus, averages weighted by the iteration: Tammelin 2014), ``dcfr``
    (discounted: positive regrets by t^1.5, negative ones by a half, averages by t^2: Brown & Sandholm 2019) or
    ``pcfr+`` (predictive, averages weighted by t^2: Farina, Kroer & Sandholm 2021).  ``threads``: by default as many as
    there are cores, if they pay.  The result depends on neither threads nor clock.  ``seconds``: the time that all
    iterations so far took.

    A ``plan`` (``plans``: one of each player) is a realisation plan: float64, shape (sequences of that player,).

    >>> import parlour
    >>> from parlour.solve.form import grow
    >>> check = Solver(grow(parlour.load("kuhn"))).run(target=1e-4)
    >>> check.exploitability < 1e-4, check.lower < -1 / 18 < check.upper
    (True, True)
    """

    def __init__(self, form: SequenceForm, method: str = USUAL, threads: int | None = None) -> None:
        if method not in METHODS:
            raise unknown("method", method, METHODS)
        if threads is not None and threads < 1:
            raise ParlourError("At least one thread is needed, not {threads}.", threads=threads)
        self.form, self.method, self._code = form, method, regrets.KERNEL.functions
        self.iterations = 0
        self.seconds = 0.0
        self.checks: list[Check] = []
        wanted = (os.cpu_count() or 1) if threads is None else threads
        blocks = form.payoffs if isinstance(form.payoffs, BlockMatrix) else None
        size = len(form.rows[1]) if blocks is None else blocks.cells
        self.threads = wanted if size >= MANY else 1
        self._pool = ThreadPoolExecutor(self.threads) if self.threads > 1 else None
        self._blocks, self._payoffs = blocks, () if blocks is not None else (Matrix(*form.rows), Matrix(*form.columns))
        self._trees = [SequenceTree(tree.first, tree.count, tree.parent) for tree in form.players]
        self._gains = [np.zeros(tree.sequences) for tree in form.players]
        self._choices = [np.zeros(tree.sets, np.int64) for tree in form.players]
        self._shares = [self._cut(payoffs.start) for payoffs in self._payoffs]
        if blocks is not None:
            # whatever the number of threads: sums in the same parts give the same result
            parts = PARTS if size >= MANY else 1
            self._parts = [[np.zeros(tree.sequences) for _ in range(parts)] for tree in form.players]
            widest = int(blocks.table[:, 2].max(initial=1))
            self._near = [np.zeros(widest) for _ in range(parts)]
            self._cuts = np.linspace(0, len(blocks.table), parts + 1).astype(int).tolist()
        self.sides = []
        for tree in form.players:
            chances = np.ones(tree.sequences)
            chances[1:] = np.repeat(1 / np.maximum(tree.count, 1), tree.count)
            size = tree.sequences
            self.sides.append(Side(chances, np.zeros(size), tree.plan(chances), np.zeros(size)))

    def _cut(self, start: NDArray[np.int64]) -> list[tuple[int, int]]:
        """Divide the rows into shares with about the same number of payoffs, one for each thread."""
        wanted = np.linspace(0, start[-1], self.threads + 1)[1:-1]
        cuts = [0, *np.searchsorted(start[1:], wanted).tolist(), len(start) - 1]
        return list(pairwise(cuts))

    # ------------------------------------------------------------------ best responses

    def average(self, player: int) -> NDArray[np.float64]:
        """The average realisation plan so far: float64, shape (sequences,)."""
        sums = self.sides[player].sums
        found: NDArray[np.float64] = sums / sums[0] if sums[0] else self.sides[player].plan.copy()
        return found

    def gains(self, player: int, plan: NDArray[np.float64]) -> NDArray[np.float64]:
        """What each sequence of ``player`` brings against the other's ``plan``, in the game's own unit: float64,
        shape (sequences,).  The next call overwrites it."""
        if self._blocks is not None:
            return self._gains_of_blocks(player, plan)
        out, payoffs = self._gains[player], self._payoffs[player]
        if self._pool is None:
            self._code.multiply(payoffs, plan, 0, len(out), out)
        else:
            list(self._pool.map(lambda cut: self._code.multiply(payoffs, plan, *cut, out), self._shares[player]))
        return out

    def _gains_of_blocks(self, player: int, plan: NDArray[np.float64]) -> NDArray[np.float64]:
        assert self._blocks is not None
        blocks, parts = self._blocks, self._parts[player]

        def multiply(k: int) -> None:
            given = blocks.table, blocks.index, blocks.values
            self._code.multiply_blocks(*given, player, plan, self._cuts[k], self._cuts[k + 1], self._near[k], parts[k])

        list((self._pool.map if self._pool else map)(multiply, range(len(parts))))
        for other in parts[1:]:
            parts[0] += other
        return parts[0]

    def best_response(self, player: int, plan: NDArray[np.float64]) -> tuple[float, NDArray[np.int64]]:
        """Return the most that ``player`` can win from an opponent with this plan, in the game's own unit (if returns
        add up to a constant, player 1's return is counted from it), and the best action in each set, as an index of the
        set's actions (int64, shape (sets,))."""
        gains = self.gains(player, plan)
        best = self._code.best_response(self._trees[player], gains, self._choices[player])
        return float(best), self._choices[player].copy()

    def bracket(self, plans: tuple[NDArray[np.float64], NDArray[np.float64]]) -> tuple[float, float]:
        """What player 0 gets at least with the first plan, and at most against the second, in the game's own unit."""
        return -self.best_response(1, plans[0])[0], self.best_response(0, plans[1])[0]

    def check(self) -> Check:
        """Compute best responses to the average strategies."""
        lower, upper = self.bracket((self.average(0), self.average(1)))
        found = Check(self.iterations, self.seconds, lower, upper)
        self.checks.append(found)
        return found

    # ------------------------------------------------------------------ iterations

    def iterate(self, times: int) -> None:
        """Do this many (``times``) iterations more."""
        mode = METHODS[self.method]
        begun = time.perf_counter()
        if self._pool is None and self._blocks is None:
            given = *self._payoffs, *self._trees, *self.sides, *self._gains
            self._code.iterate(*given, mode, self.iterations, times, DISCOUNTS)
        else:
            for t in range(self.iterations + 1, self.iterations + times + 1):
                factors = regrets.factors(mode, t, DISCOUNTS)
                for p in range(2):
                    gains = self.gains(p, self.sides[1 - p].plan)
                    self._code.improve(self._trees[p], gains, self.sides[p], mode, *factors)
        self.iterations += times
        self.seconds += time.perf_counter() - begun

    def run(
        self,
        *,
        target: float = 1e-3,
        iterations: int | None = None,
        seconds: float | None = None,
        progress: Callable[[Check], None] = lambda check: None,
    ) -> Check:
        """Iterate until a check finds an exploitability of at most ``target`` (0 or more, in the game's own unit), or
        for this many ``iterations`` or ``seconds`` in all; returns the last check.  The intervals between checks grow,
        so that they take little of the time.

        ``KeyboardInterrupt`` leaves everything as it was after the last iteration, so you can call ``check`` or go on.
        Raises ``ParlourError`` for numbers below 0, and for a target of 0 alone."""
        if not (0 <= target < math.inf):
            raise ParlourError("The target is an exploitability of 0 or more, not {target:g}.", target=target)
        must_be_limits(iterations, seconds, target)
        last = self.checks[-1] if self.checks else None
        with _ctrl_c_waits() as came:
            while not came and (last is None or last.exploitability > target):
                if iterations is not None and self.iterations >= iterations:
                    break
                if seconds is not None and self.seconds >= seconds:
                    break
                until = max(self.iterations + 5, self.iterations * 5 // 4)
                self._iterate_until(until if iterations is None else min(until, iterations), seconds, came)
                if not came:
                    last = self.check()
                    progress(last)
        return last or self.check()

    def _iterate_until(self, until: int, seconds: float | None, came: Sequence[int]) -> None:
        """Iterate in spells that are short enough to notice Ctrl-C and to watch the clock."""
        spell = 1
        while not came and self.iterations < until and (seconds is None or self.seconds < seconds):
            before = self.seconds
            self.iterate(min(spell, until - self.iterations))
            if self.seconds - before < SPELL / 4:
                spell *= 2

    # ------------------------------------------------------------------ saving and resuming

    def _state(self) -> dict[str, NDArray[np.float64]]:
        """The state from which :meth:`_restore` goes on."""
        return {f"{name}{p}": getattr(self.sides[p], name) for p in range(2) for name in ("regrets", "sums", "chances")}

    def _restore(self, state: dict[str, Any], iterations: int, seconds: float) -> None:
        """Go on where another solver of the same form and method stopped. Raises ``ParlourError`` if they are of
        another form."""
        for p, side in enumerate(self.sides):
            for name in ("regrets", "sums", "chances"):
                if state[f"{name}{p}"].shape != side.sums.shape:
                    raise ParlourError("The saved file does not fit this game: its information sets are different.")
                getattr(side, name)[:] = state[f"{name}{p}"]
            side.plan[:] = self.form.players[p].plan(side.chances)
        self.iterations, self.seconds = iterations, seconds
