"""`make quick`: style, types, and the tests of what has changed, in some seconds.

What has changed: everything that differs from where this branch left its upstream (or main), committed or not; where
nothing does, the last commit.  :data:`TESTS` says which tests belong to which files; beside them, a module's own tests
are run, those that few modules of tests import it for.  Nothing is compiled here, and no browser started: what needs
that is left to `make test`, and the last lines say so.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
SHELF = ROOT / "src" / "parlour" / "games"
EACH_GAME = "test_corpus test_engine_properties test_settings"
"""Tests of every game: of these those of the games touched are run."""
SMOKE = "test_import test_layers test_public_face leduc"
"""What is run for files that no line of TESTS knows and no test imports."""
FEW = 2
"""A module that more modules of tests import is everybody's: then the line of TESTS has to do."""

TESTS = (
    # A line: files, and what is run for them: tests by their module, or a game's own tests by the name of the game.
    # The first line that fits is the one; \1 is what stands in the first brackets.
    (r"tests/(?:\w+/)*(test_\w+)\.py", r"\1"),
    (r"tests/(?:settings|records)/(\w+?)(?:\.txt|/.*)", r"\1"),
    (r"tools/campaigns\.py|tests/campaigns/.*", "test_campaigns"),
    (r"tests/mutants/.*|tools/(?:mutants|faults)\.py", "test_mutants"),
    (r"tests/sampler/.*", "sampler"),
    (r"tests/games/by_hand\.py", "test_diamonds_by_hand"),
    (r"tests/games/stops\.py", "commit newmarket pope_joan"),
    (r"tests/planted/.*", "test_audit"),
    (r"tests/(?:room_helpers|worlds)\.py", "test_room_leaks test_client test_page_leaks"),
    (r"tests/postgres\.py", "test_store"),
    (r"tools/failover\.py", "test_room_failover"),
    (r"deploy/.*", "test_hosting"),
    (
        r"tests/(?:conftest|helpers|clauses_plugin)\.py|tools/(?:covering|quick)\.py",
        "test_settings test_clauses test_quick leduc",
    ),
    (r"src/parlour/games/(\w+)/.*", r"\1"),
    (r"src/parlour/rules/(?:stops/.*|pools\.py)", "commit newmarket pope_joan"),
    (r"src/parlour/rules/tricks\.py", "test_tricks hearts"),
    (r"src/parlour/(?:rules/matchplay|core/french)\.py", "test_matchplay hearts commit newmarket pope_joan diamonds"),
    (r"src/parlour/audit/.*", "test_audit"),
    (r"src/parlour/engine/(?:odds|records)\.py", "test_odds test_records"),
    (r"src/parlour/adapters/.*", "test_adapters_environments test_adapters_openspiel test_openspiel"),
    (r"src/parlour/base/languages/.*", "test_languages"),
    (r"src/parlour/solve/.*", "test_solve"),
    (r"src/parlour/cli/author/starter/.*", "test_new_game"),
    (r"src/parlour/core/(?:records|transcript)\.py", "test_records"),
    (r"src/parlour/core/taking_back\.py", "test_undoing test_records"),
    (r"src/parlour/core/(?:chain|notes|verifying)\.py", "test_chain test_fair_deal"),
    (r"src/parlour/rules/weighing\.py", "matrimony newmarket"),
    (r"src/parlour/rules/unrolled\.py", "kuhn"),
    (r"src/parlour/base/disk\.py", "test_terminal"),
    (
        r"src/parlour/(?:(?:\w+/)?__init__|__main__|rules/contract|base/errors)\.py|.*/py\.typed",
        "test_import test_public_face test_app",
    ),
    (r"hatch_build\.py|.*/engine/(?:state|stable|calling|stepping|native)\..*", "test_compiled_state test_packaging"),
    (r"src/parlour/engine/(?:c/.*|kernel\.py|kernels/.*)|tools/every_driver\.py", "test_c_language test_c_mistakes"),
    (r"src/parlour/(?:base|core)/(compiled_state|extras|lessons|naming|reasons)\.py", r"test_\1"),
    (r"src/parlour/games/\w+\.py", "test_docs test_layers"),
    (
        r"src/parlour/(?:engine/.*|core/(?:game|batch)\.py|rules/(?:bounds|vocabulary)\.py)",
        "test_public_face sampler leduc diabolo",
    ),
    (r"src/parlour/players/.*", "test_players"),
    (r"src/parlour/core/fair_deal\.py", "test_fair_deal"),
    (r"src/parlour/study/.*", "test_match test_simulate"),
    (r"src/parlour/cli/\w+/(?:odds|simulate|audit|match)\.py", "test_odds test_simulate test_match"),
    (
        r"src/parlour/cli/.*|docs/games/.*|src/parlour/core/drawing\.py",
        "test_rules_command test_command_line test_layers",
    ),
    (r"src/parlour/server/(?:page|site|club/pages)/.*", "test_boards test_decks test_page_leaks test_layers"),
    (r"src/parlour/server/.*", "test_store test_room_leaks test_layers"),
    (r"pyproject\.toml|requirements.*|Makefile|.*\.md|docs/.*", "test_packaging test_import"),
)


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


