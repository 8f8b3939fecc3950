"""Diamonds, clause by clause: scripted games under the ordinary rules."""

from __future__ import annotations

import itertools
import random
from fractions import Fraction
from typing import Any

import pytest

import parlour
from parlour import CHANCE, ParlourError
from parlour.players.kinds import make
from tests.games.by_hand import RANKS
from tests.helpers import Table, pack

HARD = ["HK", "CK", "HQ", "CQ", "HJ", "CJ", "H10", "C10"]


def all_up(spade: str | None, tops: list[str], below: dict[int, str] | None = None, **more: Any) -> Table:
    """Every pile shows its top, and it is the turn of player 0, who has ``spade``; player 1 has none, but joker X1.

    Player 0 turns up ``tops[0]`` (too hard for that spade) to ``tops[4]``, player 1 the rest (rocks).  ``below`` says
    what lies under them.
    """
    piles = {i: f"{top} {(below or {}).get(i, '')}" for i, top in enumerate(tops)}
    piles[0] = f"{spade or ''} {piles[0]}"
    piles[5] = f"X1 {piles[5]}"
    table = Table(piles, **more)
    for act in ("dig 0", "dig 5", "stop", "dig 1", "dig 5", "dig 2", "dig 6", "dig 3", "dig 7", "dig 4", "dig 8"):
        table.do(act)
        if "keep" in table.acts:
            table.do("keep")
    assert table.turn == 0
    return table


# ------------------------------------------------------------------------------------------ components, setup


@pytest.mark.clause("DM-1")
def test_two_or_three_play() -> None:
    for players in (2, 3):
        assert parlour.load("diamonds", players).new(seed=1).game.players == players
    for players in (1, 4):
        with pytest.raises(ParlourError, match=f"cannot be played by {players}; it is for 2 or 3 players"):
            parlour.load("diamonds", players)


@pytest.mark.clause("DM-2")
def test_the_pack() -> None:
    suits = [card[0] for card in pack()]
    assert {suit: suits.count(suit) for suit in set(suits)} == {"C": 13, "H": 13, "S": 13, "D": 13, "X": 2}
    assert set(pack()) == {suit + rank for suit in "CHSD" for rank in RANKS} | {"X1", "X2"}


@pytest.mark.clause("DM-3", "DM-4", "DM-5", "DM-55")
def test_which_spade_breaks_which_rock() -> None:
    for rank, suit, hardness in itertools.product(RANKS, "CH", RANKS):
        table = Table({0: f"S{rank} {suit}{hardness} D2 D3 D4 D5", 1: "X1"}).do("dig 0")
        broken = RANKS.index(rank) >= RANKS.index(hardness)
        assert (f"{suit}{hardness}" in table["debris"]) == broken
        assert ("DM-37" if broken else "DM-38") in table.heard()
        assert broken or rank != "A"


@pytest.mark.clause("DM-6", "DM-17")
@pytest.mark.parametrize(("players", "target"), [(2, 7), (3, 5)])
def test_any_diamonds_win(players: int, target: int) -> None:
    for seed in range(10):
        chosen = random.Random(seed).sample([card for card in pack() if card[0] == "D"], target)
        piles = {0: " ".join([*chosen[:4], "CK"]), 1: "HK", 2: "HQ", players: " ".join(chosen[4:])}
        table = Table(piles, players).do("dig 0", *(f"dig {p}" for p in range(1, players)))
        assert not table.state.is_terminal
        assert table.turn == 0
        table.do(f"dig {players}")
        assert table.state.is_terminal
        assert table.state.returns()[0] == 1.0


@pytest.mark.clause("DM-7")
def test_jokers_are_the_same() -> None:
    def acts(joker: str) -> list[set[str]]:
        table = Table({0: f"{joker} CK", 1: "D2 S3 HK", 2: "CQ"})
        seen = []
        for act in ("dig 0", "on", "dig 1", "steal 1", "dig 2"):
            seen.append(table.do(act).acts)
        return seen

    assert acts("X1") == acts("X2")


@pytest.mark.clause("DM-11")
def test_places_of_piles_make_no_difference() -> None:
    for seed in range(3):
        chooser, order, place = random.Random(seed), pack(), list(range(9))
        chooser.shuffle(order)
        chooser.shuffle(place)
        piles = {i: " ".join(order[6 * i : 6 * i + 6]) for i in range(9)}
        one, other = Table(piles), Table({place[i]: cards for i, cards in piles.items()})
        moved = {f"{word} {i}": f"{word} {place[i]}" for word in ("dig", "destroy") for i in range(9)}
        while not one.state.is_terminal:
            assert {moved.get(act, act) for act in one.acts} == other.acts
            act = chooser.choice(sorted(one.acts))
            one.do(act)
            other.do(moved.get(act, act))
            assert [one["height"][i] for i in range(9)] == [other["height"][place[i]] for i in range(9)]
            assert (one["spade"], one["debris"]) == (other["spade"], other["debris"])


