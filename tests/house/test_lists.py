"""Lists in documents about the code have what the code has, no more and no less; and what happens in one place only
happens there."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import get_args

import msgspec
import pytest
from fastapi.routing import APIRoute, APIWebSocketRoute

import parlour
from parlour.server.common import phrases, wire
from parlour.server.web import api
from parlour.server.web.new_table import NewTable
from tools.website import prose

SOURCES = Path(parlour.__file__).parent
_CODE = re.compile(r"`([^`\n]+)`")


def quoted(text: str) -> set[str]:
    return set(_CODE.findall(text))


def rows(page: str, title: str) -> dict[str, str]:
    """The first table of a section: what its first column quotes, and the rest of each row."""
    section = re.split(rf"^#+ {re.escape(title)}$", prose(page), flags=re.MULTILINE)[1]
    table = re.search(r"(?:^\|.*\n)+", section, re.MULTILINE)
    assert table
    cells = [row.strip("| \n").split(" | ", 1) for row in table[0].splitlines()[2:]]
    return {name.strip("`"): rest for name, rest in cells}


# ------------------------------------------------------------------------------------------------ the room


def own(kind: type[msgspec.Struct]) -> set[str]:
    """The fields of a frame or a command that are its own."""
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


# ------------------------------------------------------------------------------------------------ testing


def is_long(test: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any(ast.unparse(mark).startswith("pytest.mark.long") for mark in test.decorator_list)


def test_modules_that_make_test_leaves_out_altogether() -> None:
    """What a module leaves to the long run is more of what it tests every time."""
    left_out = set()
    for file in (SOURCES.parents[1] / "tests").rglob("test_*.py"):
        tree = ast.parse(file.read_text("utf-8"))
        marks = [ast.unparse(one) for one in tree.body if ast.unparse(one).startswith("pytestmark")]
        tests = [one for one in tree.body if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)]
        tests = [one for one in tests if one.name.startswith("test_")]
        if tests and ("pytest.mark.long" in " ".join(marks) or all(map(is_long, tests))):
            left_out.add(file.name)
    assert {
        name.partition("`")[0] for name in rows("testing", "What `make test` leaves to `make test-long`")
    } == left_out


# ------------------------------------------------------------------------------------------------ only


def callers(name: str) -> dict[str, set[str]]:
    """The modules that call a function of this name, each with the functions in which they do."""
    found: dict[str, set[str]] = {}
    for file in SOURCES.rglob("*.py"):
        for within in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(within, ast.FunctionDef | ast.AsyncFunctionDef):
                for node in ast.walk(within):
                    if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] == name:
                        found.setdefault(file.relative_to(SOURCES).as_posix(), set()).add(within.name)
    return found


ONLY = {
    "Packet": {"server/common/wire.py": {"encode"}},  # "only `wire.encode` makes packets"
}
"""What is made in one place only, and where."""


@pytest.mark.parametrize("name", ONLY)
def test_what_is_made_in_one_place_only_is_made_there(name: str) -> None:
    assert callers(name) == ONLY[name]
