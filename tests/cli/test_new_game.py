"""A game of your own: laid out by ``parlour new``, and used by its name in every command."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path

import pytest

from parlour import Game
from parlour.cli.author.new import lay_out
from parlour.cli.common.completing import named_games
from parlour.engine import definition
from parlour.engine.book import Book
from parlour.engine.definition import Definition
from tests.helpers import Said, Says, there


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, says: Says) -> Says:
    """Calls `parlour` in the test's folder, as a process that knows no game yet."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend("")

    def begins(words: str) -> Said:
        with monkeypatch.context() as fresh:
            for kept in ("_registered", "_read", "_copies"):
                fresh.setattr(definition, kept, {})
            fresh.setattr("sys.stdin", io.StringIO())
            return says(words)

    return begins


QUICK = "swap alongside events legal chance conservation redeal odds undo records clauses"
"""Checks of the audit that compile little or nothing."""


@pytest.mark.parametrize("checks", [QUICK, pytest.param("", marks=pytest.mark.long)], ids=["some checks", "all checks"])
def test_a_new_game_passes_the_audit_and_is_known_by_its_name(checks: str, tmp_path: Path, here: Says) -> None:
    code, out, err = here("new twenty_one --title Twenty-One-Cards")
    assert (code, "parlour play twenty_one" in out) == (0, True), err
    chosen = " ".join(f"--check={check}" for check in checks.split())
    code, out, err = here(f"audit twenty_one --players 2 --games 2 {chosen}")
    assert code == 0, out + err
    for name in ("twenty_one/", "deeper/twenty_one", "deeper.twenty_one"):
        if name == "deeper/twenty_one":
            (tmp_path / "deeper").mkdir()
            (tmp_path / "twenty_one").rename(tmp_path / name)
        code, out, err = here(f"rules {name} TOC-7")
        assert (code, "all show their cards" in out) == (0, True), err


def test_a_folder_that_is_there_is_left_alone(tmp_path: Path, says: Says) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "rules.py").write_text("mine")
    code, _, said = says(f"new mine --out {tmp_path}")
    assert (code, said) == (2, f"parlour: {tmp_path}/mine already exists; choose another name, or remove it.\n")
    assert (tmp_path / "mine" / "rules.py").read_text() == "mine"


MISTAKES = {
    "syntax": ("VERSION = 1", "VERSION = = 1", "syntax/rules.py, line 25 (VERSION = = 1): invalid syntax."),
    "lacking": ("VERSION = 1", "", "lacking.rules must define VERSION"),
    "unknown": ("VERSION = 1", "VERSION = ONE", "unknown/rules.py, line 25 (VERSION = ONE): name 'ONE' is not defined"),
    "moved": ("OVER", "DONE", "moved/invariants.py, line 7 (from .rules import DEALING, OVER): cannot import name"),
    "kinds": ("dealt: int = number()", 'dealt: int = number("u3")',
              """kinds/rules.py, line 39 (dealt: int = number("u3")  # cards dealt so far): there is no kind of f"""),
    "wide": ("(9, 8, MOST_CARDS", "(9, 8, 300", "8 to 300 does not fit in a field of kind 'u1', which holds 0 to 255;"),
    "order": ("CHOOSING, DRAWING, OVER", "DRAWING, CHOOSING, OVER", "order/rules.py, line 128 (actor, acting, "),
    "things": ('"turn": seat', '"turns": seat', "things/rules.py, line 135: THINGS: There is no field 'turns'; did"),
    "tuples": ("range(2, 4)  #", "(2, 3)  #", "tuples.rules: PLAYERS must be a range, such as range(2, 5), or"),
    "seats": ("SEATS = 3", "SEATS = 2", "seats.rules: hand has 2 entries, one for each seat, but 3 may play."),
    "called": ("def redeal(", "def redeals(", "defines redeals, which nothing calls by that name. Call it redeal"),
}  # fmt: skip
"""By the name of a game: what an author has written for what, and what is said of it."""
SLIPS = {
    "swaped": ("s.swapped |= 1 << me", "s.swaped |= 1 << me", "line 78, in choose (s.swaped |= 1 << me): Attr"),
    "staged": ('"choosing", "turn"', '"choosing", "turns"', "(class Staged(Position):): AttributeError: "),
    "owned": ("own=lambda s, me: s.swapped", "own=lambda s: s.swapped", "TypeError: <lambda>() takes 1 positional"),
    "given": ("    return left\n", "    left\n", "line 52: chance must return the set of the outcomes, a"),
}  # fmt: skip
"""Likewise, what is noticed only when the game is played."""
UNCHECKED = {
    "stuck": ("(STAY, SWAP), choose", "(), choose", "The rules of stuck are stuck after 2 steps: seat 0 is to act and"),
    "beyond": ("s.swapped |= 1 << me", "s.swapped |= 256 << me", "beyond: swapped = 256 does not fit in u1 (0 to 255)"),
    "unsaid": ('"draws", s.turn', '"drawz", s.turn', "unsaid/words.toml lacks a sentence under [events] for 'drawz'"),
    "cited": ('-7", "shows"', '-99", "shows"', "cited/book.md has no clause 'MG-99', which the rules cite."),
}  # fmt: skip
"""Likewise, what machine code does not look at."""
EACH = """
import io, sys
from contextlib import suppress
from parlour.cli.app import main
words, *games = sys.argv[1:]
for game in games:
    command, *more = words.split()
    sys.argv, sys.stdin = ["parlour", command, game, *more], io.StringIO("swap\\n" * 9)
    with suppress(SystemExit):
        main()
"""


