"""`make quick` runs the tests of what has changed; what `make test` says of tests that fail, and their order."""

from __future__ import annotations

import json
from functools import cache
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from parlour.cli.play.record_files import records_folder
from parlour.engine.definition import shelf
from tests import gate_plugin
from tests.games.test_clauses import run
from tools import quick


def test_a_change_of_rules_runs_the_tests_of_that_game() -> None:
    """Its own first (and one that has noticed), and then of those about every game what is about this one."""
    for game in shelf():
        rules = f"src/parlour/games/{game}/rules.py"
        own = [str(file.relative_to(quick.ROOT)) for file in (quick.ROOT / "tests/games").glob(f"test_{game}*.py")]
        assert {*own} <= {*quick.tests_of(rules)[: len(own) + 1]}
        assert quick.words_of("tests/games/test_corpus.py", [rules]) == [game]
    assert quick.words_of("tests/games/test_corpus.py", [rules, "src/parlour/core/game.py"]) == ["test_corpus.py"]


def test_every_file_of_the_house_has_tests() -> None:
    files = [file for file in (quick.ROOT / "src").rglob("*") if file.is_file() and "__pycache__" not in file.parts]
    named = sorted(str(file.relative_to(quick.ROOT)) for file in files)
    assert [file for file in named if not quick.tests_of(file)] == []


def test_of_every_source_a_test_is_known_that_notices_when_nothing_is_done() -> None:
    """`make nightly` empties them all."""
    advice = "Run `python -m tools.quick --emptied`: it finds a test that notices, or says that one must be written."
    assert quick.undecided() == [], advice
    assert sorted({*quick.noticed()} - {*quick.sources()}) == [], advice


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small house: two modules, and tests in the folder of one of them."""
    made = {
        "src/parlour/high/tower.py": "def up(n):\n    if n: return 1\n    return 2\n\ndef down():\n    return 3\n",
        "src/parlour/low/cellar.py": "",
        "src/parlour/low/view.py": "import parlour.high.tower",
        "tests/high/test_tower.py": "",
        "tests/high/test_view.py": "from parlour.low import (\n    cellar,\n)\nclass TestView:\n    def test_it(a): 0",
        "tests/high/test_look.py": "def test_look(browser: Browser): ...",
        "tests/high/test_sight.py": "",
    }
    for name, text in made.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(quick, "ROOT", tmp_path)
    for name in ("tests", "package", "noticed"):
        monkeypatch.setattr(quick, name, cache(getattr(quick, name).__wrapped__))
    return tmp_path


def test_the_nearest_tests_come_first(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The one that has noticed; that with the name; the others of the folder, except those in a browser."""
    tower, cellar = "src/parlour/high/tower.py", "src/parlour/low/cellar.py"
    by_name, view, sight = (f"tests/high/test_{name}.py" for name in ("tower", "view", "sight"))
    assert quick.tests_of(tower) == [by_name, view, sight]  # view uses it
    assert quick.tests_of(cellar) == quick.tests_of(view) == [view]
    assert quick.tests_of_all([view, tower]) == {view: [view, tower], by_name: [tower], sight: [tower]}
    monkeypatch.setattr(quick, "noticed", lambda: {tower: f"{view}::test_it"})
    assert quick.tests_of(tower) == [view, by_name, sight]


@pytest.mark.parametrize(
    ("noticed_by", "is_known"),
    [
        ("", False),
        ("tests/high/test_gone.py::test_it", False),
        ("tests/high/test_view.py::test_i", False),
        ("tests/high/test_view.py::TestView::test_it", True),
        ("tests/high/test_view.py", True),
        ("src/parlour/high/tower.py::parlour.high.tower.down", True),
        ("src/parlour/high/tower.py::parlour.high.tower", True),
    ],
)
def test_a_file_is_decided_again_when_the_test_that_noticed_is_no_longer_there(
    small: Path, noticed_by: str, is_known: bool
) -> None:
    tower = "src/parlour/high/tower.py"
    (small / quick.EMPTIED).write_text(json.dumps({tower: noticed_by} if noticed_by else {}))
    assert quick.undecided() == ([] if is_known else [tower])


def test_a_test_notices_when_nothing_is_done_and_where_none_does_is_found(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Of all files each night: `make nightly`."""
    assert quick.notices("src/parlour/rules/tricks.py")
    monkeypatch.setattr(quick, "tests_of", lambda file: ["src/parlour/cli/common/files.py"])
    monkeypatch.setattr(quick, "noticed", dict)
    monkeypatch.setattr(quick, "EMPTIED", tmp_path / "emptied.json")
    assert quick.main(["--emptied", "src/parlour/study/intervals.py"]) == 1
    assert capsys.readouterr().out == "src/parlour/study/intervals.py: NOT FOUND\n"
    assert (tmp_path / "emptied.json").read_text() == "{}\n"


def test_no_test_begins_when_the_time_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    """And none in a browser."""
    config, asked = SimpleNamespace(stash=pytest.Stash()), iter([0.0, quick.SECONDS, quick.SECONDS + 0.1])
    monkeypatch.setattr("tools.quick.time.monotonic", lambda: next(asked))
    quick.pytest_configure(cast(pytest.Config, config))
    quick.pytest_runtest_setup(cast(pytest.Item, SimpleNamespace(config=config)))
    for fixtures, why in ([], "seconds are over"), (["browser"], "needs a browser"):
        with pytest.raises(pytest.skip.Exception, match=why):
            quick.pytest_runtest_setup(cast(pytest.Item, SimpleNamespace(config=config, fixturenames=fixtures)))


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
    known = {"base/test_slow": 9.0, "rules/test_r": 5.0, "page/test_a": 4.0, "page/test_b": 6.0, "page/test_c": 3.0}
    monkeypatch.setattr(gate_plugin, "times", lambda: {f"tests/{name}.py": took for name, took in known.items()})
    monkeypatch.setattr(gate_plugin, "browsing", lambda: {f"tests/page/test_{one}.py": one == "b" for one in "abc"})
    names = """base/test_new.py::t page/test_a.py::t rules/test_r.py::t[kuhn] page/test_b.py::t
        base/test_slow.py::t page/test_c.py::t rules/test_r.py::u base/test_slow.py::s"""
    return [SimpleNamespace(nodeid=f"tests/{name}") for name in names.split()]


def test_what_took_longest_begins_first(tests: list[Any]) -> None:
    gate_plugin.in_order(tests, long=False, seed=None)
    assert "".join(test.nodeid.split("/test_")[1] + " " for test in tests) == (
        "slow.py::t slow.py::s a.py::t c.py::t b.py::t r.py::t[kuhn] r.py::u new.py::t "
    )


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