def tests_of(files: Iterable[str]) -> dict[str, list[str]]:
    """What is run, and for which files."""
    found = dict[str, list[str]]()
    for file in files:
        fits = (match.expand(names).split() for pattern, names in TESTS if (match := re.fullmatch(pattern, file)))
        own = own_tests(file)
        names = next(fits, own or SMOKE.split())
        known = {module.stem for name in names for module in modules_of(name)}
        for name in [*names, *(test for test in own if test not in known)]:
            found.setdefault(name, []).append(file)
    return found


def own_tests(file: str) -> list[str]:
    """The modules of tests that import a module, if they are few; without those that start a browser."""
    if not file.startswith("src/") or not file.endswith(".py") or "/games/" in file:
        return []  # all tests of a game are run anyway
    module = file.removeprefix("src/").removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    found = [test for test, (imported, browses) in imports().items() if module in imported and not browses]
    return found if len(found) <= FEW else []


@cache
def imports() -> dict[str, tuple[set[str], bool]]:
    """What each module of tests imports by name, and whether it has tests in a browser."""
    found = dict[str, tuple[set[str], bool]]()
    for file in sorted((ROOT / "tests").rglob("test_*.py")):
        text = file.read_text("utf-8")
        modules = {*re.findall(r"\bimport (parlour[\w.]*)", text)}
        for package, names in re.findall(r"\bfrom (parlour[\w.]*) import (\([^)]*\)|.*)", text):
            modules |= {package, *(f"{package}.{name}" for name in re.findall(r"\w+", names))}
        found[file.stem] = modules, "browser: Browser" in text
    return found


def modules_of(name: str) -> list[Path]:
    """The modules of a line's word: one, or those of a game."""
    here = ROOT / "tests"
    if name.startswith("test_"):
        return [*here.rglob(f"{name}.py")]
    own = here.rglob("test_poker.py" if name in {"kuhn", "leduc"} else f"test_{name}*.py")
    return [*own, *(file for each in EACH_GAME.split() for file in here.rglob(f"{each}.py"))]


def main(more: list[str]) -> int:
    try:
        base, files = changed()
    except (OSError, subprocess.CalledProcessError):
        print("make quick asks git what has changed, and here it cannot say; use make test.", file=sys.stderr)
        return 2
    names = tests_of(files)
    examples = [file for file in files if file.startswith("src/") and file.endswith(".py")]
    modules = sorted({str(file.relative_to(ROOT)) for name in names for file in modules_of(name)} | {*examples})
    words = [*(f"{name}.py" if name.startswith("test_") else name for name in names), *(Path(f).name for f in examples)]
    print(f"changed since {base[:8]}: {', '.join(files) or 'nothing'}", flush=True)
    print(f"so these tests: {', '.join(names) or 'none'}", flush=True)
    python = (sys.executable, "-m")
    work = {
        "ruff check": (*python, "ruff", "check", "--quiet", "--output-format=concise"),
        "ruff format (make format)": (*python, "ruff", "format", "--check", "--quiet", "--output-format=concise"),
        "mypy": (*python, "mypy"),
    }
    if modules:
        spread = ("-n", "auto", "--maxprocesses=8", "--dist=worksteal")
        work["pytest"] = (*python, "pytest", "-q", "--interpreted", *spread, "-k", " or ".join(words), *modules, *more)
    running = {name: subprocess.Popen(command, cwd=ROOT) for name, command in work.items()}
    failed = [name for name, process in running.items() if process.wait()]
    print("not run: the tests of everything else, and those that need machine code (make test)")
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