@pytest.mark.clause("DM-12", "DM-13", "DM-15")
@pytest.mark.parametrize("dealer", [0, 1, 2])
def test_the_start(dealer: int) -> None:
    state = parlour.load("diamonds", 3, first_dealer=dealer).new()
    seen = state.observation()
    assert state.current_player == seen["dealer"] == dealer
    assert seen["debris"] == []
    assert "top" not in seen
    assert seen["height"] == [6] * 9
    assert seen["spade"] == ["none"] * 3
    assert seen["diamonds"] == seen["jokers"] == seen["fresh"] == [[]] * 3
    assert seen["unseen"] == pack()


def test_the_lot_decides_who_deals() -> None:
    state = parlour.load("diamonds", 3).new()
    assert [(state.name_of(k), p) for k, p in state.chance_outcomes()] == [
        ("seat 0", Fraction(1, 3)),
        ("seat 1", Fraction(1, 3)),
        ("seat 2", Fraction(1, 3)),
    ]
    state.apply("seat 2")
    assert state.current_player == 2
    assert [event.clause for event in state.events()] == ["DM-14"]


@pytest.mark.clause("DM-16")
def test_turns_go_round() -> None:
    table = Table(dict(enumerate(HARD)), players=3)
    turns = []
    for i in range(7):
        turns.append(table.turn)
        table.do(f"dig {i}")
    assert turns == [0, 1, 2, 0, 1, 2, 0]


# ------------------------------------------------------------------------------------------ turn


@pytest.mark.clause("DM-31")
def test_who_can_dig_must() -> None:
    table = Table({0: "X1 CK", 1: "D2 HK", 2: "CQ"})
    assert table.acts == {f"dig {i}" for i in range(9)}
    assert table.refused("pass") == "DM-33"
    table.do("dig 0", "on", "dig 1")
    assert table.acts == {"steal 1", *(f"dig {i}" for i in range(2, 9))}
    assert table.refused("pass") == "DM-33"


def test_one_pile_a_turn() -> None:
    table = Table({0: "X1 CK"}).do("dig 0")
    assert table.refused("dig 1") == "DM-22"
    assert table.refused("dig 0") == "DM-22"
    assert table.refused("destroy 1") == "DM-56"
    with pytest.raises(parlour.IllegalAction, match=r"^'dig 1' is not allowed now: .*\(DM-22\)$"):
        table.do("dig 1")


def test_only_the_player_whose_turn_it_is() -> None:
    table = Table({0: "CK"})
    assert table.state.legal_actions(1) == []
    assert table.refused("dig 0", player=1) == "DM-115"
    with pytest.raises(parlour.IllegalAction) as refused:
        table.state.apply("dig 0", player=1)
    assert refused.value.clause == "DM-115"
    assert table.refused("dig ?") == "DM-23"
    assert table.refused("steal 1") == "DM-115"  # no joker at all


@pytest.mark.clause("DM-46", "DM-47")
@pytest.mark.parametrize(("act", "spade", "top"), [("trade", "S3", "S9"), ("keep", "S9", "S3")])
def test_a_lower_spade_may_be_taken(act: str, spade: str, top: str) -> None:
    options = {"lower_spade": "may_take"}
    table = Table({0: "S9 HK", 1: "CK", 2: "S3", 3: "CQ"}, options=options).do("dig 0", "dig 1", "dig 2")
    assert table.heard() == ["DM-24", "DM-35", "DM-46"]
    assert table.acts == {"trade", "keep"}
    table.do(act)
    assert (table["spade"][0], table["top"][2], table["height"][2], table.turn) == (spade, top, 6, 1)
    table.do("dig 3")
    assert table.refused("dig 2") == "DM-28" if act == "keep" else table.do("dig 2")["spade"][0] == "S9"


@pytest.mark.clause("DM-116")
def test_a_lower_spade_may_be_taken_after_a_destroyed_one() -> None:
    tops = ["HK", "S3", "CK", "HA", "CA", "HQ", "CQ", "HJ", "CJ"]
    for after, acts in (("allowed", {"trade", "keep"}), ("not_allowed", set())):
        options = {"lower_spade": "may_take", "trade_after_destroy": after}
        table = all_up("S9", tops, {1: "D2 S8"}, options=options).do("destroy 1")
        assert table.acts & {"trade", "keep"} == acts


def test_bots_leave_a_lower_spade() -> None:
    state = (
        Table({0: "S9 HK", 1: "CK", 2: "S3"}, options={"lower_spade": "may_take"}).do("dig 0", "dig 1", "dig 2").state
    )
    keep, game = state.game.find_action("keep"), state.game
    for kind in ("rule-of-thumb", "search:50", "learned"):
        assert make(kind, game).choose(state.view(0), state.legal_actions()) == keep


