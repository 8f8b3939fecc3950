"""A run of the bench: the tasks of a game are measured in turns."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from parlour.study.bench.machine import machine
from parlour.study.bench.modes import MODES, SIMULATIONS, STARTS, UNCOMPILED, row
from parlour.study.bench.starts import starts
from parlour.study.bench.tasks import Task, Work, tasks_of

if TYPE_CHECKING:
    from parlour.core.game import Game


@dataclass(frozen=True, slots=True)
class BenchEffort:
    """How long to measure: ``repetitions`` in turns, of ``seconds`` each, and how many processes to start
    (``starts``)."""

    repetitions: int = 5
    seconds: float = 0.5
    starts: int = 3


QUICK = BenchEffort(3, 0.05, 1)


def run(
    games: Sequence[Game],
    effort: BenchEffort | None = None,
    say: Callable[[str], None] = lambda _: None,
    modes: Collection[str] = MODES,
    beside: Callable[[Game], Iterable[Task]] = lambda _: (),
) -> dict[str, Any]:
    """Measure these games; ``modes``: only these; ``beside``: returns further tasks for a game, to be measured in the
    same turns.

    The result is JSON-able: ``machine``, ``date``, ``rows``.  Each row has ``game``, ``mode`` (see :data:`MODES`),
    ``threads``, ``engine`` and ``decisions_per_second``, the median (``None`` where no decisions are made); also
    by mode ``simulations_per_second``, ``copies_per_second``, ``seconds`` or ``bytes``, and ``low`` and ``high`` of the
    repetitions, in what the mode counts.  ``cpu``: seconds of processor time per second and thread; if it is well below
    1, the machine was busy.  Raises ``CompilationError`` if a mode needs machine code that cannot be made.
    """
    effort = effort or BenchEffort()
    found: dict[str, Any] = {"machine": machine(), "date": datetime.now().astimezone().isoformat(timespec="seconds")}
    found["rows"] = [one for game in games for one in _rows(game, modes, beside(game), effort, say)]
    return found


def _rows(
    game: Game, modes: Collection[str], beside: Iterable[Task], effort: BenchEffort, say: Callable[[str], None]
) -> Iterable[dict[str, Any]]:
    from parlour.engine.kernels import bulk
    from parlour.engine.positions import dtype_of

    if not UNCOMPILED.issuperset(modes):
        bulk.KERNEL.compiled(game.definition).play_many  # noqa: B018 (compile now: an error must come first)
    yield from starts(game, [mode for mode in STARTS if mode in modes], effort.starts, say)
    tasks = [*tasks_of(game), *beside]
    yield from measure(game, [task for task in tasks if task.mode in modes], effort, say)
    if "memory" in modes:
        yield row(game, "memory", "parlour", 1, bytes=dtype_of(game.definition).itemsize)


def measure(game: Game, tasks: Sequence[Task], effort: BenchEffort, say: Callable[[str], None]) -> list[dict[str, Any]]:
    """Measure tasks in turns; return one row for each that can be measured."""
    say(f"{game.id}: compiling")
    ready = [(task, work) for task in tasks if (work := task.prepare())]
    sizes = [_calibrated(work, effort.seconds) for _, work in ready]
    rates: list[list[float]] = [[] for _ in ready]
    cpu: list[list[float]] = [[] for _ in ready]
    for turn in range(effort.repetitions):
        say(f"{game.id}: measuring, {turn + 1} of {effort.repetitions}")
        for (task, work), size, rate, share in zip(ready, sizes, rates, cpu, strict=True):
            start, used = time.perf_counter(), time.process_time()
            done = work(size)
            seconds = time.perf_counter() - start
            rate.append(done / seconds)
            share.append((time.process_time() - used) / seconds / task.threads)
    rows = []
    for (task, _), rate, share in zip(ready, rates, cpu, strict=True):
        median, unit = statistics.median(rate), MODES[task.mode][0]
        figures = {"decisions_per_second": median / (SIMULATIONS if task.mode == "search" else 1)}
        if unit != "decisions":
            figures[f"{unit}_per_second"] = median
        figures |= {"low": min(rate), "high": max(rate), "cpu": round(statistics.median(share), 2)}
        rows.append(row(game, task.mode, task.engine, task.threads, **figures, repetitions=effort.repetitions))
    return rows


def _calibrated(work: Work, seconds: float) -> int:
    """Return the number of units of work that take about this many seconds.  Compiling, if any, also happens here."""
    work(1)
    size = 1
    while True:
        start = time.perf_counter()
        done = work(size)
        took = time.perf_counter() - start
        if took > seconds / 4:
            return max(1, int(done * seconds / took))
        size = max(2 * size, 2 * done)
