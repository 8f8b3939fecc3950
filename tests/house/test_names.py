"""What documents about the code quote is in it: files, folders, names, parameters, commands.

What a word of a document's own examples means stands in its listings, which run (:mod:`tests.house.test_docs`).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest

from tools import website
from tools.website import prose

ROOT = website.ROOT
DOCS = ROOT / "docs"
ABOUT_CODE = ("architecture", "testing", "room", "page", "speed", "processors", "gpu", "adding_a_game")
"""Documents about the code: what they quote is there, under that name and with those parameters."""
PLACES = (ROOT, ROOT / "src", ROOT / "src" / "parlour")
SOURCES = (".py", ".js", ".css", ".html", ".toml", ".c", ".h")
STRANGE = {
    "NOTIFY": "PostgreSQL",
    "proxy_set_header": "nginx",
    "proxy_add_x_forwarded_for": "nginx",
    "ptxas": "NVIDIA's assembler",
    "ProxyHeadersMiddleware": "uvicorn",
    "format_timedelta": "Babel",
    "HASH": "a placeholder",
    "MACRO": "a placeholder",
}
"""Words of other people's programs, and whose they are."""
_QUOTED = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
_WORD = re.compile(r"[A-Za-z_][\w-]*[\w]")
_FILE = re.compile(r"(?:[\w-]+/)*[\w-]+\.(?:py|json|js|css|html|toml|c|h|md|txt)(?![\w.(])")
_CALL = re.compile(r"(?:\w+\.)*(\w+)\(([^()]*)\)")


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
    """The names in a module, and its strings, without docstrings."""
    remarks = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        for field in ("id", "attr", "arg", "name", "asname", "module"):
            if isinstance(name := getattr(node, field, None), str):
                yield name
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in remarks:
            yield node.value


@cache
def words() -> set[str]:
    """Every word of the code: names, and words of what it says, without remarks."""
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
