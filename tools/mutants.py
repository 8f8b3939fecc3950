"""Plant small faults in the rules of a game, one at a time, and see whether its tests notice: ``make mutants``.

Of all faults that there are in a game's rules (:mod:`faults`), 300 are drawn by a seed, and as many of those in its
rule of thumb (``heuristic.py``), which has a score of its own.  Each is planted in memory, and the tests that pass over
its statement are run until one fails.  A fault that no test notices *survives*: either a test is missing, or the fault
changes nothing (it is *equivalent*, and ``tests/mutants/<game>.toml`` says why).  Modules that several games share are
looked at apart, under the name ``shared``, with the tests of all games.

Why not a kept tool?  cosmic-ray restarts the tests for each fault (four seconds of imports, 3,000 times), writes faults
into the files and never drops a statement.  mutmut puts a switch into every function, which shows in what the engine
reads and translates; it leaves the constants of a module alone and draws no sample.

How it is fast: this process imports what the tests import, but nothing of ours, and forks.  Each child plants one
fault while it imports the rules, collects the few files that matter and runs their tests, the corpus of records first
and then the quickest ones.  Compiled code is off: it is made of the same source, so it plays with the same fault.
Tests that fail without it are left out and counted, and so are slow ones.  A child may take ten times the processor
time that a test takes; one that takes more has noticed the fault.

What was found is kept in ``build/mutants``: a run that was interrupted goes on, and another one looks only at what has
changed since.

With ``--matrix`` a fault is tried on all tests that pass over it, and a folder of the sources is looked at like a game,
with the tests in the folder of the same name.  Tests that need a browser are left out.
"""

from __future__ import annotations

import argparse
import builtins
import contextlib
import datetime
import gc
import importlib
import json
import math
import multiprocessing
import os
import resource
import signal
import sys
import tempfile
import time
import tomllib
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import accumulate
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import pytest
from hypothesis import Phase, settings
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from tools.campaigns import digest as code_of
from tools.campaigns import with_imported
from tools.faults import SOURCES, Fault, Planted, digest, drawn, faults, file_of, marked

HERE = Path(__file__).parents[1] / "tests"
ROOT = HERE.parent
BUILD = ROOT / "build" / "mutants"
GAMES = sorted(file.parent.name for file in (SOURCES / "parlour" / "games").glob("*/rules.py"))
SHARED = "shared"
FOLDERS = {
    folder.name: folder.relative_to(SOURCES / "parlour")
    for folder in sorted(SOURCES.glob("parlour/*/")) + sorted(SOURCES.glob("parlour/server/*/"))
    if folder.name not in ("games", "server") and (HERE / folder.relative_to(SOURCES / "parlour")).is_dir()
}
"""Parts of the house that :meth:`Campaign.matrix` also looks at: the tests of a folder lie where the folder does."""
COUNT, SEED = 300, 1
RULES, BARE, HEURISTIC = "rules", "rules_without_corpus", "heuristic"
ENOUGH = {RULES: 0.95, BARE: 0.90, HEURISTIC: 0.85}
"""The scores, and how good they must be.  A rule of thumb has one score, with the corpus of records."""
IDLE = 10  # tests that are named of those that the matrix finds idle
FIRST, THUMB = "tests/games/test_corpus.py", "tests/games/test_rules_of_thumb.py"
GENERAL = (  # files of tests that are about all games
    *(
        "tests/games/test_poker.py",
        "tests/games/test_openspiel.py",
        "tests/rules/test_matchplay.py",
        "tests/cli/test_odds.py",
        "tests/core/test_records.py",
    ),
    *("tests/engine/test_engine_properties.py", "tests/audit/test_audit.py", "tests/players/test_players.py"),
    *("tests/games/test_settings.py", "tests/games/test_options_apply.py", "tests/engine/test_undoing.py"),
    *("tests/games/test_every_game.py", "tests/games/test_stops.py"),
)
NOT_RULES = ("page", "board", "deck")  # modules that only draw
SLOW = 20.0  # seconds of processor time; slower tests are left out
LEAST, TIMES, COLLECTING = 5.0, 10, 120.0  # processor time of a test: at least this, this many times what it took
TOO_LONG = " (too long)"
HANGS = 3600.0  # seconds on the clock after which a child is given up, whatever it waits for
BOUND, WAITS = 60.0, 60.0  # of the matrix: processor time for a fault, and time on the clock for a test
MEMORY = 12 << 30  # bytes of addresses a child may have
RAN = (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.NO_TESTS_COLLECTED)
LAST = 30  # lines that are shown of what a child printed before it died
QUICKLY = (  # without doctests, rewritten assertions and plugins that no test of rules needs
    *("-o", "addopts=--import-mode=importlib", "-m", "not long or corpus", "--assert=plain", "--capture=no", "-q"),
    *("-p", "no:cacheprovider", "-p", "no:schemathesis", "-p", "no:anyio", "-W", "ignore:Module already imported"),
)

