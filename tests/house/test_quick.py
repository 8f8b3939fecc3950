"""`make quick` runs the tests of what has changed."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from parlour.engine.definition import shelf
from tools import quick


@pytest.mark.parametrize("game", shelf())
def test_a_change_of_rules_runs_the_tests_of_that_game(game: str) -> None:
    """Its own first, and then of those about every game what is about this one."""
    rules = f"src/parlour/games/{game}/rules.py"
    tests = quick.tests_of(rules)
    assert all(test.startswith("tests/games/") for test in tests)
    if own := [*(quick.ROOT / "tests" / "games").glob(f"test_{game}*.py")]:
        assert quick.named_for(rules) == {str(file.relative_to(quick.ROOT)) for file in own}
        assert set(tests[: len(own)]) == quick.named_for(rules)
    assert quick.words_of("tests/games/test_corpus.py", [rules]) == [game]
    assert quick.words_of("tests/games/test_corpus.py", [rules, "src/parlour/core/game.py"]) == ["test_corpus.py"]


@pytest.mark.parametrize(
    ("file", "test"),
    [
        # by its own name, by the name of the file, by who imports it, by who imports what imports it
        ("tests/house/test_layers.py", "house/test_layers"),
        ("src/parlour/rules/tricks.py", "rules/test_tricks"),
        ("src/parlour/server/club/swiss.py", "server/club/test_swiss"),
        ("src/parlour/audit/trails.py", "audit/test_audit"),
        ("src/parlour/server/store/lease.py", "server/live/test_room_servers"),
        ("src/parlour/cli/play/odds.py", "cli/test_odds"),
        # by who names it, or its folder
        ("src/parlour/games/hearts/lesson.toml", "games/test_hearts"),
        ("src/parlour/server/club/pages/templates/your_rating.html", "server/club/test_ratings"),
        ("src/parlour/server/page/static/look.css", "server/page/test_page_work"),
        ("src/parlour/cli/author/starter/rules.py", "cli/test_new_game"),
        ("tests/mutants/leduc.toml", "house/test_mutants"),
        ("tests/campaigns/audit-kuhn.jsonl", "house/test_campaigns"),
        ("tools/failover.py", "house/test_tools"),
        ("Makefile", "house/test_tools"),
    ],
)
def test_a_file_has_the_tests_that_are_about_it(file: str, test: str) -> None:
    assert f"tests/{test}.py" in quick.tests_of(file)


def test_every_file_of_the_house_has_tests() -> None:
    """They lie in the folder for it, or lead to it in few steps: none of them is there for want of a better one."""
    assert without_tests(quick.ROOT) == []


def without_tests(root: Path) -> list[str]:
    """The files of the package for which nothing would be run."""
    files = [file for file in (root / "src").rglob("*") if file.is_file() and "__pycache__" not in file.parts]
    named = sorted(str(file.relative_to(root)) for file in files)
    return [file for file in named if not quick.tests_of(file)]


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A small house: a module with tests that import it, its page, and a folder with tests."""
    made = {
        "src/parlour/__init__.py": "",
        "src/parlour/high/__init__.py": "",
        "src/parlour/high/tower.py": "from parlour.low import cellar",
        "src/parlour/high/tower.html": "",
        "src/parlour/low/__init__.py": "",
        "src/parlour/low/cellar.py": 'PAGE = "tower.html"',
        "tests/__init__.py": "",
        "tests/high/test_tower.py": "import parlour.high.tower",
        "tests/high/test_view.py": "import parlour.high",
    }
    for name, text in made.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(quick, "ROOT", tmp_path)
    forget()
    yield tmp_path
    forget()


def forget() -> None:
    """Let everything be read again."""
    for kept in (quick.text_of, quick.readers, quick.who, quick.near, quick.steps_to, quick.modules_of_tests):
        kept.cache_clear()


def test_the_nearest_tests_come_first(small: Path) -> None:
    tower, view = "tests/high/test_tower.py", "tests/high/test_view.py"
    assert quick.tests_of("src/parlour/high/tower.py") == [tower, view]
    assert quick.tests_of("src/parlour/low/cellar.py") == [tower]  # two steps
    assert quick.tests_of("src/parlour/high/tower.html") == [tower, view]
    assert quick.tests_of(view) == [view]
    cellar = "src/parlour/low/cellar.py"
    assert quick.tests_of_all([view, cellar]) == {view: [view], tower: [cellar]}


def test_a_file_without_tests_is_found(small: Path) -> None:
    """One that nobody imports or names, in a folder without tests; a test in a browser does not count."""
    (small / "src/parlour/low/loft.py").write_text("")
    (small / "src/parlour/low/loft.css").write_text("")
    (small / "tests/low").mkdir()
    (small / "tests/low/test_loft.py").write_text("import parlour.low.loft\ndef test_loft(browser: Browser): ...")
    forget()
    nobody = [file for file in without_tests(small) if "loft" in file]
    assert nobody == ["src/parlour/low/loft.css", "src/parlour/low/loft.py"]
    (small / "tests/low/test_loft.py").write_text("import parlour.low.loft")
    forget()
    assert not [file for file in without_tests(small) if "loft" in file]


def test_most_tests_are_run_for_something() -> None:
    """But those that are all in a browser."""
    files = [file for place in ("src", "tools") for file in (quick.ROOT / place).rglob("*.py")]
    run = quick.tests_of_all(str(file.relative_to(quick.ROOT)) for file in files).keys()
    assert len(run) > 0.9 * len(quick.modules_of_tests()), sorted(quick.modules_of_tests() - run)


def test_no_test_begins_when_the_time_is_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config, asked = SimpleNamespace(stash=pytest.Stash()), iter([0.0, quick.SECONDS, quick.SECONDS + 0.1])
    monkeypatch.setattr("tools.quick.time.monotonic", lambda: next(asked))
    quick.pytest_configure(cast(pytest.Config, config))
    item = cast(pytest.Item, SimpleNamespace(config=config))
    quick.pytest_runtest_setup(item)
    with pytest.raises(pytest.skip.Exception, match="seconds are over"):
        quick.pytest_runtest_setup(item)
    browsing = cast(pytest.Item, SimpleNamespace(config=config, fixturenames=["browser"]))
    with pytest.raises(pytest.skip.Exception, match="needs a browser"):
        quick.pytest_runtest_setup(browsing)


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
