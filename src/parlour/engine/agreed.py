"""What is agreed between the engine and the modules of a game's folder: what they import, and how their functions are
called.  It is looked at as they are read, so that an author hears of it before anybody plays."""

from __future__ import annotations

import ast
import importlib.util
import inspect
import re
import sys
from collections.abc import Iterator, Mapping
from linecache import getlines
from types import ModuleType
from typing import Any, Final

from parlour.base.errors import ParlourError, placed, unknown
from parlour.rules import contract
from parlour.rules.unrolled import authors_place
from parlour.rules.vocabulary import Position, fields_of

LIBRARY: Final = ("__future__", "collections.abc", "itertools", "math", "typing")
"""The modules of Python's own library that rules may import: none of them knows chance, time or files."""
_OF_RULES = {name: ", ".join(one.parameters) for name, one in contract.entries().items()}
CALLED: Final[Mapping[str, Mapping[str, str]]] = {
    **dict.fromkeys(contract.MODULES, _OF_RULES),
    "deck": {"face": "name, four_colours", "title": "name", "spoken": "name", "pair": "name", "sign": "name"},
    "drawing": {
        "picture": "view, names, legal, width", "lines": "view, names", "card": "name", "now": "view, legal",
        "caption": "action, view, names", "result": "view, returns, names", "name": "options", "board": "view, told",
    },
    "reasons": {"reason": "action, view, names"},
    "odds": {"odds": "view, names, given"},
    "invariants": {"hide": "s, me", "check": "s", "bounds": "s", "amounts": "s"},
    "prepared": {"prepare": "s"},
}  # fmt: skip
"""What is given to the functions of each module of a folder, one after the other."""

NEEDED: Final = {"reasons": ("reason",), "odds": ("FACTS", "odds"), "family": ("FAMILY",), "prepared": ("prepare",)}
"""What a module of a folder must define, if there is one."""


def read_rightly(part: str, module: ModuleType) -> None:
    """Raise ``ParlourError`` for what a module lacks, or for a function of it that cannot be called as it will be."""
    if absent := [name for name in NEEDED.get(part, ()) if not hasattr(module, name)]:
        raise ParlourError(
            "{file} must define {absent}.", file=placed(module.__file__ or ""), absent=" and ".join(absent)
        )
    for name, given in CALLED.get(part, {}).items():
        function = getattr(module, name, None)
        try:
            signature = inspect.signature(function) if callable(function) else None
        except (TypeError, ValueError):  # one that does not say what it takes
            continue
        try:
            if signature is not None:
                signature.bind(*given.split(", "))
        except TypeError:
            file, line = placed(module.__file__ or ""), 0
            if code := getattr(inspect.unwrap(function), "__code__", None):  # type: ignore[arg-type]
                file, line = placed(code.co_filename), code.co_firstlineno
            raise ParlourError(
                "{file}, line {line}: {name} must take ({given}), not ({found}).",
                file=file, line=line, name=name, given=given,
                found=", ".join(signature.parameters if signature else ()),
            ) from None  # fmt: skip


# ------------------------------------------------------------------------------------------ imports


def imports_of(module: ModuleType, node: ast.AST) -> list[str]:
    """Return the full names of the modules that a statement of ``module`` imports, or imports from."""
    if isinstance(node, ast.Import):
        return [one.name for one in node.names]
    if not isinstance(node, ast.ImportFrom):
        return []
    origin = importlib.util.resolve_name("." * node.level + (node.module or ""), module.__package__)
    whole = [name for one in node.names if (name := f"{origin}.{one.name}") in sys.modules]
    return whole if len(whole) == len(node.names) else [*whole, origin]


def only_rules(module: ModuleType) -> None:
    """Raise ``ParlourError`` for an import, in a module of rules or in one that it imports, of what is no module of
    rules."""
    if found := _other(module, set()):
        file, line, name = found
        raise ParlourError(
            "{file}, line {line}: rules may not import {name}. They meet chance in `chance` and `happen` alone, and"
            " read no clock and no file: the same steps always lead to the same position. They may import"
            " parlour.rules, other modules of rules, and {library}.",
            file=placed(file), line=line, name=name, library=", ".join(LIBRARY),
        )  # fmt: skip


def _other(module: ModuleType, seen: set[str]) -> tuple[str, int, str] | None:
    """Find the first such import: its file and line, and what it imports."""
    seen.add(module.__name__)
    file, own = module.__file__ or "", module.__name__.partition(".")[0]
    for node in _run(ast.parse(inspect.getsource(module))):
        for name in imports_of(module, node):
            package, here = name.partition(".")[0], (file, getattr(node, "lineno", 0), name)
            if name in LIBRARY or name.startswith(("parlour.rules", "parlour.games.")) or name in seen:
                continue
            other = sys.modules.get(name)  # nothing, if a function imports it that has not been called
            of_python = package in {"parlour", *sys.stdlib_module_names}
            if of_python or other is None or not str(other.__file__).endswith(".py"):
                return here
            if found := _other(other, seen):
                return found if package == own else here
    return None


def _run(node: ast.AST) -> Iterator[ast.AST]:
    """All nodes, without those that only a type checker reads."""
    yield node
    if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING"):
        return
    for child in ast.iter_child_nodes(node):
        yield from _run(child)


# ------------------------------------------------------------------------------------------ what the rules state


def stated_rightly(rules: Any, position: type[Position]) -> None:
    """Raise ``ParlourError`` for numbers of players that are no range, a thing of which nobody says what it is, or one
    by seat that has too few of them."""
    if not isinstance(rules.PLAYERS, range):
        raise ParlourError(
            "{package}.rules: PLAYERS must be a range, such as range(2, 5), or range(2, 5, 2) for two or four, not"
            " {found!r}.",
            package=position.__module__.rpartition(".")[0], found=rules.PLAYERS,
        )  # fmt: skip
    code = getattr(rules.show, "__code__", None)
    here = (code.co_filename, code.co_firstlineno) if code else ("", 0)
    table = authors_place(*here)
    if table == here:
        return  # the author has written it, and tells what it likes
    most = max(rules.PLAYERS, default=0)
    for name, thing in rules.THINGS.items():
        if thing.seats and 1 < thing.per < most * thing.each:
            raise ParlourError(
                "{package}.rules: {name} has {n} entries, one for each seat, but {most} may play. Give it, and every"
                " field by seat, an entry for each of them.",
                package=position.__module__.rpartition(".")[0], name=name, n=thing.per // thing.each, most=most,
            )  # fmt: skip
        if thing.value is None and name not in (known := fields_of(position)):
            file, line = table
            row = re.compile(rf"""\s*["']{re.escape(name)}["']\s*:""")
            line = next((number for number, text in enumerate(getlines(file), 1) if row.match(text)), line)
            raise ParlourError(
                "{file}, line {line}: THINGS: {why} A thing is a field of {position}, or told(value=…) says what it"
                " is.",
                file=placed(file), line=line, why=unknown("field", name, known), position=position.__name__,
            )  # fmt: skip