Say = Callable[[dict[str, Any]], None]
Work = Callable[[Say], object]


# ------------------------------------------------------------------------------------------ in a child


def run(files: Sequence[str], plugin: object, *options: str) -> None:
    """Run the tests of these files as the plugin wants it; end with pytest's exit code if they could not be run."""
    ended = pytest.main([*(str(ROOT / file) for file in files), *QUICKLY, *options], [plugin])
    if ended not in RAN:
        sys.exit(ended)


class Plugin:
    """What both plugins for pytest do: a property that fails is not narrowed down."""

    def pytest_configure(self) -> None:
        settings.register_profile("quick", settings(), phases=(Phase.explicit, Phase.generate))  # as in conftest
        settings.load_profile("quick")


class Measure(Plugin):
    """Runs the tests of a game and says how long each takes and which lines of the rules it passes over."""

    def __init__(self, game: str, lines: int, say: Say) -> None:
        self.game, self.say, self.failed = game, say, False
        self.passed = builtins._passed = bytearray(lines)  # type: ignore[attr-defined]

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        from tests.gate_plugin import game_of

        packages = [name for name, m in sys.modules.items() if "site-packages" in str(getattr(m, "__file__", ""))]
        self.say({"imported": self._lines(), "packages": packages})
        general = self.game == SHARED or self.game in FOLDERS
        items[:] = [item for item in items if general or game_of(item.nodeid) == self.game]
        items[:] = [item for item in items if "browser" not in getattr(item, "fixturenames", ())]
        signal.signal(signal.SIGPROF, stop)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        for name, module in list(sys.modules.items()):  # forget what rules remember of earlier tests
            for value in vars(module).values() if name.startswith(("parlour.games", "parlour.rules.stops")) else ():
                with contextlib.suppress(AttributeError):
                    getattr(value, "found", value).cache_clear()
        self.passed[:], self.failed, began = bytes(len(self.passed)), False, time.process_time()
        signal.setitimer(signal.ITIMER_PROF, SLOW, 1.0)
        result = yield
        signal.setitimer(signal.ITIMER_PROF, 0)
        seconds = time.process_time() - began
        self.say({"test": item.nodeid, "seconds": seconds, "lines": self._lines(), "failed": self.failed})
        return result

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.failed |= not report.passed

    def _lines(self) -> list[int]:
        return [n for n, passed in enumerate(self.passed) if passed]


class TooSlow(BaseException):
    """A test takes too long to be run for each fault."""


def stop(*_: Any) -> NoReturn:
    """End a test by a signal."""
    raise TooSlow


class Try(Plugin):
    """Runs these tests in this order until one fails, and says which."""

    def __init__(self, tests: Mapping[str, float], say: Say) -> None:
        self.tests, self.say = tests, say

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        place = {test: i for i, test in enumerate(self.tests)}
        items[:] = sorted((item for item in items if item.nodeid in place), key=lambda item: place[item.nodeid])
        if len(items) < len(place):
            self._end("collecting")

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> None:
        self.say({"test": item.nodeid})
        signal.setitimer(signal.ITIMER_PROF, max(LEAST, TIMES * self.tests[item.nodeid]))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self._end(report.nodeid)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self._end("collecting")

    def pytest_sessionfinish(self) -> None:
        self._end("")

    def _end(self, by: str) -> None:
        """Leave without tidying up, which takes longer than most tests."""
        self.say({"by": by})
        os._exit(0)


