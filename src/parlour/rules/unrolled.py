"""Functions generated from a table: one branch for each stage of play, or one line for each thing told.

A rules module declares a table (:func:`parlour.rules.vocabulary.by_stage`, :func:`parlour.rules.vocabulary.by_thing`);
the function made from it is plain Python without a loop over the table, so the interpreted binding runs it as fast as
one written by hand, and the compiled binding compiles it like any other.
"""

from __future__ import annotations

import itertools
import linecache
from collections.abc import Callable
from types import FunctionType
from typing import Any

_numbers = itertools.count(1)


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
        linecache.cache[file] = len(source), None, source.splitlines(True), file
        exec(compile(source, file, "exec"), self._names)
        function = self._names[self.name]
        assert isinstance(function, FunctionType)
        return function
