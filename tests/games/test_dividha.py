"""Dividha: scripted hands, every option, refusals, payouts by the examples of the rules, and what always holds."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

import pytest

import parlour
from parlour import CHANCE, TERMINAL, Game, ParlourError, State
from parlour.engine.definition import definition
from parlour.engine.odds import odds
from parlour.games.dividha import advice, hands, invariants, showdown
from parlour.games.dividha.hands import ALL, CARDS, CATEGORIES, cards_named
from parlour.games.dividha.odds import Held, tables
from parlour.rules.vocabulary import DEAL_OVER
from tests.games.stops import refused
from tests.helpers import rules_of

RULES = rules_of("dividha")
ROUND = ("check", "stand")  # what to do where nothing is to be done


def load(players: int = 2, **options: int | str) -> Game:
    return parlour.load("dividha", players, **({"max_seats": 7} if players == 7 else {}), **options)


class Table:
    """A scripted hand.  ``hands`` gives each player's cards, ``"AV KL | 7D 3B | 2U 4U"`` for the three deals; what is
    not given is any card that nobody else is to get.  ``draws``: replacements, in the order of the trade.  The last
    seat deals, so seat 0 begins.  An amount with its division is written ``"raise 6/4"``; a secret choice ``"1: discard
    KV"``."""

    def __init__(
        self,
        *hands: str,
        players: int = 2,
        coins: Sequence[int] = (),
        dealer: int | None = None,
        forfeits: int = 0,
        ante: int = 2,
        draws: str = "",
        **options: int | str,
    ) -> None:
        n = max(players, len(hands), len(coins))
        self.game = load(n, **options)
        s = self.game.start()
        s.dealer, s.forfeits, s.ante = n - 1 if dealer is None else dealer, forfeits, ante
        for p, held in enumerate(coins):
            s.coins[p] = s.earlier[p] = held
        self._due = [[part.split() for part in (hands[p] if p < len(hands) else "").split("|")] for p in range(n)]
        self._draws, self._from = draws.split(), 0
        self._events: list[Any] = []
        RULES.go_to(s, RULES.STARTING)
        RULES.go_on(s, self._events)
        self.state = self.game.state_at(s)
        self._deal()

    def do(self, *acts: str) -> Table:
        for act in acts:
            self._from = len(self.state.history)
            player, _, name = act.rpartition(": ")
            name, _, win = name.partition("/")
            me = int(player) if player else self.state.acting[0]
            self.state.apply(name, me)
            if win:
                self.state.apply(f"win {win}", me)
            self._deal()
        return self

    def quiet(self, phase: int) -> Table:
        """Nothing is done until the hand has come so far."""
        hand = self.s.deal
        while self.s.phase < phase and self.turn >= 0 and self.s.deal == hand:
            self.do(next(act for act in ROUND if act in self.acts))
        return self

    def _deal(self) -> None:
        while self.state.current_player == CHANCE and self.s.stage == RULES.DEALING:
            self.state.apply(self._card())

    def _card(self) -> str:
        s = self.s
        p, phase = s.at, s.phase
        if phase == RULES.TRADE:
            due, out = self._draws, 0
        else:
            deal = (RULES.FIRST, RULES.SECOND, RULES.THIRD).index(phase)
            due = self._due[p][deal] if deal < len(self._due[p]) else []
            out = (s.public[p] if phase == RULES.SECOND else s.coming[p]).bit_count()
        if out < len(due):
            return due.pop(0) if phase == RULES.TRADE else due[out]
        reserved = {c for hand in self._due for part in hand for c in part} | {*self._draws}
        return next(c for i, c in reversed([*enumerate(CARDS)]) if s.left >> i & 1 and c not in reserved)

    @property
    def s(self) -> Any:
        return self.state.position

    @property
    def turn(self) -> int:
        return self.state.current_player

    @property
    def acts(self) -> list[str]:
        return [self.state.name_of(a) for a in self.state.legal_actions(self.state.acting[0])]

    @property
    def raises(self) -> tuple[int, int]:
        """The lowest and the highest level to which a raise is legal; 0 and 0 if to none."""
        levels = [int(act.split()[1]) for act in self.acts if act.startswith("raise")]
        assert levels == [*range(levels[0], levels[-1] + 1)] if levels else True
        return (levels[0], levels[-1]) if levels else (0, 0)

    @property
    def coins(self) -> list[int]:
        return list(self.s.coins)[: self.game.players]

    def refused(self, act: str, player: int | None = None) -> str | None:
        return refused(self.state, act, player)

    def said(self, event: str) -> list[tuple[int, int, int]]:
        """The player and the two numbers of each such event since the last act."""
        return [(e.who, e.a, e.b) for e in self.state.events(None, since=self._from) if e.event == event]

    def texts(self) -> list[str]:
        return [e.text for e in self.state.events(None, since=self._from)]

    def heard(self) -> list[str]:
        return [e.clause for e in self.state.events(None, since=self._from)]


def names(members: int) -> str:
    return " ".join(CARDS[c] for c in range(len(CARDS)) if members >> c & 1)


# ------------------------------------------------------------------------------------------ seats and deals


@pytest.mark.clause("DV-14", "DV-15", "DV-16", "DV-43")
def test_who_can_play() -> None:
    assert [load(n).players for n in range(2, 8)] == [2, 3, 4, 5, 6, 7]
    for options, clause in (
        ({"players": 7, "max_seats": 6}, "DV-14"),
        ({"players": 3, "starting_coins": 5, "ante_start": 6}, "DV-16"),
        ({"players": 3, "ante_start": 3}, "ante_start=3 .*DV-43"),
        ({"players": 3, "ante_step": 1}, "ante_step=1 .*DV-43"),
    ):
        with pytest.raises(ParlourError, match=clause):
            parlour.load("dividha", **options)
    with pytest.raises(ParlourError, match="2, 3, 4, 5, 6 or 7"):
        parlour.load("dividha", 8)
    s = load(3, starting_coins=40, ante_start=6).start()
    assert (list(s.coins)[:3], list(s.earlier)[:3], s.ante, s.orbit) == ([40] * 3, [40] * 3, 6, 3)


@pytest.mark.clause("DV-17", "DV-12", "DV-20", "DV-21", "DV-22")
def test_who_deals_and_in_what_order() -> None:
    state = load(4).new()
    assert state.chance_outcomes() == [(p, Fraction(1, 4)) for p in range(4)]
    assert refused(state, "check", 0) == "DV-17"
    state.apply("seat 1")
    assert state.chance_outcomes() == [(c, Fraction(1, 56)) for c in range(56)]
    assert refused(state, "check", 2) == "DV-22"
    order = []
    for card in CARDS[:8]:
        order.append(state.position.at)
        state.apply(card)
    assert order == [2, 3, 0, 1, 2, 3, 0, 1]
    assert state.current_player == 2  # the dealer's left begins
    table = Table(players=4).quiet(RULES.BET_1).do("raise 2/1", "fold")
    assert table.turn == 2
    table.do("call/2", "fold")
    assert table.turn == 0  # seats that have folded are passed over


@pytest.mark.clause("DV-23", "DV-24", "DV-25", "DV-26")
def test_the_three_deals() -> None:
    table = Table("AV KL | 7D 3B | 2U 4U", "God 5D | 6Va 6Vb | Min Ral", players=3)
    assert names(table.s.private[0]) == "AV KL"
    assert table.s.public[0] == 0
    table.do("check", "raise 2/1", "fold", "call/0")
    assert names(table.s.public[0]) == "7D 3B"
    assert names(table.s.public[1]) == "6Va 6Vb"
    assert table.s.public[2] == 0  # folded
    table.quiet(RULES.BET_4)
    assert names(table.s.private[0]) == "AV KL 4U 2U"
    assert list(table.s.down)[:3] == [4, 4, 2]


@pytest.mark.clause("DV-18", "DV-19")
def test_the_dealer_marker_moves_counter_clockwise() -> None:
    table = Table(players=4, dealer=2)
    table.do("raise 8/4", "fold", "fold", "fold")
    assert table.s.dealer == 1
    s = load(4).start()
    s.dealer, s.seated = 2, 0b1101
    s.coins[1] = 0
    RULES.next_deal(s, None)
    assert s.dealer == 0  # seat 1 is out


# ------------------------------------------------------------------------------------------ what is secret


@pytest.mark.clause("DV-52", "DV-53", "DV-54", "DV-112", "DV-114")
def test_what_nobody_else_sees() -> None:
    table = Table("AV KL | 7D 3B | 2U 4U", "God 5D | QU QD | Min Ral", players=3)
    table.do("raise 6/4")
    for other in (1, 2):
        seen = table.state.observation(other)
        assert seen["private"][0] is None
        assert seen["win"][0] is None
        assert seen["paid"][0] == 8  # the amount is public at once
        assert seen["pot"] == 12
    mine = table.state.observation(0)
    assert mine["private"][0] == ["AV", "KL"]
    assert mine["win"][0] == 5  # with one coin of the ante
    assert [e.text for e in table.state.events(1)][-1] == "Seat 0 opens with 6 coins."
    assert [e.text for e in table.state.events(0)][-1] == "Seat 0 puts 4 on Win and 2 on Lose."
    table.do("call/1", "fold").quiet(RULES.SHOWDOWN)
    table.do("0: discard 3B", "1: discard God")
    shown = table.said("shows")
    assert shown == [(0, cards_named("AV KL 7D 2U 4U"), 0), (1, cards_named("5D QU QD Min Ral"), 0)]
    assert table.said("tablet") == [(0, 5, 3), (1, 2, 6), (2, 1, 1)]  # the folded player's too
    heard = " ".join(e.text for e in table.state.events(1))
    assert "3B" not in heard.split("shows")[-1]
    assert "Seat 0 discards" not in heard


def test_divisions_may_be_open() -> None:
    table = Table(players=3, splits="open").do("raise 6/4")
    assert table.state.observation(1)["win"] == [5, 1, 1]
    assert "Seat 0 puts 4 on Win and 2 on Lose." in [e.text for e in table.state.events(2)]


OF_CARDS = ("dealt", "shows", "lays", "will_lay", "turns_down")


def told(table: Table, *acts: str, seat: int = -1) -> list[str]:
    """What a spectator, or a player, hears of these acts: clause, event, who, and its two numbers or cards."""
    since = len(table.state.history)
    table.do(*acts)
    found = []
    for e in table.state.events(seat, since=since):
        what = names(e.a) if e.event in OF_CARDS else CARDS[e.a] if e.event == "turns_up" else e.a
        found.append(f"{e.clause} {e.event} {e.who}: {what}{f' {e.b}' if e.b else ''}")
    return found


