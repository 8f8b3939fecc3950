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
from parlour import CHANCE, TERMINAL, Game, ParlourError
from parlour.engine.definition import definition
from parlour.engine.odds import odds
from parlour.games.dividha import advice, hands, invariants, showdown
from parlour.games.dividha.hands import ALL, CARDS, CATEGORIES, cards_named
from parlour.games.dividha.odds import Held, tables
from parlour.rules.vocabulary import DEAL_OVER
from tests.games.stops import Scripted, assert_clauses, by_clause, considered, in_rows, refused
from tests.helpers import rules_of

RULES = rules_of("dividha")
ROUND = ("check", "stand")  # what to do where nothing is to be done
UNTIL = {
    "bet 1": RULES.BET_1,
    "bet 2": RULES.BET_2,
    "trade": RULES.TRADE,
    "bet 4": RULES.BET_4,
    "showdown": RULES.SHOWDOWN,
}


def load(players: int = 2, **options: Any) -> Game:
    return parlour.load("dividha", players, **{**({"max_seats": 7} if players == 7 else {}), **options})


class Table(Scripted):
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
    def raises(self) -> tuple[int, int]:
        """The lowest and the highest level to which a raise is legal; 0 and 0 if to none."""
        levels = [int(act.split()[1]) for act in self.acts if act.startswith("raise")]
        assert levels == [*range(levels[0], levels[-1] + 1)] if levels else True
        return (levels[0], levels[-1]) if levels else (0, 0)

    @property
    def coins(self) -> list[int]:
        return list(self.s.coins)[: self.game.players]

    def follow(self, acts: str) -> Table:
        """``"raise 8/4, fold, until trade"``: what players do, and nothing until the trade."""
        for act in filter(None, acts.split(", ")):
            if act.startswith("until "):
                self.quiet(UNTIL[act.removeprefix("until ")])
            else:
                self.do(act)
        return self

    def said(self, event: str) -> list[tuple[int, int, int]]:
        """The player and the two numbers of each such event since the last act."""
        return [(e.who, e.a, e.b) for e in self.state.events(None, since=self._from) if e.event == event]


def names(members: int) -> str:
    return " ".join(CARDS[c] for c in range(len(CARDS)) if members >> c & 1)


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
            load(**options)
    with pytest.raises(ParlourError, match="2, 3, 4, 5, 6 or 7"):
        parlour.load("dividha", 8)
    s = load(3, starting_coins=40, ante_start=6).start()
    assert (list(s.coins)[:3], list(s.earlier)[:3], s.ante, s.orbit) == ([40] * 3, [40] * 3, 6, 3)


@pytest.mark.clause("DV-12", "DV-17", "DV-20", "DV-22")
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


@pytest.mark.clause("DV-44", "DV-45", "DV-46", "DV-47", "DV-211")
def test_the_ante() -> None:
    """It is halved, even where it takes the last coin."""
    for coins, heard in (([100] * 3, []), ([100, 6, 100], [("DV-46", "all_in_ante", -1, 1, 0, 0)])):
        table = Table(players=3, coins=coins, ante=6, unsplit_all_in="on")
        assert (table.s.pot, list(table.s.paid)[:3], list(table.s.win)[:3]) == (18, [6, 6, 6], [3, 3, 3])
        assert [e for e in table._events if "ante" in e[1]] == [("DV-44", "antes", -1, -1, 6, 3), *heard]


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


NO_LIMIT, OR_FOLD = {"limit": "none"}, {"limit": "none", "all_in": "match_or_fold"}
ABSENCES: dict[str, Any] = {"players": 3, "absences": "on"}
PAY: dict[str, Any] = {"pay_to_trade": "on", "draws": "God 2U 3V"}
ASKED: dict[str, Any] = {"players": 3, "ante": 6, "ante_schedule": "fixed", "between_hands": "asked"}
FOUR, FULL_HOUSE, KING_HIGH = "AV KL | 7D 3B", "AU AD | 7D 7B | 7U 4U", "KU QD | 5B 3U | 2D JL"
MISPLAYS, DISCARDS = f"{FULL_HOUSE} / {KING_HIGH}", "0: discard 4U, 1: discard JL"
AURAL: dict[str, Any] = {"aural_rule": "on"}
FREE: dict[str, Any] = {"showdown": "free"}


CHOICES: list[tuple[str, dict[str, Any], str, str]] = [  # hands, house rules, acts, and who may then do what
    ("", {"players": 3}, "", "0: check, raise 1-6"),
    ("", {"players": 3}, "raise 3/1", "1: call, fold, raise 4-15"),
    ("", {"coins": [100, 7, 100], **NO_LIMIT, "unsplit_all_in": "on"}, "raise 6/1, call", "1: win 0, win 5"),
    ("", ABSENCES, "", "0: check, leave the table, raise 1-6"),
    (FOUR, {}, "until trade", "0: stand, trade AV, trade KL, trade 7D, trade 3B"),
    (FOUR, {"coins": [4, 100], **PAY}, "until trade, trade AV", "0: win 0-2"),
    (FOUR, {"coins": [6, 100], **PAY, "unsplit_all_in": "on"}, "until trade, trade AV, trade KL", "0: win 0-4"),
    (FULL_HOUSE, {}, "until showdown", "0: discard AU, discard AD, discard 7U, discard 7D, discard 7B, discard 4U"),
    ("", ASKED, "raise 2/1, fold, fold", "0: check, propose 2, propose 4"),
    ("", {**ASKED, "absences": "on"}, "propose 4, refuse, raise 2/1, fold, fold", "0: check, leave the table"),
    ("", ABSENCES, "leave the table, raise 4/0, fold", "0: return, stay away"),
]  # fmt: skip


