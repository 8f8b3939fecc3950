"""Faults that `make mutants` plants: which there are, where they are planted, and that those called equivalent are some
of them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from collections import defaultdict
from pathlib import Path

import pytest

from parlour.engine.definition import shelf
from tools import mutants
from tools.faults import SOURCES, drawn, faults, file_of

HERE = Path(__file__).parents[1]
SUMMARIES = sorted((HERE / "mutants").glob("*.toml"))
RULES = '''"""Words."""

LIMIT: int = 3


def pays(s: "State", p: int = 0) -> bool:
    """More words."""
    if s.coins[p] < LIMIT and not s.broke:
        s.pot += 1
    return s.pot & 2 == 2
'''


SMALL = {
    "LIMIT: int = 3": ["LIMIT: int = 2", "LIMIT: int = 4"],
    'def pays(s: "State", p: int = 0) -> bool:': ['def pays(s: "State", p: int = 1) -> bool:'],
    "if s.coins[p] < LIMIT and not s.broke:": [
        "if (s.coins[p] < LIMIT or not s.broke):", "if s.coins[p] < LIMIT and (s.broke):",
        "if s.coins[p] <= LIMIT and not s.broke:", "if s.coins[p] >= LIMIT and not s.broke:",
    ],
    "s.pot += 1": ["pass", "s.pot += 0", "s.pot += 2", "s.pot -= 1"],
    "return s.pot & 2 == 2": [
        "pass", "return (s.pot | 2) == 2", "return s.pot & 1 == 2", "return s.pot & 2 != 2", "return s.pot & 2 == 1",
        "return s.pot & 2 == 3", "return s.pot & 3 == 2",
    ],
}  # fmt: skip


def test_every_small_fault_is_found_once() -> None:
    found = defaultdict[str, set[str]](set)
    for fault in faults("parlour.rules", RULES):
        found[fault.was].add(fault.now)
    assert {was: sorted(now) for was, now in found.items()} == SMALL


def test_every_fault_of_a_game_is_a_program_and_the_draw_stays_when_a_line_comes() -> None:
    module = "parlour.games.matrimony.rules"
    source = file_of(module).read_text("utf-8")
    found = list(faults(module, source))
    assert len({fault.name for fault in found}) == len(found) > 100
    some, later = (drawn(there, 50, seed=1) for there in (found, list(faults(module, "NEW = 1\n" + source))))
    assert len({fault.name for fault in some} & {fault.name for fault in later}) >= 48
    for fault in some[:10]:
        planted = fault.plant(source)
        assert planted != source
        compile(planted, module, "exec")


def test_faults_that_are_called_equivalent_are_there_and_say_why() -> None:
    assert {file.stem for file in SUMMARIES} == {*shelf(), "shared"}
    for summary in SUMMARIES:
        entries = tomllib.loads(summary.read_text("utf-8")).get("equivalent", [])
        place = SOURCES / "parlour" / ("" if summary.stem == "shared" else f"games/{summary.stem}")
        files = {entry["fault"][0] for entry in entries}
        found = {
            fault.name
            for file in place.rglob("*.py")
            if file.stem in files
            for fault in faults(f"parlour.{file.stem}", file.read_text("utf-8"))
        }
        assert [entry["fault"] for entry in entries if tuple(entry["fault"]) not in found] == []
        assert all(len(entry["why"]) > 10 for entry in entries)


QUICKLY = """
from tools import mutants
mutants.GENERAL, mutants.THUMB = ("tests/games/test_poker.py",), mutants.FIRST
raise SystemExit(mutants.main())
"""
"""A run with few files of tests."""


@pytest.mark.long
def test_a_run_finds_what_no_test_notices(tmp_path: Path) -> None:
    """A night runs the tool itself."""
    environment = {**os.environ, "COLUMNS": "200", "PYTHONPATH": f"{HERE.parent}:{SOURCES}"}
    words = ["kuhn", "--count", "1", "--only", "rules", "--jobs", "1", "--logbook", str(tmp_path)]
    command = [sys.executable, "-c", QUICKLY, *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert "1 planted, 1 killed, 0 equivalent, 0 survived: 100.0%" in done.stdout
    (judged,) = (tmp_path / "kuhn.jsonl").read_text().splitlines()
    assert json.loads(judged)["by"].startswith("tests/games/test_corpus.py::")


def test_a_score_says_whether_it_is_of_todays_rules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mutants, "HERE", tmp_path)
    (tmp_path / "mutants").mkdir()
    mutants.Kept("snap").enter("heuristic", mutants.Score(40, 30, 20, 5, 5), "abc")
    (today,), (later,) = (mutants.Kept("snap").told(of) for of in ("abc", "another"))
    assert today == "heuristic: of 40 faults 30 planted, 20 killed, 5 equivalent, 5 survived: 80.0% (today's rules)"
    assert later.endswith(", changed since)")
