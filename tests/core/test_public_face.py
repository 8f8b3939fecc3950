"""The face that users of the package see: loading, refusing, a game of your own."""

from __future__ import annotations

import copy
import importlib
import inspect
import itertools
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import parlour
from parlour import BadRecord, IllegalAction, ParlourError
from parlour.adapters import gambit, gymnasium, openspiel, pettingzoo
from parlour.base.extras import Missing
from parlour.core.game import view_from
from parlour.core.transcript import told_by_deal
from parlour.engine import definition as definitions
from parlour.players import kinds, make
from parlour.solve.form import grow
from parlour.solve.sampler import Sampler
from parlour.study import match
from parlour.study.plan import Plan
from parlour.study.populations import round_robin
from parlour.study.simulate import simulate
from tests.helpers import Planter


def test_names_of_the_face() -> None:
    assert set(parlour.__all__) <= set(dir(parlour))
    assert [name for name in parlour.__all__ if getattr(parlour, name) is None] == []
    assert {"game_names", "load", "register", "replay", "Game", "State"} <= set(parlour.__all__)
    assert {"diamonds", "kuhn", "leduc"} <= set(parlour.game_names())
    assert parlour.game_names() == sorted(parlour.game_names())


def test_parts_come_when_they_are_asked_for() -> None:
    """As docs/interfaces.md writes them, after ``import parlour`` alone, which none of them makes slower."""
    program = """
import sys, parlour
parts = "players", "study", "solve", "adapters", "audit"
assert not {f"parlour.{part}" for part in parts[1:]} & sys.modules.keys()
print(parlour.players.make("random", parlour.load("kuhn")).name, [getattr(parlour, part).__name__ for part in parts])
print(hasattr(parlour, "nothing"))
"""
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    names = [f"parlour.{part}" for part in ("players", "study", "solve", "adapters", "audit")]
    assert said.splitlines() == [f"random {names}", "False"]


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (("dimonds",), "There is no game 'dimonds'; did you mean 'diamonds'? Choose from: commit, diabolo, "),
        (("commit_8",), "There is no game 'commit_8'; did you mean 'commit-8'? Choose from: commit, "),
        (("diamonds", 4), "Diamonds cannot be played by 4; it is for 2 or 3 players."),
        (("diamonds", 2, "trade_leave"), "There is no option 'trade_leave' of diamonds; did you mean 'trade_leaves'?"),
        (("diamonds", 2, "games", 256), "diamonds: option games cannot be '256'; it is a number from 1 to 255 "),
        (("diamonds", 2, "games", "many"), "diamonds: option games cannot be 'many'; it is a number from 1 to 255 "),
        (("diamonds", 3, "joker_when", "never"), "diamonds: option joker_when cannot be 'never'; it is turn_start or "),
    ],
)  # fmt: skip
def test_bad_input_is_one_sentence(call: tuple[object, ...], sentence: str) -> None:
    game, players, option, value = (*call, *[None] * 3)[:4]
    with pytest.raises(ParlourError) as mistake:
        parlour.load(game, players, **({str(option): value} if option else {}))  # type: ignore[arg-type]
    assert str(mistake.value).startswith(sentence)
    assert "\n" not in str(mistake.value)


NOT_OURS = "This player was made for load('{}', players=2), and the view is of load('kuhn', players=2)."


