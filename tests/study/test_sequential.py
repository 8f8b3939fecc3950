"""Matches that stop when they are decided: how often that is wrong, however often one looks."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import pairwise
from random import Random
from typing import Any

import pytest

import parlour
from parlour import ParlourError
from parlour.engine.telling import View
from parlour.study.match import play
from parlour.study.sequential import Decision, Sequential
from tests.helpers import Says, the_rest_long


class Sharp:
    """Bets on a king, folds a jack."""

    def choose(self, view: View, legal: Sequence[int]) -> int:
        return legal[0] if view.observation()["hand"][view.player] == "J" else legal[-1]


def looked_at(test: Sequential, values: list[float]) -> list[Decision]:
    """What it says after every 32 values."""
    found = []
    for first in range(0, len(values), 32):
        test.add(values[first : first + 32])
        found.append(test.decision())
    return found


@pytest.mark.parametrize(
    "chances", the_rest_long([(0.5, 0.0, 0.5), (0.35, 0.3, 0.35), (0.0, 1.0, 0.0)], [(0.35, 0.3, 0.35)]), ids=str
)
def test_an_even_match_is_seldom_called_uneven_however_often_one_looks(chances: tuple[float, ...]) -> None:
    """With a chance of error of a fifth, which forty looks at an ordinary interval would exceed."""
    wrong = 0
    for seed in range(40):
        values = Random(seed).choices([0.0, 0.5, 1.0], chances, k=1280)
        wrong += looked_at(Sequential(0.5, error=0.2), values)[-1].verdict != "open"
    assert wrong <= 40 * 0.2


def test_what_was_ruled_out_stays_so_and_the_truth_is_not() -> None:
    for seed in range(10):
        found = looked_at(Sequential(0.3), Random(seed).choices([0.0, 1.0], (0.6, 0.4), k=3200))
        for before, after in pairwise(found):
            assert before.low <= after.low < 0.4 < after.high <= before.high
        assert found[-1].verdict == "more"
        assert found[-1].values == 3200


def test_equal_is_said_only_where_it_was_asked_for() -> None:
    values = [0.0, 1.0] * 4000
    assert looked_at(Sequential(0.5), values)[-1].verdict == "open"
    decided = looked_at(Sequential(0.5, margin=0.05), values)[-1]
    assert decided.verdict == "equal"
    assert decided.low >= 0.45
    assert decided.high <= 0.55


@pytest.mark.parametrize("wrong", [{"par": 0.0}, {"par": 1.0}, {"par": 0.5, "error": 0.0}, {"par": 0.5, "margin": 0.5}])
def test_bad_bounds_are_one_sentence(wrong: dict[str, Any]) -> None:
    with pytest.raises(ParlourError, match="must be between 0 and"):
        Sequential(**wrong)


def test_values_are_shares() -> None:
    test = Sequential(0.5)
    test.add([1.5])
    with pytest.raises(ParlourError, match="between 0 and 1"):
        test.decision()


def test_a_match_ends_when_it_is_decided() -> None:
    game = parlour.load("kuhn")
    match = play(game, [Sharp, "random"], 1500, seed=3, until=Sequential(0.5))
    assert match.decision is not None
    assert match.decision.verdict == "more"
    assert match.deals == match.decision.values < 750
    again = play(game, [Sharp, "random"], match.games, seed=3)
    assert again.decision is None
    assert again.players[0].share == match.players[0].share


def test_a_test_is_for_one_match_of_as_many_players() -> None:
    used = Sequential(0.5)
    used.add([1.0])
    for test in (Sequential(1 / 3), used):
        with pytest.raises(ParlourError, match=r"new Sequential\(par=1 / 2\)"):
            play("kuhn", ["random", "random"], 10, until=test)


def test_the_command_says_what_is_decided_and_how_certain_that_is(says: Says) -> None:
    kuhn = "match kuhn tests.study.test_sequential.Sharp random --jobs 1"
    code, out, _ = says(f"{kuhn} --until-decided --games 1500")
    assert code == 0
    out = " ".join(out.split())
    assert "tests.study.test_sequential.Sharp wins more than a fair share of 50.0%" in out
    assert "wrong with a probability of at most 5.0%" in out
    said = json.loads(says(f"{kuhn} --until-decided --error 0.01 --games 20 --json")[1])
    assert said["decision"]["verdict"] == "open"
    assert said["decision"]["error"] == 0.01
