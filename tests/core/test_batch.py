"""Many games in one array: the same games as states of their own."""

from __future__ import annotations

import copy
import json
import multiprocessing
import pickle
import re
import threading
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import parlour
from parlour import CHANCE, Batch, Game, IllegalAction, ParlourError, State
from parlour.adapters import gymnasium
from parlour.engine.kernels.batch import LINE, SHARES, STEPPED, TAKEN
from parlour.players.rivals import SeatBatch
from tests.helpers import COMPILED, GAMES, Planter, plain, refused_when_damaged, the_rest_long, there
from tests.waiting import LIMIT, wait_until

MOST = [plain(game)[-1] for game in COMPILED]


@pytest.fixture(scope="module", params=the_rest_long([one for game in GAMES for one in plain(game)], MOST), ids=str)
def game(request: pytest.FixtureRequest) -> Game:
    return request.param.load()  # type: ignore[no-any-return]


def assert_same(batch: Batch[State], i: int, state: State) -> None:
    """Position ``i`` is the position of ``state``, and what is said about it is right."""
    mover = state.acting[0]
    legal = state.legal_actions(mover)
    assert batch.movers[i] == mover
    assert batch.legal[i, : batch.counts[i]].tolist() == legal
    assert np.flatnonzero(batch.mask[i]).tolist() == legal
    assert np.array_equal(batch.tensors[i], state.tensor(mover).flat)
    assert batch.state(i).fields() == state.fields()
    for p in range(state.game.players if len(batch._keys) else 0):
        assert int(batch.keys[i, p]) == state.memory().keys[p]
        assert np.array_equal(batch.observe(p)[i], state.tensor(p).flat)


def next_game(state: State) -> State:
    """The game that follows a finished one on the same stream of chance."""
    assert state._rng is not None
    after = state.game.new()
    after.draw_on(0, state._rng[:])
    return after


def test_positions_are_those_of_states_with_the_same_seeds(game: Game) -> None:
    """Also at sealed nodes, where players answer one after another, and over the end of a game."""
    batch = game.batch(12, seed=40, keys=True, last=True)
    states = [game.new(seed=40 + i) for i in range(batch.size)]
    ended = 0
    while ended < 12:
        for i in (0, 5, 11):
            assert_same(batch, i, states[i])
        actions = batch.sample()
        batch.step(actions)
        for i, state in enumerate(states):
            deals = len(state.deals)
            state.apply(int(actions[i]), state.acting[0])
            brought = [deal.returns for deal in state.deals[deals:]]
            if state.is_terminal and not state.deals:
                brought = [tuple(state.returns())]
            assert batch.settled[i] == len(brought)
            sums = [np.array(b, np.float32).sum() for b in zip(*brought, strict=True)]
            assert batch.deal_rewards[i].tolist() == sums or (not brought and not batch.deal_rewards[i].any())
            assert bool(batch.done[i]) == state.is_terminal
            assert batch.rewards[i].tolist() == np.array(state.returns(), np.float32).tolist()
            if state.is_terminal:
                ended += 1
                for p in range(game.players):
                    assert np.array_equal(batch.last[i, p], state.tensor(p).flat)
                states[i] = next_game(state)


def unasked(game: Game, state: State) -> tuple[int, int, list[float]]:
    """How many games in a row are over before anybody is asked, ``state`` the first of them, of how many deals, and
    what they return."""
    count, deals, brought = 0, len(state.deals), np.zeros(game.players, np.float32)
    while state.is_terminal:
        count, brought, state = count + 1, brought + np.array(state.returns(), np.float32), next_game(state)
        deals += len(state.deals)
    return count, deals, brought.tolist()


