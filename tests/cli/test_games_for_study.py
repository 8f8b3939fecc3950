"""Games for study at the command line: every command that takes a game's name takes theirs, or says what to do
instead."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
import typer

import parlour
from parlour.cli.app import MODULES, application
from parlour.engine.definition import definition, smaller
from parlour.study.simulate import simulate
from tests.helpers import Says, assert_one_sentence, the_rest_long, there

WORDS = {
    "play": "play {game} --plain",
    "rules": "rules {game}",
    "simulate": "simulate {game} --games 20",
    "atlas": "atlas {game} --players {players} --games 5000 --out {here}/atlas",
    "match": "match {game} {seats} --games 6",
    "skill": "skill {game} --seconds 0.2 --simulations 5",
    "corpus": "corpus {here}/corpus {game} --games 2",
    "train": "train {game} --games 200 --out {here}/learned.npz",
    "solve": "solve {game} --iterations 2 --quiet --out {here}/solved",
    "exploit": "exploit {game} --player random --quiet",
    "audit": "audit {game} --games 1 --check end",
    "bench": "bench {game} --quick --mode bulk",
    "odds": "odds {game}",
    "learn": "learn {game}",
}
"""The commands that take a game's name, and words with which each ends soon."""
REFUSED = {"learn": "{game} is for study and has no lesson: parlour learn {whole}", "solve": "", "exploit": ""}
LONG = {"atlas", "skill", "train", "bench", "audit"}
GAMES = [
    *("commit-8", "diabolo-6", "diamondback-4", "diamonds-9", "dividha-8x2", "hearts-6", "matrimony-2", "newmarket-5"),
]
APART = {("solve", "matrimony-2"), ("exploit", "matrimony-2")}
"""Whole matches are too large to solve."""
TRIED = [one for one in ((command, game) for command in WORDS for game in [*GAMES, "pope_joan-10"]) if one not in APART]


def test_all_commands_that_take_a_game_are_tried() -> None:
    commands: Any = typer.main.get_command(application(*MODULES))
    taking = {
        name
        for name, command in commands.commands.items()
        if any(one.name.rstrip("_") in ("game", "games") for one in command.params if one.param_type_name == "argument")
    }
    assert taking == set(WORDS)


@pytest.mark.parametrize(
    "tried",
    the_rest_long(TRIED, [one for one in TRIED if one[1] == "commit-8" and one[0] not in LONG]),
    ids=" ".join,
)
def test_a_command_takes_a_game_for_study_or_says_what_to_do(
    tried: tuple[str, str], says: Says, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO())
    command, game = tried
    told = says(
        WORDS[command].format(game=game, players=(n := parlour.load(game).players), seats="random " * n, here=tmp_path)
    )
    if told[0]:
        whole, _, _ = game.partition("-")
        refusals = {**REFUSED, "odds": "The odds of" if whole == "dividha" else "There are no odds for"}
        assert_one_sentence(told, refusals[command].format(game=game, whole=whole))
    else:
        assert told[1]


@pytest.mark.long
@pytest.mark.parametrize("game", smaller())
def test_odds_are_told_or_refused_for_every_game_for_study(game: str, says: Says) -> None:
    told, what = says(f"odds {game}"), there(definition(game).of)
    if what.id == "dividha":
        assert_one_sentence(told, f"The odds of {game} are not counted: parlour odds dividha")
    else:
        assert (told[0] == 0) == (what.part("odds") is not None)


def test_a_record_of_a_game_for_study_is_replayed(says: Says, tmp_path: Path) -> None:
    record = tmp_path / "commit-8.rec"
    state = parlour.load("commit-8").new(seed=3)
    while not state.is_terminal:
        state.apply(state.legal_actions()[0])
    record.write_text(state.record())
    code, told, _ = says(f"replay {record}")
    assert code == 0
    assert "Commit" in told


def test_a_file_that_solves_a_game_for_study_plays_and_is_certified(says: Says, tmp_path: Path) -> None:
    file = tmp_path / "commit.solved"
    assert says(f"solve commit-6 --iterations 5 --quiet --out {file}")[0] == 0
    assert says(f"certify {file}")[0] == 0
    code, told, _ = says(f"match commit-6 solved:{file} random --games 4 --json")
    assert (code, json.loads(told)["game"]) == (0, "commit-6")


def test_games_that_bring_the_same_are_counted() -> None:
    """Sums are rounded: the error of what is always the same came out a little below nothing."""
    deals = there(simulate(parlour.load("hearts-6"), 2, threads=1).deals)
    assert all(place.low <= place.mean <= place.high for place in deals.places)
