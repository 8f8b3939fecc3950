"""What the documents show runs as it stands there, and what a program writes into them is up to date."""

from __future__ import annotations

import ast
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import typer

import contracts
from parlour import contract
from parlour.cli.app import app

DOCS = Path(__file__).parent.parent / "docs"
PAGES = ["adding_a_game.md", "telling_a_game.md", "publishing_a_game.md", "batches.md", "adapters.md", "players.md"]
PARLOUR = [sys.executable, "-c", "from parlour.cli.app import main; main()"]
COMMANDS: dict[str, Any] = typer.main.get_command(app).commands  # type: ignore[attr-defined]
COMMAND = re.compile(r"(?:^|[\s`/])parlour ([a-z]+)\b((?:[^`\n|;&]|\\\n)*)", re.MULTILINE)
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def snippets(page: str, language: str) -> list[str]:
    return [text for kind, text in FENCE.findall((DOCS / page).read_text("utf-8")) if kind == language]


@pytest.mark.parametrize("page", PAGES)
def test_python_runs_from_the_top_of_the_page_to_its_end(page: str) -> None:
    space: dict[str, Any] = {"__name__": "snippets"}
    found = snippets(page, "python")
    assert found
    for text in found:
        exec(compile(text, page, "exec"), space)


@pytest.mark.parametrize("page", ["adding_a_game.md", "publishing_a_game.md"])
def test_commands_run(page: str, tmp_path: Path) -> None:
    for line in "".join(snippets(page, "console")).splitlines():
        _, _, command = line.partition("$ parlour ")
        done = subprocess.run(
            [*PARLOUR, *shlex.split(command)], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"


@pytest.mark.parametrize("page", ["telling_a_game.md", "publishing_a_game.md", "players.md"])
def test_toml_can_be_read(page: str) -> None:
    for text in snippets(page, "toml"):
        assert tomllib.loads(text)


def test_the_table_of_the_contract_is_the_contract(tmp_path: Path) -> None:
    page = DOCS / "adding_a_game.md"
    again = tmp_path / page.name
    again.write_text(page.read_text("utf-8"), "utf-8")
    contract.write_table(again)
    assert again.read_text("utf-8") == page.read_text("utf-8"), "make docs"


def test_every_game_is_held_against_the_contract() -> None:
    """What a type checker reads is about all games, and all that they define."""
    tree = [ast.dump(ast.parse(text)) for text in (contracts.typed(), contracts.FILE.read_text("utf-8"))]
    assert tree[0] == tree[1], "make docs"


def test_each_promise_of_security_names_a_test_that_exists() -> None:
    """And each paragraph on an adversary names one at least."""
    text, tests = (Path(__file__).parents[1] / "docs" / "security.md").read_text("utf-8"), Path(__file__).parent
    named = set(re.findall(r"`(test_\w+)`", text))
    there = {
        name for file in tests.glob("test_*.py") for name in re.findall(r"def (test_\w+)", file.read_text("utf-8"))
    }
    assert not named - there
    assert len(named) > 50
    for section in text.split("\n## ")[2:-1]:
        assert "`test_" in section, section.partition("\n")[0]


def options_of(command: str) -> set[str]:
    """The options of a command, as its help lists them."""
    params = COMMANDS[command].params
    return {word for param in params for word in (*param.opts, *param.secondary_opts) if word.startswith("--")}


def test_options_of_commands_that_pages_name_exist() -> None:
    top, named = Path(__file__).parents[1], 0
    for file in (top / "README.md", *DOCS.glob("*.md"), *(top / "deploy").iterdir()):
        for command, rest in COMMAND.findall(file.read_text("utf-8")):
            words = re.findall(r"(?<!\S)--[a-z][a-z-]*", rest)
            assert command in COMMANDS or not words, f"{file.name}: parlour {command}"
            unknown = words and set(words) - options_of(command) - {"--help"}
            assert not unknown, f"{file.name}: parlour {command} has no {unknown}"
            named += len(words)
    assert named > 30


def test_the_page_on_hosting_names_each_option_of_the_server() -> None:
    table = (DOCS / "hosting.md").read_text("utf-8").partition("## Options of the server")[2].partition("\n## ")[0]
    rows = {word for row in table.splitlines() if row.startswith("| `--") for word in re.findall(r"`(--[a-z-]+)`", row)}
    assert rows == options_of("serve") - {"--open"}