@pytest.mark.parametrize(("hands", "options", "acts", "choices"), CHOICES)
def test_what_may_be_done(hands: str, options: dict[str, Any], acts: str, choices: str) -> None:
    table = Table(*filter(None, hands.split(" / ")), **options).follow(acts)
    assert f"{table.state.acting[0]}: {in_rows(table.acts)}" == choices


NONE, SOUTHERN = {"limit": "none"}, {"limit": "none", "southern_cap": "on"}
SMALLEST, LARGEST = {"limit": "none", "all_in": "cap_at_smallest"}, {"limit": "none", "min_raise": "largest_raise"}
FIXED = {"limit": "fixed", "ante": 4}
LIMITS = [  # coins, house rules, acts; to how much may be raised; what is refused, and by which clause
    ([100] * 4, {}, "", (1, 8), "raise 9 DV-74"),
    ([100] * 4, {}, "raise 8/0", (9, 32), "raise 33 DV-74"),
    ([100] * 3, {"ante": 4, "forfeits": 3}, "", (1, 15), "raise 16 DV-74"),
    ([100] * 3, {"ante": 4, "forfeits": 3, "forfeits_in_pot_limit": "off"}, "", (1, 12), "raise 13 DV-74"),
    ([500, 100, 30], {**NONE, "starting_coins": 210}, "", (1, 498), "raise 499 DV-69"),  # more than others can match
    ([100] * 3, {**NONE, "min_raise": "ante", "ante": 6}, "", (6, 94), "raise 5 DV-68"),
    ([100] * 3, LARGEST, "raise 10/0, raise 30/0", (50, 98), "raise 49 DV-68"),
    ([100, 100, 14], LARGEST, "raise 10/0, call/0, raise 12/0", (22, 98), "raise 21 DV-68"),  # the largest is still 10
    ([100] * 2, FIXED, "", (4, 4), "raise 5 DV-76"),
    ([100] * 2, FIXED, "raise 4/0, raise 8/0, raise 12/0", (0, 0), "raise 16 DV-77"),
    ([100, 22, 12], NONE, "raise 6/0, raise 20/0, call/0", (0, 0), "raise 50 DV-71"),  # all others are all-in
    ([100, 10, 100], NONE, "raise 8/0", (0, 0), "raise 9 DV-69"),  # just enough
    ([100, 40, 30], SOUTHERN, "", (1, 38), "raise 39 DV-79"),
    ([30, 40, 100], SOUTHERN, "", (1, 28), "raise 29 DV-69"),
    ([100, 40, 30], SMALLEST, "", (1, 28), "raise 29 DV-87"),
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


def test_which_clause_refuses_a_bet() -> None:
    table = Table(players=3, ante=6, rule_of_order="on")
    elsewhere = "stand DV-58, trade 2B DV-58, name Pure Five-of-a-Kind DV-58, win 0 DV-58, win 300 DV-58, order 1 DV-58"
    assert_clauses(table, f"call DV-61, fold DV-63, raise 19 DV-74, raise 94 DV-74, raise 95 DV-69, {elsewhere}")
    assert_clauses(table, "propose 6 DV-203, propose 300 DV-203, leave the table DV-222, raise 300 DV-69")
    assert_clauses(table, "check DV-56, win 300 DV-56, propose 2 DV-221, propose 300 DV-221, order 1 DV-56", 1)
    table.do("raise 8/0")
    assert_clauses(
        table, "check DV-59, raise 7 DV-68, raise 8 DV-68, raise 43 DV-74, stand DV-59, win 0 DV-59, order 1 DV-59"
    )
    fixed = Table(players=3, ante=4, limit="fixed").do("raise 4/0")
    assert_clauses(fixed, "raise 4 DV-68, raise 5 DV-76, raise 9 DV-76, raise 97 DV-69")
    least = Table(players=3, limit="none", ante=6, min_raise="ante")
    assert_clauses(least, "raise 5 DV-68, raise 1 DV-68, raise 95 DV-69")
    capped = Table(coins=[100, 40, 30], limit="none", all_in="cap_at_smallest")
    assert_clauses(capped, "raise 29 DV-87, raise 98 DV-87, raise 99 DV-69")
    assert_clauses(Table(coins=[100, 40, 30], all_in="cap_at_smallest"), "raise 28 DV-74, raise 29 DV-87")
    assert_clauses(Table(coins=[100, 20, 20]), "raise 50 DV-74")
    southern = Table(coins=[100, 40, 30], limit="none", southern_cap="on")
    assert_clauses(southern, "raise 39 DV-79, raise 98 DV-79, raise 99 DV-69")


def test_which_clause_refuses_another_act() -> None:
    table = Table("AV KL | 7D 3B", players=3, pay_to_trade="on").quiet(RULES.TRADE)
    assert_clauses(
        table, "trade God DV-91, trade 2B DV-91, discard God DV-90, stay away DV-90, check DV-90, call DV-90"
    )
    assert_clauses(table, "stand DV-90, trade AV DV-90", 1)
    assert_clauses(table.do("trade AV", "stand"), "win 3 DV-101, win 300 DV-101, stand DV-101")
    whole = Table(coins=[100, 7, 100], limit="none", unsplit_all_in="on").do("raise 6/1", "call")
    assert_clauses(whole, "win 1 DV-84, win 4 DV-84, win 6 DV-49, raise 207 DV-49")
    assert_clauses(whole, "win 1 DV-49", 0)
    assert whole.do("win 0").turn == 2
    down = Table("AV KL | 7D 3B | 2U 4U", "KU KD | 5D 5B | JU 4D", showdown="free", aural_rule="on", rule_of_order="on")
    down.quiet(RULES.SHOWDOWN)
    assert_clauses(down, "trade 2B DV-105, discard God DV-106, discard 2B DV-106, lay 1 DV-105, stand DV-105", 0)
    down.do("0: discard 7D", "1: discard KD")
    assert_clauses(down, "discard 2B DV-107, lay 1 2 DV-121, lay 1 2 3 4 5 DV-121, name High Card DV-107", 0)
    down.do("0: lay 1", "1: lay 1 2 3 4 5")
    assert_clauses(down, "lay 1 DV-115, raise 1 DV-115", 1)
    down.do("0: name High Card", "1: name Pair")
    assert_clauses(down, "order 2 DV-116, order 1 2 DV-116", 0)  # one card was laid


def test_which_clause_refuses_a_proposal() -> None:
    vote = Table(players=3, ante=6).do("propose 4")
    assert_clauses(vote, "agree DV-206", 2)
    assert_clauses(vote.do("refuse"), "propose 2 DV-206")  # the betting turn goes on
    assert_clauses(vote.do("check", "propose 2", "agree", "agree"), "propose 2 DV-206")
    gone = Table(players=3, ante=6, absences="on").do("leave the table", "propose 4")
    assert_clauses(gone, "propose 2 DV-206")  # whoever is absent has refused
    between = Table(**ASKED).do("raise 2/1", "fold", "fold")
    assert_clauses(between, "leave the table DV-222, propose 6 DV-203, raise 2 DV-221")
    assert_clauses(between, "propose 4 DV-221", 1)
    again = Table(**ASKED, absences="on").do("propose 4", "refuse", "raise 2/1", "fold", "fold")
    assert_clauses(again, "propose 2 DV-206")  # one proposal since the last ante
    assert_clauses(Table(**ABSENCES).do("leave the table", "raise 4/0", "fold"), "check DV-30", 1)


@pytest.mark.clause("DV-219")
def test_options_that_do_not_go_together() -> None:
    for options in (
        {"pay_to_trade": "on", "rounds": "three_no_trade"},
        {"southern_cap": "on", "all_in": "cap_at_smallest"},
        {"tablets_on_last_fold": "hidden", "splits": "open"},
        {"tie_cards": "high_card_kickers", "high_card_depth": "top_only"},
    ):
        with pytest.raises(ParlourError, match="DV-219"):
            load(3, **options)
        for name in options:
            rest = {k: v for k, v in options.items() if k != name}
            load(3, **rest, **({"high_card_depth": "all"} if "tie_cards" in rest else {}))


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


OF_CARDS = ("dealt", "shows", "lays", "will_lay", "turns_down")
OF_CATEGORY = ("announces", "names")


def in_brief(e: Any) -> str:
    """Clause, event, who, and its two numbers, cards or categories."""
    what = CATEGORIES[e.a - RULES.NAMED] if e.event in OF_CATEGORY else CARDS[e.a] if e.event == "turns_up" else e.a
    if e.event in OF_CARDS:
        what = names(e.a)
    more = CATEGORIES[e.b - RULES.NAMED] if e.event in ("beats", "beats_by_rank") else e.b
    return f"{e.clause} {e.event} {e.who}: {what}{f' {more}' if more else ''}"


STORIES: list[tuple[str, str, dict[str, Any], str, str, str]] = [
    # clauses, hands, house rules, acts; what is told of those after the semicolon; the coins of everybody, and the pot
    # turns and bets
    ("DV-55 DV-57", "", {"players": 3}, "check, check, check, check, raise 3/1, fold, call/0",
     "DV-58 checks 0: 0, DV-58 checks 1: 0, DV-58 checks 2: 0, DV-58 checks 0: 0, DV-67 opens 1: 3 3, "
     "DV-62 folds 2: 0, DV-61 calls 0: 3", "95 95 98 pot 12"),
    ("DV-60 DV-64 DV-65", "", {"players": 3}, "check, raise 3/1, raise 8/8, raise 20/0, call/17, call/0",
     "DV-58 checks 0: 0, DV-67 opens 1: 3 3, DV-66 raises 2: 8 8, DV-66 raises 0: 20 20, DV-61 calls 1: 17, "
     "DV-61 calls 2: 12", "78 78 78 pot 66"),
    ("DV-20 DV-21", "", {"players": 4}, "raise 2/1, fold, call/2, fold, check, check",
     "DV-67 opens 0: 2 2, DV-62 folds 1: 0, DV-61 calls 2: 2, DV-62 folds 3: 0, DV-58 checks 0: 0, DV-58 checks 2: 0",
     "96 98 96 98 pot 12"),
    ("DV-15", "", {"players": 4, "dealer": 2}, "raise 8/4, fold, fold, fold",
     "DV-67 opens 3: 8 8, DV-62 folds 0: 0, DV-62 folds 1: 0, DV-62 folds 2: 0, DV-181 takes_all 3: 16, "
     "DV-18 deals 1: 0", "96 96 96 104 pot 8"),
    # coins run out
    ("DV-82", "", {"coins": [2, 40]}, "stand, stand",
     "DV-91 stands 0: 0, DV-91 stands 1: 0, DV-42 no_betting -1: 0, DV-42 no_betting -1: 0", "0 38 pot 4"),
    ("DV-83", "", {"coins": [100, 10, 20], **NO_LIMIT}, "raise 30/10, call/4, call/18",
     "DV-67 opens 0: 30 30, DV-81 calls_short 1: 8, DV-80 all_in 1: 0, DV-81 calls_short 2: 18, DV-80 all_in 2: 0, "
     "DV-85 gets_back 0: 12, DV-42 no_betting -1: 0", "80 0 0 pot 50"),
    ("", "", {"coins": [100, 40, 30], **OR_FOLD}, "raise 38/0, call/0",
     "DV-67 opens 0: 38 38, DV-61 calls 1: 38, DV-80 all_in 1: 0, DV-88 cannot_match 2: 0, DV-42 no_betting -1: 0",
     "60 0 28 pot 82"),
    ("", "", {"coins": [100, 37, 100], **OR_FOLD}, "raise 2/0, raise 10/0, raise 35/0, call/0; call/0",
     "DV-61 calls 1: 25, DV-80 all_in 1: 0", "63 0 63 pot 111"),
    # what nobody can match goes back; what a player who folded put in is matched
    ("DV-86", f"{KING_HIGH} / {FULL_HOUSE}", {"coins": [100, 18], **NO_LIMIT, "starting_coins": 59},
     "raise 28/20, call/0, until showdown; 0: discard JL, 1: discard 4U",
     "DV-143 beats 1: 0 Full House, DV-176 takes_win 1: 13, DV-177 takes_lose 0: 23, DV-18 deals 0: 0",
     "103 11 pot 4"),
    ("DV-218", "", {"coins": [100, 18], **NO_LIMIT, "all_in": "whole_pot"}, "raise 28/20; call/0",
     "DV-81 calls_short 1: 16, DV-80 all_in 1: 0, DV-42 no_betting -1: 0", "70 0 pot 48"),
    # the trade: both cards are named before any is replaced
    ("DV-92 DV-93 DV-96 DV-99", f"{FOUR} / 5U 5D | QU QD", {"players": 3, "draws": "God 2U"},
     "until trade; trade KL, trade 3B, trade 5U, stand, stand",
     "DV-97 trades 0: 1 1, DV-95 turns_down 0: 3B, DV-95 turns_up 0: 2U, DV-97 trades 1: 1, DV-91 stands 2: 0",
     "98 98 98 pot 6"),
    ("DV-98", FOUR, {"players": 3, "draws": "God 2U"},
     "raise 2/1, call/1, fold, until trade; trade AV, trade KL, stand", "DV-97 trades 0: 2, DV-91 stands 1: 0",
     "96 96 98 pot 10"),
    ("DV-102", f"{FOUR} / 5U 5D | QU QD", {"coins": [100, 9, 3], **PAY},
     "until trade; trade KL, trade 3B, win 3, trade 5U, stand, win 0",
     "DV-97 trades 0: 1 1, DV-95 turns_down 0: 3B, DV-100 pays_for_trade 0: 4, DV-95 turns_up 0: 2U, "
     "DV-97 trades 1: 1, DV-100 pays_for_trade 1: 2, DV-103 cannot_trade 2: 0", "94 5 1 pot 12"),
    # all that is told: the trade payment is divided, too
    ("DV-44 DV-175", f"{FOUR} | 2U 4U / God 5D | QU QD | Min Ral / AU AD | 4D 4B | JU JD",
     {"coins": [100, 100, 3], **PAY, "draws": "7L 7V"},
     "until trade, stand, trade 5D, trade QU, win 3, until showdown; 0: discard 7D, 1: discard QD, 2: discard JD",
     "DV-108 shows 0: AV KL 4U 3B 2U, DV-113 announces 0: High Card, DV-108 shows 1: God 7V 7L Min Ral, "
     "DV-113 announces 1: Pair, DV-108 shows 2: AU AD JU 4D 4B, DV-113 announces 2: Two Pair, "
     "DV-144 beats 2: 1 Two Pair, DV-144 beats 1: 0 Pair, DV-175 tablet 0: 1 1, DV-175 tablet 1: 4 2, "
     "DV-175 tablet 2: 1 1, DV-176 takes_win 2: 6, DV-177 takes_lose 0: 4, DV-18 deals 1: 0, DV-44 antes -1: 2 3",
     "100 92 5 pot 6"),
    # the showdown
    ("DV-104", f"{FOUR} | 2U 4U / God 5D | QU QD | Min Ral", {}, "until showdown; 1: discard QU, 0: discard 7D",
     "DV-144 beats 1: 0 Pair, DV-176 takes_win 1: 2, DV-177 takes_lose 0: 2, DV-18 deals 0: 0", "98 98 pot 4"),
    ("", "KU QD | 5B 3U | 2D JL / KD JB | 6U 3B | 2U JV", {}, "until showdown; 0: discard JL, 1: discard JV",
     "DV-173 ties 0: 1, DV-182 share -1: 2 1, DV-176 takes_win 0: 1, DV-176 takes_win 1: 1, DV-182 share -1: 2 1, "
     "DV-177 takes_lose 0: 1, DV-177 takes_lose 1: 1, DV-18 deals 0: 0", "98 98 pot 4"),
    ("DV-166", "God KU | KD 7U | 5B 3U / AV AU | 7D 5D | 3B JU", {"providence_scope": "held"},
     "until showdown; 0: discard God, 1: discard JU",
     "DV-165 beats_by_providence 0: 1 58, DV-176 takes_win 0: 2, DV-177 takes_lose 1: 2, DV-18 deals 0: 0",
     "98 98 pot 4"),
    ("", "3V 3U | 7U 5D | 2B JD / KU KD | 7D 5B | 2U JB", {"rank_first": "of_a_kind"},
     "until showdown; 0: discard JD, 1: discard JB",
     "DV-162 beats_by_rank 1: 0 Pair, DV-176 takes_win 1: 2, DV-177 takes_lose 0: 2, DV-18 deals 0: 0", "98 98 pot 4"),
    ("", MISPLAYS, {**AURAL, "misplay_penalty": "lose_only"},
     f"until showdown, {DISCARDS}; 0: name Pair, 1: name High Card",
     "DV-115 names 0: Pair, DV-119 cannot_win 0: 0, DV-115 names 1: High Card, DV-143 beats 0: 1 Full House, "
     "DV-176 takes_win 1: 2, DV-177 takes_lose 1: 2, DV-18 deals 0: 0", "96 100 pot 4"),
    ("", MISPLAYS, {**AURAL, "misplay_penalty": "high_card"},
     f"until showdown, {DISCARDS}; 0: name Pair, 1: name High Card",
     "DV-115 names 0: Pair, DV-119 is_high_card 0: 0, DV-115 names 1: High Card, DV-168 beats_by_sum 1: 0 266, "
     "DV-176 takes_win 1: 2, DV-177 takes_lose 0: 2, DV-18 deals 0: 0", "98 98 pot 4"),
    # who leaves, and who is there alone
    ("", "", ABSENCES, "leave the table, raise 1/1, leave the table, stay away, return, check",
     "DV-222 leaves 0: 0, DV-32 checks 0: 0, DV-67 opens 1: 1 1, DV-222 leaves 2: 0, DV-32 folds 2: 0, "
     "DV-32 folds 0: 0, DV-181 takes_all 1: 7, DV-18 deals 1: 0, DV-30 stays_away 2: 0, DV-30 returns 0: 0, "
     "DV-27 absent 2: 2, DV-58 checks 0: 0", "96 102 96 pot 6"),
    ("DV-41", "", {**ABSENCES, "dealer": 2}, "raise 2/1, leave the table, leave the table; stay away, stay away",
     "DV-30 stays_away 2: 0, DV-30 stays_away 1: 0, DV-27 absent 1: 2, DV-27 absent 2: 2, DV-181 takes_all 0: 6, "
     "DV-18 deals 0: 0", "108 96 96 pot 0"),
    ("DV-41", "", {**ABSENCES, "dealer": 2}, "leave the table, raise 2/1, leave the table; stay away, stay away",
     "DV-30 stays_away 2: 0, DV-30 stays_away 0: 0, DV-27 absent 0: 2, DV-27 absent 2: 2, DV-181 takes_all 1: 6, "
     "DV-18 deals 0: 0", "96 108 96 pot 0"),
    # proposals
    ("", "", {"players": 3, "ante": 6}, "propose 4, agree, refuse, raise 2/1, fold, propose 2, agree, agree, fold",
     "DV-200 proposes 0: 4, DV-202 agrees 1: 4, DV-201 refuses 2: 4, DV-67 opens 0: 2 2, DV-62 folds 1: 0, "
     "DV-200 proposes 2: 2, DV-202 agrees 0: 2, DV-202 agrees 1: 2, DV-204 agreed -1: 2, DV-62 folds 2: 0, "
     "DV-181 takes_all 0: 20, DV-204 ante_lowered -1: 2, DV-18 deals 1: 0", "110 92 92 pot 6"),
    ("DV-217", "", {"players": 3, "ante": 6, "absences": "on"}, "leave the table; propose 4, check",
     "DV-200 proposes 1: 4, DV-202 absent_refuses 1: 4, DV-58 checks 1: 0", "94 94 94 pot 18"),
    ("", "", ASKED, "raise 2/1, fold, fold, propose 2, agree, agree, check, check; raise 2/1, fold, fold",
     "DV-67 opens 2: 2 2, DV-62 folds 0: 0, DV-62 folds 1: 0, DV-181 takes_all 2: 8, DV-18 deals 0: 0",
     "108 90 96 pot 6"),
    # a player is out: one less is dealt to, votes, and deals
    ("DV-19 DV-180 DV-193", f"{FULL_HOUSE} / KU KD | 5B 3U | 2D JL / QU JD | 5D 3B | 4D 2B",
     {"coins": [98, 5, 197], "ante": 4},
     "until showdown, 0: discard 4U, 1: discard 2D; 2: discard 2B, raise 9/3, propose 2, agree, fold",
     "DV-143 beats 0: 1 Full House, DV-144 beats 1: 2 Pair, DV-176 takes_win 0: 6, DV-177 takes_lose 2: 6, "
     "DV-192 is_out 1: 0, DV-192 forfeits 1: 1, DV-18 deals 0: 0, DV-67 opens 2: 9 9, DV-200 proposes 0: 2, "
     "DV-202 agrees 2: 2, DV-204 agreed -1: 2, DV-62 folds 0: 0, DV-181 takes_all 2: 18, DV-204 ante_lowered -1: 2, "
     "DV-18 deals 2: 0", "94 0 202 pot 4"),
]  # fmt: skip


FAMILIAR = ("dealt", "shows", "tablet", "announces", "antes")


@pytest.mark.parametrize(("hands", "options", "acts", "wanted", "coins"), by_clause(STORIES))
def test_what_is_told(hands: str, options: dict[str, Any], acts: str, wanted: str, coins: str) -> None:
    before, _, after = acts.rpartition("; ")
    table = Table(*filter(None, hands.split(" / ")), **options).follow(before)
    since = len(table.state.history)
    left_out = () if "tablet" in wanted else (*FAMILIAR, *([] if "trade" in after else ["turns_up"]))
    events = table.follow(after).state.events(since=since)
    assert ", ".join(in_brief(e) for e in events if e.event not in left_out) == wanted
    held = f", {table.s.forfeits} held" if table.s.forfeits else ""
    assert f"{' '.join(map(str, table.coins))} pot {table.s.pot}{held}" == coins


@pytest.mark.clause("DV-52", "DV-53", "DV-54", "DV-112", "DV-114")
def test_what_nobody_else_sees() -> None:
    trade = Table(FOUR, players=2, **{**PAY, "draws": "7L"}).follow("until trade, trade AV, stand, win 1")
    assert [names(e.a) for e in trade.state.events(0)[-3:] if e.event == "dealt"] == ["7L"]
    assert [(e.event, e.a, e.b) for e in trade.state.events(0) if e.event == "divides"] == [("divides", 1, 1)]
    table = Table("AV KL | 7D 3B | 2U 4U", "God 5D | QU QD | Min Ral", players=3)
    table.do("raise 6/4")
    seen, mine = (table.state.observation(p) for p in (1, 0))
    assert (seen["private"][0], seen["win"][0], seen["paid"][0], seen["pot"]) == (None, None, 8, 12)
    assert (mine["private"][0], mine["win"][0]) == (["AV", "KL"], 5)  # with one coin of the ante
    assert [e.text for e in table.state.events(1)][-1] == "Seat 0 opens with 6 coins."
    assert [e.text for e in table.state.events(0)][-1] == "Seat 0 puts 4 on Win and 2 on Lose."
    table.do("call/1", "fold").quiet(RULES.SHOWDOWN)
    table.do("0: discard 3B", "1: discard God")
    shown = table.said("shows")
    assert shown == [(0, cards_named("AV KL 7D 2U 4U"), 0), (1, cards_named("5D QU QD Min Ral"), 0)]
    assert table.said("tablet") == [(0, 5, 3), (1, 2, 6), (2, 1, 1)]  # the folded player's too
    table = Table(players=3, splits="open").do("raise 6/4")
    assert table.state.observation(1)["win"] == [5, 1, 1]
    assert "Seat 0 puts 4 on Win and 2 on Lose." in [e.text for e in table.state.events(2)]


STEPS = [
    ("2V 3U | 4V 5D | 6B KV", "6U 7D | JL QB | KU KD", "KV", "KD", "DV-167",
     "Seat 0 beats Seat 1. Both have the same kind of hand, and more cards of Heaven and Hell win: "
     "Straight, 2 immortal cards."),
    ("7U JD | QB KU | AD KV", "6D 7B | JU QD | KB KL", "KV", "KL", "DV-168",
     "Seat 1 beats Seat 0. Both have the same kind of hand, and the higher sum of its cards wins: Straight, sum 40."),
    ("7U JD | QB KU | AD KV", "5U 6B | 7D JB | QU KL", "KV", "KL", "DV-171",
     "Seat 0 beats Seat 1. Both have the same kind of hand, and its highest card decides: Straight, ace high."),
    ("God 3U | 7D 5B | KU 2U", "KV KD | 7U 5D | 3B 2D", "2U", "2D", "DV-165",
     "Seat 0 beats Seat 1. Both have the same kind of hand (Pair): Providence decides, the wild cards."),
]  # fmt: skip


@pytest.mark.parametrize("depth", ["top_only", "all"])
@pytest.mark.parametrize(("first", "second", "a", "b", "clause", "sentence"), STEPS)
def test_why_a_hand_beats_another(
    first: str, second: str, a: str, b: str, clause: str, sentence: str, depth: str
) -> None:
    table = Table(first, second, high_card_depth=depth).quiet(RULES.SHOWDOWN).do(f"0: discard {a}", f"1: discard {b}")
    found = [e for e in table.state.events(None, since=table._from) if e.event.startswith("beats")]
    if depth == "all":  # which card decided is not said
        sentence = sentence.replace(", ace high", "")
    assert [(e.clause, e.text) for e in found] == [(clause, sentence)]


def test_what_may_be_laid() -> None:
    """Of KV and KL only one: 8 of the 31 ways to lay five cards or fewer have both."""
    free = Table(FULL_HOUSE, "KU QD | 5B 3U | KV KL", **FREE).follow("until showdown, 0: discard 4U, 1: discard 5B")
    lays = [free.state.name_of(a) for a in free.state.legal_actions(1)]
    assert "lay 1 3 4 5" in lays
    assert len(lays) == sum(name.startswith("lay ") for name in lays) == 23
    assert_clauses(free, "lay 1 2 3 4 5 DV-121", 1)
    aural = Table(FULL_HOUSE, KING_HIGH, **AURAL).follow(f"until showdown, {DISCARDS}")
    assert [aural.state.name_of(a) for a in aural.state.legal_actions(0)] == [f"name {c}" for c in CATEGORIES[1:]]
    assert_clauses(aural, "fold DV-115", 1)


NO_PAIRS = {"same_suit_sixes": "no_pairs"}
LAYOUTS: list[tuple[str, str, str, dict[str, str]]] = [  # kept cards; combination in the right order; a wrong order
    ("AU AD 7D 7B 7U", "7U 7D 7B AU AD", "AU AD 7U 7D 7B", {}),
    ("2L 7V JV QV KV", "2L KV QV JV 7V", "KV QV JV 7V 2L", {}),
    ("KU KD 3V 3B QD", "KU KD 3V 3B", "3V 3B KU KD", {}),
    ("AV AU 2L 5D 3B", "AV 2L AU", "2L AV AU", {}),  # a guest deuce is the last of the immortal cards
    ("KV KU KD 2V 2L", "KV KU KD 2V 2L", "KV KU KD 2L 2V", {}),
    ("AL AU 2V 5D 3B", "AL 2V AU", "2V AL AU", {}),
    ("AV 2L 7U 5D 3B", "AV 2L", "2L AV", {"deuce_as_ace": "forced"}),
    ("6Va 6Vb 6Vc KV 3V", "KV 6Va 6Vb 6Vc 3V", "6Va 6Vb 6Vc KV 3V", {}),  # a Pure hand: by rank, not by groups
    ("God AV KV KU 2V", "God AV 2V KV KU", "God KV KU AV 2V", {"wild_scope": "represented_suit"}),  # God is a 2 of Hell
    ("God AU AB JV JU", "God JV JU AU AB", "God JV AU JU AB", {}),
    ("God AU AB JV JU", "God AU AB JV JU", "God JV JU AU AB", {"rank_first": "of_a_kind"}),
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
        assert f"Seat 0 lays the cards in this order, from the top: {order}." in [e.text for e in table.state.events()]


PAYOUTS: list[tuple[str, list[tuple[int, int]], list[int], dict[str, Any], list[int], str]] = [
    # clauses, tablets (Win, Lose), what the hands are worth, how it stands; what each gets, and what is told
    ("DV-212", [(9, 2), (9, 2)], [7, 3], {}, [18, 4], "DV-176 takes_win 0: 18, DV-177 takes_lose 1: 4"),
    ("DV-178 DV-179", [(12, 4), (3, 13), (5, 5)], [9, 5, 0], {"live": 0b011}, [20, 22, 0],
     "DV-176 takes_win 0: 20, DV-177 takes_lose 1: 22"),
    ("DV-180", [(12, 4), (3, 13), (5, 5)], [9, 5, 0], {"live": 0b011, "forfeits": 5}, [25, 22, 0],
     "DV-176 takes_win 0: 25, DV-177 takes_lose 1: 22"),
    ("", [(12, 4), (3, 13), (5, 5)], [9, 5, 0], {"live": 0b011, "folded_columns": "all_to_win"}, [25, 17, 0],
     "DV-176 takes_win 0: 25, DV-177 takes_lose 1: 17"),
    # ties and odd coins
    ("", [(7, 3)] * 3, [9, 9, 2], {"dealer": 2}, [11, 10, 9],
     "DV-182 share -1: 2 1, DV-183 odd_coins -1: 1, DV-176 takes_win 0: 11, DV-176 takes_win 1: 10, "
     "DV-177 takes_lose 2: 9"),
    ("DV-184", [(7, 3)] * 3, [9, 9, 9], {}, [10, 10, 10],
     "DV-182 share -1: 3 1, DV-176 takes_win 0: 7, DV-176 takes_win 1: 7, DV-176 takes_win 2: 7, "
     "DV-182 share -1: 3 1, DV-177 takes_lose 0: 3, DV-177 takes_lose 1: 3, DV-177 takes_lose 2: 3"),
    ("", [(0, 2), (1, 1), (0, 2)], [9, 9, 2], {}, [1, 0, 5],
     "DV-182 share -1: 2 1, DV-183 odd_coins -1: 1, DV-176 takes_win 0: 1, DV-177 takes_lose 2: 5"),
    # side pots
    ("DV-185 DV-186 DV-187 DV-188", [(6, 4), (16, 9), (12, 13)], [9, 5, 2], {}, [16, 18, 26],
     "DV-176 takes_win 0: 16, DV-177 takes_lose 2: 14, DV-189 takes_win_side 1: 18 2, DV-189 takes_lose_side 2: 12 2"),
    ("DV-191", [(6, 4), (20, 10)], [9, 5], {"forfeits": 3}, [15, 28],
     "DV-176 takes_win 0: 15, DV-177 takes_lose 1: 8, DV-190 is_alone 1: 2, DV-189 takes_win_side 1: 14 2, "
     "DV-189 takes_lose_side 1: 6 2"),
    ("", [(20, 10), (6, 4)], [9, 5], {}, [32, 8],
     "DV-176 takes_win 0: 12, DV-177 takes_lose 1: 8, DV-190 is_alone 0: 2, DV-189 takes_win_side 0: 14 2, "
     "DV-189 takes_lose_side 0: 6 2"),
    ("DV-191", [(5, 5), (10, 10), (10, 10)], [9, 8, 7], {"fees": [(0, 0), (0, 0), (4, 2)]}, [19, 10, 27],
     "DV-176 takes_win 0: 19, DV-177 takes_lose 2: 17, DV-189 takes_win_side 1: 10 2, DV-189 takes_lose_side 2: 10 2"),
    # nobody may take anything, or any Win coins: they go back to those who put them in
    ("", [(7, 3), (2, 8)], [0, 0], {"fees": [(0, 0), (1, 3)], "eligible": 0}, [10, 14], "DV-120 goes_back -1: 24 1"),
    ("", [(10, 0), (10, 20), (10, 20)], [9, 8, 7], {"eligible": 0b001}, [30, 20, 20],
     "DV-190 is_alone 0: 1, DV-176 takes_win 0: 16, DV-177 takes_lose 0: 14, DV-120 goes_back -1: 40 2"),
    ("", [(1, 9), (0, 10)], [9, 8], {"barred": 0b11}, [1, 19], "DV-216 wins_back -1: 1 1, DV-177 takes_lose 1: 19"),
]  # fmt: skip


@pytest.mark.parametrize(("tablets", "worth", "stands", "coins", "wanted"), by_clause(PAYOUTS))
def test_the_payout(
    tablets: list[tuple[int, int]], worth: list[int], stands: dict[str, Any], coins: list[int], wanted: str
) -> None:
    options, n = {k: v for k, v in stands.items() if k in definition("dividha").options}, len(tablets)
    s, heard = load(n, **options).start(), list[Any]()
    for name, usual in (("live", (1 << n) - 1), ("dealer", n - 1), ("forfeits", 0)):
        setattr(s, name, stands.get(name, usual))
    for p, (win, lose) in enumerate(tablets):
        s.paid[p], s.win[p], s.worth[p], s.coins[p] = win + lose, win, worth[p], 0
    for p, (win, lose) in enumerate(stands.get("fees", ())):
        s.fees[p], s.fee_win[p] = win + lose, win
    RULES.share_pots(s, stands.get("eligible", s.live), stands.get("barred", 0), heard)
    assert list(s.coins)[:n] == coins
    said = (f"{clause} {event} {who}: {a}{f' {b}' if b else ''}" for clause, event, _, who, a, b in heard)
    assert ", ".join(said) == wanted


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
    ([100] * 3, {"orbit": 1}, 4, [100] * 3, [0, 0, 0], "DV-198 ante_rises -1 4"),
    (
        *([100] * 3, {"orbit": 1, "ante_step": 6, "agreed": 2}, 2, [100] * 3, [0, 0, 0]),
        "DV-198 ante_rises -1 8, DV-204 ante_lowered -1 2",
    ),
    ([100] * 2, {"deal": 1, **EVERY_3}, 2, [100] * 2, [0, 0], ""),
    ([100] * 2, {"deal": 2, **EVERY_3}, 4, [100] * 2, [0, 0], "DV-198 ante_rises -1 4"),
    ([100] * 2, {"deal": 3, **EVERY_3}, 2, [100] * 2, [0, 0], ""),
    ([100, 3, 197], {"ante": 4}, 4, [100, 0, 197], [0, 3, 0], "DV-192 is_out 1, DV-192 forfeits 1 3"),
    (  # the rise comes first
        *([90, 3, 207], {"orbit": 1}, 4, [90, 0, 207], [0, 3, 0]),
        "DV-198 ante_rises -1 4, DV-192 is_out 1, DV-192 forfeits 1 3",
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
    s, heard = finished([100, 100, 100], ante=6, agreed=4, orbit=1)  # an agreed lowering comes after the rise
    assert (s.ante, [e[0] for e in heard]) == (4, ["DV-198", "DV-204"])


@pytest.mark.clause("DV-28", "DV-29", "DV-215")
def test_what_is_dealt_to_absent_players() -> None:
    for value, down, up in (("first_deal", 2, 0), ("every_deal", 4, 2)):
        table = Table(**ABSENCES, absent_deal=value).do("leave the table", "raise 4/0", "fold", "stay away")
        assert (table.s.away, table.s.live, table.s.paid[0], table.s.win[0]) == (0b001, 0b110, 2, 1)
        table.quiet(RULES.BET_4)
        assert (list(table.s.down)[:3], table.s.public[0].bit_count()) == ([down, 4, 4], up)
        last = table.s.phase == RULES.SHOWDOWN
        for p in (1, 2):
            table.do(f"{p}: {table.state.name_of(table.state.legal_actions(p)[0])}" if last else table.acts[0])


@pytest.mark.clause("DV-31")
def test_nobody_is_there() -> None:
    """The match waits, and after the third time it is over (DV-220)."""
    table = Table(absences="on").do("leave the table", "leave the table")
    while table.s.deal == 0:
        table.do("check")
    table.do("stay away", "stay away")
    assert (table.said("waits"), table.s.pot, table.s.waited) == ([(-1, 0, 0)], 0, 1)
    back = table.state.clone()
    for act in ("stay away", "return"):
        back.apply(act)
    assert back.position.waited == 0  # somebody is back, and a hand was played
    table.do("stay away", "stay away", "stay away")
    assert table.turn >= 0
    table.do("stay away")
    assert (table.said("last_hand"), table.state.is_terminal) == ([(-1, 1, 0)], True)
    assert sum(table.coins) + table.s.forfeits == 200


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


def test_redealt_tablets_are_as_likely_as_they_must_be() -> None:
    """Two amounts of 3 and 2 in addition to the ante: each division of each amount as likely as any other."""
    table = Table(players=3).do("raise 3/0", "call/2", "raise 5/1", "call/1")
    worlds = [table.state.view(1).redeal(seed).position for seed in range(1500)]
    found, wanted = Counter(s.win[0] for s in worlds), Counter(1 + a + b for a in range(4) for b in range(3))
    assert found.keys() == wanted.keys()
    for win, ways in wanted.items():
        assert abs(found[win] / 1500 - ways / 12) < 0.05
    cards = Counter(c for s in worlds for c in range(56) if s.private[0] >> c & 1)
    assert len(cards) == 54
    assert all(abs(n / 1500 - 2 / 54) < 0.025 for n in cards.values())


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


def test_which_bets_are_candidates() -> None:
    """The lowest, the middle and the highest; of two or of one there is no middle.  Proposals and leaving are not."""
    table = Table(players=4, ante=4, absences="on", free_fold="on")
    assert {"fold", "propose 2", "leave the table"} <= {*table.acts}
    assert considered(table.state, "candidates") == ["check", "raise 1", "raise 8", "raise 16"]
    assert considered(table.state, "likely") == ["check", "raise 4"]  # a quarter of the way up
    for stack, levels in ((10, [10]), (11, [10, 11]), (12, [10, 11, 12]), (13, [10, 11, 13])):
        short = Table(coins=[100, stack + 2, 100], limit="none").do("raise 9/0")
        assert considered(short.state, "candidates") == ["call", "fold", *(f"raise {n}" for n in levels)]


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
    hand = {"hand": ("AU", "AD", "KU", "KD", "QD", "JB")}
    ways: tuple[dict[str, Any], ...] = ({}, {"showdown": "forced_best"}, FREE)
    usual, forced, free = (odds(load(2, **options).new().view(), None, hand) for options in ways)
    mine, must, may = (chances(found)["You"] for found in (usual, forced, free))
    assert must[0] == may[0] == mine[0]
    assert sum(must) - must[1] == pytest.approx(1)  # stronger, equal, weaker
    assert must[2] < mine[2]
    assert forced[1].head == ("category", "strongest five")
    assert "as they must (DV-110)" in forced[0].basis
    assert {name: row[1] for name, row in chances(free, 1).items()} == {"Two Pair": 0, "High Card": 1}
    assert may[2] + may[3] == 1  # no card alone is weaker than a mortal Ace, which counts one


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
