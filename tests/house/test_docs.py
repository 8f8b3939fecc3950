"""What the documents show runs as it stands there, and what a program writes into them is up to date."""

from __future__ import annotations

import ast
import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import typer

import parlour
from parlour.cli.app import app
from parlour.rules import contract
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


@pytest.mark.parametrize("page", PAGES)
def test_python_runs_from_the_top_of_the_page_to_its_end(page: str) -> None:
    space: dict[str, Any] = {"__name__": "snippets"}
    found = snippets(page, "python")
    assert found
    for text in found:
        exec(compile(text, page, "exec"), space)


LENGTHY = ("adding_a_game.md", "publishing_a_game.md", "tutorials/study.md")
"""Pages whose commands take long: audits of a new game, studies of a known one."""


@pytest.mark.parametrize(
    "page", ["players.md", "tutorials/play.md", *(pytest.param(page, marks=pytest.mark.long) for page in LENGTHY)]
)
def test_commands_run_and_say_what_the_page_shows(page: str, tmp_path: Path) -> None:
    """A block of commands may be followed by lines of what they print; spaces in them do not count."""
    said: list[str] = []
    for kind, text in FENCE.findall((DOCS / page).read_text("utf-8")):
        if kind == "console":
            said = []
            for line in text.splitlines():
                _, _, command = line.partition("$ parlour ")
                done = subprocess.run(
                    [*PARLOUR, *shlex.split(command)],
                    cwd=tmp_path,
                    capture_output=True,
                    text=True,
                    check=False,
                    env=os.environ | {"COLUMNS": "100", "NO_COLOR": "1"},
                )
                assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"
                said += [" ".join(one.split()) for one in done.stdout.splitlines()]
        elif kind == "text":
            for line in text.splitlines():
                assert any(" ".join(line.split()) in one for one in said), f"{line}\nis not in\n" + "\n".join(said)


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
    text, tests = (Path(__file__).parents[2] / "docs" / "security.md").read_text("utf-8"), Path(__file__).parents[1]
    named = set(re.findall(r"`(test_\w+)`", text))
    there = {
        name for file in tests.rglob("test_*.py") for name in re.findall(r"def (test_\w+)", file.read_text("utf-8"))
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


# ------------------------------------------------------------------------------------------------ the site


@pytest.mark.parametrize("document", ["README.md", *website.documents(), *website.notebooks()])
def test_links_lead_somewhere(document: str) -> None:
    assert not website.broken(document)


def test_links_that_lead_nowhere_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = tmp_path / "page.md"
    page.write_text("# A. Page: one\n[a](#a-page-one) [b](no.md) [c](#b) `[d](no.md)`\n```\n[e](no.md)\n```\n", "utf-8")
    monkeypatch.setattr(website, "ROOT", tmp_path)
    assert website.broken("page.md") == ["page.md: no.md leads nowhere", "page.md: #b: page.md has no heading #b"]


def test_every_document_and_rule_book_is_in_the_table_of_contents() -> None:
    listed = re.findall(r" ([\w/.]+\.md)$", website.CONFIG.read_text("utf-8"), re.MULTILINE)
    assert len(listed) == len(set(listed))
    pages = {website.place(document) for document in (*website.documents(), *website.notebooks())}
    assert set(listed) == pages | {f"reference/{name}.md" for name in website.modules()}


def test_pages_link_to_each_other_on_the_site(tmp_path: Path) -> None:
    website.gather(tmp_path)
    assert "](../reference" not in (tmp_path / "architecture.md").read_text("utf-8")
    assert "](source/tests/house/test_layers.py.md)" in (tmp_path / "architecture.md").read_text("utf-8")
    assert "](../../players.md#commit)" not in (tmp_path / "games" / "commit.md").read_text("utf-8")
    assert "](../players.md#commit)" in (tmp_path / "games" / "commit.md").read_text("utf-8")
    assert "](security.md)" in (tmp_path / "changelog.md").read_text("utf-8")
    assert "{ #KU-7 }" in (tmp_path / "rules" / "kuhn.md").read_text("utf-8")


def test_the_reference_has_every_module_that_documents_import_from() -> None:
    used = set()
    for page in PAGES:
        for node in ast.walk(ast.parse("".join(snippets(page, "python")))):
            if isinstance(node, ast.ImportFrom) and node.module and not node.module.startswith("parlour.games."):
                folder = website.ROOT / "src" / node.module.replace(".", "/")
                parts = {
                    name.name for name in node.names if [*folder.glob(f"{name.name}.py"), *folder.glob(f"{name.name}/")]
                }
                used |= {f"{node.module}.{name}" for name in parts} | (
                    {node.module} if len(node.names) > len(parts) else set()
                )
    used = {name for name in used if name.startswith("parlour")}
    assert len(used) > 10
    assert used <= set(website.modules())


@pytest.mark.long
def test_the_site_is_built_strictly_and_needs_no_other_host() -> None:
    pytest.importorskip("mkdocs", reason="make docs installs it")
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
        *["Kuhn poker"] * 2,
        "The first player begins",
        "The second player, after a pass",
        "The second player, after a bet",
    ]


