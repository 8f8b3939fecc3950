"""`parlour play`, as a person meets it: in a pipe, at a terminal, and by mistake."""

from __future__ import annotations

import errno
import io
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import Mock

import pexpect
import pytest
from rich.console import Console
from rich.text import Text

import parlour
from parlour.base.errors import ParlourError
from parlour.base.languages import ENGLISH, speaking
from parlour.cli.app import main
from parlour.cli.common import preparing
from parlour.cli.common.typed_input import Choices, read_command
from parlour.cli.play.dialog import Dialog
from parlour.cli.play.local_table import Sitting
from parlour.cli.play.record_files import Keeper, save
from parlour.cli.play.remote_table import Visit
from parlour.cli.play.screen import Quit, RichScreen, Screen
from parlour.core.drawing import Drawing, sign
from parlour.engine.telling import View
from parlour.players import make
from parlour.server.client.client import Ended
from tests.core.test_reasons import DIAMONDS_FACTS
from tests.helpers import Says, assert_one_sentence, heed_ctrl_c, interrupt, the_rest_long, there
from tests.waiting import LIMIT

PARLOUR = [sys.executable, "-c", "from parlour.cli.app import main; main()"]
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def environment(folder: Path) -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES", "PAGER")}
    return {**kept, "XDG_STATE_HOME": str(folder), "TERM": "xterm-256color", "LANG": "C.UTF-8"}


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return environment(tmp_path)


def records(env: dict[str, str]) -> list[Path]:
    return sorted(Path(env["XDG_STATE_HOME"]).rglob("*.rec"))


def play(env: dict[str, str], words: str, typed: str = "") -> subprocess.CompletedProcess[str]:
    """Play in a pipe, in this process."""
    out, err = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as here, redirect_stdout(out), redirect_stderr(err):
        for name, value in env.items():
            here.setenv(name, value)
        here.setattr(tempfile, "tempdir", env.get("TMPDIR"))
        here.setattr(sys, "argv", ["parlour", "play", *words.split()])
        here.setattr(sys, "stdin", io.StringIO(typed))
        with pytest.raises(SystemExit) as end:
            main()
    return subprocess.CompletedProcess(words, int(end.value.code or 0), out.getvalue(), err.getvalue())


def terminal(env: dict[str, str], words: str, columns: int = 80, program: str = PARLOUR[-1]) -> pexpect.spawn:
    command = ["-c", program, "play", *words.split()]
    return pexpect.spawn(
        PARLOUR[0], command, env=env, dimensions=(24, columns), encoding="utf-8", timeout=LIMIT, preexec_fn=heed_ctrl_c
    )


MADE_SLOWLY = f"""
from threading import Event
from parlour.cli import app
from parlour.engine.c import building
said, say, make = Event(), app._say_what_takes_long, building._make
def says(): say(); said.set()
def makes(*given): said.wait({LIMIT}); return make(*given)
app._say_what_takes_long, building._make = says, makes
app.main()
"""
"""Machine code is made only when somebody has been told that it takes some seconds."""


def test_whoever_waits_for_machine_code_is_told(env: dict[str, str], tmp_path: Path) -> None:
    own = {**env, "PARLOUR_CACHE": str(tmp_path / "cache")}
    child = terminal(own, "kuhn --seed 1 --against search:9", program=MADE_SLOWLY)
    child.expect("› ")
    child.sendline("1")
    child.expect("parlour: The game is being prepared, once; this takes some seconds.")
    child.expect("› |win")
    child.close(force=True)


