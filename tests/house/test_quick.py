"""`make quick` runs the tests of what has changed."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from parlour.engine.definition import shelf
from tools import quick


def test_every_line_names_tests_that_are_there() -> None:
    words = {word for _, names in quick.TESTS for word in names.split() if "\\" not in word}
    assert words >= {"test_audit", "leduc"}
    for word in (*words, *quick.SMOKE.split(), *shelf()):
        modules = quick.modules_of(word)
        assert modules
        assert all(module.exists() for module in modules), word


@pytest.mark.parametrize("game", shelf())
def test_a_change_of_rules_runs_the_tests_of_that_game(game: str) -> None:
    rules = f"src/parlour/games/{game}/rules.py"
    assert quick.tests_of([rules]) == {game: [rules]}
    own, *general = quick.modules_of(game)
    assert own.name.startswith(("test_poker", f"test_{game}"))
    assert {f"{name}.py" for name in quick.EACH_GAME.split()} <= {module.name for module in general}


@pytest.mark.parametrize(
    ("file", "names"),
    [
        ("tests/house/test_layers.py", ["test_layers"]),
        ("src/parlour/rules/stops/play.py", ["commit", "newmarket", "pope_joan"]),
        ("src/parlour/audit/trails.py", ["test_audit"]),
        ("src/parlour/core/records.py", ["test_records"]),
        ("src/parlour/server/club/pairing.py", ["test_store", "test_room_leaks", "test_layers", "test_swiss"]),
        ("src/parlour/server/page/static/parlour.css", ["test_boards", "test_decks", "test_page_leaks", "test_layers"]),
        ("a file nobody knows", quick.SMOKE.split()),
    ],
)
def test_other_files_have_tests_too(file: str, names: list[str]) -> None:
    assert list(quick.tests_of([file])) == names


def test_every_file_of_the_house_has_tests() -> None:
    """Not only those that are run for files nobody knows."""
    files = [file for file in (quick.ROOT / "src").rglob("*") if file.is_file() and "__pycache__" not in file.parts]
    named = sorted(str(file.relative_to(quick.ROOT)) for file in files)
    assert [file for file in named if [*quick.tests_of([file])] == quick.SMOKE.split()] == []
    assert all(module.exists() for name in quick.tests_of(named) for module in quick.modules_of(name))


def test_most_tests_are_run_for_something() -> None:
    """But those in a browser, and those about words, tools and packages."""
    files = [str(file.relative_to(quick.ROOT)) for file in (quick.ROOT / "src").rglob("*.py")]
    run = {module.stem for name in quick.tests_of(files) for module in quick.modules_of(name)}
    without_browser = {name for name, (_, browses) in quick.imports().items() if not browses}
    assert len(run) > 0.75 * len(without_browser), sorted(without_browser - run)


def test_what_has_changed_is_what_git_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not shutil.which("git"):
        pytest.skip("there is no git")
    monkeypatch.setattr(quick, "ROOT", tmp_path)

    def git(*words: str) -> None:
        who = ("-c", "user.name=Ann", "-c", "user.email=ann@example.org")
        subprocess.run(("git", *who, *words), cwd=tmp_path, check=True, capture_output=True)

    def wrote(*names: str) -> None:
        for name in names:
            (tmp_path / name).write_text(name)
        git("add", ".")
        git("commit", "-m", "x")

    git("init", "-b", "main")
    wrote("old", "older")
    wrote("last")
    assert quick.changed()[1] == ["last"]  # nothing new: the last commit
    git("checkout", "-b", "work")
    wrote("mine")
    (tmp_path / "old").write_text("changed")
    (tmp_path / "older").unlink()
    (tmp_path / "new").write_text("not added")
    assert quick.changed()[1] == ["mine", "new", "old"]