@pytest.mark.clause("DM-34")
def test_trade() -> None:
    table = Table({0: "S6 HK", 1: "SJ", 2: "CK"}).do("dig 0", "dig 2", "dig 1")
    assert table.acts == {"trade", "keep"}
    assert table.heard() == ["DM-24", "DM-35", "DM-41"]
    assert table.do("trade").heard() == ["DM-42", "DM-44", "DM-72"]
    assert table["spade"] == ["SJ", "none"]
    assert (table["top"][1], table["height"][1]) == ("S6", 6)
    assert table.turn == 1


# ------------------------------------------------------------------------------------------ destroying


@pytest.mark.clause("DM-53", "DM-61", "DM-67")
def test_destroy() -> None:
    tops = ["HK", "S3", "S10", "CK", "HA", "CA", "HQ", "CQ", "HJ"]
    table = all_up("S9", tops, {1: "C2 CJ"})
    assert table.acts == {"destroy 1", "dig 2"}
    assert table.refused("destroy 2") == table.refused("destroy 3") == "DM-60"
    assert table.refused("dig 1") == "DM-28"
    assert table.refused("dig 3") == "DM-29"
    table.do("destroy 1")
    assert table.heard() == ["DM-62", "DM-63", "DM-35", "DM-37", "DM-35", "DM-38", "DM-72"]
    assert {"S3", "C2"} <= set(table["debris"])
    assert (table["spade"][0], table["top"][1], table["height"][1]) == ("S9", "CJ", 4)


# ------------------------------------------------------------------------------------------ end of the turn


@pytest.mark.clause("DM-68")
def test_deadlock() -> None:
    rocks = ["HK", "CK", "HQ", "CQ", "HJ", "CJ", "C2", "H2", "C3"]
    table = Table(dict(enumerate(rocks)))
    for i in range(9):
        assert table["debris"] == []
        table.do(f"dig {i}")
    assert table.heard() == ["DM-24", "DM-35", "DM-38", "DM-69", *["DM-70"] * 9, "DM-72"]
    assert set(table["debris"]) == set(rocks)
    assert table["height"] == [5] * 9
    assert "top" not in table.state.observation()
    assert table.turn == 1


# ------------------------------------------------------------------------------------------ jokers


@pytest.mark.clause("DM-80", "DM-81", "DM-85")
def test_steal() -> None:
    table = Table({0: "X1 HK", 1: "D9 D4 DA CK", 2: "D2 HQ"}).do("dig 0", "on", "dig 1")
    assert "steal 1" in table.acts
    assert "dig 2" in table.acts  # the joker may wait
    table.do("steal 1")
    assert table.heard() == ["DM-90", "DM-83"]
    assert table["diamonds"] == [["D4"], ["D9", "DA"]]
    assert table["debris"] == ["X1"]
    assert table["jokers"] == [[], []]
    assert table.turn == 0
    assert table.acts == {f"dig {i}" for i in range(2, 9)}
    table.do("dig 2")
    assert table["diamonds"][0] == ["D2", "D4"]


def test_whom_one_can_rob() -> None:
    table = Table({0: "X1 HK", 1: "D4 CK", 2: "HQ"}, players=3).do("dig 0", "on", "dig 1", "dig 2")
    assert table.acts >= {"steal 1"}
    assert table.refused("steal 0") == table.refused("steal 2") == "DM-83"
    assert table.refused("switch 0") == "DM-86"
    assert table.refused("switch 1") == table.refused("switch 2") == "DM-88"


def test_a_fresh_joker_waits() -> None:
    table = Table({0: "CK", 1: "S5 HK", 2: "X1 CQ", 3: "HQ", 4: "HJ"}, players=3).do("dig 0", "dig 1", "dig 2")
    assert table.turn == 2
    assert table.acts == {"on", "stop"}
    assert table.refused("switch 1") == "DM-78"
    table.do("on")
    assert table.turn == 0
    assert table["jokers"] == [[], [], ["X1"]]
    table.do("dig 3", "dig 4")
    assert "switch 1" in table.acts


@pytest.mark.clause("DM-87", "DM-89", "DM-92")
def test_when_one_can_switch() -> None:
    """Without a spade, and for a lower one; if there is none, the joker cannot be played."""
    for mine, theirs in (("", "SK"), ("S9", "S2")):
        table = Table({0: f"X1 {mine} CK", 1: f"{theirs} HA"}).do("dig 0", "on", "dig 1", "switch 1")
        assert table["spade"] == [theirs, mine or "none"]
    useless = Table({0: "X1 HK", 1: "CK"}).do("dig 0", "on", "dig 1")
    assert useless.acts == {f"dig {i}" for i in range(2, 9)}


@pytest.mark.clause("DM-21", "DM-91")
def test_order_of_a_turn() -> None:
    """Jokers first, then the dig: afterwards it is too late.  Nobody gets at another's joker."""
    table = Table({0: "X1 HK", 1: "D2 D3 CK", 2: "X2 CQ", 3: "HQ"}).do("dig 0", "on", "dig 1", "dig 2")
    assert table.acts == {"on", "stop"}
    assert table.refused("steal 1") == "DM-79"
    table.do("stop", "dig 3")
    assert table["jokers"] == [["X1", "X2"], []]
    table.do("steal 1", "steal 1")  # both in one turn
    assert table["jokers"] == [[], []]
    assert table["diamonds"] == [["D2", "D3"], []]
    assert set(table["debris"]) == {"X1", "X2"}


