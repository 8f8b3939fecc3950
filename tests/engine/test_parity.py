"""The compiled binding is the interpreted one: action by action, field by field, key by key, on random deals."""

from __future__ import annotations

import functools
import math
from collections import Counter
from dataclasses import dataclass
from random import Random
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlour.core.batch import start_records
from parlour.engine import hashing, vectors
from parlour.engine.c import building
from parlour.engine.definition import definition
from parlour.engine.hashing import deed_fact, fold, seeded
from parlour.engine.kernel import F32, F64, U64, Kernel, Word
from parlour.engine.memory import Memory
from parlour.engine.positions import as_dict, check_range, from_record, to_record
from parlour.engine.telling import restored, view
from parlour.engine.vectors import next_difference, next_entry
from parlour.rules import vocabulary
from parlour.rules.vocabulary import CHANCE, SEVERAL, TERMINAL, below, count, draw, lowest, nth
from tests.helpers import GAMES, LONG, Setting, Survey, compiled, few_settings, interpreted, plain, the_rest_long
from tools.every_driver import made, runs_here


@dataclass
class Budget:
    """How much of each is compared under one setting."""

    deals: int
    steps: int
    remembered: int  # steps with keys, which are slow to make interpreted
    tensors: int  # steps with every player's tensor


SHORT = Budget(deals=1_000, steps=800, remembered=100, tensors=20)
PAIRS = Budget(deals=60, steps=250, remembered=30, tensors=5)


@functools.cache
def scratch(game: str) -> SimpleNamespace:
    what, rows = definition(game), LONG
    return SimpleNamespace(
        steps=np.zeros((rows, 3), np.int64),
        positions=np.zeros(rows, compiled(what).dtype),
        keys=np.zeros((rows, what.max_players), np.uint64),
        memory=np.zeros((4, what.max_players), np.uint64),
        rng=np.zeros(1, np.uint64),
    )


def compare(setting: Setting, budget: Budget) -> int:
    """Play the same deals in both bindings; stop when the budget of steps is used up.  Returns the number of steps."""
    game = setting.load()
    what, code, room = game.definition, compiled(game.definition), scratch(setting.game)
    records, acts = start_records(game), np.zeros(game.action_count, np.int16)
    fired: Counter[str] = Counter()
    returns, decisions, deals = np.zeros(game.players), 0, 0
    done = SimpleNamespace(steps=0, remembered=0, tensors=0)
    while deals < budget.deals and done.steps < budget.steps:
        n = code.trace(
            records, acts, room.rng, room.memory, np.uint64(deals), room.steps, room.positions, room.keys
        )  # fmt: skip
        assert 0 < n < LONG
        end, noted = follow(game, deals, n, room, budget, done)
        fired.update(noted)
        out = [0.0] * game.players
        what.rules.returns(end, out)
        returns += out
        decisions += int(np.count_nonzero(room.steps[:n, 0] >= 0))
        deals += 1
    assert done.remembered > 0
    assert done.tensors > 0

    # the same deals in bulk: events, returns, lengths
    bulk = Survey(game, deals)
    assert (bulk.decisions, bulk.lengths.sum()) == (decisions, deals)
    assert np.allclose(bulk.scores[0], returns)
    assert bulk.fired() == dict(fired)
    return int(done.steps)


