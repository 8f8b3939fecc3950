"""What the audit says to the author of a game: where it is, what it should be, and what to do."""

from __future__ import annotations

import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest
from typer.testing import CliRunner

import parlour
from parlour import ParlourError
from parlour.audit import CHECKS, audit, material
from parlour.audit.material import Material
from parlour.cli.app import app
from parlour.cli.author.new import lay_out
from parlour.core.drawing import Drawing, lines
from parlour.core.lessons import has_lesson
from parlour.players.simple import RuleOfThumb


def written(game: str, changes: list[tuple[str, str, str]], folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A game as ``parlour new`` lays it out, with other lines in some files, and files of its own where it had no
    line, registered as one lies in the current folder; its name."""
    made = lay_out(game, "My Game", folder)
    for name, line, other in changes:
        text = (made / name).read_text() if line else ""
        assert line in text
        (made / name).write_text(text.replace(line, other) if line else other)
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend("")
    monkeypatch.setattr(parlour.engine.definition, "_registered", {})
    return parlour.register(game)


RULES, STATED = "rules.py", "invariants.py"
SLIPS = {
    "amounts": (STATED, "return {}", 'return {"dealt": 2}', "bounds", "line 31: amounts must return the lowest and"),
    "unnamed": (STATED, "return {}", 'return {"dealed": (0, 2)}', "bounds", "amounts in THINGS, which are dealt, not"),
    "pair": (STATED, "return Bounds(-1.0, s.players - 1.0, 0.0, s.players)", "return -1, 1", "bounds",
             "pair/invariants.py, line 25: bounds must return Bounds(lowest, highest, total, decisions), such as"),
    "reveals": (STATED, "def hide", 'REVEALS = "shows"\n\n\ndef hide', "events", 'REVEALS must name events of words'),
    "small": (STATED, "def hide", "SMALL = 5\n\n\ndef hide", "odds", "SMALL must give names of constants of the rules"),
    "hides": (STATED, "            s.aside[p] = 0", "            s.aside[p] = 0\n    return s", "swap",
              "hides/invariants.py, line 10: hide must return nothing, but wipe fields of s itself, not Hides"),
    "checks": (STATED, '< len(cards) else ""', "< len(cards) else None", "conservation",
               "checks/invariants.py, line 19: check must return what is wrong in words"),
    "typed": (STATED, "*s.hand, *s.aside", "*s.hands, 0", "conservation", "line 21, in check (cards = [card for"),
    "chance": (RULES, "    return left", "    left", "end", "chance/rules.py, line 52: chance must return the set of"),
    "chanceless": (RULES, "def chance(", "def left_over(", "end", "chanceless.rules must define chance (docs/"),
    "dealless": (RULES, '"choosing", "turn"', '"choosing", -4', "end", "dealless.rules must define next_deal"),
    "lucky": (RULES, "VERSION = 1", "VERSION = 1\nimport random", "end", "lucky/rules.py, line 26: rules may not impo"),
    "taken": (RULES, "(s: Taken, out", "(s: Taken, to, out", "end", "line 114: returns must take (s, out), not (s, "),
    "spoken": ("deck.py", "", "def spoken(name):\n    return {}[name]\n", "clauses",
               ": spoken/deck.py, line 2 (return {}[name]): KeyError: '"),
    "swaped": (RULES, "s.swapped |= 1", "s.swaped |= 1", "end", "swaped/rules.py, line 78, in choose (s.swaped |= 1"),
    "over": (RULES, "        s.turn = 0\n", "", "redeal", "turn 2 / 0. Nobody is told it here (THINGS): set it back"),
    "aloud": (RULES, "            whisper(", "            note(", "alongside",
              "(MG-3 dealt); told in aloud/rules.py, line 67 (note 'dealt'); note tells everybody, whisper one player"),
    "openly": (RULES, '    whisper(to, "MG-6", "draws"', '    note(to, "MG-6", "draws"', "events",
               'or, if this is said openly and then forgotten, state it in invariants.py: REVEALS = ("draws",)'),
    "about": (RULES, '"draws", s.turn, k)', '"draws", k + 7, s.turn)', "clauses",
              "the event 'draws' is told to seat "),
    "turned": (RULES, ' else "stays", me)', ' else "stays", 7, me)', "clauses",
               "is about seat 7: the player comes first, then the numbers; told in turned/rules.py, line 74 (note '"),
    "uncited": (RULES, 'clauses="MG-2"', 'clauses="MG-2 MG-99"', "clauses",
                "uncited/rules.py, line 35 cites 'MG-99', which is not a clause of the book"),
    "unmarked": (RULES, 'TERMINAL, "MG-9")', 'TERMINAL)', "clauses",
                 "No event and no refusal cites MG-9, which the book marks [act]."),
    "circling": (RULES, "    s.turn += 1\n", "    s.turn += 0\n", "end",
                 "the game is not over after 20000 steps; in stage 'choosing' it goes on: 0: "),
    "twice": (RULES, "    s.turn += 1\n", "    s.hand[1] = s.hand[0]\n", "end",
              "]; later the game does not end\n      after: chance: "),
    "idle": (RULES, ', "MG-6", happens=draw_card', ', "MG-6"', "end",
             "(Stage(DRAWING, \"drawing\", CHANCE, \"MG-6\"),): stage 'drawing' asks CHANCE, but has no `happens`\n"),
    "mute": (RULES, "SWAP), choose", "SWAP)", "end", "stage 'choosing' asks a player, but has no `does`"),
    "dumb": (RULES, "(STAY, SWAP), ", "does=", "end", "stage 'choosing' asks a player, but has no `offers`"),
}  # fmt: skip
"""By the name of a game: what its author has written for what in which file, the check that tells it, and how."""


@pytest.mark.parametrize("game", SLIPS)
def test_an_authors_slip_is_told_with_its_place(game: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("parlour.audit.Material", partial(Material, most=20_000))  # what never ends takes long
    file, line, other, check, told = SLIPS[game]
    written(game, [(file, line, other)], tmp_path, monkeypatch)
    try:
        said = str(audit(game, players=2, games=3, exhaustive=0, checks=[check]))
    except ParlourError as error:
        said = str(error)
    assert told in said
    assert "src/parlour" not in said


def test_a_wrong_index_of_an_authors_is_told_and_does_not_end_the_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only machine code knows who hears it; and only another process can be ended without ending the tests."""
    written("toward", [(RULES, '"dealt", p, s.hand[p] - 1)', '"dealt", 1 << 32 | p)')], tmp_path, monkeypatch)
    words = ["audit", "toward", "-p", "2", "-n", "1", "-q", "-o", "cards=9", "-c", "tensors"]
    ran = subprocess.run([sys.executable, "-m", "parlour", *words], capture_output=True, text=True, check=False)
    assert (ran.returncode, "toward/rules.py, line 67 (whisper" in " ".join(ran.stdout.split())) == (1, True), ran


THUMB = "def appraise(s, me, acts, n, worth, notes, rng):\n    worth[1] = 'best'\n"


@pytest.mark.parametrize(
    ("game", "change", "told"),
    [
        (
            "few_names",
            (RULES, "STAY, SWAP = 0, 1", "STAY, SWAP = 0, 2"),
            "rules.py, line 158: action_names names actions 0 to 1, but",
        ),
        ("worthy", ("heuristic.py", "", THUMB), "heuristic.py, line 1: appraise must make worth[1] a number, not 'b"),
    ],
)
def test_a_slip_is_told_in_play(
    game: str, change: tuple[str, str, str], told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = parlour.load(written(game, [change], tmp_path, monkeypatch), 2).new(seed=1)
    with pytest.raises(ParlourError) as wrong:
        RuleOfThumb(state.game).choose(state.view(0), state.legal_actions(0))
    assert f"{game}/{told}" in str(wrong.value)


LESSON = 'aim = "Win."\nplayers = 2\ndeal = "chance: 4, 5"\n[[stop]]\nsay = "Look."\npoint = "card 4"\n'
PRESETS = '[standard]\ntitle = "S"\nabout = "S."\n[few]\ntitle = "F"\nabout = "F."\n[few.options]\ncards = 8\n'
TITLE = 'def title(name):\n    return f"the {name}"\n'
FACE = "def face(name, four_colours):\n    return '<svgg>'\n"
TABLE = '{% extends "layout.html" %}\n{% block stage %}{{ v.dealt }}{% endblock %}{% macro seat(one) %}{% endmacro %}\n'
WORDS = "words.toml"
FILES = [("lesson.toml", "", LESSON), ("presets.toml", "", PRESETS), ("deck.py", "", TITLE), ("table.html", "", TABLE)]
WRONG = {
    "tables": (WORDS, "[did]", "[didd]", ", line 23: There is no table of words 'didd'; did you mean"),
    "event": (WORDS, 'shows = "shows {', 'show = "shows {', ", line 27: There is no event 'show'; did you"),
    "game": (WORDS, "minutes = 1", "minute = 1", ", line 4: There is no entry of [game] 'minute'; did"),
    "soon": (WORDS, "minutes = 1", 'minutes = "ten"', ", line 4: minutes must be a whole number, not 'ten'"),
    "account": (WORDS, "minutes = 1", 'account = "coins"', ", line 4: There is no thing 'coins'"),
    "verb": (WORDS, 'stay = "Keep', 'stayy = "Keep', ", line 38: There is no kind of action 'stayy'; did you"),
    "label": (WORDS, 'aside = "put aside"\n', "", ", line 29: 'aside' has no label"),
    "choice": (WORDS, "[options.cards]", "[options.card]", ", line 41: There is no option 'card'; did"),
    "aimed": ("lesson.toml", "card 4", "card 40", ", line 4: stop 1: There is no card '40'; did you"),
    "stopp": ("lesson.toml", "[[stop]]", '[[stopp]]\n[[stop]]', ", line 4: There is no entry of a lesson"),
    "stops": ("lesson.toml", "point =", "points =", ", line 4: stop 1: 'points' is not a key of a stop"),
    "seatless": ("lesson.toml", "Look.", "Look at {7}.", ", line 4: stop 1: there is no seat 7; seats run from 0 to"),
    "preset": ("presets.toml", "cards = 8", "card = 8", ": preset few: There is no option 'card' of preset;"),
    "sizes": ("family.py", "", "SIZES = {}\n", " must define FAMILY"),
    "again": ("presets.toml", "cards = 8", "cards = 9", ": preset few has the same house rules as standard"),
    "open": ("presets.toml", '"F"', '"F', " cannot be read: line 5 (title = \"F): a text in quotes does not end"),
    "value": ("presets.toml", "cards = 8", "cards = 800", ": preset few: value: option cards cannot be"),
    "late": ("presets.toml", "cards = 8\n", "cards = 8\n[few.option]\n", ", line 9: There is no entry of a preset "),
    "deck": ("deck.py", "{name}", "{nam}", ", line 2, in title (return f\"the {nam}\"): NameError: name 'nam'"),
    "told": ("table.html", "v.dealt", "v.delt", ", line 2: There is no thing 'delt'; did you mean 'dealt'?"),
    "syntax": ("table.html", "{% endblock %}", "{% endblok %}", ", line 2: Encountered unknown tag 'end"),
    "seated": ("table.html", "seat(one)", "seats(one)", ": it must define a macro seat(one)"),
    "filtered": ("table.html", "v.dealt", "v.dealt | uper", ", line 2: There is no filter 'uper'; did you mean"),
    "pictured": ("drawing.py", "", "def pictur(view):\n    return ''\n", ": nothing calls 'pictur'; did you mean"),
    "shown": ("deck.py", "", 'SHOWCASE = [["1", "XC"]]\n', ": SHOWCASE: There is no card 'XC'"),
    "faced": ("deck.py", "", FACE, ": face('1') returns '<svgg>', no SVG document"),
    "kinds": ("lesson.toml", "card 4", "kard 4", ", line 4: stop 1: There is no thing to point at 'kard'; did you"),
    "short": (WORDS, "minutes = 1", "minutes = -3", ", line 4: minutes must be 1 or more, not -3"),
    "booked": ("book.md", "(option `cards`", "(option `card`", ", MG-2: There is no option 'card'; did you mean"),
    "when": ("rules.py", '"MG-2")', '"MG-2", when="deals=3")', ": the option cards, in `when`: There is no option "),
}  # fmt: skip
"""By the name of a game: what its author has written for what in which file, and how it is told."""


@pytest.mark.parametrize("game", WRONG)
def test_every_file_of_the_folder_is_read(game: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, line, other, told = WRONG[game]
    written(game, [*FILES, (file, line, other)], tmp_path, monkeypatch)
    assert f"{game}/{file}{told}" in str(audit(game, players=2, options={}, games=1, exhaustive=0, checks=["folder"]))
    if game == "seatless":
        with pytest.warns(UserWarning, match="stop 1: "):  # and people play on
            assert not has_lesson(game)


def test_a_drawing_is_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drawing = "def lines(view, names):\n    return [view.observation()['trump']]\n"
    more = [("drawing.py", "", drawing), ("reasons.py", "", "def reason(action, view, names):\n    return view.why\n")]
    written("drawn", [*FILES, *more], tmp_path, monkeypatch)
    said = str(audit("drawn", players=2, options={}, games=1, exhaustive=0, checks=["folder"]))
    assert "drawn/drawing.py, line 2, in lines (return [view.observation()['trump']]): KeyError: 'trump'" in said
    seen, names = parlour.load("drawn", 2).new(seed=1).view(0), ["Ada", "Ben"]
    drawn = Drawing(seen.game.definition)
    with pytest.warns(UserWarning, match=r"drawn/drawing.py, line 2 .* 'trump'"):  # and people play on
        assert drawn.lines(seen, names) == lines(seen, names)
    with pytest.warns(UserWarning, match=r"drawn/reasons.py, line 2 .* 'why'"):
        assert drawn.reason("stay", seen, names) == ""


def test_a_leak_is_shown_as_people_read_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sets of cards are whole numbers in the rules."""
    leaks = [(RULES, 'whisper(to, "MG-3", "dealt", p, ', 'note(to, "MG-3", "dealt", p, 1 << '),
             ("words.toml", "is dealt the {a:card}", "is dealt {a:cards}")]  # fmt: skip
    game = written("in_sets", leaks, tmp_path, monkeypatch)
    report = audit(game, players=2, games=3, exhaustive=0, checks=["alongside"])
    assert "“Seat 1 is dealt 6.” (MG-3 dealt); told in in_sets/rules.py, line 67" in str(report)


def test_a_leak_is_told_once_and_what_follows_from_it_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    game = written(
        "open_hands", [(RULES, "lambda s, p: s.stage == OVER", "lambda s, p: s.stage > 0")], tmp_path, monkeypatch
    )
    said = str(audit(game, players=2, options={}, games=3, exhaustive=0, checks=["swap", "alongside"]))
    assert "must not know: hand[0]=6, hand[1]=7; mend who is told hand (THINGS), or what hide wipes" in said
    assert "must look the same: view: hand[" in said
    assert "Mend `swap` first: what it has found may show in alongside as well." in said
    assert len(said) < 1500


def test_a_missing_sentence_is_one_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    game = written("speechless", [("words.toml", 'stays = "{who} stays."\n', "")], tmp_path, monkeypatch)
    report = audit(game, players=2, games=1)
    lacking = "speechless/words.toml lacks a sentence under [events] for 'stays' (speechless/rules.py, line 74)"
    assert report.failed == ["clauses"]
    assert str(report["clauses"].shortest).endswith(lacking)
    assert report.left_out == tuple(check for check in CHECKS if check not in ("end", "clauses"))
    assert f"bots, folder, options: not run: {lacking}." in str(report)
    alone = audit(game, players=2, games=4, exhaustive=0, checks=["recall"])
    assert "speechless/words.toml has no sentence for the event 'stays'" in str(alone)


def test_the_name_of_a_game_is_a_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ParlourError, match=r"numbered/words.toml must say name and about under \[game\]"):
        audit(written("numbered", [("words.toml", 'name = "My Game"', "name = 7")], tmp_path, monkeypatch))


PACKS = {
    "packed": (
        "",
        "legal, odds: nothing to check in load('packed', players=3): at least 1,100 histories are possible from a"
        " player's view, and at most 400 may be compared. State a smaller pack in invariants.py, such as SMALL = "
        '{"DECK": 7, "HAND": 2}, with which at most 1,000 are possible; it gives other values to constants of the rules'
        " (PACK = 40, SEATS = 3, MOST_CARDS = 40).",
    ),
    "masked": (
        "",
        'such as SMALL = {"PACK": 0b1111111, "HAND": 2}, with which at most 1,000 are possible; it gives other values'
        " to constants of the rules (SEATS = 3, MOST_CARDS = 40).",
    ),
    "large": (
        "SMALL = {'PACK': 34}",
        "with SMALL = {'PACK': 34} at least 1,100 histories are possible from a player's view, and at most 1,000",
    ),
    "empty": ("SMALL = {'PACK': 2}", "with SMALL, random game 0, step 2: chance is to decide among nothing: chance(s)"),
    "misnamed": ("SMALL = {'PACKS': 3}", "misnamed has PACKS, which is no constant of its rules (NAME = …)."),
    "fitting": ("SMALL = {'PACK': 6}", "fitting, 1 setting: clean"),
}
"""By the name of a game with 40 cards: its ``SMALL``, and what the audit says."""


@pytest.mark.parametrize("game", PACKS)
def test_a_pack_too_large_to_enumerate_is_made_smaller(
    game: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small, told = PACKS[game]
    monkeypatch.setattr(material, "COUNTED", 1_100)
    pack, cards = ("0xFFFFFFFFFF", "PACK") if game == "masked" else ("40", "(1 << PACK) - 1")
    changes = [(RULES, "SEATS = 3", f"PACK = {pack}\nSEATS = 3"),
               (RULES, "MOST_CARDS = 20", "MOST_CARDS = 40"), (RULES, "(1 << s.cards) - 1", cards),
               (STATED, "def hide", f"{small}\n\n\ndef hide")]  # fmt: skip
    written(game, changes, tmp_path, monkeypatch)
    checks = [word for check in ("end", "legal", "odds") for word in ("-c", check)]
    ran = CliRunner().invoke(app, ["audit", game, "-p", "3", "-o", "cards=9", "-n", "1", *checks])
    assert told in " ".join(f"{ran.output} {ran.exception}".split())