# ------------------------------------------------------------------------------------------ house rules

TWO_JOKERS = {0: "X1 HK", 1: "D2 D3 S4 CK", 2: "X2 CQ", 3: "HQ"}


def two_jokers(**options: str) -> Table:
    """Player 0 has two old jokers, player 1 two diamonds and the four of spades."""
    return Table(TWO_JOKERS, options=options).do("dig 0", "on", "dig 1", "dig 2", "on", "dig 3")


def test_pile_choice_random() -> None:
    table = Table({}, options={"pile_choice": "random_face_down"})
    assert table.acts == {"dig ?"}
    assert table.refused("dig 4") == "DM-23"
    table.state.apply("dig ?")
    assert table.state.current_player == CHANCE
    outcomes = table.state.chance_outcomes()
    assert [(table.state.name_of(k), p) for k, p in outcomes] == [(f"pile {i}", Fraction(1, 9)) for i in range(9)]
    for outcome in ("pile 0", "S9", "HK"):
        table.state.apply(outcome)
    assert [e.clause for e in table.state.events()][:3] == ["DM-23", "DM-35", "DM-39"]


def test_pile_choice_random_face_up_piles_are_named() -> None:
    options = {"pile_choice": "random_face_down"}
    table = Table({0: "S9 HK", 1: "C2"}, options=options, lots=("pile 0", "pile 1")).do("dig ?", "dig ?")
    assert table.acts == {"dig ?", "dig 1"}  # C2 lies open
    lots = Table(dict(enumerate([*HARD, "HA"])), options=options, lots=[f"pile {i}" for i in range(9)])
    for left in range(9, 0, -1):
        assert lots.acts == {"dig ?"}
        lots.state.apply("dig ?")
        assert len(lots.state.chance_outcomes()) == left
        while lots.state.current_player == CHANCE:
            lots.state.apply(lots._outcome())
    assert len(lots["debris"]) == 9


def test_destroy_when_face_up_only() -> None:
    piles = {0: "S7 HK", 1: "S3 HQ", 2: "CK", 3: "H4"}
    table = Table(piles, options={"destroy_when": "face_up_only"}).do("dig 0", "dig 2", "dig 1", "dig 3")
    assert table.refused("destroy 1") == "DM-59"  # H4 can be broken
    table = Table({**piles, 3: "H8"}, options={"destroy_when": "face_up_only"}).do("dig 0", "dig 2", "dig 1", "dig 3")
    assert "destroy 1" in table.acts
    assert table.refused("destroy 5") == "DM-60"
    assert table.do("destroy 1")["debris"] == ["S3"]


def test_literal_removal_waits_while_somebody_can_break_a_rock() -> None:
    """Player 1 could break the jack; player 0, who could not, may destroy."""
    tops = ["S3 H5", "SQ HA", "S2 C7", "HJ", "C5", "C6", "X1 CA", "CK", "HK"]
    table = Table(dict(enumerate(tops)), options={"layer_removal": "literal"})
    table.do("dig 0", "dig 1", "dig 2", "dig 6", "stop", "dig 3", "dig 6", "dig 4", "dig 7", "dig 5", "dig 8")
    assert table["debris"] == []
    assert table.acts == {"destroy 2"}
    table.do("destroy 2")
    assert table["debris"] == ["S2"]


def test_joker_when_own_turn() -> None:
    table = Table({**TWO_JOKERS, 4: "D4 C4 HJ"}, options={"joker_when": "own_turn"})
    table.do("dig 0", "on", "dig 1", "dig 4")
    assert table["diamonds"][0] == ["D4"]
    assert table.acts == {"on", "steal 1", "switch 1"}
    assert table.refused("stop") == "DM-51"
    assert table.refused("dig 5") == "DM-22"
    table.do("switch 1")  # the only joker: digging goes on by itself, and the four breaks the four
    assert table.heard() == ["DM-90", "DM-86", "DM-35", "DM-37", "DM-35", "DM-38", "DM-72"]


def test_joker_when_own_turn_not_while_a_trade_is_open() -> None:
    piles = {**TWO_JOKERS, 0: "X1 S6 HK", 4: "SJ", 5: "S5"}
    table = Table(piles, options={"joker_when": "own_turn"}).do("dig 0", "on", "dig 1", "dig 4")
    assert table.acts == {"trade", "keep"}
    assert table.refused("steal 1") == "DM-79"


def test_joker_when_own_turn_not_with_the_one_just_found() -> None:
    table = Table(TWO_JOKERS, options={"joker_when": "own_turn"}).do("dig 0", "on", "dig 1", "dig 2")
    assert table.acts == {"on", "stop", "steal 1", "switch 1"}
    table.do("steal 1")
    assert table.acts == {"on", "stop"}
    assert table.refused("steal 1") == "DM-78"