class TryAll(Try):
    """Runs all of these tests, as many as there is processor time for, and says which fail."""

    def __init__(self, tests: Mapping[str, float], say: Say, bound: float) -> None:
        super().__init__(tests, say)
        self.bound = bound

    def pytest_sessionstart(self, session: pytest.Session) -> None:
        self.session, self.began = session, time.monotonic()
        signal.signal(signal.SIGPROF, stop)
        signal.signal(signal.SIGALRM, stop)

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        super().pytest_collection_modifyitems(items)
        items.sort(key=lambda item: _file(item.nodeid))  # so that what a module sets up is set up once

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> None:
        if time.process_time() > self.bound or time.monotonic() - self.began > 5 * self.bound:
            self.session.shouldstop = "There is no time for more."
        super().pytest_runtest_protocol(item)
        signal.setitimer(signal.ITIMER_REAL, max(WAITS, TIMES * self.tests[item.nodeid]))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.say({"noticed": report.nodeid})
        if report.when == "call":  # what it has set up may be dear to take down
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.setitimer(signal.ITIMER_PROF, COLLECTING)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self) -> None:
        self._end("")


def run_all(tests: Mapping[str, float], bound: float, say: Say) -> None:
    run(sorted({_file(test) for test in tests}), TryAll(tests, say, bound))


def modules_of(game: str, say: Say) -> None:
    """Say which modules have the rules of a game, and which of these games share; or which are in a folder."""
    if game in FOLDERS:
        files = [
            file.relative_to(SOURCES).with_suffix("") for file in (SOURCES / "parlour" / FOLDERS[game]).rglob("*.py")
        ]
        names = [".".join(file.parts) for file in files if file.name != "__init__" and "migrations" not in file.parts]
        return say({"own": sorted(names), "shared": []})
    from parlour.engine.definition import definition

    games = GAMES if game == SHARED else [game]
    shared = {module.__name__ for one in games for module in definition(one).sources}
    own = [name for name in sys.modules if name.startswith(f"parlour.games.{game}.")]
    say({"own": sorted(own), "shared": sorted(name for name in shared if not name.startswith("parlour.games."))})


def unplanted(game: str) -> dict[str, str]:
    """What every child imports otherwise than it stands: no compiled code, and no other game than this one."""
    if game in FOLDERS:
        return {}
    compiled, definition = "parlour.engine.c.loading", "parlour.engine.definition"
    off = "\n\ndef compiled(*_):\n    raise NotImplementedError('compiled code is off')\n"
    alone = "" if game == SHARED else f"\n\ndef shelf():\n    return [{game!r}]\n"
    return {
        compiled: file_of(compiled).read_text("utf-8") + off,
        definition: file_of(definition).read_text("utf-8") + alone,
    }


# ------------------------------------------------------------------------------------------ children

FORK = multiprocessing.get_context("fork")


class Child:
    """A fork of this process that imports these sources, does some work, and says things about it."""

    def __init__(self, work: Work, sources: Mapping[str, str]) -> None:
        self.began, self.said = time.monotonic(), list[dict[str, Any]]()
        self.ear, mouth = FORK.Pipe(duplex=False)
        self.printed, self.paper = "", tempfile.TemporaryFile()  # noqa: SIM115
        self.process = FORK.Process(target=_live, args=(work, sources, mouth, self.paper.fileno()))
        self.process.start()
        mouth.close()

    def over(self) -> bool:
        """Whether it has ended; takes in what it says."""
        ended = not self.process.is_alive()
        with contextlib.suppress(EOFError):
            while self.ear.poll():
                self.said.append(self.ear.recv())
        if time.monotonic() - self.began > HANGS:
            self.process.kill()
        if ended:
            with self.paper as paper:
                paper.seek(0)
                self.printed = paper.read().decode(errors="replace")
        return ended

    def verdict(self) -> str:
        """Which test noticed the fault; empty if none did."""
        last = self.said[-1] if self.said else {}
        at = next((what["test"] for what in reversed(self.said) if "test" in what), "collecting")
        return str(last.get("by", at + TOO_LONG * (self.process.exitcode == -signal.SIGPROF)))

    def stop(self, why: str) -> NoReturn:
        """End the run because of this child, with what it printed last."""
        raise SystemExit("\n".join([why, *(self.printed.splitlines() or ["It printed nothing."])[-LAST:]]))