def test_what_is_told_of_a_trade_and_a_showdown() -> None:
    hands = ("AV KL | 7D 3B | 2U 4U", "God 5D | QU QD | Min Ral", "AU AD | 4D 4B | JU JD")
    table = Table(*hands, coins=[100, 100, 3], draws="7L 7V", pay_to_trade="on").quiet(RULES.TRADE)
    whispered = table.state.clone()
    assert ", ".join(told(table, "stand", "trade 5D", "trade QU", "win 3")) == (
        "DV-91 stands 0: 0, DV-97 trades 1: 1 1, DV-95 turns_down 1: QU, DV-100 pays_for_trade 1: 4, "
        "DV-95 turns_up 1: 7V, DV-103 cannot_trade 2: 0"
    )
    first = len(whispered.history)
    assert [names(e.a) for e in table.state.events(1, since=first) if e.event == "dealt"] == ["7L"]
    assert [(e.a, e.b) for e in table.state.events(1, since=first) if e.event == "divides"] == [(3, 1)]
    table.quiet(RULES.SHOWDOWN)
    high_card, pair, two_pair = (RULES.NAMED + CATEGORIES.index(sort) for sort in ("High Card", "Pair", "Two Pair"))
    assert told(table, "0: discard 7D", "1: discard QD", "2: discard JD") == [
        "DV-108 shows 0: AV KL 4U 3B 2U",
        f"DV-113 announces 0: {high_card}",
        "DV-108 shows 1: God 7V 7L Min Ral",
        f"DV-113 announces 1: {pair}",
        "DV-108 shows 2: AU AD JU 4D 4B",
        f"DV-113 announces 2: {two_pair}",
        f"DV-144 beats 2: 1 {two_pair}",
        f"DV-144 beats 1: 0 {pair}",
        "DV-175 tablet 0: 1 1",
        "DV-175 tablet 1: 4 2",  # the trade payment too
        "DV-175 tablet 2: 1 1",
        "DV-176 takes_win 2: 6",
        "DV-177 takes_lose 0: 4",
        "DV-18 deals 1: 0",
        "DV-44 antes -1: 2 3",
    ]


def test_what_is_told_when_coins_run_out() -> None:
    table = Table("AV KL | 7D 3B", "God 5D | QU QD", "AU AD | 4D 4B", coins=[100, 10, 20], limit="none")
    assert told(table, "raise 30/10", "call/4", "call/18")[:6] == [
        "DV-67 opens 0: 30 30",
        "DV-81 calls_short 1: 8",
        "DV-80 all_in 1: 0",
        "DV-81 calls_short 2: 18",
        "DV-80 all_in 2: 0",
        "DV-85 gets_back 0: 12",
    ]
    assert "DV-42 no_betting -1: 0" in told(table.quiet(RULES.TRADE), "stand", "stand", "stand")
    exact = Table(coins=[100, 10, 20], limit="none")
    assert told(exact, "raise 8/0", "call/4", "raise 18/0")[1:] == [
        "DV-61 calls 1: 8",
        "DV-80 all_in 1: 0",
        "DV-66 raises 2: 18 18",
        "DV-80 all_in 2: 0",
    ]
    antes = [e[1:] for e in Table(coins=[100, 2, 100])._events if e[0] == "DV-46"]
    assert antes == [("all_in_ante", -1, 1, 0, 0)]


def test_what_is_told_of_who_leaves() -> None:
    table = Table(players=3, absences="on")
    assert ", ".join(told(table, "leave the table", "raise 1/1", "leave the table")) == (
        "DV-222 leaves 0: 0, DV-32 checks 0: 0, DV-67 opens 1: 1 1, DV-222 leaves 2: 0, DV-32 folds 2: 0, "
        "DV-32 folds 0: 0, DV-181 takes_all 1: 7, DV-175 tablet 0: 1 1, DV-175 tablet 1: 2 1, DV-175 tablet 2: 1 1, "
        "DV-18 deals 1: 0"
    )
    assert ", ".join(told(table, "stay away", "return", "check")) == (
        "DV-30 stays_away 2: 0, DV-30 returns 0: 0, DV-44 antes -1: 2 3, DV-27 absent 2: 2, DV-58 checks 0: 0"
    )


def test_what_is_told_of_proposals() -> None:
    table = Table(players=3, ante=6)
    assert ", ".join(
        told(table, "propose 4", "agree", "refuse", "raise 2/1", "fold", "propose 2", "agree", "agree", "fold")
    ) == (
        "DV-200 proposes 0: 4, DV-202 agrees 1: 4, DV-201 refuses 2: 4, DV-67 opens 0: 2 2, DV-62 folds 1: 0, "
        "DV-200 proposes 2: 2, DV-202 agrees 0: 2, DV-202 agrees 1: 2, DV-204 agreed -1: 2, DV-62 folds 2: 0, "
        "DV-181 takes_all 0: 20, DV-175 tablet 0: 4 4, DV-175 tablet 1: 3 3, DV-175 tablet 2: 3 3, "
        "DV-204 ante_lowered -1: 2, DV-18 deals 1: 0, DV-44 antes -1: 2 3"
    )


# ------------------------------------------------------------------------------------------ the course of a hand


def course(**options: Any) -> list[str]:
    """The parts of a hand in which nothing is done."""
    table, found = Table(players=2, **options), list[str]()
    while table.s.deal == 0:
        part = RULES.PHASES[table.s.phase]
        if not found or found[-1] != part:
            found.append(part)
        acts = [act for act in table.acts if act in ROUND] or table.acts
        table.do(f"{table.state.acting[0]}: {acts[0]}")
    return found


@pytest.mark.clause("DV-37", "DV-38", "DV-39", "DV-40", "DV-89")
def test_the_course_of_a_hand() -> None:
    assert course() == ["first bet", "second bet", "trade", "third bet", "last bet", "showdown"]
    assert course(rounds="three_no_trade") == ["first bet", "second bet", "last bet", "showdown"]
    assert course(rounds="three_with_trade") == ["first bet", "second bet", "trade", "last bet", "showdown"]
    assert course(demons_wager="on")[:2] == ["Demon's Wager", "first bet"]


def test_what_a_hand_was_worth() -> None:
    table = Table(players=3).do("raise 4/1", "fold", "fold", "raise 2/1", "raise 6/3", "fold", "fold")
    assert [deal.returns for deal in table.state.deals] == [(4.0, -2.0, -2.0), (6.0, -2.0, -4.0)]


@pytest.mark.clause("DV-42", "DV-46", "DV-82", "DV-80")
def test_no_betting_without_coins() -> None:
    table = Table(coins=[2, 40])
    assert "no_betting" in [e[1] for e in table._events] or table.s.phase == RULES.TRADE
    assert table.s.phase == RULES.TRADE  # cards were dealt, and all-in players trade
    assert table.turn == 0
    table = Table(coins=[12, 40]).do("raise 4/2", "call/2").quiet(RULES.BET_2).do("raise 6/6")
    assert table.s.coins[0] == 0
    table.do("call/1")
    assert table.s.phase == RULES.TRADE
    assert table.do("stand", "stand").s.phase == RULES.SHOWDOWN


# ------------------------------------------------------------------------------------------ betting


@pytest.mark.clause("DV-44", "DV-45", "DV-47", "DV-211")
def test_the_ante() -> None:
    table = Table(players=3, ante=6)
    assert table.s.pot == 18
    assert list(table.s.paid)[:3] == [6, 6, 6]
    assert list(table.s.win)[:3] == [3, 3, 3]
    assert ("DV-44", "antes", -1, -1, 6, 3) in table._events


@pytest.mark.clause("DV-48", "DV-49", "DV-50", "DV-51")
def test_coins_are_divided() -> None:
    table = Table(players=3).do("raise 6")
    assert table.acts == [f"win {n}" for n in range(7)]
    assert table.refused("win 8") == "DV-49"
    assert table.refused("check", 1) == "DV-49"
    table.do("win 6", "call/0", "call/3")
    assert list(table.s.win)[:3] == [7, 1, 4]
    table.quiet(RULES.BET_4)
    assert list(table.s.win)[:3] == [7, 1, 4]


@pytest.mark.clause("DV-55", "DV-56", "DV-57", "DV-58", "DV-59")
def test_turns() -> None:
    table = Table(players=3)
    assert table.turn == 0
    assert table.refused("check", 1) == "DV-56"
    assert table.refused("call") == "DV-61"
    table.do("check", "check", "check")
    assert table.s.phase == RULES.BET_2  # a round may end with the level at nought
    assert (table.s.level, table.turn) == (0, 0)
    table.do("check", "raise 3/1")
    assert table.turn == 2
    assert table.refused("check") == "DV-59"
    assert table.acts[:2] == ["call", "fold"]
    assert table.refused("stand") == "DV-59"


@pytest.mark.clause("DV-60", "DV-61", "DV-64", "DV-65", "DV-67")
def test_calls_and_raises() -> None:
    table = Table(players=3).do("check", "raise 3/1", "raise 8/8")
    assert table.turn == 0  # this player has acted, and may still raise
    table.do("raise 20/0")
    assert table.said("raises") == [(0, 20, 20)]
    table.do("call/17")
    assert table.said("calls") == [(1, 17, 0)]
    assert table.turn == 2
    table.do("call/0")
    assert table.s.phase == RULES.BET_2
    assert list(table.s.paid)[:3] == [22, 22, 22]
    assert "DV-67" in Table().do("raise 2/1").heard()


@pytest.mark.clause("DV-62", "DV-63")
def test_folding() -> None:
    table = Table(players=3)
    assert table.refused("fold") == "DV-63"
    table.do("raise 4/4", "fold")
    assert table.s.live == 0b101
    assert table.s.pot == 10
    free = Table(players=3, free_fold="on").do("fold")
    assert free.s.live == 0b110


NONE, SOUTHERN = {"limit": "none"}, {"limit": "none", "southern_cap": "on"}
SMALLEST, LARGEST = {"limit": "none", "all_in": "cap_at_smallest"}, {"limit": "none", "min_raise": "largest_raise"}
FIXED = {"limit": "fixed", "ante": 4}
LIMITS = [  # coins, house rules, acts; to how much may be raised; what is refused, and by which clause
    ([100] * 4, {}, "", (1, 8), "raise 9 DV-74"),
    ([100] * 4, {}, "raise 8/0", (9, 32), "raise 33 DV-74"),
    ([100] * 3, {"ante": 4, "forfeits": 3}, "", (1, 15), "raise 16 DV-74"),
    ([100] * 3, {"ante": 4, "forfeits": 3, "forfeits_in_pot_limit": "off"}, "", (1, 12), "raise 13 DV-74"),
    ([14, 100, 100], {}, "check, raise 6/3, raise 8/4", (9, 12), "raise 13 DV-69"),
    ([500, 100, 30], {**NONE, "starting_coins": 210}, "", (1, 498), "raise 499 DV-69"),  # more than others can match
    ([100] * 3, {**NONE, "min_raise": "ante", "ante": 6}, "", (6, 94), "raise 5 DV-68"),
    ([100] * 3, LARGEST, "raise 10/0", (20, 98), "raise 19 DV-68"),
    ([100] * 3, LARGEST, "raise 10/0, raise 30/0", (50, 98), "raise 49 DV-68"),
    ([100, 100, 14], LARGEST, "raise 10/0, call/0", (12, 12), "raise 13 DV-69"),  # all-in, below the smallest raise
    ([100, 100, 14], LARGEST, "raise 10/0, call/0, raise 12/0", (22, 98), "raise 21 DV-68"),  # the largest is still 10
    ([100] * 2, FIXED, "", (4, 4), "raise 5 DV-76"),
    ([100] * 2, FIXED, "raise 4/0, raise 8/0, raise 12/0", (0, 0), "raise 16 DV-77"),
    ([100] * 2, {"limit": "fixed", "fixed_unit_antes": 5}, "", (10, 10), "raise 9 DV-76"),
    ([100, 22, 12], NONE, "raise 6/0, raise 20/0, call/0", (0, 0), "raise 50 DV-71"),  # all others are all-in
    ([100, 9, 100], NONE, "raise 8/0", (0, 0), "raise 9 DV-69"),  # too little to match the level
    ([100, 10, 100], NONE, "raise 8/0", (0, 0), "raise 9 DV-69"),  # just enough
    ([100, 40, 30], SOUTHERN, "", (1, 38), "raise 39 DV-79"),
    ([30, 40, 100], SOUTHERN, "", (1, 28), "raise 29 DV-69"),
    ([60, 100, 30], SOUTHERN, "raise 4/0, fold, call/0", (1, 24), "raise 25 DV-79"),  # who has folded does not count
    ([100, 40, 30], SMALLEST, "", (1, 28), "raise 29 DV-87"),
    ([30, 40, 100], SMALLEST, "", (1, 28), "raise 29 DV-69"),
]