@pytest.mark.parametrize(
    ("words", "cases"),
    [
        ("audit --check end", MISTAKES),
        ("play --against random", SLIPS),
        ("simulate --games 9 --quiet", SLIPS | UNCHECKED),
    ],
    ids=["audit", "play", "simulate"],
)
def test_an_authors_mistake_is_one_sentence(words: str, cases: dict[str, tuple[str, str, str]], tmp_path: Path) -> None:
    for game, (line, wrong, _) in cases.items():
        rules = lay_out(game, "My Game", tmp_path) / "rules.py"
        rules.write_text(rules.read_text().replace(line, wrong))
    command = [sys.executable, "-c", EACH, words, *cases]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert (done.stdout == "") == (cases is MISTAKES)
    for said, (game, (_, _, told)) in zip(done.stderr.splitlines(), cases.items(), strict=True):
        assert said.startswith(f"parlour: {game}/rules.py, line " if game in SLIPS else "parlour: ")
        assert told in said or "The games are played interpreted, and more slowly." in said


def test_records_of_a_game_in_the_current_folder_are_read(tmp_path: Path, here: Says) -> None:
    lay_out("mine_here", "Mine", tmp_path)
    record = "parlour record 1\ngame: mine_here\nrules: 1\nplayers: 2\noption cards: 9\n\nchance: 3\n"
    (tmp_path / "one.rec").write_text(record)
    for words, told in {"replay": "Mine", "verify": "no commitment", "play --resume": "Mine"}.items():
        said = "".join(map(str, here(f"{words} one.rec")))
        assert ("There is no game" in said, told in said) == (False, True), words


def test_sizes_of_a_game_in_the_current_folder_are_known_like_all_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, here: Says
) -> None:
    few = 'from parlour.engine.families import Member\n\nFAMILY = {"8": Member("Eight cards", {}, {"cards": 8})}\n'
    (lay_out("few_cards", "Few Cards", tmp_path) / "family.py").write_text(few)
    for words, told in (
        ("rules few_cards-8 FC-7", "all show their cards"),
        ("few_cards-8", "few_cards-8 is a game; to play it: parlour play few_cards-8"),
        ("rules few_cards-9", "Choose from: few_cards-8, few_cards-full"),
        ("rules feww_cards", "'few_cards'? Choose from: commit, diabolo, diamondback, diamonds, dividha, few_cards,"),
        ("games --study", "few_cards-8"),
    ):
        assert told in " ".join(map(str, here(words))), words
    monkeypatch.setattr(definition, "_registered", {})
    assert (named_games("few"), "few_cards" in definition.games()) == (["few_cards"], False)
    assert named_games("few_cards-") == ["few_cards-8", "few_cards-full"]


def test_a_game_that_is_misspelt_or_hidden_by_an_installed_one_is_told(
    tmp_path: Path, here: Says, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "env" / "site" / "taken").mkdir(parents=True)
    (tmp_path / "env" / "site" / "taken" / "__init__.py").touch()
    monkeypatch.syspath_prepend("env/site")
    assert "'taken' can't be a game's folder: Python would find" in here("new taken")[2]
    lay_out("scopone", "Scopone", tmp_path)
    lay_out("other", "Other", tmp_path).rename(tmp_path / "kuhn")
    assert "There is no game 'scopome'; did you mean 'scopone'?" in here("rules scopome")[2]
    told = "parlour: kuhn is the game that is installed, not the one in the folder kuhn here.\n"
    assert here("rules kuhn KU-1")[::2] == (0, told)
    assert here("rules scopone SC-1")[::2] == (0, "")


@pytest.mark.parametrize("name", ["g1", "x2y", "a_1"])
def test_the_clauses_of_a_new_game_have_ids(name: str, tmp_path: Path) -> None:
    text = (lay_out(name, name.replace("_", " ").title(), tmp_path) / "book.md").read_text()
    assert next(iter(Book(text).clauses)).endswith("-1")


def test_modules_of_rules_may_be_imported_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hearts does so with ``tricks``, compiled as well; here it is a module of the folder, with a small deck."""
    folder = lay_out("whole_game", "Whole Game", tmp_path)
    (folder / "pack.py").write_text("LEAST = 1\n\n\ndef pack(n: int) -> int:\n    return (1 << n) - LEAST\n")
    rules = (folder / "rules.py").read_text().replace("(1 << s.cards) - 1", "pack.pack(s.cards)", 1)
    assert "pack.pack" in rules
    imported = "from whole_game import pack\n\nfrom parlour.rules.vocabulary"
    (folder / "rules.py").write_text(rules.replace("from parlour.rules.vocabulary", imported, 1))
    monkeypatch.syspath_prepend(str(tmp_path))
    what = Definition("whole_game", "whole_game")
    assert [module.__name__ for module in what.sources] == ["whole_game.pack", "whole_game.rules"]
    assert Game(what, 2, {}).new().chance_outcomes()[0][0] == 0
    monkeypatch.setattr(what.part("invariants"), "SMALL", {"LEAST": 2}, raising=False)
    small = there(what.small)
    assert Game(small, 2, {}).new().chance_outcomes()[0][0] == 1