def test_a_game_that_is_over_before_anybody_is_asked_is_scored_and_another_follows() -> None:
    """At Pope Joan a turned-up Pope may end the only deal: at the beginning, and where a game follows another."""
    options: dict[str, Any] = {"version": "classic", "pope_turned": "deal_over", "deals": 1}
    game = parlour.load("pope_joan", 5, **options)
    batch = game.batch(400, seed=1, last=True)
    expected = [unasked(game, game.new(seed=1 + i)) for i in range(batch.size)]
    told = zip(batch.done.tolist(), batch.settled.tolist(), batch.rewards.tolist(), strict=True)
    assert list(told) == expected
    assert batch.done.any()
    assert batch.last.any(axis=(1, 2)).tolist() == (batch.done > 0).tolist()
    several = 0
    while several == 0:
        before = [(batch.state(i), batch.movers[i]) for i in range(batch.size)]
        actions = batch.sample()
        batch.step(actions)
        assert batch.movers.min() >= 0
        for i, (state, mover) in enumerate(before):
            if batch.done[i] != 1:
                state.apply(int(actions[i]), int(mover))
                assert (batch.done[i], batch.settled[i], batch.rewards[i].tolist()) == unasked(game, state)
        several = int((batch.done > 1).sum())
    envs = gymnasium.vector("pope_joan", 400, 5, **options, last=True, threads=1)
    envs.reset(seed=1)
    assert envs.batch.done.any()
    _, rewards, over, _, infos = envs.step(envs.batch.sample())
    assert infos["mover"].min() >= 0
    assert rewards.shape == over.shape == (400,)


def test_a_batch_of_a_game_in_which_nobody_is_ever_asked_is_refused(plant: Planter) -> None:
    game = plant("planted_unasked", ("        s.stage = BETTING\n", "        s.stage = SHOWDOWN\n"))
    assert game.new(seed=1).is_terminal
    with pytest.raises(ParlourError, match="Position 0: 255 games in a row were over before anybody was asked"):
        game.batch(3)


def test_actions_are_sampled_from_all_legal_ones() -> None:
    batch = parlour.load("leduc").batch(300, seed=2)
    chosen = {(bool(batch.mask[i, 0]), int(a)) for _ in range(6) for i, a in enumerate(batch.sample())}
    assert chosen == {(False, 1), (False, 2)}  # nobody has raised: call or raise
    batch.step(np.full(300, 2))
    assert set(batch.sample().tolist()) == {0, 1, 2}


def test_threads_change_nothing(game: Game) -> None:
    one, three = (game.batch(333, seed=9, threads=n) for n in (1, 3))
    for _ in range(30):
        actions = one.sample()
        assert np.array_equal(actions, three.sample())
        for batch in (one, three):
            batch.step(actions)
        for name in ("movers", "legal", "counts", "tensors", "rewards", "done"):
            assert np.array_equal(getattr(one, name), getattr(three, name)), name
    assert one == three


def test_a_helper_takes_part_and_goes_with_its_batch() -> None:
    """Work is put on the board, and nobody else does it."""
    batch = parlour.load("leduc").batch(256, threads=2)
    batch.step(batch.sample())
    helpers = there(batch._helpers)
    words = batch._board
    words[STEPPED], words[TAKEN : TAKEN + LINE * words[SHARES] : LINE] = 0, 0
    batch._actions[:] = batch.sample()
    helpers.wake()
    wait_until(lambda: words[STEPPED] == 256)
    threads = [t for t in threading.enumerate() if t.name == "parlour-helper"]
    del batch, helpers
    wait_until(lambda: not threads[-1].is_alive())


def test_steps_go_on_in_a_forked_process() -> None:
    batch = parlour.load("kuhn").batch(256, threads=2)
    batch.step(batch.sample())
    with ProcessPoolExecutor(1, multiprocessing.get_context("fork")) as pool:
        there = pool.submit(play, batch, 5).result(LIMIT)
    assert there == play(batch, 5)


def play(batch: Batch[State], steps: int) -> Batch[State]:
    for _ in range(steps):
        batch.step(batch.sample())
    return batch


def test_copies_go_their_own_way_and_come_to_the_same(game: Game, tmp_path: Path) -> None:
    batch = play(game.batch(5, seed=8, keys=True, last=True, information=True), 7)
    batch.save(tmp_path / "batch")
    copies = [
        *(batch.clone(), copy.copy(batch), copy.deepcopy(batch), pickle.loads(pickle.dumps(batch))),
        parlour.load_batch(tmp_path / "batch"),
    ]
    said = {name: value.copy() for name, value in arrays(batch).items()}
    for other in copies:
        assert other == batch
        assert all(np.array_equal(value, said[name]) for name, value in arrays(other).items())
        play(other, 9)
        assert other != batch
    assert all(np.array_equal(value, said[name]) for name, value in arrays(batch).items())
    play(batch, 9)
    for other in copies:
        assert other == batch
        assert all(np.array_equal(value, getattr(batch, name)) for name, value in arrays(other).items())


