"""Search with a function that says what a position is worth."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import parlour
from parlour import ParlourError
from parlour.audit import audit
from parlour.engine.telling import View
from parlour.players import make
from parlour.players.guided import Guided
from tests.players.test_players import kuhn_after as kuhn


def uniform(view: View) -> tuple[list[float], float]:
    return [1.0] * view.game.action_count, 0.0


def test_it_finds_what_is_best() -> None:
    """A king calls and wins two; a jack passes and loses one."""
    for card, best, value in (("K", "bet", 2.0), ("J", "pass", -1.0)):
        state = kuhn(card, "Q", "pass", "bet")
        player = make("search:80", state.game, evaluate=uniform)
        assert isinstance(player, Guided)
        advice = player.advise(state.view(0), state.legal_actions())
        assert (player.name, state.game.action_names[advice.action]) == ("search:80", best)
        assert advice.values[advice.action] == value
        assert sum(advice.visits.values()) == 79  # the first has evaluated the root


def test_the_function_is_asked_with_views_of_whoever_is_to_act() -> None:
    state, asked = kuhn("Q", "J"), list[View]()

    def evaluate(view: View) -> Any:
        asked.append(view)
        return {0: 0.5, 1: 0.5}, 0.0

    Guided(state.game, evaluate=evaluate, simulations=60).choose(state.view(0), state.legal_actions())
    assert asked[0] == state.view(0)
    assert {view.player for view in asked} == {0, 1}
    others = {view.observation()["hand"][1] for view in asked if view.player == 1}
    assert others == {"J", "K"}  # what may be, not what is
    assert all(view.observation()["hand"][1 - view.player] is None for view in asked)


def test_the_policy_says_what_is_tried_and_the_value_what_it_is_worth() -> None:
    state = kuhn("Q", "J")
    view, legal = state.view(0), state.legal_actions()
    for favoured in legal:
        told = {a: 1.0 * (a == favoured) for a in legal}
        found = Guided(state.game, evaluate=lambda _, told=told: (told, 0.0), simulations=12).advise(view, legal)  # type: ignore[misc]
        assert found.visits[favoured] > 6

    def after_a_bet(view: View) -> Any:
        """The other, when asked, is sure to lose if there was a bet, and to win if not."""
        bet = view.observation()["paid"][0] == 2
        return [1, 1], 0.0 if view.player == 0 else (-9.0 if bet else 9.0)

    found = Guided(state.game, evaluate=after_a_bet, simulations=4).advise(view, legal)
    assert found.values[1] > 0 > found.values[0]


@pytest.mark.parametrize("value", [(1.5, -1.5), np.array([1.5, -1.5]), 1.5, np.float32(1.5)])
def test_values_for_one_or_for_all(value: Any) -> None:
    state = kuhn("Q", "J", "pass")
    player = Guided(state.game, evaluate=lambda view: (np.ones(2), value), simulations=2)
    player.choose(state.view(1), state.legal_actions())


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (([1, -1], 0.0), r"evaluate gave a policy of \[1.0, -1.0\] for the actions \[0, 1\]"),
        (([1, float("nan")], 0.0), "evaluate gave a policy"),
        (([1, 1], [0.0]), r"evaluate gave the value \[0.0\]; it is a number, or one for each of 2 seats"),
        (([1, 1], float("inf")), "evaluate gave the value inf"),
    ],
)
def test_what_makes_no_sense_is_one_sentence(answer: Any, sentence: str) -> None:
    state = kuhn("Q", "J")
    with pytest.raises(ParlourError, match=sentence):
        Guided(state.game, evaluate=lambda _: answer, simulations=3).choose(state.view(0), state.legal_actions())


@pytest.mark.parametrize("game", ["leduc", "diamonds", "matrimony"])
def test_it_chooses_by_its_view_alone(game: str) -> None:
    """The audit deals other worlds; chance within a search follows from the view and the seed."""
    bots: Any = {"guided": lambda game, seed: Guided(game, seed, evaluate=uniform, simulations=6)}
    report = audit(parlour.load(game), games=2, exhaustive=0, checks=["bots"], bots=bots)
    assert report.ok, str(report)
