"""Nothing below knows what is above it (docs/architecture.md)."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Callable
from functools import cache
from importlib.util import resolve_name
from pathlib import Path

import pytest

import parlour
from parlour.engine.definition import definition, shelf
from parlour.extras import _PART_OF, EXTRAS

ROOT = Path(parlour.__file__).parent
DRAWING = (ROOT.parent.parent / "docs" / "architecture.md").read_text("utf-8")
RULES = {module.__name__ for game in shelf() for module in definition(game).sources}
"""Modules of rules, shared ones among them; what else lies in the folders of games stands above the engine."""


def storeys(name: str) -> list[list[set[str]]]:
    """A drawing from top to bottom: the parts of each storey, those that may go round in a circle together."""
    found = []
    text = re.search(rf"```{name}\n(.*?)```", DRAWING, re.DOTALL)
    assert text
    for line in text[1].splitlines():
        parts, _, _ = line.strip().partition("   ")
        if not line.startswith(" "):
            found.append([set(part.strip().split(" ⇄ ")) for part in parts.split(" · ")])
    return found


@cache
def modules() -> dict[str, Path]:
    names = {file: ".".join(file.relative_to(ROOT.parent).with_suffix("").parts) for file in ROOT.rglob("*.py")}
    return {name.removesuffix(".__init__"): file for file, name in names.items()}


@cache
def tree(file: Path) -> ast.Module:
    return ast.parse(file.read_text("utf-8"))


@cache
def statements(file: Path) -> list[ast.Import | ast.ImportFrom]:
    """What a file imports by statements, wherever it does."""
    return [node for node in ast.walk(tree(file)) if isinstance(node, ast.Import | ast.ImportFrom)]


def calls(file: Path) -> set[str]:
    """What a file imports by calls, as far as it names it."""
    found = set[str]()
    for node in ast.walk(tree(file)):
        if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in {"import_module", "__import__"}:
            found |= {
                one.value for one in node.args[:1] if isinstance(one, ast.Constant) and isinstance(one.value, str)
            }
    return found


@cache
def imports(module: str, file: Path) -> set[str]:
    """The modules of the package that a module imports, wherever it does."""
    known = modules()
    found = calls(file)
    package = module if file.stem == "__init__" else module.rpartition(".")[0]
    for node in statements(file):
        if isinstance(node, ast.Import):
            found |= {one.name for one in node.names}
        else:
            origin = resolve_name("." * node.level + (node.module or ""), package)
            found |= {f"{origin}.{one.name}" if f"{origin}.{one.name}" in known else origin for one in node.names}
    return found & known.keys()


def part_of(module: str) -> str:
    """The part of the drawing that a module belongs to."""
    _, *names = module.split(".")
    if not names:
        return "parlour"
    if names == ["__main__"]:  # python -m parlour
        return "cli"
    if names[0] in {"shelf", "stops"}:
        return f"{names[0]} ({'rules' if module in RULES or len(names) == 1 or names[-1] == 'typed' else 'boards'})"
    return names[0]


def engine_part(module: str) -> str:
    return module.split(".")[2] if module.startswith("parlour.engine.") else ""


@pytest.mark.parametrize(("drawing", "part"), [("storeys", part_of), ("storeys of the engine", engine_part)])
def test_arrows_point_down_only(drawing: str, part: Callable[[str], str]) -> None:
    found = storeys(drawing)
    height = {name: -i for i, storey in enumerate(found) for circle in storey for name in circle}
    together = [circle for storey in found for circle in storey]
    known, seen, upward = modules(), 0, []
    drawn = {part(module) for module in known if part(module)}
    assert drawn <= height.keys(), drawn - height.keys()
    for module, file in known.items():
        for other in imports(module, file):
            here, there = part(module), part(other)
            if not here or not there or any({here, there} <= circle for circle in together):
                continue
            seen += 1
            if height[there] >= height[here]:
                upward.append(f"{module} imports {other}")
    assert seen > 40
    assert not upward, "\n".join(sorted(upward))


def test_a_call_that_imports_is_seen(tmp_path: Path) -> None:
    file = tmp_path / "low.py"
    file.write_text("""
def draw(view):
    return str(import_module("parlour.drawing").as_text(view)), [importlib.import_module("parlour.page.notebook")]
def part(name):
    return importlib.import_module(f"parlour.shelf.{name}"), __import__("parlour.room").room
""")
    assert imports("parlour.engine.low", file) == {"parlour.drawing", "parlour.page.notebook", "parlour.room"}


def test_one_small_circle_is_left() -> None:
    circles = [circle for name in ("storeys", "storeys of the engine") for s in storeys(name) for circle in s]
    assert sorted(map(len, circles))[-2:] == [1, 2]


FOR_PAGES = {
    "api",
    "best_line",
    "between",
    "clock",
    "daily",
    "duplicate",
    "event_names",
    "events",
    "rating",
    "chat",
    "errors",
    "gate",
    "heavy",
    "history",
    "identity",
    "limits",
    "looking_back",
    "new_table",
    "phrases",
    "retention",
    "reviews",
    "score",
    "seats",
    "session",
    "streams",
    "swiss",
    "tables",
    "wire",
}
"""What pages use of the room: a session and what travels over it, how a guest is known, how a table is made, how
matches ended, the score sheet of a replay; the deal of the day, duplicates and tournaments.  Of ``tables`` they use
that there is one; replays tell the moments between two choices as a table does (``between``)."""


def test_pages_are_one_more_client_of_the_room() -> None:
    """They know tables by sessions, as the interface for programs does, and nothing behind them."""
    used = set[str]()
    for file in (ROOT / "page").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module == "parlour.room":
                used |= {one.name for one in node.names}
            elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("parlour.room."):
                used.add(str(node.module).split(".")[2])
            elif isinstance(node, ast.Attribute) and node.attr in {"live", "_live"}:
                raise AssertionError(f"{file.relative_to(ROOT)}:{node.lineno} looks behind the session")
    assert used == FOR_PAGES


def test_whatever_is_imported_comes_with_the_package_or_an_extra() -> None:
    known = {m for names in EXTRAS.values() for m in names} | _PART_OF.keys() | {"rich", "typer", "parlour"}
    known |= {"jax", "pgx", "rlcard"}  # the peers, which only the bench asks for
    known |= {"cuda"}  # the extra gpu, for machines with a device: not among those of `all`
    for file in ROOT.rglob("*.py"):
        for node in statements(file):
            found = [one.name for one in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and not node.level:
                found = [str(node.module)]
            strange = {name.partition(".")[0] for name in found} - known - sys.stdlib_module_names
            assert not strange, f"{file}:{node.lineno}"
