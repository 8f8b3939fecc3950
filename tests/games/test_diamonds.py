"""Diamonds, clause by clause: scripted games under the ordinary rules."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

import parlour
from parlour import ParlourError
from tests.games.stops import assert_clauses, considered
from tests.helpers import Table, pack


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


@pytest.mark.clause("DM-1")
def test_two_or_three_play() -> None:
    for players in (1, 4):
        with pytest.raises(ParlourError, match=f"cannot be played by {players}; it is for 2 or 3 players"):
            parlour.load("diamonds", players)


def test_the_lot_decides_who_deals() -> None:
    state = parlour.load("diamonds", 3).new()
    lots = {state.name_of(k): chance for k, chance in state.chance_outcomes()}
    assert lots == {f"seat {p}": Fraction(1, 3) for p in range(3)}
    state.apply("seat 2")
    assert state.current_player == 2
    assert [event.clause for event in state.events()] == ["DM-14"]


TOPS = ["HK", "S3", "CK", "HA", "CA", "HQ", "CQ", "HJ", "CJ"]


def test_spade_given_away_after_a_destroy() -> None:
    """Jokers between cards and anyone as target: the next spade is taken and ends the turn."""
    piles = {**dict(enumerate(TOPS)), 0: "X2 S9 HK", 5: "X1 HQ", 1: "S3 S10 D2"}
    table = Table(piles, options={"joker_when": "own_turn", "switch_target": "anyone"})
    table.do("dig 0", "on", "dig 5", "stop", "dig 1", "dig 5", "dig 2", "dig 6", "dig 3", "dig 7", "dig 4", "dig 8")
    table.do("destroy 1", "switch 1")
    assert table["spade"] == ["S10", "S9"]
    assert table.heard()[-4:] == ["DM-35", "DM-39", "DM-65", "DM-72"]
    assert (table["height"][1], table.turn) == (4, 1)


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
    assert told(all_up("S9", TOPS, {1: "D2 S8"}), "destroy 1") == [
        "DM-62 destroys 0: S3 1", "DM-63 digs_deeper 0: 1 0", "DM-35 turns 0: D2 1", "DM-36 diamond 0: D2 1",
        "DM-35 turns 0: S8 1", "DM-65 spade_stops 0: S8 1", "DM-72 turn 1: 0 0",
    ]  # fmt: skip
    table = all_up("S9", TOPS, {1: "S10"})
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


def test_of_piles_alike_one_is_a_candidate() -> None:
    """Face-down piles of one height are alike; what lies face up is not."""
    table = Table({0: "CK", 1: "D2 D3 CQ", 2: "D4 D5 HQ"})
    assert considered(table.state, "candidates") == ["dig 0"]
    table.do("dig 0", "dig 1", "dig 2")
    assert considered(table.state, "candidates") == ["dig 3"]
    table = Table({0: "S9 C2 CK", 1: "D2 S3 CQ", 2: "D3 X1", 3: "HK"}).do("dig 0", "dig 1", "dig 2", "stop", "dig 3")
    assert (table.turn, table["height"]) == (0, [4, 4, 4, 6, 6, 6, 6, 6, 6])
    assert considered(table.state, "candidates") == ["dig 2", "dig 4", "steal 1", "switch 1"]
    both = Table({0: "C2", 1: "S9 D2 CK", 2: "C3", 3: "HK", 4: "HQ"}).do("dig 0", "dig 1", "dig 2", "dig 3", "dig 4")
    assert considered(both.state, "candidates") == ["dig 0", "dig 2", "dig 5"]


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
        assert considered(table.state, "likely") == likely, piles
    first = Table({0: "CK", 1: "S9 S4"}).do("dig 0", "dig 1")
    assert considered(first.state, "likely") == ["dig 1"]
    offered = Table({0: "S6 HK", 1: "CK", 2: "SJ"}).do("dig 0", "dig 1", "dig 2")
    assert considered(offered.state, "likely") == ["trade"]
    assert considered(Table({0: "X1"}).do("dig 0").state, "likely") == ["on"]
    tops = ["HK", "S3", "D2 S4", "CK", "HA", "CA", "HQ", "CQ", "HJ"]
    assert considered(all_up("S9", tops).state, "likely") == ["destroy 1"]  # the higher of two piles
    trades = all_up("S9", ["HK", "SJ", "S10", "CK", "HA", "CA", "HQ", "CQ", "HJ"])
    assert considered(trades.state, "likely") == ["dig 1"]  # for the Jack, not for the ten
    table = all_up("S9", ["HK", "CK", "HQ", "CQ", "HJ", "H4", "C4", "CJ", "HA"], {5: "CA"}).do("dig 5")
    assert table.acts == {"pass", "switch 0"}
    assert considered(table.state, "likely") == ["switch 0"]
    table = Table({0: "S3 HK", 1: "S9 X1 CK", 2: "CQ"}).do("dig 0", "dig 1", "on", "dig 2")
    assert "switch 0" in table.acts
    assert considered(table.state, "likely") == [f"dig {i}" for i in range(3, 9)]  # not for a lower spade


def test_which_clause_refuses_what() -> None:
    start = Table({0: "X1 S6 HK", 1: "S3 CK", 2: "SJ", 3: "CQ", 4: "D5"})
    assert_clauses(start, "destroy 0 DM-57, pass DM-33, trade DM-41, keep DM-41, on DM-49, stop DM-51, dig ? DM-23")
    assert_clauses(start, "steal 1 DM-115, switch 1 DM-115, steal 0 DM-115")
    start.do("dig 0")
    assert_clauses(start, "dig 8 DM-22, destroy 0 DM-56, destroy 8 DM-56, pass DM-33, trade DM-41, dig ? DM-23")
    assert_clauses(start, "steal 1 DM-78, switch 1 DM-78")
    start.do("on", "dig 1")
    assert_clauses(
        start, "steal 1 DM-83, steal 0 DM-83, steal 2 DM-83, switch 0 DM-86, switch 2 DM-86, destroy 0 DM-58"
    )
    start.do("dig 2")
    assert_clauses(start, "switch 1 DM-79, steal 1 DM-79, dig 3 DM-22, destroy 3 DM-56, on DM-49, stop DM-51")
    tops = ["HK", "S3", "S10", "CK", "HA", "CA", "HQ", "CQ", "HJ"]
    up = all_up("S9", tops)
    assert_clauses(up, "destroy 0 DM-60, destroy 2 DM-60, destroy 8 DM-60, dig 0 DM-29, dig 8 DM-29, dig 1 DM-28")
    breakable = all_up("S9", ["HK", "S3", "S10", "CK", "HA", "H9", "HQ", "CQ", "HJ"])
    assert_clauses(breakable, "destroy 1 DM-59, destroy 0 DM-59, dig 1 DM-28")
    chance = Table({0: "S9 HK", 1: "CK"}, options={"pile_choice": "random_face_down"}, lots=("pile 0", "pile 1"))
    assert_clauses(chance.do("dig ?", "dig ?"), "dig 2 DM-23, dig 0 DM-29")
    five = Table({0: "X1 D2 D3 D4 D5 D6", 1: "CK"}).do("dig 0", "on", "dig 1")
    assert_clauses(five, "steal 1 DM-83")  # a sixth would not win, but there is none to steal
    jokers, one = {0: "X1 HK", 1: "D2 D3 S4 CK", 2: "X2 CQ", 3: "HQ"}, {"jokers_per_turn": "one"}
    assert_clauses(
        Table(jokers, options=one).do("dig 0", "on", "dig 1", "dig 2", "on", "dig 3", "steal 1"), "steal 1 DM-82"
    )
    three = Table({0: "X1 HK", 1: "D4 CK", 2: "HQ"}, players=3).do("dig 0", "on", "dig 1", "dig 2")
    assert_clauses(three, "steal 2 DM-83, switch 2 DM-88, switch 0 DM-86, steal 0 DM-83")
