"""Benchmarks of speed, in one run on one machine.

Machines differ and are noisy, so the tasks of a game are measured in turns (A B C A B C …), figures are medians, and
only ratios within one run can be compared.  ``tools/peers`` measures other libraries in the same turns and makes
``docs/bench.md``.

``measuring.py``: a run, in turns.  ``tasks.py``: what is measured.  ``starts.py``: new processes.  ``report.py``: the
tables.
"""

from __future__ import annotations

from parlour.study.bench.measuring import QUICK, BenchEffort, measure, run
from parlour.study.bench.modes import MODES, RATES
from parlour.study.bench.report import busy, hardware, lines
from parlour.study.bench.tasks import Task

__all__ = [
    "MODES",
    "QUICK",
    "RATES",
    "BenchEffort",
    "Task",
    "busy",
    "hardware",
    "lines",
    "measure",
    "run",
]
