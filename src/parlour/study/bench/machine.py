"""The machine on which a run was measured."""

from __future__ import annotations

import functools
import os
import platform
import subprocess
from pathlib import Path
from typing import Any


def machine() -> dict[str, Any]:
    """Return what the figures were measured on, and with which versions."""
    import numpy

    from parlour import __version__
    from parlour.study.gpu import device_name

    return {
        "cpu": _cpu(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "load": [round(x, 2) for x in os.getloadavg()] if hasattr(os, "getloadavg") else None,
        "python": platform.python_version(),
        "numpy": numpy.__version__,
        **({"compiler": compiler} if (compiler := _compiler()) else {}),
        "parlour": __version__,
        **({"gpu": gpu} if (gpu := device_name()) else {}),
    }


@functools.cache
def _compiler() -> str:
    """The C compiler that is here, in its own words; empty if there is none."""
    from parlour.engine.c.building import compiler
    from parlour.errors import CompilationError

    try:
        asked = subprocess.run([*compiler("bench"), "--version"], capture_output=True, text=True, check=False)
    except (CompilationError, OSError):
        return ""
    return asked.stdout.partition("\n")[0].strip()


@functools.cache
def _cpu() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
        return next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()
