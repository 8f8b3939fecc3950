"""`make quick`: style, types, and the tests nearest to what has changed, in 20 seconds.

What has changed: everything that differs from where this branch left its upstream (or main), committed or not; where
nothing does, the last commit.  The tests of a file lie where it lies (``tests`` is laid out like ``src``).  The nearest
is the one that is known to notice when the file's main function is emptied; then come those with its name, those that
name it, those with the name of a file that uses it, and the others of its folder, down to :data:`MOST`.  None begins
after :data:`SECONDS`.  Nothing is compiled here, and no browser started: what needs that is left to `make test`, and
the last lines say so.

Which test notices stands in ``tests/emptied.json``.  ``--emptied`` finds it, for the files named, or else for those of
which no test is known that is still there.
"""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

import pytest

from tools.ages import git

ROOT = Path(__file__).parents[1]
PACKAGE, GAMES, TESTS, HOUSE = "src/parlour", "src/parlour/games", "tests", "tests/house"
SECONDS = 12
"""How long tests may begin."""
ENDLESS = 40
"""Seconds for which a test may go on when no other begins any more: else it never ends."""
MOST = 6
"""How many modules of tests are run for one file."""
EMPTIED = "tests/emptied.json"

# ------------------------------------------------------------------------------------------ what has changed


def changed() -> tuple[str, list[str]]:
    """Since when, and the files that are there and differ from then."""
    base = next((base for name in ("@{upstream}", "origin/main", "main") for base in since(name)), "HEAD~1")
    found = git("diff", "--name-only", "--diff-filter=d", base, "--")
    return base, sorted({*found, *git("ls-files", "--others", "--exclude-standard")})


def since(branch: str) -> list[str]:
    """The commit where this branch left the other one, if there is that one and anything has changed since."""
    base = git("merge-base", "HEAD", branch)
    return base if base and (git("status", "--porcelain") or git("diff", "--name-only", base[0], "--")) else []


# ------------------------------------------------------------------------------------------ which tests


def read(files: Iterable[Path]) -> dict[str, frozenset[str]]:
    """For each file of Python the modules that it imports, and what it has in quotes (of a path, each part)."""
    found = dict[str, frozenset[str]]()
    for file in files:
        text = file.read_text("utf-8")
        names = {*re.findall(r"^\s*import ([\w.]+)", text, re.M)}
        for package, those in re.findall(r"^\s*from ([\w.]+) import (\([^)]*\)|.*)", text, re.M):
            names |= {package, *(f"{package}.{name}" for name in re.findall(r"\w+", those))}
        for quoted in re.findall(r'"([^"\n]{2,99})"', text):
            names |= {quoted, *re.split(r"[/ :]", quoted)}
        if re.search(r"\bshelf\(\)|\bGAMES\b", text):
            names.add(EVERY_GAME)
        found[str(file.relative_to(ROOT))] = frozenset(names)
    return found


EVERY_GAME = "every game"


@cache
def tests() -> Mapping[str, frozenset[str]]:
    """What the modules of tests say that are not all in a browser."""
    without = re.compile(r"^def test_\w+\((?![^)]*\bbrowser\b)", re.M)
    files = (ROOT / TESTS).rglob("test_*.py")
    return read(
        file for file in files if "browser: Browser" not in (text := file.read_text("utf-8")) or without.search(text)
    )


@cache
def package() -> Mapping[str, frozenset[str]]:
    """What the files of the package say."""
    return read((ROOT / PACKAGE).rglob("*.py"))


@cache
def noticed() -> Mapping[str, str]:
    """The test that is known to notice when a file's main function is emptied."""
    file = ROOT / EMPTIED
    found: dict[str, str] = json.loads(file.read_text("utf-8")) if file.exists() else {}
    return found


def game_of(file: str) -> str:
    """The game to whose folder a file belongs; empty: none."""
    inside = file.removeprefix(f"{GAMES}/").split("/")
    return inside[0] if file.startswith(GAMES) and len(inside) > 1 else ""


def folder_of(file: str) -> str:
    """The folder of the tests of a file: the one laid out like its own, or the one above that."""
    if file.startswith(f"{TESTS}/") and file.endswith(".py"):
        return str(Path(file).parent)
    if not file.startswith(f"{PACKAGE}/"):
        return HOUSE
    folder = Path(TESTS) / Path(GAMES if game_of(file) else file).relative_to(PACKAGE)
    found = str(next(place for place in (folder, *folder.parents) if (ROOT / place).is_dir()))
    return HOUSE if found == TESTS else found


def names_of(file: str) -> set[str]:
    """What tests call a file: its path or its module; what is not Python by its name, outside of the package by that of
    its folder."""
    path = Path(file.removesuffix("/__init__.py").removesuffix("/__main__.py"))
    if file.endswith(".py"):
        return {file, ".".join(path.with_suffix("").parts).removeprefix("src.")}
    return {file, path.name} if file.startswith(PACKAGE) else {file, path.name, path.parent.name} - {""}