def test_jokers_per_turn_one() -> None:
    table = two_jokers(jokers_per_turn="one")
    assert {"steal 1", "switch 1"} <= table.acts
    table.do("steal 1")
    assert not {"steal 1", "switch 1"} & table.acts
    assert table.refused("steal 1") == "DM-82"
    both = two_jokers().do("steal 1")
    assert {"steal 1", "switch 1"} <= both.acts


def test_switch_target_anyone() -> None:
    piles = {0: "X1 S9 HK", 1: "CK", 2: "CQ"}
    assert Table(piles).do("dig 0", "on", "dig 1").refused("switch 1") == "DM-88"
    table = Table(piles, options={"switch_target": "anyone"}).do("dig 0", "on", "dig 1")
    table.do("switch 1")
    assert table["spade"] == ["none", "S9"]
    nobody = Table({0: "X1 HK", 1: "CK"}, options={"switch_target": "anyone"}).do("dig 0", "on", "dig 1")
    assert nobody.refused("switch 1") == "DM-88"  # one of the two must have one


def test_spade_given_away_after_a_destroy() -> None:
    """Jokers between cards and anyone as target: the next spade is taken and ends the turn."""
    tops = ["HK", "S3", "CK", "HA", "CA", "HQ", "CQ", "HJ", "CJ"]
    piles = {**dict(enumerate(tops)), 0: "X2 S9 HK", 5: "X1 HQ", 1: "S3 S10 D2"}
    table = Table(piles, options={"joker_when": "own_turn", "switch_target": "anyone"})
    table.do("dig 0", "on", "dig 5", "stop", "dig 1", "dig 5", "dig 2", "dig 6", "dig 3", "dig 7", "dig 4", "dig 8")
    table.do("destroy 1", "switch 1")
    assert table["spade"] == ["S10", "S9"]
    assert table.heard()[-4:] == ["DM-35", "DM-39", "DM-65", "DM-72"]
    assert (table["height"][1], table.turn) == (4, 1)


@pytest.mark.parametrize("dealer", [0, 1, 2])
def test_first_dealer(dealer: int) -> None:
    state = parlour.load("diamonds", 3, first_dealer=dealer).new()
    assert state.current_player == dealer
    with pytest.raises(
        parlour.ParlourError, match=r"first_dealer cannot be '2'; it is random or a number from 0 to 1 \(DM-14\)"
    ):
        parlour.load("diamonds", 2, first_dealer=2)


# ------------------------------------------------------------------------------------------ winning


def test_winning_in_the_middle_of_a_turn() -> None:
    table = Table({0: "CK", 1: "D2 D3 D4 D5 CQ", 2: "HK", 3: "HQ", 4: "D6"}, players=3)
    table.do("dig 0", "dig 1", "dig 2", "dig 3")
    assert not table.state.is_terminal
    table.do("dig 4")
    assert table.heard() == ["DM-24", "DM-35", "DM-36", "DM-18", "DM-19"]
    assert table.state.is_terminal
    assert table["height"][4] == 5
    assert table.state.returns() == [-0.5, 1.0, -0.5]
    with pytest.raises(ParlourError, match="The game is over"):
        table.do("dig 5")


# ------------------------------------------------------------------------------------------ what is told

CARD_FIRST = {
    *("turns", "diamond", "breaks", "too_hard", "takes_spade", "offered", "trades", "lays", "discards", "keeps"),
    *("lower", "destroys", "spade_stops", "spade_ends", "joker", "removed", "joker_played", "steals"),
}
CARD_SECOND = {"offered", "trades", "keeps"}


def told(table: Table, *acts: str) -> list[str]:
    """What everybody hears of these acts: clause, event, who, and what the sentence names."""
    before = len(table.state.ledger.events)
    table.do(*acts)
    found = []
    for e in table.state.events()[before:]:
        first = pack()[e.a] if e.event in CARD_FIRST else e.a
        second = pack()[e.b] if e.event in CARD_SECOND else e.b
        found.append(f"{e.clause} {e.event} {e.who}: {first} {second}")
    return found


