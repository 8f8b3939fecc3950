"""The long checks: finished work is not repeated, changed work is stale, and checking nothing is not a success."""

from __future__ import annotations

import json
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tools import campaigns, every_driver
from tools.campaigns import LOGBOOK, OK, Done, Logbook, Piece, digest, main, summary, work

KUHN = Piece("parity", "kuhn", "2")


@pytest.fixture
def logbook(tmp_path: Path) -> Logbook:
    return Logbook(tmp_path / "logbook")


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pieces are done at once, in this process."""
    monkeypatch.setattr(campaigns, "ProcessPoolExecutor", lambda jobs, *_: ThreadPoolExecutor(jobs))
    monkeypatch.setattr(campaigns, "work", lambda piece: (Done(1_001), 1.0))


@pytest.mark.parametrize("fixture", ["quick", pytest.param("logbook", marks=pytest.mark.long)], ids=["quick", "whole"])
def test_what_is_done_is_not_done_again(
    logbook: Logbook, capsys: pytest.CaptureFixture[str], request: pytest.FixtureRequest, fixture: str
) -> None:
    """What a piece of this campaign does is done by test_parity.py too."""
    request.getfixturevalue(fixture)
    words = ["parity", "kuhn", "--jobs", "1", "--logbook", str(logbook.folder)]
    assert main(words) == 0
    assert "parity kuhn: 1 pieces, 1 ok, 0 with faults, 0 stale, 0 open" in capsys.readouterr().out
    kept = (logbook.folder / "parity-kuhn.jsonl").read_text()
    assert json.loads(kept)["cases"] > 1_000
    assert main(words) == 0
    assert (logbook.folder / "parity-kuhn.jsonl").read_text() == kept


def test_no_piece_is_started_when_the_time_is_up(logbook: Logbook, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["kuhn", "--minutes", "0", "--logbook", str(logbook.folder)]) == 0
    assert "parity kuhn: 1 pieces, 0 ok, 0 with faults, 0 stale, 1 open" in capsys.readouterr().out


def test_games_take_turns(logbook: Logbook, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """What is done already, and what is listed, stays in order."""
    request.getfixturevalue("quick")
    pieces = [Piece("audit", game, setting) for game, settings in (("a", "123"), ("b", "1")) for setting in settings]
    done: list[Piece] = []
    monkeypatch.setattr(campaigns, "all_pieces", lambda words=(): pieces)
    monkeypatch.setattr(campaigns, "rules", lambda game: "same")

    def work(piece: Piece) -> tuple[Done, float]:
        done.append(piece)
        return Done(1), 1.0

    monkeypatch.setattr(campaigns, "work", work)
    logbook.enter(pieces[1], Done(1), 1.0)
    assert main(["--jobs", "1", "--logbook", str(logbook.folder)]) == 0
    assert done == [pieces[0], pieces[3], pieces[2]]
    assert [*Logbook(logbook.folder).entries] == pieces


def test_what_is_entered_is_kept_at_once(logbook: Logbook) -> None:
    """A run may be stopped at any moment."""
    other = Piece("parity", "kuhn", "3")
    logbook.enter(KUHN, Done(7), 1.0)
    logbook.enter(other, Done(8), 1.0)
    assert {piece: entry["cases"] for piece, entry in Logbook(logbook.folder).entries.items()} == {KUHN: 7, other: 8}


def test_a_change_makes_stale_and_words_do_not(
    logbook: Logbook, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    logbook.enter(KUHN, Done(7), 1.0)
    again = Logbook(logbook.folder)
    assert again.state(KUHN) == OK
    monkeypatch.setattr(campaigns, "engine", lambda campaign: "another")
    assert again.state(KUHN) == "stale"

    file, before = tmp_path / "rules.py", ""
    for text, same in (
        ("def f(s):\n    return s + 1\n", False),
        ('def f(s):\n    """Words."""\n\n    return (s + 1)  # more\n', True),
        ("def f(s):\n    return s + 2\n", False),
    ):
        file.write_text(text)
        assert (digest([file]) == before) is same
        before = digest([file])


def test_c_that_changes_makes_stale_and_words_in_it_do_not(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The engine is in C too: what every game's C begins with, and states."""
    shutil.copytree(campaigns.SOURCES / "engine", tmp_path / "engine")
    monkeypatch.setattr(campaigns, "SOURCES", tmp_path)
    file = tmp_path / "engine" / "c" / "prelude.h"
    whole, before = file.read_text(), ""
    for added, same in (
        ("", False),
        ("/* A comment\n   of two lines. */\n\n// Another.\n", True),
        ("#define ANOTHER 1\n", False),
    ):
        file.write_text(whole + added)
        said = campaigns.engine.__wrapped__("parity")
        assert (said == before) is same
        before = said


