"""`make quick`: style, types, and the tests nearest to what has changed, in some seconds.

What has changed: everything that differs from where this branch left its upstream (or main), committed or not; where
nothing does, the last commit.  Which tests are near a file follows from where it lies (``tests`` is laid out like
``src``), from its name, and from who imports or names it.  The nearest run first, and none begins after
:data:`SECONDS`.  Nothing is compiled here, and no browser started: what needs that is left to `make test`, and the last
lines say so.
"""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping
from functools import cache
from heapq import heappop, heappush
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE, GAMES, TESTS, HOUSE = "src/parlour", "src/parlour/games", "tests", "tests/house"
SCANNED = ("src", "tests", "tools", "docs/examples", "hatch_build.py")
"""Whose files may import or name others."""
READERS = {".py", ".html", ".css", ".js"}
SECONDS = 20
"""How long tests may begin."""
MOST = 6
"""How many modules of tests are run for one file."""
FAR = 5
"""A test to which more steps lead from a file is not about it."""
UNTOLD = 2
"""How far a test in the folder for a file is at most: pages are asked for by address, which no import shows."""

# ------------------------------------------------------------------------------------------ what has changed


def git(*words: str) -> list[str]:
    """The lines that git says."""
    return subprocess.run(("git", *words), cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()


def changed() -> tuple[str, list[str]]:
    """Since when, and the files that are there and differ from then."""
    base = next((base for name in ("@{upstream}", "origin/main", "main") for base in since(name)), "HEAD~1")
    found = git("diff", "--name-only", "--diff-filter=d", base, "--")
    return base, sorted({*found, *git("ls-files", "--others", "--exclude-standard")})


def since(branch: str) -> list[str]:
    """The commit where this branch left the other one, if there is that one and anything has changed since."""
    found = subprocess.run(("git", "merge-base", "HEAD", branch), cwd=ROOT, capture_output=True, text=True, check=False)
    base = found.stdout.strip()
    return [base] if base and (git("status", "--porcelain") or git("diff", "--name-only", base, "--")) else []


# ------------------------------------------------------------------------------------------ who reads whom


class Text(NamedTuple):
    """What a file says about others: ``modules`` that it may import, ``words`` it has in quotes (of a path, each part),
    whether it is about ``every_game``, and whether all its tests are in a browser (``browses``): such are not run."""

    modules: frozenset[str]
    words: frozenset[str]
    every_game: bool
    browses: bool


@cache
def text_of(file: Path) -> Text:
    """Read one file."""
    text = file.read_text("utf-8")
    modules = {*re.findall(r"^\s*import ([\w.]+)", text, re.M)}
    for package, names in re.findall(r"^\s*from ([\w.]+) import (\([^)]*\)|.*)", text, re.M):
        modules |= {package, *(f"{package}.{name}" for name in re.findall(r"\w+", names))}
    quoted = {a or b for a, b in re.findall(r'"([^"\n]{2,99})"|\'([^\'\n]{2,99})\'', text)}
    own = ".".join(file.relative_to(ROOT).parts[1:-1]) if file.is_relative_to(ROOT / "src") else ""
    above = [own.rsplit(".", n)[0] for n in range(own.count(".") + 1)] if own else []
    modules |= {f"{package}.{word}" for word in quoted if re.fullmatch(r"\w+\.\w+", word) for package in above}
    modules |= {word for word in quoted if re.fullmatch(r"(parlour|tests|tools)(\.\w+)+", word)}
    words = {*quoted, *(part for word in quoted for part in re.split(r"[/ :]", word))}
    return Text(
        frozenset(modules),
        frozenset(words),
        bool(re.search(r"\bshelf\(\)|\bGAMES\b", text)),
        "browser: Browser" in text and not re.search(r"^def test_\w+\((?![^)]*\bbrowser\b)", text, re.M),
    )


@cache
def readers() -> Mapping[str, Text]:
    """All files that may import or name others."""
    files = [
        file for place in SCANNED for file in ((ROOT / place).rglob("*") if (ROOT / place).is_dir() else [ROOT / place])
    ]
    return {
        str(file.relative_to(ROOT)): text_of(file)
        for file in sorted(files)
        if file.suffix in READERS and "__pycache__" not in file.parts and file.is_file()
    }


@cache
def who(kind: str) -> Mapping[str, list[str]]:
    """For each module or word (``kind``) the files that import or quote it."""
    found = dict[str, list[str]]()
    for file, text in readers().items():
        for name in getattr(text, kind):
            found.setdefault(name, []).append(file)
    return found


@cache
def near(file: str) -> Mapping[str, int]:
    """The files one step from a file, because they import it or name it; two steps, if they name only its folder."""
    path = Path(file)
    steps = {} if path.suffix == ".py" else {path.name: 1}
    if path.name == "__main__.py":
        steps[path.parent.name] = 1  # python -m
    for folder in path.parents[:-1]:
        if (ROOT / folder / "__init__.py").exists() and folder.parent != Path(GAMES):
            break  # a package is imported
        steps.setdefault(folder.name, 2)
    found = {reader: step for word, step in steps.items() for reader in who("words").get(word, ())}
    if game_of(file):
        found |= {reader: 2 for reader, text in readers().items() if text.every_game and reader.startswith(TESTS)}
    if path.suffix == ".py":
        module = file.removeprefix("src/").removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        found |= dict.fromkeys((*who("modules").get(module, ()), *who("words").get(file, ())), 1)
    return found


def game_of(file: str) -> str:
    """The game to whose folder a file belongs; empty: none."""
    inside = file.removeprefix(f"{GAMES}/").split("/")
    return inside[0] if file.startswith(GAMES) and len(inside) > 1 else ""


@cache
def steps_to(file: str) -> Mapping[str, int]:
    """How many steps lead from a file to the modules of tests that are about it, as far as they may be the nearest."""
    passed, found, ahead, far = set[str](), dict[str, int](), [(0, file)], FAR
    while ahead:
        steps, one = heappop(ahead)
        if steps > far:
            break
        if one in passed:
            continue
        passed.add(one)
        if is_test(one):
            found[one] = steps
            if len(found) == MOST:
                far = steps + 1
        for reader, more in near(one).items():
            if reader not in passed and steps + more <= far:
                heappush(ahead, (steps + more, reader))
    return found


def is_test(file: str) -> bool:
    """Whether a file is a module of tests that can be run here."""
    return file in modules_of_tests()


@cache
def modules_of_tests() -> frozenset[str]:
    """The modules of tests that are not all in a browser."""
    mine = (file for file, text in readers().items() if file.startswith(f"{TESTS}/") and not text.browses)
    return frozenset(file for file in mine if re.search(r"/test_\w+\.py$", file))


# ------------------------------------------------------------------------------------------ which tests


def folder_of(file: str) -> str:
    """The folder of the tests of a file: the one laid out like its own, or the one above that."""
    if file.startswith(f"{TESTS}/"):
        return str(Path(file).parent)
    if not file.startswith(f"{PACKAGE}/"):
        return HOUSE
    folder = Path(TESTS) / Path(GAMES if game_of(file) else file).relative_to(PACKAGE)
    return str(next(place for place in (folder, *folder.parents) if (ROOT / place).is_dir()))


def in_folder_of(file: str) -> set[str]:
    """The modules of tests in the folder for a file."""
    folder = folder_of(file)
    return {test for test in modules_of_tests() if folder != TESTS and test.startswith(f"{folder}/")}


def named_for(file: str) -> set[str]:
    """The modules of tests whose names begin with that of a file, or of its game; in the folder for it, or above."""
    stem = game_of(file) or Path(file.removesuffix("/__init__.py").removesuffix("/__main__.py")).stem
    says = re.compile(rf"test_{re.escape(stem)}(_.*)?\.py")
    folder = f"{folder_of(file)}/"
    return {
        test
        for test in modules_of_tests()
        if folder.startswith(f"{Path(test).parent}/") and says.fullmatch(Path(test).name)
    }


def tests_of(file: str) -> list[str]:
    """The modules of tests nearest to a file, the nearest first."""
    if is_test(file):
        return [file]
    steps, named, here = steps_to(file), named_for(file), in_folder_of(file)

    def nearness(test: str) -> tuple[bool, int, int, str]:
        away = min(steps.get(test, UNTOLD), UNTOLD) if test in here else steps.get(test, 0) + 1
        return test not in named, away, len(readers()[test].modules | readers()[test].words), test

    return sorted({*steps, *here, *named}, key=nearness)[:MOST]


def tests_of_all(files: Iterable[str]) -> dict[str, list[str]]:
    """The modules of tests that are run, and for which files: the nearest of each file first, then the next ones."""
    wanted = {file: tests_of(file) for file in files}
    found = dict[str, list[str]]()
    for rank in range(MOST):
        for file, tests in wanted.items():
            for test in tests[rank : rank + 1]:
                found.setdefault(test, []).append(file)
    return found


def words_of(test: str, files: Iterable[str]) -> list[str]:
    """What is run of a module of tests: of one about every game the games touched, of others everything."""
    games = [game_of(file) for file in files]
    return games if all(games) and readers()[test].every_game else [Path(test).name]


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
    try:
        base, files = changed()
    except (OSError, subprocess.CalledProcessError):
        print("make quick asks git what has changed, and here it cannot say; use make test.", file=sys.stderr)
        return 2
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
