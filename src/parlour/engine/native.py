"""Compilers of C, and the Python types written in C (``state.c``, ``calling.c``): their sources, and the built module.

``hatch_build.py`` runs this file to build them before Parlour is installed, so nothing else of Parlour is imported
here.
"""

from __future__ import annotations

import hashlib
import os
import shlex
import shutil
import sys
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

HERE: Final = Path(__file__).parent
SOURCES: Final = ("state.c", "calling.c", "state.h", "stable.h")
"""The sources of the types."""


def made_of() -> str:
    """The checksum of the sources.  The built module has the checksum of its own; if they differ, it is not used."""
    digest = hashlib.sha256()
    for name in SOURCES:
        digest.update((HERE / name).read_bytes())
    return digest.hexdigest()


def usable() -> bool:
    """Whether this Python can load the module; in a Python without the global lock, objects have another layout."""
    return sys.implementation.name == "cpython" and "free-threading" not in sys.version


@cache
def in_c() -> Any:
    """The module of the types in C; ``None`` if there is none that can be used."""
    if not usable():
        return None
    try:
        found = import_module("parlour.engine._state")
        return found if made_of() == found.MADE_OF else None
    except (ImportError, OSError):
        return None


def compilers() -> Iterator[tuple[str, ...]]:
    """The commands of the compilers of C, best first: the one that ``CC`` names, found or not; ``cc``, ``gcc`` and
    ``clang`` if they are installed; the one in the package ziglang."""
    if own := shlex.split(os.environ.get("CC", "")):
        yield tuple(own)
    yield from ((name,) for name in ("cc", "gcc", "clang") if shutil.which(name))
    if sys.executable and find_spec("ziglang"):
        yield sys.executable, "-m", "ziglang", "cc", "-fno-sanitize=all"
