"""Lists in documents about the code have what the code has, no more and no less; and what happens in one place only
happens there."""

from __future__ import annotations

import ast
import inspect
import os
import re
import sys
from collections import Counter
from functools import cache
from pathlib import Path
from typing import get_args

import msgspec
import typer
from fastapi.routing import APIRoute, APIWebSocketRoute

import parlour
from parlour.cli.app import app
from parlour.engine.definition import definition, shelf
from parlour.rules import contract, vocabulary
from parlour.server.common import phrases, wire
from parlour.server.web import api
from parlour.server.web.new_table import NewTable
from tests.helpers import there
from tools.website import ROOT, prose

SOURCES = Path(parlour.__file__).parent
Function = ast.FunctionDef | ast.AsyncFunctionDef
_CODE = re.compile(r"`([^`\n]+)`")


def quoted(text: str) -> set[str]:
    return set(_CODE.findall(text))


def rows(page: str, title: str) -> dict[str, str]:
    """The first table of a section: what its first column quotes, and the rest of each row."""
    section = re.split(rf"^#+ {re.escape(title)}$", prose(page), flags=re.MULTILINE)[1]
    table = there(re.search(r"(?:^\|.*\n)+", section, re.MULTILINE))
    cells = [row.strip("| \n").split(" | ", 1) for row in table[0].splitlines()[2:]]
    return {name.strip("`"): rest for name, rest in cells}


def own(kind: type[msgspec.Struct]) -> set[str]:
    return {one.encode_name for one in msgspec.structs.fields(kind)} - {"parts"}


def test_frames_and_their_fields() -> None:
    shown = rows("room", "Frames")
    assert {*shown} == {kind.__struct_config__.tag for kind in get_args(wire.AnyFrame)}
    values: dict[str, set[str]] = {
        "telling": set(wire.ALL),
        "notice": {"sat", "left", "removed", "spectators"}.union(wire.ALL),
        "mixing": {"pledge", "nonce", "mixed"},
    }
    for kind in get_args(wire.AnyFrame):
        tag = str(kind.__struct_config__.tag)
        said = quoted(shown[tag].partition(" | ")[2])
        assert own(kind) == said - values.get(tag, set()), tag


def test_commands_and_their_fields() -> None:
    said = re.split(r"^### Commands$", prose("room"), flags=re.MULTILINE)[1].partition("\n### ")[0]
    of = {name: quoted(inside or "") for name, inside in re.findall(r"(?<!\()`(\w+)`(?: \(([^()]*)\))?", said)}
    commands = {str(kind.__struct_config__.tag): own(kind) - {"id"} for kind in get_args(wire.AnyCommand)}
    assert {*of} >= {*commands}
    values: dict[str, set[str]] = {"phrase": {*phrases.PHRASES}, "allow": set(wire.ALL), "act": {"raise 37 win 20"}}
    assert {name: of[name] - values.get(name, set()) for name in commands} == commands


def test_the_interface_for_programs() -> None:
    shown = rows("room", "Interface, version 1")
    asked = [route for route in api.router.routes if isinstance(route, APIRoute)]
    there = {f"{method} {route.path}" for route in asked for method in route.methods or ()}
    there |= {f"{route.path}" for route in api.router.routes if isinstance(route, APIWebSocketRoute)} | {"GET /health"}
    assert {*shown} == {one.replace("{table}", "T") for one in there}
    assert quoted(shown["POST /api/1/tables"]) == {*NewTable.model_fields}


def test_commands_and_their_options() -> None:
    """What a command is for is written by hand; its options are written from the code if PARLOUR_SNAPSHOTS says
    "write"."""
    file = ROOT / "docs" / "interfaces.md"
    page = made = file.read_text("utf-8")
    for group in ("Play", "Study", "Build", "Host"):
        commands = {
            name: [one.opts[0] for one in command.params if one.param_type_name == "option" and not one.hidden]
            for name, command in typer.main.get_command(app).commands.items()  # type: ignore[attr-defined]
            if command.rich_help_panel == group
        }
        said = rows("interfaces", group)
        assert {*said} == {*commands}
        for name, options in commands.items():
            purpose = said[name].partition(" | ")[0]
            row = f"| `{name}` | {purpose} | {' '.join(f'`{option}`' for option in options)} |"
            made = re.sub(rf"^\| `{name}` \| {re.escape(purpose)} \|.*$", row, made, flags=re.MULTILINE)
    if os.environ.get("PARLOUR_SNAPSHOTS") == "write":
        file.write_text(made, "utf-8")
    assert made == page, "look at the difference; if it is meant: PARLOUR_SNAPSHOTS=write"


def test_modules_that_make_test_leaves_out_altogether() -> None:
    """What a module leaves to the long run is more of what it tests every time."""
    left_out = set()
    for file in (SOURCES.parents[1] / "tests").rglob("test_*.py"):
        text = file.read_text("utf-8")
        if "mark.long" not in text:
            continue
        body = ast.parse(text).body
        tests = [one for one in body if isinstance(one, Function) and one.name.startswith("test_")]
        marks = [" ".join(map(ast.unparse, test.decorator_list)) for test in tests]
        is_marked = any(ast.unparse(one).startswith("pytestmark") and "mark.long" in ast.unparse(one) for one in body)
        if tests and (is_marked or all(re.search(r"(?:^| )pytest\.mark\.long", one) for one in marks)):
            left_out.add(file.name)
    assert {
        name.partition("`")[0] for name in rows("testing", "What `make test` leaves to `make test-long`")
    } == left_out


