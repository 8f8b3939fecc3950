"""What holds at every step of random matches of every game, under every house rule and from every seat."""

from __future__ import annotations

from typing import Any

import pytest

from parlour import CHANCE, State
from parlour.engine.definition import definition, shelf
from tests.helpers import few_settings, play

STEPS, EVERY = 110, 9
"""How far each match is played, and how often every seat is asked what it knows."""
KEPT = {
    "commit": ("CO-42",),
    "diabolo": ("DI-93", "DI-94", "DI-95", "DI-28", "DI-98"),
    "diamondback": ("DB-88", "DB-89", "DB-90", "DB-91", "DB-92"),
    "dividha": ("DV-207", "DV-208", "DV-209", "DV-210"),
    "matrimony": ("MA-48", "MA-52"),
    "newmarket": ("PJ-81", "PJ-82"),
    "pope_joan": ("PJ-81", "PJ-82", "PJ-83"),
}
SECRET = {
    "diabolo": ("DI-84", "DI-85", "DI-87", "DI-88"),
    "diamondback": ("DB-18", "DB-45"),
    "hearts": ("HE-7", "HE-19"),
    "matrimony": ("MA-28",),
}
"""Clauses of which these walks are the test."""


def every_game(clauses: dict[str, tuple[str, ...]]) -> list[Any]:
    return [pytest.param(game, marks=pytest.mark.clause(*clauses.get(game, ()))) for game in shelf()]


@pytest.mark.parametrize("game", every_game(KEPT))
def test_no_card_and_no_coin_is_lost_and_every_choice_is_legal(game: str) -> None:
    rules, invariants = definition(game).rules, definition(game).part("invariants")
    assert invariants
    for seed, setting in enumerate(few_settings(game)):
        for state in play(setting.load().new(seed=seed), seed, STEPS):
            assert invariants.check(state.position) == "", (setting, state.history[-1:])
            for p in state.acting if state.current_player != CHANCE else ():
                legal, acts = state.legal_actions(p), [-1] * state.game.action_count
                assert acts[: rules.legal(state.position, p, acts)] == legal
                for chosen in [getattr(rules, name) for name in ("candidates", "likely") if hasattr(rules, name)]:
                    some = acts[: chosen(state.position, p, acts)]
                    assert some == sorted({*some} & {*legal}) != []
        assert not state.is_terminal or abs(sum(state.returns())) < 1e-9 or game == "dividha"


@pytest.mark.parametrize("game", every_game(SECRET))
def test_nobody_sees_more_than_they_may_and_everybody_can_go_on_from_it(game: str) -> None:
    """What is hidden from a player makes no difference to what they see; in a world that looks the same to them they
    have the same choices."""
    invariants = definition(game).part("invariants")
    for seed, setting in enumerate(few_settings(game)):
        for n, state in enumerate(play(setting.load().new(seed=seed), seed, STEPS)):
            if n % EVERY == seed % EVERY:
                for p in range(-1, state.game.players):
                    looks_the_same(state, p, invariants)


def looks_the_same(state: State, p: int, invariants: Any) -> None:
    seen, known = state.view(p), state.position.copy()
    hide = getattr(invariants, "hide", lambda s, me: None)
    hide(known, p)
    assert state.game.state_at(known).view(p) == seen
    if p >= 0:
        world = seen.redeal(p)
        assert world.view(p) == seen
        assert invariants.check(world.position) == ""
        assert (p in world.acting) == (p in state.acting)
        assert p not in state.acting or world.legal_actions(p) == state.legal_actions(p)
        known_there = world.position.copy()
        hide(known_there, p)
        assert known_there == known
        assert len(list(play(world, p, 3))) == 4 or world.is_terminal
