"""Whatever streams a command is started with, and whatever it is given: one sentence, no traceback.  Rules, records and
games, those for study among them."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
from collections import Counter, defaultdict
from contextlib import nullcontext
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from typer.main import get_command

import parlour
from parlour.base.errors import ParlourError
from parlour.base.languages import ENGLISH, speaking
from parlour.cli.app import MODULES, RENAMED, application
from parlour.cli.author.new import lay_out
from parlour.cli.common.figures import Figures
from parlour.cli.common.options import known
from parlour.cli.play.rules import plain_book, rich_book
from parlour.core.game import load
from parlour.core.taking_back import undo
from parlour.engine.definition import definition, smaller
from parlour.study.simulate import simulate
from tests.helpers import Says, assert_one_sentence, the_rest_long, there

COMMANDS: dict[str, Any] = get_command(application(*MODULES)).commands  # type: ignore[attr-defined]
PARAMS = [(name, param) for name, command in COMMANDS.items() for param in command.params]
OPTIONS = [(name, param.opts[0], param) for name, param in PARAMS if param.param_type_name == "option"]


NO_SPACE = "parlour: The output can't be written: No space left on device.\n"


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        ("rules kuhn >/dev/full", 2, NO_SPACE),
        pytest.param("play kuhn --plain --seed 1 </dev/null >/dev/full", 2, NO_SPACE, marks=pytest.mark.long),
        ("play kuhn --plain <&- >/dev/null", 0, ""),
        ("games >&- 2>&-", 0, ""),
    ],
)
def test_a_command_with_bad_streams_or_none_does_what_it_can(words: str, code: int, told: str) -> None:
    shell = f"{sys.executable} -c 'from parlour.cli.app import main; main()' {words}"
    done = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (code, told)


@pytest.mark.parametrize("words", ["match kuhn random random --games 9000", "simulate kuhn --games 200000 --jobs 1"])
def test_ctrl_c_leaves_the_figures_of_what_was_played(says: Says, monkeypatch: pytest.MonkeyPatch, words: str) -> None:
    def go_on(done: int) -> None:
        if done > 100:
            raise KeyboardInterrupt

    command = words.split(maxsplit=1)[0]
    monkeypatch.setattr(f"parlour.cli.study.{command}.GamesBar", lambda *_: nullcontext(go_on))
    code, out, err = says(f"{words} --json")
    told = json.loads(out)
    played = told["games"] if command == "match" else told["settings"][0]["games"]
    wanted = int(words.split("--games ")[1].split(maxsplit=1)[0])
    assert code == 130
    assert err.startswith(f"Stopped after {played:,} of {wanted:,} games; these are their figures. ")
    if command == "simulate":
        assert f"the same command with --seed {played} --games {wanted - played}." in err
    assert 100 < played < wanted


def test_one_option_has_one_spelling_one_letter_and_one_kind_of_value() -> None:
    """Over all commands; and none has an option by a name that is now another's."""
    ways = {(option, tuple(param.opts[1:]), param.type.name.partition(" ")[0]) for _, option, param in OPTIONS}
    assert [option for option, times in Counter(way[0] for way in ways).items() if times > 1] == []
    short = [letter for _, letters, _ in ways for letter in letters]
    assert len(short) == len({*short})
    assert {*RENAMED} & {way[0] for way in ways} == {"--player", "--values", "--parquet"}  # each was another's too


OWN_VALUES = {"--out": {"FILE", "FOLDER"}, "--resume": {"FILE", "RECORD"}}
"""Options that name what a command makes, or made: a file or a folder, by its path or by its name."""


def test_one_word_has_one_value_and_one_meaning() -> None:
    """Wherever an option or an argument occurs, what stands for its value is the same word, and the help of an option
    begins with the same word; a kind of player is called PLAYER everywhere, and many games GAME..."""
    values, begins = defaultdict[str, set[str]](set), defaultdict[str, set[str]](set)
    for name, param in PARAMS:
        is_option = param.param_type_name == "option"
        word = param.opts[0] if is_option else param.metavar
        values[word].add(param.metavar or "")
        assert param.help, (name, word)
        assert "[" not in (param.metavar or ""), (name, word)
        if is_option:
            begins[word] |= {*re.findall(r"^[^\s.,:;(]+|^[.,:;(]", param.help)}
    assert {word: found for word, found in values.items() if len(found) > 1} == OWN_VALUES
    assert "KIND" not in set.union(*values.values())
    assert [values[option] for option in ("--against", "--bot", "--by", "--player")] == [{"PLAYER"}] * 4
    assert {word: found for word, found in begins.items() if len(found) > 1} == {}


