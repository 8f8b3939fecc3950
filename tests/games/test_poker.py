"""Kuhn and Leduc poker, clause by clause."""

from __future__ import annotations

import inspect

import pytest

import parlour
from parlour import CHANCE, IllegalAction, ParlourError, State
from parlour.engine.definition import definition
from tests.helpers import names


def dealt(game: str, *steps: str) -> State:
    state = parlour.load(game).new()
    for step in steps:
        state.apply(step)
    return state


@pytest.mark.parametrize(("game", "most"), [("kuhn", 140), ("leduc", 190), ("hearts", 260)])
def test_what_people_read_first_is_short(game: str, most: int) -> None:
    """``docs/adding_a_game.md`` sends people there to see real games."""
    assert len(inspect.getsource(definition(game).modules[0]).splitlines()) <= most


@pytest.mark.clause("KU-1", "LE-1")
@pytest.mark.parametrize("game", ["kuhn", "leduc"])
def test_two_play(game: str) -> None:
    assert parlour.load(game, 2).players == 2
    with pytest.raises(ParlourError, match="cannot be played by 3; it is for 2 players"):
        parlour.load(game, 3)


@pytest.mark.clause("KU-3", "KU-8")
def test_kuhn_course() -> None:
    state = dealt("kuhn")
    assert state.observation()["paid"] == [1, 1]
    assert [state.name_of(k) for k, _ in state.chance_outcomes()] == ["J", "Q", "K"]
    state.apply("K")
    assert [state.name_of(k) for k, _ in state.chance_outcomes()] == ["J", "Q"]
    assert state.refusal("bet", 0).clause == "KU-4"  # type: ignore[union-attr]
    state.apply("J")
    assert state.refusal("bet", 1).clause == "KU-6"  # type: ignore[union-attr]
    for player, act in ((0, "pass"), (1, "bet"), (0, "bet")):
        assert (state.current_player, names(state)) == (player, {"pass", "bet"})
        state.apply(act)
    assert state.is_terminal
    assert [(e.clause, e.text) for e in state.events()][-2:] == [
        ("KU-9", "Seat 0 shows K."),
        ("KU-9", "Seat 1 shows J."),
    ]
    assert state.refusal("bet", 0).clause == "KU-11"  # type: ignore[union-attr]


def test_what_a_network_reads_of_kuhn_and_leduc() -> None:
    """One number for each answer, own seat first; amounts as parts of the most there can be."""
    read = dealt("kuhn", "K", "Q", "bet").tensor(1)
    assert read["stage"].tolist() == [0, 1, 0, 0]
    assert (read["dealt"].tolist(), read["moves"].tolist()) == ([1], pytest.approx([1 / 3]))
    assert read["hand"].tolist() == [[0, 0, 1, 0], [0, 0, 0, 0]]
    assert read["paid"].tolist() == [[1 / 2], [1]]
    read = dealt("leduc", "K1", "Q1", "raise", "call", "J1", "raise").tensor(1)
    assert read["paid"].tolist() == [[pytest.approx(3 / 13)], [pytest.approx(7 / 13)]]
    assert (read["dealt"].tolist(), read["raises"].tolist()) == ([1], [1 / 2])
    assert read["moves"].tolist() == [[2 / 4], [1 / 4]]
    call, raised, none = [0, 1, 0], [0, 0, 1], [0, 0, 0]
    assert read["log"].tolist() == [raised, call, none, none, raised, none, none, none]


@pytest.mark.clause("LE-2", "LE-4")
def test_leduc_deal() -> None:
    state = dealt("leduc")
    assert state.observation()["paid"] == [1, 1]
    assert [state.name_of(k) for k, _ in state.chance_outcomes()] == ["J1", "J2", "Q1", "Q2", "K1", "K2"]
    assert state.refusal("call", 0).clause == "LE-5"  # type: ignore[union-attr]
    state.apply("K2")
    state.apply("J1")
    assert state.observation(0)["hand"] == ["K2", None]
    assert [e.clause for e in state.events(0)] == ["LE-5"]


@pytest.mark.clause("LE-3", "LE-16", "LE-17")
@pytest.mark.parametrize(
    ("cards", "returns"),
    [
        ("K1 Q1 J1", [1, -1]),
        ("J1 K1 J2", [1, -1]),  # a pair beats a king
        ("K1 J1 J2", [-1, 1]),
        ("Q1 Q2 K1", [0, 0]),
    ],
)
def test_leduc_showdown(cards: str, returns: list[float]) -> None:
    one, two, board = cards.split()
    state = dealt("leduc", one, two, "call", "call", board, "call", "call")
    assert state.returns() == returns
    assert [e.clause for e in state.events()][-2:] == ["LE-15", "LE-15"]


@pytest.mark.clause("LE-9", "LE-18")
def test_leduc_betting() -> None:
    state = dealt("leduc", "K1", "Q1")
    assert names(state) == {"call", "raise"}
    assert state.refusal("fold").clause == "LE-12"  # type: ignore[union-attr]
    assert state.refusal("call", 1).clause == "LE-7"  # type: ignore[union-attr]
    state.apply("call")
    assert state.current_player == 1  # one call does not end the round
    state.apply("raise")
    assert state.observation()["paid"] == [1, 3]
    state.apply("raise")
    assert state.observation()["paid"] == [5, 3]
    assert names(state) == {"fold", "call"}
    assert state.refusal("raise").clause == "LE-14"  # type: ignore[union-attr]
    state.apply("call")
    assert state.current_player == CHANCE
    assert state.refusal("call", 0).clause == "LE-8"  # type: ignore[union-attr]
    assert len(state.chance_outcomes()) == 4
    state.apply("J1")
    assert (state.current_player, state.observation()["board"]) == (0, "J1")
    for act, paid in (("raise", [9, 5]), ("raise", [9, 13]), ("call", [13, 13])):
        state.apply(act)
        assert state.observation()["paid"] == paid
    assert state.returns() == [13, -13]
    assert state.refusal("call", 0).clause == "LE-20"  # type: ignore[union-attr]


def test_leduc_fold() -> None:
    state = dealt("leduc", "K1", "Q1", "raise", "fold")
    assert state.returns() == [1, -1]
    assert state.events()[-1].clause == "LE-11"
    with pytest.raises(ParlourError, match="The game is over"):
        state.apply("call")
    with pytest.raises(IllegalAction):
        dealt("leduc", "K1", "Q1", "fold")