# ------------------------------------------------------------------------------------------------ names

ROOT = website.ROOT
ABOUT_CODE = ("architecture", "testing", "room", "page", "speed", "processors", "gpu", "adding_a_game")
"""Documents about the code: what they quote is there, under that name and with those parameters."""
PLACES = (ROOT, ROOT / "src", ROOT / "src" / "parlour")
SOURCES = (".py", ".js", ".css", ".html", ".toml", ".c", ".h")
STRANGE = {
    "NOTIFY": "PostgreSQL",
    "proxy_set_header": "nginx",
    "proxy_add_x_forwarded_for": "nginx",
    "ptxas": "NVIDIA's assembler",
    "HASH": "a placeholder",
    "MACRO": "a placeholder",
}
"""Words of other people's programs, and whose they are."""
_QUOTED = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
_WORD = re.compile(r"[A-Za-z_][\w-]*[\w]")
_FILE = re.compile(r"(?:[\w-]+/)*[\w-]+\.(?:py|json|js|css|html|toml|c|h|md|txt)(?![\w.(])")
_CALL = re.compile(r"(?:\w+\.)*(\w+)\(([^()]*)\)")


def prose(page: str) -> str:
    """What people read of a document: neither its listings nor what a program has written into it."""
    text = (DOCS / f"{page}.md").read_text("utf-8")
    return re.sub(r"^```.*?^```$|<!-- (\w+) -->.*?<!-- end of \1 -->", "", text, flags=re.DOTALL | re.MULTILINE)


@cache
def files() -> list[Path]:
    """The files of the repository that programs read."""
    found = [file for top in ("src", "tests", "tools", "docs") for file in (ROOT / top).rglob("*") if file.is_file()]
    return [file for file in found if "__pycache__" not in file.parts]


@cache
def trees() -> dict[Path, ast.Module]:
    return {file: ast.parse(file.read_text("utf-8")) for file in files() if file.suffix == ".py" and file != THIS}


THIS = Path(__file__)


def identifiers(tree: ast.Module) -> Iterator[str]:
    """The names in a module, and its strings but for docstrings."""
    remarks = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        for field in ("id", "attr", "arg", "name", "asname", "module"):
            if isinstance(name := getattr(node, field, None), str):
                yield name
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in remarks:
            yield node.value


@cache
def words() -> set[str]:
    """Every word of the code: names, and words in what is no remark."""
    texts = [text for tree in trees().values() for text in identifiers(tree)]
    texts += [file.read_text("utf-8") for file in files() if file.suffix in set(SOURCES) - {".py"}]
    texts += [(ROOT / name).read_text("utf-8") for name in ("Makefile", "pyproject.toml")]
    return {word for text in texts for whole in _WORD.findall(text) for word in (whole, *re.split(r"[-_]", whole))}


@cache
def written() -> set[str]:
    """The names of files in the strings of the code."""
    texts = [text for tree in trees().values() for text in identifiers(tree)]
    return {name for text in texts for name in _FILE.findall(text)}


@cache
def parameters() -> dict[str, list[set[str]]]:
    """What the functions and classes of each name take."""
    found: dict[str, list[set[str]]] = {}
    for node in (node for tree in trees().values() for node in ast.walk(tree)):
        if isinstance(node, ast.ClassDef):
            fields = [one for one in node.body if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)]
            found.setdefault(node.name, []).append({ast.unparse(one.target) for one in fields})
            for one in fields:
                if "Callable" in ast.unparse(one.annotation):
                    found.setdefault(ast.unparse(one.target), []).append({"…"})
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            takes = node.args
            named = [one.arg for one in (*takes.posonlyargs, *takes.args, *takes.kwonlyargs)]
            found.setdefault(node.name, []).append({*named, *([f"**{takes.kwarg.arg}"] if takes.kwarg else [])})
    return found


