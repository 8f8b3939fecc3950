"""The machine on which a run was measured."""

from __future__ import annotations

import functools
import os
import platform
import subprocess
from pathlib import Path
from typing import Any

from parlour.engine.native import compilers


def machine() -> dict[str, Any]:
    """Return the hardware, the system and the versions with which the figures were measured."""
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
        "compiler": _compiler(),
        "parlour": __version__,
        **({"gpu": gpu} if (gpu := device_name()) else {}),
    }


def _compiler() -> str:
    """The version of the C compiler, which compiles games whose library is not shipped with the package."""
    for command in compilers():
        ran = subprocess.run([*command, "--version"], capture_output=True, text=True, check=False)
        return ran.stdout.partition("\n")[0] or command[0]
    return "none"


@functools.cache
def _cpu() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
        return next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()
