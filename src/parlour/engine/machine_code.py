"""Machine code on disk: a file for each function and the types it is called with, named by what it is made of.

Numba's own store files code by the *path* of the source, so every checkout compiles everything again, and it trusts
what it reads: a file that a crash or a full disk has cut short ends the program.  Here a file is named by content, and
begins with a checksum; one that is damaged counts as missing, and is made again.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import pickle
import sys
import warnings
from pathlib import Path
from types import FunctionType
from typing import Any

import llvmlite
import numba
from numba.core.caching import FunctionCache
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps

from parlour import disk

CHECKSUM = 32
"""The bytes of the checksum (SHA-256) at the beginning of a file."""
VERSIONS = sys.version, numba.__version__, llvmlite.__version__
"""Code that other versions have made does not count."""


def keep(made: Any, folder: Path) -> None:
    """Have Numba keep the machine code of a compiled function in ``folder``, and look for it there."""
    made._cache = Kept(made.py_func, folder)


def name_of(function: FunctionType) -> str:
    """Return the full name of a function: ``module.function``."""
    return f"{function.__module__}.{function.__name__}"


def read(file: Path) -> bytes | None:
    """Return what :func:`write` has written; ``None`` if there is nothing, or nothing but damage, which it says."""
    try:
        content = file.read_bytes()
    except OSError:
        return None
    if hashlib.sha256(content[CHECKSUM:]).digest() != content[:CHECKSUM]:
        warnings.warn(f"The machine code in {file} is damaged; it is made again.", stacklevel=2)
        return None
    return content[CHECKSUM:]


def write(file: Path, content: bytes) -> None:
    """Keep ``content`` with its checksum, if that can be done; otherwise it is made again each time."""
    with contextlib.suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        disk.write(file, hashlib.sha256(content).digest() + content)


class Kept(FunctionCache):  # type: ignore[misc]
    """What a compiled function asks for its machine code, in place of Numba's own store."""

    def __init__(self, function: FunctionType, folder: Path) -> None:
        self._py_func, self._cache_path, self._name = function, str(folder), repr(function)
        self.enable()

    def flush(self) -> None:
        """Forget nothing: what is there is named by what it was made of."""

    def _load_overload(self, kinds: Any, target: Any) -> Any:
        """Return the code for these types, or ``None`` if it is not there or has been damaged."""
        content = read(self._file(kinds, target.codegen()))
        return None if content is None else CompileResult._rebuild(target, *pickle.loads(content))

    def _save_overload(self, kinds: Any, made: Any) -> None:
        """Write the code for these types, unless it holds what another process would not have at the same address."""
        if made.library.has_dynamic_globals or any(not loop.can_cache for loop in made.lifted):
            return
        write(self._file(kinds, made.codegen), dumps(made._reduce()))

    def _file(self, kinds: Any, codegen: Any) -> Path:
        """Return the file for these types.  Its name holds all that Numba would look at, by content."""
        function = self._py_func
        _, target, code = self._index_key(kinds, codegen)
        source = function.__code__.co_firstlineno, _digest(function.__code__.co_filename)
        key = repr((VERSIONS, [str(kind) for kind in kinds], target, code, source)).encode()
        return Path(self._cache_path) / f"{name_of(function)}-{hashlib.sha256(key).hexdigest()[:20]}"


@functools.cache
def _digest(path: str) -> str:
    return hashlib.sha256(Path(path).read_bytes()).hexdigest() if os.path.exists(path) else ""


__all__ = ["Kept", "keep", "name_of", "read", "write"]
