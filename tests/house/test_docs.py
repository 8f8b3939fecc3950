"""What the documents show runs as it stands there, and what a program writes into them is up to date."""

from __future__ import annotations

import ast
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import typer

import parlour
from parlour.base import extras
from parlour.cli.app import app
from parlour.rules import contract
from tests.helpers import Says
from tools import contracts, website

DOCS = Path(__file__).parents[2] / "docs"
PAGES = sorted(
    path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md") if "\n```python\n" in path.read_text("utf-8")
)
PARLOUR = [sys.executable, "-c", "from parlour.cli.app import main; main()"]
COMMANDS: dict[str, Any] = typer.main.get_command(app).commands  # type: ignore[attr-defined]
COMMAND = re.compile(r"(?:^|[\s`/])parlour ([a-z]+)\b((?:[^`\n|;&]|\\\n)*)", re.MULTILINE)
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def snippets(page: str, language: str) -> list[str]:
    return [text for kind, text in FENCE.findall((DOCS / page).read_text("utf-8")) if kind == language]


ALONE = ("adapters.md",)
"""Pages of which each snippet is copied alone, with what it imports."""


@pytest.mark.parametrize("page", PAGES)
def test_python_runs_from_the_top_of_the_page_to_its_end(page: str) -> None:
    space: dict[str, Any] = {"__name__": "snippets"}
    found = snippets(page, "python")
    assert found
    for text in found:
        exec(compile(text, page, "exec"), {**space} if page in ALONE else space)


LENGTHY = ("adding_a_game.md", "publishing_a_game.md", "tutorials/study.md")
"""Pages whose commands take long: audits of a new game, studies of a known one."""


@pytest.mark.parametrize(
    "page",
    ["players.md", "solve.md", "tutorials/play.md", *(pytest.param(page, marks=pytest.mark.long) for page in LENGTHY)],
)
def test_commands_run_and_say_what_the_page_shows(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, says: Says
) -> None:
    """A block of commands may be followed by lines of what they print; spaces in them do not count."""
    said: list[str] = []
    monkeypatch.chdir(tmp_path)
    for name, value in {"COLUMNS": "100", "NO_COLOR": "1"}.items():
        monkeypatch.setenv(name, value)
    for kind, text in FENCE.findall((DOCS / page).read_text("utf-8")):
        if kind == "console":
            said = []
            for line in text.splitlines():
                _, _, command = line.partition("$ parlour ")
                if page in LENGTHY:  # a new game is a module, and stays where it has been imported
                    done = subprocess.run(
                        [*PARLOUR, *shlex.split(command)], capture_output=True, text=True, check=False
                    )
                    code, out, err = done.returncode, done.stdout, done.stderr
                else:
                    code, out, err = says(command)
                assert code == 0, f"{line}\n{out}{err}"
                said += [" ".join(one.split()) for one in out.splitlines()]
        elif kind == "text":
            for line in text.splitlines():
                assert any(" ".join(line.split()) in one for one in said), f"{line}\nis not in\n" + "\n".join(said)


@pytest.mark.parametrize("page", ["adding_a_game.md", "publishing_a_game.md", "solve.md", "tutorials/study.md"])
def test_a_page_says_which_extra_its_commands_need(page: str) -> None:
    shown = {name for text in snippets(page, "console") for name, _ in COMMAND.findall(text)}
    assert shown & {*extras.COMMANDS}
    text = (DOCS / page).read_text("utf-8")
    assert not [name for name in shown & {*extras.COMMANDS} if f"parlour[{extras.COMMANDS[name]}]" not in text]


@pytest.mark.parametrize("page", ["telling_a_game.md", "publishing_a_game.md", "players.md"])
def test_toml_can_be_read(page: str) -> None:
    for text in snippets(page, "toml"):
        assert tomllib.loads(text)


def test_the_table_of_the_contract_is_the_contract(tmp_path: Path) -> None:
    """And what a type checker reads is about all games, and all that they define."""
    page = DOCS / "adding_a_game.md"
    again = tmp_path / page.name
    again.write_text(page.read_text("utf-8"), "utf-8")
    contract.write_table(again)
    assert again.read_text("utf-8") == page.read_text("utf-8"), "make docs"
    typed, kept = (ast.dump(ast.parse(text)) for text in (contracts.typed(), contracts.FILE.read_text("utf-8")))
    assert typed == kept, "make docs"


MOST_WORDS = 50_000
"""In all documents together, code and tables included; the bars of tables are not words."""
LONGEST_PARAGRAPH = 90
WRITTEN = ("bench",)
"""Documents that are written by programs altogether."""


def words_in(text: str) -> int:
    return sum(any(map(str.isalnum, word)) for word in text.split())


def test_documents_can_be_finished() -> None:
    """What strangers read first is shorter still."""
    pages = {path.relative_to(DOCS).with_suffix("").as_posix(): path.read_text("utf-8") for path in DOCS.rglob("*.md")}
    assert sum(words_in(text) for page, text in pages.items() if page not in WRITTEN) <= MOST_WORDS
    readme, changes = ((DOCS.parent / f"{name}.md").read_text("utf-8") for name in ("README", "CHANGELOG"))
    assert words_in(readme) <= 900
    assert len(changes.partition("\n## 0.1.0")[2].splitlines()) <= 60
    for page, text in {**{page: website.prose(page) for page in pages}, "strangers": readme + changes}.items():
        for paragraph in re.split(r"\n\n|\n(?=[-*|] | +- |\d+\. |#)", text):
            assert paragraph.startswith("|") or len(paragraph.split()) <= LONGEST_PARAGRAPH, f"{page}: {paragraph}"


PROMISED: dict[str, dict[str, str]] = tomllib.loads((Path(__file__).parent / "promises.toml").read_text("utf-8"))
"""What other documents promise ("only", "never", "once", "every"), and the test that each promise stands on."""
EXCEPTED: dict[str, dict[str, str]] = PROMISED.pop("excepted")  # type: ignore[assignment]
KINDS = {
    "advice": "what the reader does, or should do",
    "meaning": "what a word, an option or a file stands for",
    "seen": "what was measured or tried, and is told with its day",
}
"""Kinds of sentences with such words that promise nothing."""
WHOLE = ("architecture", "testing", "room", "tables", "servers", "page", "playing", "boards", "speed")
"""Documents of which every such sentence is held."""
_WORDS = "only|never|always|once|every(?:body|thing)?|each|all|no|nobody|nothing|none|alone"
PROMISING = re.compile(rf"(?<!\bat )(?<!\bafter )\b(?:{_WORDS})\b(?! longer\b)", re.IGNORECASE)


def unheld(text: str, known: Iterable[str]) -> list[str]:
    """The sentences of a text that promise something, and of which nothing is known."""
    found = []
    for block in re.split(r"\n\n|\n(?=[-*|] |\d\. |#)", text):
        for sentence in re.split(r"(?<=[.!?])\*{0,2} (?=\*{0,2}[A-Z`\[])| \| ", " ".join(block.split())):
            said = re.sub(r"`[^`]*`|\]\([^)]*\)|^#.*", "·", sentence)
            if PROMISING.search(said) and not any(one in sentence for one in known):
                found.append(sentence)
    return found


@cache
def every_test() -> set[str]:
    tests = Path(__file__).parents[1].rglob("test_*.py")
    return {name for file in tests for name in re.findall(r"def (test_\w+)", file.read_text("utf-8"))}


def test_each_promise_of_security_names_a_test_that_exists() -> None:
    """And each paragraph on an adversary names one at least."""
    text = (DOCS / "security.md").read_text("utf-8")
    named = set(re.findall(r"`(test_\w+)`", text))
    assert not named - every_test()
    assert len(named) > 50
    for section in text.split("\n## ")[2:-1]:
        assert "`test_" in section, section.partition("\n")[0]


@pytest.mark.parametrize("page", PROMISED)
def test_what_a_document_promises_is_written_there_and_tested(page: str) -> None:
    text = " ".join(website.prose(page).split())
    assert not [promise for promise in PROMISED[page] if promise not in text]
    assert not {*PROMISED[page].values()} - every_test()


@pytest.mark.parametrize("page", WHOLE)
def test_every_promise_of_a_document_is_held(page: str) -> None:
    text, excepted = website.prose(page), EXCEPTED.get(page, {})
    assert not unheld(text, [*PROMISED.get(page, {}), *excepted])
    assert not [one for one, kind in excepted.items() if one not in " ".join(text.split()) or kind not in KINDS]


def options_of(command: str) -> set[str]:
    """The options of a command, as its help lists them."""
    params = COMMANDS[command].params
    return {word for param in params for word in (*param.opts, *param.secondary_opts) if word.startswith("--")}


def test_options_of_commands_that_pages_name_exist() -> None:
    top, named = Path(__file__).parents[2], 0
    for file in (top / "README.md", *DOCS.rglob("*.md"), *(top / "deploy").iterdir()):
        for command, rest in COMMAND.findall(file.read_text("utf-8")):
            words = re.findall(r"(?<!\S)--[a-z][a-z-]*", rest)
            assert command in COMMANDS or not words, f"{file.name}: parlour {command}"
            unknown = words and set(words) - options_of(command) - {"--help"}
            assert not unknown, f"{file.name}: parlour {command} has no {unknown}"
            named += len(words)
    assert named > 30


def test_the_page_on_hosting_names_each_option_of_the_server() -> None:
    table = (DOCS / "hosting.md").read_text("utf-8").partition("## Server options")[2].partition("\n## ")[0]
    rows = {word for row in table.splitlines() if row.startswith("| `--") for word in re.findall(r"`(--[a-z-]+)`", row)}
    assert rows == options_of("serve") - {"--open"}


@pytest.mark.parametrize("document", ["README.md", *website.documents(), *website.notebooks()])
def test_links_lead_somewhere(document: str) -> None:
    assert not website.broken(document)


def test_every_document_and_rule_book_is_in_the_table_of_contents() -> None:
    listed = re.findall(r" ([\w/.]+\.md)$", website.CONFIG.read_text("utf-8"), re.MULTILINE)
    assert len(listed) == len(set(listed))
    pages = {website.place(document) for document in (*website.documents(), *website.notebooks())}
    assert set(listed) == pages | {f"reference/{name}.md" for name in website.modules()}


def test_pages_link_to_each_other_on_the_site(tmp_path: Path) -> None:
    website.gather(tmp_path)
    assert "](../reference" not in (tmp_path / "architecture.md").read_text("utf-8")
    assert "](source/tests/house/test_layers.py.md)" in (tmp_path / "architecture.md").read_text("utf-8")
    assert "](../../results/strength.md)" not in (tmp_path / "games" / "commit.md").read_text("utf-8")
    assert "](../results/strength.md)" in (tmp_path / "games" / "commit.md").read_text("utf-8")
    assert "](security.md)" in (tmp_path / "changelog.md").read_text("utf-8")
    assert "{ #KU-7 }" in (tmp_path / "rules" / "kuhn.md").read_text("utf-8")


@pytest.mark.long
def test_the_site_is_built_strictly_and_needs_no_other_host() -> None:
    pytest.importorskip("zensical", reason="make docs installs it")
    assert website.build() == 0
    names = set(re.findall(r'id="parlour\.(\w+)"', (website.SITE / "reference" / "parlour.html").read_text("utf-8")))
    assert set(parlour.__all__) <= names
    for page in website.SITE.rglob("*.html"):
        text = page.read_text("utf-8")
        assert not re.search(r"<(?:script|img|link|iframe)[^>]*(?:src|href)=[\"']?(?:https?:)?//", text), page
        assert "blockquote" not in text or "reference" not in page.parts, f"{page}: a doctest is taken for a quotation"


@pytest.mark.long
def test_pictures_of_a_notebook_lie_beside_its_page_and_say_what_they_show() -> None:
    pytest.importorskip("nbconvert", reason="make docs installs it")
    page, drawn = website.shown("docs/notebooks/kuhn.ipynb")
    pictures = dict(re.findall(r"!\[(.+?)\]\((\w+\.svg)\)", page))
    assert [*pictures.values()] == [*drawn]
    assert [about.partition(": ")[0] for about in pictures] == [
        "kuhn after 2 steps", *["Kuhn poker"] * 2, "The first player begins", "The second player, after a pass",
        "The second player, after a bet",
    ]  # fmt: skip
