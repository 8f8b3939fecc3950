"""Small faults for :mod:`mutants`: which there are in a source, and how a module is imported with one planted in it.

A fault is a comparison turned, a constant off by one, a statement dropped, ``and`` for ``or``, ``&`` for ``|``, ``+``
for ``-`` (and the other way round), or a condition denied.
"""

from __future__ import annotations

import ast
import hashlib
import importlib.abc
import importlib.machinery
import importlib.util
import io
import linecache
import tokenize
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

SOURCES = Path(__file__).parents[1] / "src"


@dataclass(frozen=True)
class Fault:
    """One small change: from ``start`` to ``end`` of a module's source stands something else."""

    module: str
    function: str  # "" at the level of the module
    was: str  # the line (or lines, in one)
    now: str
    again: int  # how often the same has come before in this function
    line: int
    statement: int  # the line on which its statement begins
    start: int
    end: int
    new: str

    @property
    def name(self) -> tuple[str, ...]:
        """What it is called as long as its line stays as it is."""
        times = (str(self.again),) * bool(self.again)
        return (self.module.rpartition(".")[2], self.function, self.was, self.now, *times)

    def __str__(self) -> str:
        place = f"{self.module.removeprefix('parlour.')}:{self.line} ({self.function or 'module'})"
        return f"{place}\n  - {self.was}\n  + {self.now}"

    def plant(self, source: str) -> str:
        """The source with this fault in it."""
        return source[: self.start] + self.new + source[self.end :]


def digest(*parts: Any) -> str:
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]


def drawn(found: Sequence[Fault], count: int, seed: int) -> list[Fault]:
    """Draw this number of the faults.  The choice hardly changes when faults are added or removed."""
    return sorted(found, key=lambda fault: digest(seed, *fault.name))[:count]


# ------------------------------------------------------------------------------------------ which there are

COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
}
DROPPED = (ast.Assign, ast.AugAssign, ast.Return, ast.Continue, ast.Break)
FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)
PLAIN = (ast.Name, ast.Attribute, ast.Subscript, ast.Call, ast.BinOp)  # conditions that do not compare


def changes(node: ast.stmt | ast.expr, parent: ast.AST) -> Iterator[str]:
    """What may stand for this part of a source."""
    match node:
        case ast.Compare(left, ops, others):
            for i, op in enumerate(ops):
                for other in COMPARISONS.get(type(op), ()):
                    yield ast.unparse(ast.Compare(left, [*ops[:i], other(), *ops[i + 1 :]], others))
        case ast.BoolOp(op, values):
            yield f"({ast.unparse(ast.BoolOp(ast.And() if isinstance(op, ast.Or) else ast.Or(), values))})"
        case ast.BinOp(left, op, right) if type(op) in OPERATORS:
            yield f"({ast.unparse(ast.BinOp(left, OPERATORS[type(op)](), right))})"
        case ast.AugAssign(target, op, value) if type(op) in OPERATORS:
            yield ast.unparse(ast.AugAssign(target, OPERATORS[type(op)](), value))
        case ast.UnaryOp(ast.Not(), operand):
            yield f"({ast.unparse(operand)})"
        case ast.Constant(bool(truth)):
            yield str(not truth)
        case ast.Constant(int(number)):
            yield str(number + 1)
            if number > 0:
                yield str(number - 1)
    if isinstance(parent, ast.If | ast.While | ast.IfExp) and node is parent.test and isinstance(node, PLAIN):
        yield f"not ({ast.unparse(node)})"
    if isinstance(parent, ast.BoolOp) and isinstance(node, PLAIN):
        yield f"(not {ast.unparse(node)})"
    if isinstance(node, DROPPED) or (isinstance(node, ast.Expr) and not isinstance(node.value, ast.Constant)):
        yield "pass"


