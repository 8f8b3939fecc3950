"""The boards of the page: whatever happens in a game, each seat gets its board, and everything it may do is on it."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from html.parser import HTMLParser
from pathlib import Path

import pytest

import parlour
from parlour.cli.author.new import lay_out
from parlour.core.game import State, load
from parlour.engine.definition import definition, games
from parlour.games.diabolo import deck
from parlour.games.diabolo import drawing as diabolo
from parlour.games.diabolo.position import STUCK
from parlour.games.diamondback import drawing as diamondback
from parlour.rules.vocabulary import EVERYBODY
from parlour.server.common import wire
from parlour.server.page import environment, rendering
from parlour.server.page.scene import Scene
from tests.helpers import play, the_rest_long

BOARDS = [game for game in games() if environment.board_of(game) != "plain.html"]
VOID = {"img", "input", "br", "meta", "link"}
TABLES: list[tuple[str, int, dict[str, str]]] = [
    *((game, 0, {}) for game in BOARDS),
    ("diamonds", 2, {"pile_choice": "random_face_down", "stop_digging": "always"}),
    ("diamonds", 3, {"joker_when": "own_turn", "switch_target": "anyone", "games": "2"}),
    ("diamonds", 3, {"destroy_when": "face_up_only", "trade_leaves": "debris"}),
    ("diabolo", 4, {"show": "sum_only", "stuck_face": "down", "doubler_mode": "open_in_turn"}),
    ("diamondback", 2, {"version": "match", "match_unit": "within_hand"}),
    ("diamondback", 3, {"version": "dealers", "ante_decline": "yes"}),
    ("dividha", 4, {"pay_to_trade": "on", "splits": "open", "absences": "on", "between_hands": "asked"}),
    ("pope_joan", 5, {"version": "classic", "board": "five", "dealer_sees_dead_hand": "yes"}),
    ("newmarket", 8, {"stakes": "saratoga"}),
    ("matrimony", 5, {"stake_visibility": "secret", "cards": "two_down", "broke": "out"}),
    ("dividha", 3, {"showdown": "free", "aural_rule": "on", "rule_of_order": "on", "rounds": "three_with_trade"}),
]


def test_every_colour_and_measure_that_styles_name_is_there() -> None:
    """One that is not is left out by browsers without a word, and with it what it was for."""
    here = Path(parlour.__file__).parent
    written = [one.read_text("utf-8") for kind in ("css", "html", "js") for one in sorted(here.rglob(f"*.{kind}"))]
    made = {name for text in written for name in re.findall(r"(--[\w-]+)\"?(?:: |,)", text)}
    named = {name for text in written for name in re.findall(r"var\((--[\w-]+)\)", text)}
    assert named - made == set()


class Reader(HTMLParser):
    """Reads a piece of a page: what can be pressed and filled in, and whether it is well made."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.buttons: list[str] = []
        self.fields: dict[str, range] = {}
        self.ids: list[str] = []
        self.feed(html)
        assert not self.open

    def handle_starttag(self, tag: str, pairs: list[tuple[str, str | None]]) -> None:
        has = {name: value or "" for name, value in pairs}
        assert "style" not in has
        assert tag not in ("style", "script")
        if tag not in VOID:
            self.open.append(tag)
        is_legal = "legal" in has.get("class", "").split()
        if tag == "option" or (tag == "button" and has.get("name") == "action" and is_legal):
            self.buttons.append(has["value"])
        if tag == "input" and has["name"].startswith("amount "):
            self.fields[has["name"].removeprefix("amount ")] = range(int(has["min"]), int(has["max"]) + 1)
        if "id" in has:
            self.ids.append(has["id"])

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def offers(self, action: str) -> int:
        """How often an action is on the board."""
        kind, _, number = action.rpartition(" ")
        return self.buttons.count(action) + (number.isdigit() and int(number) in self.fields.get(kind, ()))


def scene(state: State, seat: int, names: Sequence[str] = ()) -> Scene:
    """What the page of a seat, or of a spectator (-1), is made of."""
    game, asked = state.game, list(state.acting)
    told = [wire.Sentence(one.text, one.clause, one.event, one.who, one.a, one.b) for one in state.events(seat)]
    telling = wire.Telling(
        version=1, match=1, seat=seat, view=None, items=list(state.view(seat).items), heard=len(told), new=told,
        hushed=False, asked=asked,
        players=[wire.SeatHolder(name, "heuristic", False, False) for name in names or state.player_names],
        choices=[wire.Choice(a, state.name_of(a)) for a in state.legal_actions(seat)] if seat in asked else [],
        over=state.is_terminal, returns=state.returns() if state.is_terminal else [], again=[],
    )  # fmt: skip
    about = wire.About(
        table="t", code="ABCDEF", game=game.id, players=game.players, options=dict(game.options), reveal=True,
        pace=1.0, beat=1.0, patience=0.0,
    )  # fmt: skip
    return Scene(about, telling, told, "http://localhost/t/ABCDEF")


