"""One state in machine code: the same game as the interpreted one, whatever is asked of it."""

from __future__ import annotations

import copy
import gc
import pickle
import random
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np
import pytest

import parlour
import parlour.core.compiled_state
from parlour import CHANCE, EVERYBODY, IllegalAction, ParlourError, State, undo
from parlour.core.compiled_state import CompiledState
from parlour.core.game import _compiled_state
from parlour.engine import native
from parlour.engine.stepping import InPython, in_c
from tests.helpers import COMPILED, COMPILER, GAMES, NO_COMPILER, the_rest_long

NOT_OF_A_STATE = {"watch", "before"}
"""What the room alone asks of the state it keeps."""


def in_python() -> type[CompiledState[State]]:
    """The class as it is where the type in C was not built."""
    of_python = (FunctionType, classmethod, property)
    own = {name: value for name, value in vars(CompiledState).items() if isinstance(value, of_python)}
    of_a_class = {"__slots__": (), "__hash__": None, "__module__": "parlour.core.compiled_state"}
    return type("CompiledState", (InPython,), own | of_a_class)


@pytest.fixture(autouse=True, params=["in C", "in Python"])
def kind(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Everything here is asked of the type in C, and of the class that takes its place where it was not built."""
    if request.param == "in C":
        if not COMPILER:
            pytest.skip(NO_COMPILER)
        assert in_c, (
            "The type of states is not built, or not from src/parlour/engine/state.c as it is: make test builds it."
        )
    else:
        monkeypatch.setattr(parlour.core.compiled_state, "CompiledState", in_python())
    _compiled_state.cache_clear()
    yield request.param
    _compiled_state.cache_clear()


SOME = the_rest_long(["diamonds", "dividha", "leduc", "sampler"], COMPILED)


def assert_same(fast: CompiledState[State], state: State) -> None:
    players = range(state.game.players)
    assert fast.current_player == state.current_player
    assert fast.acting == state.acting
    assert fast.is_terminal == state.is_terminal
    assert fast.returns() == state.returns()
    assert fast.generator == state.generator
    assert fast.fields() == state.fields()
    memory = state.memory()
    for p in players:
        assert fast.legal_actions(p) == state.legal_actions(p)
        assert fast.information_key(p) == memory.keys[p]
        assert fast.view(p) == state.view(p)
        assert np.array_equal(fast.tensor(p).flat, state.tensor(p).flat)
    if len(state.acting) < 2:
        assert fast.legal_actions() == state.legal_actions()


@pytest.mark.parametrize("seeded", [True, False])
@pytest.mark.parametrize("game", the_rest_long(GAMES, COMPILED))
def test_it_is_the_same_game(game: str, seeded: bool) -> None:
    what, choose = parlour.load(game), random.Random(game)
    for seed in range(2):
        state = what.new(seed=seed if seeded else None)
        fast = what.new(seed=seed if seeded else None, binding="compiled")
        for _ in range(60):
            assert_same(fast, state)
            if state.is_terminal:
                break
            player: int | None = None
            if state.current_player == CHANCE:
                action = choose.choice(state.chance_outcomes())[0]
                assert fast.chance_outcomes() == state.chance_outcomes()
            else:
                player = choose.choice(state.acting)
                action = choose.choice(state.legal_actions(player))
            if len(state.acting) < 2 and choose.random() < 0.5:
                player = None
            for one in (state, fast):
                one.apply(action, player)
        assert fast.record() == state.record()
        assert [fast.events(p) for p in range(what.players)] == [state.events(p) for p in range(what.players)]
        assert fast.interpreted() == state


@pytest.mark.parametrize("game", SOME)
def test_whatever_is_not_allowed_is_refused_in_the_same_words(game: str) -> None:
    what, choose = parlour.load(game), random.Random(1)
    state, fast = what.new(seed=3), what.new(seed=3, binding="compiled")
    for _ in range(12):
        if state.is_terminal:
            break
        before = fast.fields()
        wrong: list[Any] = [*range(-2, what.action_count + 1), "nothing", 1.0, True, None, 2**70, *what.action_names]
        for action in wrong:
            for player in (None, 0, 1, -1, -8, -9, -10, 9, 2**70, 1.0, True):
                said = answer(state.clone(), action, player)
                if said is None:
                    continue
                assert answer(fast, action, player) == said
                assert fast.fields() == before
        assert_same(fast, state)
        player = choose.choice(state.acting)
        action = choose.choice(state.legal_actions(player))
        for one in (state, fast):
            act: Any = np.int64(action) if choose.random() < 0.5 else what.action_names[action]
            one.apply(act, player)


def answer(state: Any, action: Any, player: Any) -> tuple[str, str] | None:
    """What is said to an action; nothing if it is carried out."""
    try:
        state.apply(action, player)
    except IllegalAction as refused:
        return str(refused), refused.clause
    except ParlourError as refused:
        return str(refused), ""
    return None


def told(state: Any) -> tuple[Any, ...]:
    known = [(state.view(p), state.information_key(p), state.events(p)) for p in range(state.game.players)]
    return state.record(), state.fields(), state.view(EVERYBODY), known, state.deals, state.returns(), state.log


@pytest.mark.parametrize("binding", ["compiled", "interpreted"])
@pytest.mark.parametrize("game", SOME)
def test_copies_go_their_own_way(game: str, binding: Any) -> None:
    fast = parlour.load(game).new(seed=4, binding=binding)
    for _ in range(5):
        others = [fast.clone(), copy.copy(fast), copy.deepcopy(fast), pickle.loads(pickle.dumps(fast))]
        before = told(fast)
        player = fast.acting[-1]
        action = fast.legal_actions(player)[-1]
        for other in others:
            assert other == fast
            assert told(other) == before
            other.apply(action, player)
            assert other != fast
            assert told(fast) == before
        fast.apply(action, player)
        for other in others:
            assert other == fast
            assert told(other) == told(fast)
        if fast.is_terminal:
            break


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


def test_whatever_is_done_to_it_is_done_as_to_a_state() -> None:
    """A step is taken back; chance is left to the caller, and then no longer."""
    fast, state = parlour.load("leduc").new(seed=5, binding="compiled"), parlour.load("leduc").new(seed=5)
    some: tuple[Any, Any] = (fast, state)
    for one in some:
        one.apply("raise")
        assert undo(one).name == "raise"
        rng = one.leave_chance()
        for name in ("call", "Call"):
            one.apply(name)
        assert one.current_player == CHANCE
        one.apply(one.name_of(one.chance_outcomes()[0][0]))
        one.draw_on(5, rng)
        one.call_players(["Anna", "Ben"])
        assert one.sequence("call") == (1,)
    assert_same(fast, state)
    assert fast.record() == state.record()


def test_worlds_are_gone_on_with() -> None:
    state = parlour.load("diamonds").new(seed=2).redeal(0, seed=3)
    fast = parlour.CompiledState.of(state)
    for _ in range(5):
        assert fast.view(0) == state.view(0)
        assert np.array_equal(fast.tensor(1).flat, state.tensor(1).flat)
        for one in (state, fast):
            one.apply(one.legal_actions()[-1])
    for one in (state, fast):
        with pytest.raises(ParlourError, match="This state started at a given position"):
            one.information_key(0)


def test_tensors_are_written_in_place() -> None:
    fast = parlour.load("leduc").new(seed=1, binding="compiled")
    plain = fast.interpreted()
    for state in fast, plain:
        for player in 1, EVERYBODY:
            rows = np.full((3, fast.game.tensor_size), 7, np.float32)
            assert state.tensor(player, out=rows[1]).flat.base is rows
            assert np.array_equal(rows[1], plain.tensor(player).flat)
            assert (rows[::2] == 7).all()
    for wrong in (rows, rows[:, 1], np.zeros(fast.game.tensor_size), np.zeros(3, np.float32), [0.0]):
        for state in fast, plain:
            with pytest.raises(ParlourError, match="Tensors are written into a float32 array of shape"):
                state.tensor(0, out=wrong)  # type: ignore[arg-type]


ODD: tuple[Any, ...] = (None, True, -1, 9, 2**31, 2**70, 1.0, "nothing", b"", np.int64(1), np.float64(0), [])
"""What is not a seat, and a seat that NumPy has counted."""


def asked(ask: Any) -> Any:
    try:
        return ask()
    except ParlourError as refused:
        return str(refused)


@pytest.mark.parametrize("game", ["leduc", "sampler"])
def test_whoever_is_asked_for_in_an_odd_way_is_answered_as_by_a_state(game: str) -> None:
    what = parlour.load(game)
    state, fast = what.new(seed=3), what.new(seed=3, binding="compiled")
    for odd in ODD:
        for ask in ("legal_actions", "information_key", "tensor"):
            if ask == "legal_actions" or odd is not None:
                found = [asked(partial(getattr(one, ask), odd)) for one in (fast, state)]
                assert found[0] == found[1], (ask, odd)
        assert asked(partial(fast.legal_actions, player=odd)) == asked(partial(state.legal_actions, player=odd))


def test_it_answers_whatever_a_state_answers() -> None:
    """By the same names of arguments, too."""
    fast = parlour.load("leduc").new(seed=5, binding="compiled")
    asked = [name for name in dir(State) if name[0] != "_" and name not in NOT_OF_A_STATE]
    assert [name for name in asked if not hasattr(fast, name)] == []
    with pytest.raises(AttributeError):
        fast.nothing  # noqa: B018
    assert fast.legal_actions(player=0) == fast.legal_actions() == fast.legal_actions(None)
    assert fast.information_key(player=1) == fast.information_key(1)
    other = fast.clone()
    fast.apply(action=2, player=0)
    other.apply("raise")
    assert fast == other
    call: Any = fast.apply
    for wrong in (call, lambda: call(1, 2, 3), lambda: call(deed=1)):
        with pytest.raises(TypeError):
            wrong()


def test_what_it_is_made_from_is_looked_at() -> None:
    game: Any = parlour.load("kuhn")
    for seed in (-1, 2**64, True, 1.0, "1"):
        assert asked(partial(game.new, seed, binding="compiled")) == asked(partial(game.new, seed))
    assert parlour.CompiledState(game, np.int64(7)).seed == 7  # type: ignore[arg-type]
    assert parlour.CompiledState(game, seed=2**64 - 1).generator == game.new(2**64 - 1).generator
    with pytest.raises(ParlourError, match=r"None is not a game, as parlour\.load\(\.\.\.\) returns it"):
        parlour.CompiledState(None, 1)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        parlour.CompiledState()  # type: ignore[call-arg]
    with pytest.raises(ParlourError, match="There is no binding 'fast'"):
        game.new(seed=1, binding="fast")


def test_copies_outlive_whatever_they_were_copied_from() -> None:
    game, choose = parlour.load("leduc"), random.Random(1)
    some: list[tuple[Any, list[int]]] = [(game.new(seed=4, binding="compiled"), [])]
    for _ in range(300):
        state, steps = choose.choice(some)
        copied, done = state.clone(), steps[:]
        del state
        if not copied.is_terminal:
            done.append(choose.choice(copied.legal_actions()))
            copied.apply(done[-1])
        some.append((copied, done))
        if len(some) > 12:
            some.pop(choose.randrange(len(some)))
    for state, steps in some:
        again = game.new(seed=4)
        for action in steps:
            again.apply(action)
        assert state.fields() == again.fields()
        assert state.history == again.history
        assert [state.information_key(p) for p in range(2)] == again.memory().keys


def test_threads_see_whole_steps() -> None:
    game = parlour.load("diamonds")
    state = game.new(seed=1, binding="compiled")

    def some(seed: int) -> int:
        choose, done = random.Random(seed), 0
        for _ in range(60):
            here = state.clone()
            if here.is_terminal:
                break
            action = choose.choice(here.legal_actions())
            done += asked(lambda action=action: state.apply(action)) is None
        return done

    with ThreadPoolExecutor(4) as pool:
        done = sum(pool.map(some, range(4)))
    again = game.new(seed=1)
    played = [step for step in state.history if step.player >= 0]
    assert len(played) == done
    for step in played:
        again.apply(step.action)
    assert state.fields() == again.fields()


def test_rows_become_lists() -> None:
    """One after another, of either seat and of any length, whatever becomes of the lists before."""
    state, numbers = parlour.load("kuhn").new(binding="compiled"), np.random.default_rng(1)
    for n in (0, 1, 15, 16, 17, 48, 5000, 5000, 5000, 5000, 48):
        for seat in range(2):
            row = (numbers.random(n).round(1) * (numbers.random(n) < numbers.random())).astype(np.float32)
            listed = state._numbers(row, seat)
            assert listed == row.tolist()
            listed[:] = [9.0] * n


def test_nothing_is_kept_of_states_that_are_gone(kind: str) -> None:
    """They hold their game and nothing that holds them, so nobody has to look for circles among them."""
    game = parlour.load("diamonds")
    state = game.new(seed=10**12, binding="compiled")
    before = sys.getrefcount(game), sys.getrefcount(state.seed)
    for seed in range(40):
        one = game.new(seed=seed, binding="compiled")
        one.apply(one.legal_actions()[0])
        asked(lambda one=one: one.apply(99))
        some = [state.clone() for _ in range(20)]
        del some, one
    gc.collect()
    assert (sys.getrefcount(game), sys.getrefcount(state.seed)) == before
    assert gc.is_tracked(state) == (kind == "in Python")


def test_one_may_derive_from_it() -> None:
    class Noted(parlour.CompiledState[State]):
        note = ""

    state = Noted(parlour.load("kuhn"), 1)
    state.note = "mine"
    state.apply(state.legal_actions()[0])
    copied = state.clone()
    assert type(copied) is Noted
    assert copied == state


in_c_alone = pytest.mark.parametrize("kind", ["in C"], indirect=True)


@in_c_alone
def test_a_type_that_was_built_from_other_sources_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    find = native.in_c.__wrapped__  # again each time
    assert find() is in_c
    with monkeypatch.context() as other:
        other.setattr(native, "made_of", lambda: "another")
        assert find() is None
    with monkeypatch.context() as other:
        other.setattr(sys, "version", f"{sys.version} free-threading build")
        assert find() is None
    monkeypatch.setitem(sys.modules, "parlour.engine._state", None)
    assert find() is None


@in_c_alone
def test_what_is_declared_of_python_is_what_python_declares() -> None:
    header = Path(sysconfig.get_paths()["include"]) / "Python.h"
    if not header.exists():
        pytest.skip("needs Python.h (on Debian or Ubuntu: apt-get install python3-dev)")
    source = native.HERE / "state.c"
    given = ["-std=c11", "-fsyntax-only", "-Werror", "-DCHECK_WITH_PYTHON_H", '-DMADE_OF=""', f"-I{header.parent}"]
    done = subprocess.run([*COMPILER, *given, source], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
