"""Functions that compiled code looks up: those that a rules module marks with :func:`parlour.vocabulary.tabled`.

A table is worked out once and kept with the machine code.  Machine code refers to it by a symbol, so that a function
kept on disk holds no copy of it.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import llvmlite.binding
import llvmlite.ir as ir
import numpy as np
from numba.core import types as T
from numba.core.cgutils import do_boundscheck
from numba.extending import intrinsic

from parlour.engine import machine_code
from parlour.vocabulary import Tabled

_TABLES: list[Any] = []  # machine code points into them


rule: Callable[[int], int]


def fill(table: Any) -> None:
    """Compute every value of a tabled function.  It is compiled with that function as ``rule``."""
    for i in range(len(table)):
        table[i] = rule(i)


def table(tabled: Tabled, file: Path) -> Any:
    """Return every value of a tabled function as an array, as it is kept in ``file``; ``None`` if it is not."""
    content = machine_code.read(file)
    return None if content is None else np.frombuffer(content, tabled.kind)


def made(tabled: Tabled, fill: Callable[[Any], None], file: Path) -> Any:
    """Compute every value of a tabled function by ``fill``, and keep the array in ``file``."""
    values = np.zeros(tabled.size, tabled.kind)
    fill(values)
    machine_code.write(file, values.tobytes())
    return values


def reader(symbol: str, values: Any, checked: bool = False) -> Any:
    """Return a function with which compiled code looks a whole number up in a table; ``symbol`` is the table's
    permanent name.  If ``checked``, it raises ``IndexError`` beyond the end of the table instead of reading on."""
    _TABLES.append(values)
    llvmlite.binding.add_symbol(symbol, values.ctypes.data)
    entry, word, signed = ir.IntType(8 * values.itemsize), ir.IntType(64), values.dtype.kind == "i"

    @intrinsic  # type: ignore[untyped-decorator]
    def look(typing: Any, place: Any) -> Any:
        def generate(cx: Any, b: Any, sig: Any, args: Any) -> Any:
            found = b.module.globals.get(symbol)
            if found is None:
                found = ir.GlobalVariable(b.module, ir.ArrayType(entry, len(values)), symbol)
                found.global_constant = True
            if checked:
                do_boundscheck(cx, b, args[0], ir.Constant(word, len(values)))
            value = b.load(b.gep(found, [ir.Constant(word, 0), args[0]]))
            return value if entry == word else b.sext(value, word) if signed else b.zext(value, word)

        return T.int64(T.int64), generate

    return look
