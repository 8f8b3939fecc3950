"""The learners in docs/examples run, in a short form, and learn; and the notebooks, from their top to their end: they
show what they show in the repository, to the byte."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
import pytest

import parlour
from parlour.engine.definition import shelf
from parlour.solve.exploiting import exploit
from parlour.solve.form import grow
from parlour.solve.policies import TablePolicy
from parlour.study.charts import Chart
from parlour.study.match import play
from parlour.study.scoring import score
from tests.helpers import the_rest_long, there
from tools import website

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"


def example(name: str, folder: Path = EXAMPLES) -> Any:
    """An example as a module, which does nothing by itself."""
    spec = there(importlib.util.spec_from_file_location(name, folder / f"{name}.py"))
    assert spec.loader is not None
    sys.path.insert(0, str(folder))  # as `python FILE` does
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(folder))
    return module


def test_reinforce_learns_to_win_chips_in_leduc() -> None:
    """On one page: at most sixty lines."""
    assert len((EXAMPLES / "reinforce.py").read_text("utf-8").splitlines()) <= 60
    learner, game = example("reinforce"), parlour.load("leduc")
    policy = learner.Policy(game)
    before = play(game, [policy, "random"], games=200, seed=1).players[0].returns.mean
    learner.train(game, policy, updates=8, games=256)
    after = play(game, [policy, "random"], games=200, seed=1).players[0].returns
    assert after.mean - before > 0.3
    assert after.low > 0
    form = grow(game, positions=True)
    assert exploit(form, lambda seed: policy).exploitability < 2.2  # random: 2.37


def test_a_slope_of_reinforce_is_that_of_its_chances() -> None:
    """What is learnt from one decision makes it likelier if it was good, and less likely if it was bad."""
    learner, game = example("reinforce"), parlour.load("leduc")
    state = game.new(seed=5)
    tensors, mask = state.tensor(0).flat[None], np.isin(np.arange(3), state.legal_actions())[None]
    for gain in (1.0, -1.0):
        policy = learner.Policy(game)
        before = policy.likely(tensors, mask)[1][0]
        policy.learn(tensors, mask, np.array([2]), np.array([gain], np.float32))
        after = policy.likely(tensors, mask)[1][0]
        assert policy.chances(state.view(0), [1, 2]) == {1: after[1], 2: after[2]}
        assert (after[2] - before[2]) * gain > 0
        assert after[0] == before[0] == 0  # nobody may fold


@pytest.mark.long
@pytest.mark.parametrize("how", [{}, {"mirror": 2.0}, {"rivals": "pool"}], ids=str)
def test_ppo_in_pytorch_learns_kuhn_without_decay(how: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    import torch

    learner, game = example("ppo"), parlour.load("kuhn")
    torch.manual_seed(1)
    one = learner.Learner(game, learner.Agent(game, hidden=32), updates=40, **how)
    for done in range(40):
        if done == 0:
            learner.judged(game, one.average, done, games=10)
        one.update()
    learner.judged(game, one.average, 40, games=400)
    before, after = [float(line.split()[-1]) for line in capsys.readouterr().out.splitlines()]
    assert after < 0.2
    assert before > 0.4


@pytest.mark.long
def test_ppo_learns_to_win_counters_in_commit_from_the_rule_of_thumb() -> None:
    import torch

    learner, game = example("ppo"), parlour.load("commit", deals=1)
    torch.manual_seed(1)
    one = learner.Learner(game, learner.Agent(game), updates=12, rivals="rule-of-thumb")
    for _ in range(12):
        one.update()
    assert play(game, [one.agent, "rule-of-thumb"], games=400, seed=1).players[0].returns.low > -1  # random: -1.6


@pytest.mark.long
def test_deep_cfr_of_openspiel_learns_kuhn() -> None:
    pytest.importorskip("tree", reason="pip install dm-tree")
    learner, game = example("deep_cfr"), parlour.load("kuhn")
    (before, _), (after, tables) = learner.train(game, iterations=6, reports=2)
    assert 0 < before < after
    assert [len(table) for table in tables] == [6, 6]
    found = there(score(TablePolicy(game, tables), "kuhn"))
    assert found.value < 0.6


@pytest.mark.long
def test_actor_critic_in_jax_learns_kuhn(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("jax", reason="pip install jax")
    learner, game = example("jax_a2c"), parlour.load("kuhn")
    *_, layers = learner.train(game, updates=40, games=512)
    learner.judged(game, learner.Player(layers), 40, games=10)
    assert float(capsys.readouterr().out.split()[-1]) < 0.35


@pytest.mark.long
@pytest.mark.filterwarnings("ignore")  # TorchRL's own
def test_ppo_in_torchrl_runs(capsys: pytest.CaptureFixture[str]) -> None:
    learner, game = example("torchrl_ppo"), parlour.load("leduc")
    learnt = list(learner.train(game, updates=2, frames=128, size=64))
    assert len(learnt) == 2
    assert all(np.isfinite(mean) for _, mean in learnt)
    learner.judged(game, learnt[-1][0], 2, games=10)
    assert "exploitable by" in capsys.readouterr().out


QUICK = ("build", "kuhn", "play", "study")
"""Notebooks for which nothing has to be compiled but what other tests call."""


def name_of(notebook: str) -> str:
    return PurePosixPath(notebook).stem


@pytest.mark.parametrize(
    "notebook", the_rest_long(website.notebooks(), [one for one in website.notebooks() if name_of(one) in QUICK])
)
def test_notebooks_run_and_show_what_is_kept(notebook: str) -> None:
    _, shown, again = website.ran(notebook)
    assert json.loads((website.ROOT / notebook).read_text("utf-8")) == again, f"python -m tools.website {notebook}"
    if name_of(notebook) in shelf():
        assert sum(isinstance(one, Chart) for one in shown) >= 3


def test_every_game_has_a_notebook() -> None:
    assert {*map(name_of, website.notebooks())} == {*shelf(), "play", "study", "build"}