@cache
def members() -> dict[str, set[str]]:
    """What the classes and modules of each name define: attributes, methods, functions; nameless, all classes."""
    found: dict[str, set[str]] = {}
    for file, tree in trees().items():
        found.setdefault(file.stem, set()).update(_defined(tree.body))
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                mine = _defined(node.body)
                attributes = [one for one in ast.walk(node) if isinstance(one, ast.Attribute)]
                mine |= {one.attr for one in attributes if ast.unparse(one.value) == "self"}
                found.setdefault(node.name, set()).update(mine)
                found.setdefault("", set()).update(mine)
    return found


def _defined(body: list[ast.stmt]) -> set[str]:
    names = set()
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names |= {name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)}
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names |= {one.asname or one.name for one in node.names}
    return names


def wrong_in(quoted: str, page: Iterable[str] = ()) -> str:
    """Say what is wrong with what a document quotes as code; nothing if all of it exists.  ``page``: the names of the
    page's own examples."""
    named = _FILE.findall(quoted.replace("GAME/", ""))
    for name in named:
        if not any(file.as_posix().endswith(f"/{name}") for file in files()) and name not in written():
            return f"there is no file {name}"
    if found := re.match(r"make ([a-z-]+)", quoted):
        return "" if re.search(rf"^{found[1]}:", (ROOT / "Makefile").read_text("utf-8"), re.M) else "no such target"
    if re.fullmatch(r"[\w.-]+/(?:[\w.-]+/?)*", quoted) and not named:
        places = [place for place in PLACES if (place / quoted.partition("/")[0]).exists()]
        if places and not any((place / quoted).exists() for place in places):
            return "no such folder"
    if not quoted.startswith(("/", "…/")):
        for owner, name in re.findall(r"\b(\w+)\.([a-z_]\w*)", _FILE.sub("", quoted)):
            if owner in members() and name not in members()[owner] | (members()[""] if owner.islower() else set()):
                return f"{owner} has no {name}"
    for name, given in _CALL.findall(quoted):
        each = [one.partition("=")[0].strip() for one in given.split(",")]
        plain = {one for one in each if re.fullmatch(r"\*{0,2}[a-z_]\w*", one)}.difference(page)
        known: list[set[str]] = parameters().get(name, [])
        if known and not any(plain <= takes or "…" in takes for takes in known):
            return f"{name} takes {max(known, key=lambda takes: len(plain & takes))}"
    for word in _WORD.findall(_FILE.sub("", quoted.removeprefix("-D"))):
        if word not in words() and word not in STRANGE and not re.fullmatch("[0-9a-f]{7,8}", quoted):
            return f"nothing is called {word}"
    return ""


@pytest.mark.parametrize("page", ABOUT_CODE)
def test_what_a_document_quotes_is_in_the_code(page: str) -> None:
    quoted = sorted(set(_QUOTED.findall(prose(page))))
    own = {name for one in quoted for name, _ in _CALL.findall(one)}
    wrong = {one: said for one in quoted if (said := wrong_in(one, own))}
    assert not wrong, "\n".join(f"`{one}`: {said}" for one, said in wrong.items())


PLANTED = {
    "engine/kernels/chances.py": "there is no file",
    "engine/seeds": "no such folder",
    "make tests": "no such target",
    "State.moves": "State has no moves",
    "m.seat(one, cash=…)": "seat takes",
    "parlour serve --keep-talk 3": "nothing is called keep-talk",
    "translated(…, line=True)": "translated takes",
    "show_mine": "nothing is called show_mine",
}


@pytest.mark.parametrize("quoted", PLANTED)
def test_a_name_that_is_not_in_the_code_is_found(quoted: str) -> None:
    assert PLANTED[quoted] in wrong_in(quoted)


@pytest.mark.parametrize("page", ABOUT_CODE)
def test_what_a_document_says_to_be_in_a_file_is_there(page: str) -> None:
    for name, file in re.findall(r"`([\w.]+)`,? (?:in|\() ?\[?`([\w/]+\.\w+)`", prose(page)):
        found = [one for one in (*files(), ROOT / file) if one.as_posix().endswith(f"/{file}") and one.exists()]
        assert any(re.search(rf"\b{name.rpartition('.')[2]}\b", text) for text in map(Path.read_text, found)), (
            f"{name} in {file}"
        )
