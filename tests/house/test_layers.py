"""Nothing below knows what is above it (docs/architecture.md); and what is shown is small enough to be kept in mind."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Callable
from functools import cache
from importlib.util import resolve_name
from pathlib import Path
from typing import Final, NamedTuple

import pytest

import parlour
from parlour.base.extras import _PART_OF, EXTRAS
from parlour.engine.definition import definition, shelf
from tests.helpers import parsed, there

ROOT = Path(parlour.__file__).parent
DRAWING = (ROOT.parent.parent / "docs" / "architecture.md").read_text("utf-8")
RULES = {module.__name__ for game in shelf() for module in definition(game).sources}
"""Modules of rules, shared ones among them; what else lies in the folders of games stands above the engine."""


def storeys(name: str) -> list[list[set[str]]]:
    """A drawing from top to bottom: the parts of each storey, those that may go round in a circle together."""
    found = []
    text = there(re.search(rf"```{name}\n(.*?)```", DRAWING, re.DOTALL))
    for line in text[1].splitlines():
        parts, _, _ = line.strip().partition("   ")
        if not line.startswith(" "):
            found.append([set(part.strip().split(" ⇄ ")) for part in parts.split(" · ")])
    return found


@cache
def modules() -> dict[str, Path]:
    names = {file: ".".join(file.relative_to(ROOT.parent).with_suffix("").parts) for file in ROOT.rglob("*.py")}
    return {name.removesuffix(".__init__"): file for file, name in names.items()}


Function = ast.FunctionDef | ast.AsyncFunctionDef


class Read(NamedTuple):
    """What a file imports by statements, wherever it does; the texts in it; by name, how many public methods a class
    has, and how many parameters a function that is no command; and which attributes it asks for."""

    statements: list[ast.Import | ast.ImportFrom]
    texts: set[str]
    methods: dict[str, int]
    parameters: dict[str, int]
    attributes: set[str]


@cache
def read(file: Path) -> Read:
    found = Read([], set(), {}, {}, set())
    for node in ast.walk(parsed(file)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.texts.add(node.value)
        elif isinstance(node, ast.Attribute):
            found.attributes.add(node.attr)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            found.statements.append(node)
        elif isinstance(node, ast.ClassDef):
            methods = {one.name for one in node.body if isinstance(one, Function) and not is_property(one)}
            found.methods[f"{node.lineno} {node.name}"] = sum(not name.startswith("_") for name in methods)
        elif isinstance(node, Function):
            takes = [one for one in ast.walk(node.args) if isinstance(one, ast.arg)]
            if not any("typer." in ast.unparse(one.annotation) for one in takes if one.annotation):
                found.parameters[f"{node.lineno} {node.name}"] = len(takes)
    return found


def is_property(of: Function) -> bool:
    return any(ast.unparse(by).endswith(("property", ".setter")) for by in of.decorator_list)


def named(file: Path) -> set[str]:
    """The texts in a file: whoever imports by a call has the name of a module as a text, there or in a table.  The word
    ``parlour`` alone counts in such a call only."""
    found = read(file).texts
    is_face_called = re.search(r"""(?:import_module|__import__)\(\s*["']parlour["']""", file.read_text("utf-8"))
    return found if is_face_called else found - {"parlour"}


@cache
def imports(module: str, file: Path) -> set[str]:
    """The modules of the package that a module imports, wherever it does, or names."""
    known = modules()
    found = {*named(file)}
    package = module if file.stem == "__init__" else module.rpartition(".")[0]
    for node in read(file).statements:
        if isinstance(node, ast.Import):
            found |= {one.name for one in node.names}
        else:
            origin = resolve_name("." * node.level + (node.module or ""), package)
            found |= {f"{origin}.{one.name}" if f"{origin}.{one.name}" in known else origin for one in node.names}
    return found & known.keys()


@cache
def part_of(module: str) -> str:
    """The part of the drawing that a module belongs to: its folder; a folder of a folder in ``cli`` and ``server``.  A
    package's own module runs before anything in it, so it belongs to the lowest part there."""
    _, *names = module.split(".")
    if not names:
        return "parlour"
    if names == ["__main__"]:  # python -m parlour
        return "cli"
    if held := [one for one in modules() if one.startswith(f"{module}.")]:
        drawn = [part for storey in storeys("storeys") for circle in storey for part in circle]
        return max(map(part_of, held), key=drawn.index)
    place = "rules.stops" if names[:2] == ["rules", "stops"] else names[0]
    if place in {"games", "rules.stops"}:
        return f"{place} ({'rules' if module in RULES or names[-1] == 'typed' else 'boards'})"
    inside = names[0] in {"cli", "server"} and (ROOT / names[0] / names[1]).is_dir()
    return ".".join(names[:2]) if inside else place


DECLARED = {
    ("parlour.engine.kernel", "parlour.engine.interpreted"),
    ("parlour.engine.kernel", "parlour.engine.c.loading"),
}
"""The modules that a module below names: a kernel says which modules bind it, and loads the one that is wanted."""


def inside(folder: str) -> Callable[[str], str]:
    """The parts of the drawing of one folder: its modules."""
    return lambda module: module.split(".")[2] if module.startswith(f"parlour.{folder}.") else ""


@pytest.mark.parametrize(
    ("drawing", "part"),
    [("storeys", part_of), *((f"storeys of the {name}", inside(name)) for name in ("core", "rules", "engine"))],
)
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
                upward.append((module, other))
    assert seen > (40 if part is part_of or "engine" in drawing else 5)
    assert set(upward) == (DECLARED if "engine" in drawing else set())


def test_the_map_shows_every_folder_with_one_sentence() -> None:
    shown = re.findall(r"^\| `(\w+)` \| (\S.*) \|$", DRAWING, re.MULTILINE)
    folders = {file.parent.name for file in ROOT.glob("*/__init__.py")}
    assert len(shown) <= 12
    assert {name for name, _ in shown} == folders
    assert {file.name for file in ROOT.glob("*.py")} == {"__init__.py", "__main__.py"}
    for file in ROOT.rglob("__init__.py"):
        assert ast.get_docstring(parsed(file)), file


def test_a_module_that_is_only_named_is_seen(tmp_path: Path) -> None:
    file = tmp_path / "low.py"
    file.write_text("""
BINDINGS = {"interpreted": "parlour.engine.interpreted"}
def draw(view):
    draw = import_module("parlour.core.drawing")
    return str(draw.as_text(view)), [importlib.import_module("parlour.server.page.notebook")]
def part(name):
    importlib.import_module(f"parlour.games.{name}")
    return __import__("parlour.server").server, import_module("parlour")
""")
    assert imports("parlour.engine.low", file) == {
        "parlour", "parlour.engine.interpreted", "parlour.core.drawing", "parlour.server.page.notebook",
        "parlour.server",
    }  # fmt: skip


CIRCLES = [
    {"engine.c.expressions", "engine.c.program", "engine.c.statements", "engine.c.telling"},
    {"games.diamondback.solving", "games.diamondback.unbeatable"},
    {"study.simulate", "study.data_frames"},
]
"""Modules that import each other; docs/architecture.md says why."""
ENTRY_POINTS = {("parlour.players.plugins", "parlour.players")}
"""Where the name of a module is that of a group of entry points, too."""


def reached(module: str) -> set[str]:
    known, found, todo = modules(), set[str](), [module]
    while todo:
        one = todo.pop()
        new = {other for other in imports(one, known[one]) if (one, other) not in {*DECLARED, *ENTRY_POINTS}} - found
        found |= new
        todo += new
    return found


def test_modules_go_round_in_a_circle_only_where_it_is_explained() -> None:
    beyond = {module: reached(module) for module in modules()}
    circles = {frozenset({other for other in found if module in beyond[other]}) for module, found in beyond.items()}
    found = [{one.removeprefix("parlour.") for one in circle} for circle in circles if len(circle) > 1]
    assert sorted(map(sorted, found)) == sorted(map(sorted, CIRCLES))
    for circle in CIRCLES:
        folder = min(circle).rpartition(".")[0].replace(".", "/")
        assert f"- `{folder}`:" in DRAWING, folder


FOR_PAGES: Final = "live.for_pages"
"""The one module by which pages and the club reach the server's tables, and what is kept of them."""
TRAVELS: Final = {
    *("bots.best_line", "bots.looking_back", "bots.reviews", "live.chat", "live.identity", "live.secrecy"),
    *("store.competitions", "store.history", "store.rating", "store.retention", "table.competition_names"),
    *("table.invitations", "table.log", "table.moments", "table.score", "table.seats"),
}
"""What they also name, because it travels through that module: values, and functions of values.  None of it leads to a
table."""


def test_pages_are_one_more_client_of_the_room() -> None:
    """They know tables by sessions, as the interface for programs does, and nothing behind them."""
    used = set()
    for module, file in modules().items():
        if part_of(module) in {"server.page", "server.club", "server.site"}:
            assert not read(file).attributes & {"live", "_live"}, f"{module} looks behind the session"
            if not module.endswith(".serving"):  # the whole server
                used |= {other.removeprefix("parlour.server.") for other in imports(module, file)}
    assert {one for one in used if one.partition(".")[0] in {"live", "bots", "store", "table"}} == {FOR_PAGES, *TRAVELS}


def test_whatever_is_imported_comes_with_the_package_or_an_extra() -> None:
    known = {m for names in EXTRAS.values() for m in names} | _PART_OF.keys() | {"rich", "typer", "parlour"}
    known |= {"cuda", "minari"}  # the extras gpu and minari: not among those of `all`
    for file in ROOT.rglob("*.py"):
        for node in read(file).statements:
            found = [one.name for one in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and not node.level:
                found = [str(node.module)]
            strange = {name.partition(".")[0] for name in found} - known - sys.stdlib_module_names
            assert not strange, f"{file}:{node.lineno}"


MOST_MEMBERS, MOST_METHODS, MOST_LINES, MOST_PARAMETERS = 41, 30, 500, 12
"""How many public members a game in progress has (methods, properties and attributes), public methods a class (without
properties), lines a module (unless its first says why it is ``long because`` …), and parameters a function (unless it
is a command, whose help explains each)."""


def test_what_is_shown_is_small_enough_to_be_held_in_the_head() -> None:
    usual, fast = ({name for name in dir(kind) if name[0] != "_"} for kind in (parlour.State, parlour.CompiledState))
    assert len(usual) <= MOST_MEMBERS, sorted(usual)
    assert fast - usual <= {"of", "interpreted"}
    for module, file in modules().items():
        lines = file.read_text("utf-8").splitlines()
        assert len(lines) <= MOST_LINES or "long because" in lines[0], f"{module}: divide it, or say why"
        large = [name for name, methods in read(file).methods.items() if methods > MOST_METHODS]
        assert not large, f"{module}: divide it"
        large = [name for name, parameters in read(file).parameters.items() if parameters > MOST_PARAMETERS]
        assert not large, f"{module}: give them a named tuple"
