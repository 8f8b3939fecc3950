"""Copies of states: clones, copies, pickles; and when two states are equal."""

from __future__ import annotations

import copy
import pickle
import random
from collections.abc import Callable
from typing import Any

import pytest

import parlour
from parlour import EVERYBODY, State
from tests.helpers import GAMES

COPIES: dict[str, Callable[[State], State]] = {
    "clone": State.clone,
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda state: pickle.loads(pickle.dumps(state)),
}


def some_way(game: str, seed: int) -> State:
    """A game played for a while, at a sealed node as often as not."""
    if game == "sampler":
        parlour.register("sampler")
    state, choose = parlour.load(game).new(seed=seed), random.Random(seed)
    for _ in range(choose.randrange(40)):
        if state.is_terminal:
            break
        player = choose.choice(state.acting)
        state.apply(choose.choice(state.legal_actions(player)), player)
    return state


def told(state: State) -> tuple[Any, ...]:
    """All that can be asked of a state."""
    players = range(state.game.players)
    known = [(state.view(p), state.information_key(p), state.events(p)) for p in players]
    return state.record(), state.fields(), state.view(EVERYBODY), known, state.deals, state.returns(), state.log


@pytest.mark.parametrize("how", COPIES)
@pytest.mark.parametrize("game", GAMES)
def test_a_copy_is_equal_and_goes_its_own_way(game: str, how: str) -> None:
    for seed in range(1):
        state = some_way(game, seed)
        before = told(state)
        other = COPIES[how](state)
        assert other == state
        assert told(other) == before
        if state.is_terminal:
            continue
        player = state.acting[-1]
        action = state.legal_actions(player)[-1]
        other.apply(action, player)
        assert other != state
        assert told(state) == before
        state.apply(action, player)
        assert other == state
        assert told(other) == told(state)


def test_states_differ_by_game_way_and_chance() -> None:
    game = parlour.load("leduc")
    state = game.new(seed=5)
    assert state == game.new(seed=5)
    assert state != game.new(seed=6)
    scripted = game.new()
    for step in state.history:
        scripted.apply(step.action)
    assert scripted.position == state.position
    assert scripted != state  # chance is left to the caller there
    assert state != parlour.load("kuhn").new(seed=5)
    assert state != "state"
    with pytest.raises(TypeError, match="unhashable"):
        hash(state)
