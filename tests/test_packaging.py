"""What a user installs holds everything that a game needs."""

from __future__ import annotations

import tomllib
from importlib import metadata, resources
from pathlib import Path

import pytest

import parlour
from parlour.engine.definition import definition, shelf

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


def test_the_shelf() -> None:
    assert shelf() == [
        "commit",
        "diabolo",
        "diamondback",
        "diamonds",
        "dividha",
        "hearts",
        "kuhn",
        "leduc",
        "matrimony",
        "newmarket",
        "pope_joan",
    ]


@pytest.mark.parametrize("game", shelf())
def test_a_game_brings_its_words_and_its_book(game: str) -> None:
    folder = resources.files(definition(game).package)
    for file in ("rules.py", "words.toml", "book.md"):
        assert folder.joinpath(file).is_file()
    assert definition(game).name
    assert definition(game).book.clauses


def test_the_package_is_typed() -> None:
    assert resources.files("parlour").joinpath("py.typed").is_file()


def test_wheel_and_sdist_take_every_file() -> None:
    targets = PROJECT["tool"]["hatch"]["build"]["targets"]
    assert targets["wheel"] == {"packages": ["src/parlour"]}  # whole: nothing is filtered
    assert {"/src", "/tests", "/docs", "/deploy"} <= set(targets["sdist"]["include"])
    ignored = (ROOT / ".gitignore").read_text("utf-8").split()
    assert not [line for line in ignored if line.endswith((".toml", ".md", ".typed", ".rec"))]


def test_one_version() -> None:
    assert parlour.__version__ == PROJECT["project"]["version"] == metadata.version("parlour")


def test_command() -> None:
    (command,) = metadata.entry_points(group="console_scripts", name="parlour")
    assert callable(command.load())
