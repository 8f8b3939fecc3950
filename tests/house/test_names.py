"""What documents about the code quote is in it: files, folders, names, parameters, commands.

What a word of a document's own examples means stands in its listings, which run (:mod:`tests.house.test_docs`).
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import pytest

from parlour.engine.definition import smaller
from tests.helpers import parsed
from tools import website
from tools.website import prose

ROOT = website.ROOT
DOCS = ROOT / "docs"
OF_OTHERS = ("adapters", "bench", "fair_deal", "hosting", "players", "translating")
"""Pages that quote other people's programs, bytes or languages."""
ABOUT_CODE = [
    path.relative_to(DOCS).with_suffix("").as_posix()
    for path in sorted(DOCS.rglob("*.md"))
    if path.relative_to(DOCS).with_suffix("").as_posix() not in OF_OTHERS
]
"""Documents of which what they quote is there, under that name and with those parameters."""
PLACES = (ROOT, ROOT / "src", ROOT / "src" / "parlour")
OF_DOCUMENTS = ("figures.toml", "promises.toml")
SOURCES = (".js", ".css", ".html", ".toml", ".c", ".h")
STRANGE = {
    "NOTIFY": "PostgreSQL", "proxy_set_header": "nginx", "proxy_add_x_forwarded_for": "nginx",
    "ptxas": "NVIDIA's assembler", "HASH": "a placeholder", "install-completion": "Typer", "MACRO": "a placeholder",
    "Careful": "a placeholder", "my_package": "a placeholder", "NAME-full": "a placeholder", "Area": "a placeholder",
    "SBATCH": "Slurm", "sbatch": "Slurm", "RAY_ADDRESS": "Ray", "uvx": "uv", "CITATION": "what code hosts call it",
    "cff": "what code hosts call it", "requeue": "Slurm", "imperative": "a placeholder",
    "commit_8": "a package that lies in no folder", "suit_isomorphism": "OpenSpiel",
}  # fmt: skip
"""Words of other people's programs, and whose they are."""
_QUOTED = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
_WORD = re.compile(r"[A-Za-z_][\w-]*[\w]")
_REMARK = re.compile(r'\"""(?:.|\n)*?\"""|(?:^|  )#.*', re.MULTILINE)
_IN_TESTS = re.compile(r'\b(?:def|class) \w+|"[^"\n]*"')
"""What is read of tests: names of functions and classes, and strings."""
_FILE = re.compile(r"(?:[\w-]+/)*[\w-]+\.(?:py|json|js|css|html|toml|c|h|md|txt|tsv)(?![\w.(])")
_CALL = re.compile(r"(?:\w+\.)*(\w+)\(([^()]*)\)")


@cache
def files() -> list[Path]:
    found = [file for top in ("src", "tests", "tools", "docs") for file in (ROOT / top).rglob("*") if file.is_file()]
    return [file for file in found if "__pycache__" not in file.parts]


class Code:
    """What there is in the code, by name: ``words``, whole and in parts, without those of remarks; ``written``, the
    files that strings name; ``parameters`` of functions and classes; ``members`` of modules and classes, nameless those
    of all classes."""

    def __init__(self) -> None:
        self.words, self.written = set[str](), set[str]()
        self.parameters, self.members = defaultdict[str, list[set[str]]](list), defaultdict[str, set[str]](set)
        for file in (*files(), ROOT / "Makefile", ROOT / "pyproject.toml"):
            if file.suffix not in (*SOURCES, ".py", "") or file == Path(__file__) or file.name in OF_DOCUMENTS:
                continue
            text = file.read_text("utf-8")
            if file.suffix == ".py":
                text = _REMARK.sub("", text)
                if file.name.startswith("test_"):
                    text = " ".join(_IN_TESTS.findall(text))
                else:
                    self._read(file.stem, parsed(file))
                self.written.update(_FILE.findall(text))
            for whole in {*_WORD.findall(text)} - self.words:
                self.words |= {whole, *re.split(r"[-_]", whole)}
        self.words |= {word for name in smaller() for word in (name, *name.split("-"))}

    def _read(self, module: str, tree: ast.Module) -> None:
        self.members[module] |= _defined(tree.body)
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                fields = {ast.unparse(one.target): one for one in node.body if isinstance(one, ast.AnnAssign)}
                self.parameters[node.name].append({*fields})
                for name, field in fields.items():
                    if "Callable" in ast.unparse(field.annotation):
                        self.parameters[name].append({"…"})
                own = {ast.unparse(part) for part in ast.walk(node) if isinstance(part, ast.Attribute)}
                mine = _defined(node.body) | {name[5:] for name in own if name.startswith("self.")}
                self.members[node.name] |= mine
                self.members[""] |= mine
                made = [one for one in node.body if isinstance(one, ast.FunctionDef) and one.name == "__init__"]
                self.parameters[node.name] += map(_taken, made)
            elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                self.parameters[node.name].append(_taken(node))