def _live(work: Work, sources: Mapping[str, str], mouth: Connection, printed: int) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.dup2(printed, 1)
    os.dup2(printed, 2)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    signal.setitimer(signal.ITIMER_PROF, COLLECTING)
    sys.meta_path.insert(0, Planted(sources))
    work(mouth.send)


def together(queue: deque[tuple[Any, Work, Mapping[str, str]]], jobs: int) -> Iterator[tuple[Any, Child]]:
    """Do this work, this much of it at a time; yield what is done.  More may be queued in the meantime."""
    running = list[tuple[Any, Child]]()
    try:
        while queue or running:
            while queue and len(running) < jobs:
                what, work, sources = queue.popleft()
                running.append((what, Child(work, sources)))
            wait([part for _, child in running for part in (child.ear, child.process.sentinel)], 1.0)
            for one in [one for one in running if one[1].over()]:
                running.remove(one)
                yield one
    finally:
        for _, child in running:
            child.process.kill()


def alone(work: Work, sources: Mapping[str, str] | None = None) -> Child:
    """A child that has done this work."""
    return next(child for _, child in together(deque([(0, work, sources or {})]), 1))


def answer(work: Work, to: str) -> dict[str, Any]:
    """The first thing that a child says."""
    child = alone(work)
    return (
        child.said[0]
        if child.said
        else child.stop(f"{to} cannot be found out: it ended with {child.process.exitcode}.")
    )


# ------------------------------------------------------------------------------------------ a game


def files_of(game: str) -> list[list[str]]:
    """The files of the tests of a game: first the corpus and what rules of thumb prefer, then its own, then those about
    all games; or those of a folder."""
    if game in FOLDERS:
        return [sorted(str(file.relative_to(ROOT)) for file in (HERE / FOLDERS[game]).rglob("test_*.py"))]
    games = GAMES if game == SHARED else [game]
    own = sorted(str(file.relative_to(ROOT)) for one in games for file in (HERE / "games").glob(f"test_{one}*.py"))
    rules = [file for file in own if not file.removesuffix(".py").endswith(NOT_RULES)]
    if game == SHARED:
        return [[FIRST, THUMB], [*rules, *GENERAL[-2:], "tests/rules/test_tricks.py", "tests/rules/test_matchplay.py"]]
    return [[FIRST, THUMB], rules, [*GENERAL]]