def stem_of(file: str) -> str:
    """What follows ``test_`` in the name of a file's tests."""
    path = Path(file.removesuffix("/__init__.py").removesuffix("/__main__.py"))
    return game_of(file) or (path.parent.name if file.startswith(TESTS) and path.suffix != ".py" else path.stem)


def tests_of(file: str) -> list[str]:
    """The modules of tests nearest to a file, the nearest first."""
    if file in tests():
        return [file]
    known, folder, names = noticed().get(file, "").partition("::")[0], folder_of(file), names_of(file)
    users = {stem_of(user) for user, words in package().items() if names & words and user != file}
    its_name, of_users = (re.compile(rf"test_({'|'.join(stems)})(_.*)?\.py") for stems in ({stem_of(file)}, users))

    def far(test: str) -> tuple[bool, ...]:
        here, name = test.startswith(f"{folder}/"), Path(test).name
        named = (here or folder.startswith(f"{Path(test).parent}/")) and its_name.fullmatch(name)
        about_it = names & tests()[test] and not (file.startswith(PACKAGE) and test.startswith(HOUSE))
        about_every = game_of(file) and here and EVERY_GAME in tests()[test]
        return test != known, not named, not about_it, not of_users.fullmatch(name), not about_every, not here

    far_from = {test: far(test) for test in tests()}
    near = [test for test in far_from if not all(far_from[test])]
    return sorted(near, key=lambda test: (far_from[test], test))[:MOST]


def tests_of_all(files: Iterable[str]) -> dict[str, list[str]]:
    """The modules of tests that are run, and for which files: the nearest of each file first, then the next ones."""
    wanted = {file: tests_of(file) for file in files}
    found = dict[str, list[str]]()
    for rank in range(MOST):
        for file, near in wanted.items():
            for test in near[rank : rank + 1]:
                found.setdefault(test, []).append(file)
    return found


def words_of(test: str, files: Iterable[str]) -> list[str]:
    """What is run of a module of tests: of one about every game the games touched, of others everything."""
    games = [game_of(file) for file in files]
    return games if all(games) and EVERY_GAME in tests()[test] else [Path(test).name]


# ------------------------------------------------------------------------------------------ whether they notice


def main_function(text: str) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
    """The function in which most is done: the longest."""
    nodes = ast.walk(ast.parse(text))
    functions = [node for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and does(node)]
    return max(functions, key=lambda one: (one.end_lineno or 0) - one.body[0].lineno, default=None)