@pytest.mark.clause("DV-70", "DV-72", "DV-73", "DV-75", "DV-78")
@pytest.mark.parametrize(("coins", "options", "acts", "raises", "refusal"), LIMITS)
def test_how_far_a_raise_may_go(
    coins: list[int], options: dict[str, Any], acts: str, raises: tuple[int, int], refusal: str
) -> None:
    """The same for whoever is the first to bet."""
    n = len(coins)
    for first in range(n):
        table = Table(coins=[coins[(p - first) % n] for p in range(n)], dealer=(first - 1) % n, **options)
        table.do(*filter(None, acts.split(", ")))
        assert table.raises == raises
        act, clause = refusal.rsplit(" ", 1)
        assert table.refused(act) == clause


@pytest.mark.clause("DV-81", "DV-83", "DV-84")
def test_all_in() -> None:
    table = Table(coins=[100, 7, 100], limit="none").do("raise 8/0", "call/3")
    assert table.s.coins[1] == 0
    assert table.s.live >> 1 & 1
    assert Table(coins=[100, 7, 100], limit="none").do("raise 8/0").refused("raise 9") == "DV-69"
    whole = Table(coins=[100, 7, 100], limit="none", unsplit_all_in="on").do("raise 6/1", "call")
    assert whole.acts == ["win 0", "win 5"]
    assert whole.refused("win 3") == "DV-84"
    ante = Table(coins=[100, 2, 100], unsplit_all_in="on")
    assert (ante.s.paid[1], ante.s.win[1]) == (2, 1)  # an ante that takes the last coin is still halved
    assert "DV-81" in Table(coins=[100, 7, 100], limit="none").do("raise 8/0", "call/3").heard()


@pytest.mark.clause("DV-88")
def test_who_cannot_match_folds() -> None:
    options: dict[str, Any] = {"limit": "none", "all_in": "match_or_fold"}
    table = Table(coins=[100, 40, 30], **options).do("raise 38/0")
    assert table.turn == 1
    table.do("call/0")
    assert table.said("cannot_match") == [(2, 0, 0)]
    assert table.s.live == 0b011
    passed_over = Table(coins=[100, 30, 90, 100], **options).do("raise 38/0")
    assert (passed_over.turn, passed_over.state.observation()["at"]) == (2, 1)
    exact = Table(coins=[100, 37, 100], **options).do("raise 2/0", "raise 10/0", "raise 35/0", "call/0")
    assert exact.turn == 1  # 25 coins are left, and 25 are needed
    assert exact.do("call/0").s.phase == RULES.BET_2
    empty = Table(coins=[100, 2, 100], **options).do("raise 5/0", "call/0")
    assert empty.s.live == 0b101  # even with an empty stack


@pytest.mark.clause("DV-85", "DV-86", "DV-218")
def test_what_nobody_can_match_goes_back() -> None:
    table = Table(coins=[100, 18], limit="none").do("raise 28/20", "call/0")
    assert table.said("gets_back") == [(0, 12, 0)]
    assert (table.s.paid[0], table.s.win[0]) == (18, 12)  # 21 of 30: of 18 the twelve that 21 * 18 / 30 leaves
    assert table.s.coins[0] == 82
    hands = ("KU QD | 5B 3U | 2D JL", "AU AD | 7D 7B | 7U 4U")
    table = Table(*hands, coins=[100, 18], starting_coins=59, limit="none").do("raise 28/20", "call/0")
    table.quiet(RULES.SHOWDOWN).do("0: discard JL", "1: discard 4U")
    assert table.said("takes_win") == [(1, 13, 0)]
    assert table.said("takes_lose") == [(0, 23, 0)]
    whole = Table(coins=[100, 18], limit="none", all_in="whole_pot").do("raise 28/20", "call/0")
    assert whole.s.paid[0] == 30


@pytest.mark.clause("DV-85")
def test_what_a_player_who_folded_put_in_is_matched() -> None:
    """Totals 30, 22 (folded) and 10: only what lies above 22 goes back."""
    table = Table(coins=[100, 100, 10], limit="none").do("raise 20/0", "call/0", "call/0", "raise 8/0", "fold")
    assert table.said("gets_back") == [(0, 8, 0)]
    assert list(table.s.paid)[:3] == [22, 22, 10]
    assert (table.s.coins[0], table.s.pot) == (78, 54)
    one = Table(coins=[100, 18], limit="none").do("raise 17/0", "call/0")
    assert one.said("gets_back") == [(0, 1, 0)]


# ------------------------------------------------------------------------------------------ the trade


@pytest.mark.clause("DV-90", "DV-91", "DV-92", "DV-93", "DV-94")
def test_the_trade() -> None:
    table = Table("AV KL | 7D 3B", "5U 5D | QU QD", draws="God 2U", players=3).quiet(RULES.TRADE)
    assert table.turn == 0
    assert table.refused("stand", 1) == "DV-90"
    assert table.refused("trade 5U") == "DV-91"
    assert table.acts == ["stand", "trade AV", "trade KL", "trade 7D", "trade 3B"]
    table.do("trade KL")
    assert names(table.s.private[0]) == "AV KL"  # both are named before any is replaced
    assert table.refused("trade KL") == "DV-91"  # that one is named already
    assert table.state.observation(1).get("picked") is None
    table.do("trade 3B")
    assert table.said("trades") == [(0, 1, 1)]
    assert table.said("dealt") == [(0, cards_named("God"), 0)]
    assert names(table.s.private[0]) == "God AV"
    assert names(table.s.public[0]) == "7D 2U"
    assert table.turn == 1
    table.do("trade 5U", "stand")
    assert table.said("trades") == [(1, 1, 0)]
    assert table.do("stand").said("stands") == [(2, 0, 0)]


def test_a_mixed_trade_is_redealt() -> None:
    """The private replacement is out, and nobody has looked at it; the public one is still due."""
    table = Table("AV KL | 7D 3B", draws="God 2U", players=3).quiet(RULES.TRADE)
    for act in ("trade KL", "trade 3B", "God"):
        table.state.apply(act)
    assert (table.s.hidden_due, table.s.open_due) == (0, 1)
    for seat in (0, 1):
        world = table.state.view(seat).redeal(5).position
        assert world.left.bit_count() == table.s.left.bit_count() == 43
        assert world.coming[0].bit_count() == 1
        assert not invariants.check(world)
    broken = table.s
    broken.left, broken.coming[0] = broken.left | broken.coming[0], 0
    assert "cards" in invariants.check(broken)


@pytest.mark.clause("DV-95", "DV-96", "DV-97", "DV-98", "DV-99")
def test_what_others_see_of_a_trade() -> None:
    table = Table("AV KL | 7D 3B", "5U 5D | QU QD", draws="God 2U", players=3).do("raise 2/1", "call/1", "fold")
    table.quiet(RULES.TRADE).do("trade KL", "trade 3B")
    assert table.said("turns_down") == [(0, cards_named("3B"), 0)]
    turned_up = [(e.clause, e.text) for e in table.state.events(None) if e.event == "turns_up"]
    assert {clause for clause, _ in turned_up[:-1]} == {"DV-24"}
    assert turned_up[-1] == ("DV-95", "Seat 0 is dealt 2U face up.")
    heard = " ".join(e.text for e in table.state.events(1))
    assert "Seat 0 trades 1 private and 1 public card." in heard
    assert "KL" not in heard
    seen = table.state.observation(1)
    assert seen["spent"] == ["3B"]
    assert seen["traded"][:2] == [1, 0]
    assert seen["thrown"] == [None, [], None]
    assert table.state.observation(0)["thrown"][0] == ["KL"]
    assert sum(table.coins) + table.s.pot == 300  # it costs nothing
    table.do("stand")
    assert table.s.phase == RULES.BET_3  # who has folded does not trade


@pytest.mark.clause("DV-100", "DV-101", "DV-102", "DV-103")
def test_pay_to_trade() -> None:
    table = Table("AV KL | 7D 3B", coins=[100, 9, 3], ante=2, draws="God 2U 3V", pay_to_trade="on").quiet(RULES.TRADE)
    table.do("trade KL", "trade 3B")
    assert table.said("pays_for_trade") == [(0, 4, 0)]
    assert table.refused("win 5") == "DV-101"
    table.do("win 3")
    assert (table.s.fees[0], table.s.fee_win[0], table.s.paid[0]) == (4, 3, 2)
    table.do(next(act for act in table.acts if act.startswith("trade")), "stand")
    table.do("win 0")
    assert table.s.phase == RULES.BET_3  # seat 2 has one coin
    assert table.said("cannot_trade") == [(2, 0, 0)]
    assert table.s.level == 0


@pytest.mark.clause("DV-103")
def test_how_many_cards_a_stack_can_pay_for() -> None:
    """With an ante of 2; after the last card that can be paid for nothing but its payment is asked for."""
    for stack, most in ((1, 0), (2, 1), (3, 1), (4, 2), (9, 2)):
        hands = ("AV KL | 7D 3B", "5U 5D | QU QD")
        table = Table(*hands, coins=[stack + 2, 100], draws="God 2U", pay_to_trade="on").quiet(RULES.TRADE)
        assert table.turn == (0 if most else 1)
        table.do(*("trade AV", "trade KL")[:most])
        assert (table.s.fees[0], table.coins[0]) == (2 * most, stack - 2 * most)
        assert table.acts[-1] == (f"win {2 * most}" if most else "trade 5D")


@pytest.mark.clause("DV-101")
def test_a_trade_payment_that_takes_the_last_coin_may_be_divided() -> None:
    options: dict[str, Any] = {"pay_to_trade": "on", "unsplit_all_in": "on"}
    table = Table("AV KL | 7D 3B", coins=[6, 100], ante=2, draws="God 2U", **options).quiet(RULES.TRADE)
    table.do("trade AV", "trade KL")
    assert table.coins[0] == 0
    assert table.acts == [f"win {n}" for n in range(5)]
    assert table.refused("win 5") == "DV-101"
    table.do("win 1")
    assert (table.s.fees[0], table.s.fee_win[0]) == (4, 1)


# ------------------------------------------------------------------------------------------ the showdown


@pytest.mark.clause("DV-104", "DV-105", "DV-106", "DV-108")
def test_the_discard() -> None:
    table = Table("AV KL | 7D 3B | 2U 4U", "God 5D | QU QD | Min Ral").quiet(RULES.SHOWDOWN)
    assert table.state.acting == (0, 1)
    assert table.acts == [f"discard {c}" for c in ("AV", "KL", "7D", "4U", "3B", "2U")]
    assert table.refused("discard God", 0) == "DV-106"
    table.do("1: discard QU")
    assert [*table.state.acting] == [0]
    assert table.refused("discard QD", 1) == "DV-105"
    assert "discard" not in table.state.observation(0)
    assert not table.said("shows")
    table.do("0: discard 7D")
    assert [who for who, _, _ in table.said("shows")] == [0, 1]


