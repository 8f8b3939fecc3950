"""What a class shows is small enough to be held in the head."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

import parlour

MOST_MEMBERS: Final = 40
"""How many public members a game in progress has: methods, properties and attributes."""
MOST_METHODS: Final = 30
"""How many public methods a class has, without its properties."""
LONGEST: Final = 500
"""How many lines a module of the server has."""


def _classes() -> Iterator[tuple[str, int]]:
    """Yield the name of each class of the package, and how many methods of its own it shows."""
    for file in sorted(Path(parlour.__file__).parent.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.ClassDef):
                yield node.name, len({name for one in node.body if (name := _method(one)) and not name.startswith("_")})


def _method(one: ast.stmt) -> str | None:
    """Return the name of what is defined here, if it is called like a function."""
    if not isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef):
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
    assert not {name: shown for name, shown in _classes() if shown > MOST_METHODS}, "divide it"


def test_no_module_of_the_server_is_longer_than_its_one_job_needs() -> None:
    files = (Path(parlour.__file__).parent / "server").rglob("*.py")
    assert not [file.name for file in files if file.read_text("utf-8").count("\n") > LONGEST], "divide it"
