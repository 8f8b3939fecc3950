"""Players of your own: by object, by dotted path, by entry point; what they answer is checked."""

from __future__ import annotations

import importlib.metadata
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer
from typer.main import get_group

import parlour
from parlour import ParlourError
from parlour.cli.app import app
from parlour.players import Adviser, make, plugins
from parlour.server.web.new_table import opened_as, wanted_table
from parlour.study.match import play, play_game
from tests.helpers import Says

BOT = """
import random

class First:
    def choose(self, view, legal):
        return legal[0]

class Dice:
    name = "dice"

    def __init__(self, game, seed):
        self.game, self.random = game, random.Random(seed)

    def choose(self, view, legal):
        return self.random.choice(legal)

class Broken:
    def choose(self, view, legal):
        return view.tensor()["nothing there"] @ 3

class Unmade:
    def __init__(self):
        raise OSError("no weights")

def made(seed):
    return Dice(None, seed)

last = First()
nothing = 3
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with a module of players, in which the command is given."""
    (tmp_path / "bots_of_mine.py").write_text(BOT)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    sys.modules.pop("bots_of_mine", None)


class First:
    """A player without a name."""

    def choose(self, view: Any, legal: Any) -> Any:
        return np.int64(legal[0])


KUHN = parlour.load("kuhn")


@pytest.mark.parametrize("way", ["First", "Dice", "made", "last"])
def test_a_dotted_path_is_a_player(way: str, here: Path) -> None:
    player = make(f"bots_of_mine.{way}", KUHN, seed=3)
    assert player.name == f"bots_of_mine.{way}"
    state = KUHN.new(seed=1)
    assert player.choose(state.view(0), state.legal_actions()) in (0, 1)


def test_a_player_that_takes_the_game_and_a_seed_gets_them(here: Path) -> None:
    player = make("bots_of_mine.Dice", KUHN, seed=3)
    assert player.game == KUHN  # type: ignore[attr-defined]
    state = parlour.load("diamonds").new(seed=1)
    ask = [make("bots_of_mine.Dice", state.game, seed).choose(state.view(0), range(9)) for seed in (3, 3, 4, 5, 6)]
    assert ask[0] == ask[1]
    assert len(set(ask)) > 1


def factory() -> First:
    return First()


@pytest.mark.parametrize("player", [First, First(), factory, make("random", KUHN)], ids=plugins.name_of)
def test_objects_classes_and_functions_are_players(player: Any) -> None:
    match = play(KUHN, [player, "random"], games=10)
    assert match.players[0].name == plugins.name_of(player)
    assert match.games == 10


def test_an_entry_point_is_a_player(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    entry = importlib.metadata.EntryPoint("mine", "bots_of_mine:First", plugins.GROUP)
    monkeypatch.setattr(plugins, "entry_points", lambda group: [entry] * (group == plugins.GROUP))
    plugins.installed.cache_clear()
    try:
        assert make("mine", KUHN).name == "mine"
        with pytest.raises(ParlourError, match=r"There is no kind of player 'min'; did you mean 'mine'\?"):
            make("min", KUHN)
    finally:
        plugins.installed.cache_clear()


@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        ("bots_of_mine.Second", "There is no player 'bots_of_mine.Second': module 'bots_of_mine' has no attribute"),
        ("no_such_module.First", "There is no player 'no_such_module.First': No module named 'no_such_module'."),
        (".First", "There is no player '.First': "),
        ("./none.json", "There is no player './none.json': "),
        ("bots_of_mine.py", "bots_of_mine.py is a file: the player who follows it is solved:bots_of_mine.py."),
        ("bots_of_mine.nothing", "bots_of_mine.nothing is no player: it has no choose(view, legal)."),
        ("bots_of_mine.Unmade", "The player bots_of_mine.Unmade cannot be made: OSError: no weights ("),
    ],
)
def test_what_is_no_player_is_one_sentence(kind: str, sentence: str, here: Path) -> None:
    with pytest.raises(ParlourError) as refused:
        make(kind, KUHN)
    assert str(refused.value).startswith(sentence)


def test_a_wrong_answer_is_blamed_on_the_player(here: Path) -> None:
    state = KUHN.new(seed=1)
    for answer in ("pass", 2, -1, 0.0, True, None):

        class Wrong:
            name = "wrong"

            def choose(self, view: Any, legal: Any) -> Any:
                return answer  # noqa: B023

        sentence = f"The player wrong answered {answer!r} in seat 0, none of its legal actions: 0 (pass), 1 (bet)."
        for ask in (
            lambda: make(Wrong(), KUHN).choose(state.view(0), state.legal_actions()),
            lambda: play_game(KUHN, [Wrong(), Wrong()], seed=1),
        ):
            with pytest.raises(ParlourError) as refused:
                ask()
            assert str(refused.value) == sentence


