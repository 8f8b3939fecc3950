"""The board of Dividha on the page: whatever may be done can be done there, and the hand before is told rightly."""

from __future__ import annotations

import random
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from rich.console import Console

import parlour
from parlour import EVERYBODY, State
from parlour.games.dividha import board, drawing
from parlour.games.dividha.deck import title
from parlour.games.dividha.hands import CARDS
from parlour.server.page import rendering
from tests.games import test_boards as boards

NAMES = ("Ann", "Ben", "Cora", "Dan", "Eve", "Finn")


def drawn(state: State, seat: int) -> str:
    """The board as a seat sees it."""
    return boards.board(state, seat, NAMES[: state.game.players])


def asked(state: State, seat: int) -> str:
    """What a seat reads about what there is to decide."""
    return rendering.regions(boards.scene(state, seat, NAMES[: state.game.players]))["strip"]


def moments(players: int, options: dict[str, Any], seed: int, steps: int) -> Iterator[State]:
    """A game at random, with few folds and small raises, so that hands come to the showdown."""
    state = parlour.load("dividha", players, **options).new(seed=seed)
    rng = random.Random(seed)
    for _ in range(steps):
        yield state
        if state.is_terminal:
            return
        me = rng.choice(state.acting)
        names = [state.name_of(a) for a in state.legal_actions(me)]
        calm = [name for name in names if name in ("check", "call")] * 4 + names[:4] * (names[0] in ("check", "call"))
        state.apply(rng.choice(calm if calm and rng.random() < 0.9 else names), me)


def after_a_hand(**options: Any) -> State:
    """The first question between two hands, which goes to the player on the left of the first dealer."""
    state = parlour.load("dividha", 3, between_hands="asked", ante_start=6, **options).new(seed=1)
    while state.observation()["stage"] != "between hands":
        me = state.acting[0]
        names = [state.name_of(a) for a in state.legal_actions(me)]
        state.apply(next((name for name in names if name in ("check", "stand")), names[0]), me)
    return state


def test_between_two_hands_board_and_terminal_say_what_is_decided() -> None:
    def screen(seat: int, width: int) -> str:
        console = Console(width=width, force_terminal=False)
        with console.capture() as capture:
            console.print(drawing.picture(state.view(seat), NAMES, (), width))
        return capture.get()

    def caption(act: str) -> str:
        return drawing.caption(act, state.view(state.acting[0]), NAMES)

    state = after_a_hand(absences="on")
    me = state.acting[0]
    html = drawn(state, me)
    assert "The ante is 6" in asked(state, me)
    assert "After hand 1, ante 6" in html
    assert not [word for word in ("Your tablet", "folded") if word in html]  # it is wiped
    for width in (80, 40):
        assert "after hand 1; ante 6" in screen(me, width)
        assert not [word for word in ("tablet", "…") if word in screen(me, width)]  # nor is anything cut off
    assert caption("check") == "the next ante is 6"
    state.apply("propose 4", me)
    voter = state.acting[0]
    assert "The next ante would be 4" in asked(state, voter)
    assert "proposes to lower the ante to 4" in drawn(state, voter)
    assert "no bet in this round" not in drawn(state, voter)
    assert caption("agree") == "the next ante is 4"
    for _ in range(2):
        state.apply("agree", state.acting[0])
    assert state.acting == (me,)
    assert "next ante 4" in drawn(state, me)
    assert caption("check") == "the next ante is 4"
    state.apply("leave the table", me)
    assert "leaves the table" in drawn(state, state.acting[0])
    assert [screen(state.acting[0], width).count("absent") for width in (80, 40)] == [1, 1]
    for _ in range(2):
        state.apply("leave the table", state.acting[0])
    assert "Come back, or stay away" in asked(state, state.acting[0])
    assert "folded" not in drawn(state, state.acting[0])


def test_cards_of_others_and_tablets_are_not_on_the_board() -> None:
    for state in moments(3, {}, seed=8, steps=100):
        if state.observation()["deal"]:
            return
        position = state.position
        for seat in (0, EVERYBODY):
            text = drawn(state, seat)
            hidden = {title(CARDS[c]) for p in range(3) if p != seat for c in range(56) if position.private[p] >> c & 1}
            open_ = {title(CARDS[c]) for p in range(3) for c in range(56) if position.public[p] >> c & 1}
            own = {title(CARDS[c]) for c in range(56) if seat == 0 and position.private[0] >> c & 1}
            assert not [card for card in hidden - open_ - own if card in text]
            assert ("tablet" in text) == (seat == 0)
    pytest.fail("the first hand did not end")


def test_the_hand_before_is_accounted_for_to_the_coin() -> None:
    settled = showdowns = 0
    assert board.last_hand([]) is None
    for state in moments(4, {"starting_coins": 1000}, seed=1, steps=300):
        if len(state.deals) > settled:
            settled = len(state.deals)
            hand = board.last_hand(boards.scene(state, 1).story)
            assert hand is not None
            assert hand.number == settled
            assert hand.forfeited == 0
            balances = {part.seat: part.balance for part in hand.parts}
            assert [balances.get(p, 0) for p in range(4)] == list(state.deals[-1].returns)
            showdowns += len([part for part in hand.parts if part.cards]) > 2
            assert [len(part.cards) for part in hand.parts if part.cards] == [5] * sum(bool(p.hand) for p in hand.parts)
    assert settled > 4
    assert showdowns > 1


def said(event: str, who: int, a: int = 0, b: int = 0) -> SimpleNamespace:
    return SimpleNamespace(event=event, who=who, a=a, b=b)


def test_the_showdown_stands_from_the_strongest_hand_down() -> None:
    story = [said("antes", -1, 2, 3), *(said("shows", p, 31) for p in (1, 2, 0)), said("beats", 2, 0, 58)]
    story += [said("ties", 0, 1), *(said("tablet", p, 4, 3) for p in range(4)), said("takes_win", 2, 16)]
    story += [said("share", -1, 2, 1), said("takes_lose", 1, 6), said("takes_lose", 0, 6), said("antes", -1, 2, 3)]
    hand = board.last_hand([*story, said("calls", 1, 2)])
    assert hand is not None
    assert [part.seat for part in hand.parts] == [2, 0, 1, 3]
    assert [part.balance for part in hand.parts] == [9, -1, -1, -7]
    assert hand.parts[0].cards == list(CARDS[:5])
    assert hand.pools == (16, 12)
    assert [one.event for one in hand.why] == ["beats", "ties", "share"]


def test_coins_that_nobody_could_take_are_no_losses() -> None:
    tablets = [said("tablet", p, 1, 1) for p in range(2)]
    hand = board.last_hand([said("antes", -1, 2, 2), *tablets, said("goes_back", -1, 4, 1)])
    assert hand is not None
    assert hand.went_back
    assert ([one.event for one in hand.why], hand.takers) == (["goes_back"], [])
