"""The record of clauses: what it counts, what it refuses, and when it fails a run."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.waiting import LIMIT

HERE = Path(__file__).parents[1]
OURS = tomllib.loads((HERE.parent / "pyproject.toml").read_text("utf-8"))["tool"]["pytest"]["ini_options"]
INI = f"""
[pytest]
testpaths = suite
addopts = {shlex.join(OURS["addopts"])} -p no:cacheprovider
markers =
    clause(*ids): names clauses
    long: takes minutes
"""
SUITE = """
import parlour, pytest

@pytest.mark.clause("KU-1", "KU-2", "KU-3")
def test_marked():
    pass

@pytest.mark.parametrize("cards", ["KQ", "QJ"])
def test_played(cards):
    state = parlour.load("kuhn").new()
    for step in (*cards, "bet"):
        state.apply(step)
    assert state.refusal("bet", 0).clause == "KU-6"

@pytest.mark.clause("KU-10")
def test_fails():
    assert MAY_PASS
"""


def run(folder: Path, suite: str, way: tuple[str, ...] = ("-n", "0")) -> tuple[int, str]:
    (folder / "suite").mkdir(exist_ok=True)
    (folder / "suite" / "test_suite.py").write_text(suite, "utf-8")
    (folder / "suite" / "conftest.py").write_text((HERE / "conftest.py").read_text("utf-8"), "utf-8")
    (folder / "pytest.ini").write_text(INI, "utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *way], cwd=folder, timeout=LIMIT, check=False,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(HERE.parent), *sys.path]),
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            "PYTEST_PLUGINS": "xdist.plugin",
        },
    )  # fmt: skip
    return done.returncode, done.stdout


def test_a_whole_run_fails_for_a_clause_without_a_test(tmp_path: Path) -> None:
    code, said = run(tmp_path, SUITE.replace("MAY_PASS", "True"))
    assert code == 1
    assert "clauses without a test" in said
    assert "KU-9 (act)" in said
    assert "KU-13 (proof)" in said
    for clause in ("KU-1", "KU-4", "KU-6", "KU-7", "KU-10"):
        assert f"{clause} (" not in said
    games = json.loads((tmp_path / "build" / "clauses.json").read_text("utf-8")).values()
    tests = {clause: tests for game in games for clause, tests in game.items() if tests}
    assert tests["KU-2"] == ["suite/test_suite.py::test_marked"]
    assert tests["KU-6"] == tests["KU-7"] == ["suite/test_suite.py::test_played"]
    assert set(tests) == {"KU-1", "KU-2", "KU-3", "KU-4", "KU-6", "KU-7", "KU-10"}


def test_a_failing_run_says_nothing_about_clauses_but_holds_markers_to_what_they_say(tmp_path: Path) -> None:
    silent = '\n@pytest.mark.clause("KU-9")\ndef test_silent():\n    pass\n'
    code, said = run(tmp_path, SUITE.replace("MAY_PASS", "False") + silent)
    assert code == 1
    assert "marked with KU-9, but heard no event and no refusal that cites it" in said
    assert "clauses without a test" not in said
    assert not (tmp_path / "build" / "clauses.json").exists()


@pytest.mark.parametrize(
    ("marked", "sentence"),
    [
        (("KU-1", "KU-2", "KU-3", "KU-8", "KU-10", "KU-13"), "claims 6 clauses; at most 5 are allowed"),
        (("KU-99",), "is marked with 'KU-99', which no rule book has"),
    ],
)
def test_markers_are_few_and_of_a_book(pytestconfig: pytest.Config, marked: tuple[str, ...], sentence: str) -> None:
    mark = pytest.mark.clause(*marked).mark
    item: Any = SimpleNamespace(nodeid="suite/test_suite.py::test_it", iter_markers=lambda name: [mark])
    plugin: Any = pytestconfig.pluginmanager.get_plugin("clauses")
    with pytest.raises(pytest.UsageError, match=sentence):
        plugin.pytest_collection_modifyitems([item])