def test_a_player_that_fails_is_named_with_the_line(here: Path) -> None:
    state = KUHN.new(seed=1)
    with pytest.raises(
        ParlourError, match=r"^The player bots_of_mine\.Broken failed in seat 0: \w+: .*\(bots_of_mine\.py, line 19\)"
    ):
        make("bots_of_mine.Broken", KUHN).choose(state.view(0), state.legal_actions())


def test_an_adviser_stays_one() -> None:
    search = make("search:20", KUHN, binding="interpreted")
    assert isinstance(make(search, KUHN), Adviser)
    assert not isinstance(make(First, KUHN), Adviser)


def test_a_player_cannot_change_what_is_legal() -> None:
    class Greedy:
        def choose(self, view: Any, legal: Any) -> int:
            legal.append(7)
            return 7

    with pytest.raises(ParlourError, match="The player Greedy answered 7"):
        play(KUHN, [Greedy, Greedy], games=2)


OWN = {
    "match": "kuhn bots_of_mine.First random -n 4 --jobs 1",
    "simulate": "kuhn --player bots_of_mine.First -n 4 --jobs 1",
    "score": "bots_of_mine.First --setting kuhn",
    "exploit": "kuhn --player bots_of_mine.First",
    "corpus": "there kuhn -n 2 --jobs 1 --by bots_of_mine.First",
    "atlas": "kuhn -n 100 --jobs 1 --player bots_of_mine.First",
    "audit": "kuhn -n 2 -c bots --bot bots_of_mine.First",
}
"""Commands that let a player of your own play."""
ELSEWHERE = {"train", "play", "bot"}
"""That whose players are only Parlour's, and those which somebody plays at, or a server."""


def test_every_command_that_names_players_is_tried() -> None:
    naming = {
        name
        for name, command in get_group(app).commands.items()
        for param in command.params
        if "rule-of-thumb" in [one.value for one in param.shell_complete(typer.Context(command), "rule-of-")]
    }
    assert naming == OWN.keys() | ELSEWHERE


@pytest.mark.parametrize("command", OWN)
def test_every_command_finds_it_in_the_folder(
    command: str, here: Path, monkeypatch: pytest.MonkeyPatch, says: Says
) -> None:
    monkeypatch.setattr(sys, "path", [folder for folder in sys.path if folder not in ("", str(here))])
    code, _, said = says(f"{command} {OWN[command]}")
    assert (code, said.count("No module named")) == (0, 0), said
    if command == "atlas":  # what has been begun needs the player again
        sys.path.remove("")
        sys.modules.pop("bots_of_mine")
        (here / "atlas" / "cells.jsonl").unlink()
        assert says(f"{command} {OWN[command]}")[0] == 0
        code, _, said = says(f"{command} {OWN[command]} --players 9")
        assert (code, "an atlas of other games or players" in said) == (2, True)


def test_a_corpus_says_who_takes_the_seats_if_not_all_who_are_named_do(here: Path, says: Says) -> None:
    _, _, said = says("corpus there kuhn -n 2 -j 1 --by search --by rule-of-thumb")
    assert said == "kuhn: the seats are taken by search:200, search:200.\n"
    assert says("corpus there leduc -n 2 -j 1 --by random")[2] == ""


def test_processes_find_it_too(here: Path) -> None:
    kinds = ["bots_of_mine.First", "random"]
    one, two = (play(KUHN, kinds, games=40, seed=2, processes=n) for n in (1, 2))
    assert [s.returns for s in one.players] == [s.returns for s in two.players]


def test_a_server_imports_nothing_that_a_guest_names(here: Path) -> None:
    for kind in ("bots_of_mine.First", "os.abort"):
        with pytest.raises(ParlourError, match=f"A server seats only its own bots; bring '{kind}' with `parlour bot`"):
            opened_as(wanted_table(game="kuhn", bots=kind))
    assert "bots_of_mine" not in sys.modules


def test_a_record_brings_no_player(here: Path, says: Says) -> None:
    record = KUHN.new(seed=1).record().rstrip("\n") + "\n# played at the terminal by seat 0 against os.abort\n"
    (here / "game.txt").write_text(record)
    code, _, said = says("play kuhn --resume game.txt")
    assert code == 2
    assert "The record names 'os.abort', somebody's own player; if you trust it: --against os.abort." in said