@pytest.mark.parametrize(
    ("ask", "sentence"),
    [
        (lambda state: state.apply(0.7), "0.7 is not an action's id or name."),
        (lambda state: state.legal_actions(99), "There is no seat 99; seats run from 0 to 1."),
        (lambda state: state.legal_actions("0"), "'0' is not a seat."),
        (lambda state: state.record(2), "There is no seat 2; seats run from 0 to 1."),
        (lambda state: state.information_key(2), "There is no seat 2; seats run from 0 to 1."),
        (lambda state: state.information_key(-1), "A player is needed: give a seat."),
        (lambda state: state.apply("be"), "There is no action 'be'; did you mean 'bet'? Choose from: pass, bet."),
        (lambda state: state.apply(2), "kuhn has no action 2; ids run from 0 to 1."),
        (lambda state: state.at(0).apply("A"), "There is no outcome 'A'; choose from: J, Q, K."),
        (lambda state: state.call_players("ab"), "Names are a list of texts, one a player, not 'ab'."),
        (lambda state: parlour.replay(3), "A record is text, not 3."),  # type: ignore[arg-type]
        (lambda state: state.at(3), "There is nothing after 3 steps; there have been 2."),
        (lambda state: state.at(1.0), "1.0 is not a number of steps."),
        (lambda state: state.settled(0), "Deal 0 has not been settled; no deals have."),
        (lambda state: told_by_deal(state, since=True), "True is not a number of steps."),
        (lambda state: parlour.undo(7), "7 is no game in progress: nothing of it can be taken back."),  # type: ignore[arg-type]
        (lambda state: parlour.load_batch(7), "7 is not the name of a file."),  # type: ignore[arg-type]
        (lambda state: make("random", 7), "7 is no game: give its name, or what parlour.load(...) returns."),  # type: ignore[arg-type]
        (lambda state: make("search:9", "leduc").choose(state.view(0), [0, 1]), NOT_OURS.format("leduc")),
        (lambda state: make("rule-of-thumb", "diamonds").choose(state.view(0), [0, 1]), NOT_OURS.format("diamonds")),
        (lambda state: view_from([7]), "That is not a view as View.dump writes it: [7]."),  # type: ignore[arg-type]
        (lambda state: state.game.batch(2, seed="a"), "A seed is a whole number from 0 to 2^64 - 1, not 'a'."),
        (lambda state: make("search", state.game, simulations=1.5), "1.5 is not a number of simulations."),
        (lambda state: make("search", state.game, explore=True), "True is not a weight of exploration."),
        (lambda state: state.game.batch(2.0), "2.0 is not a number of games."),
        (lambda state: state.game.batch(2).clone().keys, "This batch has no keys: make the batch with keys=True."),
        (lambda state: state.game.batch(2, threads=1.5), "1.5 is not a number of threads."),
        (lambda state: state.game.batch(2).state(0.0), "0.0 is not the number of a position."),
        (lambda state: state.at(0).name_of(3), "There is no outcome '3'; choose from: 0, 1, 2."),
        (lambda state: state.at(0).apply(1.0), "1.0 is not an outcome's id or name."),
        (lambda state: parlour.register("os"), "There is no game in 'os': no module os.rules can be imported."),
        (lambda state: state.game.new(seed=1.5), "A seed is a whole number from 0 to 2^64 - 1, not 1.5."),
    ],
)
def test_what_is_no_number_of_anything_is_refused(ask: Callable[[parlour.State], object], sentence: str) -> None:
    with pytest.raises(ParlourError) as refused:
        ask(parlour.load("kuhn").new(seed=1))
    assert str(refused.value) == sentence
    assert "os" not in parlour.game_names()


def test_a_game_is_given_loaded_or_by_its_name() -> None:
    game = parlour.load("kuhn")
    for ask in (
        *(kinds, openspiel.spelt, gambit.efg, lambda one: make("random", one).name, lambda one: grow(one).nodes),
        *(lambda one: len(match.play_deals(one, ["random"] * 2, 1, range(2))), lambda one: Sampler(one, 1).game),
        lambda one: round_robin(one, ["random", "search:2"], games=2).names,
    ):
        assert ask("kuhn") == ask(game)
    assert Plan("diamonds", games=8) == Plan(parlour.load("diamonds"), games=8)  # type: ignore[arg-type]


