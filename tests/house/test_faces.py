"""What a class shows is small enough to be held in the head."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path
from typing import Final

import pytest

import parlour
from tests.helpers import parsed

MOST_MEMBERS: Final = 41
"""How many public members a game in progress has: methods, properties and attributes."""
MOST_METHODS: Final = 30
"""How many public methods a class has, without its properties."""
MOST_LINES: Final = 500
"""How many lines a module has, unless its first line says why it is ``long because`` …"""
MOST_PARAMETERS: Final = 12
"""How many parameters a function has, unless it is a command: its help explains each of them."""


Function = ast.FunctionDef | ast.AsyncFunctionDef


@cache
def _shown() -> tuple[dict[str, int], dict[str, int]]:
    """How many public methods each class of the package has, and how many parameters each function but commands."""
    methods, parameters = dict[str, int](), dict[str, int]()
    for file in sorted(Path(parlour.__file__).parent.rglob("*.py")):
        for node in ast.walk(parsed(file)):
            if isinstance(node, ast.ClassDef):
                names = {name for one in node.body if (name := _method(one)) and not name.startswith("_")}
                methods[f"{file.name}:{node.lineno} {node.name}"] = len(names)
            elif isinstance(node, Function) and not _is_command(node):
                parameters[f"{file.name}:{node.lineno} {node.name}"] = _parameters(node)
    return methods, parameters


def _method(one: ast.stmt) -> str | None:
    """Return the name of what is defined here, if it is called like a function."""
    if not isinstance(one, Function):
        return None
    is_property = any(ast.unparse(by).endswith(("property", ".setter")) for by in one.decorator_list)
    return None if is_property else one.name


@pytest.mark.parametrize("binding", ["interpreted", "compiled"])
def test_a_game_in_progress_shows_what_players_and_researchers_use(binding: str) -> None:
    kind = parlour.State if binding == "interpreted" else parlour.CompiledState
    shown = {name for name in dir(kind) if not name.startswith("_")}
    assert len(shown) <= MOST_MEMBERS + (binding == "compiled") * len({"of", "interpreted"}), sorted(shown)
    assert shown - {"of", "interpreted"} <= {name for name in dir(parlour.State) if not name.startswith("_")}


def test_no_class_shows_more_than_it_must() -> None:
    assert not {name: shown for name, shown in _shown()[0].items() if shown > MOST_METHODS}, "divide it"


def test_no_module_is_longer_than_can_be_read_at_one_sitting() -> None:
    root, long = Path(parlour.__file__).parent, list[str]()
    for file in sorted(root.rglob("*.py")):
        lines = file.read_text("utf-8").splitlines()
        if len(lines) > MOST_LINES and "long because" not in lines[0]:
            long.append(f"{file.relative_to(root)} has {len(lines)} lines")
    assert not long, "divide it, or say why in its first line"


def _parameters(of: Function) -> int:
    """Return how many parameters a function has."""
    given = of.args
    others = [one for one in (given.vararg, given.kwarg) if one]
    return len([*given.posonlyargs, *given.args, *given.kwonlyargs, *others])


def _is_command(of: Function) -> bool:
    """Whether a function is a command, which says with each parameter what it is on the command line."""
    return any("typer." in ast.unparse(one.annotation) for one in of.args.args if one.annotation)


def test_no_function_has_more_parameters_than_can_be_told_apart() -> None:
    many = {name for name, parameters in _shown()[1].items() if parameters > MOST_PARAMETERS}
    assert not many, "give them a named tuple"
