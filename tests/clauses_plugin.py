"""Which tests exercise which clauses of the rule books.

While a test runs, every event of the rules and every refusal is heard, with its clause.  A clause of kind ``act`` is
covered by the tests in which it was heard; a clause of another kind by the tests that are marked with it::

    @pytest.mark.clause("DM-1", "DM-17")

A test may be marked with five clauses at most; one that is marked with an ``act`` clause fails if it does not hear it.
A run of the whole suite writes ``build/clauses.json`` (for each game and clause the tests, the most particular ones
first) and fails if a clause has no test.
"""

from __future__ import annotations

import functools
import json
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import parlour.rules.vocabulary
from parlour.base.errors import IllegalAction
from parlour.engine.definition import definition, games

MOST_MARKED = 5
MOST_LISTED = 5
PROPERTY = "clauses"


class Clauses:
    """The plugin: hears in every process, adds up in the one that sees the reports."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.heard: set[str] = set()
        self.tests: dict[str, dict[str, int]] = defaultdict(dict)  # clause -> test -> clauses covered by that test
        self.missing: list[str] = []
        books = {name: definition(name).book for name in games() if definition(name).package.startswith("parlour.")}
        self.kinds = {game: {c.id: c.kind for c in book.clauses.values()} for game, book in books.items()}
        self.kind = {clause: kind for kinds in self.kinds.values() for clause, kind in kinds.items()}
        self._listen()

    # ------------------------------------------------------------------ hearing

    def _listen(self) -> None:
        """Put an ear on ``note`` and ``whisper`` (before any rules have imported them) and on refusals."""

        def overheard(say: Callable[..., None]) -> Callable[..., None]:
            @functools.wraps(say)
            def wrapper(to: Any, clause: str, *what: Any) -> None:
                if to is not None:
                    self.heard.add(clause)
                say(to, clause, *what)

            return wrapper

        parlour.rules.vocabulary.note = overheard(parlour.rules.vocabulary.note)
        parlour.rules.vocabulary.whisper = overheard(parlour.rules.vocabulary.whisper)
        refuse = IllegalAction.__init__

        @functools.wraps(refuse)
        def refused(error: IllegalAction, template: str, clause: str, /, **values: object) -> None:
            self.heard.add(clause)
            refuse(error, template, clause, **values)

        IllegalAction.__init__ = refused  # type: ignore[method-assign]

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        for item in items:
            marked = marked_clauses(item)
            if len(marked) > MOST_MARKED:
                raise pytest.UsageError(
                    f"{item.nodeid} claims {len(marked)} clauses; at most {MOST_MARKED} are allowed"
                )
            for clause in marked:
                if clause not in self.kind:
                    raise pytest.UsageError(f"{item.nodeid} is marked with {clause!r}, which no rule book has")

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Iterator[None]:
        self.heard.clear()
        yield
        acts = {c for c in self.heard if self.kind.get(c) == "act"}
        marked = set(marked_clauses(item))
        silent = sorted(c for c in marked - acts if self.kind[c] == "act")
        if silent:
            pytest.fail(f"marked with {', '.join(silent)}, but heard no event and no refusal that cites it")
        item.user_properties.append((PROPERTY, sorted(acts | marked)))

    # ------------------------------------------------------------------ adding up

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" and report.passed:
            for name, clauses in report.user_properties:
                if name == PROPERTY and isinstance(clauses, list):
                    test = report.nodeid.partition("[")[0]
                    for clause in clauses:
                        self.tests[clause][test] = min(len(clauses), self.tests[clause].get(test, len(clauses)))

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        spread = hasattr(self.config, "workerinput")
        if spread or session.exitstatus != pytest.ExitCode.OK or not whole_suite(self.config):
            return
        self.missing = [clause for clause in self.kind if clause not in self.tests]
        covered = {game: {clause: self._listed(clause) for clause in kinds} for game, kinds in self.kinds.items()}
        file = Path(self.config.rootpath, "build", "clauses.json")
        file.parent.mkdir(exist_ok=True)
        file.write_text(json.dumps(covered, indent=1) + "\n", "utf-8")
        if self.missing:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def _listed(self, clause: str) -> list[str]:
        """The tests of a clause, those that cover the fewest clauses first."""
        tests = self.tests.get(clause, {})
        return sorted(tests, key=lambda test: (tests[test], test))[:MOST_LISTED]

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        if self.missing:
            terminalreporter.section("clauses without a test", red=True)
            for clause in self.missing:
                terminalreporter.line(f"{clause} ({self.kind[clause]})")


def marked_clauses(item: pytest.Item) -> list[str]:
    """The clauses that a test is marked with."""
    return [clause for marker in item.iter_markers("clause") for clause in marker.args]


def whole_suite(config: pytest.Config) -> bool:
    """Whether nothing is left out but what is always left out (``-m "not long"``)."""
    given, always = vars(config.option), " ".join(config.getini("addopts"))
    narrowing = ("keyword", "deselect", "ignore", "collectonly", "lf", "stepwise")
    left_out = [glob for glob in given.get("ignore_glob") or () if f"--ignore-glob={glob}" not in always]
    whole = given["markexpr"] == "not long" and not left_out and not any(given.get(option) for option in narrowing)
    return whole and config.args_source is pytest.Config.ArgsSource.TESTPATHS