@pytest.mark.parametrize(
    ("campaign", "file", "check", "emptied"),
    [
        ("audit", "audit/conduct.py", "def conservation(", True),
        ("parity", "tests/engine/test_parity.py", "def compare(", True),
        ("parity", "tests/helpers.py", "def all_settings(", True),
        ("c", "tools/every_driver.py", "def compare(", True),
        ("c", "tests/engine/test_parity.py", "def compare(", False),
        ("parity", "audit/conduct.py", "def conservation(", False),
    ],
)
def test_who_empties_a_check_has_shown_nothing(
    logbook: Logbook,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    campaign: str,
    file: str,
    check: str,
    emptied: bool,
) -> None:
    """A piece that another checker has called ok is stale; of a checker that it does not use, it is not."""
    piece = Piece(campaign, "kuhn", "2")
    logbook.enter(piece, Done(7), 1.0)
    assert Logbook(logbook.folder).state(piece) == OK
    shutil.copytree(campaigns.AUDIT, tmp_path / campaigns.AUDIT.name)
    for place in ("tests", "tools"):
        shutil.copytree(
            campaigns.ROOT / place,
            tmp_path / place,
            ignore=lambda _, names: [n for n in names if "." in n and n[-3:] != ".py"],
        )
    monkeypatch.setattr(campaigns, "ROOT", tmp_path)
    monkeypatch.setattr(campaigns, "AUDIT", tmp_path / campaigns.AUDIT.name)
    for remembered in (campaigns.checker, campaigns.with_imported):
        monkeypatch.setattr(campaigns, remembered.__name__, remembered.__wrapped__)
    assert Logbook(logbook.folder).state(piece) == OK
    changed = tmp_path / file
    text = changed.read_text("utf-8")
    assert text.count(check) == 1
    changed.write_text(text.replace(check, f"{check}*_, **__): return 0\ndef nobody_calls_this("), "utf-8")
    assert Logbook(logbook.folder).state(piece) == ("stale" if emptied else OK)


def test_a_fault_is_kept_and_fails(
    logbook: Logbook, capsys: pytest.CaptureFixture[str], request: pytest.FixtureRequest
) -> None:
    done, _ = work(Piece("parity", "kuhn", "2 antes=7"))
    assert "the piece stopped: " in done.result
    logbook.enter(KUHN, done, 1.0)
    assert main(["parity", "kuhn", "--list", "--logbook", str(logbook.folder)]) == 1
    assert "1 with faults" in capsys.readouterr().out
    request.getfixturevalue("quick")
    assert main(["parity", "kuhn", "--again", "--jobs", "1", "--logbook", str(logbook.folder)]) == 0
    assert Logbook(logbook.folder).state(KUHN) == OK


def test_what_this_machine_cannot_do_is_left_to_another(
    logbook: Logbook, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(campaigns, "ProcessPoolExecutor", lambda jobs, *_: ThreadPoolExecutor(jobs))
    monkeypatch.setattr(every_driver, "runs_here", lambda level: False)
    monkeypatch.setattr(every_driver, "all_of", lambda *_: pytest.fail("it was tried"))
    piece = Piece("c", "kuhn", "v3")
    monkeypatch.setattr(campaigns, "all_pieces", lambda words=(): [piece])
    assert main(["c", "kuhn", "--logbook", str(logbook.folder)]) == 0
    printed = capsys.readouterr().out
    assert "this machine cannot run code of level 'v3', so the piece is left to another" in printed
    assert "1 pieces, 0 ok, 0 with faults, 0 stale, 1 open" in printed
    assert not Logbook(logbook.folder).entries
    logbook.enter(piece, Done(1), 1.0)
    before = Logbook(logbook.folder).entries
    monkeypatch.setattr(campaigns, "rules", lambda game: "changed")
    assert main(["c", "kuhn", "--logbook", str(logbook.folder)]) == 0
    assert "1 stale" in capsys.readouterr().out
    assert Logbook(logbook.folder).entries == before, "what another machine found is kept"


def test_a_check_that_has_looked_at_nothing_anywhere_fails(logbook: Logbook) -> None:
    first, second = Piece("audit", "leduc", "2"), Piece("audit", "leduc", "3")
    logbook.enter(first, Done(5, idle=("odds", "order")), 1.0)
    logbook.enter(second, Done(5, idle=("odds",)), 1.0)
    assert summary(logbook, [first, second])[0]["nowhere"] == ["odds"]
    assert summary(logbook, [first, second, KUHN])[0]["pieces"] == 2


def test_an_unknown_name_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["chess"])
    assert "'chess' is neither a campaign (c, audit, parity) nor a game (commit, " in capsys.readouterr().err


def test_the_logbook_that_is_kept_has_no_faults() -> None:
    entries = Logbook(LOGBOOK).entries
    assert entries
    assert {piece: entry["result"] for piece, entry in entries.items() if entry["result"] != OK} == {}