def _taken(function: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    takes, more = function.args, function.args.kwarg
    named = {one.arg for one in (*takes.posonlyargs, *takes.args, *takes.kwonlyargs)}
    return named | ({f"**{more.arg}"} if more else set())


@cache
def code() -> Code:
    return Code()


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
        if not any(file.as_posix().endswith(f"/{name}") for file in files()) and name not in code().written:
            return f"there is no file {name}"
    if found := re.match(r"make ([a-z-]+)", quoted):
        return "" if re.search(rf"^{found[1]}:", (ROOT / "Makefile").read_text("utf-8"), re.M) else "no such target"
    if re.fullmatch(r"[\w.-]+/(?:[\w.-]+/?)*", quoted) and not named:
        places = [place for place in PLACES if (place / quoted.partition("/")[0]).exists()]
        if places and not any((place / quoted).exists() for place in places):
            return "no such folder"
    if not quoted.startswith(("/", "…/")):
        for owner, name in re.findall(r"\b(\w+)\.([a-z_]\w*)", _FILE.sub("", quoted)):
            known_there = code().members.get(owner, {name}) | (code().members[""] if owner.islower() else set())
            if name not in known_there and not any(f"/{owner}/{name}" in file.as_posix() for file in files()):
                return f"{owner} has no {name}"
    for name, given in _CALL.findall(quoted):
        each = [one.partition("=")[0].strip() for one in given.split(",")]
        plain = {one for one in each if re.fullmatch(r"\*{0,2}[a-z_]\w*", one)}.difference(page)
        known: list[set[str]] = code().parameters.get(name, [])
        if known and not any(plain <= takes or "…" in takes for takes in known):
            return f"{name} takes {max(known, key=lambda takes: len(plain & takes))}"
    for word in _WORD.findall(_FILE.sub("", re.sub(r"\b\d+e-?\d+\b", "", quoted.removeprefix("-D")))):
        if word not in code().words and word not in STRANGE and not re.fullmatch("[0-9a-f]{7,8}", quoted):
            return f"nothing is called {word}"
    return ""


@pytest.mark.parametrize("page", ABOUT_CODE)
def test_what_a_document_quotes_is_in_the_code(page: str) -> None:
    quoted = sorted(set(_QUOTED.findall(prose(page))))
    own = {name for one in quoted for name, _ in _CALL.findall(one)}
    wrong = {one: said for one in quoted if (said := wrong_in(one, own))}
    assert not wrong, "\n".join(f"`{one}`: {said}" for one, said in wrong.items())


@pytest.mark.parametrize("page", ABOUT_CODE)
def test_what_a_document_says_to_be_in_a_file_is_there(page: str) -> None:
    for name, file in re.findall(r"`([\w.]+)`,? (?:in|\() ?\[?`([\w/]+\.(?:py|js|css|html|c|h))`", prose(page)):
        found = [one for one in (*files(), ROOT / file) if one.as_posix().endswith(f"/{file}") and one.exists()]
        assert any(re.search(rf"\b{name.rpartition('.')[2]}\b", text) for text in map(Path.read_text, found)), (
            f"{name} in {file}"
        )
