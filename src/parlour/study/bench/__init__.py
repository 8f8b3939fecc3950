"""How fast it is, in one run on one machine, beside other libraries.

Machines are noisy and differ, so everything about a game is measured in turns (A B C A B C …), figures are medians, and
only ratios within one run may be compared.  ``docs/bench.md`` is made from the JSON of a run::

    parlour bench --peers --json > docs/bench.json
    python -m parlour.study.bench docs/bench.json > docs/bench.md

``measuring.py``: a run, in turns.  ``tasks.py``: what is measured.  ``starts.py``: new processes.  ``report.py``: the
tables.
"""

from __future__ import annotations

from parlour.study.bench.measuring import QUICK, BenchEffort, measure, run
from parlour.study.bench.modes import MODES, RATES
from parlour.study.bench.report import busy, hardware, lines, markdown, missing
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
    "markdown",
    "measure",
    "missing",
    "run",
]