def test_what_is_told_of_digging() -> None:
    piles = {0: "S6 C5 HK", 1: "SJ", 2: "CK", 3: "CQ", 4: "S2", 5: "D7 X1 D9 HA", 6: "X2 HJ", 7: "D3 HQ"}
    table = Table(piles)
    assert told(table, "dig 0", "dig 2") == [
        "DM-24 digs 0: 0 0", "DM-35 turns 0: S6 0", "DM-39 takes_spade 0: S6 0", "DM-40 digs_on 0: 0 0",
        "DM-35 turns 0: C5 0", "DM-37 breaks 0: C5 0", "DM-35 turns 0: HK 0", "DM-38 too_hard 0: HK 0",
        "DM-72 turn 1: 0 0",
        "DM-24 digs 1: 2 0", "DM-35 turns 1: CK 2", "DM-38 too_hard 1: CK 2", "DM-72 turn 0: 0 0",
    ]  # fmt: skip
    assert told(table, "dig 1", "keep", "dig 3", "dig 1") == [
        "DM-24 digs 0: 1 0", "DM-35 turns 0: SJ 1", "DM-41 offered 0: SJ S6", "DM-43 keeps 0: S6 SJ",
        "DM-72 turn 1: 0 0",
        "DM-24 digs 1: 3 0", "DM-35 turns 1: CQ 3", "DM-38 too_hard 1: CQ 3", "DM-72 turn 0: 0 0",
        "DM-27 digs 0: 1 0", "DM-45 trades 0: SJ S6", "DM-44 lays 0: S6 1", "DM-72 turn 1: 0 0",
    ]  # fmt: skip
    assert told(table, "dig 5", "on", "dig 4") == [
        "DM-24 digs 1: 5 0", "DM-35 turns 1: D7 5", "DM-36 diamond 1: D7 1", "DM-35 turns 1: X1 5",
        "DM-48 joker 1: X1 5", "DM-49 on 1: 5 0", "DM-35 turns 1: D9 5", "DM-36 diamond 1: D9 2",
        "DM-35 turns 1: HA 5", "DM-38 too_hard 1: HA 5", "DM-72 turn 0: 0 0",
        "DM-24 digs 0: 4 0", "DM-35 turns 0: S2 4", "DM-46 lower 0: S2 4", "DM-72 turn 1: 0 0",
    ]  # fmt: skip
    assert told(table, "switch 0", "dig 6", "stop", "dig 7") == [
        "DM-90 joker_played 1: X1 0", "DM-86 switches 1: 0 0",
        "DM-24 digs 1: 6 0", "DM-35 turns 1: X2 6", "DM-48 joker 1: X2 6", "DM-50 stop 1: 6 5", "DM-72 turn 0: 0 0",
        "DM-24 digs 0: 7 0", "DM-35 turns 0: D3 7", "DM-36 diamond 0: D3 1", "DM-35 turns 0: HQ 7",
        "DM-38 too_hard 0: HQ 7", "DM-72 turn 1: 0 0",
    ]  # fmt: skip
    assert told(table, "steal 0") == ["DM-90 joker_played 1: X2 0", "DM-83 steals 1: D3 0"]


def test_what_is_told_of_face_up_tops() -> None:
    table = Table({0: "CK", 1: "S9 CQ", 2: "C3 HK", 3: "S4 CA", 4: "HA"})
    assert told(table.do("dig 0", "dig 1", "dig 2", "dig 3", "dig 4"), "dig 2", "dig 3") == [
        "DM-25 digs 1: 2 0", "DM-37 breaks 1: C3 2", "DM-35 turns 1: HK 2", "DM-38 too_hard 1: HK 2",
        "DM-72 turn 0: 0 0",
        "DM-26 digs 0: 3 0", "DM-39 takes_spade 0: S4 3", "DM-40 digs_on 0: 3 0", "DM-35 turns 0: CA 3",
        "DM-38 too_hard 0: CA 3", "DM-72 turn 1: 0 0",
    ]  # fmt: skip


def test_what_is_told_of_destroying() -> None:
    tops = ["HK", "S3", "CK", "HA", "CA", "HQ", "CQ", "HJ", "CJ"]
    assert told(all_up("S9", tops, {1: "D2 S8"}), "destroy 1") == [
        "DM-62 destroys 0: S3 1", "DM-63 digs_deeper 0: 1 0", "DM-35 turns 0: D2 1", "DM-36 diamond 0: D2 1",
        "DM-35 turns 0: S8 1", "DM-65 spade_stops 0: S8 1", "DM-72 turn 1: 0 0",
    ]  # fmt: skip
    table = all_up("S9", tops, {1: "S10"})
    assert told(table, "destroy 1", "trade")[3:] == [
        "DM-41 offered 0: S10 S9", "DM-42 trades 0: S10 S9", "DM-44 lays 0: S9 1", "DM-72 turn 1: 0 0",
    ]  # fmt: skip


@pytest.mark.clause("DM-64", "DM-71")
def test_what_is_told_of_the_end_of_piles_and_of_layers() -> None:
    tops = ["D2 D3 D4 D5 S9 S3", "X1 HK", "CK", "HQ", "CQ", "HJ", "CJ", "H10", "C10"]
    table = Table(dict(enumerate(tops)))
    table.do("dig 0", "dig 1", "stop", "dig 2", "dig 1", "dig 3", "dig 4", "dig 5", "dig 6", "dig 7", "dig 8")
    rocks = enumerate(["HK", "CK", "HQ", "CQ", "HJ", "CJ", "H10", "C10"], 1)
    assert told(table, "destroy 0") == [
        "DM-62 destroys 0: S3 0", "DM-52 used_up 0: 0 0", "DM-69 deadlock -1: 0 0",
        *(f"DM-70 removed -1: {rock} {i}" for i, rock in rocks), "DM-72 turn 1: 0 0",
    ]  # fmt: skip
    table = all_up("S9", ["HK", "CK", "HQ", "CQ", "HJ", "H4", "C4", "CJ", "HA"], {5: "CA"}).do("dig 5")
    assert told(table, "pass") == ["DM-32 passes 1: 0 0", "DM-72 turn 0: 0 0"]