def test_every_kernel_is_shown_in_its_folder() -> None:
    shown = {folder: quoted(names) for folder, names in rows("architecture", "Kernels").items()}
    folders = [file.parent for file in SOURCES.glob("*/kernels/__init__.py")]
    assert shown == {
        folder.relative_to(SOURCES).as_posix(): {file.stem for file in folder.glob("*.py")} - {"__init__"}
        for folder in folders
    }


def test_the_constants_of_a_game_are_those_of_the_contract() -> None:
    """Things and options are declared in every way that there is."""
    text = prose("adding_a_game")
    said = there(re.search(r"^Constants: .*$", text, re.MULTILINE))
    things = there(re.search(r"A thing is (.*?);", text))
    assert {name for name in quoted(said[0]) if name.isupper()} == {*contract.CONSTANTS}
    words = {name: made for name, made in vars(vocabulary).items() if inspect.isfunction(made) and name[0] != "_"}
    takes = {name: inspect.signature(made) for name, made in words.items()}
    assert quoted(things[1]) == {name for name, one in takes.items() if one.return_annotation == "Thing"}
    ways = {name for name, one in takes.items() if "clauses" in one.parameters}
    assert set() < ways <= quoted(rows("architecture", "Where things are decided")["House rules"])


@cache
def rules() -> dict[str, ast.Module]:
    """All modules of rules."""
    modules = {module for name in shelf() for module in definition(name).sources}
    return {module.__name__: ast.parse(inspect.getsource(module)) for module in modules}


def test_rules_import_what_they_may() -> None:
    """The vocabulary, shared modules of rules, and what is named of the standard library."""
    said = there(re.search(r"They may import only .*? on import\.", prose("adding_a_game")))
    used = set()
    for node in (node for tree in rules().values() for node in ast.walk(tree)):
        if isinstance(node, ast.Import):
            used |= {one.name for one in node.names}
        elif isinstance(node, ast.ImportFrom):
            whole = node.module == "parlour.rules"
            used |= {f"{node.module}.{one.name}" if whole else str(node.module) for one in node.names}
    standard = {name for name in used if name.partition(".")[0] in sys.stdlib_module_names} - {"__future__"}
    assert standard == {name for name in quoted(said[0]) if name.partition(".")[0] in sys.stdlib_module_names}
    assert used - standard <= {"__future__", vocabulary.__name__, *rules()}


def test_rules_never_draw() -> None:
    """Of what a game defines only two functions are given a generator, and whatever draws is given one."""
    assert {name for name, one in contract.entries().items() if "rng" in one.parameters} == {"redeal", "appraise"}
    for module, tree in rules().items():
        for function in ast.walk(tree):
            if isinstance(function, ast.FunctionDef) and "rng" not in {one.arg for one in function.args.args}:
                called = {ast.unparse(node.func) for node in ast.walk(function) if isinstance(node, ast.Call)}
                assert not called & {"draw", "below"}, f"{module}.{function.name}"


def test_no_public_class_name_occurs_twice() -> None:
    texts = [file.read_text("utf-8") for file in SOURCES.rglob("*.py")]
    found = Counter(name for text in texts for name in re.findall(r"^class ([A-Za-z]\w*)", text, re.MULTILINE))
    assert len(found) > 300
    assert [name for name, times in found.items() if times > 1] == []


def test_every_word_of_the_glossary_is_defined_once() -> None:
    words = dict[str, list[str]]()
    for section in re.split(r"^## ", prose("glossary"), flags=re.MULTILINE)[1:]:
        first = re.findall(r"^\| *([^|]*?) *\|", section, re.MULTILINE)[2:]
        words[section.partition("\n")[0]] = [word for cell in first for word in cell.split(", ")]
    own = words.pop("Words of our own")
    del words["One word, one thing"]
    defined = Counter(word for some in words.values() for word in some)
    assert [word for word, times in defined.items() if times > 1] == []
    assert {"table", "match", "event", "telling", "stop", "witness", "ledger", *own} <= {*defined}


def test_what_is_made_in_one_place_only_is_made_there() -> None:
    texts = {file.relative_to(SOURCES).as_posix(): file.read_text("utf-8") for file in SOURCES.rglob("*.py")}
    made = {name: len(found) for name, text in texts.items() if (found := re.findall(r"(?<!class )\bPacket\(", text))}
    assert made == {"server/common/wire.py": 1}
    assert "Packet(" in inspect.getsource(wire.encode)


def asked_of_the_system(*files: Path) -> set[str]:
    texts = [file.read_text("utf-8") for file in files]
    return {name for text in texts for name in re.findall(r"environ(?:\.get\(|\[)\"(\w+)\"", text)}


def test_settings_of_the_compiler() -> None:
    shown = {name.partition("=")[0] for name in rows("processors", "When a compiler fails")}
    files = *(SOURCES / "engine").rglob("*.py"), SOURCES / "base" / "disk.py", SOURCES.parents[1] / "hatch_build.py"
    assert shown == asked_of_the_system(*files)
