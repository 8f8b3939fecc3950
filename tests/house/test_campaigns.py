"""The long checks: finished work is not repeated, changed work is due, and checking nothing is not a success.  And of a
night (`make nightly`): what is done first, what is kept, and that a run goes on where the last one stopped."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tools import ages, campaigns, nightly
from tools.campaigns import LOGBOOK, OK, Done, Logbook, Piece, digest, main, summary, work
from tools.nightly import Log, Part, Unit

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
    for more, done in ((["--minutes", "0"], 0), ([], 1)):
        assert main([*words, *more]) == 0
        told = f"parity kuhn: 1 pieces, {done} ok on today's key, 0 on an older one, {1 - done} never done, 0 red"
        assert told in capsys.readouterr().out
    kept = (logbook.folder / "parity-kuhn.jsonl").read_text()
    assert json.loads(kept)["cases"] > 1_000
    assert main(words) == 0
    assert (logbook.folder / "parity-kuhn.jsonl").read_text() == kept


def test_a_change_makes_due_and_words_do_not(logbook: Logbook, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    logbook.enter(KUHN, Done(7), 1.0)
    again = Logbook(logbook.folder)
    assert again.state(KUHN) == OK
    monkeypatch.setattr(campaigns, "engine", lambda campaign: "another")
    assert (again.state(KUHN), again.due(KUHN)) == ("older", True)

    file, before = tmp_path / "rules.py", ""
    for text, same in (
        ("def f(s):\n    return s + 1\n", False),
        ('def f(s):\n    """Words."""\n\n    return (s + 1)  # more\n', True),
        ("def f(s):\n    raise ParlourError('No {a}.', a=s)\n", False),
        ("def f(s):\n    raise ParlourError('There is no {what}.', what=s + 1)\n", True),
        ("def f(s):\n    raise IllegalAction('There is no {what}.', what=s + 1)\n", False),
        ("def f(s):\n    return s + 2\n", False),
    ):
        file.write_text(text)
        assert (digest([file]) == before) is same
        before = digest([file])


def test_a_fault_is_kept_and_fails(
    logbook: Logbook, capsys: pytest.CaptureFixture[str], request: pytest.FixtureRequest
) -> None:
    done, _ = work(Piece("parity", "kuhn", "2 antes=7"))
    assert "the piece stopped: " in done.result
    logbook.enter(KUHN, done, 1.0)
    assert main(["parity", "kuhn", "--list", "--logbook", str(logbook.folder)]) == 1
    assert "1 red" in capsys.readouterr().out
    request.getfixturevalue("quick")
    assert main(["parity", "kuhn", "--again", "--jobs", "1", "--logbook", str(logbook.folder)]) == 0
    assert Logbook(logbook.folder).state(KUHN) == OK


def test_a_check_that_has_looked_at_nothing_anywhere_fails(logbook: Logbook) -> None:
    first, second = Piece("audit", "leduc", "2"), Piece("audit", "leduc", "3")
    logbook.enter(first, Done(5, idle=("odds", "order")), 1.0)
    logbook.enter(second, Done(5, idle=("odds",)), 1.0)
    players = Piece("audit", "leduc", f"2{campaigns.DEAL}0")  # what they do is looked at apart
    logbook.enter(players, Done(5), 1.0)
    assert summary(logbook, [first, second, players])[0]["nowhere"] == ["odds"]
    assert [row["pieces"] for row in summary(logbook, [first, second, KUHN])] == [1, 2]


def test_the_logbook_that_is_kept_has_no_faults() -> None:
    entries = Logbook(LOGBOOK).entries
    assert entries
    assert {piece: entry["result"] for piece, entry in entries.items() if entry["result"] != OK} == {}


GOOD = ("timeit", "-n", "1", "pass")
BAD = ("timeit", "-n", "1", "print('FAILED a test'); raise SystemExit(3)")
ENDLESS = ("timeit", "-n", "1", "import time; time.sleep(600)")


@pytest.fixture
def parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Part]:
    """The parts of a small house on commit ``new``, where ``b.py`` has changed since ``old``."""
    found = dict[str, Part]()
    for name, there in (("PARTS", found), ("LOGBOOK", tmp_path), ("PRINTED", tmp_path), ("SUMMARY", tmp_path / "page")):
        monkeypatch.setattr(nightly, name, there)
    (tmp_path / "page").write_text(f"# Page\n\n{nightly.MARK}\n## Next\n")
    monkeypatch.setattr(nightly, "changed_since", {"gone": (), "new": (), "old": ("b.py",)}.get)
    for module in (nightly, ages):
        monkeypatch.setattr(module, "commits", lambda: {"new": (0, "2026-11-02"), "old": (1, "2026-11-01")})
    return found


def of(part: str, *commands: tuple[str, ...], through_for: str = nightly.COMMIT) -> Part:
    units = [Unit(part, name, (command,), (f"{name}.py",)) for name, command in zip("abcdef", commands, strict=False)]
    return Part(1.0, lambda day, minutes: units, 1, through_for)


def run(day: str = "2026-11-02", hours: float = 1.0, again: bool = False) -> int:
    return nightly.main(["--day", day, "--hours", str(hours), *(["--again"] if again else [])])


def test_what_is_through_is_kept_and_not_done_again(
    parts: dict[str, Part], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    parts |= {"one": of("one", GOOD, BAD, GOOD), "daily": of("daily", GOOD, through_for=nightly.DAY)}
    assert run() == 1
    kept = Log(tmp_path / "nightly.jsonl").entries
    results = {what: (one["result"], one["commit"], one["date"]) for what, one in kept.items()}
    good, red = ("ok", "new", "2026-11-02"), ("FAILED a test", "new", "2026-11-02")
    assert results == {("daily", "a"): good, ("one", "a"): good, ("one", "b"): red, ("one", "c"): good}
    assert capsys.readouterr().out.endswith("red: one b\n")
    page = (tmp_path / "page").read_text()
    assert "| one | 3 | 0 | 1 | 0 | 2026-11-02 | new | 2026-11-02 | new | b |\n| daily | 1 |" in page
    assert page.endswith("\n## Next\n")
    assert run("2026-11-03", again=True) == 1
    assert "one: 1 of 3 units, 30 minutes: b ..." in (said := capsys.readouterr().out)
    assert "daily: 0 of 1 units" in said
    parts["one"] = of("one", BAD, GOOD, BAD)  # of these only the second is due, unless one is drawn
    chosen = ages.rota([], len, "abc", "2026-11-02 one")[0]
    assert run() == (chosen != "b")
    assert "daily: 0 of 1 units" in capsys.readouterr().out
    run("2026-11-03")
    assert "daily: 1 of 1 units" in capsys.readouterr().out
    assert nightly.main(["--list"]) == (chosen != "b")


def test_what_the_night_writes_does_not_make_it_due_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written = ["tests/campaigns/nightly.jsonl", "tests/mutants/kuhn.toml", "tests/house/planted.tsv"]
    files = [tmp_path / name for name in (*written, "tests/house/test_house.py")]
    for file in files:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("before")
    monkeypatch.setattr(ages, "ROOT", tmp_path)
    me = ("-c", "user.name=Emil", "-c", "user.email=emil@example.org")
    for words in (("init", "-q"), ("add", "."), (*me, "commit", "-q", "-m", "first")):
        ages.git(*words)
    for file in files:
        assert nightly.changed_since.__wrapped__("HEAD") == ()
        file.write_text("after")
    assert nightly.changed_since.__wrapped__("HEAD") == ("tests/house/test_house.py",)


def test_a_unit_that_the_night_is_too_short_for_is_stopped_and_not_called_through(
    parts: dict[str, Part], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    parts |= {"one": of("one", ENDLESS, GOOD)}
    assert run(hours=1 / 3600) == 0
    assert Log(tmp_path / "nightly.jsonl").entries == {("one", "a"): {}, ("one", "b"): {}}
    assert "one a: not through" in capsys.readouterr().out


def test_the_parts_of_the_house_are_done_by_tools_that_are_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """The long tests are collected in the night itself; what can be emptied takes long to find."""
    share = {name: part.minutes for name, part in nightly.PARTS.items()}
    assert sum(share.values()) == 60 * nightly.HOURS
    for name, part in nightly.PARTS.items():
        for unit in part.units("2026-11-02", part.minutes) if name not in ("long", "emptied") else ():
            for tool, *_ in unit.commands:
                place = nightly.ROOT / tool.replace(".", "/")
                assert tool == "pytest" or place.with_suffix(".py").exists() or (place / "__main__.py").exists()