def test_nobody_else_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a pipe, and where only a result is wanted."""
    monkeypatch.setattr(preparing, "is_compiling", lambda: True)
    for watches, words, wanted in (
        (True, "simulate kuhn", True),
        (False, "simulate kuhn", False),
        (True, "simulate kuhn --json", False),
        (True, "simulate kuhn -q", False),
    ):
        monkeypatch.setattr(sys, "argv", ["parlour", *words.split()])
        monkeypatch.setattr(sys, "stderr", Mock(isatty=lambda watches=watches: watches))
        told = threading.Event()
        with preparing.watched(told.set, lambda said: None, patience=0):
            assert told.wait(LIMIT if wanted else 0) == wanted, words
    monkeypatch.undo()
    monkeypatch.setitem(sys.modules, preparing.BUILDING, ModuleType("building"))
    assert not preparing.is_compiling(), "that module is still being loaded"


def test_a_loop_in_own_rules_that_does_not_end_is_told_with_its_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["parlour", "simulate", "mine"])
    monkeypatch.setattr(parlour.engine.definition, "_registered", {"mine": "mine"})
    rules: dict[str, Any] = {"__name__": "mine.rules"}
    exec(compile("def play_on(go_on):\n    while go_on(): pass\n", "mine/rules.py", "exec"), rules)
    said, until = list[str](), time.monotonic() + LIMIT
    with preparing.watched(lambda: None, said.append, patience=0.001):
        rules["play_on"](lambda: not said and time.monotonic() < until)
    assert said[0].startswith("mine/rules.py, line 2, in play_on: the rules have been at it for 10 seconds.")
    with (  # a server breaks it off, since other tables wait
        pytest.raises(preparing.TakesTooLong),
        preparing.watched(lambda: None, said.append, patience=0.001, breaks=True),
    ):
        rules["play_on"](lambda: time.monotonic() < until)
    assert said[1].endswith("for 10 seconds, so they are broken off.")


def joker_in_hand() -> parlour.State:
    """A game in which the person has a joker to play, and Ada a spade and a diamond."""
    state = parlour.load("diamonds", players=2).new()
    state.call_players(["Guest", "Ada"])
    for step in ("seat 0", "dig 0", "X1", "stop", "dig 1", "D5", "S2", "C9"):
        state.apply(step)
    return state


@pytest.fixture
def joker(tmp_path: Path) -> Path:
    """Its record."""
    path = tmp_path / "joker.rec"
    path.write_text(joker_in_hand().record())
    return path


@pytest.mark.parametrize("players", the_rest_long([2, 3], [2]))
def test_a_whole_game_in_a_pipe(env: dict[str, str], players: int) -> None:
    typed = "".join(f"{i % 9 + 1}\n" for i in range(2000))  # what is not allowed is refused, and the game goes on
    words = f"diamonds --players {players} --seed 6 --against random --option games=2"
    done = play(env, words, typed)
    assert done.returncode == 0
    assert done.stderr == ""
    assert done.stdout.isascii()
    assert "\x1b" not in done.stdout
    assert max(map(len, done.stdout.replace(env["XDG_STATE_HOME"], "").splitlines())) <= 80
    (record,) = records(env)
    state = parlour.replay(record.read_text())
    assert state.is_terminal
    assert f"The record is in {record}" in done.stdout
    best = [name for name, points in zip(("You", "Ada", "Ben"), state.returns(), strict=False) if points > 0]
    verb = "win" if len(best) > 1 or best == ["You"] else "wins"
    assert f"\n{' and '.join(best) or 'Nobody'} {verb}.\n" in done.stdout
    assert "; score " not in done.stdout
    scores = re.findall(r"^\w+: (\d|no) games? won", done.stdout, re.MULTILINE)
    assert len(scores) == players
    assert scores == sorted(scores, key="no123".index, reverse=True)  # by place
    again = play(env, words, typed)
    assert again.stdout.split("The record is in")[0] == done.stdout.split("The record is in")[0]


class Script(RichScreen):
    """A drawing screen of this many columns at which a function types."""

    def __init__(self, game: parlour.Game, columns: int, typist: Callable[[str], str]) -> None:
        self.page_seen = io.StringIO()
        console = Console(file=self.page_seen, width=columns, force_terminal=True, highlight=False)
        super().__init__(Drawing(game.definition), 0.0, console)
        self.interactive = False
        self.typist = typist
        self.read = 0

    def ask(self, prompt: str | None = None) -> str:
        text = ESCAPES.sub("", self.page_seen.getvalue())
        before, self.read = self.read, len(text)
        return self.typist(text[before:])

    @property
    def text(self) -> str:
        return ESCAPES.sub("", self.page_seen.getvalue())


def first_number(seen: str) -> str:
    if "press Enter to take it" in " ".join(seen.split()):
        return ""
    return str(re.findall(r"(?:^|  )(\d+)\b", seen.rstrip().splitlines()[-1])[-1])


def seat(game: parlour.Game, screen: Screen, tmp_path: Path, seed: int = 1) -> Sitting:
    state = game.new(seed)
    others = ["Ada", "Ben", "Cora"][: game.players - 1]
    state.call_players(["Guest", *others])
    bots = {p: make("random", game, seed=p) for p in range(1, game.players)}
    return Sitting(state, 0, bots, ["You", *others], screen, Keeper(game.id, "a test", tmp_path / "game.rec"))


@pytest.mark.parametrize("columns", the_rest_long([40, 60, 80, 120], [40, 80]))
@pytest.mark.parametrize("players", the_rest_long([2, 3], [3]))
def test_a_drawn_game_fits_the_terminal(tmp_path: Path, columns: int, players: int) -> None:
    rows = []

    def typist(seen: str) -> str:
        rows.append(len(seen[seen.rindex("first to ") :].splitlines()))
        return first_number(seen)

    game = parlour.load("diamonds", players=players, games=2)
    screen = Script(game, columns, typist)
    seat(game, screen, tmp_path).play()
    lines = screen.text.splitlines()
    assert max(map(len, lines)) <= min(columns, 92)
    assert columns < 80 or max(rows) <= 20  # table, choices; of 24 the rest is for the prompt and the last sentences
    assert sum("games won" in line or "game won" in line for line in lines) >= players
    tables = screen.text.split("first to ")[1:]
    assert all(set("012345678") <= set(table[:1400]) for table in tables)


def test_nothing_of_a_sealed_choice_shows_before_all_are_in(tmp_path: Path) -> None:
    parlour.register("sampler")
    game = parlour.load("sampler", players=3)
    seen_when_asked: list[str] = []

    def typist(seen: str) -> str:
        seen_when_asked.append(seen)
        return "bet 1" if "bet" in seen.rstrip().splitlines()[-1] else first_number(seen)

    screen = Script(game, 80, typist)
    asked: list[tuple[int, int]] = []
    sitting = seat(game, screen, tmp_path)

    class Watched:
        name = "watched"

        def choose(self, view: View, legal: Sequence[int]) -> int:
            asked.append((view.player, len(sitting.state.history)))
            return legal[0]

    sitting.bots = {1: Watched(), 2: Watched()}
    sitting.play()
    assert "has bet" not in seen_when_asked[0]
    assert "Ada has bet 1" in screen.text
    assert asked[0][1] == asked[1][1]  # both chose before anybody's choice had been played
    assert "You is" not in screen.text  # a game without sentences for the reader uses the reader's name


def test_a_question_that_nobody_may_notice_takes_the_same_time_whoever_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = parlour.load("commit", players=4, deals=2)

    class Watched:
        name = "search:0.5s"

        def choose(self, view: View, legal: Sequence[int]) -> int:
            if sitting.state.hushed:
                asked.append("a bot")
                if slow:
                    never.wait(LIMIT)
            return legal[0]

    def sleep(seconds: float) -> None:
        if sitting.state.current_player == parlour.CHANCE:
            asked.append("chance")
        slept.append(seconds)
        real_sleep(0.02)

    records = []
    for slow in (False, True):
        never, slept, asked, real_sleep = threading.Event(), list[float](), list[str](), time.sleep
        screen = Script(game, 80, first_number)
        screen.pace = 0.25
        screen.pause = lambda: None  # type: ignore[method-assign]
        sitting = seat(game, screen, tmp_path)
        sitting.bots = {p: Watched() for p in range(1, 4)}
        with monkeypatch.context() as patch:
            patch.setattr("parlour.cli.play.local_table.time.sleep", sleep)
            sitting.play()
        never.set()
        assert set(asked) == {"a bot", "chance"}
        assert set(slept) == {1.5}
        records.append(sitting.state.record())
    assert parlour.replay(records[0]).is_terminal
    assert parlour.replay(records[1]).is_terminal  # who was too slow has said nothing
    assert "thinking" not in screen.text


def test_the_commands(env: dict[str, str], tmp_path: Path, joker: Path) -> None:
    saved = tmp_path / "saved.rec"
    typed = ["?", "? DM-36", "? 84", "? zebra", "why 2", "why dig 5", "why", "STEAL ada", "undo", "s 1", "dig"]
    typed += [f"save {saved}", "save /", "log 2", "log x", "table", "help", "rules", "xyzzy", "", "h", "77", "hint"]
    typed += ["rules DM-36", "dig 99", "dig 5 6", "dig -1"]
    done = play(env, f"--resume {joker} --against random", "\n".join([*typed, "quit\n"]))
    assert done.returncode == 0
    answers = {line: text for line, text in re.findall(r"Your choice: (.*)\n((?:(?!Your choice).*\n)*)", done.stdout)}
    answers = {line: " ".join(text.split()) for line, text in answers.items()}
    assert "DM-24. You may dig any pile whose top card is face down." in answers["?"]
    assert "steal from Ada: DM-90." in answers["?"]
    assert answers["? DM-36"].startswith("DM-36. A diamond you turn up is yours.")
    assert answers["rules DM-36"] == answers["? DM-36"]
    assert answers["dig 99"].startswith("You can't dig 99: ")
    assert answers["dig 99"].endswith(" You can choose dig 1, 3, 4, 5, 6, 7, 8, 9.")  # and not 2, which is in between
    assert answers["dig -1"].startswith("'dig -1' is neither a choice nor a command. You can choose dig 1, 3")
    assert answers["dig 5 6"] == "After 'dig 5' there is nothing more to choose: '6' is too much."
    assert answers["? 84"].startswith("DM-84.")
    assert answers["? zebra"] == "No rule mentions 'zebra'."
    assert answers["why 2"].endswith("(DM-29)")
    assert answers["why dig 5"].startswith("'dig 5' is allowed: Turn up the top of that pile")
    assert answers["why"].startswith("Say which action")
    assert "You steal 5d from Ada. (DM-83)" in answers["STEAL ada"]
    assert "You take back 'steal Ada'." in done.stdout
    assert "'s 1' could be steal from Ada; switch with Ada." in answers["s 1"]
    assert answers["dig"].startswith("'dig' could be dig 1, 3, 4")
    assert answers[f"save {saved}"] == f"The record is in {saved}"
    assert parlour.replay(saved.read_text()).log[-1] is None
    assert "can't be saved" in answers["save /"]
    assert answers["log 2"].count("(DM-") == 2
    assert answers["log x"] == "log takes a number or 'all', not 'x'."
    assert "Ada: spade 2s, 1 diamond." in answers["table"]
    assert "Enter skips the pauses." in answers["help"]
    assert "undo: take back" in answers["help"]
    assert "DM-113" in answers["rules"]
    assert answers["xyzzy"].startswith("'xyzzy' is neither a choice nor a command. You can choose dig 1, 3")
    assert answers["h"] == "'h' could be hint or help."
    assert "'77' is neither a choice nor a command" in answers["77"]
    assert re.search(r"Try [a-z]+[ 0-9]*: ", answers["hint"])  # "Looking for a hint." may come first
    assert "imagined games" in answers["hint"]
    assert any(re.search(f" {why}$", answers["hint"]) for why in DIAMONDS_FACTS), answers["hint"]


def test_with_bots_alone_any_move_can_be_taken_back(env: dict[str, str]) -> None:
    """As on the page, where the match is then practice: also a move that has turned up a card, after others have
    played."""
    said = play(
        env, "diamonds --players 2 --seed 5 --against random --plain", "undo\ndig 1\nundo\ndig 2\nquit\n"
    ).stdout
    assert "Your choice: undo\nThere is nothing to take back: you have not played yet." in said
    assert re.search(
        r"Your choice: dig 1\n(.*\n)+Ada (.*\n)+?Your choice: undo\nYou take back 'dig 1'\. From here on", said
    )
    assert re.search(r"Your choice: dig 2\nYou ", said)
    (record,) = records(env)
    assert [step.name for step in parlour.replay(record.read_text()).history if step.player == 0] == ["dig 1"]  # from 0


@pytest.mark.parametrize(
    ("words", "typed", "said"),
    [
        ("diamonds --seed 5", "dig 1\nhint\nquit\n", r"Try 'dig \d'\.\n6 cards lie there"),
        ("hearts --seed 3", "1\n" * 20, r"You take the trick, .*\nDeal 1[.]\nYou: "),
        ("hearts --seed 1", "?\nquit\n", r"HE-9\. You choose three\scards"),
    ],
    ids=["a hint among choices that are alike counts no games", "the table after a trick", "a choice without limits"],
)
def test_what_is_told_unasked_and_asked(
    env: dict[str, str], monkeypatch: pytest.MonkeyPatch, words: str, typed: str, said: str
) -> None:
    monkeypatch.setattr("parlour.cli.play.dialog.bounds_of", lambda *_: [])
    assert re.search(said, play(env, f"{words} --against random", typed).stdout)


def test_an_amount_that_is_too_high_is_refused_with_those_that_are_possible(env: dict[str, str]) -> None:
    """Also if there is an action for it, which only a longer purse would allow."""
    options = "--option start_counters=10 --option first_dealer=0 --against random --seed 5"
    said = " ".join(play(env, f"matrimony {options}", "20\nwhy take 11\nquit\n").stdout.split())
    assert re.search(r"You can't take 20, only \d to 10: .* You can't take 11, only \d to 10: ", said)
    assert said.count("counters to stake") == 1, "what the drawing adds to all of them is said once"


def test_no_word_is_broken_at_the_edge_of_a_terminal(joker: Path, monkeypatch: pytest.MonkeyPatch, says: Says) -> None:
    def shown(words: str, columns: str) -> str:
        monkeypatch.setenv("COLUMNS", columns)
        return "".join(says(words)[1:])

    for stream in ("stdin", "stdout", "stderr"):
        monkeypatch.setattr(f"sys.{stream}.isatty", lambda: True)
    for words in ("zebra", f"replay {joker}"):
        narrow, wide = (shown(words, columns) for columns in ("50", "500"))
        assert max(map(len, narrow.splitlines())) < 50 < max(map(len, wide.splitlines()))
        assert narrow.split() == wide.split()


def test_a_question_breaks_no_word_either_and_what_is_pasted_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = Mock(return_value="wtf\nis\r\nthis")
    monkeypatch.setattr("builtins.input", asked)
    monkeypatch.setattr("sys.stdin", Mock(isatty=lambda: True))
    monkeypatch.setenv("COLUMNS", "20")
    screen = Screen(Drawing(parlour.load("kuhn").definition), 0.0)
    assert screen.ask("\nPress the entering key to read on: ") == "wtf is this"
    asked.assert_called_once_with("\nPress the entering\nkey to read on: ")


@pytest.mark.parametrize(("game", "help_"), [("matrimony", "help"), ("commit", "hilfe")])
def test_help_has_examples_from_the_game(env: dict[str, str], game: str, help_: str) -> None:
    """Those that it names can be typed."""
    words = f"{game} --seed 3 --against random --language {'de' if help_ == 'hilfe' else 'en'}"
    with speaking(ENGLISH):  # from here on, again
        said = play(env, words, f"{help_}\nquit\n").stdout
        clause, word = re.findall(r"^\?: .*?[?] (\S+) .*?[?] (\w+) ", said, re.MULTILINE | re.DOTALL)[0]
        more = play(env, words, f"? {word}\n? {clause}\nquit\n").stdout
    assert clause.startswith({"matrimony": "MA-", "commit": "CO-"}[game])
    assert "DM-" not in said
    assert more.count(f"{clause}.") >= 2


def colourless(game: parlour.Game, columns: int) -> tuple[RichScreen, io.StringIO]:
    """A screen that draws, and what it has written."""
    into = io.StringIO()
    return RichScreen(Drawing(game.definition), 0.0, Console(file=into, width=columns, color_system=None)), into


@pytest.mark.parametrize("game", ["hearts", "matrimony", "commit", "newmarket", "pope_joan"])
def test_a_card_is_written_in_one_way_in_all_sentences(game: str) -> None:
    drawing = Drawing(parlour.load(game).definition)
    assert drawing.marked("Td") == "[bright_cyan]10♦[/]"
    with speaking("de"):
        assert Text.from_markup(drawing.marked("König, Heirat, Spiel")).plain == "König, Heirat, Spiel"


def test_a_card_is_written_in_the_same_way_among_the_choices() -> None:
    game = parlour.load("hearts")
    screen, shown = colourless(game, 90)
    screen.choices(Choices(game, [game.find_action("pass Td")], ["You"]), {})
    assert shown.getvalue().split() == ["1", "pass", "10♦"]


@pytest.mark.parametrize(("game", "seed", "columns"), [("diamondback", 2, 43), ("matrimony", 0, 39)])
def test_a_narrow_terminal_breaks_no_row_and_adds_no_empty_line(game: str, seed: int, columns: int) -> None:
    state = parlour.load(game).new(seed=seed)
    screen, shown = colourless(state.game, columns)
    with speaking("de"):
        choices = Choices(state.game, state.legal_actions(), ["Du", "Ada"])
        screen.table(state.view(state.acting[0]), ["Du", "Ada"], [])
        screen.choices(choices, choices.described({a: "Marken zum Setzen" for a in choices.legal}))
    assert all(line.strip() and not line.strip().startswith("[") for line in shown.getvalue().splitlines())


def test_a_pager_is_told_how_letters_are_written(env: dict[str, str]) -> None:
    """It would ask the locale, which may not be there: German books had bytes instead of umlauts."""
    pager = {**env, "LC_ALL": "xx_XX.UTF-8", "PAGER": "env"}
    child = pexpect.spawn(PARLOUR[0], [*PARLOUR[1:], "rules", "kuhn"], env=pager, encoding="utf-8", timeout=LIMIT)
    child.expect("LESSCHARSET=utf-8")
    child.close(force=True)


def test_choices_are_numbered_by_their_own_numbers() -> None:
    state = joker_in_hand()
    choices = Choices(state.game, state.legal_actions(), ["You", "Ada"])
    numbers = {c.name: c.number for c in choices.all}
    assert [numbers[name] for name in ("dig 1", "dig 9")] == [1, 9]
    # beyond every pile, so that no slip of the finger plays a joker
    assert [numbers[name] for name in ("steal Ada", "switch Ada")] == [10, 11]
    for meant, texts in {
        "dig 8": ["9", "Dig9", "d  9"],
        "dig 1": ["2"],  # not allowed; its refusal says why
        "steal 1": ["10", "st", "steal from Ada"],
        "switch 1": ["swi ADA"],
    }.items():
        assert [choices.find(text) for text in texts] == [state.game.find_action(meant)] * len(texts)
    assert choices.find("") == choices.find("xyz") == choices.find("dig 88") == []
    assert (read_command("sav x y"), read_command("dig 8")) == (("save", "x y"), None)
    blind = parlour.load("diamonds", pile_choice="random_face_down")
    choices = Choices(blind, [blind.find_action(name) for name in ("dig 0", "dig ?")], ["You", "Ada"])
    assert [[c.name for c in group] for group in choices.groups()] == [["dig 1"], ["dig ?"]]  # 10 alone says nothing
    with pytest.raises(ParlourError, match="'h' could be hint or help"):
        read_command("h")


@pytest.mark.parametrize(
    ("game", "card", "action"),
    [
        ("hearts", "pass 10♦", "pass Td"),
        ("hearts", "pass Karo-Zehn", "pass Td"),
        ("hearts", "karo zehn", "pass Td"),
        ("hearts", "zehn", "pass Td"),  # the only one in the hand
        ("hearts", "Ten of Diamonds", "pass Td"),
        ("commit", "ausspielen Herz-Dame", "lead Qh"),
        ("hearts", "10♦", "pass Td"),  # the only kind of choice there is
        ("hearts", "pass 2♠", "pass 2s"),  # not in the hand; its refusal says why
        ("commit", "lead ♠10", "lead Ts"),
        ("pope_joan", "lead d9", "lead 9d"),
        ("dividha", "trade 3D", "trade 3D"),  # a card of its own pack
        ("diabolo", "place R1 left", "place R1 left"),
    ],
)
def test_a_card_may_be_typed_as_it_is_drawn(game: str, card: str, action: str) -> None:
    state = parlour.load(game).new(seed=5)
    with speaking("de"):  # or as it is called there, or in English
        choices = Choices(state.game, state.legal_actions(0) if game == "hearts" else [], ["You"])
        assert choices.find(card) == state.game.find_action(action)
        assert choices.find("zwei") == [a for a in choices.legal if state.game.action_names[a][-2] == "2"]


def test_cards_are_listed_and_read_one_after_another() -> None:
    state = parlour.load("hearts").new(seed=5)
    legal = state.legal_actions(0)
    choices = Choices(state.game, legal, ["You"])
    names = [state.game.action_names[a] for a in legal]
    assert choices.said(legal) == ", ".join([names[0], *(name.split()[1] for name in names[1:])])
    line = " ".join(sign(name.split()[1]) for name in names[:3])
    assert choices.begins(line)
    assert state.sequence(choices.named(line), 0) == tuple(legal[:3])
    with pytest.raises(ParlourError, match="There is no action 'pass 1x'"):
        state.sequence("pass 1x", 0)
    with pytest.raises(ParlourError) as refused:
        state.sequence("1x", 0)
    assert "play" not in str(refused.value)  # only what may be done at this stage


def test_the_end_of_input_keeps_the_record_and_it_can_be_resumed(env: dict[str, str]) -> None:
    done = play(env, "diamonds --seed 7 --option first_dealer=0 --against random --name Zoe", "dig 5\n")
    assert done.returncode == 0
    (path,) = records(env)
    assert f"parlour play --resume {path.stem}\n" in done.stdout
    before = parlour.replay(path.read_text())
    assert before.history[0].name == "dig 4"
    assert before.player_names == ("Zoe", "Ada")
    done = play(env, f"--resume {path.stem}", "quit\n")
    assert done.returncode == 0
    assert "Zoe, seat 0" not in done.stdout
    assert "You are playing against Ada (random)." in done.stdout
    assert "You dig in pile 5. (DM-24)" in done.stdout
    assert parlour.replay(path.read_text()).history == before.history
    play(env, f"--resume {path}", "0\n1\n2\nquit\n")
    after = parlour.replay(path.read_text())  # the same file goes on
    assert after.history[: len(before.history)] == before.history
    assert len(after.history) > len(before.history)


def test_a_record_that_is_kept_is_found_by_any_name_that_can_be_meant(
    says: Says, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And whoever names none, or the wrong one, is told what there is: games that can be continued, the last first."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    folder = tmp_path / "parlour" / "records"
    for wrong in ("--resume", "--resume leduc"):
        assert f"no unfinished game is kept in {folder}" in says(f"play {wrong}")[2]
    assert f"There is no record 'leduc', and none is kept in {folder}." in says("replay leduc")[2]
    folder.mkdir(parents=True)
    going, over = parlour.load("leduc").new(1), parlour.load("kuhn").new(1)
    for _ in range(2):
        over.apply("pass")
    for at, name in enumerate(("leduc-1", "leduc-21", "leduc-22", "kuhn-1")):
        (folder / f"{name}.rec").write_text((going if name.startswith("leduc") else over).record())
        os.utime(folder / f"{name}.rec", (at, at))
    for name in ("leduc-1", "leduc-1.rec", str(folder / "leduc-1.rec"), "~/parlour/records/leduc-1.rec"):
        done = play({"XDG_STATE_HOME": str(tmp_path), "HOME": str(tmp_path)}, f"--resume={name}", "quit\n")
        assert (done.returncode, done.stderr) == (0, ""), name
        assert says(f"replay {name}")[::2] == (0, ""), name
    assert says("replay kuhn")[::2] == (0, "")
    for words, error in (
        ("play --resume leduc-2", "'leduc-2'; did you mean 'leduc-22'? Choose from: leduc-22, leduc-21.\n"),
        (f"play --resume {folder}", "choose from: leduc-22, leduc-21, leduc-1.\n"),
        (f"play --resume {folder}/x/nothing.rec", "choose from: leduc-22, leduc-21, leduc-1.\n"),
        ("play --resume", "with one of leduc-22, leduc-21 or leduc-1.\n"),
        ("play --resume kuhn-1", f"is over; replay it with `parlour replay {folder}/kuhn-1.rec`.\n"),
        ("verify nothing", "choose from: kuhn-1, leduc-22, leduc-21, leduc-1.\n"),
    ):
        assert says(words)[2].endswith(error), words


@pytest.mark.parametrize("command", ["play kuhn --seed 1", "learn kuhn"])
def test_only_the_end_of_what_is_typed_is_the_players_wish_to_stop(monkeypatch: Any, command: str) -> None:
    """A file or a process that ends too soon is a fault, which is shown; at a table on a server, too."""

    def ends_too_soon(dialog: Dialog) -> None:
        raise EOFError("Ran out of input")

    monkeypatch.setattr(Dialog, "table", ends_too_soon)
    monkeypatch.setattr(sys, "argv", ["parlour", *command.split()])
    with pytest.raises(EOFError, match="Ran out of input"):
        main()
    visit = object.__new__(Visit)
    monkeypatch.setattr(Visit, "_arrive", Mock(side_effect=[Quit(), Ended(), EOFError("Ran out of input")]))
    monkeypatch.setattr(Visit, "_go", Mock())
    assert visit.run() == visit.run() == 0
    with pytest.raises(EOFError, match="Ran out of input"):
        visit.run()


def test_a_record_finds_a_place_when_the_usual_one_is_closed(env: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "parlour").write_text("in the way")
    elsewhere = tmp_path / "tmp"
    elsewhere.mkdir()
    done = play({**env, "TMPDIR": str(elsewhere)}, "kuhn --seed 1 --against random", "1\n" * 5)
    assert done.returncode == 0
    assert "Records can't be saved in" in done.stdout
    assert len(re.findall(r"; (?:won|lost) \d+ chips?\.", done.stdout)) == 2
    assert parlour.replay(next(elsewhere.glob("*.rec")).read_text()).is_terminal


def full_under(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the disk be full below a folder."""
    write = os.replace

    def replace(beside: Path, file: Path) -> None:
        if file.is_relative_to(folder):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        write(beside, file)

    monkeypatch.setattr(Path, "replace", replace)