@pytest.mark.clause("DV-112", "DV-97")
@pytest.mark.parametrize("deals", [1, 2])
def test_a_discard_is_never_shown(deals: int) -> None:
    """Nor is a private card that was traded: not at the showdown, not in the next hand, not when the match is over."""
    hands = ("God AU | 7D 3B | 2U 4U", "Satan 5D | QU QD | 5B JB")
    table = Table(*hands, draws="KL", deals=deals).quiet(RULES.TRADE).do("stand", "trade 5D").quiet(RULES.SHOWDOWN)
    table.do("0: discard God", "1: discard Satan")
    assert [who for who, _, _ in table.said("shows")] == [0, 1]
    assert table.state.is_terminal == (deals == 1)
    if deals == 1:  # the kept cards still lie there
        assert table.state.observation()["public"] == [["AU", "7D", "4U", "3B", "2U"], ["KL", "QU", "QD", "JB", "5B"]]
    for seat, secret in ((-1, "God Satan 5D"), (0, "Satan 5D"), (1, "God")):
        heard = " ".join(e.text for e in table.state.events(seat))
        seen = str(table.state.observation(seat))
        for card in secret.split():
            assert card not in heard
            assert f"'{card}'" not in seen


@pytest.mark.clause("DV-113", "DV-143", "DV-173", "DV-176", "DV-177")
def test_hands_are_compared() -> None:
    table = Table("AU AD | 7D 7B | 7U 4U", "KU QD | 5B 3U | 2D JL", players=2).quiet(RULES.SHOWDOWN)
    table.do("0: discard 4U", "1: discard JL")
    assert table.said("announces") == [
        (0, RULES.NAMED + CATEGORIES.index("Full House"), 0), (1, RULES.NAMED + CATEGORIES.index("High Card"), 0),
    ]  # fmt: skip
    assert table.said("beats") == [(0, 1, RULES.NAMED + CATEGORIES.index("Full House"))]
    assert table.said("takes_win") == [(0, 2, 0)]
    assert table.said("takes_lose") == [(1, 2, 0)]
    tie = Table("KU QD | 5B 3U | 2D JL", "KD JB | 6U 3B | 2U JV").quiet(RULES.SHOWDOWN)
    tie.do("0: discard JL", "1: discard JV")
    assert tie.said("ties") == [(0, 1, 0)]
    assert "Seat 0 beats Seat 1 with a better kind of hand: Full House." in table.texts()


STEPS = [
    ("2V 3U | 4V 5D | 6B KV", "6U 7D | JL QB | KU KD", "KV", "KD", "DV-167",
     "Seat 0 beats Seat 1. Both have the same kind of hand, and more cards of Heaven and Hell win: "
     "Straight, 2 immortal cards."),
    ("7U JD | QB KU | AD KV", "6D 7B | JU QD | KB KL", "KV", "KL", "DV-168",
     "Seat 1 beats Seat 0. Both have the same kind of hand, and the higher sum of its cards wins: Straight, sum 40."),
    ("KU QD | 7B 3U | 2D KV", "KD QB | 5U 4D | 2B KL", "KV", "KL", "DV-168",
     "Seat 0 beats Seat 1. Both have the same kind of hand, and the higher sum of its cards wins: High Card, sum 31."),
    ("4U 4D | 4B 7V | JU KL", "KU KD | 7U 5D | 3B JL", "KL", "JL", "DV-143",
     "Seat 0 beats Seat 1 with a better kind of hand: Three-of-a-Kind."),
    ("7U JD | QB KU | AD KV", "5U 6B | 7D JB | QU KL", "KV", "KL", "DV-171",
     "Seat 0 beats Seat 1. Both have the same kind of hand, and its highest card decides: Straight, ace high."),
    ("KU QD | 5B 3U | 2D JL", "QU JD | 7B 3D | 2B JV", "JL", "JV", "DV-171",
     "Seat 0 beats Seat 1. Both have the same kind of hand, and its highest card decides: High Card, king high."),
    ("God 3U | 7D 5B | KU 2U", "KV KD | 7U 5D | 3B 2D", "2U", "2D", "DV-165",
     "Seat 0 beats Seat 1. Both have the same kind of hand (Pair): Providence decides, the wild cards."),
    ("AU AD | 3D 4B | 6U 7D", "KU 2L | 3B 4D | 7U QD", "7D", "QD", "DV-144",
     "Seat 0 beats Seat 1 with a better kind of hand: Pair."),
]  # fmt: skip


@pytest.mark.parametrize("depth", ["top_only", "all"])
@pytest.mark.parametrize(("first", "second", "a", "b", "clause", "sentence"), STEPS)
def test_why_a_hand_beats_another(
    first: str, second: str, a: str, b: str, clause: str, sentence: str, depth: str
) -> None:
    table = Table(first, second, high_card_depth=depth).quiet(RULES.SHOWDOWN).do(f"0: discard {a}", f"1: discard {b}")
    found = [e for e in table.state.events(None, since=table._from) if e.event.startswith("beats")]
    if depth == "all":  # which card decided is not said
        sentence = sentence.replace(", ace high", "").replace(", king high", "")
    assert [(e.clause, e.text) for e in found] == [(clause, sentence)]


@pytest.mark.clause("DV-166")
@pytest.mark.parametrize(("scope", "clause", "winner"), [("used", "DV-167", 1), ("held", "DV-165", 0)])
def test_a_wild_card_that_was_discarded(scope: str, clause: str, winner: int) -> None:
    hands = ("God KU | KD 7U | 5B 3U", "AV AU | 7D 5D | 3B JU")
    table = Table(*hands, providence_scope=scope).quiet(RULES.SHOWDOWN).do("0: discard God", "1: discard JU")
    assert [who for who, _, _ in table.said("takes_win")] == [winner]
    assert clause in table.heard()


@pytest.mark.clause("DV-162")
def test_ranks_come_first_if_wanted() -> None:
    hands = ("3V 3U | 7U 5D | 2B JD", "KU KD | 7D 5B | 2U JB")
    for value, winner in (("none", 0), ("of_a_kind", 1), ("all", 1)):
        table = Table(*hands, rank_first=value).quiet(RULES.SHOWDOWN).do("0: discard JD", "1: discard JB")
        assert [who for who, _, _ in table.said("takes_win")] == [winner]
        assert ("DV-162" in table.heard()) == (winner == 1)
        pair = RULES.NAMED + CATEGORIES.index("Pair")
        assert table.said("beats_by_rank") == ([(1, 0, pair)] if winner else [])


@pytest.mark.clause("DV-107", "DV-111", "DV-121")
def test_forced_best_and_free_showdowns() -> None:
    hands = ("AU AD | 7D 7B | 7U 4U", "KU QD | 5B 3U | KV KL")
    forced = Table(*hands, showdown="forced_best").quiet(RULES.SHOWDOWN)
    assert (0, cards_named("AU AD 7D 7B 7U"), 0) in forced.said("shows")
    free = Table(*hands, showdown="free").quiet(RULES.SHOWDOWN).do("0: discard 4U", "1: discard 5B")
    assert free.refused("lay 1 2 3 4 5", 1) == "DV-121"  # KV and KL
    lays = [free.state.name_of(a) for a in free.state.legal_actions(1)]
    assert "lay 1 3 4 5" in lays
    assert len(lays) == sum(name.startswith("lay ") for name in lays) == 23  # without the 8 that have both
    assert free.refused("lay 1", 0) is None
    free.do("0: lay 5")
    assert free.refused("lay 5", 0) == "DV-107"
    free.do("1: lay 1 3")
    assert free.said("lays") == [(0, cards_named("7B"), 0), (1, cards_named("KV KU"), 0)]
    assert [CATEGORIES[a - RULES.NAMED] for _, a, _ in free.said("announces")] == ["High Card", "Pair"]


MISPLAYS = ("AU AD | 7D 7B | 7U 4U", "KU QD | 5B 3U | 2D JL")


@pytest.mark.clause("DV-115", "DV-119", "DV-120")
def test_the_aural_rule() -> None:
    table = Table(*MISPLAYS, aural_rule="on").quiet(RULES.SHOWDOWN).do("0: discard 4U", "1: discard JL")
    assert [table.state.name_of(a) for a in table.state.legal_actions(0)] == [f"name {c}" for c in CATEGORIES[1:]]
    assert table.refused("fold", 1) == "DV-115"
    table.do("0: name Full House", "1: name High Card")
    assert not table.said("is_dead")
    full_house, high_card = (RULES.NAMED + CATEGORIES.index(sort) for sort in ("Full House", "High Card"))
    assert table.said("names") == [(0, full_house, 0), (1, high_card, 0)]
    table = Table(*MISPLAYS, aural_rule="on", forfeits=3).quiet(RULES.SHOWDOWN).do("0: discard 4U", "1: discard JL")
    table.do("0: name Pair", "1: name High Card")
    assert table.said("is_dead") == [(0, 0, 0)]
    assert [who for who, _, _ in table.said("takes_win")] == [1]
    for seat in (0, 1, None):  # everybody hears the name, then the verdict
        heard = [e.text for e in table.state.events(seat)]
        assert heard[heard.index("Seat 0 says: Pair.") + 1].startswith("Seat 0 has misnamed")
    both = Table(*MISPLAYS, aural_rule="on", forfeits=3).quiet(RULES.SHOWDOWN).do("0: discard 4U", "1: discard JL")
    both.do("0: name Pair", "1: name Pair")
    assert both.said("goes_back") == [(-1, 4, 1)]
    assert both.s.forfeits == 3


@pytest.mark.clause("DV-216")
def test_other_penalties() -> None:
    for penalty, takers in (("lose_only", ([1], [1])), ("high_card", ([1], [0]))):
        table = Table(*MISPLAYS, aural_rule="on", misplay_penalty=penalty).quiet(RULES.SHOWDOWN)
        table.do("0: discard 4U", "1: discard JL", "0: name Pair", "1: name High Card")
        assert ([p for p, _, _ in table.said("takes_win")], [p for p, _, _ in table.said("takes_lose")]) == takers
        assert table.said("cannot_win" if penalty == "lose_only" else "is_high_card") == [(0, 0, 0)]
    barred = Table(*MISPLAYS, aural_rule="on", misplay_penalty="lose_only", forfeits=4).quiet(RULES.SHOWDOWN)
    barred.do("0: discard 4U", "1: discard JL", "0: name Pair", "1: name Pair")
    assert barred.said("wins_back") == [(-1, 2, 1)]
    assert [who for who, _, _ in barred.said("takes_lose")] == [1]
    assert barred.s.forfeits == 4


