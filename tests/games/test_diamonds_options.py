"""Diamonds: what options change, in scripted games; others are in ``test_diamonds.py``, beside their clauses."""

from __future__ import annotations

from fractions import Fraction

import pytest

import parlour
from parlour import CHANCE
from tests.games.test_diamonds import HARD, all_up
from tests.helpers import Table, play

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


def test_pile_choice_random_without_a_face_down_pile() -> None:
    tops = ["HK", "S3", "CK", "HA", "CA", "HQ", "CQ", "HJ", "CJ"]
    piles = {**dict(enumerate(tops)), 0: "S9 HK", 5: "X1 HQ"}
    lots = [f"pile {i}" for i in (0, 5, 1, 5, 2, 6, 3, 7, 4, 8)]
    table = Table(piles, options={"pile_choice": "random_face_down"}, lots=lots)
    table.do("dig ?", "dig ?", "stop", *["dig ?"] * 8)
    assert table.acts == {"destroy 1"}
    assert table.refused("dig ?") == "DM-24"


@pytest.mark.parametrize(("value", "turn", "heard"), [("dig_on", 0, "digs_on"), ("end_turn", 1, "first_ends")])
def test_first_spade(value: str, turn: int, heard: str) -> None:
    table = Table({0: "S9 X1"}, options={"first_spade": value}).do("dig 0")
    assert table.turn == turn
    assert table["spade"][0] == "S9"
    assert heard in {event.event for event in table.state.events()}


def test_first_spade_ends_the_turn_when_it_lay_open_too() -> None:
    table = Table({0: "S9", 1: "CK", 2: "S3", 3: "X1 HK"}, options={"first_spade": "end_turn"})
    table.do("dig 0", "dig 1", "dig 2", "dig 2")
    assert table.heard() == ["DM-26", "DM-39", "DM-40", "DM-72"]
    assert (table["spade"], table["height"][2], table.turn) == (["S9", "S3"], 5, 0)


@pytest.mark.parametrize("how", ["turned", "open"])
def test_trade_leaves_debris(how: str) -> None:
    table = Table({0: "S6 HK", 1: "SJ", 2: "CK", 3: "CQ"}, options={"trade_leaves": "debris"}).do(
        "dig 0", "dig 2", "dig 1"
    )
    table.do(*(["trade"] if how == "turned" else ["keep", "dig 3", "dig 1"]))
    assert "discards" in {event.event for event in table.state.events()}
    assert table["spade"][0] == "SJ"
    assert table["debris"] == ["S6"]
    assert (table["top"][1], table["height"][1], table.turn) == (None, 5, 1)


def test_stop_digging_never() -> None:
    table = Table({0: "X1 CK"}, options={"stop_digging": "never"}).do("dig 0")
    assert table.heard() == ["DM-24", "DM-35", "DM-48", "DM-35", "DM-38", "DM-72"]
    assert table["jokers"][0] == ["X1"]


def test_stop_digging_always() -> None:
    """After a spade, a broken rock, a diamond, a joker; not after a last card."""
    table = Table({0: "S9 C2 D2 X1 H2 D3"}, options={"stop_digging": "always"}).do("dig 0")
    for _ in range(5):
        assert table.acts == {"on", "stop"}
        table.do("on")
    assert table.turn == 1
    table = Table({0: "S9 C2"}, options={"stop_digging": "always"}).do("dig 0", "stop")
    assert (table["height"][0], table["spade"][0], table.turn) == (5, "S9", 1)


def test_stop_digging_always_after_a_destroyed_spade() -> None:
    tops = ["HK", "S3", "CK", "HA", "CA", "HQ", "CQ", "HJ", "CJ"]
    piles = {**dict(enumerate(tops)), 0: "S9 HK", 5: "X1 HQ"}
    table = Table(piles, options={"stop_digging": "always"})
    table.do("dig 0", "on", "dig 5", "stop", "dig 1", "dig 5", "dig 2", "dig 6", "dig 3", "dig 7", "dig 4", "dig 8")
    table.do("destroy 1")
    assert table.acts == {"on", "stop"}
    assert (table.do("stop")["height"][1], table.turn) == (5, 1)


