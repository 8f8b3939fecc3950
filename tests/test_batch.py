"""Many games in one array: the same games as states of their own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import parlour
from helpers import DRIVEN
from parlour import CHANCE, Game, IllegalAction, ParlourError, State
from parlour.batch import Batch


@pytest.fixture(scope="module", params=DRIVEN, ids=str)
def game(request: pytest.FixtureRequest) -> Game:
    return request.param.load()  # type: ignore[no-any-return]


def assert_same(batch: Batch, i: int, state: State) -> None:
    """Position ``i`` is the position of ``state``, and what is said about it is right."""
    mover = state.acting[0]
    legal = state.legal_actions(mover)
    assert batch.movers[i] == mover
    assert batch.legal[i, : batch.counts[i]].tolist() == legal
    assert np.flatnonzero(batch.mask[i]).tolist() == legal
    assert np.array_equal(batch.tensors[i], state.tensor(mover).flat)
    assert batch.state(i).fields() == state.fields()


def next_game(state: State) -> State:
    """The game that follows a finished one on the same stream of chance."""
    assert state._rng is not None
    after = state.game.state_at(state.game.start(), state._rng[0])
    while after.current_player == CHANCE:
        assert after._rng is not None
        after.apply(after.draw_outcome(after._rng))
    return after


def test_positions_are_those_of_states_with_the_same_seeds(game: Game) -> None:
    """Also at sealed nodes, where players answer one after another, and over the end of a game."""
    batch = game.batch(12, seed=40)
    states = [game.new(seed=40 + i) for i in range(batch.size)]
    ended = 0
    while ended < 20:
        for i in (0, 5, 11):
            assert_same(batch, i, states[i])
        actions = batch.sample()
        batch.step(actions)
        for i, state in enumerate(states):
            state.apply(int(actions[i]), state.acting[0])
            assert bool(batch.done[i]) == state.is_terminal
            assert batch.rewards[i].tolist() == np.float32(state.returns()).tolist()
            if state.is_terminal:
                ended += 1
                states[i] = next_game(state)


def test_the_sampler_answers_sealed_questions_in_order_of_seats() -> None:
    parlour.register("sampler")
    batch = parlour.load("sampler", 3).batch(5, seed=1)
    answered = []
    for _ in range(3):
        answered.append(batch.movers.tolist())
        batch.step(batch.sample())
    assert answered == [[p] * 5 for p in range(3)]


def test_actions_are_sampled_from_all_legal_ones() -> None:
    batch = parlour.load("leduc").batch(300, seed=2)
    chosen = {(bool(batch.mask[i, 0]), int(a)) for _ in range(6) for i, a in enumerate(batch.sample())}
    assert chosen == {(False, 1), (False, 2)}  # nobody has raised: call or raise
    batch.step(np.full(300, 2))
    assert set(batch.sample().tolist()) == {0, 1, 2}


def test_threads_change_nothing(game: Game) -> None:
    one, two = (Batch(game, 33, seed=9, threads=n) for n in (1, 2))
    for _ in range(30):
        actions = one.sample()
        for batch in (one, two):
            batch.step(actions)
        for name in ("movers", "legal", "counts", "tensors", "rewards", "done"):
            assert np.array_equal(getattr(one, name), getattr(two, name)), name


def test_arrays_are_as_documented() -> None:
    game = parlour.load("diamonds", 3)
    batch = game.batch(7)
    batch.step(batch.sample())
    known = {
        "movers": ("int8", (7,)),
        "legal": ("int16", (7, game.action_count)),
        "counts": ("int16", (7,)),
        "mask": ("bool", (7, game.action_count)),
        "tensors": ("float32", (7, game.tensor_size)),
        "rewards": ("float32", (7, 3)),
        "done": ("uint8", (7,)),
    }
    assert {name: (str(getattr(batch, name).dtype), getattr(batch, name).shape) for name in known} == known


def test_without_tensors_it_plays_the_same() -> None:
    game = parlour.load("leduc")
    bare, full = Batch(game, 8, seed=3, tensors=False), Batch(game, 8, seed=3)
    assert bare.tensors.shape == (0, game.tensor_size)
    for _ in range(12):
        actions = full.sample()
        bare.step(actions)
        full.step(actions)
        assert np.array_equal(bare.legal, full.legal)
        assert np.array_equal(bare.rewards, full.rewards)


def test_a_position_taken_out_goes_its_own_way() -> None:
    batch = parlour.load("leduc").batch(3, seed=4)
    state, before = batch.state(1), batch.state(1).fields()
    state.apply("raise")
    assert batch.state(1).fields() == before
    assert state.current_player != CHANCE


@pytest.mark.parametrize("kind", [np.int16, np.int64])
def test_an_illegal_action_is_one_sentence_with_its_clause(kind: Any) -> None:
    batch = parlour.load("leduc").batch(4, seed=5)
    before = [batch.state(i).fields() for i in range(4)]
    with pytest.raises(IllegalAction, match=r"^Position 2: 'fold' is not allowed now: .+ \(LE-12\)$") as refused:
        batch.step(np.array([1, 2, 0, 1], kind))
    assert refused.value.clause == "LE-12"
    moved = [batch.state(i).fields() != before[i] for i in range(4)]
    assert moved == [True, True, False, False]
    batch.step(batch.sample())  # and it goes on


@pytest.mark.parametrize("action", [3, -1, 65_537])
def test_an_action_that_does_not_exist_is_refused(action: int) -> None:
    batch = parlour.load("leduc").batch(2)
    with pytest.raises(ParlourError, match=rf"^Position 1: there is no action {action}; ids run to 2\.$"):
        batch.step([1, action])


@pytest.mark.parametrize(
    ("actions", "sentence"),
    [
        (np.zeros(3, np.int16), "2 action ids are needed, not int16 of shape (3,)."),
        (np.zeros((2, 1), np.int16), "2 action ids are needed, not int16 of shape (2, 1)."),
        (np.zeros(2), "2 action ids are needed, not float64 of shape (2,)."),
        (np.zeros(2, np.bool_), "2 action ids are needed, not bool of shape (2,)."),
        (["call", "call"], "2 action ids are needed, not <U4 of shape (2,)."),
    ],
)
def test_actions_of_the_wrong_kind_are_refused(actions: Any, sentence: str) -> None:
    with pytest.raises(ParlourError) as refused:
        parlour.load("leduc").batch(2).step(actions)
    assert str(refused.value) == sentence


@pytest.mark.parametrize(
    ("wanted", "sentence"),
    [
        ({"size": 0}, "A batch needs at least one game, not 0."),
        ({"size": 1, "threads": 0}, "At least one thread is needed, not 0."),
        ({"size": 1, "seed": -1}, "A seed is a whole number from 0 to 2^64 - 1, not -1."),
        (
            {"size": 3, "seed": 2**64 - 2},
            "Seeds end at 2^64 - 1: those of 3 games start at 18446744073709551613 at most",
        ),
    ],
)
def test_batches_that_cannot_be_are_refused(wanted: dict[str, int], sentence: str) -> None:
    with pytest.raises(ParlourError) as refused:
        Batch(parlour.load("kuhn"), **wanted)
    assert str(refused.value).startswith(sentence)


def test_the_highest_seeds_are_good_seeds() -> None:
    game = parlour.load("kuhn")
    batch = game.batch(2, seed=2**64 - 2)
    assert_same(batch, 1, game.new(seed=2**64 - 1))