def arrays(batch: Batch[State]) -> dict[str, Any]:
    """All that is said about the positions; the mask stands for the list, which is as long as what was there before."""
    said = {n: v for n, v in vars(batch).items() if isinstance(v, np.ndarray) and n[0] != "_" and n != "legal"}
    return {**said, "mask": batch.mask, "keys": batch.keys, "information": batch.information}


def test_a_reset_is_a_new_batch(game: Game) -> None:
    batch = play(game.batch(6, seed=3), 5)
    seed: Any = np.int64(4)
    batch.reset(seed=seed)
    fresh = game.batch(6, seed=4)
    assert batch == fresh
    for name in ("done", "rewards", "settled", "deal_rewards"):
        assert not getattr(batch, name).any(), name
    assert play(batch, 4) == play(fresh, 4)


def test_a_state_is_put_in_with_what_its_players_know(game: Game) -> None:
    knows = game.id != "leduc"  # which has keys alone
    batch = game.batch(3, seed=1, keys=True, information=knows)
    state = game.new(seed=11)
    for step in range(40):
        if state.is_terminal:
            break
        batch.put(1, state)
        assert_same(batch, 1, state)
        if knows and step % 20 == 9:
            assert np.array_equal(batch.information[1], state.information_tensor(state.acting[0]).flat)
        other = state.clone()
        actions = batch.sample()
        other.apply(int(actions[1]), other.acting[0])
        batch.step(actions)
        if not batch.done[1]:
            assert_same(batch, 1, other)
        mover = state.acting[step % len(state.acting)]
        legal = state.legal_actions(mover)
        state.apply(legal[step % len(legal)], mover)


def test_what_cannot_be_put_in_is_refused() -> None:
    game = parlour.load("leduc")
    batch = game.batch(2, keys=True)
    over = game.new(seed=1)
    for name in ("raise", "fold"):
        over.apply(name)
    for i, state, sentence in (
        (2, game.new(seed=1), "There is no position 2; they run from 0 to 1."),
        (0, parlour.load("kuhn").new(seed=1), "A state of load('leduc', players=2) is needed, not of load('kuhn', "),
        (0, game, "A state of load('leduc', players=2) is needed, not load('leduc', players=2)."),
        (0, over, "That game is over; put in a state of a game in progress."),
        (0, game.new(seed=1).redeal(0, seed=1), "This state started at a given position, as redeals do, so it has no"),
    ):
        with pytest.raises(ParlourError, match=re.escape(sentence)):
            batch.put(i, state)
    first: Any = np.int64(0)
    batch.put(first, game.new())  # chance goes on with the generator of the position
    assert batch.counts[0] > 0


def test_files_that_are_no_batch_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "batch.npz"
    file.write_text("nothing")
    with pytest.raises(ParlourError, match=r"batch\.npz is not a batch saved by Parlour"):
        parlour.load_batch(file)
    batch = parlour.load("kuhn").batch(2)
    nowhere = tmp_path / "none" / "batch.npz"
    with pytest.raises(ParlourError, match=r"There is no file '.*batch\.npz'\.$"):
        parlour.load_batch(nowhere)
    with pytest.raises(ParlourError, match=r"batch\.npz cannot be written: No such file or directory\.$"):
        batch.save(nowhere)
    batch.save(file)
    refused_when_damaged(file, lambda: parlour.load_batch(file))
    for change, sentence in (
        ({"version": 0}, "is a batch of kuhn with version 0 of its rules; this Parlour has version 1."),
        ({"format": 9}, "is a batch of format 9; this Parlour reads format 1."),
    ):
        with np.load(file) as found:
            saved = dict(found)
        saved["head"] = np.array(json.dumps({**json.loads(str(saved["head"])), **change}))
        with open(tmp_path / "changed.npz", "wb") as out:
            np.savez(out, **saved)
        with pytest.raises(ParlourError, match=re.escape(sentence)):
            parlour.load_batch(tmp_path / "changed.npz")