def does(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether a function does anything, and not others of its name."""
    match function.body[-1]:
        case ast.Expr(ast.Constant()):
            return False
        case last:
            return ast.unparse(last) != "raise NotImplementedError"


def emptied(text: str) -> str:
    """Return the module with that function emptied, but for what is said of it; ``""`` if it has no such function."""
    if (function := main_function(text)) is None:
        return ""
    first = function.body[1 if ast.get_docstring(function) is not None else 0]
    last, lines = function.end_lineno, text.splitlines()
    start = first.lineno - 1
    return "\n".join([*lines[:start], f"{lines[start][: first.col_offset]}return None", *lines[last:], ""])


PLANTED = """
import json, sys
from importlib.machinery import SourceFileLoader
from pathlib import Path
from tools import faults
module, file, text = json.loads(Path(__file__).with_name("emptied.json").read_text("utf-8"))
sys.meta_path.insert(0, faults.Planted({module: text}))
read = SourceFileLoader.get_code  # Alembic reads its files by their paths
SourceFileLoader.get_code = lambda self, name: compile(text, file, "exec") if self.path == file else read(self, name)
"""
"""What Python does first in the run and in each process that it starts."""
RUN = "import sys, pytest; from tools import quick; quick.SECONDS = {seconds}; sys.exit(pytest.main({words}, [quick]))"


def notices(file: str, seconds: int = 120) -> str:
    """The first test of a file that fails, or never ends, when its main function is emptied: of those that nothing is
    compiled for, else of all.  ``""`` if none does, in that many seconds."""
    module = file.removeprefix("src/").removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    text, known = emptied((ROOT / file).read_text("utf-8")), noticed().get(file, "")
    words = ("-x", "-v", "-n", "0", "-p", "no:cacheprovider", "--no-header", "-rfE", "--tb=no", "--assert=plain")
    interpreted = [["--interpreted", *tests] for tests in ([known], [*tests_of(file), file]) if all(tests)]
    if known.startswith("src/"):  # examples know no such option
        interpreted[0] = [known]
    for more in (*interpreted, tests_of(file)):
        with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile("w+", encoding="utf-8") as told:
            Path(folder, "sitecustomize.py").write_text(PLANTED, "utf-8")
            Path(folder, "emptied.json").write_text(json.dumps([module, str(ROOT / file), text]), "utf-8")
            environment = {  # what does nothing is often waited for
                "PARLOUR_TEST_LIMIT": "30",
                **os.environ,
                "PARLOUR_CACHE": folder,  # what was compiled before does not know of it
                "PYTHONPATH": os.pathsep.join([folder, str(ROOT / "src"), str(ROOT)]),
            }
            command = (sys.executable, "-c", RUN.format(seconds=seconds, words=[*words, *more]))
            try:
                subprocess.run(
                    command, cwd=ROOT, env=environment, stdout=told, stderr=told, text=True, check=False,
                    timeout=seconds + ENDLESS,
                )  # fmt: skip
                ended = r"^(?:FAILED|ERROR) (\S+?)(?:\[.*)?(?: - .*)?$"
            except subprocess.TimeoutExpired:
                ended = r"^(\S+?)(?:\[.*)? $"
            told.seek(0)
            said = told.read()
            if found := re.search(ended, said, re.M):
                return found[1]
            if re.search(r"^(ImportError while loading conftest|INTERNALERROR>)", said, re.M):  # so no test can be run
                return more[-1]
    return ""


def sources() -> list[str]:
    """The files with a function that can be emptied: they are run where they lie."""
    found = (str(file.relative_to(ROOT)) for file in (ROOT / PACKAGE).rglob("*.py") if "__pycache__" not in file.parts)
    return [
        file
        for file in sorted(found)
        if not file.startswith(STARTER) and main_function((ROOT / file).read_text("utf-8"))
    ]


STARTER = f"{PACKAGE}/cli/author/starter/"
"""What is copied into a new game."""


def is_there(test: str) -> bool:
    """Whether there is a test of this name: a module, or a function, method or example in one."""
    module, *within = test.split("::")
    if not (file := ROOT / module).is_file():
        return False
    names, text = [name.rpartition(".")[2] for name in within], file.read_text("utf-8")
    return all(name == file.stem or re.search(rf"^ *(async def|def|class) {name}\b", text, re.M) for name in names)


def undecided() -> list[str]:
    """The files of which no test is known that notices, or only one that is no longer there."""
    return [file for file in sources() if not is_there(noticed().get(file, ""))]


def try_emptied(files: Sequence[str]) -> int:
    """Empty the main functions of these files, one at a time, and keep which test notices; 1 if none does."""
    there = {*sources()}
    found, unnoticed = {file: test for file, test in noticed().items() if file in there}, list[str]()
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        for file, test in zip(files, pool.map(notices, files), strict=True):
            found.pop(file, None)
            found |= {file: test} if test else {}
            unnoticed += [] if test else [file]
            print(f"{file}: {test or 'NOT FOUND'}", flush=True)
            keep(found)
    keep(found)
    return int(bool(unnoticed))


def keep(found: Mapping[str, str]) -> None:
    (ROOT / EMPTIED).write_text(json.dumps(dict(sorted(found.items())), indent=0) + "\n", "utf-8")


# ------------------------------------------------------------------------------------------ the run


def pytest_configure(config: pytest.Config) -> None:
    """In the runs of this tool (``-p tools.quick``): note when it began."""
    config.stash[BEGAN] = time.monotonic()


BEGAN = pytest.StashKey[float]()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Begin no test when the time is over, and none in a browser."""
    if "browser" in getattr(item, "fixturenames", ()):
        pytest.skip("needs a browser")
    if time.monotonic() > item.config.stash[BEGAN] + SECONDS:
        pytest.skip(f"{SECONDS} seconds are over")


def main(more: list[str]) -> int:
    if more[:1] == ["--emptied"]:
        return try_emptied(more[1:] or undecided())
    if not git("rev-parse", "HEAD"):
        print("make quick asks git what has changed, and here it cannot say; use make test.", file=sys.stderr)
        return 2
    base, files = changed()
    tests = tests_of_all(files)
    examples = [file for file in files if file.startswith("src/") and file.endswith(".py")]
    words = dict.fromkeys(
        [*(word for test in tests for word in words_of(test, tests[test])), *(Path(f).name for f in examples)]
    )
    print(f"changed since {base[:8]}: {', '.join(files) or 'nothing'}", flush=True)
    print(f"so these tests, the nearest first: {', '.join(tests) or 'none'}", flush=True)
    python = (sys.executable, "-m")
    work = {
        "ruff check": (*python, "ruff", "check", "--quiet", "--output-format=concise"),
        "ruff format (make format)": (*python, "ruff", "format", "--check", "--quiet", "--output-format=concise"),
        "mypy": (*python, "mypy"),
    }
    if modules := [*tests, *examples]:
        spread = ("-n", "auto", "--maxprocesses=8", "--dist=loadfile", "--no-loadscope-reorder")
        quick = ("-q", "--interpreted", "-p", "tools.quick")
        work["pytest"] = (*python, "pytest", *quick, *spread, "-k", " or ".join(words), *modules, *more)
    running = {name: subprocess.Popen(command, cwd=ROOT) for name, command in work.items()}
    failed = [name for name, process in running.items() if process.wait()]
    print("not run: the tests of everything else, and those that need machine code, a browser or more time (make test)")
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
