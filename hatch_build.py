"""Builds the type of states and calls of compiled code (``state.c`` and ``calling.c`` in ``src/parlour/engine``): a
hook of Hatchling, and a command of the Makefile.

One compiled module serves every CPython from 3.11 on (the stable ABI).  Nothing but a compiler of C is needed, no
headers of Python: ``CC``, or ``cc``, ``gcc``, ``clang``, or the package ``ziglang``.  Where there is none, or with
``PARLOUR_PURE=1``, the package is built without the type, and a class in Python serves in its place.
"""

from __future__ import annotations

import hashlib
import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

HERE = Path(__file__).parent
ENGINE = HERE / "src" / "parlour" / "engine"
SOURCES = ("state.c", "calling.c", "state.h", "stable.h")
WINDOWS = sys.platform == "win32"
BUILT = ENGINE / ("_state.pyd" if WINDOWS else "_state.abi3.so")
FLAGS = ("-std=c11", "-O2", "-Wall", "-Wextra", "-shared", "-fPIC", "-fvisibility=hidden")
if sys.platform == "linux":
    FLAGS += ("-fno-plt",)  # a step calls Python's functions some ten times: a twentieth of its time
NO_COMPILER = (
    "there is no compiler of C, so states are stepped by a class in Python, at a quarter of the speed; install one"
    " (on Debian or Ubuntu: apt-get install gcc libc6-dev; anywhere: pip install ziglang)"
)


def checksum() -> str:
    """What the built module says it was made of."""
    digest = hashlib.sha256()
    for name in SOURCES:
        digest.update((ENGINE / name).read_bytes())
    return digest.hexdigest()


def compilers() -> Iterator[list[str]]:
    """The compilers that are there, best first."""
    if os.environ.get("CC"):
        yield shlex.split(os.environ["CC"])
    yield from ([found] for name in ("cc", "gcc", "clang") if (found := shutil.which(name)))
    if find_spec("ziglang"):
        yield [sys.executable, "-m", "ziglang", "cc"]


def linking() -> list[str]:
    """What a module that names functions of Python is linked with."""
    if sys.platform == "darwin":
        return ["-undefined", "dynamic_lookup"]
    return [f"-L{Path(sys.base_prefix) / 'libs'}", "-lpython3"] if WINDOWS else []


def build() -> str | None:
    """Build the module beside its sources; return what is wrong, if it could not be built."""
    if not usable():
        return "this Python has no stable ABI to build for"
    beside = BUILT.with_suffix(f".{os.getpid()}")
    said = NO_COMPILER
    for compiler in compilers():
        command = [
            *compiler,
            *FLAGS,
            f'-DMADE_OF="{checksum()}"',
            *(str(ENGINE / name) for name in SOURCES if name.endswith(".c")),
            "-o",
            str(beside),
            *linking(),
        ]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        except OSError as error:
            said = f"{compiler[0]} cannot be run: {error}"
            continue
        if done.returncode == 0:
            beside.replace(BUILT)
            return None
        beside.unlink(missing_ok=True)
        said = f"{shlex.join(compiler)} cannot build state.c:\n{done.stderr.strip()}"
    return said


def usable() -> bool:
    """Whether this Python can load the module."""
    return sys.implementation.name == "cpython" and not sysconfig.get_config_var("Py_GIL_DISABLED")


def wanted() -> bool:
    return not os.environ.get("PARLOUR_PURE")


def main() -> int:
    """``python hatch_build.py``: build it here."""
    wrong = build()
    if wrong:
        print(f"parlour: {wrong}", file=sys.stderr)
    return wrong is not None


class StateHook(BuildHookInterface[Any]):
    """Puts the built module into a wheel, which is then one for this platform."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if self.target_name != "wheel":
            return
        wrong = build() if wanted() else "PARLOUR_PURE is set"
        if wrong:
            self.app.display_warning(f"Parlour is built without the type of states: {wrong}")
        elif version != "editable":
            platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
            build_data["pure_python"], build_data["tag"] = False, f"cp311-abi3-{platform}"
            build_data["artifacts"].append(f"/{BUILT.relative_to(HERE).as_posix()}")


if __name__ == "__main__":
    sys.exit(main())


if __name__ == "__main__":
    sys.exit(main())
