"""The example of a cluster: studies divided among workers of Ray, one of which is killed on the way."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

import parlour
from parlour.study.atlas import LOGBOOK, Atlas, apart
from parlour.study.atlas import trials as trials_of
from parlour.study.match import play
from parlour.study.plan import Plan
from parlour.study.simulate import simulate
from parlour.study.training import Training
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


def test_a_survey_of_shards_is_whole(studies: Any) -> None:
    game, games = parlour.load("diamonds", players=3, games=2), 100_000
    survey = studies.survey(game, games, seed=5, shards=7)
    assert same_figures(survey) == same_figures(simulate(game, games, seed=5))
    assert not survey.missing


def test_an_atlas_has_every_cell_and_none_is_played_again(studies: Any, tmp_path: Path) -> None:
    trials = apart(replace(trial, games=10_000) for trial in islice(trials_of("diamonds", "random", {2}), 3))
    alone, spread = (Atlas.begin(tmp_path / name, trials) for name in ("alone", "spread"))
    alone.play()
    spread.enter(alone.cells[0], alone.finished()[alone.cells[0]])
    studies.explore(spread)
    found, wanted = spread.finished(), alone.finished()
    assert found.keys() == wanted.keys()
    assert all(same_figures(found[cell]) == same_figures(wanted[cell]) for cell in wanted)
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


def test_a_training_goes_on_from_the_state_that_its_worker_has_left(studies: Any, tmp_path: Path) -> None:
    """One that it could not have come to itself."""
    plans = [Plan(parlour.load("diamonds"), games=3_000, seed=seed, hidden=16) for seed in (1, 2)]
    alone = [Training(plan) for plan in plans]
    alone[1].weights += 0.01
    alone[1].save(tmp_path / "diamonds-2.state")
    for training, network in zip(alone, studies.learn(plans, tmp_path), strict=True):
        training.go_on()
        assert network.weights == training.network().weights
