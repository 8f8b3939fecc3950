"""Members of a family: a game's folder under a name of its own, with other constants in its rules and other usual
options.

``family.py`` in a game's folder lists them.  A member's modules are those of the folder, run with the member's
constants in place of their own.  They have no files, but can be imported, compiled and sent to other processes like all
others.
"""

from __future__ import annotations

import ast
import importlib.util
import linecache
import re
import sys
from collections.abc import Mapping, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, NamedTuple

from parlour.base.errors import ParlourError


class Member(NamedTuple):
    """A smaller version of a game: a description, other values for constants of its rules, and default options.

    ``value``: known lower and upper bounds of the value to seat 0, in the unit of its returns; both are equal if it is
    exact.  ``after``: the steps after which the game has this value; ``reduced``: as for ``parlour solve``; ``source``:
    the page that says how it was found."""

    about: str
    constants: Mapping[str, Any] = {}
    options: Mapping[str, int | str] = {}
    value: tuple[float, float] | None = None
    after: Sequence[str] = ()
    reduced: bool = False
    source: str = "docs/results/decks.md"


FULL = Member("The whole game, one deal")


def worth(member: Member) -> str:
    """The value of a member to seat 0 as text: one number if it is exact, otherwise its bounds; empty if unknown.

    >>> worth(Member("", value=(0.5, 0.5))), worth(Member("", value=(-1, 0.25))), worth(FULL)
    ('+0.50000', '[-1.0000, +0.2500]', '')
    """
    if member.value is None:
        return ""
    lower, upper = member.value
    return f"{lower:+.5f}" if lower == upper else f"[{lower:+.4f}, {upper:+.4f}]"


def package_of(base: str, size: str) -> str:
    """The name under which the modules of a member are imported.

    >>> package_of("parlour.games.dividha", "8x2-trade")
    'parlour.games.dividha_8x2_trade'
    """
    return f"{base}_{size.replace('-', '_')}"


class _Copied(NamedTuple):
    """The package from which another one is made, and the constants that its modules get."""

    base: str
    constants: Mapping[str, Mapping[str, Any]]


_copied: dict[str, _Copied] = {}


def copy(package: str, base: str, sources: Sequence[ModuleType], constants: Mapping[str, Any]) -> None:
    """Make a package importable that is a copy of another one with other constants.  Each constant is replaced in the
    first of the modules ``sources`` that assigns it.  Raises ``ParlourError`` if none does.
    """
    left, given = dict(constants), dict[str, dict[str, Any]]()
    for module in sources:
        if left and module.__name__.startswith(f"{base}."):
            for name, _ in _assigned(_text(module.__name__)[1]):
                if name in left:
                    given.setdefault(module.__name__.removeprefix(f"{base}."), {})[name] = left.pop(name)
    if left:
        raise ParlourError(
            "A smaller {base} has {left}, which is no constant of its rules (NAME = …).",
            base=base,
            left=", ".join(left),
        )
    _copied[package] = _Copied(base, given)


def base_of(package: str) -> tuple[str, str] | None:
    """The package of the base game of which another package is a member, and the member's name after that of the game;
    ``None`` if it has a folder of its own, or if there is no such family.

    >>> base_of("parlour.games.pope_joan_6"), base_of("parlour.games.pope_joan")
    (('parlour.games.pope_joan', '6'), None)
    """
    if package in _copied:
        base = _copied[package].base
        return base, package.removeprefix(f"{base}_").replace("_", "-")
    folder, _, name = package.rpartition(".")
    parts = name.split("_")
    for cut in () if _is_there(package) else range(len(parts) - 1, 0, -1):
        base = ".".join(filter(None, (folder, "_".join(parts[:cut]))))
        if _is_there(f"{base}.family"):
            return base, "-".join(parts[cut:])
    return None


def _is_there(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except (ImportError, ValueError):
        return False


def _text(name: str) -> tuple[Path, str]:
    """The file of a module, and its text."""
    spec = importlib.util.find_spec(name)
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin), "".join(linecache.getlines(spec.origin, {"__name__": name, "__loader__": spec.loader}))


def _assigned(text: str) -> list[tuple[str, ast.stmt]]:
    """The names to which statements of a module assign, each with its statement, in their order."""
    return [
        (node.id, statement)
        for statement in ast.parse(text).body
        if isinstance(statement, ast.Assign)
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    ]


def numbers_in(module: ModuleType) -> dict[str, int]:
    """The names to which a module assigns one whole number, written out, with these numbers."""
    return {
        name: statement.value.value
        for name, statement in _assigned(_text(module.__name__)[1])
        if isinstance(statement, ast.Assign)
        and isinstance(statement.value, ast.Constant)
        and type(statement.value.value) is int
    }


def _with(text: str, constants: Mapping[str, Any]) -> str:
    """The text of a module in which constants get other values right after their own; no line moves.

    >>> _with("HAND = 13  # cards\\nALL = 4 * HAND\\n", {"HAND": 2})
    'HAND = 13; HAND = 2  # cards\\nALL = 4 * HAND\\n'
    """
    lines = text.encode().splitlines(keepends=True)
    for name, statement in reversed(_assigned(text)):
        if name in constants:
            row, column = (statement.end_lineno or 1) - 1, statement.end_col_offset or 0
            line = lines[row]
            lines[row] = line[:column] + f"; {name} = {constants[name]!r}".encode() + line[column:]
    return b"".join(lines).decode()


class _Loader(SourceFileLoader):
    """Runs a module of a folder under another name and with other constants.  Other files of the folder are read from
    there; ``path`` is the file itself, and ``file`` the name under which errors show it."""

    def __init__(self, fullname: str, path: Path, file: Path, text: str) -> None:
        super().__init__(fullname, str(path))
        self.text, self.file = text, str(file)

    def get_source(self, fullname: str) -> str:
        return self.text

    def get_code(self, fullname: str) -> CodeType:
        linecache.cache[self.file] = len(self.text), None, self.text.splitlines(True), self.file
        code: CodeType = self.source_to_code(self.text.encode(), self.file)
        return code


class _Finder(MetaPathFinder):
    """Finds packages that are copies of others with other constants, and their modules."""

    def find_spec(self, fullname: str, path: object = None, target: object = None) -> ModuleSpec | None:
        package, _, module = fullname.rpartition(".")
        if fullname in _copied:
            package, module = fullname, ""
        if package not in _copied:
            return None
        base, constants = _copied[package]
        original = f"{base}.{module}" if module else base
        if importlib.util.find_spec(original) is None:
            return None
        file, text = _text(original)
        text = re.sub(rf"\b{re.escape(base)}\b", package, _with(text, constants.get(module, {})))
        folder = package.rpartition(".")[2]
        # in the base game's folder: its learned networks serve this game too
        shown = file.with_name(f"{file.stem} of {folder}.py")
        if constants:
            shown = file.parent.with_name(folder) / file.name
        loader = _Loader(fullname, file, shown, text)
        spec = ModuleSpec(fullname, loader, origin=loader.file, is_package=not module)
        spec.has_location = True
        return spec


sys.meta_path.append(_Finder())