def test_tensors_are_written_into_what_fits() -> None:
    batch = parlour.load("leduc").batch(2)
    out: Any
    for out in ([1.0], np.zeros((2, 3), np.float32), np.zeros((2, 30)), np.zeros((30, 2), np.float32).T):
        with pytest.raises(ParlourError, match="Tensors are written into a float32 array of shape"):
            batch.observe(0, out)
    with pytest.raises(ParlourError, match="There is no seat 2; seats run from 0 to 1"):
        batch.observe(2)
    mine = np.zeros((2, batch.game.tensor_size), np.float32)
    assert batch.observe(0, mine) is mine


def test_without_tensors_it_plays_the_same() -> None:
    game = parlour.load("leduc")
    bare, full = Batch(game, 8, seed=3, tensors=False), Batch(game, 8, seed=3)
    with pytest.raises(ParlourError, match="has no tensors: make the batch with tensors=True"):
        _ = bare.tensors
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
    assert [batch.state(i).fields() for i in range(4)] == before
    batch.step(batch.sample())  # and it goes on


def spoils(seen: Any, masks: Any) -> Any:
    """A rival that plays by the rules, and ruins all that it was handed."""
    chosen = masks.argmax(axis=1)
    seen[:], masks[:] = 7, True
    return chosen


@pytest.mark.parametrize("made", [Batch, lambda game, size, **kept: SeatBatch(game, size, [spoils], "rotate", **kept)])
@pytest.mark.parametrize("name", ["leduc", "hearts"])
def test_what_people_write_into_arrays_changes_nothing(made: Any, name: str) -> None:
    kept = {"keys": True, "last": True, "information": True}
    spoilt, twin = (made(parlour.load(name), 4, **kept) for _ in range(2))
    arrays = [found for found in dir(twin) if isinstance(getattr(twin, found), np.ndarray) and found[0] != "_"]
    assert {"mask", "legal", "counts", "movers", "keys", "tensors", "information"} <= {*arrays}
    for _ in range(60):
        for found in arrays:
            with suppress(ValueError):  # it cannot be written into
                getattr(spoilt, found)[...] = 103
        chosen = twin.sample()
        assert (spoilt.sample() == chosen).all()
        spoilt.step(chosen)
        twin.step(chosen)
        for found in arrays:
            rows = twin.done > 0 if found == "last" else ...
            assert np.array_equal(getattr(spoilt, found)[rows], getattr(twin, found)[rows]), found


@pytest.mark.parametrize(
    ("actions", "sentence"),
    [
        *(([1, wrong], f"Position 1: there is no action {wrong}; ids run to 2.") for wrong in (3, -1, 65_537)),
        (np.zeros(3, np.int16), "2 action ids are needed, not int16 of shape (3,)."),
        (np.zeros((2, 1), np.int16), "2 action ids are needed, not int16 of shape (2, 1)."),
        (np.zeros(2), "2 action ids are needed, not float64 of shape (2,)."),
        (np.zeros(2, np.bool_), "2 action ids are needed, not bool of shape (2,)."),
        ([[1], [1, 2]], "2 action ids are needed, not lists of different lengths."),
        (["call", "call"], "2 action ids are needed, not <U4 of shape (2,)."),
    ],
)
def test_actions_that_do_not_exist_or_are_of_the_wrong_kind_are_refused(actions: Any, sentence: str) -> None:
    with pytest.raises(ParlourError) as refused:
        parlour.load("leduc").batch(2).step(actions)
    assert str(refused.value) == sentence


@pytest.mark.parametrize(
    ("wanted", "sentence"),
    [
        ({"size": 0}, "A batch needs at least one game, not 0."),
        ({"size": 2**70}, "A batch has at most 2147483648 games, not"),
        ({"size": 1, "threads": 2**70}, "At most 1024 threads share a step, not"),
        ({"size": 1, "threads": 0}, "At least one thread is needed, not 0."),
        ({"size": 1, "seed": -1}, "A seed is a whole number from 0 to 2^64 - 1, not -1."),
        ({"size": 3, "seed": 2**64 - 2}, f"Seeds end at 2^64 - 1: those of 3 games start at {2**64 - 3} at most"),
    ],
)
def test_batches_that_cannot_be_are_refused(wanted: dict[str, Any], sentence: str) -> None:
    game = parlour.load("kuhn")
    with pytest.raises(ParlourError) as refused:
        Batch(game, **wanted)
    assert str(refused.value).startswith(sentence)
    assert_same(game.batch(2, seed=2**64 - 2), 1, game.new(seed=2**64 - 1))  # these are the highest