NO_PAIRS = {"same_suit_sixes": "no_pairs"}
LAYOUTS: list[tuple[str, str, str, dict[str, str]]] = [  # kept cards; combination in the right order; a wrong order
    ("AU AD 7D 7B 7U", "7U 7D 7B AU AD", "AU AD 7U 7D 7B", {}),
    ("God AU KD 5B 3U", "God KD", "KD God", {}),
    ("2L 7V JV QV KV", "2L KV QV JV 7V", "KV QV JV 7V 2L", {}),
    ("AU 2D 3B 4U 5V", "5V 4U 3B 2D AU", "AU 5V 4U 3B 2D", {}),
    ("KU KD 3V 3B QD", "KU KD 3V 3B", "3V 3B KU KD", {}),
    ("AV AU 2L 5D 3B", "AV 2L AU", "AV AU 2L", {}),
    ("AV AU 2L 5D 3B", "AV 2L AU", "2L AV AU", {}),  # a guest deuce is the last of the immortal cards
    ("KV KU KD 2V 2L", "KV KU KD 2V 2L", "KV KU KD 2L 2V", {}),
    ("AL AU 2V 5D 3B", "AL 2V AU", "2V AL AU", {}),
    ("KL KU KD 2V 2L", "KL KU KD 2L 2V", "KL KU KD 2V 2L", {}),
    ("AV 2L 7U 5D 3B", "AV 2L", "2L AV", {"deuce_as_ace": "forced"}),
    ("AU AD AB KD 4B", "AU AD AB", "AU AB AD", {}),  # Humans, Demi-Humans, Beasts
    ("AU AD AB KD 4B", "AU AD AB", "AD AU AB", {}),
    ("KV KU 7L 5D 3B", "KV KU", "KU KV", {}),  # the card of Hell is left out
    ("KL KU 7V 5D 3B", "KL KU", "KU KL", {}),  # that of Heaven is
    ("6Va 6Vb 6Vc KV 3V", "KV 6Va 6Vb 6Vc 3V", "6Va 6Vb 6Vc KV 3V", {}),  # a Pure hand: by rank, not by groups
    ("6Va 6Vb KU QD 3B", "KU QD 6Va 6Vb 3B", "6Va 6Vb KU QD 3B", NO_PAIRS),  # so is a High Card hand
    ("God AV KV KU 2V", "God AV 2V KV KU", "God KV KU AV 2V", {"wild_scope": "represented_suit"}),  # God is a 2 of Hell
    ("KL QD 7U 4B 2D", "KL QD 7U 4B 2D", "QD KL 7U 4B 2D", {}),
    ("God AU AB JV JU", "God AU AB JV JU", "AU AB God JV JU", {}),  # of equal readings any may be laid
    ("God AU AB JV JU", "God JV JU AU AB", "God JV AU JU AB", {}),
    ("God AU AB JV JU", "God AU AB JV JU", "God JV JU AU AB", {"rank_first": "of_a_kind"}),
    ("God 6Va 6Vb KU KD", "God KU KD 6Va 6Vb", "KU KD God 6Va 6Vb", {}),
    ("God 6Va 6Vb KU KD", "God 6Va 6Vb KU KD", "God KU KD 6Va 6Vb", NO_PAIRS),  # the 6s must be the three
]


@pytest.mark.clause("DV-116", "DV-117", "DV-118")
@pytest.mark.parametrize(("cards", "right", "wrong", "options"), LAYOUTS)
def test_the_rule_of_order(cards: str, right: str, wrong: str, options: dict[str, Any]) -> None:
    held = cards.split()
    first = f"{held[0]} {held[1]} | {held[2]} {held[3]} | {held[4]} JB"
    places = {c: str(i + 1) for i, c in enumerate(sorted(held, key=CARDS.index))}
    for laid, dead in ((right, False), (wrong, True)):
        table = Table(first, rule_of_order="on", aural_rule="on", **options).quiet(RULES.SHOWDOWN)
        table.do("0: discard JB", f"1: {table.state.name_of(table.state.legal_actions(1)[0])}")
        how = RULES.ranking(table.s)
        table.do(f"0: name {CATEGORIES[RULES.category(how, RULES.score(how, cards_named(cards)))]}", "1: name Pair")
        assert table.refused("check", 0) == "DV-116"
        table.do("0: order " + " ".join(places[c] for c in laid.split()))
        assert table.state.acting == (1,)
        table.do("1: order 1")
        assert ((0, 0, 0) in table.said("is_dead")) == dead
        order = " ".join(places[c] for c in laid.split())
        assert f"Seat 0 lays the cards in this order, from the top: {order}." in table.texts()


@pytest.mark.clause("DV-107")
def test_only_who_chooses_in_secret_hears_of_it() -> None:
    options: dict[str, Any] = {"showdown": "free", "rule_of_order": "on", "aural_rule": "on"}
    table = Table(*MISPLAYS, **options).quiet(RULES.SHOWDOWN)
    for act, heard in (
        ("discard 4U", f"DV-105 discards 0: {CARDS.index('4U')}"),
        ("lay 1 2", "DV-111 will_lay 0: AU AD"),
        ("name Pair", f"DV-115 will_name 0: {RULES.NAMED + CATEGORIES.index('Pair')}"),
        ("order 1 2", "DV-116 orders 0: 0"),
    ):
        before = len(table.state.ledger.events)
        assert told(table, f"0: {act}", seat=0) == [heard]
        assert [audience for _, _, audience, *_ in table.state.ledger.told(None, before)] == [0]
        assert table.refused(act, 0) is not None  # once is enough
        table.do(f"1: {acts_of(table.state, 1)[0]}")


# ------------------------------------------------------------------------------------------ payout


def payout(
    tablets: Sequence[tuple[int, int]],
    worth: Sequence[int],
    live: int | None = None,
    dealer: int | None = None,
    forfeits: int = 0,
    **options: str,
) -> tuple[list[int], list[Any]]:
    """What each player gets, and what is said: tablets as (Win, Lose), hands by what they are worth."""
    s, heard = load(len(tablets), **options).start(), list[Any]()
    n = len(tablets)
    s.live = (1 << n) - 1 if live is None else live
    s.dealer, s.forfeits = n - 1 if dealer is None else dealer, forfeits
    for p, (win, lose) in enumerate(tablets):
        s.paid[p], s.win[p], s.worth[p], s.coins[p] = win + lose, win, worth[p], 0
    RULES.share_pots(s, s.live, 0, heard)
    return list(s.coins)[:n], heard


@pytest.mark.clause("DV-178", "DV-179", "DV-180", "DV-212")
def test_two_winners() -> None:
    assert payout([(9, 2), (9, 2)], [7, 3])[0] == [18, 4]
    tablets = [(12, 4), (3, 13), (5, 5)]
    coins, heard = payout(tablets, [9, 5, 0], live=0b011)
    assert coins == [20, 22, 0]  # the weaker hand earns more
    assert [e[1] for e in heard] == ["takes_win", "takes_lose"]  # what a folded player has put in makes no tier
    assert payout(tablets, [9, 5, 0], live=0b011, forfeits=5)[0] == [25, 22, 0]
    assert payout(tablets, [9, 5, 0], live=0b011, folded_columns="all_to_win")[0] == [25, 17, 0]


@pytest.mark.clause("DV-182", "DV-183", "DV-184")
def test_ties_and_odd_coins() -> None:
    coins, heard = payout([(7, 3)] * 3, [9, 9, 2], dealer=2)
    assert coins == [11, 10, 9]
    assert {"DV-182", "DV-183"} <= {e[0] for e in heard}
    assert payout([(7, 3)] * 3, [9, 9, 2], dealer=0)[0] == [10, 11, 9]
    assert payout([(7, 3)] * 3, [9, 9, 9], dealer=2)[0] == [10, 10, 10]
    coins, heard = payout([(0, 2), (1, 1), (0, 2)], [9, 9, 2], dealer=2)
    assert coins == [1, 0, 5]
    assert [(e[1], e[3], e[4]) for e in heard if "takes" in e[1]] == [("takes_win", 0, 1), ("takes_lose", 2, 5)]


@pytest.mark.clause("DV-185", "DV-186", "DV-187", "DV-188", "DV-189")
def test_side_pots() -> None:
    coins, heard = payout([(6, 4), (16, 9), (12, 13)], [9, 5, 2])
    assert coins == [16, 18, 14 + 12]
    assert [(e[1], e[3], e[4]) for e in heard] == [
        ("takes_win", 0, 16), ("takes_lose", 2, 14), ("takes_win_side", 1, 18), ("takes_lose_side", 2, 12),
    ]  # fmt: skip
    assert payout([(6, 4), (16, 9), (12, 13)], [9, 5, 2], all_in="whole_pot")[0] == [34, 0, 26]


@pytest.mark.clause("DV-190", "DV-191")
def test_alone_in_a_tier_and_what_belongs_to_the_first() -> None:
    coins, heard = payout([(6, 4), (20, 10)], [9, 5], forfeits=3)
    assert coins == [6 + 6 + 3, 4 + 4 + 20]
    assert ("DV-190", "is_alone", -1, 1, 2, 0) in heard
    assert ("DV-190", "is_alone", -1, 0, 2, 0) in payout([(20, 10), (6, 4)], [9, 5])[1]
    s = load(3).start()
    s.live, s.dealer = 0b111, 2
    for p, (paid, win) in enumerate(((10, 5), (20, 10), (20, 10))):
        s.paid[p], s.win[p], s.worth[p], s.coins[p] = paid, win, 9 - p, 0
    s.fees[2], s.fee_win[2] = 6, 4
    RULES.share_pots(s, 0b111, 0, None)
    assert list(s.coins)[:3] == [15 + 4, 10, 15 + 2 + 10]


def test_what_goes_back_goes_to_those_who_put_it_in() -> None:
    s = load(2).start()
    s.live, s.dealer = 0b11, 1
    for p, (paid, win) in enumerate(((10, 7), (10, 2))):
        s.paid[p], s.win[p], s.coins[p] = paid, win, 0
    s.fees[1], s.fee_win[1] = 4, 1
    RULES.share_pots(s, 0, 0, None)
    assert list(s.coins)[:2] == [10, 14]
    s.coins[0] = s.coins[1] = 0
    s.worth[0], s.worth[1] = 5, 3
    RULES.share_pots(s, 0b11, 0b11, None)
    assert list(s.coins)[:2] == [7, 2 + 1 + 3 + 8 + 3]


def returned(tablets: Sequence[tuple[int, int]], those: int, no_win: int) -> tuple[list[int], list[Any]]:
    """What each gets, and which coins are said to go back, where some may not take any or no Win coins."""
    s, heard = load(len(tablets)).start(), list[Any]()
    s.live, s.dealer = (1 << len(tablets)) - 1, len(tablets) - 1
    for p, (win, lose) in enumerate(tablets):
        s.paid[p], s.win[p], s.worth[p], s.coins[p] = win + lose, win, 9 - p, 0
    RULES.share_pots(s, those, no_win, heard)
    return list(s.coins)[: len(tablets)], [(e[1], *e[4:]) for e in heard if e[1] in ("goes_back", "wins_back")]


@pytest.mark.clause("DV-120", "DV-216")
def test_what_goes_back_is_said() -> None:
    assert returned([(4, 6), (10, 20), (10, 20)], 0b001, 0) == ([30, 20, 20], [("goes_back", 40, 2)])
    # in the second tier there are Lose coins only
    assert returned([(10, 0), (10, 20), (10, 20)], 0b001, 0)[1] == [("goes_back", 40, 2)]
    s, heard = load(3).start(), list[Any]()
    s.live, s.dealer, s.ante = 0b110, 2, 2
    for p, (win, lose) in enumerate(((0, 10), (0, 10), (0, 30))):
        s.paid[p], s.win[p], s.coins[p] = win + lose, win, 0
    RULES.share_pots(s, 0b010, 0, heard)
    assert ("DV-120", "goes_back", -1, -1, 20, 2) in heard  # and not a Win coin among them
    assert returned([(0, 10), (0, 10)], 0b11, 0b11)[1] == []  # no Win coin, so none goes back
    assert returned([(3, 7), (0, 10)], 0b11, 0b11)[1] == [("wins_back", 3, 1)]
    assert returned([(1, 9), (0, 10)], 0b11, 0b11)[1] == [("wins_back", 1, 1)]


