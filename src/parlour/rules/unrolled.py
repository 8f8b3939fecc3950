"""Functions generated from a table: one branch for each stage of play, or one line for each thing told.

A rules module declares a table (:func:`parlour.rules.vocabulary.by_stage`, :func:`parlour.rules.vocabulary.by_thing`);
the function made from it is plain Python without a loop over the table, so the interpreted binding runs it as fast as
one written by hand, and the compiled binding compiles it like any other.
"""

from __future__ import annotations

import itertools
import linecache
import sys
from collections.abc import Callable
from types import FunctionType
from typing import Any

_numbers = itertools.count(1)
_tables: dict[str, tuple[str, int]] = {}
"""Where the table stands from which a function was written out, by what is said to be the function's file."""


def authors_place(file: str, line: int) -> tuple[str, int]:
    """Return the file and line that an author knows: of a function written out, where its table was turned into it."""
    return _tables.get(file, (file, line))


def _where_the_table_is() -> tuple[str, int]:
    """The line that has called for a function."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__") in WRITERS:
        frame = frame.f_back
    return frame.f_code.co_filename, frame.f_lineno


WRITERS = (__name__, f"{__package__}.vocabulary")
"""The modules between an author's line and a function written out."""


class Writer:
    """Writes the source of one function, line by line.

    >>> double = Writer("double", "n")
    >>> double.line(f"return {double.call(lambda n: 2 * n)}(n)")
    >>> double.made()(4)
    8
    """

    def __init__(self, name: str, parameters: str, **names: Any) -> None:
        self.name = name
        self._lines = [f"def {name}({parameters}):"]
        self._names: dict[str, Any] = names

    def line(self, text: str, depth: int = 1) -> None:
        """Add a line, indented."""
        self._lines.append("    " * depth + text)

    def call(self, function: Callable[..., Any]) -> str:
        """Return the name of another function within the one being written."""
        for name, known in self._names.items():
            if known is function:
                return name
        given = getattr(function, "__name__", "")
        name = given if given.isidentifier() and given not in self._names else f"{self.name}_{len(self._names)}"
        self._names[name] = function
        return name

    def made(self) -> FunctionType:
        """Return the function; its ``__globals__`` contain the functions that it calls."""
        source = "\n".join([*self._lines, ""])
        file = f"<{self.name}, written out {next(_numbers)}>"
        _tables[file] = _where_the_table_is()
        linecache.cache[file] = len(source), None, source.splitlines(True), file
        exec(compile(source, file, "exec"), self._names)
        function = self._names[self.name]
        assert isinstance(function, FunctionType)
        return function