class Campaign:
    """The faults of a game, its tests, and what has been found out about them."""

    def __init__(self, game: str, given: argparse.Namespace, progress: Progress) -> None:
        self.game, self.given, self.progress = game, given, progress
        modules = answer(partial(modules_of, game), f"The modules of {game}")
        texts = {name: file_of(name).read_text("utf-8") for name in modules["own"] + modules["shared"]}
        self.rules = digest(*texts.items())
        self.code = code_of(file_of(name) for name in texts)
        self.sources = {name: texts[name] for name in modules["shared" if game == SHARED else "own"]}
        lengths = [source.count("\n") + 2 for source in self.sources.values()]
        self.first = dict(zip(self.sources, accumulate(lengths, initial=0), strict=False))
        self.lines = sum(lengths)
        self.stages = [
            [file for file in files if file != FIRST or not given.without_corpus] for files in files_of(game)
        ]
        self.files = [file for stage in self.stages for file in stage]
        self.tests: dict[str, tuple[float, set[int]]] = {}
        self.left_out: list[str] = []
        self.all = dict[str, list[Fault]]()
        for name, source in self.sources.items():
            part = HEURISTIC if name.endswith(f".{HEURISTIC}") else RULES
            score = BARE if given.without_corpus and part == RULES else part
            if given.only in (None, part) and not (given.without_corpus and part == HEURISTIC):
                self.all.setdefault(score, []).extend(faults(name, source))
        self.drawn = {score: drawn(there, given.count, given.seed) for score, there in self.all.items()}
        self.faults = [fault for those in self.drawn.values() for fault in those]
        self.name = f"{game}{'-without-corpus' * given.without_corpus}"
        self.logbook = given.logbook / f"{self.name}.jsonl"

    def state_of(self, *files: str) -> str:
        """Changes with the rules, these files of tests and what these use."""
        corpus = (HERE / "records" / "corpus").glob("*.txt" if self.game == SHARED else f"{self.game}.txt")
        used = [file.read_bytes() for file in sorted(corpus)] if FIRST in files else []
        read = sorted({other for file in (*files, "tests/conftest.py") for other in with_imported(file)})
        return digest(self.rules, *((ROOT / file).read_bytes() for file in read), *used)

    # ------------------------------------------------------------------ the tests without a fault

    def measure(self) -> None:
        """Run every test once: how long it takes, and what it passes over."""
        kept = self.given.logbook / f"{self.name}.tests.json"
        known: dict[str, Any] = json.loads(kept.read_text("utf-8")) if kept.exists() else {}
        marks = {name: marked(source, self.first[name]) for name, source in self.sources.items()}
        new = [file for file in self.files if known.get(file, {}).get("print") != self.state_of(file)]
        sources = {**unplanted(self.game), **marks}
        works = [(file, lambda say, file=file: run([file], Measure(self.game, self.lines, say))) for file in new]
        task = self.progress.add_task(f"{self.game}: its tests", total=len(new))
        for file, child in together(deque((file, work, sources) for file, work in works), self.given.jobs):
            tests = [what for what in child.said if "test" in what]
            if not child.said or child.process.exitcode:
                child.stop(f"{file} cannot be run: it ended with {child.process.exitcode}.")
            known[file] = {"print": self.state_of(file), "imported": child.said[0]["imported"], "tests": tests}
            kept.write_text(json.dumps(known), "utf-8")
            self.progress.update(task, advance=1, refresh=True)
        self.progress.remove_task(task)
        for file in self.files:
            for what in known[file]["tests"]:
                self.tests[what["test"]] = (what["seconds"], {*known[file]["imported"], *what["lines"]})
        self._leave_out(what["test"] for file in self.files for what in known[file]["tests"] if what["failed"])
        whole = self.state_of(*self.files)
        if known.get("together", {}).get("print") != whole:
            known["together"] = {"print": whole, "failed": list(self._failing_together())}
            kept.write_text(json.dumps(known), "utf-8")
        self._leave_out(known["together"]["failed"])

    def _leave_out(self, tests: Iterator[str] | Sequence[str]) -> None:
        for test in tests:
            if self.tests.pop(test, None):
                self.left_out.append(test)

    def _failing_together(self) -> Iterator[str]:
        """The tests that fail without a fault where they are run as they are with one."""
        for stage in range(len(self.stages)):
            while tests := self.tests_of(None, stage):
                child = alone(partial(run_all, tests, math.inf), unplanted(self.game))
                failed = {what["noticed"]: None for what in child.said if "noticed" in what}
                if child.verdict():
                    child.stop(f"The tests of {self.game} cannot be run together: {child.verdict()}.")
                if not failed:
                    break
                yield from failed
                self._leave_out([*failed])

    def tests_of(self, fault: Fault | None, stage: int) -> dict[str, float]:
        """The tests that pass over a fault (without one, all), with their time, the quickest first."""
        everywhere = fault is None or not fault.function
        line = -1 if fault is None else self.first[fault.module] + fault.statement
        found = {
            test: seconds
            for test, (seconds, lines) in self.tests.items()
            if (everywhere or line in lines) and _file(test) in self.stages[stage]
        }
        return dict(sorted(found.items(), key=lambda one: (FIRST not in one[0], one[1])))

    # ------------------------------------------------------------------ the tests with a fault

    def work(self, fault: Fault | None, stage: int) -> tuple[Work, dict[str, str]]:
        """What a child has to do for a fault, and the sources it imports."""
        tests = self.tests_of(fault, stage)
        files = sorted({_file(test) for test in tests})
        planted = {fault.module: fault.plant(self.sources[fault.module])} if fault else {}
        return lambda say: run(files, Try(tests, say)), {**unplanted(self.game), **planted}

    def go(self) -> None:
        """Try every fault about which nothing is known."""
        known = self.known()
        queue = deque[tuple[Any, Work, Mapping[str, str]]]()
        task = self.progress.add_task(self.game, total=len(self.faults), completed=len(known))
        with self.logbook.open("a", encoding="utf-8") as logbook:

            def conclude(fault: Fault, by: str) -> None:
                known[fault] = by
                logbook.write(json.dumps({"fault": fault.name, "by": by, "print": self._state_for(by)}) + "\n")
                logbook.flush()
                lived = sum(not by for by in known.values())
                told = f"{self.game}: {lived} survive"
                self.progress.update(task, completed=len(known), description=told, refresh=True)

            def next_stage(fault: Fault, after: int = -1) -> None:
                stages = [k for k in range(after + 1, len(self.stages)) if self.tests_of(fault, k)]
                if stages:
                    queue.append(((fault, stages[0]), *self.work(fault, stages[0])))
                else:
                    conclude(fault, "")

            for fault in self.faults:
                if fault not in known:
                    next_stage(fault)
            for (fault, stage), child in together(queue, self.given.jobs):
                if child.process.exitcode == -signal.SIGKILL:
                    continue  # somebody has ended it: the next run tries again
                if by := child.verdict():
                    conclude(fault, by)
                else:
                    next_stage(fault, stage)

    def known(self) -> dict[Fault, str]:
        """What noticed each fault that was tried with the rules and tests as they are; empty: nothing did."""
        lines = self.logbook.read_text("utf-8").splitlines() if self.logbook.exists() else []
        entries = {tuple(entry["fault"]): entry for entry in map(json.loads, lines)}
        found = {fault: entries[fault.name] for fault in self.faults if fault.name in entries}
        return {fault: entry["by"] for fault, entry in found.items() if entry["print"] == self._state_for(entry["by"])}

    def _state_for(self, by: str) -> str:
        """What a verdict depends on: the file of the test that noticed the fault, or all files."""
        return self.state_of(_file(by)) if _file(by) in self.files else self.state_of(*self.files)

    # ------------------------------------------------------------------ which tests are needed

    def matrix(self, console: Console) -> None:
        """Say of each test how many faults it notices, how many nobody else does, over how many it passed, and how long
        it takes: the least needed first."""
        passed, noticed, alone = (dict.fromkeys(self.tests, 0) for _ in range(3))
        lived = list[Fault]()
        for fault, by in self._noticed_by_all().items():
            for test in {*by["tried"]} & {*self.tests}:
                passed[test] += 1
            for test in by["noticed"]:
                noticed[test] += 1
                alone[test] += len(by["noticed"]) == 1 and not by["left"]
            if not by["noticed"] and fault.name not in Kept(self.game).equivalent:
                lived.append(fault)
        order = sorted(self.tests, key=lambda test: (alone[test], noticed[test], -self.tests[test][0]))
        file = self.given.logbook / f"{self.name}.matrix.tsv"
        lines = [f"{alone[one]}\t{noticed[one]}\t{passed[one]}\t{self.tests[one][0]:.2f}\t{one}" for one in order]
        file.write_text("\n".join(["alone\tnoticed\tpassed\tseconds\ttest", *lines, ""]), "utf-8")
        idle = [test for test in order if passed[test] and not noticed[test]]
        listed = [str(fault) + "\n  (no test passes over it)" * (not self._is_run(fault)) for fault in lived]
        console.print(*listed, sep="\n", markup=False, highlight=False, soft_wrap=True)
        console.print(
            f"{self.game}: {len(lived)} of {len(self.faults)} faults survive; of {len(order)} tests "
            f"{sum(map(bool, alone.values()))} notice what no other does, {len(idle)} "
            f"nothing that they pass over: {file}",
            *(f"  {self.tests[test][0]:.1f} s  {test}" for test in idle[:IDLE]),
            sep="\n", markup=False, highlight=False, soft_wrap=True,
        )  # fmt: skip

    def _noticed_by_all(self) -> dict[Fault, dict[str, Any]]:
        """For each fault the tests that were tried and those that noticed it, and how many there was no time for."""
        file, state = self.logbook.with_suffix(".matrix.jsonl"), self.state_of(*self.files)
        lines = file.read_text("utf-8").splitlines() if file.exists() else []
        known = {tuple(entry["fault"]): entry for entry in map(json.loads, lines) if entry["print"] == state}
        found = {fault: known[fault.name] for fault in self.faults if fault.name in known}
        queue = deque[tuple[Any, Work, Mapping[str, str]]]()
        for fault in self.faults:
            by_stage = [self.tests_of(fault, stage) for stage in range(len(self.stages))]
            tests = {test: seconds for those in by_stage for test, seconds in those.items()}
            planted = {fault.module: fault.plant(self.sources[fault.module])}
            work = partial(run_all, tests, BOUND)
            if fault not in found and tests:
                queue.append(((fault, tests), work, {**unplanted(self.game), **planted}))
            elif not tests:
                found[fault] = {"noticed": [], "tried": [], "left": 0}
        task = self.progress.add_task(f"{self.game}: all tests", total=len(queue))
        with file.open("a", encoding="utf-8") as logbook:
            for (fault, tests), child in together(queue, self.given.jobs):
                tried = [what["test"] for what in child.said if "test" in what]
                noticed = dict.fromkeys(what["noticed"] for what in child.said if "noticed" in what)
                if not tried:
                    tried = noticed = tests  # the tests cannot even be collected
                left = len(tests) - len(tried)
                found[fault] = {"fault": fault.name, "noticed": [*noticed], "tried": [*tried], "left": left}
                logbook.write(json.dumps({**found[fault], "print": state}) + "\n")
                logbook.flush()
                self.progress.advance(task)
        self.progress.remove_task(task)
        return found

    # ------------------------------------------------------------------ what came of it

    def report(self, console: Console) -> bool:
        """Say what has survived and keep the scores; whether they are good enough."""
        kept = Kept(self.game)
        known = self.known()
        alive = sorted((f for f, by in known.items() if not by), key=lambda fault: (fault.module, fault.line))
        left = [fault for fault in alive if fault.name not in kept.equivalent]
        for fault, by in known.items():
            if by and fault.name in kept.equivalent:
                console.print(f"Not equivalent, {by} notices it:\n{fault}", markup=False, highlight=False)
        listed = [str(fault) + "\n  (no test passes over it)" * (not self._is_run(fault)) for fault in left]
        (self.given.logbook / f"{self.name}.txt").write_text("\n".join([*listed, ""]), "utf-8")
        console.print(*listed, sep="\n", markup=False, highlight=False, soft_wrap=True)
        well = True
        for name, those in self.drawn.items():
            tried = [fault for fault in those if fault in known]
            survived, lived = ([fault for fault in tried if fault in some] for some in (left, alive))
            score = Score(
                len(self.all[name]), len(tried), len(tried) - len(lived), len(lived) - len(survived), len(survived)
            )
            console.print(
                f"{self.game}, {name}: {score} ({len(self.tests)} tests, {len(self.left_out)} left out)",
                highlight=False,
                soft_wrap=True,
            )
            if (self.given.count, self.given.seed) == (COUNT, SEED):
                kept.enter(name, score, self.code)
            well &= score.share >= ENOUGH[name]
        return well

    def _is_run(self, fault: Fault) -> bool:
        return any(self.tests_of(fault, stage) for stage in range(len(self.stages)))


