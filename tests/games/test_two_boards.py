"""The cards and the boards of Diabolo and Diamondback, as their pages show them."""

import parlour
from parlour.games.diabolo import deck as diabolo_deck
from parlour.games.diabolo import drawing as diabolo
from parlour.games.diabolo.position import STUCK
from parlour.games.diamondback import drawing as diamondback
from tests.games.test_boards import board
from tests.helpers import play


def test_the_round_before_row_by_row() -> None:
    """What the page says of the rows that were scored adds up to what the players have."""
    game = parlour.load("diabolo", 4, deals="1")
    *_, state = play(game.new(seed=3), 3)
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
    state = next(state for state in play(game.new(seed=3), 3) if state.acting == (0,))
    state.position.stage = STUCK
    html = board(state, 0)
    held = {name for bag in state.view(0).observation()["hand"][0] for name in bag.split()}
    assert {name for name in diabolo_deck.NAMES if f'value="discard {name}"' in html} == held
