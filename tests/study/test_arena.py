"""The arena: rules of thumb that are compiled beside the rules play the games that they play from views."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count, islice
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import parlour
from parlour import Game, ParlourError, State
from parlour.base.errors import CompilationError
from parlour.engine.definition import definition
from parlour.engine.hashing import seed_word
from parlour.engine.interpreted import KeyMatrix, Positions
from parlour.engine.kernels.views import BLANK, SEEN
from parlour.engine.telling import restored
from parlour.players.kernels.arena import BY_ANSWER, BY_WHOM, LISTED, NOTES, TRIED, ContestGames, Weighing
from parlour.players.kind import Kind, parsed
from parlour.players.sight import Viewed
from parlour.players.simple import prepared
from parlour.study import arena, match, runners
from parlour.study.datasets import steps_of
from parlour.study.runners import AtViews, Meeting, runner_for
from parlour.study.surveying import Accounts
from tests.helpers import COMPILED, GAMES, ends, interpreted, play, the_rest_long
from tests.players.test_learned import in_a_file

WITH_THUMB = [game for game in GAMES if definition(game).has("appraise")]
games = pytest.mark.parametrize("name", WITH_THUMB)


def seated(players: int) -> tuple[Kind, ...]:
    """The rule of thumb against random players, who reach positions that it would not."""
    return tuple(Kind("rule-of-thumb" if p % 2 == 0 else "random") for p in range(players))


def moments(game: Game) -> Iterator[State]:
    """The first moments of a game at which somebody has a choice."""
    asked = (state for state in play(game.new(), 3) if any(len(state.legal_actions(p)) > 1 for p in state.acting))
    return islice(asked, 30)


def companies(game: Game, folder: Path) -> Iterator[tuple[Kind, ...]]:
    """Who may sit at the tables of a game: those who think, those who know a rule of thumb, and a network that has
    learned nothing."""
    others = ["best:12" if game.definition.has("appraise") else "random", *["random"] * (game.players - 2)]
    yield tuple(map(Kind.parsed, ("search:8", *others)))
    if game.definition.has("appraise"):
        yield seated(game.players)
        yield Kind("learned", in_a_file(game, folder)), *seated(game.players)[:-1]


@pytest.mark.parametrize("name", the_rest_long(GAMES, COMPILED))
def test_the_games_are_those_that_players_play_from_views(name: str, tmp_path: Path) -> None:
    """Step by step; what players choose at once, in order of seats."""
    for game in (setting.load() for setting in ends(name)):
        for kinds in companies(game, tmp_path):
            meeting = Meeting(game, kinds, 5, keeps_steps=True)
            assert runner_for(meeting).is_compiled
            compiled, from_views = (
                [(one.returns, one.moves, as_kept(game, one.steps)) for deal in runner.play(range(2)) for one in deal]
                for runner in (runner_for(meeting), AtViews(meeting))
            )
            assert compiled == from_views
            assert all(steps for *_, steps in compiled)


def as_kept(game: Game, steps: bytes) -> list[int]:
    """The steps of a game as its state keeps them."""
    state = game.new()
    for step in np.frombuffer(steps, "<i4").tolist():
        action, who = divmod(step, BY_WHOM)
        state.apply(action, who - 1 if who else None)
    assert state.is_terminal
    return steps_of(state)


@pytest.mark.parametrize("name", GAMES)
def test_who_thinks_is_asked_with_what_they_are_told_and_nothing_else(name: str) -> None:
    """Interpreted, and answered at random, beside a state that goes the same way."""
    for setting in ends(name):
        game, dice, pending = setting.load(), Random(1), dict[int, int]()
        state, n = game.new(seed=3), game.players
        words = np.array([[[0]] * n + [[seed_word(3)]]], object)
        S, memory = Positions(game.definition, 3), KeyMatrix(game.definition)
        S[BLANK] = game.blank()
        acts, chosen, tried, at = [0] * game.action_count, [0] * n, [0] * game.action_count, [0] * 5
        brought, moves = [[0.0] * n], np.zeros((1, n), int)
        room = Weighing(acts, *[None] * 7)
        contest = ContestGames([game.start()], words, np.full((1, n), BY_ANSWER), chosen, brought, moves, [[]], [0])
        ask = interpreted(game.definition).contest_asking
        for _ in range(40):
            p = ask(S, room, contest, at, tried, memory)
            follow(state, pending)
            if p < 0:
                assert brought == [state.returns()]
                break
            seen = state.view(p)
            assert p in state.acting
            assert S[SEEN] == restored(seen)
            assert memory[0, 0] == seen.glance()
            assert acts[: at[LISTED]] == state.legal_actions(p)
            assert tried[: at[TRIED]] == Viewed(seen).worth_trying()
            pending[p] = chosen[p] = dice.choice(acts[: at[LISTED]])


def follow(state: State, pending: dict[int, int]) -> None:
    """Let those who have chosen, and those who have no choice, do it, as soon as all of them have."""
    while not state.is_terminal:
        for p in state.acting:
            if len(legal := state.legal_actions(p)) == 1:
                pending[p] = legal[0]
        if any(p not in pending for p in state.acting):
            return
        for p in state.acting:
            state.apply(pending.pop(p), p)


@games
def test_nothing_is_carried_over_from_one_choice_to_the_next(name: str) -> None:
    for setting in ends(name):
        game, dice = setting.load(), Random(1)
        code, numbers = interpreted(game.definition), prepared(game)
        for state in moments(game):
            for p in state.acting:
                seen, legal = restored(state.view(p)), state.legal_actions(p)
                found: list[Any] = []
                for clean in (True, False):
                    notes = [*numbers, *(0.0 if clean else dice.uniform(-9, 9) for _ in range(NOTES))]
                    worth = [0.0 if clean else dice.uniform(-9, 9)] * game.action_count
                    before = seen.copy()
                    found.append(code.sensible(seen, p, legal, len(legal), worth, notes, [7]))
                    assert seen == before
                    assert tuple(notes[: len(numbers)]) == numbers
                assert found[0] == found[1]


@pytest.mark.parametrize(("third", "threads"), [("rule-of-thumb", 1), ("search:5", 2)])
def test_a_long_match_is_the_short_ones_in_a_row(third: str, threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    game, kinds = parlour.load("diamonds", 3), ["rule-of-thumb", "random", third]
    slow = match.play(game, kinds, 90, 4)
    monkeypatch.setattr(runners, "MANY", 1)
    monkeypatch.setattr(runners, "AT_A_TIME", 20)
    told: list[int] = []
    fast = match.play(game, kinds, 90, 4, threads, told.append)
    assert told == [*range(3, 91, 3)]
    for one, other in zip((*slow.players, *slow.seats), (*fast.players, *fast.seats), strict=True):
        assert (one.name, one.share, one.returns, one.moves) == (other.name, other.share, other.returns, other.moves)
        assert other.seconds > 0


@pytest.mark.parametrize(
    ("name", "kinds", "games", "names", "compiled"),
    [
        ("diamonds", ["random", "rule-of-thumb"], None, None, True),
        ("diamonds", ["random", "rule-of-thumb"], 2000, None, True),
        ("diamonds", ["random", "rule-of-thumb"], 1999, None, False),
        ("diamonds", ["random", "rule-of-thumb"], 2000, ("Ada", "Ben"), False),
        ("diamonds", ["best:7", "search:5"], None, None, True),
        ("diamonds", ["random", "search"], None, None, False),
        ("diamonds", ["random", "search:0.1s"], None, None, False),
        ("kuhn", ["random", "random"], None, None, True),
    ],
)
def test_the_runner_goes_by_who_plays_how_many_games_and_whether_they_are_written_down(
    name: str, kinds: list[Any], games: int | None, names: tuple[str, ...] | None, compiled: bool
) -> None:
    seated_ = list(map(parsed, kinds))
    assert runner_for(Meeting(parlour.load(name), seated_, 1, names=names), games).is_compiled is compiled
    assert arena.can_play(parlour.load(name), seated_) is (compiled or games is not None)


def test_a_game_that_cannot_be_compiled_is_played_from_views(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuses(*_: object) -> None:
        raise CompilationError("rules.py, line 3: that is not for compiled rules.")

    game = parlour.load("diamonds")
    before = match.play(game, seated(2), 4, 1)
    monkeypatch.setattr(runners, "MANY", 1)
    monkeypatch.setattr(arena, "set_up", refuses)
    with pytest.warns(RuntimeWarning, match=r"line 3: that .* continues interpreted, and more slowly"):
        after = match.play(game, seated(2), 4, 1)
    assert [one.returns for one in after.players] == [one.returns for one in before.players]


@pytest.mark.parametrize(
    ("name", "kind", "said"),
    [
        ("diamonds", "search:0.1s", "search:0.1s cannot play diamonds in the arena"),
        ("kuhn", "rule-of-thumb", "rule-of-thumb cannot play kuhn in the arena"),
        ("diamonds", "search:20", "search:20 thinks, and so cannot be surveyed in the arena"),
    ],
)
def test_whoever_cannot_play_there_is_refused(name: str, kind: str, said: str) -> None:
    game, player = parlour.load(name), Kind.parsed(kind)
    with pytest.raises(ParlourError, match=said):
        arena.survey(game, player, 1, 2, Accounts(game).arrays)
    if not arena.can_play(game, [player]):
        with pytest.raises(ParlourError, match=said):
            arena.contest(game, [player] * game.players, 1, range(1))
    for nobody in ("search:many", match):
        assert not arena.can_play(game, [parsed("random"), parsed(nobody)])


def test_no_deals_are_no_match() -> None:
    game = parlour.load("kuhn")
    assert match.play_deals(game, ["random", "random"], 1, range(0)) == []
    with pytest.raises(ParlourError, match="at least one deal"):
        arena.contest(game, [arena.RANDOM, arena.RANDOM], 1, range(0))


def test_who_thinks_takes_the_time_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = SimpleNamespace(perf_counter=count().__next__)
    monkeypatch.setattr(runners, "MANY", 1)
    for module in (arena, runners):
        monkeypatch.setattr(module, "time", clock)
    quick, slow = match.play(parlour.load("leduc"), ["random", "search:5"], 10, 3).players
    assert slow.seconds == pytest.approx(quick.seconds + 1), "each thought takes one tick"


def test_a_name_of_the_contract_means_one_function(monkeypatch: pytest.MonkeyPatch) -> None:
    """The engine would call the rule of thumb's own ``chance`` instead of the rules'."""
    monkeypatch.setattr(definition("diamonds").part("heuristic"), "chance", lambda s: 0, raising=False)
    again = type(definition("diamonds"))("diamonds", "parlour.games.diamonds")
    with pytest.raises(
        ParlourError, match=r"diamonds\.heuristic and parlour\.games\.diamonds\.rules both define chance, which"
    ):
        _ = again.rules
