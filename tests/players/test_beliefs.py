"""What others' choices say of their cards: which worlds a player imagines, and how a network learns to tell them."""

from __future__ import annotations

import math
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import parlour
from parlour import Game, ParlourError, State
from parlour.engine.hashing import seed_word
from parlour.engine.interpreted import Positions
from parlour.engine.kernels.views import BLANK, GAME
from parlour.engine.positions import to_record
from parlour.engine.telling import restored
from parlour.engine.tensors import tensor_parts, tensor_size
from parlour.players import nets
from parlour.players.beliefs import beliefs, shape_for, vector
from parlour.players.best import Best
from parlour.players.kernels.beliefs import POSITIONS, SEEN_BY_ME, WORLD
from parlour.players.kernels.networks import HEAD, LAYERS
from parlour.players.kinds import make
from parlour.study.beliefs import Beliefs
from parlour.study.kernels.learning import Study
from parlour.study.plan import Plan
from parlour.study.training import Training
from tests.helpers import Says, compiled, interpreted
from tests.players.test_learned import slope


def at_random(game: Game, hidden: int = 8, seed: int = 1) -> list[float]:
    """A network that has learned nothing, and finds some worlds far more plausible than others."""
    dice = Random(seed)
    weights = [dice.gauss(0, 0.5) for _ in range(shape_for(game, hidden).weights)]
    return list(vector(nets.Network(shape_for(game, hidden), 0, 0, 0, weights)))


def suspecting(game: Game, thing: str, entry: int, strength: float) -> list[float]:
    """A network that finds a world ``e ** strength`` times as plausible if somebody else is told this."""
    shape = shape_for(game, 8)
    weights = [0.0] * shape.weights
    weights[(tensor_parts(game.definition)[thing].start + entry) * 8] = 1.0
    weights[(shape.inputs + 1 + 8 + 1 + 0 + 3) * 8] = strength  # what the first sum counts
    return list(vector(nets.Network(shape, 0, 0, 0, weights)))


def imagined(game: Game, state: State, me: int, net: list[float], worlds: int, rng: list[int]) -> Any:
    S = Positions(game.definition, POSITIONS)
    S[SEEN_BY_ME] = restored(state.view(me))
    row, layer = [0.0] * tensor_size(game.definition), [0.0] * (LAYERS * 8)
    interpreted(game.definition).imagine(S, me, net, worlds, row, layer, rng)
    return S[WORLD]


def asked(name: str, *steps: str) -> State:
    state = parlour.load(name).new()
    for step in steps:
        state.apply(step)
    return state


@pytest.mark.parametrize(("worlds", "share"), [(1, 1 / 2), (2, 5 / 8), (64, 3 / 4)])
def test_worlds_are_imagined_as_often_as_they_are_plausible(worlds: int, share: float) -> None:
    """Seat 0 holds the queen and finds the king three times as plausible as the jack in the other hand.  Of two
    redeals, the king is kept if both have it (1/4), and three times in four if one has (1/2)."""
    state, rng = asked("kuhn", "Q", "K", "pass", "bet"), [5]
    net = suspecting(state.game, "hand", 3, math.log(3))
    draws = 1000 if worlds < 64 else 400
    kings = sum(imagined(state.game, state, 0, net, worlds, rng).hand[1] == 3 for _ in range(draws))
    assert kings / draws == pytest.approx(share, abs=0.05)


def test_without_a_network_a_world_is_any_redeal() -> None:
    """Even the same one as without asking: chance draws as often."""
    state = asked("leduc", "J1", "Q1", "call")
    for seed in range(20):
        assert imagined(state.game, state, 1, [0.0] * HEAD, 8, [seed_word(seed)]) == state.view(1).redeal(seed).position


def test_both_bindings_imagine_the_same_worlds() -> None:
    game, dice = parlour.load("leduc"), Random(3)
    code, net = compiled(game.definition), at_random(game)
    S = np.zeros(POSITIONS, code.dtype)
    row, layer = np.zeros(tensor_size(game.definition), np.float32), np.zeros(LAYERS * 8)
    for seed in range(12):
        state = game.new(seed=seed)
        while not state.is_terminal:
            me, rng, word = state.acting[0], np.zeros(1, np.uint64), dice.randrange(1 << 64)
            to_record(game.definition, restored(state.view(me)), S[SEEN_BY_ME])
            rng[0], other = word, [word]
            code.imagine(S, me, np.array(net), 5, row, layer, rng)
            expected = np.zeros(1, code.dtype)
            to_record(game.definition, imagined(game, state, me, net, 5, other), expected[0])
            assert (S[WORLD] == expected[0], int(rng[0])) == (True, other[0])
            state.apply(dice.choice(state.legal_actions(me)), me)