def test_numpy_integers_are_whole_numbers() -> None:
    load: Any = parlour.load  # in their types they are none
    made: Any = make
    game = load("kuhn")
    state = game.new(seed=np.uint64(1))
    assert state.record() == game.new(seed=1).record()
    state.apply(np.int64(1), np.int32(0))
    assert state.history[-1].name == "bet"
    assert load("diamonds", np.int64(3), first_dealer=np.int8(2)) == load("diamonds", 3, first_dealer=2)
    assert state.view(np.int64(0)) == state.view(0)
    assert state.view(np.int64(0)).dump() == state.view(0).dump()
    assert state.events(np.int8(0), np.int8(2)) == state.events(0, 2)
    assert state.at(np.int64(2)).history == state.history[:2]
    assert state.redeal(np.int64(0), np.uint64(3)).fields() == state.redeal(0, 3).fields()
    assert game.batch(np.int64(2), np.uint64(7), np.int32(1)) == game.batch(2, 7)
    player = made("search", game, np.uint64(1), simulations=np.int64(9), explore=np.float32(1), binding="interpreted")
    assert player.choose(state.view(1), state.legal_actions(1)) in {0, 1}


def test_a_tensor_is_an_array_to_whoever_takes_arrays() -> None:
    tensor = parlour.load("kuhn").new(seed=1).tensor(0)
    assert np.asarray(tensor) is tensor.flat
    assert np.array(tensor, np.float64).dtype == np.float64
    assert np.from_dlpack(tensor).tolist() == tensor.flat.tolist()
    assert len(tensor) == tensor.flat.size


def test_views_and_tensors_are_equal_if_they_say_the_same_of_the_same_game() -> None:
    state, other = parlour.load("commit", 3, deals=2).new(), parlour.load("commit", 3, deals=3).new()
    assert state.view(0).items == other.view(0).items
    assert state.view(0) == state.clone().view(0)
    assert state.view(0) != other.view(0)
    kuhn = parlour.load("kuhn").new(seed=1)
    assert kuhn.tensor(0) == kuhn.tensor(0)
    assert kuhn.tensor(0) != kuhn.tensor(1)
    assert kuhn.tensor(0) != "a tensor"
    assert repr(kuhn.view(0)) == "<kuhn as seat 0 sees it>"
    assert repr(kuhn.view()) == "<kuhn as a spectator sees it>"
    assert repr(kuhn) == "<kuhn after 2 steps>"
    assert repr(kuhn.redeal(0, 1)) == "<kuhn after no steps from a given position>"
    assert repr(kuhn.tensor(0)) == "<tensor of 16 numbers: stage, dealt, hand, paid, moves>"


@pytest.mark.parametrize(
    "error", [IllegalAction("No.", "KU-1"), BadRecord(3, "No."), ParlourError("No."), Missing("No.", "numpy")]
)
def test_errors_come_back_from_other_processes_as_they_were(error: ParlourError) -> None:
    for again in (pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)):
        assert (type(again), str(again), vars(again)) == (type(error), str(error), vars(error))
        assert getattr(again, "name", None) == getattr(error, "name", None)


def test_a_state_without_history_has_no_key_and_no_record() -> None:
    """Its key would be that of a game which begins there: another one."""
    game = parlour.load("leduc")
    for state in (game.new(seed=1).redeal(0, seed=2), game.batch(1).state(0)):
        for ask in (state.information_key, state.information_state, state.record):
            with pytest.raises(ParlourError, match="This state started at a given position"):
                ask(0)


def test_options_are_read_from_text_too() -> None:
    game = parlour.load("diamonds", 3, first_dealer="2", games="3", trade_leaves="debris")
    assert game == parlour.load("diamonds", 3, first_dealer=2, games=3, trade_leaves="debris")
    assert {**game.options}.items() >= {"first_dealer": "2", "games": "3", "stop_digging": "after_joker"}.items()
    assert repr(game) == "load('diamonds', players=3, trade_leaves='debris', first_dealer='2', games='3')"
    with pytest.raises(TypeError):
        game.options["games"] = "4"  # type: ignore[index]


def test_a_clause_that_is_not_there() -> None:
    with pytest.raises(ParlourError, match=r"There is no clause 'DM-200'; the clauses are DM-1 … DM-116"):
        parlour.load("diamonds").clause("DM-200")


