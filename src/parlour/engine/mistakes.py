"""What an author is told when Numba cannot compile a function of the rules: where, what is wrong, and what to do."""

from __future__ import annotations

import linecache
import os
import re
from types import FunctionType
from typing import Any

_COLOUR = re.compile(r"\x1b\[[0-9;]*m")

_EXPLAINED = [
    (r"[Uu]nknown attribute '(\w+)' of type Position", "the position has no field {1!r}"),
    (r"(unknown (?:thing|clause|event) '.*?') in its rules", "{1}"),
    (r"Untyped global name '(\w+)':.*?Cannot determine Numba type of <class '([\w.]+)'>",
     "compiled rules cannot use {1!r}, a {2} (functions, whole numbers and tuples of whole numbers are possible)"),
    (r"[Nn]ame '(\w+)' is not defined|Untyped global name '(\w+)'", "{1}{2} is not defined"),
    (r"Cannot unify (.+?) and (.+?) for '(\w+?)(?:\.\d+)?'", "{3!r} cannot be {1} in one place and {2} in another"),
    (r"[Aa] field holds whole numbers, not (\w+)", "a field of the position holds whole numbers, not {1}"),
    (r"(missing a required argument: '\w+'|too many positional arguments)", "a function is called wrongly, with {1}"),
    (r"No implementation of function Function\(<(?:built-in )?(?:function|class) '?(\w+)",
     "{1} is not possible with such values"),
    (r"Invalid use of (?:type\()?(.+?)\)? with parameters \((.*?)\)", "{1} cannot be called with {2}"),
]  # fmt: skip
"""Patterns in Numba's messages that matter to an author, and what the author is told instead."""


def mistake(function: FunctionType, error: Any) -> str:
    """Return one sentence: file, line, the line itself, what is wrong with it, and what rules may consist of."""
    file = function.__code__.co_filename
    line = getattr(error.loc, "line", None) or function.__code__.co_firstlineno
    source = linecache.getline(file, line).strip()
    shown = os.path.relpath(file)
    return (
        f"{file if shown.startswith('..') else shown}, line {line} ({source}): {_meaning(str(error))};"
        " compiled rules are made of whole numbers, fields of the position, loops and ifs (docs/adding_a_game.md)."
    )


def _meaning(said: str) -> str:
    text = _COLOUR.sub("", said)
    for pattern, told in _EXPLAINED:
        if found := re.search(pattern, text, re.DOTALL):
            return told.format(found[0], *(group or "" for group in found.groups()))
    lines = [line.strip() for line in text.splitlines()]
    telling = (line for line in lines if line and not line.startswith(("Failed in", "File ", "During:", ">>>", "-")))
    return next(telling, "Numba cannot compile it").rstrip(".:")