def test_what_is_learned_is_the_gradient_of_the_loss() -> None:
    state = asked("leduc", "J1", "Q1", "call")
    game, code = state.game, interpreted(state.game.definition)
    net, S = at_random(game), Positions(game.definition, POSITIONS)
    S[GAME], S[BLANK] = state.position, game.blank()

    def loss(numbers: list[float]) -> tuple[float, list[float]]:
        rows, layers = ([[0.0] * size for _ in range(4)] for size in (tensor_size(game.definition), LAYERS * 8))
        change = [0.0] * len(net)
        study = Study(1, 0.0, numbers, change, 4, rows, layers, [0.0] * 4, [])
        found = code.tell_apart(S, 1, study, [9])
        return float(found), change

    _, change = loss(net)
    assert max(map(abs, change)) > 0.01
    for i in range(HEAD, len(net) - 2):
        assert change[i] == pytest.approx(slope(lambda numbers: loss(numbers)[0], net, i), abs=1e-6)


def test_a_training_is_the_same_with_two_threads(tmp_path: Path) -> None:
    plan = Plan(parlour.load("diamondback", 3), games=20, seed=3, hidden=8)
    one, two = Beliefs(plan), Beliefs(plan, threads=2)
    for training in (one, two):
        training.go_on(keep=tmp_path / "state")
    assert (one.average == two.average).all()
    with pytest.raises(ParlourError, match=r"is of a training with network beliefs, not actions: give another file"):
        Training(plan).load(tmp_path / "state")


@pytest.mark.long
def test_watching_teaches() -> None:
    """A wager says something of a hand."""
    training = Beliefs(Plan(parlour.load("diamondback", 3), games=20_000, seed=1, hidden=16))
    training.go_on()
    assert training.curve[-1]["low"] > 0.4


@pytest.mark.long
def test_the_command_trains(tmp_path: Path, says: Says) -> None:
    file = tmp_path / "mine.npz"
    command = f"train diamondback --players 3 --beliefs --games 400 --hidden 8 --out {file}"
    code, said, _ = says(command)
    assert code == 0
    assert "bits a decision" in said
    assert f"{file} is for best, which finds it in the game's folder as beliefs.npz." in said
    made = nets.read(file, parlour.load("diamondback", 3), shape_for).made
    assert (made["network"], made["games"], len(made["curve"])) == ("beliefs", 400, 20)
    with pytest.raises(ParlourError, match=r"has learned Diamondback with other rules"):
        make(f"learned:{file}", parlour.load("diamondback", 3))


@pytest.mark.parametrize(("name", "players"), [("diamondback", 3)])
def test_what_is_inferred_depends_on_what_the_player_sees_alone(name: str, players: int) -> None:
    game = parlour.load(name, players, deals=1)
    player, plain = (Best(game, 1, simulations=60, binding="interpreted", infers=infers) for infers in (True, False))
    differ = 0
    for seed in range(4):
        state = game.new(seed=seed)
        while not state.is_terminal:
            me = state.acting[0]
            legal = state.legal_actions(me)
            advice = player.advise(state.view(me), legal)
            for other in range(3):
                world = state.view(me).redeal(other)
                assert player.advise(world.view(me), world.legal_actions(me)) == advice
            differ += plain.advise(state.view(me), legal).values != advice.values
            state.apply(legal[0], me)
    assert differ > 3  # others have done something from which something follows


def test_nothing_is_inferred_under_house_rules_that_nobody_was_watched_under() -> None:
    known, one_hand = (any(beliefs(parlour.load("diamondback", 3, deals=deals))) for deals in ("all", 1))
    assert (known, one_hand) == (True, True)
    assert not any(beliefs(parlour.load("diamondback", 3, version="dealers")))
    assert not any(beliefs(parlour.load("diamondback", 2)))
