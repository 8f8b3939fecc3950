"""What `make test` says of tests that fail, and in which order it runs them."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from parlour.cli.play.record_files import records_folder
from tests import gate_plugin
from tests.games.test_clauses import run

SUITE = """
from pathlib import Path

def test_good(): pass

def test_by_chance():
    assert Path(__file__).with_name("seen").exists() or Path(__file__).with_name("seen").touch(), "for the first time"

def test_wrong(): assert 0
"""


def test_games_that_tests_play_are_not_kept_with_those_of_whoever_runs_them(state: Path) -> None:
    assert records_folder().is_relative_to(state)


def test_a_failure_is_named_at_once_and_run_again_alone(tmp_path: Path) -> None:
    code, said = run(tmp_path, SUITE, way=("-n", "1", "--dist=loadgroup"))
    assert code == 1
    at_once, _, summary = said.partition("= FAILURES =")
    named = [line for line in at_once.splitlines() if line.startswith("FAILED")]
    assert sorted(line.split("::")[1] for line in named) == [
        "test_by_chance: AssertionError: for the first time",
        "test_wrong: assert 0",
    ]
    _, _, flaky = summary.partition("= flaky: 1 (failed, but passed alone) =")
    assert flaky.partition("= short")[0].strip(" =\n") == "suite/test_suite.py::test_by_chance"
    assert [*json.loads((tmp_path / gate_plugin.TIMES).read_text())] == ["suite/test_suite.py"]


@pytest.fixture
def tests(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    known = {
        "tests/base/test_slow.py": 9.0,
        "tests/rules/test_r.py": 5.0,
        "tests/page/test_a.py": 4.0,
        "tests/page/test_b.py": 6.0,
    }
    monkeypatch.setattr(gate_plugin, "times", lambda: {**known, "tests/page/test_c.py": 3.0})
    monkeypatch.setattr(gate_plugin, "browsing", lambda: {f"tests/page/test_{one}.py": one == "b" for one in "abc"})
    names = """base/test_new.py::t page/test_a.py::t rules/test_r.py::t[kuhn] page/test_b.py::t
        base/test_slow.py::t page/test_c.py::t rules/test_r.py::u base/test_slow.py::s"""
    return [SimpleNamespace(nodeid=f"tests/{name}") for name in names.split()]


def test_what_took_longest_begins_first(tests: list[Any]) -> None:
    gate_plugin.in_order(tests, long=False, seed=None)
    shared = dict.fromkeys(gate_plugin.shared_by(test.nodeid) for test in tests)
    base, rules = "tests/base/test_{}.py", "tests/rules/test_r.py"
    assert [*shared] == [base.format("slow"), "browser False", "browser True", rules, base.format("new")]
    assert [test.nodeid[-1] for test in tests[:2]] == ["t", "s"]  # as they stand there


def test_a_shuffled_run_is_another_order_each_seed_and_the_same_in_every_process(tests: list[Any]) -> None:
    orders = []
    for seed in ("1", "2", "1"):
        gate_plugin.in_order(tests, long=False, seed=seed)
        orders.append([test.nodeid for test in tests])
    assert orders[0] == orders[2] != orders[1]
    for order in orders:  # what is shared stays together, and in it each module
        for part in (gate_plugin.shared_by, lambda name: name.partition("::")[0]):
            changes = [part(a) != part(b) for a, b in pairwise(order)]
            assert sum(changes) + 1 == len({part(name) for name in order})