def test_what_is_told_under_options() -> None:
    table = Table({0: "S9 X1"}, options={"first_spade": "end_turn"})
    assert told(table, "dig 0")[2:] == ["DM-39 takes_spade 0: S9 0", "DM-40 first_ends 0: 0 0", "DM-72 turn 1: 0 0"]
    table = Table({0: "S6 HK", 1: "CK", 2: "SJ"}, options={"trade_leaves": "debris"}).do("dig 0", "dig 1", "dig 2")
    assert told(table, "trade") == ["DM-42 trades 0: SJ S6", "DM-44 discards 0: S6 2", "DM-72 turn 1: 0 0"]
    table = Table({3: "CK"}, players=3, options={"pile_choice": "random_face_down", "first_dealer": "random"}, lots=())
    table.state.apply("seat 2")
    assert [(e.clause, e.event, e.who) for e in table.state.events()] == [("DM-14", "dealer", 2)]
    table._lots = iter(["pile 3"])
    assert told(table, "dig ?")[:2] == ["DM-23 lot 2: 3 0", "DM-35 turns 2: CK 3"]


def test_what_is_told_of_the_end() -> None:
    piles = {0: "D2 D3 D4 D5 CQ", 1: "CK", 2: "HK", 3: "D6"}
    table = Table(piles, players=3, options={"games": 2}).do("dig 0", "dig 1", "dig 2")
    assert told(table, "dig 3") == [
        "DM-24 digs 0: 3 0", "DM-35 turns 0: D6 3", "DM-36 diamond 0: D6 5", "DM-18 wins 0: 5 1", "DM-19 over 0: 3 5",
        "DM-94 deals 1: 2 0",
    ]  # fmt: skip
    assert [(deal.dealer, deal.returns) for deal in table.state.deals] == [(0, (1.0, -0.5, -0.5))]
    assert (table.turn, table["height"], table["debris"]) == (1, [6] * 9, [])
    table._cards = {i: cards.split() for i, cards in piles.items()}
    assert told(table.do("dig 0", "dig 1", "dig 2"), "dig 3")[3:] == [
        "DM-18 wins 1: 5 2", "DM-19 over 1: 3 5", "DM-95 match 0: 1 2", "DM-95 match 1: 1 2",
    ]  # fmt: skip
    assert table.state.returns() == [0.5, 0.5, -1.0]


# ------------------------------------------------------------------------------------------ views, search


def considered(table: Table, which: str) -> list[str]:
    acts = [0] * table.state.game.action_count
    n = getattr(table.state.game.definition.rules, which)(table.state.position, table.turn, acts)
    return [table.state.name_of(a) for a in acts[:n]]


def test_of_piles_alike_one_is_a_candidate() -> None:
    """Face-down piles of one height are alike; what lies face up is not."""
    table = Table({0: "CK", 1: "D2 D3 CQ", 2: "D4 D5 HQ"})
    assert considered(table, "candidates") == ["dig 0"]
    table.do("dig 0", "dig 1", "dig 2")
    assert considered(table, "candidates") == ["dig 3"]
    table = Table({0: "S9 C2 CK", 1: "D2 S3 CQ", 2: "D3 X1", 3: "HK"}).do("dig 0", "dig 1", "dig 2", "stop", "dig 3")
    assert (table.turn, table["height"]) == (0, [4, 4, 4, 6, 6, 6, 6, 6, 6])
    assert considered(table, "candidates") == ["dig 2", "dig 4", "steal 1", "switch 1"]
    both = Table({0: "C2", 1: "S9 D2 CK", 2: "C3", 3: "HK", 4: "HQ"}).do("dig 0", "dig 1", "dig 2", "dig 3", "dig 4")
    assert considered(both, "candidates") == ["dig 0", "dig 2", "dig 5"]