# ------------------------------------------------------------------------------------------ between hands


def finished(coins: Sequence[int], ante: int = 2, players: int | None = None, **fields: Any) -> tuple[Any, list[Any]]:
    """The position after a hand that left these coins."""
    options = {k: v for k, v in fields.items() if k in definition("dividha").options}
    s, heard = load(players or len(coins), **options).start(), list[Any]()
    s.ante = ante
    s.live = (1 << len(coins)) - 1
    for p, n in enumerate(coins):
        s.coins[p] = n
    for name, value in fields.items():
        if name not in options:
            setattr(s, name, value)
    RULES.go_to(s, RULES.FINISHING)
    RULES.go_on(s, heard)
    return s, heard


EVERY_3 = {"ante_schedule": "every_n_hands", "ante_every": 3}
NOBODY = {"ante": 90, "forfeits": 9, "seated": 0b111}  # can pay
LAST = RULES.MOST_HANDS - 1
FINISHED = [  # coins after a hand and how it stands; then the ante, the coins, the places, and what is told
    ([100] * 3, {}, 2, [100] * 3, [0, 0, 0], ""),
    ([100] * 3, {"orbit": 1}, 4, [100] * 3, [0, 0, 0], "DV-198 ante_rises -1 4"),
    ([100] * 3, {"orbit": 1, "ante_step": 6}, 8, [100] * 3, [0, 0, 0], "DV-198 ante_rises -1 8"),
    (
        *([100] * 3, {"orbit": 1, "ante_step": 6, "agreed": 2}, 2, [100] * 3, [0, 0, 0]),
        "DV-198 ante_rises -1 8, DV-204 ante_lowered -1 2",
    ),
    ([100] * 3, {"orbit": 1, "ante_schedule": "fixed"}, 2, [100] * 3, [0, 0, 0], ""),
    ([100] * 3, {"orbit": 1, "ante_step": 0}, 2, [100] * 3, [0, 0, 0], ""),
    ([100] * 2, {"deal": 1, **EVERY_3}, 2, [100] * 2, [0, 0], ""),
    ([100] * 2, {"deal": 2, **EVERY_3}, 4, [100] * 2, [0, 0], "DV-198 ante_rises -1 4"),
    ([100] * 2, {"deal": 3, **EVERY_3}, 2, [100] * 2, [0, 0], ""),
    ([100, 4, 196], {"ante": 4}, 4, [100, 4, 196], [0, 0, 0], ""),  # exactly the ante: still in
    ([100, 3, 197], {"ante": 4}, 4, [100, 0, 197], [0, 3, 0], "DV-192 is_out 1, DV-192 forfeits 1 3"),
    (  # the rise comes first
        *([90, 3, 207], {"orbit": 1}, 4, [90, 0, 207], [0, 3, 0]),
        "DV-198 ante_rises -1 4, DV-192 is_out 1, DV-192 forfeits 1 3",
    ),
    (  # three at the same moment
        *([90, 3, 1, 3, 203], {"ante": 4}, 4, [90, 0, 0, 0, 203], [0, 3, 5, 3, 0]),
        "DV-192 is_out 1, DV-192 forfeits 1 3, DV-192 is_out 2, DV-192 forfeits 2 1, DV-192 is_out 3, "
        "DV-192 forfeits 3 3",
    ),
    (
        *([1, 2, 294], {"ante": 4, "forfeits": 3}, 4, [0, 0, 300], [3, 2, 1]),
        "DV-192 is_out 0, DV-192 forfeits 0 1, DV-192 is_out 1, DV-192 forfeits 1 2, DV-195 wins_match 2 300",
    ),
    (  # the odd coin goes to the left of the dealer
        *([30, 31, 31, 0], {**NOBODY, "dealer": 0}, 90, [0, 51, 50, 0], [3, 1, 1, 0]),
        "DV-196 nobody_can_pay -1 90, DV-195 wins_match 1 51, DV-195 wins_match 2 50",
    ),
    (
        *([30, 31, 31, 0], {**NOBODY, "dealer": 1}, 90, [0, 50, 51, 0], [3, 1, 1, 0]),
        "DV-196 nobody_can_pay -1 90, DV-195 wins_match 2 51, DV-195 wins_match 1 50",
    ),
    ([60, 40], {"deals": 1}, 2, [60, 40], [1, 2], "DV-220 last_hand -1 1"),
    ([60, 40], {"deals": 2}, 2, [60, 40], [0, 0], ""),
    ([2, 198], {"deal": LAST}, 2, [2, 198], [2, 1], "DV-220 last_hand -1 1000"),
    ([2, 198], {"deal": LAST - 1}, 2, [2, 198], [0, 0], ""),
]


@pytest.mark.clause("DV-193", "DV-194", "DV-197", "DV-205", "DV-36")
@pytest.mark.parametrize(("coins", "stands", "ante", "after", "places", "told_of"), FINISHED)
def test_after_a_hand(
    coins: list[int], stands: dict[str, Any], ante: int, after: list[int], places: list[int], told_of: str
) -> None:
    s, heard = finished(coins, **stands)
    n = len(coins)
    assert (s.ante, list(s.coins)[:n], list(s.places)[:n]) == (ante, after, places)
    said = (f"{clause} {event} {who} {a or b or ''}".rstrip() for clause, event, _, who, a, b in heard)
    assert ", ".join(said) == told_of
    over = 1 in places
    assert RULES.actor(s) == (TERMINAL if over else DEAL_OVER)
    out = [0.0] * n
    RULES.returns(s, out)
    assert out == [coin - 100 for coin in after]
    forfeited = sum(coins) + stands.get("forfeits", 0) - sum(after)
    assert s.forfeits == forfeited
    if over:
        assert refused(load(n).state_at(s), "check", 0) == "DV-195"
    else:
        RULES.next_deal(s, None)
        assert s.pot == forfeited + ante * sum(coin > 0 for coin in after)


@pytest.mark.clause("DV-199")
def test_an_orbit_is_of_those_who_are_still_in() -> None:
    assert [finished([100] * 3, orbit=orbit)[0].orbit for orbit in (3, 2, 1)] == [2, 1, 3]
    assert finished([100, 100, 100, 0], seated=0b0111, orbit=1)[0].orbit == 3
    assert finished([90, 3, 1, 3, 203], ante=4, orbit=1)[0].orbit == 2


@pytest.mark.clause("DV-192", "DV-193", "DV-180")
def test_who_is_out_has_no_part_in_the_next_hand() -> None:
    hands = ("AU AD | 7D 7B | 7U 4U", "KU KD | 5B 3U | 2D JL", "QU JD | 5D 3B | 4D 2B")
    table = Table(*hands, coins=[98, 5, 197], ante=4, absences="on").quiet(RULES.SHOWDOWN)
    assert told(table, "0: discard 4U", "1: discard 2D", "2: discard 2B")[-6:] == [
        "DV-176 takes_win 0: 6",
        "DV-177 takes_lose 2: 6",
        "DV-192 is_out 1: 0",
        "DV-192 forfeits 1: 1",
        "DV-18 deals 0: 0",  # the seat on the dealer's right is empty
        "DV-44 antes -1: 4 2",
    ]
    assert (table.s.pot, table.coins) == (9, [96, 0, 195])
    assert list(table.s.down)[:3] == [2, 0, 2]
    assert table.turn == 2
    assert told(table, "raise 9/3", "propose 2", "agree", "fold") == [
        "DV-67 opens 2: 9 9",
        "DV-200 proposes 0: 2",
        "DV-202 agrees 2: 2",  # both players have a vote
        "DV-204 agreed -1: 2",
        "DV-62 folds 0: 0",
        "DV-181 takes_all 2: 18",
        "DV-175 tablet 0: 2 2",
        "DV-175 tablet 2: 5 8",
        "DV-204 ante_lowered -1: 2",
        "DV-18 deals 2: 0",
        "DV-44 antes -1: 2 2",
    ]


@pytest.mark.clause("DV-200", "DV-201", "DV-203", "DV-206", "DV-221")
def test_proposals() -> None:
    table = Table(players=3, ante=6)
    assert table.refused("propose 2", 1) == "DV-221"
    assert table.refused("propose 6") == "DV-203"
    table.do("propose 4")
    assert table.turn == 1
    assert table.refused("agree", 2) == "DV-206"
    table.do("refuse")
    assert table.said("refuses") == [(1, 4, 0)]
    assert table.turn == 0  # the betting turn goes on
    assert table.refused("propose 2") == "DV-206"
    table.do("check", "propose 2", "agree", "agree")
    assert table.said("agreed") == [(-1, 2, 0)]
    assert table.refused("propose 2") == "DV-206"
    assert table.s.agreed == 2
    table.do("raise 2/1", "fold", "fold")
    assert table.s.ante == 2
    assert "propose 2" not in table.acts
    table = Table(players=3, ante=8).do("propose 4", "agree", "agree", "raise 2/1", "fold", "fold")
    assert (table.s.ante, table.refused("propose 2")) == (4, None)  # in the next hand it may be proposed again
    table.do("propose 2", "refuse")
    assert "DV-204 ante_lowered -1: 4" not in told(table, "raise 2/1", "fold", "fold")


@pytest.mark.clause("DV-200", "DV-221", "DV-36")
def test_everybody_may_propose_between_two_hands() -> None:
    options: dict[str, Any] = {"between_hands": "asked", "ante_schedule": "fixed"}
    table = Table(players=3, ante=6, **options).do("raise 2/1", "fold", "fold")
    assert (table.turn, table.s.deal) == (0, 0)  # clockwise from the dealer's left; the hand is not settled
    assert not any(table.s.paid)  # what lay on the tablets is paid out
    assert table.acts == ["check", "propose 2", "propose 4"]
    assert table.refused("leave the table") == "DV-222"
    assert table.refused("propose 6") == "DV-203"
    assert table.refused("raise 2") == table.refused("propose 4", 1) == "DV-221"
    table.do("check", "propose 4", "agree", "refuse")  # seat 1 has folded
    assert table.turn == 2  # seat 1 has nothing left to propose, so it is not asked again
    table.do("propose 2", "agree", "agree")
    assert (table.s.ante, table.s.deal, table.s.paid[0]) == (2, 1, 2)
    assert table.said("ante_lowered") == [(-1, 2, 0)]
    table.do("raise 2/1", "fold", "fold")
    assert table.s.deal == 2  # nothing can be proposed below 2, so nobody is asked
    plain = Table(players=3, ante=6).do("raise 2/1", "fold", "fold")
    assert plain.s.deal == 1


@pytest.mark.clause("DV-204")
def test_an_ante_lowered_between_two_hands_keeps_players_in() -> None:
    table = Table(ante=6, coins=[191, 9], ante_schedule="fixed", between_hands="asked").do("raise 1/1", "fold")
    assert table.coins[1] == 3
    table.do("check", "propose 2", "agree")
    assert (table.s.seated, table.coins[1]) == (0b11, 1)