def test_on_a_full_disk_no_record_is_said_to_be_kept(
    env: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    full_under(tmp_path, monkeypatch)
    (tmp_path / "tmp").mkdir()
    short = {**env, "TMPDIR": str(tmp_path / "tmp")}
    done = play(short, "leduc --seed 1 --against random", "save\n1\n1\nquit\n")
    assert (done.returncode, done.stderr) == (0, "")
    said = " ".join(done.stdout.split())
    assert re.search("Records can't be saved in .*: No space left on device[.]", said)
    assert said.count("There is no record of this game, since it can't be saved.") == 2  # after `save`, and at the end
    assert "The record" not in said
    assert "--resume" not in said
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def test_a_record_moves_on_when_its_disk_is_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usual, elsewhere = tmp_path / "state", tmp_path / "tmp"
    elsewhere.mkdir()
    monkeypatch.setenv("XDG_STATE_HOME", str(usual))
    monkeypatch.setattr(tempfile, "tempdir", str(elsewhere))
    keeper, texts = Keeper("kuhn", "a game", None), list[str]()
    for full, word in ((None, "first"), (usual, "second"), (tmp_path, "third")):
        if full:
            full_under(full, monkeypatch)
        keeper.keep(f"parlour record 1\n{word}\n")
        texts.append(there(keeper.path).read_text())
    assert texts == [f"parlour record 1\n# a game\n{word}\n" for word in ("first", "second", "second")]
    assert keeper.is_behind
    first, second = (path for path in sorted(tmp_path.rglob("*")) if path.is_file())
    assert first.is_relative_to(usual)
    assert (second, first.read_text()) == (keeper.path, texts[0])


def test_saving_over_a_record_keeps_it_if_the_disk_is_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And replaces no link and no device."""
    (tmp_path / "other").mkdir()
    file, link = tmp_path / "other" / "one.rec", tmp_path / "link.rec"
    link.symlink_to(file)
    save("parlour record 1\nolder\n", str(link))
    assert link.is_symlink()
    with pytest.raises(ParlourError, match="already exists and isn't a record"):
        save("parlour record 1\n", os.devnull)
    full_under(tmp_path, monkeypatch)
    with pytest.raises(ParlourError, match=r"can't be saved to .*No space left"):
        save("parlour record 1\nnewer\n", str(file))
    assert file.read_text() == "parlour record 1\nolder\n"
    assert [*(tmp_path / "other").iterdir()] == [file]


def test_a_terminal_asks_for_a_game_draws_it_and_asks_again(env: dict[str, str]) -> None:
    child = terminal(env, "--seed 1 --against random --pace 0", columns=44)
    for typed in ("0", "k k", "kuh"):
        child.expect("Which game[?] ")
        assert max(map(len, child.before.splitlines())) <= 44
        child.sendline(typed)
    assert "number from 1 to" in child.before
    games = 0
    while games < 2:
        if child.expect(["› ", r"Play again\? \[y/n\] "]) == 0:
            assert "╭────╮" in child.before
            assert "\x1b[" in child.before
            child.sendline("1")
        else:
            games += 1
            child.sendline("1")  # neither
            child.expect(r"Play again\? \[y/n\] ")
            child.sendline("y" if games == 1 else "n")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0
    assert len(records(env)) == 2


@pytest.mark.parametrize(
    ("change", "drawn"),
    [
        pytest.param({"TERM": "dumb"}, False, marks=pytest.mark.long),
        ({"LC_ALL": "C", "PYTHONIOENCODING": "ascii"}, False),
        ({"NO_COLOR": "1"}, True),
    ],
)
def test_poor_terminals_and_ctrl_c(env: dict[str, str], change: dict[str, str], drawn: bool) -> None:
    child = terminal({**env, **change}, "diamonds --seed 7 --pace 0 --option first_dealer=0 --against random")
    child.expect("› " if drawn else "Your choice: ")
    assert ("╭" in child.before) is drawn
    assert not re.search(r"\x1b\[[0-9;]*3[0-9]", child.before)  # no colour in any of them
    child.sendline("5")
    child.expect("› " if drawn else "Your choice: ")
    assert "The record so far is in" in interrupt(child)
    assert child.exitstatus == 130
    assert parlour.replay(records(env)[0].read_text()).history[0].name == "dig 4"


def test_enter_skips_the_pauses_and_a_killed_game_is_on_disk(env: dict[str, str]) -> None:
    """All pauses till the next prompt; here they would never end by themselves."""
    endless = (
        "from parlour.cli.play import screen\n"
        "enter_within = screen._enter_within\n"
        "screen._enter_within = lambda seconds: enter_within(1e6)\n"
    )
    words = "diamonds --seed 1 --pace 9 --option first_dealer=0 --against random"
    child = terminal(env, words, program=f"{endless}{PARLOUR[-1]}")
    child.expect("› ")
    child.sendline("5")
    child.expect("DM-24")
    child.sendline("")
    child.expect("› ")
    child.kill(signal.SIGKILL)
    child.close()
    assert parlour.replay(records(env)[0].read_text()).history[0].name == "dig 4"


def test_what_cannot_be_resumed_is_one_sentence(tmp_path: Path, joker: Path, says: Says) -> None:
    (tmp_path / "bad.rec").write_bytes(b"\x00\xff")
    assert_one_sentence(says(f"play --resume {tmp_path / 'bad.rec'}"))
    assert_one_sentence(says(f"play kuhn --resume {joker}"), named="a record of diamonds, not of kuhn")