def follow(game: Any, seed: int, n: int, room: Any, budget: Budget, done: Any) -> tuple[Any, Counter[str]]:
    """Play one traced deal interpreted and compare every step; gives the last position and the clauses noted."""
    what, rules, code = game.definition, game.definition.rules, compiled(game.definition)
    columns = [(name, room.positions[name][:n].tolist()) for name in what.fields]
    steps, keys = room.steps[:n].tolist(), room.keys[:n].tolist()
    s, rng, acts = game.start(), [hashing.seed_word(seed)], [0] * game.action_count
    memory = Memory(game, s)
    draw_outcome = interpreted(what).draw_outcome
    fired: Counter[str] = Counter()
    for k in range(n):
        heard: list[Any] = []
        who, waiting, legal = rules.actor(s), 0, 0
        if who == CHANCE:
            a = draw_outcome(s, rng)
        else:
            if who == SEVERAL:
                waiting = rules.acting(s)
                who = lowest(waiting)
            legal = rules.legal(s, who, acts)
            assert acts[:legal] == sorted(set(acts[:legal]))
            a = acts[below(rng, legal)]
        what.step(s, who, a, heard)
        assert [who, a, legal] == steps[k], f"seed {seed}, step {k}"
        for name, column in columns:
            assert getattr(s, name) == column[k], f"seed {seed}, step {k}: {name}"
        fired.update(event[0] for event in heard)
        if done.remembered < budget.remembered:
            memory.step(s, who, a, heard, waiting)
            assert memory.keys == keys[k][: game.players], f"seed {seed}, step {k}"
            done.remembered += 1
            if done.tensors < budget.tensors and k % 3 == 0:
                compare_tensors(game, s, code)
                done.tensors += 1
        done.steps += 1
    assert rules.actor(s) == TERMINAL
    assert check_range(what, s) is None
    return s, fired


def compare_tensors(game: Any, s: Any, code: Any) -> None:
    records, row = np.zeros(1, code.dtype), np.zeros(game.tensor_size, np.float32)
    to_record(game.definition, s, records[0])
    assert as_dict(game.definition, from_record(game.definition, records[0])) == as_dict(game.definition, s)
    for p in range(game.players):
        code.write_row(records[0], p, row)
        assert row.tobytes() == view(game, s, p).tensor().flat.tobytes()


