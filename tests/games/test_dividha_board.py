"""The board of Dividha on the page: whatever may be done can be done there, and the hand before is told rightly."""

from __future__ import annotations

import random
from collections.abc import Iterator
from html.parser import HTMLParser
from types import SimpleNamespace
from typing import Any

import pytest

import parlour
from parlour import EVERYBODY, State
from parlour.games.dividha import board
from parlour.games.dividha.hands import CARDS
from parlour.server.common import wire
from parlour.server.page import rendering
from parlour.server.page.scene import Scene

NAMES = ("Ann", "Ben", "Cora", "Dan", "Eve", "Finn")
TABLES: list[tuple[int, dict[str, Any]]] = [
    (2, {}),
    (4, {"pay_to_trade": "on", "splits": "open", "absences": "on", "between_hands": "asked", "ante_start": 8}),
    (3, {"showdown": "free", "aural_rule": "on", "rule_of_order": "on", "rounds": "three_with_trade"}),
    (6, {"unsplit_all_in": "on", "demons_wager": "on", "rounds": "three_no_trade", "limit": "fixed"}),
]


class Page(HTMLParser):
    """What one can do on a page: buttons and choices by their values, fields for numbers; all text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.actions: set[str] = set()
        self.fields: dict[str, range] = {}
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what can be pressed, chosen or typed."""
        found = {name: value or "" for name, value in attrs}
        self.text += f" {found.get('aria-label', '')} "
        if tag == "option" or (tag == "button" and found.get("name") == "action"):
            self.actions.add(found["value"])
        if tag == "input" and found.get("type") != "hidden":
            kind = found["name"].removeprefix("amount ")
            self.fields[kind] = range(int(found["min"]), int(found["max"]) + 1)

    def handle_data(self, data: str) -> None:
        """Note the text."""
        self.text += data

    def can(self, action: str) -> bool:
        """Whether an action can be done."""
        kind, _, number = action.rpartition(" ")
        return action in self.actions or (number.isdigit() and int(number) in self.fields.get(kind, ()))


def scene(state: State, seat: int) -> Scene:
    """A moment as a seat sees it."""
    game = state.game
    asked = list(state.acting)
    said = [wire.Sentence(one.text, one.clause, one.event, one.who, one.a, one.b) for one in state.events(seat)]
    telling = wire.Telling(
        version=1, match=1, seat=seat,
        players=[wire.SeatHolder(name, "random", False, False) for name in NAMES[: game.players]],
        view=None, items=list(state.view(seat).items), heard=len(said), new=said, asked=asked, hushed=False,
        choices=[wire.Choice(a, state.name_of(a)) for a in state.legal_actions(seat)] if seat in asked else [],
        over=state.is_terminal, returns=state.returns() if state.is_terminal else [], again=[],
    )  # fmt: skip
    about = wire.About(
        table="t", code="BCDFGH", game=game.id, players=game.players, options=dict(game.options), reveal=True, pace=1,
        beat=3, patience=0,
    )  # fmt: skip
    return Scene(about, telling, said, "")


def drawn(state: State, seat: int) -> str:
    """The board as a seat sees it."""
    return rendering.regions(scene(state, seat))["board"]


def asked(state: State, seat: int) -> str:
    """What a seat reads about what there is to decide."""
    return rendering.regions(scene(state, seat))["strip"]


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


@pytest.mark.parametrize(
    ("players", "options"), [*TABLES[:2], *(pytest.param(*one, marks=pytest.mark.long) for one in TABLES[2:])]
)
def test_all_that_may_be_done_can_be_done_on_the_board(players: int, options: dict[str, Any]) -> None:
    stages = set()
    for state in moments(players, options, seed=players, steps=70):
        stages.add(state.observation()["stage"])
        for seat in {*state.acting, players - 1, EVERYBODY}:
            html = drawn(state, seat)
            assert "style=" not in html
            page = Page(html)
            if seat in state.acting:
                assert [a for a in map(state.name_of, state.legal_actions(seat)) if not page.can(a)] == []
            else:
                assert not page.actions
                assert not page.fields
    assert stages >= {"betting", "dividing", "discarding"}


def after_a_hand(**options: Any) -> State:
    """The first question between two hands, which goes to the player on the left of the first dealer."""
    state = parlour.load("dividha", 3, between_hands="asked", ante_start=6, **options).new(seed=1)
    while state.observation()["stage"] != "between hands":
        me = state.acting[0]
        names = [state.name_of(a) for a in state.legal_actions(me)]
        state.apply(next((name for name in names if name in ("check", "stand")), names[0]), me)
    return state


