"""`make nightly`: what is done first, what is kept of it, and that a run goes on where the last one stopped."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tools import ages, nightly
from tools.nightly import Log, Part, Unit

GOOD = ("timeit", "-n", "1", "pass")
BAD = ("timeit", "-n", "1", "print('FAILED a test'); raise SystemExit(3)")
ENDLESS = ("timeit", "-n", "1", "import time; time.sleep(600)")
Night = Callable[..., int]


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


def run(day: str = "2026-11-02", hours: float = 1.0) -> int:
    return nightly.main(["--day", day, "--hours", str(hours)])


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
    parts["one"] = of("one", BAD, GOOD, BAD)  # of these only the second is due, unless one is drawn
    chosen = ages.rota([], len, "abc", "2026-11-02 one")[0]
    assert run() == (chosen != "b")
    assert "daily: 0 of 1 units" in capsys.readouterr().out
    run("2026-11-03")
    assert "daily: 1 of 1 units" in capsys.readouterr().out
    assert nightly.main(["--list"]) == (chosen != "b")


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