def test_what_is_likely() -> None:
    """Steal; switch for a much higher spade; take a first spade; else dig where most cards can be turned."""
    down = [f"dig {i}" for i in range(2, 9)]
    for mine, others, likely in (
        ("S3", "D9 S8", ["steal 1"]),
        ("S3", "S8", ["switch 1"]),
        ("S4", "S8", down),  # not high enough
        ("", "S4", down),
        ("", "S5", ["switch 1"]),
    ):
        piles = {0: f"X1 {mine} HK", 1: f"{others} CK", 2: "CQ"}
        table = Table(piles).do("dig 0", "on", "dig 1")
        assert considered(table, "likely") == likely, piles
    first = Table({0: "CK", 1: "S9 S4"}).do("dig 0", "dig 1")
    assert considered(first, "likely") == ["dig 1"]
    offered = Table({0: "S6 HK", 1: "CK", 2: "SJ"}).do("dig 0", "dig 1", "dig 2")
    assert considered(offered, "likely") == ["trade"]
    assert considered(Table({0: "X1"}).do("dig 0"), "likely") == ["on"]
    tops = ["HK", "S3", "D2 S4", "CK", "HA", "CA", "HQ", "CQ", "HJ"]
    assert considered(all_up("S9", tops), "likely") == ["destroy 1"]  # the higher of two piles
    trades = all_up("S9", ["HK", "SJ", "S10", "CK", "HA", "CA", "HQ", "CQ", "HJ"])
    assert considered(trades, "likely") == ["dig 1"]  # for the Jack, not for the ten
    table = all_up("S9", ["HK", "CK", "HQ", "CQ", "HJ", "H4", "C4", "CJ", "HA"], {5: "CA"}).do("dig 5")
    assert table.acts == {"pass", "switch 0"}
    assert considered(table, "likely") == ["switch 0"]
    table = Table({0: "S3 HK", 1: "S9 X1 CK", 2: "CQ"}).do("dig 0", "dig 1", "on", "dig 2")
    assert "switch 0" in table.acts
    assert considered(table, "likely") == [f"dig {i}" for i in range(3, 9)]  # not for a lower spade


def test_what_is_likely_if_chance_picks_the_pile() -> None:
    """It is worth three cards: a rock or a spade in sight may promise more, as much or less."""
    options = {"pile_choice": "random_face_down"}
    for above, likely in (("", ["dig 1"]), ("D2 D3", ["dig 1", "dig ?"]), ("D2 D3 D4", ["dig ?"])):
        table = Table({0: "S9 HK", 1: f"{above} C2"}, options=options, lots=("pile 0", "pile 1")).do("dig ?", "dig ?")
        assert considered(table, "likely") == likely
    for spade, likely in (("SQ", ["dig 2"]), ("SJ", ["dig 2", "dig ?"]), ("S9", ["dig ?"])):
        piles = {0: "S4 HK", 1: "CK", 2: spade, 3: "CQ"}
        table = Table(piles, options=options, lots=[f"pile {i}" for i in range(4)])
        table.do("dig ?", "dig ?", "dig ?", "keep", "dig ?")
        assert considered(table, "likely") == likely


def test_which_clause_refuses_what() -> None:
    def refused(table: Table, refusals: str) -> None:
        for refusal in refusals.split(", "):
            act, _, clause = refusal.rpartition(" ")
            assert table.refused(act) == clause, act

    start = Table({0: "X1 S6 HK", 1: "S3 CK", 2: "SJ", 3: "CQ", 4: "D5"})
    refused(start, "destroy 0 DM-57, pass DM-33, trade DM-41, keep DM-41, on DM-49, stop DM-51, dig ? DM-23")
    refused(start, "steal 1 DM-115, switch 1 DM-115, steal 0 DM-115")
    start.do("dig 0")
    refused(start, "dig 8 DM-22, destroy 0 DM-56, destroy 8 DM-56, pass DM-33, trade DM-41, dig ? DM-23")
    refused(start, "steal 1 DM-78, switch 1 DM-78")
    start.do("on", "dig 1")
    refused(start, "steal 1 DM-83, steal 0 DM-83, steal 2 DM-83, switch 0 DM-86, switch 2 DM-86, destroy 0 DM-58")
    start.do("dig 2")
    refused(start, "switch 1 DM-79, steal 1 DM-79, dig 3 DM-22, destroy 3 DM-56, on DM-49, stop DM-51")
    tops = ["HK", "S3", "S10", "CK", "HA", "CA", "HQ", "CQ", "HJ"]
    up = all_up("S9", tops)
    refused(up, "destroy 0 DM-60, destroy 2 DM-60, destroy 8 DM-60, dig 0 DM-29, dig 8 DM-29, dig 1 DM-28")
    breakable = all_up("S9", ["HK", "S3", "S10", "CK", "HA", "H9", "HQ", "CQ", "HJ"])
    refused(breakable, "destroy 1 DM-59, destroy 0 DM-59, dig 1 DM-28")
    chance = Table({0: "S9 HK", 1: "CK"}, options={"pile_choice": "random_face_down"}, lots=("pile 0", "pile 1"))
    refused(chance.do("dig ?", "dig ?"), "dig 2 DM-23, dig 0 DM-29")
    five = Table({0: "X1 D2 D3 D4 D5 D6", 1: "CK"}).do("dig 0", "on", "dig 1")
    refused(five, "steal 1 DM-83")  # a sixth would not win, but there is none to steal
    three = Table({0: "X1 HK", 1: "D4 CK", 2: "HQ"}, players=3).do("dig 0", "on", "dig 1", "dig 2")
    refused(three, "steal 2 DM-83, switch 2 DM-88, switch 0 DM-86, steal 0 DM-83")