def test_shared_words_are_wherever_they_make_sense() -> None:
    """Whatever takes house rules takes presets, and what shows that it is at work can be asked not to."""
    having = {word: {name for name, option, _ in OPTIONS if option == word} for _, word, _ in OPTIONS}
    assert having["--option"] == having["--preset"]
    study = {name for name, module in MODULES.items() if module.startswith("study")}
    assert study <= having["--json"] & having["--quiet"]
    assert len(study) > 10


@pytest.mark.parametrize("words", [[], *([command] for command in MODULES)], ids=" ".join)
def test_help_fits_a_narrow_screen_and_says_what_a_value_is(
    says: Says, monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    helps = says(" ".join([*words, "--help"]))[1]
    long = [line for line in helps.splitlines() if len(line) > 40 and " " in line.strip()]
    assert not long
    assert "…" not in helps.replace(" …", "").replace("leduc…", "")
    monkeypatch.setenv("COLUMNS", "100")
    wide = says(" ".join([*words, "--help"]))[1]
    assert set(re.findall(r"--[a-z-]+", helps)) == set(re.findall(r"--[a-z-]+", wide))
    prose = [line.split() for line in wide.partition("╭")[0].splitlines()]
    early = [" ".join(a) for a, b in pairwise(prose) if a and b and len(" ".join([*a, b[0]])) <= 98]
    assert not early, "lines that end as in the source"
    assert not re.search("<[a-z ]+>|{[a-z]+}", helps + wide), "Python's words for types"
    assert not re.search(r"\bx<|<=x|[<>]=", wide), "a range as mathematicians write it"


@pytest.mark.parametrize(
    "words",
    [
        "simulate commit --games 40",
        "simulate diamonds --games 40 -o first_spade=dig_on,end_turn",
        "match leduc random random --games 8",
    ],
)
def test_no_figure_is_cut_on_a_narrow_screen(says: Says, monkeypatch: pytest.MonkeyPatch, words: str) -> None:
    def figures(columns: int) -> set[str]:
        monkeypatch.setenv("COLUMNS", str(columns))
        return set(re.findall(r"[-+]\d+\.\d+|\d+\.\d+%", says(words)[1]))

    assert figures(40) >= figures(200) != set()


def test_a_long_name_goes_on_after_a_sign(capsys: pytest.CaptureFixture[str]) -> None:
    table = Figures("", "won", flowing=[""])
    table.add_row("bots_of_mine.CarefulPlayer", "12.5%")
    Console(width=24).print(table)
    said = capsys.readouterr().out
    assert re.findall(r"^\w+\.?", said, re.MULTILINE) == ["bots_of_mine.", "CarefulPlayer"], said


def test_whoever_leaves_out_what_a_command_needs_gets_an_example(says: Says) -> None:
    needy = {name for name, param in PARAMS if param.required}
    assert len(needy) > 10
    for name in needy:
        assert_one_sentence(says(name), named=f"; for example: parlour {name} ")


def test_a_record_is_told_to_programs(says: Says, tmp_path: Path) -> None:
    state = load("kuhn").new(seed=1)
    state.apply("bet")
    undo(state)
    state.apply("bet")
    state.apply("pass")
    file = tmp_path / "kuhn.rec"
    file.write_text(state.record())
    told = json.loads(says(f"replay {file} --json")[1])
    assert [one["step"] for one in told["steps"]] == ["K", "J", "bet", "undo", "bet", "pass"]
    assert told["steps"][-1]["events"][0]["clause"] == "KU-7"
    assert (told["names"], told["returns"]) == (["Seat 0", "Seat 1"], [1.0, -1.0])
    seen = says(f"replay {file} --json --seat 1")[1]
    assert "dealt K" not in seen  # the other's card
    assert [one["step"] for one in json.loads(seen)["steps"]] == [None, None, "pass"]
    file.write_text(state.record(0))
    assert json.loads(says(f"replay {file} --json")[1])["redacted_for"] == "0"


@pytest.mark.parametrize("called", ["Pope Joan", "pope-joan", "POPE_JOAN", "popejoan"])
def test_every_command_knows_a_game_by_any_way_to_write_its_name(called: str) -> None:
    """The game alone is looked at, not what the command would do with it; some look at it themselves."""
    taking = [(name, param) for name, param in PARAMS if param.name in ("game", "games") and param.callback]
    assert {"play", "learn", "rules", "odds", "simulate"} <= {name for name, _ in taking}
    for name, param in taking:
        given, wanted = ([called], ["pope_joan"]) if param.nargs == -1 else (called, "pope_joan")
        assert param.process_value(COMMANDS[name].context_class(COMMANDS[name]), given) == wanted


def test_a_folder_of_ones_own_comes_before_a_name_that_is_written_otherwise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert known("Kuhn") == "kuhn"
    (tmp_path / "Kuhn").mkdir()
    with pytest.raises(ParlourError, match="Kuhn"):
        known("Kuhn")


def test_a_record_is_told_to_people_as_the_table_tells_it(says: Says, tmp_path: Path) -> None:
    """Piles are counted from 1, players have names, cards have signs, and chance chooses nothing."""
    state = load("diamonds", 2).new()
    state.call_players(["Ada", "Ben"])
    for step in ("seat 0", "dig 3", "X1", "stop", "dig 1", "D5", "H3", "steal 1"):
        state.apply(step)
    file = tmp_path / "diamonds.rec"
    file.write_text(state.record())
    told = says(f"replay {file}")[1]
    assert "Ada: dig 4\n  Ada digs in pile 4. (DM-24)\n  Ada turns up ★1 on pile 4. (DM-35)" in told
    assert "Ada: steal Ben\n" in told
    assert "chance" not in told
    with speaking(ENGLISH):  # from here on, again
        german = says(f"replay {file} --language de")[1]
    assert "Ada: graben 4\n" in german
    assert "Zufall" not in german
    assert json.loads(says(f"replay {file} --json")[1])["steps"][1]["step"] == "dig 3"


def test_the_list_of_games_says_how_long_the_rules_take_with_which_the_page_begins(says: Says) -> None:
    said, told = " ".join(says("games")[1].split()), json.loads(says("games --json")[1])
    beginners = 0
    for one in told:
        first = definition(one["id"]).for_newcomers
        assert one["for_newcomers"] == (first and first.name)
        if first:
            beginners += 1
            assert one["presets"][first.name] == first.minutes
            assert (
                f"{definition(one['id']).gist} Best to begin with: --preset {first.name}, about {first.minutes} m"
                in said
            )
    assert said.count("Best to begin with") == beginners > 0


def test_rules_are_told_to_programs(says: Says) -> None:
    whole = json.loads(says("rules diamonds --json")[1])
    what = definition("diamonds")
    assert [one["id"] for one in whole["clauses"]] == [*what.book.clauses]
    assert {name: option["default"] for name, option in whole["options"].items()} == {
        name: str(option.default) for name, option in what.options.items()
    }
    (one,) = json.loads(says("rules diamonds 44 --json")[1])["clauses"]
    assert (one["id"], one["options"]) == ("DM-44", ["trade_leaves"])
    some = json.loads(says("rules diamonds --search joker --json")[1])
    assert 1 < len(some["clauses"]) < len(whole["clauses"])
    assert all("joker" in one["text"].lower() for one in some["clauses"])
    assert [one["id"] for one in json.loads(says("rules --json")[1])] == parlour.game_names()


def test_a_dotted_name_works_in_every_command(says: Says) -> None:
    """That takes a game; none of the others, such as ``serve``, is given one."""
    code, _, error = says("rules parlour.games.kuhn KU-1")
    assert (code, error) == (0, "")
    taking = {name for name, param in PARAMS if param.name in ("game", "games", "games_")}
    assert len(taking) > 10
    for name in taking:
        more = {"corpus": "folder no.such", "exploit": "no.such --player random"}.get(name, "no.such")
        code, _, error = says(f"{name} {more}")
        assert (code, "There is no game in 'no.such'" in error) == (2, True), (name, error)


def test_a_new_game_is_whole_or_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(file: Path, content: str) -> None:
        raise ParlourError(f"{file} cannot be written: No space left on device.")

    monkeypatch.setattr("parlour.cli.author.new.put", full)
    with pytest.raises(ParlourError, match="No space left"):
        lay_out("my_game", "My Game", tmp_path)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("parlour simulate --pl", {"--players", "--player", "--plot"}),
        ("parlour solve commit-", {f"commit-{size}" for size in definition("commit").family}),
        ("parlour play diamonds --preset ", {"standard", "lively", "letter", "three"}),
        ("parlour play diamonds -o trade_l", {"trade_leaves=on_pile", "trade_leaves=debris"}),
        ("parlour play diamonds -o games = 3 -o trade_leaves =", {"on_pile", "debris"}),
        ("parlour match kuhn s", {"search"}),
        ("parlour play diamonds --against mi", {"minerva"}),
        ("parlour bot LINK --player unb", {"unbeatable"}),
    ],
)
def test_a_shell_completes_whatever_has_a_name(
    typed: str, found: set[str], says: Says, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = {"_PARLOUR_COMPLETE": "complete_bash", "COMP_WORDS": typed, "COMP_CWORD": str(typed.count(" "))}
    for name, value in asked.items():
        monkeypatch.setenv(name, value)
    assert {*says("")[1].split()} == found


@pytest.mark.parametrize("width", [80, 40])
@pytest.mark.parametrize("game", ["diamonds", "pope_joan"])
def test_a_book_is_drawn_with_every_clause_and_option_and_an_empty_line_between_its_parts(
    game: str, width: int
) -> None:
    """One that ends with a text, and one that ends with a clause."""
    what, console = definition(game), Console(width=width, record=True, file=io.StringIO())
    for part in rich_book(what, width):
        console.print(part)
    for book, columns in ((console.export_text(), width), (plain_book(what), 80)):
        words = [word for option in what.options.values() for word in option.words]
        said = [*(f"{clause} " for clause in what.book.clauses), *what.options, *words]
        assert [one for one in said if one not in book] == []
        assert max(map(len, book.splitlines())) <= columns
        lines = [line.strip() for line in book.strip().splitlines()]
        assert "\n\n\n" not in "\n".join(lines)
        headings = {*(c.section for c in what.book.clauses.values()), "Options"} & {*lines}
        assert len(headings) > 5
        assert [title for title in headings if lines[lines.index(title) - 1]] == []


def test_the_list_of_games_is_as_the_page_has_it_and_fits_a_narrow_screen(
    says: Says, monkeypatch: pytest.MonkeyPatch
) -> None:
    """How many can play without other house rules: of Diabolo for two nobody is told who could not begin it."""
    monkeypatch.setenv("COLUMNS", "200")
    listed = " ".join(says("games")[1].split())
    for game in ("diabolo", "diamondback", "dividha"):
        what = definition(game)
        assert what.counts() != [*what.players]
        assert f"{what.title}: {what.counts()[0]} to {what.counts()[-1]} players" in listed
    for columns in (40, 24):
        monkeypatch.setenv("COLUMNS", str(columns))
        out = says("games")[1]
        assert " ".join(out.split()) == listed
        assert max(map(len, out.splitlines())) <= columns


def test_search(says: Says) -> None:
    """One clause, and those with a word."""
    code, out, _ = says("rules diamonds dm-44")
    assert (code, out[:21]) == (0, "DM-44  When you trade")
    for part in ("section  Digging", "kind     act", "origin   house", "option   trade_leaves", "- on_pile (default)"):
        assert part in out
    assert says("rules diamonds 44") == (code, out, "")
    code, out, _ = says("rules diamonds --search JOKER")
    assert code == 0
    found = [line.split()[0] for line in out.splitlines() if line.startswith("DM-")]
    book = parlour.load("diamonds").definition.book
    assert found == [c.id for c in book.clauses.values() if "joker" in c.text.casefold()]
    assert says("rules diamonds joker") == (code, out, "")  # as `? joker` at the table


@pytest.fixture
def covered(tmp_path: Path) -> Path:
    """What tests of Kuhn have covered: all but one clause."""
    clauses = {c: ["tests/test_kuhn.py::test_a", "tests/test_kuhn.py::test_b"] for c in definition("kuhn").book.clauses}
    file = tmp_path / "clauses.json"
    file.write_text(json.dumps({"kuhn": {**clauses, "KU-5": []}}))
    return file


def test_coverage_lists_the_tests_of_each_clause_and_fails_where_there_are_none(says: Says, covered: Path) -> None:
    code, out, _ = says(f"rules kuhn --coverage --file {covered}")
    assert code == 1
    assert out.count("tests/test_kuhn.py::test_b") == len(definition("kuhn").book.clauses) - 1
    assert "12 of 13 clauses have a test." in out
    assert "Without: KU-5." in out
    assert [line.split() for line in out.splitlines() if "KU-5 " in line] == [["KU-5", "knowledge", "NO", "TEST"]]
    code, out, _ = says(f"rules --coverage --json --file {covered}")
    assert (code, json.loads(out)) == (1, json.loads(covered.read_text()))
    assert says(f"rules leduc --coverage --file {covered}")[0] == 1
    covered.write_text(covered.read_text().replace("[]", '["tests/test_kuhn.py::test_c"]'))
    assert says(f"rules --coverage --file {covered}")[0] == 0


@pytest.mark.parametrize("text", ["[]", "{", '{"kuhn": 3}'])
def test_a_file_that_holds_no_coverage_is_told(says: Says, covered: Path, text: str) -> None:
    covered.write_text(text)
    assert_one_sentence(says(f"rules --coverage --file {covered}"), named="isn't a coverage file")


WORDS = {
    "play": "play {game} --plain",
    "rules": "rules {game}",
    "simulate": "simulate {game} --games 20",
    "atlas": "atlas {game} --players {players} --games 5000 --out {here}/atlas",
    "match": "match {game} {seats} --games 6",
    "skill": "skill {game} --seconds 0.2 --simulations 5",
    "corpus": "corpus {here}/corpus {game} --games 2",
    "train": "train {game} --games 200 --out {here}/learned.npz",
    "solve": "solve {game} --iterations 2 --quiet --out {here}/solved",
    "exploit": "exploit {game} --player random --quiet",
    "audit": "audit {game} --games 1 --check end",
    "bench": "bench {game} --quick --mode bulk",
    "odds": "odds {game}",
    "learn": "learn {game}",
}
"""The commands that take a game's name, and words with which each ends soon for a game for study."""
REFUSED = {"learn": "{game} is for study and has no lesson: parlour learn {whole}", "solve": "", "exploit": ""}
LONG = {"atlas", "skill", "train", "bench", "audit"}
GAMES = [
    *("commit-8", "diabolo-6", "diamondback-4", "diamonds-9", "dividha-8x2"),
    *("hearts-6", "matrimony-2", "newmarket-5", "pope_joan-10"),
]
APART = {("solve", "matrimony-2"), ("exploit", "matrimony-2")}
"""Whole matches are too large to solve."""
TRIED = [one for one in ((command, game) for command in WORDS for game in GAMES) if one not in APART]


def test_all_commands_that_take_a_game_are_tried() -> None:
    taking = {name for name, param in PARAMS if param.param_type_name == "argument" and param.name[:4] == "game"}
    assert taking == {*WORDS}


@pytest.mark.parametrize(
    "tried",
    the_rest_long(TRIED, [one for one in TRIED if one[1] == "commit-8" and one[0] not in LONG]),
    ids=" ".join,
)
def test_a_command_takes_a_game_for_study_or_says_what_to_do(
    tried: tuple[str, str], says: Says, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO())
    command, game = tried
    told = says(
        WORDS[command].format(game=game, players=(n := parlour.load(game).players), seats="random " * n, here=tmp_path)
    )
    if told[0]:
        whole, _, _ = game.partition("-")
        refusals = {**REFUSED, "odds": "The odds of" if whole == "dividha" else "There are no odds for"}
        assert_one_sentence(told, refusals[command].format(game=game, whole=whole))
    else:
        assert told[1]


@pytest.mark.long
@pytest.mark.parametrize("game", smaller())
def test_odds_are_told_or_refused_for_every_game_for_study(game: str, says: Says) -> None:
    told, what = says(f"odds {game}"), there(definition(game).of)
    if what.id == "dividha":
        assert_one_sentence(told, f"The odds of {game} are not counted: parlour odds dividha")
    else:
        assert (told[0] == 0) == (what.part("odds") is not None)


def test_a_record_of_a_game_for_study_is_replayed(says: Says, tmp_path: Path) -> None:
    record = tmp_path / "commit-8.rec"
    state = parlour.load("commit-8").new(seed=3)
    while not state.is_terminal:
        state.apply(state.legal_actions()[0])
    record.write_text(state.record())
    code, told, _ = says(f"replay {record}")
    assert (code, "Commit" in told) == (0, True)


def test_a_file_that_solves_a_game_for_study_plays_and_is_certified(says: Says, tmp_path: Path) -> None:
    file = tmp_path / "commit.solved"
    assert says(f"solve commit-6 --iterations 5 --quiet --out {file}")[0] == 0
    assert says(f"certify {file}")[0] == 0
    code, told, _ = says(f"match commit-6 solved:{file} random --games 4 --json")
    assert (code, json.loads(told)["game"]) == (0, "commit-6")


def test_games_that_bring_the_same_are_counted() -> None:
    """Sums are rounded: the error of what is always the same came out a little below nothing."""
    deals = there(simulate(parlour.load("hearts-6"), 2, threads=1).deals)
    assert all(place.low <= place.mean <= place.high for place in deals.places)
