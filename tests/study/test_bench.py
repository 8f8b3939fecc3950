"""The bench: every mode in its JSON, ratios as they are."""

from __future__ import annotations

import json
import time
from functools import partial
from typing import Any

import pyspiel
import pytest

import parlour
from parlour.adapters import openspiel
from parlour.base.errors import ParlourError
from parlour.engine.c import building
from parlour.engine.definition import shelf
from parlour.study import bench
from parlour.study.bench import starts
from parlour.study.bench.tasks import spiel_clones
from parlour.study.gpu import device_name
from tests.helpers import Planter, Says


@pytest.fixture
def made() -> dict[str, Any]:
    """A run with round figures."""
    about: dict[str, Any] = {"cpu": "Abacus", "cores": 2, "system": "Linux", "load": [0.25, 1.0, 1.0], "python": "3.11"}
    about |= {"numpy": "2", "compiler": "cc 1", "parlour": "1", "peers": {"open_spiel": "2.0.2", "pgx": None}}

    def row(mode: str, engine: str, rate: float | None, threads: int = 1, **more: Any) -> dict[str, Any]:
        head = {"game": "leduc", "players": 2, "mode": mode, "threads": threads, "engine": engine}
        spread = {"low": rate and rate / 2, "high": rate and rate * 2}
        return {**head, "decisions_per_second": rate, **spread, "cpu": 1.0, **more}

    rows = [
        row("bulk", "parlour", 40e6),
        row("bulk", "parlour", 79e6, threads=2),
        row("bulk_gpu", "parlour", 1e9),
        row("batch_tensor", "parlour", 8e6),
        row("vector", "parlour", 7.2e6),
        row("keys", "parlour", 12_345_678),
        row("step", "parlour", 50e3),
        row("step_compiled", "parlour", 600e3),
        row("step", "open_spiel", 500e3),
        row("batch_large", "parlour", 6e6),
        row("batch_large", "parlour", 9e6, threads=2),
        row("infostate", "parlour", 100e3),
        row("infostate", "open_spiel", 400e3),
        row("clone", "parlour", 1e6, copies_per_second=1e6),
        row("clone", "open_spiel", 2e6, copies_per_second=2e6),
        row("exploitability", "parlour", 2.0, evaluations_per_second=2.0),
        row("exploitability_tree", "parlour", 8.0, evaluations_per_second=8.0),
        row("exploitability", "open_spiel", 6.25, evaluations_per_second=6.25),
        row("search", "parlour", 100.0, simulations_per_second=1e6, low=9e5, high=2e6),
        row("memory", "parlour", None, bytes=19),
        row("start_cold", "parlour", None, seconds=3.2, low=3.1, high=4),
    ]
    return {"machine": about, "date": "2026-11-20T12:00:00+00:00", "rows": rows}


@pytest.mark.long
def test_a_quick_run_has_every_mode(says: Says) -> None:
    code, out, _ = says("bench kuhn --quick --json")
    assert code == 0
    found = json.loads(out)
    assert found.keys() == {"machine", "date", "rows"}
    assert found["machine"]["cores"] >= 1
    own = [row for row in found["rows"] if row["engine"] == "parlour"]
    assert {row["mode"] for row in own} == set(bench.MODES) - ({"bulk_gpu"} if device_name() is None else set())
    for row in own:
        measured = row["decisions_per_second"] is not None
        assert (row["game"], row["threads"] >= 1, measured) == ("kuhn", True, row["mode"] in bench.RATES)
        if measured:
            rate = row[f"{bench.MODES[row['mode']][0]}_per_second"]
            assert (row["repetitions"], 0 < row["low"] <= rate <= row["high"]) == (3, True)
    by_mode = {row["mode"]: row for row in own}
    assert by_mode["memory"]["bytes"] == 8
    assert all(by_mode[mode]["seconds"] > 0 for mode in ("start_prompt", "start_cold", "start_warm"))


def test_ratios_are_within_the_run(made: dict[str, Any]) -> None:
    ratios = {(line.mode, line.engine): line.ratio for line in bench.lines(made, "leduc")}
    assert ratios["step", "open_spiel"] == "step × 0.1, step_compiled × 1.2, bulk × 80"
    assert ratios["clone", "open_spiel"] == "clone × 0.5"
    assert ratios["exploitability", "open_spiel"] == "exploitability × 0.32, exploitability_tree × 1.28"
    assert ratios["step_compiled", "parlour"] == "12.00 of step"
    assert ratios["bulk", "parlour"] == "1.98 of 1 thread"
    assert ratios["bulk_gpu", "parlour"] == "25.00 of bulk"
    assert ratios["step", "parlour"] == ""
    assert ratios["vector", "parlour"] == "0.90 of batch_tensor"


