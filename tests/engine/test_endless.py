"""Rules that never come to an end are told in one sentence, wherever they are played."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import parlour
from parlour import Game
from parlour.adapters import gymnasium
from parlour.base.errors import Endless
from parlour.cli.app import app
from parlour.core import lessons
from parlour.engine import interpreted as binding
from parlour.players import make
from parlour.players.kind import Kind
from parlour.rules.bounds import Bounds, longest
from parlour.server.bots.bots import Bots
from parlour.server.live.live_table import UNENDING
from parlour.study import arena
from parlour.study.match import play_game
from parlour.study.simulate import simulate
from tests.helpers import Planter, interpreted, there
from tests.room_helpers import Guest, running

Change = tuple[str, str]

ASKS_FOR_EVER: tuple[Change, ...] = (
    ("    s.moves += 1\n", "    s.moves = 1 - s.moves\n"),
    ("        s.stage = FOLDED\n", "        s.paid[me] = 2\n"),
)
DEALS_FOR_EVER: tuple[Change, ...] = (("    s.dealt += 1\n", ""),)
DEALS_AFTER_A_BET: tuple[Change, ...] = (
    ("        s.paid[me] = 2\n", "        s.stage = DEALING\n"),
    ("    s.hand[s.dealt] = k + 1\n", "    if s.dealt == 2:\n        return\n    s.hand[s.dealt] = k + 1\n"),
)
APPRAISE = "def appraise(s, me, acts, n, worth, notes, rng):\n    worth[0] = 0.0\n\n\n"
BY_THUMB: tuple[Change, ...] = (("def action_names(", f"{APPRAISE}def action_names("),)
ALWAYS = {"asking": ASKS_FOR_EVER + BY_THUMB, "dealing": DEALS_FOR_EVER + BY_THUMB}
SOON = 2_000


def forget() -> None:
    """Bind kernels again, with the bounds that are there now."""
    for known in (interpreted, binding.interpreted, binding._space):
        known.cache_clear()


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Interpreted rules are given up sooner; machine code would have to be made again for that."""
    forget()
    for module in ("rules.bounds", "core.game", "engine.kernels.chance", "engine.definition"):
        monkeypatch.setattr(f"parlour.{module}.LONGEST", SOON)
    yield
    forget()


def refused(game: str, play: Callable[[], object]) -> str:
    """The sentence with which a game without end is given up."""
    with pytest.raises(Endless) as given_up:
        play()
    said = str(given_up.value)
    assert re.match(f"The rules of {game} (never come to an end: a game has had|are stuck) ", said)
    assert said.endswith(f"`parlour audit {game} -c end` shows how it goes.")
    assert given_up.value.said("de") != said
    return said


class First:
    """Takes the first action."""

    name = "first"

    def choose(self, view: object, legal: Sequence[int]) -> int:
        return legal[0]


def to_the_end(game: Game, **how: Any) -> None:
    state = game.new(seed=1, **how)
    while not state.is_terminal:
        state.apply(state.legal_actions()[0])


@pytest.mark.usefixtures("soon")
@pytest.mark.parametrize("kind", ALWAYS)
def test_a_plain_loop_ends_and_people_at_the_terminal_are_told(kind: str, plant: Planter) -> None:
    """What was played is not lost; whoever asks for a hint may go on."""
    game, sentence = plant(kind, *ALWAYS[kind]), f"The rules of {kind} never come to an end"
    assert "2,000 steps. Unless this is its players' doing (heuristic.py)" in refused(game.id, lambda: to_the_end(game))
    assert refused(game.id, lambda: play_game(game, ["random", "random"], seed=1))
    words = "play", game.id, "--pace", "0", "--seed", "1", "--plain", "--against"
    shown, said = command(*words, "search:20", typed="pass\n" * 9)
    assert sentence in said
    if kind == "asking":
        assert "The record so far is in" in shown
        shown, said = command(*words, "random", typed="hint\npass\npass\n")
        assert said in ("", "0")
        assert sentence in " ".join(shown.split())
        assert shown.count("Choices: ") > 2


@pytest.mark.parametrize("kind", ALWAYS)
def test_machine_code_ends(kind: str, plant: Planter) -> None:
    game = plant(kind, *ALWAYS[kind])
    assert "200,000 steps" in refused(kind, lambda: to_the_end(game, binding="compiled"))
    refused(kind, lambda: simulate(game, 2))
    if kind == "dealing":
        refused(kind, lambda: game.batch(2))


@pytest.mark.long
@pytest.mark.parametrize("kind", ALWAYS)
def test_machine_code_of_players_ends(kind: str, plant: Planter) -> None:
    game = plant(kind, *ALWAYS[kind])
    refused(kind, lambda: simulate(game, 2, player="rule-of-thumb"))
    refused(kind, lambda: arena.contest(game, [Kind("random"), Kind("rule-of-thumb")], 1, range(1)))
    refused(kind, lambda: arena.contest(game, [Kind("search", "4"), Kind("best", "4")], 1, range(1)))
    if kind == "asking":
        view = game.new(seed=1).view(0)
        for player in ("search:20", "best:20"):
            refused(kind, partial(make(player, game, 1, binding="compiled").choose, view, [0, 1]))
    for args in ("match random random", "solve --method mccfr --iterations 100"):
        what, *how = args.split()
        assert f"The rules of {kind} never come to an end" in command(what, kind, *how)[1]


