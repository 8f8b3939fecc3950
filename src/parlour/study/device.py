"""The rules of a game as code for a CUDA device: the same C as for the processor, with kernels, compiled to PTX by
clang.

The differences of a device are in ``prelude.h``.  The driver of every device since :data:`TARGET` accepts the PTX, so
no part of CUDA has to be installed.
"""

from __future__ import annotations

import contextlib
import functools
import gzip
import hashlib
import re
import shutil
import sys
import zlib
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final

from parlour.base import disk
from parlour.base.errors import CompilationError
from parlour.engine.c.building import ALWAYS, SHIPPED, compiled
from parlour.engine.c.kinds import STORED, Vector, declared, parsed
from parlour.engine.c.names import c_name
from parlour.engine.c.program import FaultSite, Program, in_c, translated
from parlour.engine.kernel import flat, given
from parlour.study.kernels import grid

if TYPE_CHECKING:
    from parlour.engine.definition import Definition

TARGET: Final = "sm_75", "+ptx75"
"""The oldest devices that the code runs on (Turing, 2018), and the PTX that their drivers read."""
FLAGS: Final = (
    *(flag for flag in ALWAYS if flag not in ("-shared", "-fPIC", "-fvisibility=hidden")),
    *("-S", "-O3", "-fno-verbose-asm", "-nostdlib", "-fno-builtin", "-mllvm", "-inline-threshold=20000"),
    *("-Xclang", "-target-cpu", "-Xclang", TARGET[0], "-Xclang", "-target-feature", "-Xclang", TARGET[1]),
)
"""The flags of the processor's code, so that results are the same.  Functions are copied to their callers, so that the
compiler knows in which memory a position is; inexact functions remain calls."""
PLAYING: Final = (grid.play_some,)
LEARNING: Final = (grid.learn_some, grid.add_up)
"""The functions of :mod:`parlour.study.kernels.grid` that are compiled together as kernels for training."""
WRONG: Final = "wrong"
"""The number on the device that reports a fault: a place in the rules, counted from 1."""

_OURS: Final = ("mine", "threads", *grid.OWN)
"""Parameters that a kernel fills itself."""
_EXTERNAL: Final = re.compile(r"^\.extern \.func\s+(?:\([^)]*\)\s*)?(\w+)", re.MULTILINE)


@dataclass(frozen=True)
class DeviceCode:
    """The code for a device, as ``ptx``.  ``fills``: the kernels that fill its tables, in order; they must run before
    all others and take no arguments.  ``source``: the C from which the PTX was compiled; ``places``: the possible
    faults, to which the number in :data:`WRONG` refers."""

    ptx: str
    fills: tuple[str, ...]
    source: str
    places: tuple[FaultSite, ...]


def kernel(function: Any) -> str:
    """The name of the kernel for a function of :mod:`parlour.study.kernels.grid`.

    >>> kernel(grid.play_some)
    'device_play_some'
    """
    return f"device_{function.__name__}"


def parameters(function: Any) -> dict[str, str]:
    """The parameters of such a kernel, in order: names, and kinds as :func:`parlour.engine.c.kinds.parsed` reads them.
    An array is passed as a pointer and its sizes, a named tuple as its fields.

    >>> parameters(grid.add_up)
    {'changes': 'f64[,]', 'parts': 'i64', 'total': 'f64[]'}
    """
    return {one.name: one.kind for one in flat(given(function, declared("u64[,]"))) if one.name not in _OURS}


@functools.cache
def device_code(game: Definition, functions: tuple[Any, ...], choices: int) -> DeviceCode:
    """Return the code that plays a game on a device, or learns it.  ``choices``: the number of actions for which each
    thread has room if it plays; 0 if it learns.

    Raises ``CompilationError`` if there is no clang, or if the game uses functions that devices round differently from
    processors.
    """
    program = translated(game, functions)
    kernels = [_kernel(program, function, choices) for function in functions]
    source = "\n".join(["#define PARLOUR_DEVICE", program.source, *kernels, ""])
    ptx = _compiled(source, game)
    if unable := sorted({*_EXTERNAL.findall(ptx)}):
        raise CompilationError(
            "{name} calculates with {unable}, which devices do not round as processors do.",
            name=game.said_name,
            unable=" and ".join(unable),
        )
    return DeviceCode(ptx, tuple(program.filled), source, tuple(program.places))


def _kernel(program: Program, function: Any, choices: int) -> str:
    """A kernel in C: it calls a function with the thread's own memory and number."""
    entry = program.entries[function.__name__]
    room = dict(zip(grid.OWN, (1, choices, 1), strict=True))
    own = {"mine": "this_thread()", "threads": "all_threads()"}
    taken, here, passed = list[str](), list[str](), list[str]()
    for parameter in entry.parameters:
        name, kind = c_name(parameter.name), parsed(parameter.kind)
        if parameter.name in room:
            assert isinstance(kind, Vector)
            size = room[parameter.name]
            here.append(f"  {STORED[kind.code]} {name}[{size}];")
            passed += [name, str(size)]
        elif parameter.name in own:
            passed.append(own[parameter.name])
        else:
            taken.append(in_c(parameter))
            passed.append(name)
            passed += [f"{name}_n{i}" for i in range(kind.dimensions if isinstance(kind, Vector) else 0)]
    call = f"  {entry.symbol}({', '.join(passed)});"
    return "\n".join([f"KERNEL {kernel(function)}({', '.join(taken)}) {{", *here, call, "}"])


def clang() -> tuple[str, ...]:
    """The command of a clang that can produce PTX. Raises ``CompilationError`` if there is none."""
    if sys.executable and find_spec("ziglang"):
        return sys.executable, "-m", "ziglang", "cc", "-target", "nvptx64-cuda-none"
    if shutil.which("clang"):
        return "clang", "--target=nvptx64-nvidia-cuda"
    raise CompilationError(
        "Code for a device is made by clang, which is not here: install it, or pip install 'parlour[compiler]'."
    )


def _compiled(source: str, game: Definition) -> str:
    """The PTX of a file of C: from the package, from the cache, or compiled now by clang."""
    made_of = hashlib.sha256(repr((FLAGS, source)).encode()).hexdigest()[:20]
    name, cache = f"{game.id}-{made_of}.ptx.gz", disk.cache_folder() / "c" / game.id
    for folder in (SHIPPED, cache):
        with contextlib.suppress(OSError, EOFError, zlib.error):  # the file is missing or damaged
            if kept := gzip.decompress((folder / name).read_bytes()):
                return kept.decode("ascii")
    made = compiled(source, FLAGS, game.id, clang())
    with contextlib.suppress(OSError):
        cache.mkdir(parents=True, exist_ok=True)
        disk.write(cache / name, gzip.compress(made, mtime=0))
    return made.decode("ascii")


__all__ = ["LEARNING", "PLAYING", "TARGET", "WRONG", "DeviceCode", "clang", "device_code", "kernel", "parameters"]
