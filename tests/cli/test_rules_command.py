"""`parlour rules`, `parlour games`, `parlour --version`."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import parlour
from parlour.engine.definition import definition
from tests.helpers import Says, assert_one_sentence


@pytest.mark.parametrize("game", ["diamonds", "kuhn", "leduc"])
def test_the_book_is_whole_and_fits_80_columns(says: Says, game: str) -> None:
    code, out, _ = says(f"rules {game}")
    assert code == 0
    what = definition(game)
    assert max(map(len, out.splitlines())) <= 80
    flat = " ".join(out.split())
    for clause in what.book.clauses.values():
        assert f"{clause.id} [{clause.kind}; {clause.origin}] {' '.join(clause.text.replace('`', '').split())}" in flat
    for name, option in what.options.items():
        assert f"{name}: {what.words['options'][name]['about']}" in flat
        for word in option.words:
            assert f"- {word}{' (default)' if word == option.default else ''}: " in flat
    assert "**" not in out
    assert "`" not in out


def test_one_clause(says: Says) -> None:
    code, out, _ = says("rules diamonds dm-44")
    assert code == 0
    assert out.startswith("DM-44  When you trade,")
    for part in ("section  Digging", "kind     act", "origin   house", "option   trade_leaves", "- on_pile (default)"):
        assert part in out
    assert says("rules diamonds 44") == (code, out, "")


def test_search(says: Says) -> None:
    code, out, _ = says("rules diamonds --search JOKER")
    assert code == 0
    found = [line.split()[0] for line in out.splitlines() if line.startswith("DM-")]
    book = parlour.load("diamonds").definition.book
    assert found == [c.id for c in book.clauses.values() if "joker" in c.text.casefold()]


def test_without_a_game_the_games_are_listed(says: Says) -> None:
    code, out, _ = says("rules")
    assert code == 0
    for name in ("diamonds", "kuhn", "leduc"):
        assert name in out
        assert " ".join(definition(name).about.split()) in " ".join(out.split())
    assert says("games")[1] == out
    assert "Diamonds: 2 or 3 players, about 2 minutes" in out


def test_python_runs_it_as_a_module() -> None:
    """For whoever has it installed, but not on the path."""
    command = [sys.executable, "-m", "parlour"]
    done = subprocess.run([*command, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"parlour {parlour.__version__}\n"
    mistaken = subprocess.run([*command, "rulse"], capture_output=True, text=True, check=False)
    assert (mistaken.returncode, mistaken.stdout) == (2, "")
    assert mistaken.stderr.startswith("parlour: There is no command 'rulse'")


def covered(tmp_path: Path, *without: str) -> Path:
    clauses = {c: ["tests/test_kuhn.py::test_a", "tests/test_kuhn.py::test_b"] for c in definition("kuhn").book.clauses}
    file = tmp_path / "clauses.json"
    file.write_text(json.dumps({"kuhn": {c: t for c, t in clauses.items() if c not in without}}))
    return file


def test_coverage_lists_the_tests_of_each_clause(says: Says, tmp_path: Path) -> None:
    code, out, _ = says(f"rules --coverage --file {covered(tmp_path)}")
    assert code == 0
    assert out.count("tests/test_kuhn.py::test_b") == len(definition("kuhn").book.clauses)
    assert "13 of 13 clauses have a test." in out


def test_a_clause_without_a_test_is_shown_and_fails(says: Says, tmp_path: Path) -> None:
    file = str(covered(tmp_path, "KU-5"))
    code, out, _ = says(f"rules kuhn --coverage --file {file}")
    assert code == 1
    assert "Without: KU-5." in out
    assert [line.split() for line in out.splitlines() if "KU-5 " in line] == [["KU-5", "knowledge", "NO", "TEST"]]
    code, out, _ = says(f"rules --coverage --json --file {file}")
    assert code == 1
    assert json.loads(out)["kuhn"]["KU-5"] == []
    assert len(json.loads(out)["kuhn"]["KU-6"]) == 2
    assert says(f"rules leduc --coverage --file {file}")[0] == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("rules nix", "There is no game 'nix'"),
        ("rules diamonds DM-999", "'DM-999'"),
        ("rules diamonds joker", "'joker'"),
        ("rules diamonds --search zebra", "'zebra'"),
        ("rules --search joker", "Say which game"),
        ("rules diamonds 3 --search joker", "not both"),
        ("rules diamonds --json", "--coverage"),
        ("rules diamonds 3 --coverage", "be combined with a clause"),
        ("rules --coverage --file nowhere.json", "make test"),
        ("rules diamonds --nonsense", "--nonsense"),
    ],
)
def test_bad_arguments_are_one_sentence(says: Says, words: str, said: str) -> None:
    assert_one_sentence(says(words), named=said)


def test_a_file_that_is_no_coverage(says: Says, tmp_path: Path) -> None:
    for text in ("[]", "{", '{"kuhn": 3}'):
        (tmp_path / "x.json").write_text(text)
        code, _, err = says(f"rules --coverage --file {tmp_path / 'x.json'}")
        assert code == 2
        assert "isn't a coverage file" in err