def _file(test: str) -> str:
    return test.partition("::")[0]


# ------------------------------------------------------------------------------------------ the scores


class Score(NamedTuple):
    """How many faults there are, were drawn, were noticed, change nothing, and survived."""

    faults: int
    drawn: int
    killed: int
    equivalent: int
    survived: int

    @property
    def share(self) -> float:
        """The share that is noticed of the faults that change something."""
        return self.killed / max(1, self.killed + self.survived)

    def __str__(self) -> str:
        return (
            f"of {self.faults} faults {self.drawn} planted, {self.killed} killed, {self.equivalent} equivalent, "
            f"{self.survived} survived: {self.share:.1%}"
        )


class Kept:
    """What ``tests/mutants/<game>.toml`` has: the scores, and the faults that change nothing."""

    def __init__(self, game: str) -> None:
        self.file = HERE / "mutants" / f"{game}.toml"
        self.text = self.file.read_text("utf-8") if self.file.exists() else ""
        self.tables = tomllib.loads(self.text)
        self.equivalent = {tuple(entry["fault"]) for entry in self.tables.get("equivalent", [])}

    def enter(self, name: str, score: Score, of: str) -> None:
        """Keep a score, with the day and the digest of the rules it is of."""
        self.tables[name] = {"date": datetime.date.today(), "of": of, **score._asdict()}
        parts = [HEADER]
        for there in [one for one in ENOUGH if one in self.tables]:
            lines = (f"{key} = {json.dumps(value, default=str)}" for key, value in self.tables[there].items())
            parts.append("\n".join([f"[{there}]", *lines, ""]))
        equivalent = [self.text[self.text.index("[[") :]] if "[[" in self.text else []
        self.file.write_text("\n".join([*parts, *equivalent]), "utf-8")

    def told(self, of: str) -> Iterator[str]:
        """The scores, and whether they are of the rules with this digest."""
        for name in ENOUGH:
            if table := self.tables.get(name):
                score = Score(*(table[field] for field in Score._fields))
                age = "today's rules" if table["of"] == of else f"rules of {table['date']}, changed since"
                yield f"{name}: {score} ({age})"


