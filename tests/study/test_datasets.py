"""What a match leaves behind: records that replay, decisions that can be read, the same bytes every time."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars
import pytest

import parlour
from parlour import ParlourError
from parlour.engine.definition import shelf
from parlour.study import corpus, datasets
from parlour.study.datasets import COLUMNS, to_parquet
from parlour.study.decisions import read, to_minari
from parlour.study.match import play
from tests.helpers import Says


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


def test_a_folder_that_cannot_be_made_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ParlourError, match=r"file/there' cannot be made: Not a directory\.$"):
        play(parlour.load("kuhn"), ["random"] * 2, games=2, records=tmp_path / "file" / "there")


@pytest.mark.parametrize("name", ["leduc", "diamonds", "dividha"])
def test_a_table_has_what_the_lines_have(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also if it is long, and made piece by piece."""
    game = parlour.load(name)
    play(game, ["random"] * game.players, games=2, seed=1, records=tmp_path / "there")
    table = polars.read_parquet(to_parquet(tmp_path / "there"))
    assert table.columns == list(COLUMNS)
    rows = [{**row, "view": json.loads(row["view"])} for row in table.to_dicts()]
    assert rows == [{"game": name, **one} for one in decisions(tmp_path / "there")]
    monkeypatch.setattr(datasets, "CHUNK", 3)
    again = polars.read_parquet(to_parquet(tmp_path / "there"))
    assert (again.schema, again.equals(table)) == (table.schema, True)


def test_a_folder_without_a_match_makes_no_table(tmp_path: Path) -> None:
    with pytest.raises(ParlourError, match="holds no match: No such file"):
        to_parquet(tmp_path)


FEW = {
    "kuhn": "ca4c24cc96ed438fcce32fbb71898b02022ed2d741de5ee510d61290f05e93be",
    "leduc": "d02a51b76d6b710c098c7f4b46568658e5d3fb227b6365929ffc8bb7bb35d34d",
}
"""Digests of three deals of each: what is written changes only with the rules or the format, and then on purpose."""


def test_a_corpus_is_the_same_bytes_with_any_number_of_processes(tmp_path: Path) -> None:
    """With one process: the command below."""
    chapters = corpus.write(tmp_path / "there", list(FEW), games=6, processes=2)
    assert {chapter.game: chapter.digest for chapter in chapters} == FEW


