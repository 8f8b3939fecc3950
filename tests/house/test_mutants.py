"""Faults that `make mutants` plants: which there are, where they are planted, and that those called equivalent are some
of them."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from parlour.engine.definition import shelf
from tools import mutants
from tools.faults import SOURCES, drawn, faults, file_of, marked

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


def test_every_small_fault_is_found_once() -> None:
    found = {(fault.was, fault.now) for fault in faults("parlour.rules", RULES)}
    condition = "if s.coins[p] < LIMIT and not s.broke:"
    assert found == {
        ("LIMIT: int = 3", "LIMIT: int = 4"),
        ("LIMIT: int = 3", "LIMIT: int = 2"),
        ('def pays(s: "State", p: int = 0) -> bool:', 'def pays(s: "State", p: int = 1) -> bool:'),
        (condition, "if s.coins[p] <= LIMIT and not s.broke:"),
        (condition, "if s.coins[p] >= LIMIT and not s.broke:"),
        (condition, "if (s.coins[p] < LIMIT or not s.broke):"),
        (condition, "if s.coins[p] < LIMIT and (s.broke):"),
        ("s.pot += 1", "s.pot -= 1"),
        ("s.pot += 1", "s.pot += 2"),
        ("s.pot += 1", "s.pot += 0"),
        ("s.pot += 1", "pass"),
        ("return s.pot & 2 == 2", "pass"),
        ("return s.pot & 2 == 2", "return s.pot & 2 != 2"),
        ("return s.pot & 2 == 2", "return s.pot & 3 == 2"),
        ("return s.pot & 2 == 2", "return s.pot & 1 == 2"),
        ("return s.pot & 2 == 2", "return s.pot & 2 == 3"),
        ("return s.pot & 2 == 2", "return s.pot & 2 == 1"),
        ("return s.pot & 2 == 2", "return (s.pot | 2) == 2"),
    }


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


WAITS = """
async def answer(what):
    'Words that stay.'
    match what:
        case 1:
            return 'one'
        case _:
            return 'another'
"""


@pytest.mark.parametrize(("asked", "lines"), [(1, [4, 6]), (2, [4, 8])])
def test_it_is_known_which_statements_are_passed_over_in_a_coroutine_too(asked: int, lines: list[int]) -> None:
    passed = bytearray(10)
    made: dict[str, Any] = {"_passed": passed}
    exec(marked(WAITS, 0), made)
    assert asyncio.run(made["answer"](asked)) == ("one" if asked == 1 else "another")
    assert [n for n, one in enumerate(passed) if one] == lines
    assert made["answer"].__doc__ == "Words that stay."
    assert {fault.function for fault in faults("parlour.server.waits", WAITS)} == {"answer"}


def run(*words: str | Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "COLUMNS": "200", "PYTHONPATH": f"{HERE.parent}:{SOURCES}"}
    return subprocess.run([sys.executable, *words], capture_output=True, text=True, check=False, env=environment)


OFTEN = """
import sys
from tools import mutants
mutants.GENERAL, mutants.THUMB = ("tests/games/test_poker.py",), mutants.FIRST
if code := mutants.main():
    sys.exit(code)
mutants.preload = str
sys.argv[2:2] = ["common", "--matrix", "1"]
mutants.main()
mutants.main()
"""
"""A run; the matrix of the same fault and of one in a folder, with few files of tests; and again, from what is kept."""


def test_a_run_finds_what_no_test_notices(tmp_path: Path) -> None:
    done = run("-c", OFTEN, "kuhn", "--count", "1", "--only", "rules", "--jobs", "1", "--logbook", tmp_path)
    assert not done.stderr
    assert done.returncode == 0, done.stdout
    found = re.search(
        r"kuhn, rules: of \d{3} faults 1 planted, 1 killed, 0 equivalent, 0 survived: 100\.0%", done.stdout
    )
    assert found, done.stdout
    (judged,) = (tmp_path / "kuhn.jsonl").read_text().splitlines()
    assert json.loads(judged)["by"].startswith("tests/games/test_corpus.py::")
    matrices = re.findall(r"(\w+): (\d) of 1 .*of (\d+) tests (\d+) .* no other does, (\d+) nothing", done.stdout)
    assert [matrix[0] for matrix in matrices] == ["kuhn", "common"] * 2, done.stdout + done.stderr
    assert matrices[:2] == matrices[2:]
    for part, lived, *numbers in matrices[:2]:
        head, *lines = (line.split("\t") for line in (tmp_path / f"{part}.matrix.tsv").read_text().splitlines())
        assert head == ["alone", "noticed", "passed", "seconds", "test"]
        assert lines == sorted(lines, key=lambda line: (line[:2], -float(line[3])))
        noticing = {test.partition("::")[0] for _, noticed, _, _, test in lines if noticed == "1"}
        assert lived == str(int(not noticing))
        alone = sum(line[0] == "1" for line in lines)
        assert numbers == [str(len(lines)), str(alone), str(sum(line[1:3] == ["0", "1"] for line in lines))]
        kept = (tmp_path / f"{part}.matrix.jsonl").read_text().splitlines()
        assert len(kept) == any(line[2] == "1" for line in lines)
        assert part != "kuhn" or {"tests/games/test_corpus.py", "tests/games/test_poker.py"} <= noticing


def test_a_score_says_whether_it_is_of_todays_rules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mutants, "HERE", tmp_path)
    (tmp_path / "mutants").mkdir()
    entry = '[[equivalent]]\nfault = ["rules", "f", "pass", "return"]\nwhy = "It is the last line."\n'
    (tmp_path / "mutants" / "snap.toml").write_text(entry)
    kept = mutants.Kept("snap")
    kept.enter("heuristic", mutants.Score(40, 30, 20, 5, 5), "abc")
    kept.enter("rules", mutants.Score(90, 60, 60, 0, 0), "abc")
    again = mutants.Kept("snap")
    assert again.equivalent == {("rules", "f", "pass", "return")}
    today, later = (list(again.told(of)) for of in ("abc", "another"))
    assert today == [
        "rules: of 90 faults 60 planted, 60 killed, 0 equivalent, 0 survived: 100.0% (today's rules)",
        "heuristic: of 40 faults 30 planted, 20 killed, 5 equivalent, 5 survived: 80.0% (today's rules)",
    ]
    assert all(", changed since)" in line for line in later)
