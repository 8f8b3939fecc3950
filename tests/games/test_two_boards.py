"""The cards and the boards of Diabolo and Diamondback, as their pages show them."""

import random
from collections.abc import Iterator, Sequence
from types import ModuleType
from typing import Any
from xml.etree import ElementTree

import pytest

import parlour
from parlour.core.game import Game, State
from parlour.engine.telling import View
from parlour.games.diabolo import deck as diabolo_deck
from parlour.games.diabolo import drawing as diabolo
from parlour.games.diabolo.position import STUCK
from parlour.games.diamondback import deck as diamondback_deck
from parlour.games.diamondback import drawing as diamondback
from parlour.games.diamondback.position import CARDS
from parlour.server.common import wire
from parlour.server.page.rendering import regions
from parlour.server.page.scene import Scene

FACES = [
    *((diabolo_deck, name) for name in diabolo_deck.NAMES),
    *((diamondback_deck, name) for name in CARDS),
]


@pytest.mark.parametrize(("deck", "name"), FACES, ids=lambda part: part if isinstance(part, str) else "")
def test_faces_are_small_documents_of_their_own(deck: ModuleType, name: str) -> None:
    face = deck.face(name)
    assert len(face.encode()) < 4096
    drawn = list(ElementTree.fromstring(face).iter())
    assert drawn[0].get("viewBox") == "0 0 100 140"
    assert not [part for part in drawn if any(key.endswith("href") or key == "style" for key in part.attrib)]


@pytest.mark.parametrize(("deck", "names"), [(diabolo_deck, diabolo_deck.NAMES), (diamondback_deck, CARDS)])
def test_no_two_cards_look_or_sound_alike(deck: ModuleType, names: Sequence[str]) -> None:
    assert len({deck.face(name) for name in names}) == len({deck.title(name) for name in names}) == len(names)


def test_cards_in_words() -> None:
    assert diabolo_deck.title("P5") == "purple five"
    assert diabolo_deck.title("R1 R1") == "two red ones"
    assert diamondback_deck.title("Priestess") == "the Priestess"


def _scene(game: Game, state: State, seat: int) -> Scene:
    """A moment of a match as the page of a seat shows it."""
    view: View = state.view(seat)
    told = [wire.Sentence("", one.clause, one.event, one.who, one.a, one.b) for one in state.events(seat)]
    asked = list(state.acting)
    about = wire.About(
        table="1", code="ABC", game=game.id, players=game.players, options=game.options,
        reveal=True, pace=0, beat=0, patience=0,
    )  # fmt: skip
    telling = wire.Telling(
        version=1, match=1, seat=seat, players=[wire.SeatHolder(f"N{p}", "", True, False) for p in range(game.players)],
        view=None, items=list(view.items), heard=len(told), new=told, asked=asked, hushed=False,
        choices=[wire.Choice(a, game.action_names[a]) for a in state.legal_actions(seat)] if seat in asked else [],
        over=state.is_terminal, returns=state.returns() if state.is_terminal else [], again=[],
    )  # fmt: skip
    return Scene(about, telling, told, "http://127.0.0.1/t/ABC")


def _played(game: Game, seed: int) -> Iterator[State]:
    """The positions of a match at random, in which few fold."""
    chooser, state = random.Random(seed), game.new(seed)
    while not state.is_terminal:
        yield state
        player = chooser.choice(state.acting)
        legal = state.legal_actions(player)
        eager = [a for a in legal if game.action_names[a] not in ("fold", "leave", "end")]
        state.apply(chooser.choice(eager if eager and chooser.random() < 0.9 else legal), player)
    yield state


@pytest.mark.parametrize(
    ("name", "players", "options"),
    [
        pytest.param("diabolo", 3, {}, marks=pytest.mark.long),
        ("diabolo", 4, {"show": "sum_only", "stuck_face": "down", "doubler_mode": "open_in_turn"}),
        pytest.param("diabolo", 5, {"column_order": "BPGYR"}, marks=pytest.mark.long),
        ("diamondback", 2, {"version": "match", "match_unit": "within_hand"}),
        ("diamondback", 3, {"version": "dealers", "ante_decline": "yes"}),
        pytest.param("diamondback", 4, {"exposure": "all_together", "wager_limit": "none"}, marks=pytest.mark.long),
        pytest.param("diamondback", 5, {"seats_max": "5"}, marks=pytest.mark.long),
    ],
)
def test_the_board_offers_all_that_is_legal_at_once(name: str, players: int, options: dict[str, Any]) -> None:
    game = parlour.load(name, players, **options)
    for state in _played(game, 7):
        for seat in (*state.acting, -1):
            scene = _scene(game, state, seat)
            board = regions(scene)["board"]
            assert "style=" not in board
            for choice in scene.telling.choices:
                amounts = f'name="amount {choice.name.rpartition(" ")[0]}"'
                assert f'value="{choice.name}"' in board or amounts in board, choice.name
            if name == "diabolo":
                assert not scene.left()  # it has a place for everything


def test_the_round_before_row_by_row() -> None:
    """What the page says of the rows that were scored adds up to what the players have."""
    game = parlour.load("diabolo", 4, deals="1")
    *_, state = _played(game, 3)
    story = state.events()
    rows = diabolo.scoring(story)
    assert [row.colour for row in rows] == ["red", "yellow", "green", "purple", "blue"]
    totals = [sum(row.brings.get(p, 0) for row in rows) for p in range(4)]
    assert totals == state.view().observation()["total"]


def test_how_the_hand_before_ended() -> None:
    """At the opening of a hand the page says who showed what in the one before, and who won."""
    game = parlour.load("diamondback", 2, first_dealer="0")
    state = game.new(2)
    for action in ("wager 5", "match"):
        state.apply(action)
    while not state.view().observation()["deal"]:
        names = [game.action_names[a] for a in state.legal_actions()]
        wanted = next((name for name in ("stop", "match") if name in names), names[0])
        state.apply(wanted)
    events = [one.event for one in diamondback.end_of_hand(state.events())]
    assert events[:2] == ["shows", "shows"]
    assert events[2] in ("wins", "carried")


def test_who_can_place_nothing_discards_by_a_click_on_a_card() -> None:
    game = parlour.load("diabolo", 5)
    state = next(state for state in _played(game, 3) if state.acting == (0,))
    state.position.stage = STUCK
    board = regions(_scene(game, state, 0))["board"]
    held = {name for bag in state.view(0).observation()["hand"][0] for name in bag.split()}
    assert {name for name in diabolo_deck.NAMES if f'value="discard {name}"' in board} == held