@pytest.mark.clause("DV-27", "DV-30", "DV-222")
def test_leaving_between_two_hands() -> None:
    options: dict[str, Any] = {"absences": "on", "between_hands": "asked"}
    table = Table(players=3, dealer=2, **options).do("raise 2/1", "fold", "fold")
    assert table.acts == ["check", "leave the table"]
    table.do("leave the table", "check", "check")
    assert table.said("absent") == [(0, 2, 0)]  # the next hand has begun, without a question whether they are back
    assert (table.s.away, table.s.live, table.s.paid[0]) == (0b001, 0b110, 2)
    assert list(table.s.down)[:3] == [2, 2, 2]
    table.do("raise 2/1", "fold", "check", "check")  # who is absent is not asked here, but whether they are back
    assert table.acts == ["return", "stay away"]
    assert table.do("return").s.live == 0b111
    again = Table(players=3, ante=6, **options).do("propose 4", "refuse", "raise 2/1", "fold", "fold")
    assert (again.turn, again.acts) == (0, ["check", "leave the table"])
    assert again.refused("propose 2") == "DV-206"  # one proposal since the last ante
    none = Table(**options).do("raise 2/1", "fold", "leave the table", "leave the table")
    assert none.acts == ["return", "stay away"]


@pytest.mark.clause("DV-222")
def test_what_silence_means() -> None:
    """Refusal in a vote, absence where there is such a thing, and otherwise that all stays as it is."""

    def silent(table: Table) -> str | None:
        a = table.state.silence(table.turn)
        return None if a is None else table.state.name_of(a)

    options: dict[str, Any] = {"players": 3, "ante": 6, "between_hands": "asked"}
    for absences, in_a_hand, between in (("off", None, "check"), ("on", "leave the table", "leave the table")):
        table = Table(absences=absences, **options)
        assert silent(table) == in_a_hand
        assert silent(table.do("raise 2")) is None  # a division cannot be guessed
        table.do("win 1", "fold", "fold")
        assert silent(table) == between
        assert silent(table.do("propose 4")) == "refuse"
    gone = Table(**options, absences="on").do("leave the table", "raise 2/1", "fold", "check", "check")
    assert (gone.turn, silent(gone)) == (0, "stay away")


@pytest.mark.clause("DV-202", "DV-204", "DV-217")
def test_votes() -> None:
    table = Table(players=3, ante=6, absences="on").do("raise 2/1", "fold", "propose 4")
    assert table.turn == 0
    table.do("agree")
    assert table.turn == 1  # this player has folded, and has a vote
    table.do("agree").do("call/0")
    gone = Table(players=3, ante=6, absences="on").do("leave the table", "propose 4")
    assert gone.said("absent_refuses") == [(1, 4, 0)]
    assert gone.turn == 1
    assert gone.acts[:2] == ["check", "leave the table"]  # nobody is asked
    assert gone.refused("propose 2") == "DV-206"
    s, heard = finished([100, 100, 100], ante=6, agreed=4, orbit=1)
    assert s.ante == 4
    assert [e[0] for e in heard] == ["DV-198", "DV-204"]


# ------------------------------------------------------------------------------------------ absent players


@pytest.mark.clause("DV-27", "DV-28", "DV-29", "DV-215", "DV-30")
def test_absent_players() -> None:
    table = Table(players=3, absences="on").do("leave the table", "raise 4/0", "fold")
    assert table.s.deal == 1
    assert table.turn == 0  # is this player back?
    table.do("stay away")
    assert table.s.away == 0b001
    assert table.s.live == 0b110
    assert table.s.paid[0] == 2
    assert table.s.win[0] == 1
    assert list(table.s.down)[:3] == [2, 2, 2]
    while table.s.phase < RULES.SHOWDOWN:
        assert table.turn in (1, 2)
        table.do(next(act for act in ROUND if act in table.acts))
    assert list(table.s.down)[:3] == [2, 4, 4]
    assert table.s.public[0] == 0
    table.do(f"1: {table.acts[0]}")
    table.do(f"2: {table.acts[0]}")
    assert sorted(who for who, _, _ in table.said("shows")) == [1, 2]
    assert table.refused("check", 1) == "DV-30"
    table.do("return")
    assert table.s.live == 0b111
    every = Table(players=3, absences="on", absent_deal="every_deal").do(
        "leave the table", "raise 4/0", "fold", "stay away"
    )
    every.quiet(RULES.BET_4)
    assert (every.s.down[0], every.s.public[0].bit_count()) == (4, 2)


@pytest.mark.clause("DV-31", "DV-32", "DV-33", "DV-222")
def test_leaving_during_a_hand() -> None:
    assert Table(players=3).refused("leave the table") == "DV-222"
    table = Table(players=3, absences="on")
    assert table.acts == ["check", "leave the table", *(f"raise {n}" for n in range(1, 7))]
    assert table.do("raise 5/1").acts == ["call", "fold", "leave the table", *(f"raise {n}" for n in range(6, 22))]
    table = Table(players=3, absences="on").do("check", "leave the table", "check")
    assert table.s.live == 0b111  # not facing: the level is left alone
    assert table.s.phase == RULES.BET_2
    table.do("check")
    assert (table.turn, table.state.observation()["at"]) == (2, 1)
    table.do("raise 2/1", "call/1")
    assert table.s.live == 0b101  # facing: this player is folded
    assert "DV-32" in [e.clause for e in table.state.events(None)]
    table = Table(players=3, absences="on").do("check", "leave the table", "check").quiet(RULES.TRADE)
    table.do("stand")
    assert table.said("stands") == [(0, 0, 0), (1, 0, 0)]
    two = Table(absences="on").do("leave the table", "leave the table")
    while two.s.deal == 0:
        two.do("check")
    two.do("stay away", "stay away")
    assert two.said("waits") == [(-1, 0, 0)]
    assert two.s.pot == 0
    assert two.s.waited == 1
    back = two.state.clone()
    for act in ("stay away", "return"):
        back.apply(act)
    assert back.position.waited == 0  # somebody is back, and a hand was played
    two.do("stay away", "stay away", "stay away")
    assert two.turn >= 0
    two.do("stay away")  # nobody is back for the third time: the match ends (DV-220)
    assert two.said("last_hand") == [(-1, 1, 0)]
    assert two.state.is_terminal
    assert sum(two.coins) + two.s.forfeits == 200


@pytest.mark.clause("DV-41", "DV-181")
def test_whoever_is_there_alone_takes_the_antes() -> None:
    for me in range(3):
        acts = ["leave the table"] * 2
        acts.insert(me, "raise 2/1")
        table = Table(players=3, absences="on", dealer=2).do(*acts)
        assert told(table, "stay away", "stay away")[-5:] == [
            f"DV-181 takes_all {me}: 6",
            "DV-175 tablet 0: 1 1",
            "DV-175 tablet 1: 1 1",
            "DV-175 tablet 2: 1 1",
            "DV-18 deals 0: 0",
        ]
        assert table.coins == [108 if p == me else 96 for p in range(3)]


@pytest.mark.clause("DV-34", "DV-35")
def test_what_is_chosen_for_who_has_left() -> None:
    options: dict[str, Any] = {"absences": "on", "aural_rule": "on", "rule_of_order": "on"}
    table = Table("AU AD | 7D 7B | 7U 4U", "5U 5D | QU QD | Min Ral", **options).do("leave the table")
    while table.s.phase < RULES.SHOWDOWN:
        table.do(next(act for act in ROUND if act in table.acts))
    assert table.state.acting == (1,)
    table.do("1: discard 5U", "1: name Three-of-a-Kind", "1: order 1")
    assert (0, cards_named("AU AD 7D 7B 7U"), 0) in table.said("shows")
    assert [who for who, _, _ in table.said("is_dead")] == [1]
    s = load(2).start()
    s.live, s.gone = 0b01, 0b01
    s.private[0], s.public[0] = cards_named("KU KD 7D 5B"), cards_named("3U 2D")
    RULES.discard_for_them(s)
    assert CARDS[s.discard[0] - 1] == "7D"  # the first of four that leave the same


# ------------------------------------------------------------------------------------------ refusals


def clauses(table: Table, refusals: str, player: int | None = None) -> None:
    """``"fold DV-63, win 0 DV-58"``: each of these acts is refused, by this clause."""
    for refusal in refusals.split(", "):
        act, _, clause = refusal.rpartition(" ")
        assert table.refused(act, player) == clause, act


def test_which_clause_refuses_a_bet() -> None:
    table = Table(players=3, ante=6, rule_of_order="on")
    elsewhere = "stand DV-58, trade 2B DV-58, name Pure Five-of-a-Kind DV-58, win 0 DV-58, win 300 DV-58, order 1 DV-58"
    clauses(table, f"call DV-61, fold DV-63, raise 19 DV-74, raise 94 DV-74, raise 95 DV-69, {elsewhere}")
    clauses(table, "propose 6 DV-203, propose 300 DV-203, leave the table DV-222, raise 300 DV-69")
    clauses(table, "check DV-56, win 300 DV-56, propose 2 DV-221, propose 300 DV-221, order 1 DV-56", 1)
    table.do("raise 8/0")
    clauses(table, "check DV-59, raise 7 DV-68, raise 8 DV-68, raise 43 DV-74, stand DV-59, win 0 DV-59, order 1 DV-59")
    fixed = Table(players=3, ante=4, limit="fixed").do("raise 4/0")
    clauses(fixed, "raise 4 DV-68, raise 5 DV-76, raise 9 DV-76, raise 97 DV-69")
    least = Table(players=3, limit="none", ante=6, min_raise="ante")
    clauses(least, "raise 5 DV-68, raise 1 DV-68, raise 95 DV-69")
    capped = Table(coins=[100, 40, 30], limit="none", all_in="cap_at_smallest")
    clauses(capped, "raise 29 DV-87, raise 98 DV-87, raise 99 DV-69")
    clauses(Table(coins=[100, 40, 30], all_in="cap_at_smallest"), "raise 28 DV-74, raise 29 DV-87")
    clauses(Table(coins=[100, 20, 20]), "raise 50 DV-74")
    southern = Table(coins=[100, 40, 30], limit="none", southern_cap="on")
    clauses(southern, "raise 39 DV-79, raise 98 DV-79, raise 99 DV-69")


def test_which_clause_refuses_another_act() -> None:
    table = Table("AV KL | 7D 3B", players=3, pay_to_trade="on").quiet(RULES.TRADE)
    clauses(table, "trade God DV-91, trade 2B DV-91, discard God DV-90, stay away DV-90, check DV-90, call DV-90")
    clauses(table, "stand DV-90, trade AV DV-90", 1)
    clauses(table.do("trade AV", "stand"), "win 3 DV-101, win 300 DV-101, stand DV-101")
    whole = Table(coins=[100, 7, 100], limit="none", unsplit_all_in="on").do("raise 6/1", "call")
    clauses(whole, "win 1 DV-84, win 4 DV-84, win 6 DV-49, raise 207 DV-49")
    clauses(whole, "win 1 DV-49", 0)
    assert whole.do("win 0").turn == 2
    down = Table("AV KL | 7D 3B | 2U 4U", "KU KD | 5D 5B | JU 4D", showdown="free", aural_rule="on", rule_of_order="on")
    down.quiet(RULES.SHOWDOWN)
    clauses(down, "trade 2B DV-105, discard God DV-106, discard 2B DV-106, lay 1 DV-105, stand DV-105", 0)
    down.do("0: discard 7D", "1: discard KD")
    clauses(down, "discard 2B DV-107, lay 1 2 DV-121, lay 1 2 3 4 5 DV-121, name High Card DV-107", 0)
    down.do("0: lay 1", "1: lay 1 2 3 4 5")
    clauses(down, "lay 1 DV-115, raise 1 DV-115", 1)
    down.do("0: name High Card", "1: name Pair")
    clauses(down, "order 2 DV-116, order 1 2 DV-116", 0)  # one card was laid