def each(settings: list[Setting]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("setting", settings, ids=[f"{i}-{setting}" for i, setting in enumerate(settings)])


SETTINGS = [setting for game in GAMES for setting in few_settings(game)]
SOME = [s for game in GAMES for s in {*plain(game), *[s for s in SETTINGS if s.game == game][::2]}]
"""In every run: the default rules, and every other of the settings in which each value of each option occurs."""


@pytest.mark.parametrize("setting", the_rest_long(SETTINGS, SOME), ids=[f"{i}-{s}" for i, s in enumerate(SETTINGS)])
def test_bindings_agree(setting: Setting) -> None:
    changed = len(set(setting.options) - set(definition(setting.game).options_for(setting.players).items()))
    compare(setting, PAIRS if changed else SHORT)


@pytest.mark.parametrize("game", GAMES)
def test_redeals_agree(game: str) -> None:
    """One seed deals the same world in both bindings."""
    for setting in plain(game):
        redealt(setting.load(), 15)


def redealt(game: Any, seeds: int) -> None:
    """Compare worlds dealt from what players know, in some games."""
    what, code = game.definition, compiled(game.definition)
    records, left = np.zeros(1, code.dtype), 30
    for seed in range(seeds):
        state = game.new(seed=seed)
        while left > 0 and not state.is_terminal:
            left -= 1
            for p in range(game.players):
                world = state.redeal(p, seed)
                if not what.hides_nothing:
                    to_record(what, restored(state.view(p)), records[0])
                    rng = np.array([hashing.seed_word(seed)], np.uint64)
                    code.redeal(records[0], p, rng)
                    assert as_dict(what, records[0]) == world.fields()
                    assert int(rng[0]) == world._rng[0]
            legal = state.legal_actions(state.acting[0])
            state.apply(legal[seed % len(legal)], state.acting[0])


WORDS = st.integers(0, hashing.MASK)
SETS = st.integers(1, (1 << 63) - 1)
SMALL = st.integers(-(1 << 31), (1 << 31) - 1)


def counted(members: int) -> Any:
    return count(members)


def least(members: int) -> Any:
    return lowest(members)


def kth(members: int, k: int) -> Any:
    return nth(members, k)


def one_below(rng: U64, n: int) -> Any:
    return below(rng, n)


def one_of(rng: U64, members: int) -> Any:
    return draw(rng, members)


def folded(key: Word, fact: Word) -> Any:
    return fold(key, fact)


def fact_of(action: int) -> Any:
    return deed_fact(action)


def seed_of(first: Word, i: int) -> Any:
    return seeded(first, i)


def single(row: F32, i: int, n: int) -> Any:
    return next_entry(row, i, n)


def double(row: F64, i: int, n: int) -> Any:
    return next_entry(row, i, n)


def apart(one: F32, other: F32, i: int, n: int) -> Any:
    return next_difference(one, other, i, n)


def far_apart(one: F64, other: F64, i: int, n: int) -> Any:
    return next_difference(one, other, i, n)


PRIMITIVES = Kernel(
    __name__,
    entries=(*(counted, least, kth, one_below, one_of, folded, fact_of, seed_of), *(single, double, apart, far_apart)),
)


@pytest.fixture(scope="module", params=building.LEVELS)
def own(request: pytest.FixtureRequest) -> Any:
    """The primitives as C has them, with and without special instructions of the processor."""
    if not runs_here(request.param):
        pytest.skip(f"this processor is not of level {request.param}")
    with made(building.FAST, request.param):
        code = PRIMITIVES.compiled(definition("kuhn"))
        assert code.counted(7) == 3
    return code


@given(members=SETS)
def test_sets(own: Any, members: int) -> None:
    assert own.counted(members) == vocabulary.count(members) == len(listed(members))
    assert own.least(members) == vocabulary.lowest(members) == listed(members)[0]
    for k in {0, len(listed(members)) // 2, len(listed(members)) - 1}:
        assert own.kth(members, k) == vocabulary.nth(members, k) == listed(members)[k]


def listed(members: int) -> list[int]:
    return [k for k in range(64) if members >> k & 1]


@given(word=WORDS, n=st.integers(1, 1 << 31))
def test_below(own: Any, word: int, n: int) -> None:
    ours, theirs = [word], np.array([word], np.uint64)
    assert own.one_below(theirs, n) == below(ours, n) < n
    assert int(theirs[0]) == ours[0]


@given(word=WORDS, members=SETS)
def test_draw(own: Any, word: int, members: int) -> None:
    ours, theirs = [word], np.array([word], np.uint64)
    assert own.one_of(theirs, members) == draw(ours, members) in listed(members)
    assert int(theirs[0]) == ours[0]


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_the_next_entry_and_the_next_difference(own: Any, kind: Any) -> None:
    """Eight entries are looked at together, and whatever is left, one by one; none beyond the last."""
    entry, difference = (own.single, own.apart) if kind is np.float32 else (own.double, own.far_apart)
    dice = Random(1)
    for _ in range(2000):
        row = [dice.choice([1.0, 0.25, -1.0, 1e-40, math.nan]) if dice.random() < 0.1 else 0.0 for _ in range(40)]
        row[dice.randrange(40)] = -0.0
        i = dice.randrange(40)
        n = dice.randrange(i, 40)
        found = [k for k in range(i, n) if row[k] != 0.0]
        expected = found[0] if found else n
        assert entry(np.array(row, kind), i, n) == vectors.next_entry(row, i, n) == expected
        beside = [dice.choice([1.0, 0.25]) for _ in range(40)]
        other = [x if y == 0.0 else x + y for x, y in zip(beside, row, strict=True)]
        found = [k for k in range(i, n) if kind(beside[k]) != kind(other[k])]
        expected = found[0] if found else n
        vector, another = np.array(beside, kind), np.array(other, kind)
        assert difference(vector, another, i, n) == vectors.next_difference(vector, another, i, n) == expected


@given(key=WORDS, fact=WORDS, action=st.integers(0, 1 << 15))
def test_folding(own: Any, key: int, fact: int, action: int) -> None:
    assert int(own.folded(np.uint64(key), np.uint64(fact))) == hashing.fold(key, fact)
    assert int(own.fact_of(action)) == hashing.deed_fact(action)


@given(first=WORDS, i=st.integers(0, 1 << 20))
def test_seeds(own: Any, first: int, i: int) -> None:
    assert int(own.seed_of(np.uint64(first), i)) == hashing.seed_word((first + i) & hashing.MASK)