HEADER = """\
# The scores are written by `make mutants`.  A fault that changes nothing is entered by hand, with the reason: module,
# function, the line as it is and as it is with the fault (and how often the same has come before in the function).
"""


# ------------------------------------------------------------------------------------------ all of it


def preload() -> None:
    """Import the packages that tests use, so that each child finds them there."""
    files = ["tests/study/test_simulate.py", "tests/core/test_records.py", "tests/players/test_players.py"]
    files += ["tests/server/web/test_server.py"]
    collecting = partial(answer, lambda say: run(files, Measure(SHARED, 1, say), "--collect-only"))
    for name in collecting("What the tests import")["packages"]:
        with contextlib.suppress(Exception):
            importlib.import_module(name)
    gc.freeze()


def main() -> int:
    """Try the faults of the games that are named, or of all."""
    choices = [*GAMES, SHARED, *FOLDERS]
    parser = argparse.ArgumentParser(description="Plant small faults in the rules; list those that no test notices.")
    parser.add_argument("games", nargs="*", metavar="game", help=f"{', '.join(choices)}; all of them if none is given")
    parser.add_argument("--count", type=int, default=COUNT, help="how many faults to draw for each game (%(default)s)")
    parser.add_argument("--seed", type=int, default=SEED, help="what they are drawn by (%(default)s)")
    parser.add_argument(
        "--without-corpus", action="store_true", help="let only the tests of the rules themselves judge"
    )
    parser.add_argument(
        "--only", choices=[RULES, HEURISTIC], help="plant faults in the rules only, or in the rule of thumb"
    )
    parser.add_argument(
        "--matrix", type=int, help="try so many faults on all tests, and say which of these nobody else replaces"
    )
    parser.add_argument("--list", action="store_true", help="only say the scores that are kept, and how old they are")
    parser.add_argument("--logbook", type=Path, default=BUILD, help="the folder of what was found (%(default)s)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="how many to try at a time (%(default)s)")
    given = parser.parse_args()
    for game in given.games:
        if game not in choices:
            parser.error(f"there is no game {game!r}; choose from: {', '.join(choices)}")
        if game in FOLDERS and not given.matrix:
            parser.error(f"{game!r} is no game: it has a --matrix only")
    given.count = given.matrix or given.count
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    os.environ.setdefault("PARLOUR_TEST_LIMIT", "15")
    os.chdir(ROOT)
    given.logbook = given.logbook.absolute()
    given.logbook.mkdir(parents=True, exist_ok=True)
    sys.dont_write_bytecode, sys.pycache_prefix = False, str(given.logbook / "bytecode")
    console, well = Console(), True
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    try:
        if not given.list:
            preload()
        for game in given.games or [*GAMES, SHARED]:
            if given.list:
                modules = answer(partial(modules_of, game), f"The modules of {game}")
                for line in Kept(game).told(code_of(map(file_of, [*modules["own"], *modules["shared"]]))):
                    console.print(f"{game}, {line}", highlight=False, soft_wrap=True)
                continue
            with Progress(*columns, console=console, auto_refresh=False, transient=True) as progress:
                campaign = Campaign(game, given, progress)
                if campaign.faults:
                    campaign.measure()
                if given.matrix:
                    campaign.matrix(console)
                    continue
                campaign.go()
            well &= campaign.report(console)
    except KeyboardInterrupt:
        console.print("Stopped; the next run goes on from here.")
        return 130
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main())