# ------------------------------------------------------------------------------------------ what always holds


@pytest.mark.clause("DV-219")
@pytest.mark.parametrize(
    "options",
    [
        {"pay_to_trade": "on", "rounds": "three_no_trade"},
        {"southern_cap": "on", "all_in": "cap_at_smallest"},
        {"tablets_on_last_fold": "hidden", "splits": "open"},
        {"tie_cards": "high_card_kickers"},
    ],
)
def test_options_that_do_not_go_together(options: dict[str, str]) -> None:
    with pytest.raises(ParlourError, match="DV-219"):
        load(3, **options)
    for name in options:
        rest = {k: v for k, v in options.items() if k != name}
        load(3, **rest, **({"high_card_depth": "all"} if "tie_cards" in rest else {}))


def test_redealt_tablets_are_as_likely_as_they_must_be() -> None:
    """Two amounts of 3 and 2 in addition to the ante: each division of each amount as likely as any other."""
    table = Table(players=3).do("raise 3/0", "call/2", "raise 5/1", "call/1")
    view = table.state.view(1)
    found = Counter(view.redeal(seed).position.win[0] for seed in range(1500))
    wanted = Counter(1 + a + b for a in range(4) for b in range(3))
    assert found.keys() == wanted.keys()
    for win, ways in wanted.items():
        assert abs(found[win] / 1500 - ways / 12) < 0.05
    world = view.redeal(1).position
    assert world.private[1] == table.s.private[1]
    assert world.win[1] == table.s.win[1]
    assert (world.private[0] | world.private[2] | world.left) & table.s.private[1] == 0
    worlds = [view.redeal(seed).position.private[0] for seed in range(1500)]
    cards = Counter(c for private in worlds for c in range(56) if private >> c & 1)
    assert len(cards) == 54
    assert all(abs(n / 1500 - 2 / 54) < 0.025 for n in cards.values())


def acts_of(state: State, player: int) -> list[str]:
    return [state.name_of(a) for a in state.legal_actions(player)]


def test_redealt_tablets_of_many_amounts() -> None:
    """The last one, wholly in one column, is told from those before it however many there were."""
    table = Table(coins=[40, 100], starting_coins=70, limit="none", unsplit_all_in="on")
    for level in range(1, 18):
        table.do(f"raise {level}/0")
    table.do("raise 18/0", "raise 38/21")
    assert list(table.s.bets)[:8] == [1, 2, 2, 2, 2, 2, 6, 21]
    assert not invariants.check(table.s)
    found = Counter(table.state.view(1).redeal(seed).position.win[0] for seed in range(400))
    assert not found.keys() & {0, 19, 20, 21}
    assert max(found) <= 39
    assert abs(sum(n for win, n in found.items() if win > 21) / 400 - 1 / 2) < 0.1


def test_amounts_are_remembered_by_player() -> None:
    """Nine amounts of the first player, the eighth of one coin; the other's are their own."""
    table = Table(coins=[70, 70], starting_coins=70, limit="none")
    for level in range(1, 14):
        table.do(f"raise {level}/0")
    table.do("raise 14/0", "call/0")
    assert list(table.s.bets)[:8] == [1, 2, 2, 2, 2, 2, 2, 1]
    table.do("raise 5/0", "call/0")
    assert list(table.s.bets)[:8] == [1, 2, 2, 2, 2, 2, 3, 5]
    assert list(table.s.bets)[8:16] == [2, 2, 2, 2, 2, 2, 2, 5]
    table.do("stand", "stand", "raise 3/0", "raise 6/0", "call/0")
    assert list(table.s.bets)[:8] == [1, 2, 2, 2, 2, 2, 11, 3]
    assert list(table.s.bets)[8:16] == [2, 2, 2, 2, 2, 2, 7, 6]


def test_redealt_undivided_amounts_and_trade_payments() -> None:
    whole = Table(coins=[100, 7, 100], limit="none", unsplit_all_in="on").do("raise 6/1", "call/5")
    worlds = [whole.state.view(2).redeal(seed).position for seed in range(60)]
    assert {world.win[1] for world in worlds} == {1, 6}  # of five coins all or none
    assert {world.win[0] for world in worlds} == {*range(1, 8)}
    table = Table("AV KL | 7D 3B", "5U 5D | QU QD", players=3, pay_to_trade="on", draws="God 2U 2D").quiet(RULES.TRADE)

    def divided(me: int, whose: int) -> set[int]:
        return {table.state.view(me).redeal(seed).position.fee_win[whose] for seed in range(60)}

    table.do("trade KL", "trade 3B")
    assert divided(1, 0) == {0}  # not yet divided
    table.do("win 3")
    assert divided(1, 0) == {*range(5)}
    assert divided(0, 0) == {3}
    table.do("trade 5U", "stand")
    assert (divided(2, 0), divided(2, 1)) == ({*range(5)}, {0})


def considered(table: Table, chosen: Any, player: int | None = None) -> list[str]:
    acts = [0] * table.game.action_count
    n = chosen(table.s, table.state.acting[0] if player is None else player, acts)
    return [table.state.name_of(a) for a in acts[:n]]


def test_which_bets_are_candidates() -> None:
    """The lowest, the middle and the highest; of two or of one there is no middle.  Proposals and leaving are not."""
    table = Table(players=4, ante=4, absences="on", free_fold="on")
    assert {"fold", "propose 2", "leave the table"} <= {*table.acts}
    assert considered(table, RULES.candidates) == ["check", "raise 1", "raise 8", "raise 16"]
    assert considered(table, RULES.likely) == ["check", "raise 4"]  # a quarter of the way up
    for stack, levels in ((10, [10]), (11, [10, 11]), (12, [10, 11, 12]), (13, [10, 11, 13])):
        short = Table(coins=[100, stack + 2, 100], limit="none").do("raise 9/0")
        assert considered(short, RULES.candidates) == ["call", "fold", *(f"raise {n}" for n in levels)]


# ------------------------------------------------------------------------------------------ odds


def chances(tables: Any, n: int = 0) -> dict[str, list[float]]:
    return {row.label: [float(chance) for chance in row.chances] for row in tables[n].rows}


def ask(players: int, **given: str) -> Any:
    return odds(load(players).new().view(), None, {name: tuple(text.split(",")) for name, text in given.items()})


def test_odds_of_cards_that_are_given() -> None:
    sure = ask(3, hand="Min,Ral,San,6U,6D,KL", exposed="QU-QD")
    assert chances(sure)["You"][:2] == [1, 0]  # nobody else can have it
    assert list(chances(sure)) == ["You", "Opponent 1, with QU QD", "Opponent 2"]
    assert chances(sure, 1) == {"Pure Five-of-a-Kind": [1, 0], "Four-of-a-Kind": [0, 1]}
    even = chances(ask(2))
    for column in (0, 2):
        assert abs(even["Seat 0"][column] - even["Opponent 1"][column]) < 0.03
        assert sum(row[column] for row in even.values()) + even["Seat 0"][column + 1] == pytest.approx(1)
    assert all(table.samples == 20_000 for table in sure)


def test_odds_of_an_end_that_can_be_counted() -> None:
    """Two players, all but one card of the second known: each possible card is tried."""
    mine, his = "KU KD 7D 5B 2U 3V", "QU QD 6B 4U JL"
    six = cards_named(mine)
    five = cards_named(his)
    wins = 0.0
    for c in range(56):
        if not (six | five) >> c & 1:
            theirs = hands.weakest_and_strongest(0, five | 1 << c)[1]
            wins += (hands.weakest_and_strongest(0, six)[1] > theirs) / 45
    known = [Held("a", six), Held("b", five)]
    (table, *_) = tables(0, 0, known, ALL & ~(six | five))
    assert abs(float(table.rows[0].chances[0] or 0) - wins) < 0.02


def test_odds_know_how_the_showdown_goes() -> None:
    """Two players who must keep their best five: who has not the strongest hand has the weakest."""
    hand = "AU,AD,KU,KD,QD,JB"

    def mine(**options: str) -> tuple[list[float], Any]:
        state = load(2, **options).new()
        found = odds(state.view(), None, {"hand": tuple(hand.split(","))})
        return chances(found)["You"], found

    usual, forced, free = mine()[0], mine(showdown="forced_best"), mine(showdown="free")
    assert forced[0][0] == free[0][0] == usual[0]
    assert sum(forced[0]) - forced[0][1] == pytest.approx(1)  # stronger, equal, weaker
    assert forced[0][2] < usual[2]
    assert forced[1][1].head == ("category", "strongest five")
    assert "as they must (DV-110)" in forced[1][0].basis
    assert {name: row[1] for name, row in chances(free[1], 1).items()} == {"Two Pair": 0, "High Card": 1}
    assert free[0][2] + free[0][3] == 1  # no card alone is weaker than a mortal Ace, which counts one


def test_the_weakest_hand_that_may_be_laid_is_one_card() -> None:
    deal = random.Random(6)
    for options in ({}, {"providence": "natural_wins"}, {"wild_scope": "represented_suit", "rank_first": "all"}):
        how = showdown.ranking(load(2, showdown="free", **options).start())
        for _ in range(25):
            six = sum(1 << c for c in deal.sample([0, 1, *range(2, 56)], 6))
            parts = [part for n in range(1, 6) for part in combinations([1 << c for c in range(56) if six >> c & 1], n)]
            worth = [hands.score(how, sum(part)) for part in parts if hands.may_lie_together(how, sum(part))]
            assert advice.ends_of(how, six, RULES.FREE) == (min(worth), max(worth))


def test_odds_rest_on_what_is_seen() -> None:
    def seen(hidden: str, seat: int) -> Any:
        table = Table("AV KL | 7D 3B | 2U 4U", f"{hidden} | QU QD", "5L 4L | JU 2D", players=3, limit="none")
        table.do("raise 2/1", "call/0", "fold").quiet(RULES.TRADE)
        return odds(table.state.view(seat), ["Ann", "Ben", "Cleo"], {})

    assert chances(seen("God 5D", 0)) == chances(seen("Satan 6D", 0))
    assert chances(seen("God 5D", -1)) == chances(seen("Satan 6D", -1))
    assert list(chances(seen("God 5D", 0))) == ["Ann", "Ben"]  # Cleo has folded
    assert chances(seen("God 5D", 1))["Ben"][0] > chances(seen("4B 5D", 1))["Ben"][0]
    with pytest.raises(ParlourError, match="leave out hand="):
        odds(Table().state.view(0), None, {"hand": ("KV",)})
    late = Table("AV KL | 7D 3B | 2U 4U").quiet(RULES.SHOWDOWN).do("0: discard 3B")
    assert len(odds(late.state.view(0))) == 1


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"hand": "KX"}, "There is no card 'KX'"),
        ({"hand": "KV,KV"}, "There is no other KV"),
        ({"hand": "AV,KV,QV,JV,7V,5V,4V"}, "six cards, not 7"),
        ({"exposed": "AV-KV-QV"}, "two public cards"),
        ({"exposed": "AV,KV"}, "speaks of 1 at most, not of 2"),
        ({"hand": "6V,6V,6V,6V"}, "There is no other 6V"),
    ],
)
def test_what_odds_refuse(given: dict[str, str], sentence: str) -> None:
    with pytest.raises(ParlourError, match=sentence):
        ask(2, **given)
