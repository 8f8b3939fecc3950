"""How tests are spread over processes, in which order, and what is said of those that fail.

Tests that share what is dear run in one process, one after the other: a browser, what a module has set up.  What took
longest in the last whole run begins first (``build/times.json``; ``tests/times.json`` is of an earlier run, for the
first one here).  A failure is named at once; in ``make test`` it is then run again alone, and *flaky* if it passes
there, which is a fault too.  ``--shuffled SEED`` puts everything into another order.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.clauses_plugin import whole_suite
from tests.helpers import GAMES

HERE = Path(__file__).parent
TIMES = "build/times.json"
BROWSERS = 2
"""How many there are at a time: one after the other, the tests of the page would take longer than all others."""
FEW = 20
"""If more tests fail than that, it is not by chance, and none is run again."""


def game_of(test: str) -> str | None:
    """The game that a test is about, by its name, its parameters or its module."""
    return next((game for game in GAMES if re.search(rf"(?<![a-z]){game}(?![a-z])", test)), None)


@cache
def times() -> Mapping[str, float]:
    """How many seconds the tests of a game took, or of a module."""
    last = HERE.parent / TIMES
    found: dict[str, float] = json.loads((last if last.exists() else HERE / last.name).read_text("utf-8"))
    return found


@cache
def browsing() -> Mapping[str, int]:
    """The modules with tests that use a browser, and which: so that each has about as much to do."""
    tests = [
        file for file in HERE.rglob("test_*.py") if re.search("browser: Browser|zoe: Person", file.read_text("utf-8"))
    ]
    found, busy = dict[str, int](), [(0.0, one) for one in range(BROWSERS)]
    modules = (file.relative_to(HERE.parent).as_posix() for file in tests)
    for module in sorted(modules, key=lambda one: (-times().get(one, 0.0), one)):
        seconds, one = min(busy)
        found[module] = one
        busy[one] = (seconds + times().get(module, 1.0), one)
    return found


def timed_as(test: str, long: bool = False) -> str:
    """What the time of a test is added to: its module, which sets things up and keeps them.  Long tests share nothing
    but the machine code of a game."""
    return (game_of(test) or test) if long else test.partition("::")[0]


def shared_by(test: str, long: bool = False) -> str:
    """What the tests of one process share: the browser; or what their time is added to."""
    timed = timed_as(test, long)
    return timed if long or timed not in browsing() else f"browser {browsing()[timed]}"


def in_order(items: list[pytest.Item], long: bool, seed: str | None) -> None:
    """What takes longest first, so that nobody waits for it at the end; or shuffled: what is shared stays together."""
    tests = [item.nodeid for item in items]
    shared = {test: shared_by(test, long) for test in tests}
    if seed:
        names = {test: (shared[test], test.partition("::")[0], test) for test in tests}
        drawn = {test: [Random(f"{seed} {name}").random() for name in names[test]] for test in tests}
        items.sort(key=lambda item: drawn[item.nodeid])
        return
    took = dict.fromkeys(shared.values(), 0.0)
    for timed, one in {(timed_as(test, long), shared[test]) for test in tests}:
        took[one] -= times().get(timed, 0.0)
    items.sort(key=lambda item: (took[shared[item.nodeid]], shared[item.nodeid]))


class Gate:
    """The plugin, in the process that sees the reports."""

    def __init__(self, config: pytest.Config) -> None:
        self.config, self.long = config, config.option.markexpr == "long"
        self.seconds, self.failed, self.flaky = Counter[str](), dict[str, None](), list[str]()

    def pytest_report_header(self) -> str | None:
        seed = self.config.option.shuffled
        return seed and f"shuffled: --shuffled {seed}"

    @pytest.hookimpl(wrapper=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> Iterator[None]:
        yield
        seed, spread = self.config.option.shuffled, hasattr(self.config, "workerinput")
        if seed or (spread and not self.config.option.interpreted):  # make quick has an order of its own
            in_order(items, self.long, seed)

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_make_scheduler(self, config: pytest.Config, log: Any) -> Any:
        """(Marks for that, ``xdist_group``, are not heeded: pytest-xdist 3.8 writes them where pytest 9.2 does not
        look.)"""
        if config.getvalue("dist") != "loadgroup":
            return None
        from xdist.scheduler import LoadScopeScheduling

        class ByWhatIsShared(LoadScopeScheduling):  # type: ignore[misc]  # pytest-xdist has no types
            def _split_scope(this, nodeid: str) -> str:
                return shared_by(nodeid, self.long)

        return ByWhatIsShared(config, log)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.seconds[timed_as(report.nodeid)] += report.duration  # type: ignore[assignment]
        terminal = self.config.pluginmanager.getplugin("terminalreporter")
        if report.failed and report.nodeid not in self.failed and terminal:
            self.failed[report.nodeid] = None
            why = str(getattr(getattr(report.longrepr, "reprcrash", None), "message", "")).partition("\n")[0]
            terminal.write_line(f"\nFAILED {report.nodeid}{why and f': {why}'}", red=True)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if hasattr(self.config, "workerinput"):
            return
        if whole_suite(self.config) and self.seconds:  # (xdist does not count what it has collected)
            file = Path(self.config.rootpath, TIMES)
            file.parent.mkdir(exist_ok=True)
            took = {name: round(seconds, 1) for name, seconds in self.seconds.most_common()}
            file.write_text(json.dumps(took, indent=0), "utf-8")
        spread = self.config.getvalue("dist") == "loadgroup"
        if spread and session.exitstatus == pytest.ExitCode.TESTS_FAILED and len(self.failed) <= FEW:
            self.flaky = [test for test in self.failed if passes_alone(test, self.config)]

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        if self.flaky:
            terminalreporter.section(f"flaky: {len(self.flaky)} (failed, but passed alone)", red=True)
            for test in self.flaky:
                terminalreporter.line(test)


def passes_alone(test: str, config: pytest.Config) -> bool:
    """Whether a test that has failed passes in a process of its own, with nothing beside it."""
    words = ("-q", "-n", "0", "-p", "no:cacheprovider", "-m", config.option.markexpr, test)
    ran = subprocess.run(
        (sys.executable, "-m", "pytest", *words), cwd=config.rootpath, capture_output=True, check=False
    )
    return ran.returncode == 0
