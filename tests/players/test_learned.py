"""Players that learn: networks in both bindings, their files, and the training that makes them."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import parlour
from parlour import Game, ParlourError
from parlour.engine.definition import definition
from parlour.engine.house_rules import options_since
from parlour.engine.telling import restored
from parlour.players import beliefs, kinds, make, nets
from parlour.players.kernels.arena import NOTES
from parlour.players.kernels.networks import HEAD, LAYERS, TAIL
from parlour.players.learned import Learned
from parlour.players.nets import Network, Shape, shape_for
from parlour.players.simple import prepared
from parlour.server.web.new_table import opened_as, wanted_table
from parlour.study.plan import Plan
from parlour.study.training import Training
from tests.helpers import GAMES, Says, interpreted, refused_when_damaged, there

WITH_THUMB = [game for game in GAMES if definition(game).has("appraise")]


def brought(name: str, *file: str) -> list[str]:
    """The numbers of players for which a game brings networks, or others that are kept in a file of this name."""
    kept = nets.shipped(parlour.load(name), *file)
    return sorted(json.loads(zipfile.ZipFile(kept).read(nets.ABOUT))["networks"]) if kept.exists() else []


LEARNED = [name for name in WITH_THUMB if brought(name)]
BELIEVED = [name for name in GAMES if brought(name, beliefs.FILE)]


def at_random(game: Game, hidden: int = 16, seed: int = 1, spread: float = 0.3) -> Network:
    """A network whose weights, as a file keeps them, are drawn."""
    shape, dice = shape_for(game, hidden), Random(seed)
    drawn = np.array([dice.gauss(0, spread) for _ in range(shape.weights)], np.float16)
    return Network(shape, 0.5, 1.5, 2.0, drawn.astype(float).tolist(), {"seed": seed})


def in_a_file(game: Game, folder: Path, **how: Any) -> str:
    nets.write(folder / "some.npz", game, at_random(game, **how))
    return str(folder / "some.npz")


@pytest.mark.parametrize("name", [name for name in WITH_THUMB if name not in ("diamondback", "dividha")])
def test_an_untrained_network_plays_by_rule_of_thumb(name: str, tmp_path: Path) -> None:
    """Where that does not draw at random what it does."""
    game, file = parlour.load(name), tmp_path / "none.npz"
    weights = [0.0] * shape_for(game, 8).weights
    weights[1 - TAIL] = 0.125  # for what the rule of thumb calls best
    nets.write(file, game, Network(shape_for(game, 8), 1.0, 1.0, 1.0, weights))
    player = Learned(game, 1, str(file))
    state, asked = game.new(seed=3), 0
    while not state.is_terminal and asked < 20:
        p = state.acting[0]
        seen, legal = state.view(p), state.legal_actions(p)
        if len(legal) > 1:
            worth, notes = [0.0] * game.action_count, [*prepared(game), *[0.0] * NOTES]
            game.definition.rules.appraise(restored(seen), p, legal, len(legal), worth, notes, [1])
            assert worth[legal.index(player.choose(seen, legal))] == max(worth[: len(legal)])
            asked += 1
        state.apply(legal[0], p)
    assert asked


def test_what_an_action_points_at_is_what_its_player_sees() -> None:
    game = parlour.load("diamonds", 3)
    state = game.new(seed=2)
    for _ in range(12):
        me = state.acting[0]
        tensor = state.view(me).tensor()
        for pile in range(9):
            found = {slot[1:]: tensor.flat[at] for slot, at in nets.pointers(game, me, f"dig {pile}")}
            assert found["height", 0] == tensor["height"][pile][0]
            assert [found["top", j] for j in range(55)] == list(tensor["top"][pile])
        for other in range(3):
            found = {slot[1:]: tensor.flat[at] for slot, at in nets.pointers(game, me, f"steal {other}")}
            held = state.observation(me)["spade"][other]
            names = there(definition("diamonds").things["spade"].names)
            assert [found["spade", j] for j in range(len(names))] == [name == held for name in names]
        state.apply(state.legal_actions(me)[0], me)


def slope(of: Callable[[list[float]], float], net: list[float], i: int) -> float:
    """How fast something grows with a weight."""
    ends = [of([*net[:i], net[i] + by, *net[i + 1 :]]) for by in (1e-6, -1e-6)]
    return (ends[0] - ends[1]) / 2e-6


def test_what_is_learned_is_the_gradient() -> None:
    shape, dice = Shape(6, 8, 3, 2), Random(4)
    code = interpreted(definition("kuhn"))
    links = [4.0, 1.0, 2.0, 0.0, 5.0, 1.0]  # for each action of one player: a place and a slot
    weights = [dice.gauss(0, 0.5) for _ in range(shape.weights)]
    first = HEAD + len(weights) + 4
    net = [6.0, 8.0, 3.0, 2.0, 1.0, 1.0, 1.0, 0.0, *weights, *((first + 2 * i) / 2 for i in range(4)), *links]
    assert first % 2 == 0
    row, layer = [1.0, 0.0, 0.5, 0.0, 1.0, 0.25], [0.0] * (LAYERS * 8)
    for short, firm, a in ((0.0, 0.5, 0), (0.25, -0.5, 2)):

        def expected(numbers: list[float], a: int = a, short: float = short, firm: float = firm) -> float:
            code.take_in(numbers, row, layer)
            return float(code.weigh(numbers, row, layer, 0, a, short, firm))

        change = [0.0] * (HEAD + len(weights))
        expected(net)
        code.learn_from(net, change, row, layer, 0, a, short, firm, 1.5)
        for i in range(HEAD, HEAD + len(weights)):
            assert change[i] == pytest.approx(1.5 * slope(expected, net, i), abs=1e-6)


@pytest.mark.long
def test_playing_teaches(tmp_path: Path) -> None:
    """From weights that know nothing of Commit to clearly more counters than rules of thumb have."""
    training = Training(Plan(parlour.load("commit", 3), games=20_000, seed=1, hidden=16))
    training.go_on()
    assert training.curve[-1]["return"] > 0.1 > training.curve[0]["return"] - 0.3
    assert training.curve[-1]["error"] < training.curve[0]["error"]


@pytest.mark.long
def test_the_command_trains_and_goes_on(tmp_path: Path, says: Says) -> None:
    file = tmp_path / "mine.npz"
    command = f"train hearts --games 100 --hidden 8 --out {file}"
    said = "".join(says(command + more)[1] for more in ("", "", " --afresh"))
    assert said.count("Going on after 100 of 100 games.") == 1
    assert said.count("won against rules of thumb") == 3
    made = nets.read(file, parlour.load("hearts")).made
    assert made["command"].startswith("parlour train hearts --games 100")
    assert (made["seed"], made["games"], len(made["curve"])) == (1, 100, 20)
    assert make(f"learned:{file}", parlour.load("hearts")).name == f"learned:{file}"


def test_a_file_says_the_same_to_numpy_and_without_it(tmp_path: Path) -> None:
    game = parlour.load("diamonds")
    file, drawn = Path(in_a_file(game, tmp_path)), at_random(game)
    assert list(nets.read(file, game).weights) == list(drawn.weights)
    with np.load(file) as arrays:
        assert arrays["2"].astype(float).tolist() == list(drawn.weights)
    before = file.read_bytes()
    nets.write(file, parlour.load("diamonds", 3), at_random(parlour.load("diamonds", 3), seed=2))
    assert list(nets.read(file, game).weights) == list(drawn.weights)
    assert nets.read(file, parlour.load("diamonds", 3)).made == {"seed": 2}
    (tmp_path / "some.npz").unlink()
    assert Path(in_a_file(game, tmp_path)).read_bytes() == before


def test_a_file_plays_what_it_has_learned(tmp_path: Path) -> None:
    file = in_a_file(parlour.load("diamonds"), tmp_path)
    for name, players, sentence in (
        ("commit", 2, r"some\.npz has learned diamonds, and not Commit\."),
        ("diamonds", 3, r"some\.npz has learned Diamonds with 2 players, and not with 3\."),
    ):
        with pytest.raises(ParlourError, match=sentence):
            make(f"learned:{file}", parlour.load(name, players))


def test_what_holds_no_network_is_one_sentence(tmp_path: Path) -> None:
    game, file = parlour.load("diamonds"), tmp_path / "other.npz"
    with pytest.raises(ParlourError, match=r"There is no file '.*other\.npz'\."):
        make(f"learned:{file}", game)
    file.write_text("hello")
    with pytest.raises(ParlourError, match=r"other\.npz does not hold networks; `parlour train` writes such files\."):
        make(f"learned:{file}", game)
    some = Path(in_a_file(game, tmp_path))
    refused_when_damaged(some, lambda: nets.read(some, game))


@pytest.mark.parametrize("kind", ["learned:/etc/some.npz", "solved:/etc/passwd"])
def test_a_server_reads_no_files_of_its_guests(kind: str) -> None:
    with pytest.raises(ParlourError, match=f"reads no files of its guests; bring '{kind}' with `parlour bot`"):
        opened_as(wanted_table(game="kuhn", bots=kind))


@pytest.mark.parametrize(
    ("name", "what"), [*((name, "actions") for name in LEARNED), *((name, "beliefs") for name in BELIEVED)]
)
def test_what_a_game_brings_says_what_made_it(name: str, what: str) -> None:
    """Networks that choose actions, and those that tell what others' choices say of their cards."""
    file, shape, how = ((), (), "") if what == "actions" else ((beliefs.FILE,), (beliefs.shape_for,), " --beliefs")
    for players in brought(name, *file):
        game = parlour.load(name, int(players))
        made = nets.read(nets.shipped(game, *file), game, *shape).made
        assert {**(options_since(definition(name), 1) or {}), **made["options"]} == dict(game.options)
        trained = f"parlour train {name} --players {players} --games {made['games']} --seed {made['seed']}"
        assert made["command"] == f"{trained} --hidden {made['hidden']}{how}"
        assert (len(made["commit"]), len(made["curve"])) == (40, 20)
        assert "learned" in kinds(game) if what == "actions" else made["curve"][-1]["low"] > 0


def test_what_games_bring_is_small() -> None:
    assert sum(nets.shipped(parlour.load(name)).stat().st_size for name in LEARNED) <= 5_000_000