def test_players_names() -> None:
    state = parlour.load("kuhn").new(seed=1)
    assert state.player_names == ("Seat 0", "Seat 1")
    state.call_players(["  Anna\n B. ", "#2: Ben"])
    assert state.player_names == parlour.replay(state.record()).player_names == ("Anna B.", "#2: Ben")
    state.apply("bet")
    assert state.events()[-1].text == "Anna B. bets."
    with pytest.raises(ParlourError, match="2 names are needed, not 1"):
        state.call_players(["Anna"])
    for bad in ("", "x" * 61, "\x1b[31m"):
        with pytest.raises(ParlourError, match="printable"):
            state.call_players(["Ann", bad])


def test_a_game_of_your_own_has_everything(plant: Planter, tmp_path: Path) -> None:
    kuhn, game = definitions.definition("kuhn"), plant("my_own")
    assert definitions.definition("kuhn") is kuhn, "games in progress keep the definition with which they began"
    assert "my_own" in parlour.game_names()
    state = game.new()
    for act in ("K", "J", "pass", "bet"):
        state.apply(act)
    assert state.redeal(0, seed=1).view(0) == state.view(0)
    assert np.array_equal(state.tensor(1).flat, parlour.replay(state.record()).tensor(1).flat)
    state.apply("bet")
    assert (state.is_terminal, state.returns()) == (True, [2.0, -2.0])
    assert state.events()[-1].clause == "KU-9"
    assert parlour.replay(state.record()).fields() == state.fields()
    batch = game.batch(5, seed=1)
    while not batch.done.any():
        batch.step(batch.sample())
    assert sum(batch.rewards[int(batch.done.argmax())].tolist()) == 0
    bookless = plant("bookless")
    (tmp_path / "bookless" / "book.md").unlink()
    with pytest.raises(ParlourError, match=r"^The folder of bookless has no book\.md\.$"):
        bookless.clause("KU-1")


PLAYED = """
import parlour
from parlour.engine.definition import shelf
for name in shelf():
    state = parlour.load(name).new(seed=1)
    for _ in range(3):
        for player in state.acting[:1]:
            state.apply(state.legal_actions(player)[0], player)
    print(state.text())
batch = parlour.load("kuhn").batch(8, seed=1)
batch.step(batch.sample())
print(batch.movers.tolist())
"""


def test_games_are_the_same_without_asserts_and_docstrings(capsys: pytest.CaptureFixture[str]) -> None:
    """``python -OO`` drops both, as ``-O`` what asserts check: nothing that a game is may stand in either."""
    played = subprocess.run([sys.executable, "-OO", "-c", PLAYED], capture_output=True, text=True, check=True)
    exec(PLAYED, {})
    assert played.stdout == capsys.readouterr().out
    assert len(played.stdout.splitlines()) > len(parlour.game_names())


WRONG: tuple[Any, ...] = (None, -1, 2**70, "", b"", 1.5, [], object())
FACES = (
    *("parlour", "parlour.players", "parlour.core.taking_back"),
    *(f"parlour.adapters.{name}" for name in ("gymnasium", "pettingzoo", "openspiel", "gambit")),
)
"""The modules whose functions and classes users call; of the studies, what the documents begin with."""
STUDIES = (simulate, match.play)
MADE_BY_US = ("drawn", "step_back")
"""What is set from within, or is given what only the library makes."""


def right(folder: Path) -> dict[str, Any]:
    """For each name of a parameter something that fits."""
    game = parlour.load("kuhn")
    state, over = game.new(seed=1), game.new(seed=1)
    state.apply("bet")
    for action in ("bet", "bet"):
        over.apply(action)
    file = folder / "right"
    return {
        **{"game": game, "games": 2, "players": None, "size": 2, "num_envs": 2, "seed": 1, "binding": "interpreted"},
        **{"clause": "KU-1", "action": 0, "actions": [0, 0], "outcome": 0, "player": 0, "seat": 0, "steps": 0},
        **{"state": state, "before": state.clone(), "i": 0, "since": 0, "name": "random", "kind": "random"},
        **{"text": over.record(), "record": over.record(), "line": "bet", "names": ["Ann", "Ben"], "rng": [1]},
        **{"file": file, "path": file, "folder": folder, "package": "parlour.games.kuhn", "kinds": ["random"] * 2},
        **{"view": state.view(0), "legal": [0, 1], "a": 0, "s": state.position, "saved": {}, "agent": "player_0"},
        **{"heard": [], "spec": "random", "rivals": ["random"], "n": 1, "k": 0, "word": 1, "command": "random"},
        "policy": None,
    }