def test_a_corpus_has_every_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By default, with a rule of thumb where there is one."""
    asked = dict[str, Any]()
    monkeypatch.setattr(corpus, "play", lambda game, kinds, *_, records: asked.update({game.id: kinds}))
    assert [chapter.game for chapter in corpus.write(tmp_path / "there", games=2)] == [*asked] == parlour.game_names()
    for game in shelf():
        assert set(asked[game]) == {"random"} | ({"rule-of-thumb"} if game not in {"kuhn", "leduc"} else set())


def test_the_command_prints_the_digests(tmp_path: Path, says: Says) -> None:
    there = tmp_path / "there"
    words = f"corpus {there} kuhn leduc --games 6 --jobs 1 --with-parquet"
    code, said, _ = says(words)
    assert code == 0
    assert [line.split()[-1] for line in said.splitlines()] == [*FEW.values(), datasets.digest(there)]
    assert polars.read_parquet(there / "*" / "decisions.parquet")["game"].unique().sort().to_list() == list(FEW)
    assert says(words)[1] == said  # nothing is played again
    assert "is not an empty folder" in says(words.replace("--games 6", "--games 8"))[2]


@pytest.mark.parametrize(
    ("name", "players", "by"),
    [
        ("leduc", 2, ["random"]),
        ("diamonds", 3, ["best:20", "learned"]),
        ("matrimony", 3, ["rule-of-thumb", "random"]),
        ("diamondback", 2, ["unbeatable", "random"]),
    ],
)
def test_decisions_are_read_as_they_were_taken(name: str, players: int, by: list[str], tmp_path: Path) -> None:
    game = parlour.load(name, players)
    [part] = corpus.write(tmp_path / "steps", [game], by=by, decisions=60, seed=3)
    play(game, corpus.players_of(game, by), part.games, seed=3, records=tmp_path / "records")
    rows, other = (next(read(folder, size=1 << 20)) for folder in (tmp_path / "steps" / name, tmp_path / "records"))
    assert all(np.array_equal(one, two) for one, two in zip(list[Any](rows), list[Any](other), strict=True))
    assert part.decisions == len(rows.actions) >= 60
    at, kinds = 0, json.loads((tmp_path / "steps" / name / "match.json").read_text())["kinds"]
    for number, record in enumerate(sorted((tmp_path / "records" / "records").iterdir())):
        played = parlour.replay(record.read_text())
        state, last = game.new(), dict[int, int]()
        for step in played.history:
            if (seat := step.player) >= 0:
                assert np.array_equal(rows.tensors[at], state.tensor(seat).flat)
                assert np.flatnonzero(rows.mask[at]).tolist() == state.legal_actions(seat)
                assert (rows.seats[at], rows.actions[at], rows.games[at]) == (seat, step.action, number)
                assert kinds[rows.players[at]] == played.player_names[seat]
                if (before := last.get(seat)) is not None:
                    assert np.array_equal(rows.next_tensors[before], rows.tensors[at])
                    assert np.array_equal(rows.next_mask[before], rows.mask[at])
                    assert (rows.done[before], rows.rewards[before]) == (False, 0)
                last[seat], at = at, at + 1
            state.apply(step.action, step.player)
        for seat, before in last.items():
            assert (rows.done[before], rows.next_mask[before].any()) == (True, False)
            assert np.array_equal(rows.next_tensors[before], state.tensor(seat).flat)
            assert rows.rewards[before] == np.float32(played.returns()[seat])
    assert at == len(rows.actions)


def test_deals_are_paid_to_the_decision_before_them(tmp_path: Path) -> None:
    """Over a whole match, what its deals brought is what it returned."""
    corpus.write(tmp_path, ["diamonds"], decisions=200)
    rows = next(read(tmp_path / "diamonds", size=1 << 20))
    for game in range(rows.games[-1] + 1):
        for seat in (0, 1):
            own = (rows.games == game) & (rows.seats == seat)
            assert rows.deal_rewards[own].sum() == rows.rewards[own].sum()


def test_a_long_corpus_goes_on_where_it_was_stopped(tmp_path: Path) -> None:
    [whole] = corpus.write(tmp_path / "whole", ["leduc"], decisions=3000)
    corpus.write(tmp_path / "parts", ["leduc"], decisions=1000)
    file = tmp_path / "parts" / "leduc" / "steps.i32"
    for cut in (1, 4, 30, 70):
        file.write_bytes(file.read_bytes()[:-cut])
        [more] = corpus.write(tmp_path / "parts", ["leduc"], decisions=2000, processes=2)
        assert more.decisions is not None
        assert 2000 <= more.decisions < 2020
    assert corpus.write(tmp_path / "parts", ["leduc"], decisions=3000) == [whole]
    sizes = [len(some.actions) for some in read(tmp_path / "whole" / "leduc", size=700)]
    assert sizes == [700] * 4 + [(whole.decisions or 0) - 2800]
    held = json.loads((tmp_path / "parts" / "leduc" / "match.json").read_text())
    assert (held["games"], held["decisions"]) == (whole.games, whole.decisions)
    with pytest.raises(
        ParlourError, match=r"leduc' holds 3,0\d\d decisions, more than 2,000: ask for as many, or name"
    ):
        corpus.write(tmp_path / "parts", ["leduc"], decisions=2000)
    with pytest.raises(ParlourError, match="holds another match"):
        corpus.write(tmp_path / "parts", ["leduc"], decisions=3000, seed=1)


def test_a_file_of_impossible_steps_is_refused(tmp_path: Path) -> None:
    corpus.write(tmp_path, ["kuhn"], decisions=50)
    file = tmp_path / "kuhn" / "steps.i32"
    good = np.fromfile(file, "<i4")
    impossible = (1, -64), (1, 63 * 64), (1, 1), (2, int(good[1])), (3, 64 * 7 + 1), (3, int(good[3]) + 1), (0, 3)
    for at, wrong in impossible:
        bad = good.copy()
        bad[at] = wrong
        bad.tofile(file)
        with pytest.raises(ParlourError, match=r"is not a game of Kuhn poker|is damaged"):
            list(read(tmp_path / "kuhn"))
    with pytest.raises(ParlourError, match=r"holds several games; name .* such as .*kuhn'"):
        list(read(tmp_path))


def test_a_dataset_that_has_lost_data_is_refused(tmp_path: Path) -> None:
    corpus.write(tmp_path, ["kuhn"], decisions=50)
    steps, there = tmp_path / "kuhn" / "steps.i32", tmp_path / "match"
    whole, about = steps.read_bytes(), tmp_path / "kuhn" / "match.json"
    steps.write_bytes(whole + whole[:99])  # the beginning of more
    assert sum(len(rows.actions) for rows in read(tmp_path / "kuhn")) == json.loads(about.read_text())["decisions"]
    for cut in (whole[:0], whole[: len(whole) // 2], None):
        steps.unlink() if cut is None else steps.write_bytes(cut)
        with pytest.raises(ParlourError, match=r"steps\.i32 has lost data: it has \d+ bytes, and match\.json counts"):
            next(read(tmp_path / "kuhn"))
    about.write_text((said := about.read_text()).replace('"rules": 1', '"rules": 9'))
    with pytest.raises(ParlourError, match="by version 9 of its rules; this Parlour has version 1"):
        next(read(tmp_path / "kuhn"))
    about.write_text(said.replace('"games"', '"other"'))
    with pytest.raises(ParlourError, match=r"match\.json does not say how much there is"):
        next(read(tmp_path / "kuhn"))
    play("kuhn", ["random", "random"], games=4, records=there)
    record, lines = there / "records" / "000001-0.txt", there / "decisions.jsonl"
    text, found = record.read_text(), lines.read_text().splitlines(keepends=True)
    for bad in (text[: text.index("returns")], text[:-1], text.replace("chance: ", "chance: X"), "\xff"):
        record.write_bytes(bad.encode("latin-1"))
        with pytest.raises(ParlourError, match=r"000001-0\.txt(:| is damaged)"):
            next(read(there))
    record.unlink()
    with pytest.raises(ParlourError, match=r"000001-0\.txt is missing: match\.json counts 4 games"):
        next(read(there))
    for bad, why in (("".join(found[:-4]), "has lost data: it has decisions of"), ("".join(found)[:-9], "is damaged")):
        lines.write_text(bad)
        with pytest.raises(ParlourError, match=rf"decisions\.jsonl {why}"):
            to_parquet(there)


def test_what_cannot_be_written_is_refused_before_anything_is(tmp_path: Path) -> None:
    for wrong, why in (
        ({"games": 4, "decisions": 9}, "not both"),
        ({"parquet": True, "decisions": 9}, "only steps are kept"),
        ({"decisions": 0}, "a number of decisions above 0, not 0"),
        ({"games": 0}, "a number of games above 0, not 0"),
        ({"names": ["kuhn", "kun"]}, "'kun'"),
        ({"by": ["search:1s"]}, "watches the clock"),
        ({"names": ["diamonds"], "by": ["magnus:1s"]}, "watches the clock"),
    ):
        with pytest.raises(ParlourError, match=why):
            corpus.write(tmp_path / "there", **{"names": ["kuhn"], **dict[str, Any](wrong)})
    assert not (tmp_path / "there").exists()
    assert corpus.players_of(parlour.load("kuhn"), ["best", "search"]) == ["search:200"] * 2


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_decisions_are_exported_to_minari(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    minari = pytest.importorskip("minari", reason="pip install 'parlour[minari]'")
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "minari"))
    corpus.write(tmp_path, ["leduc"], decisions=200)
    rows = next(read(tmp_path / "leduc", size=1 << 20))
    to_minari(tmp_path / "leduc", "parlour/leduc/random-v0", player=1)
    found = minari.load_dataset("parlour/leduc/random-v0")
    own = rows.some(rows.players == 1)
    assert (found.total_steps, found.total_episodes) == (len(own.actions), own.done.sum())
    assert np.array_equal(np.concatenate([one.actions for one in found]), own.actions)
    assert np.array_equal(np.concatenate([one.observations["observation"][:-1] for one in found]), own.tensors)
    assert np.array_equal(np.concatenate([one.rewards for one in found]), own.rewards)


def test_a_digest_notices_a_byte_and_a_name(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("one")
    first = datasets.digest(tmp_path)
    (tmp_path / "a").write_text("onf")
    second = datasets.digest(tmp_path)
    (tmp_path / "a").rename(tmp_path / "b")
    assert len({first, second, datasets.digest(tmp_path)}) == 3
