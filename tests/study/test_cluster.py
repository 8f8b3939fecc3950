"""The example of a cluster: studies divided among workers of Ray, some of which are killed on the way."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import psutil
import pytest

import parlour
from parlour.study.atlas import LOGBOOK, Atlas, apart
from parlour.study.atlas import trials as trials_of
from parlour.study.match import play
from parlour.study.plan import Plan
from parlour.study.simulate import simulate
from parlour.study.training import Training
from tests import waiting
from tests.house.test_examples import example
from tests.study.test_simulate import same_figures

pytestmark = [pytest.mark.long, pytest.mark.filterwarnings("default")]


@pytest.fixture(scope="module")
def studies() -> Iterator[Any]:
    """The example, with two workers on this machine."""
    import ray

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        yield example("ray_cluster")
    finally:
        ray.shutdown()


def lose(task: str) -> None:
    """Kill a worker in the middle of this task."""

    def at_it() -> list[psutil.Process]:
        return [one for one in psutil.Process().children(recursive=True) if is_at(one, task)]

    lost = False
    while not lost:
        waiting.wait_until(at_it, f"no worker is at {task}")
        for one in at_it():
            one.suspend()
            lost = is_at(one, task)  # and now it cannot end it
            one.send_signal(signal.SIGKILL if lost else signal.SIGCONT)
            if lost:
                break


def is_at(worker: psutil.Process, task: str) -> bool:
    try:
        return bool(worker.cmdline()[:1] == [f"ray::{task}"])
    except psutil.Error:  # it has just ended
        return False


def with_a_loss(arriving: Any, task: str) -> Any:
    """The same, and after the first result a worker dies."""

    def lossy(tasks: Any) -> Iterator[Any]:
        arrived = arriving(tasks)
        yield next(arrived)
        lose(task)
        yield from arrived

    return lossy


def test_a_survey_is_whole_although_a_worker_is_lost(studies: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """After the first shard has arrived, one worker dies in the middle of another."""
    monkeypatch.setattr(studies, "arriving", with_a_loss(studies.arriving, "shard"))
    game, games = parlour.load("diamonds", players=3, games=2), 400_000
    survey = studies.survey(game, games, seed=5, shards=12)
    assert same_figures(survey) == same_figures(simulate(game, games, seed=5))
    assert not survey.missing


def test_an_atlas_has_every_cell_although_a_worker_is_lost(
    studies: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And none is played again that stood in the logbook."""
    trials = apart(replace(trial, games=40_000) for trial in islice(trials_of("leduc", "random"), 1))
    trials += apart(replace(trial, games=40_000) for trial in islice(trials_of("diamonds", "random", {2}), 3))
    alone, spread = (Atlas.begin(tmp_path / name, trials) for name in ("alone", "spread"))
    alone.play()
    first = alone.cells[0]
    spread.enter(first, alone.finished()[first])
    monkeypatch.setattr(studies, "arriving", with_a_loss(studies.arriving, "played"))
    studies.explore(spread)
    found = spread.finished()
    assert {cell: same_figures(survey) for cell, survey in found.items()} == {
        cell: same_figures(survey) for cell, survey in alone.finished().items()
    }
    assert len((tmp_path / "spread" / LOGBOOK).read_text("utf-8").splitlines()) == len(alone.cells)


def test_a_match_is_whole_although_a_worker_is_lost_in_mid_game(studies: Any, tmp_path: Path) -> None:
    class Frail:
        """Takes its worker down in the middle of a game, once."""

        name = "frail"
        lost = tmp_path / "lost"

        def choose(self, view: Any, legal: Any) -> int:
            state = view.observation()
            if not self.lost.exists() and len(legal) == 2 and state["raises"]:
                self.lost.touch()
                os.kill(os.getpid(), signal.SIGKILL)
            return int(legal[-1])

    game = parlour.load("leduc")
    match = studies.match(game, [Frail(), "random"], games=121, seed=3, tasks=7)
    assert Frail.lost.exists()
    alone = play(game, [Frail(), "random"], games=121, seed=3)
    assert [(one.name, one.share, one.returns, one.moves) for one in (*match.players, *match.seats)] == [
        (one.name, one.share, one.returns, one.moves) for one in (*alone.players, *alone.seats)
    ]


def test_a_training_goes_on_although_its_worker_is_lost(studies: Any, tmp_path: Path) -> None:
    """One of two, as soon as it has kept its state.  The other finds a state that it could not have come to itself."""
    plans = [Plan(parlour.load("diamonds"), games=6_000, seed=seed, hidden=16) for seed in (1, 2)]
    states = [tmp_path / f"diamonds-{plan.seed}.state" for plan in plans]
    other = Training(plans[1])
    other.weights += 0.01
    other.save(states[1])

    def once_it_is_kept() -> None:
        waiting.wait_until(states[0].exists)
        lose("learner")

    with ThreadPoolExecutor(1) as pool:
        loss = pool.submit(once_it_is_kept)
        networks = studies.learn(plans, tmp_path)
        loss.result()
    alone = Training(plans[0]), other
    for training, network in zip(alone, networks, strict=True):
        training.go_on()
        assert network.weights == training.network().weights