def receivers() -> dict[type, Callable[[], Any]]:
    game = parlour.load("kuhn")

    def ready(env: Any) -> Any:
        env.reset(seed=1)
        return env

    return {
        parlour.Game: lambda: game,
        parlour.State: lambda: game.new(seed=1),
        parlour.Batch: lambda: game.batch(2, seed=1, keys=True),
        parlour.CompiledState: lambda: game.new(seed=1, binding="compiled"),
        parlour.View: lambda: game.new(seed=1).view(0),
        parlour.Tensor: lambda: game.new(seed=1).tensor(0),
        gymnasium.OneSeat: lambda: ready(gymnasium.single("kuhn")),
        gymnasium.ManyGames: lambda: ready(gymnasium.vector("kuhn", 2)),
        pettingzoo.TurnByTurn: lambda: ready(pettingzoo.aec("kuhn")),
        pettingzoo.AllAtOnce: lambda: ready(pettingzoo.parallel("kuhn")),
    }


MADE = (parlour.Batch, parlour.CompiledState)
"""Classes whose users make objects of them; those of the others come from functions."""


def bound(value: Any, method: str = "") -> Any:
    return getattr(receivers()[value](), method) if method else value


Called = tuple[str, Callable[[], Any], list[inspect.Parameter]]
"""A public function: its name, how to get it, its parameters."""


def callable_by_users() -> Iterator[Called]:
    def found(name: str, get: Callable[[], Any]) -> Called:
        given = inspect.signature(get()).parameters.values()
        return name, get, [one for one in given if one.kind not in (one.VAR_KEYWORD, one.VAR_POSITIONAL)]

    functions: dict[str, Any] = {one.__name__: one for one in STUDIES}
    for module in map(importlib.import_module, FACES):
        ours = [one for one, value in vars(module).items() if getattr(value, "__module__", None) == module.__name__]
        public = getattr(module, "__all__", [one for one in ours if one[0] != "_"])
        functions.update({f"{module.__name__}.{one}": getattr(module, one) for one in public if one not in MADE_BY_US})
    for name, value in functions.items():
        if inspect.isfunction(value) or value in MADE:
            yield found(name, partial(bound, value))
        for method, made in inspect.getmembers(value, inspect.isfunction) if value in receivers() else ():
            if method[0] != "_" and method not in MADE_BY_US and made.__module__.startswith("parlour."):
                yield found(f"{name}.{method}", partial(bound, value, method))


def test_whatever_is_given_is_taken_or_refused_in_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every public function with one wrong argument after the other; a parameter that is required needs a fitting
    value in :func:`right`."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(openspiel, "smaller", list)  # which takes long
    wrong, tried = list[str](), 0
    for name, get, parameters in callable_by_users():
        needed = {one.name for one in parameters if one.default is one.empty}
        for one, value in itertools.product(parameters, WRONG):
            fitting = right(tmp_path) if needed - {one.name} else {}
            tried += 1
            try:
                get()(**{**{other: fitting[other] for other in needed - {one.name}}, one.name: value})
            except ParlourError as error:
                if "\n" in str(error) or not str(error).endswith("."):
                    wrong.append(f"{name}({one.name}={value!r}): {error}")
            except Exception as error:  # every kind of it is a fault
                wrong.append(f"{name}({one.name}={value!r}): {type(error).__name__}: {error}")
    assert tried > 1200
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("wrong", [*WRONG, [1, 2], [-1], [2**64], [1.5], ["1"]], ids=lambda one: type(one).__name__)
def test_an_outcome_is_drawn_from_a_generator_only(wrong: Any) -> None:
    state = parlour.load("kuhn").new()
    for draw in (lambda: state.draw_outcome(wrong), lambda: state.draw_on(1, wrong)):
        with pytest.raises(ParlourError, match=r"A generator is a list of one number from 0 to 2\^64 - 1, not "):
            draw()
    assert state == parlour.load("kuhn").new()