@pytest.mark.parametrize("threads", [1, 2])
def test_a_batch_ends_whichever_thread_is_at_work(threads: int, plant: Planter) -> None:
    game = plant("dealing_later", *DEALS_AFTER_A_BET)
    batch = game.batch(512, threads=threads, tensors=False)
    refused(game.id, lambda: batch.step([1] * 512))


@pytest.mark.usefixtures("soon")
@pytest.mark.parametrize("player", ["search:20", "best:20"])
@pytest.mark.parametrize("changes", [ASKS_FOR_EVER, DEALS_AFTER_A_BET], ids=["asking", "dealing"])
def test_a_player_who_imagines_games_gives_up(changes: tuple[Change, ...], player: str, plant: Planter) -> None:
    game = plant("imagined", *changes, *BY_THUMB)
    view = game.new(seed=1).view(0)
    refused(game.id, lambda: make(player, game, 1, binding="interpreted").choose(view, [0, 1]))


@pytest.mark.usefixtures("soon")
def test_a_match_that_states_more_decisions_is_played_on(monkeypatch: pytest.MonkeyPatch, plant: Planter) -> None:
    """A match without end, as Diamondback has, is as long as its author says."""
    game = plant("stated", *ASKS_FOR_EVER)
    monkeypatch.setattr("stated.invariants.bounds", lambda s: Bounds(-2, 2, 0, SOON + 500))
    assert longest(game) == SOON + 500
    assert f"{SOON + 500:,} steps" in refused(game.id, lambda: to_the_end(game))


def test_a_seat_that_is_never_asked_is_named(monkeypatch: pytest.MonkeyPatch, plant: Planter) -> None:
    monkeypatch.setattr(gymnasium, "UNASKED", 20)
    monkeypatch.setattr(gymnasium, "all_compiled", lambda *_: False)  # no machine code for the rival
    game = plant("one_move", ("        s.paid[me] = 2\n", "        pass\n"), ("s.moves > 1:", "s.moves > 0:"))
    with pytest.raises(parlour.ParlourError, match="20 games in a row were over before seat 1 was asked"):
        gymnasium.single(game, seat=1, rivals=["random"]).reset(seed=1)


@pytest.mark.parametrize(
    ("nobody", "why"),
    [("is asked", "several are to choose, and nobody is"), ("has a choice", "seat 1 is to act and may choose nothing")],
)
def test_a_game_in_which_nothing_can_be_done_is_given_up(
    nobody: str, why: str, plant: Planter, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody could go on, and whoever waited for them waited for ever."""
    game = plant("stuck")
    rules = game.definition.rules
    if nobody == "is asked":
        right = rules.actor
        monkeypatch.setattr(rules, "actor", lambda s: parlour.SEVERAL if s.moves else right(s))
    else:
        monkeypatch.setattr(rules, "legal", lambda s, me, acts: 0 if s.moves else 2)
    assert f"after 3 steps: {why}" in refused(game.id, lambda: play_game(game, [First(), First()], seed=1))
    shown, said = command("play", game.id, "--against", "random", "--pace", "0", "--seed", "1", typed="pass\n" * 3)
    assert f"The rules of stuck are stuck after 3 steps: {why}" in said
    assert "The record so far is in" in shown


def test_chance_that_goes_on_for_ever_is_given_up_sooner(plant: Planter) -> None:
    """While chance decides, a server does nothing else."""
    game = plant("deciding", *DEALS_AFTER_A_BET)
    state = game.new(seed=1)
    assert "has had 10,003 steps" in refused(game.id, lambda: state.apply("bet"))


def command(*args: str, typed: str = "") -> tuple[str, str]:
    """What a command prints, and the sentence it ends with, if it fails."""
    ran = CliRunner().invoke(app, [*args], input=typed)
    assert ran.exception is None or isinstance(ran.exception, (parlour.ParlourError, SystemExit)), ran.exception
    return ran.stdout, str(ran.exception or "")


def test_a_lesson_goes_as_far_as_it_says(plant: Planter) -> None:
    """Everything in it is written down, so it ends though the game would not."""
    game = plant("taught", *ASKS_FOR_EVER)
    taught = there(lessons.lesson(game.id))
    assert len(taught.told()) == len(taught.stops)
    shown, said = command("learn", game.id, "--plain", typed="\n\npass\nbet\n\n\n\n\n")
    assert (f"Step {len(taught.stops)} of {len(taught.stops)}" in shown, said) == (True, "")


@pytest.mark.usefixtures("soon")
@pytest.mark.parametrize("kind", ALWAYS)
def test_a_table_stops_and_says_why(kind: str, plant: Planter, tmp_path: Path) -> None:
    """It waited for its bots for ever.  The other tables go on."""
    game = plant(kind, *ALWAYS[kind])
    with running(tmp_path / "room.db", Bots(1)) as house:
        made = house.make(game.id, bots="search:20")
        with Guest(house, made["table"], made["token"]) as zoe:
            if kind == "asking":
                zoe.told(lambda telling: bool(telling.choices))
                zoe.ask("act", action="pass")
            assert zoe.told(lambda telling: bool(telling.frozen)).frozen == UNENDING
        other = house.make("kuhn")
        with Guest(house, other["table"], other["token"]) as abe:
            assert abe.told(lambda telling: bool(telling.choices)).choices