def board(state: State, seat: int, names: Sequence[str] = ()) -> str:
    """The board that a seat gets."""
    return rendering.regions(scene(state, seat, names))["board"]


SEAT = "{% macro seat(one) %}{{ m.seat(one) }}{% endmacro %}\n"
FAULTS = {
    "unsaid": ("<section>\n{{ v.trump }}\n</section>", "unsaid/table.html, line 4: jinja2.exceptions.UndefinedError: "),
    "unread": ("<section>\n{% iff me %}\n</section>", "unread/table.html, line 4: Encountered unknown tag 'iff'"),
}
"""By the name of a game: what its author has put on the stage, and how the server's log tells it."""


@pytest.mark.parametrize("name", FAULTS)
def test_a_game_whose_board_cannot_be_drawn_is_played_on_the_plain_one(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    drawn, told = FAULTS[name]
    made = lay_out(name, "My Game", tmp_path)
    (made / "table.html").write_text(
        f'{{% extends "layout.html" %}}\n{SEAT}{{% block stage %}}{drawn}{{% endblock %}}\n'
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(parlour.engine.definition, "_registered", {})
    state = load(parlour.register(name)).new(seed=1)
    while not state.acting:
        state.apply(state.chance_outcomes()[0][0])
    for _ in range(2):
        there = Reader(page := board(state, state.acting[0]))
        assert there.offers("stay")
        assert "can’t be drawn, so here is the plain one" in page
    (said,) = caplog.messages
    assert said.startswith(f"the board of {name} cannot be drawn: {told}")


@pytest.mark.parametrize("every", the_rest_long([7, 1], [7]))
@pytest.mark.parametrize(("name", "players", "options"), TABLES, ids=str)
def test_everything_that_may_be_done_is_on_the_board(
    name: str, players: int, options: dict[str, str], every: int
) -> None:
    """A game at random, chance step by step; after each step, or now and then, the boards of some seats and of a
    spectator."""
    game = load(name, players or definition(name).counts()[0], **options)
    rng = random.Random(name)
    state = game.new()
    shown = 0
    for step in range(120):
        acting = state.acting
        for seat in {*acting[:2], rng.randrange(game.players), EVERYBODY} if step < 6 or step % every == 0 else ():
            there = Reader(html := board(state, seat, [f"<{p}>" for p in range(game.players)]))
            assert len(set(there.ids)) == len(there.ids)
            assert "<0>" not in html, "names are escaped"
            assert ('<section class="rail"' in html) == (seat != EVERYBODY)
            names = [state.name_of(a) for a in state.legal_actions(seat)] if seat in acting else []
            twice = 1 + (name in ("dividha", "diamondback"))  # all and none beside the field; either of two equal cards
            assert [action for action in names if there.offers(action) not in (1, twice)] == []
            assert set(there.buttons) <= {*names}
            shown += bool(names)
        if state.is_terminal:
            break
        if acting:
            seat = rng.choice(acting)
            state.apply(rng.choice(state.legal_actions(seat)), seat)
        else:
            state.apply(rng.choice(state.chance_outcomes())[0])
    assert shown


def test_the_round_before_of_diabolo_row_by_row() -> None:
    """What the page says of the rows that were scored adds up to what the players have."""
    *_, state = play(load("diabolo", 4, deals="1").new(seed=3), 3)
    rows = diabolo.scoring(state.events())
    assert [row.colour for row in rows] == ["red", "yellow", "green", "purple", "blue"]
    totals = [sum(row.brings.get(p, 0) for row in rows) for p in range(4)]
    assert totals == state.view().observation()["total"]


def test_how_the_hand_before_of_diamondback_ended() -> None:
    """At the opening of a hand the page says who showed what in the one before, and who won."""
    state = load("diamondback", 2, first_dealer="0").new(2)
    for action in ("wager 5", "match"):
        state.apply(action)
    while not state.view().observation()["deal"]:
        names = [state.name_of(a) for a in state.legal_actions()]
        state.apply(next((name for name in ("stop", "match") if name in names), names[0]))
    events = [one.event for one in diamondback.end_of_hand(state.events())]
    assert events[:2] == ["shows", "shows"]
    assert events[2] in ("wins", "carried")


def test_who_can_place_nothing_in_diabolo_discards_by_a_click_on_a_card() -> None:
    state = next(state for state in play(load("diabolo", 5).new(seed=3), 3) if state.acting == (0,))
    state.position.stage = STUCK
    html = board(state, 0)
    held = {name for bag in state.view(0).observation()["hand"][0] for name in bag.split()}
    assert {name for name in deck.NAMES if f'value="discard {name}"' in html} == held