def test_between_two_hands_the_board_says_what_is_decided() -> None:
    state = after_a_hand(absences="on")
    me = state.acting[0]
    html = drawn(state, me)
    assert "The ante is 6" in asked(state, me)
    assert "After hand 1, ante 6" in html
    assert "Your tablet" not in html  # it is wiped
    assert "folded" not in html
    state.apply("propose 4", me)
    voter = state.acting[0]
    assert "The next ante would be 4" in asked(state, voter)
    assert "proposes to lower the ante to 4" in drawn(state, voter)
    assert "no bet in this round" not in drawn(state, voter)
    for _ in range(2):
        state.apply("agree", state.acting[0])
    assert state.acting == (me,)
    assert "next ante 4" in drawn(state, me)
    state.apply("leave the table", me)
    assert "leaves the table" in drawn(state, state.acting[0])


def test_players_are_asked_whether_they_are_back() -> None:
    state = after_a_hand(absences="on")
    for _ in range(3):
        state.apply("leave the table", state.acting[0])
    html = drawn(state, state.acting[0])
    assert "Come back, or stay away" in asked(state, state.acting[0])
    assert "folded" not in html


def test_between_two_hands_the_terminal_says_what_is_decided() -> None:
    from rich.console import Console

    from parlour.games.dividha import drawing

    def screen(state: State, seat: int, width: int) -> str:
        console = Console(width=width, force_terminal=False)
        with console.capture() as capture:
            console.print(drawing.picture(state.view(seat), NAMES, (), width))
        return capture.get()

    def captions(state: State, seat: int) -> dict[str, str]:
        names = [state.name_of(a) for a in state.legal_actions(seat)]
        return {name: drawing.caption(name, state.view(seat), NAMES) for name in names}

    state = after_a_hand(absences="on")
    me = state.acting[0]
    for width in (80, 40):
        assert "after hand 1; ante 6" in screen(state, me, width)
        assert "tablet" not in screen(state, me, width)
        assert "…" not in screen(state, me, width)  # nothing is cut off
    assert captions(state, me)["check"] == "the next ante is 6"
    state.apply("propose 4", me)
    assert captions(state, state.acting[0])["agree"] == "the next ante is 4"
    for _ in range(2):
        state.apply("agree", state.acting[0])
    assert captions(state, me)["check"] == "the next ante is 4"
    state.apply("leave the table", me)
    for width in (80, 40):
        assert screen(state, state.acting[0], width).count("absent") == 1


def test_cards_of_others_and_tablets_are_not_on_the_board() -> None:
    from parlour.games.dividha.deck import title

    for state in moments(3, {}, seed=8, steps=100):
        if state.observation()["deal"]:
            return
        position = state.position
        for seat in (0, EVERYBODY):
            text = Page(drawn(state, seat)).text
            hidden = {title(CARDS[c]) for p in range(3) if p != seat for c in range(56) if position.private[p] >> c & 1}
            open_ = {title(CARDS[c]) for p in range(3) for c in range(56) if position.public[p] >> c & 1}
            own = {title(CARDS[c]) for c in range(56) if seat == 0 and position.private[0] >> c & 1}
            assert not [card for card in hidden - open_ - own if card in text]
            assert ("tablet" in text) == (seat == 0)
    pytest.fail("the first hand did not end")


def test_the_hand_before_is_accounted_for_to_the_coin() -> None:
    settled = showdowns = 0
    for state in moments(4, {"starting_coins": 1000}, seed=1, steps=300):
        if len(state.deals) > settled:
            settled = len(state.deals)
            hand = board.last_hand(scene(state, 1).story)
            assert hand is not None
            assert hand.number == settled
            assert hand.forfeited == 0
            balances = {part.seat: part.balance for part in hand.parts}
            assert [balances.get(p, 0) for p in range(4)] == list(state.deals[-1].returns)
            showdowns += len([part for part in hand.parts if part.cards]) > 2
            assert [len(part.cards) for part in hand.parts if part.cards] == [5] * sum(bool(p.hand) for p in hand.parts)
    assert settled > 4
    assert showdowns > 1


def test_the_first_hand_has_none_before_it() -> None:
    state = parlour.load("dividha", 4).new(seed=1)
    assert board.last_hand(scene(state, 0).story) is None


def test_the_showdown_stands_from_the_strongest_hand_down() -> None:
    def said(event: str, who: int, a: int = 0, b: int = 0) -> SimpleNamespace:
        return SimpleNamespace(event=event, who=who, a=a, b=b)

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
    story = [SimpleNamespace(event="antes", who=-1, a=2, b=2)]
    story += [SimpleNamespace(event="tablet", who=p, a=1, b=1) for p in range(2)]
    story += [SimpleNamespace(event="goes_back", who=-1, a=4, b=1)]
    hand = board.last_hand(story)
    assert hand is not None
    assert hand.went_back
    assert [one.event for one in hand.why] == ["goes_back"]
    assert hand.takers == []