def test_the_table_of_the_command(made: dict[str, Any], monkeypatch: pytest.MonkeyPatch, says: Says) -> None:
    monkeypatch.setattr(bench, "run", lambda *_: made)
    code, out, _ = says("bench leduc")
    assert code == 0
    assert "step × 0.1" in out
    assert "three different things" in out


@pytest.mark.parametrize("game", shelf())
def test_a_state_of_every_game_is_copied_in_openspiels_interface(game: str) -> None:
    """Those that draw for the deal until somebody wins it come to its end, too."""
    registered = pyspiel.load_game(openspiel.spelt(parlour.load(game)))
    assert spiel_clones(registered)(2) == 2


def test_tasks_are_measured_in_turns() -> None:
    """A B A B, so that a noisy stretch of time falls on all of them."""
    order: list[str] = []

    def work(name: str) -> Any:
        def worked(n: int) -> int:
            order.append(name)
            time.sleep(2e-5 * n)
            return n

        return worked

    tasks = [bench.Task("bulk", name, 1, partial(work, name)) for name in ("a", "b")]
    tasks.append(bench.Task("solve", "c", 1, lambda: None))
    rows = bench.measure(parlour.load("kuhn"), tasks, bench.BenchEffort(4, 0.004), lambda _: None)
    assert order[-8:] == ["a", "b"] * 4
    assert [row["engine"] for row in rows] == ["a", "b"]
    for row in rows:
        assert row["low"] <= row["decisions_per_second"] <= row["high"] <= 50_000


def test_only_some_modes(monkeypatch: pytest.MonkeyPatch, says: Says) -> None:
    """Those are the only ones that are prepared; what a machine has nothing for is said."""
    monkeypatch.setattr("parlour.study.bench.tasks.device_name", lambda: None)
    monkeypatch.setattr("parlour.study.bench.tasks._search", lambda _: pytest.fail("prepared"))
    monkeypatch.setattr("parlour.study.bench.starts._first_result", lambda *_: pytest.fail("started"))
    code, out, err = says("bench kuhn --quick --json --mode clone --mode memory --mode bulk_gpu")
    assert code == 0
    assert [row["mode"] for row in json.loads(out)["rows"]] == ["clone", "memory"]
    assert err.splitlines()[-1].startswith("Nothing was measured for bulk_gpu: a device or a library is missing")
    code, out, err = says("bench kuhn --quick --mode bulk_gpu")
    assert (code, out) == (2, "")
    assert err.splitlines()[-1].startswith("parlour: Nothing was measured for bulk_gpu: ")


def test_without_a_compiler_only_what_needs_none_is_measured(
    plant: Planter, monkeypatch: pytest.MonkeyPatch, says: Says
) -> None:
    monkeypatch.setattr(building, "compilers", lambda: iter(()))
    name = plant("planted_kuhn_measured").id
    code, out, err = says(f"bench {name} --quick")
    assert (code, out) == (2, "")
    assert err.splitlines()[-1].startswith(f"parlour: {name} can be compiled where there is a C compiler: ")
    code, out, err = says(f"bench {name} --quick --json --mode step --mode memory")
    assert (code, [row["mode"] for row in json.loads(out)["rows"]]) == (0, ["step", "memory"])


def test_a_process_that_fails_is_told_in_its_own_words(plant: Planter, monkeypatch: pytest.MonkeyPatch) -> None:
    game = plant("planted_kuhn_started")
    monkeypatch.setenv("PYTHONHASHSEED", "seven")  # Python does not begin with that
    with pytest.raises(ParlourError, match=r"^planted_kuhn_started could not be played in a new process: .+"):
        [*starts.starts(game, ["start_cold"], 1, lambda _: None)]


def test_starts_are_measured_in_each_mode(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(starts, "_first_result", lambda *_: 2.0)
    monkeypatch.setattr(starts, "_first_prompt", lambda *_: 1.0)
    said = list[str]()
    rows = starts.starts(parlour.load("kuhn"), ["start_cold", "start_warm", "start_prompt"], 3, said.append)
    assert [(row["mode"], row["seconds"]) for row in rows] == [
        ("start_cold", 2.0), ("start_warm", 2.0), ("start_prompt", 1.0),
    ]  # fmt: skip
    assert said[-1] == "kuhn: starting, 3 of 3"
