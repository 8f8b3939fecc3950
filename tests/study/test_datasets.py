"""What a match leaves behind: records that replay, decisions that can be read, the same bytes every time."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import polars
import pytest

import parlour
from parlour import ParlourError
from parlour.engine.definition import shelf
from parlour.study import corpus, datasets
from parlour.study.datasets import COLUMNS, to_parquet
from parlour.study.match import play
from tests.helpers import Says


def written(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file()}


def decisions(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "decisions.jsonl").read_text().splitlines()]


@pytest.mark.parametrize(("name", "players"), [("leduc", 2), ("diamonds", 3), ("matrimony", 3)])
def test_records_and_decisions_are_of_the_games_played(name: str, players: int, tmp_path: Path) -> None:
    """Also where several choose at once: each sees what was there before anybody answered."""
    game = parlour.load(name, players)
    match = play(game, ["random"] * players, games=players, seed=3, records=tmp_path / "there")
    files = sorted((tmp_path / "there" / "records").iterdir())
    assert [file.name for file in files] == [f"000000-{turn}.txt" for turn in range(players)]
    found = decisions(tmp_path / "there")
    total = 0.0
    for turn, file in enumerate(files):
        state = parlour.replay(file.read_text())
        assert state.is_terminal
        assert state.game == game
        names = ["random", *(f"random {n}" for n in range(2, players + 1))]
        assert list(state.player_names) == [names[(p + turn) % players] for p in range(players)]
        total += state.returns()[state.player_names.index("random")]
        own = [one for one in found if one["turn"] == turn]
        assert [one["decision"] for one in own] == list(range(len(own)))
        steps = [step for step in state.history if step.player >= 0]
        assert sorted((one["seat"], one["action"], one["name"]) for one in own) == sorted(
            (step.player, step.action, step.name) for step in steps
        )
        for one in own:
            assert one["action"] in one["legal"]
            assert one["player"] == state.player_names[one["seat"]]
            assert one["return"] == one["returns"][one["seat"]] == state.returns()[one["seat"]]
    assert match.players[0].returns.mean == pytest.approx(total / players)


def test_a_decision_shows_what_its_seat_sees_and_no_more(tmp_path: Path) -> None:
    game = parlour.load("kuhn")
    play(game, ["random", "random"], games=20, seed=1, records=tmp_path / "there")
    for one in decisions(tmp_path / "there"):
        hand = one["view"]["hand"]
        assert hand[one["seat"]] in {"J", "Q", "K"}
        assert hand[1 - one["seat"]] is None


def test_the_same_match_writes_the_same_bytes(tmp_path: Path) -> None:
    """Whatever the number of processes."""
    for place, processes in (("one", 1), ("again", 1), ("two", 2)):
        kinds = ["random", "rule-of-thumb"]
        play(parlour.load("diamonds"), kinds, games=8, seed=5, processes=processes, records=tmp_path / place)
    assert written(tmp_path / "one") == written(tmp_path / "again") == written(tmp_path / "two")
    about = json.loads((tmp_path / "one" / "match.json").read_text())
    assert (about["game"], about["kinds"], about["games"], about["seed"]) == (
        "diamonds",
        ["random", "rule-of-thumb"],
        8,
        5,
    )


def test_the_command_writes_them(tmp_path: Path, says: Says) -> None:
    there = tmp_path / "deep" / "there"
    line = f"match kuhn random random -n 10 --out {there} --json"
    assert says(line)[0] == 0
    assert len(list((there / "records").iterdir())) == 10
    code, out, said = says(line)
    assert (code, out) == (2, "")
    assert said == f"parlour: {str(there)!r} is not an empty folder; records of a match need one of their own.\n"


def test_a_folder_that_cannot_be_made_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ParlourError, match=r"file/there' cannot be made: Not a directory\.$"):
        play(parlour.load("kuhn"), ["random"] * 2, games=2, records=tmp_path / "file" / "there")


# ------------------------------------------------------------------------------------------------ tables


@pytest.mark.parametrize("name", ["leduc", "diamonds", "dividha"])
def test_a_table_has_what_the_lines_have(name: str, tmp_path: Path) -> None:
    """With the same columns for every game."""
    game = parlour.load(name)
    play(game, ["random"] * game.players, games=2, seed=1, records=tmp_path / "there")
    table = polars.read_parquet(to_parquet(tmp_path / "there"))
    assert table.columns == list(COLUMNS)
    assert table.schema == polars.read_parquet(to_parquet(tmp_path / "there")).schema
    rows = [{**row, "view": json.loads(row["view"])} for row in table.to_dicts()]
    assert rows == [{"game": name, **one} for one in decisions(tmp_path / "there")]


def test_a_long_table_is_made_piece_by_piece(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    play(parlour.load("kuhn"), ["random", "random"], games=8, records=tmp_path / "there")
    whole = polars.read_parquet(to_parquet(tmp_path / "there"))
    monkeypatch.setattr(datasets, "CHUNK", 3)
    assert polars.read_parquet(to_parquet(tmp_path / "there")).equals(whole)


def test_a_folder_without_a_match_makes_no_table(tmp_path: Path) -> None:
    with pytest.raises(ParlourError, match="holds no match: No such file"):
        to_parquet(tmp_path)


def test_a_table_needs_a_folder(says: Says) -> None:
    code, _, error = says("match kuhn random random --with-parquet")
    assert code == 2
    assert "say which: --out DIR." in error


# ------------------------------------------------------------------------------------------------ the corpus

FEW = {
    "kuhn": "ca4c24cc96ed438fcce32fbb71898b02022ed2d741de5ee510d61290f05e93be",
    "leduc": "d02a51b76d6b710c098c7f4b46568658e5d3fb227b6365929ffc8bb7bb35d34d",
}
"""Digests of three deals of each: what is written changes only with the rules or the format, and then on purpose."""


@pytest.mark.parametrize("processes", [1, 2])
def test_a_corpus_is_the_same_bytes_with_any_number_of_processes(processes: int, tmp_path: Path) -> None:
    chapters = list(corpus.write(tmp_path / "there", list(FEW), games=6, processes=processes))
    assert {chapter.game: chapter.digest for chapter in chapters} == FEW


def test_a_corpus_has_every_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By default, with a rule of thumb where there is one; tables change no digest."""
    monkeypatch.setattr(corpus, "play", partial(quickly, play))
    names = [chapter.game for chapter in corpus.write(tmp_path / "there", games=2)]
    assert names == parlour.game_names()
    about = [json.loads((tmp_path / "there" / name / "match.json").read_text()) for name in shelf()]
    assert all(("rule-of-thumb" in one["kinds"]) is (one["game"] not in {"kuhn", "leduc"}) for one in about)
    assert all("random" in one["kinds"] for one in about)


def quickly(play: Any, game: Any, kinds: Any, *_: Any, records: Path) -> Any:
    """Note what would be played, and play nothing."""
    folder = datasets.Folder(records)
    folder.begin(game, kinds, 0, 0)
    return play(parlour.load("kuhn"), ["random", "random"], games=2)


def test_the_command_prints_the_digests(tmp_path: Path, says: Says) -> None:
    there = tmp_path / "there"
    words = f"corpus {there} kuhn leduc --games 6 --jobs 1 --with-parquet"
    code, said, _ = says(words)
    assert code == 0
    assert [line.split()[-1] for line in said.splitlines()] == [*FEW.values(), datasets.digest(there)]
    assert polars.read_parquet(there / "*" / "decisions.parquet")["game"].unique().sort().to_list() == list(FEW)
    assert "is not an empty folder" in says(words)[2]


def test_a_digest_notices_a_byte_and_a_name(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("one")
    first = datasets.digest(tmp_path)
    (tmp_path / "a").write_text("onf")
    second = datasets.digest(tmp_path)
    (tmp_path / "a").rename(tmp_path / "b")
    assert len({first, second, datasets.digest(tmp_path)}) == 3