def test_destroy_when_face_up_only() -> None:
    piles = {0: "S7 HK", 1: "S3 HQ", 2: "CK", 3: "H4"}
    table = Table(piles, options={"destroy_when": "face_up_only"}).do("dig 0", "dig 2", "dig 1", "dig 3")
    assert table.refused("destroy 1") == "DM-59"  # H4 can be broken
    table = Table({**piles, 3: "H8"}, options={"destroy_when": "face_up_only"}).do("dig 0", "dig 2", "dig 1", "dig 3")
    assert "destroy 1" in table.acts
    assert table.refused("destroy 5") == "DM-60"
    assert table.do("destroy 1")["debris"] == ["S3"]


def test_trade_after_destroy_not_allowed() -> None:
    tops = ["HK", "S3", "CK", "HA", "CA", "HQ", "CQ", "HJ", "CJ"]
    table = all_up("S9", tops, {1: "S10"}, options={"trade_after_destroy": "not_allowed"}).do("destroy 1")
    assert table.heard() == ["DM-62", "DM-63", "DM-35", "DM-65", "DM-72"]
    assert (table["spade"][0], table["top"][1], table.turn) == ("S9", "S10", 1)


def test_trade_after_destroy_not_allowed_leaves_other_trades() -> None:
    options = {"trade_after_destroy": "not_allowed"}
    table = Table({0: "S6 HK", 1: "SJ", 2: "CK"}, options=options).do("dig 0", "dig 2", "dig 1")
    assert table.acts == {"trade", "keep"}


@pytest.mark.parametrize(("value", "removed"), [("deadlock_only", 0), ("literal", 9)])
def test_layer_removal_with_a_spade_in_sight(value: str, removed: int) -> None:
    table = all_up("S9", ["HK", "S3", *HARD[1:]], options={"layer_removal": value})
    assert table.heard().count("DM-70") == removed
    assert len(table["debris"]) == removed
    assert ("destroy 1" in table.acts) == (not removed)


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


def test_one_joker_in_the_next_turn_again() -> None:
    table = two_jokers(jokers_per_turn="one")
    table._cards.update({4: ["HJ"], 5: ["CJ"]})
    table.do("steal 1", "dig 4", "dig 5")
    assert "steal 1" in table.acts


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


@pytest.mark.parametrize("players", [2, 3])
@pytest.mark.parametrize("games", [2, 3, 7])
def test_match_of_several_games(players: int, games: int) -> None:
    """The deal passes on after each game, everything is laid out again, and most games win."""
    game = parlour.load("diamonds", players, games=games, first_dealer=1)
    for seed in range(4):
        won, dealer, finished = [0] * players, 1, 0
        for state in play(game.new(), seed):
            seen = state.observation()
            if sum(seen["won"]) == finished:
                continue
            finished += 1
            assert seen["deal"] == finished
            winner = next(p for p in range(players) if seen["won"][p] > won[p])
            won[winner] += 1
            assert seen["won"] == won
            if not state.is_terminal:
                dealer = (dealer + 1) % players
                assert seen["dealer"] == state.current_player == dealer
                assert state.events()[-1].clause == "DM-94"
                fresh = parlour.load("diamonds", players, first_dealer=dealer).new().observation()
                assert {k: v for k, v in seen.items() if k not in ("won", "deal")} == {
                    k: v for k, v in fresh.items() if k not in ("won", "deal")
                }
        assert finished == games
        deals = [deal.returns.index(1) for deal in state.deals]
        assert [deals.count(p) for p in range(players)] == won
        assert [deal.dealer for deal in state.deals] == [(1 + n) % players for n in range(games)]
        best = [p for p in range(players) if won[p] == max(won)]
        told = [(event.who, event.a, event.b) for event in state.events() if event.clause == "DM-95"]
        assert told == [(p, max(won), len(best)) for p in best]
        assert [p for p in range(players) if state.returns()[p] > 0] == (best if len(best) < players else [])
        assert sum(state.returns()) == pytest.approx(0)