def without_comments(source: str) -> str:
    """The source with blanks where it has comments: whoever rewords one has not changed a rule."""
    lines = source.splitlines(True)
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            row, (begin, end) = token.start[0] - 1, (token.start[1], token.end[1])
            lines[row] = lines[row][:begin] + " " * (end - begin) + lines[row][end:]
    return "".join(lines)


def faults(module: str, source: str) -> Iterator[Fault]:
    """All faults that can be planted in a module."""
    lines, bare = source.splitlines(True), without_comments(source)
    starts = [sum(map(len, lines[:i])) for i in range(len(lines) + 1)]
    seen = Counter[tuple[str, ...]]()

    def place(line: int, column: int) -> int:
        return starts[line - 1] + len(lines[line - 1].encode()[:column].decode())

    def walk(node: ast.AST, function: str, statement: int) -> Iterator[Fault]:
        left_alone = (getattr(node, "annotation", None), getattr(node, "returns", None))
        for child in ast.iter_child_nodes(node):
            if child in left_alone or isinstance(child, ast.JoinedStr):
                continue
            inside, at = function, child.lineno if isinstance(child, ast.stmt) else statement
            if isinstance(node, FUNCTION) and isinstance(child, ast.stmt):
                inside = f"{function}.{node.name}".lstrip(".")
            for new in changes(child, node) if isinstance(child, ast.stmt | ast.expr) else ():
                if new == "pass" and not inside:
                    continue  # a missing name is not a fault that could escape
                assert isinstance(child, ast.stmt | ast.expr)
                last = child.end_lineno or child.lineno
                start, end = place(child.lineno, child.col_offset), place(last, child.end_col_offset or 0)
                before, after = bare[starts[child.lineno - 1] : start], bare[end : starts[last]]
                was, now = (" ".join(f"{before}{what}{after}".split()) for what in (bare[start:end], new))
                again = seen[inside, was, now]
                seen[inside, was, now] += 1
                yield Fault(module, inside, was, now, again, child.lineno, at, start, end, new)
            yield from walk(child, inside, at)

    yield from walk(ast.parse(source), "", 1)


# ------------------------------------------------------------------------------------------ other sources


class Planted(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports these modules from other sources than their files have."""

    def __init__(self, sources: Mapping[str, str]) -> None:
        self.sources = sources

    def find_spec(self, name: str, path: Any, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        if name not in self.sources:
            return None
        file = file_of(name)
        inside = [str(file.parent)] if file.stem == "__init__" else None
        return importlib.util.spec_from_file_location(name, file, loader=self, submodule_search_locations=inside)

    def exec_module(self, module: ModuleType) -> None:
        source, file = self.sources[module.__name__], str(module.__file__)
        linecache.cache[file] = (len(source), None, source.splitlines(True), file)  # so that `inspect` finds the source
        exec(compile(source, file, "exec"), vars(module))


def file_of(module: str) -> Path:
    place = SOURCES.joinpath(*module.split("."))
    return place / "__init__.py" if place.is_dir() else place.with_suffix(".py")


def marked(source: str, first: int) -> str:
    """Return the source with each statement of a function marking its line in ``_passed``, counted from ``first``."""
    tree = ast.parse(source)
    _mark(tree, first, False)
    return ast.unparse(ast.fix_missing_locations(tree))


def _mark(node: ast.AST, first: int, inside: bool) -> None:
    inside |= isinstance(node, FUNCTION)
    for part in ("body", "orelse", "handlers", "finalbody", "cases"):
        body = getattr(node, part, None)
        if not isinstance(body, list):
            continue
        for statement in body:
            _mark(statement, first, inside)
        if inside and part not in ("handlers", "cases"):
            body[:] = [new for old in body for new in (*_mark_of(old, first), old)]


def _mark_of(statement: ast.stmt, first: int) -> list[ast.stmt]:
    """What stands before a statement; before words of a function that say what it does, nothing."""
    words = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    return [] if words else ast.parse(f"_passed[{first + statement.lineno}] = 1").body
