"""Diamondback: scripted hands of all three games, every option, refusals, exact figures, and what always holds."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from typing import Any

import pytest
from rich.console import Console

import parlour
from parlour import CHANCE, EVERYBODY, Game, ParlourError
from parlour.audit.statistics import STRICT, chi_square, tail
from parlour.core.drawing import Drawing
from parlour.engine.definition import definition
from parlour.rules.vocabulary import SEVERAL
from tests.games.stops import Scripted, considered, in_rows, refused
from tests.helpers import rules_of, the_rest_long

RULES = rules_of("diamondback")
SHORT = {"M": "Magician", "Ps": "Priestess", "Q": "Queen", "K": "King", "Pr": "Priest"}
LETTERS = tuple(SHORT)


def load(players: int = 2, **options: Any) -> Game:
    if players == 5:
        options = {"seats_max": 5, **options}
    return parlour.load("diamondback", players, **options)


class Table(Scripted):
    """Scripted hands.  ``deals`` names everybody's cards for each hand to come, seat by seat: ``"K-K K-Pr"``; after the
    last of them no cards are dealt.  Seat 0 deals first (``dealer``); ``coins`` and ``pot`` may be given.  Acts are
    given by name, by the player whose turn it is; at a sealed choice as ``"1: expose King"``; there and elsewhere a
    rank may be written short."""

    def __init__(
        self,
        *deals: str,
        players: int = 2,
        coins: Sequence[int] = (),
        pot: int = 0,
        dealer: int = 0,
        **options: int | str,
    ) -> None:
        game = load(players, **{"first_dealer": dealer, **options})
        s = game.start()
        for p, n in enumerate(coins):
            s.coins[p] = s.before[p] = n
        s.pot, s.successor = pot, dealer
        RULES.start_hand(s, None)
        self.state, self._deals, self._from = game.state_at(s), list(deals), 0
        self._deal_cards()

    def do(self, *acts: str) -> Table:
        for act in acts:
            self._from = len(self.state.events())
            player, _, name = act.rpartition(": ")
            words = [SHORT.get(w, w) for w in name.split()]
            self.state.apply(" ".join(words), int(player) if player else None)
            self._deal_cards()
        return self

    def _deal_cards(self) -> None:
        if self.state.current_player != CHANCE or not self._deals:
            return
        hands = [hand.split("-") for hand in self._deals.pop(0).split()]
        while self.state.current_player == CHANCE:
            s = self.state.position
            self.state.apply(SHORT[hands[s.at][s.first[s.at] > 0]])

    @property
    def coins(self) -> list[int]:
        return list(self.state.observation()["coins"])

    @property
    def pot(self) -> int:
        return int(self.state.observation()["pot"])

    def refused(self, act: str, player: int | None = None) -> str | None:
        return refused(self.state, " ".join(SHORT.get(w, w) for w in act.split()), player)

    def heard(self) -> list[str]:
        """Clauses of what was said in public since the last act."""
        return [e.clause for e in self.state.events()[self._from :]]

    def said(self, event: str) -> list[Any]:
        return [e for e in self.state.events()[self._from :] if e.event == event]


def scripted(cards: str, setting: dict[str, Any], *acts: str) -> Table:
    """What comes of these acts; ``cards`` are those of some hands: ``"K-K Q-Q | Q-Q K-K"``."""
    hands = list(filter(None, cards.split(" | ")))
    players: dict[str, Any] = {"players": len(hands[0].split())} if hands else {}
    return Table(*hands, **players, **setting).do(*acts)


@pytest.mark.clause("DB-1", "DB-2", "DB-6")
def test_the_decks() -> None:
    assert len(RULES.CARDS) == 5
    for players, deck in {2: [1, 2, 3, 4, 5], 3: [1, 4, 6, 8, 10], 4: [1, 6, 9, 12, 15], 5: [1, 8, 12, 16, 20]}.items():
        assert [RULES.in_stock(RULES.full_deck(players), k) for k in range(5)] == deck
        assert sum(deck) == {2: 15, 3: 29, 4: 43, 5: 57}[players]
    assert "Magician-Magician" not in RULES.HANDS


HANDS = {
    "M-Ps": 70, "Ps-Ps": 65, "M-Q": 60, "M-K": 55, "Ps-K": 50, "Ps-Q": 45, "Ps-Pr": 40,
    "Q-K": 35, "M-Pr": 30, "Q-Q": 25, "K-K": 20, "Q-Pr": 15, "K-Pr": 10, "Pr-Pr": 5,
}  # fmt: skip


def kind(hand: str) -> int:
    a, b = (LETTERS.index(card) for card in hand.split("-"))
    return int(RULES.KIND[5 * a + b])


@pytest.mark.clause("DB-4", "DB-5", "DB-7")
def test_what_hands_are_worth() -> None:
    for hand, points in HANDS.items():
        assert RULES.POINTS * kind(hand) == points
        assert kind("-".join(reversed(hand.split("-")))) == kind(hand)
    assert sorted(map(kind, HANDS)) == list(range(1, 15))


@cache
def deals(players: int) -> dict[tuple[int, ...], int]:
    """In how many ways each player can be dealt each kind of hand: every chance node of the rules, with its weights.
    Which card of a hand came first makes no difference to what is dealt later, so these worlds are counted as one."""
    s = load(players, first_dealer=0).start()
    worlds: dict[Any, tuple[Any, int]] = {(): (s, 1)}
    for _ in range(2 * players):
        found: dict[Any, tuple[Any, int]] = {}
        for world, ways in worlds.values():
            outcomes = RULES.chance(world)
            for k in range(5):
                if outcomes >> k & 1:
                    new = world.copy()
                    RULES.happen(new, k, None)
                    key = (*new.hand, *(0 if hand else first for hand, first in zip(new.hand, new.first, strict=True)))
                    seen = found.get(key, (new, 0))
                    found[key] = (new, seen[1] + ways * RULES.weight(world, k))
        worlds = found
    assert all(RULES.actor(world) >= 0 for world, _ in worlds.values())
    return {tuple(world.hand[:players]): ways for world, ways in worlds.values()}


FIRST_TWO = {  # two cards from a full deck of 15, 29, 43
    "M-Ps": ("2/105", "2/203", "2/301"), "Ps-Ps": ("1/105", "3/203", "5/301"), "M-Q": ("1/35", "3/203", "3/301"),
    "M-K": ("4/105", "4/203", "4/301"), "Ps-K": ("8/105", "16/203", "24/301"), "Ps-Q": ("2/35", "12/203", "18/301"),
    "Ps-Pr": ("2/21", "20/203", "30/301"), "Q-K": ("4/35", "24/203", "36/301"), "M-Pr": ("1/21", "5/203", "5/301"),
    "Q-Q": ("1/35", "15/406", "12/301"), "K-K": ("2/35", "2/29", "22/301"), "Q-Pr": ("1/7", "30/203", "45/301"),
    "K-Pr": ("4/21", "40/203", "60/301"), "Pr-Pr": ("2/21", "45/406", "5/43"),
}  # fmt: skip


@pytest.mark.clause("DB-8")
@pytest.mark.parametrize("players", the_rest_long([2, 3, 4], [2, 3]))
def test_how_likely_hands_are(players: int) -> None:
    """For every seat: dealing twice round is dealing two cards to each."""
    for p in range(players):
        ways: Counter[int] = Counter()
        for hands, n in deals(players).items():
            ways[hands[p]] += n
        for hand, chances in FIRST_TWO.items():
            assert Fraction(ways[kind(hand)], ways.total()) == Fraction(chances[players - 2])


TIES = {  # one winner, exactly two, three, four tie
    2: ("3823/4095", "272/4095"),
    3: ("533839/593775", "72167/791700", "23243/2375100"),
    4: ("1190069/1369851", "1890537/16112057", "4187446/338353197", "172477/112784399"),
}


FIFTY = {2: "556/4095", 3: "39148/197925", 4: "12102200/48336171"}


@pytest.mark.clause("DB-33")
@pytest.mark.parametrize("players", the_rest_long([2, 3, 4], [2, 3]))
def test_how_often_the_best_hands_tie(players: int) -> None:
    """Every deal goes to the showdown of the rules; what they say of it is counted."""
    table = Table(" ".join(["Ps-Pr", "K-K", "Q-Pr", "K-Pr"][:players]), players=players)
    s, ways = table.state.position, Counter[int]()
    s.pot, fifty = 4 * players, 0
    for hands, n in deals(players).items():
        world = s.copy()
        world.hand[:players] = hands
        heard: list[Any] = []
        RULES.show_down(world, heard)
        _, event, _, _, _, b = heard[-1] if heard[-1][1] != "odd_stay" else heard[-2]
        tied = {"wins": 1, "divide": b, "carried": players}[event]
        assert tied == hands.count(max(hands))
        ways[tied] += n
        fifty += n * (max(hands) == kind("Ps-K"))
    assert [Fraction(ways[t + 1], ways.total()) for t in range(players)] == [Fraction(x) for x in TIES[players]]
    assert Fraction(fifty, ways.total()) == Fraction(FIFTY[players])


@pytest.mark.clause("DB-9")
def test_how_many_may_play() -> None:
    assert [load(players).players for players in (2, 3, 4, 5)] == [2, 3, 4, 5]
    for players, sentence in ((5, r"seats_max=5 \(DB-9\)"), (1, "cannot be played"), (6, "cannot be played")):
        with pytest.raises(ParlourError, match=sentence):
            parlour.load("diamondback", players)


DRAWS: tuple[tuple[int, tuple[tuple[str, str], ...], int], ...] = (  # who draw, and what, until somebody deals
    (2, (("01", "M Pr"),), 0),
    (3, (("012", "Pr M Ps"),), 1),
    (4, (("0123", "Pr K Pr K"), ("13", "K Q")), 3),
    (4, (("0123", "Pr Q Q Q"), ("123", "Pr Pr Pr"), ("123", "K Q Pr")), 2),
    (5, (("01234", "K K Pr Pr Pr"), ("01", "K Q")), 1),
)


@pytest.mark.clause("DB-11", "DB-12", "DB-14")
@pytest.mark.parametrize(("players", "rounds", "dealer"), DRAWS)
def test_who_deals_first(players: int, rounds: tuple[tuple[str, str], ...], dealer: int) -> None:
    """The highest card; those who tie draw again, and the others no more.  All that is drawn is seen."""
    state = load(players).new()
    whole, wanted = state.chance_outcomes(), []
    assert refused(state, "fold", 0) == "DB-11"
    for those, cards in rounds:
        assert state.chance_outcomes() == whole  # all cards have gone back
        up: list[str | None] = [None] * players
        for p, card in zip(map(int, those), cards.split(), strict=True):
            seen = state.observation()
            assert (seen["stage"], seen["at"], seen.get("up", [None] * players)) == ("drawing for the deal", p, up)
            assert "dealer" not in seen
            assert state.redeal(p, 1).chance_outcomes() == state.chance_outcomes()  # what lies there is not in the pack
            state.apply(SHORT[card])
            up[p] = SHORT[card]
            wanted.append(f"DB-11 {p} draws {card}")
        wanted.append(f"DB-13 all draw_again {len(rounds[-1][0])}")
    wanted[-1:] = [f"DB-12 {dealer} deals_first", f"DB-16 {dealer} deals {players}"]
    assert [*map(in_brief, state.events())] == wanted
    assert state.observation()["dealer"] == dealer
    assert state.chance_outcomes() == whole


@pytest.mark.clause("DB-3", "DB-57")
@pytest.mark.parametrize(("coins", "priests"), [([100, 100, 100], (10, 29)), ([100, 4, 100], (5, 15))])
def test_the_deck_is_for_those_dealt_in(coins: list[int], priests: tuple[int, int]) -> None:
    """Not for those at the table: one of them may sit this hand out."""
    table = Table(players=3, coins=coins, version="dealers", short_stack="fold").do("ante 5")
    outcomes = {table.state.name_of(k): p for k, p in table.state.chance_outcomes()}
    assert outcomes["Priest"] == Fraction(*priests)
    assert outcomes["Magician"] == Fraction(1, priests[1])
    for _ in table.state.observation()["dealt"]:
        table.state.apply("King")
        table.state.apply("Priest")
    for p in range(3):
        dealt_in = p in table.state.observation()["dealt"]
        assert [e.event for e in table.state.events(p) if e.event == "dealt"] == ["dealt"] * dealt_in
        assert ("hand" in table.state.observation(p)) == dealt_in
    deck = {29: (1, 4, 6, 8, 10), 15: (1, 2, 3, 4, 5)}[priests[1]]
    for seed in range(20):  # nor has a player who sits out a card in any world that they can imagine
        hands = table.state.redeal(1, seed).position.hand[:3]
        assert [p for p in range(3) if hands[p]] == table.state.observation()["dealt"]
        held = Counter(card for hand in hands if hand for card in (RULES.HIGHER[hand], RULES.LOWER[hand]))
        assert all(held[k] <= n for k, n in enumerate(deck))


def test_what_is_seen_of_a_deal() -> None:
    """That cards are dealt, and to whom; the player's own when everybody has them (DB-16 to DB-18)."""
    state = load(3, first_dealer=1).new()
    assert refused(state, "fold", 0) == "DB-17"
    for out, card in enumerate(["Queen", "King", "Magician", "Queen", "King", "Priest"]):
        seen = state.observation(0)
        assert (seen["stage"], seen["out"], seen["at"], "hand" in seen) == ("dealing", out, (2 + out) % 3, False)
        left = {state.name_of(k): p for k, p in state.chance_outcomes()}
        assert left.get("Magician", 0) == (Fraction(1, 29 - out) if out < 3 else 0)
        assert min(left.values()) > 0
        state.apply(card)
    hands = ["King-King", "Magician-Priest", "Queen-Queen"]
    assert [state.observation(p)["hand"][p] for p in range(3)] == hands
    assert [(e.who, LETTERS[e.a], LETTERS[e.b]) for p in range(3) for e in state.events(p)[1:]] == [
        (0, "K", "K"), (1, "M", "Pr"), (2, "Q", "Q"),
    ]  # fmt: skip
    assert "at" not in state.observation()
    assert state.observation()["out"] == 0


DEALERS, MATCH, WINNER = {"version": "dealers"}, {"version": "match"}, {"next_dealer": "winner"}
FOLD, NEAREST = {"short_stack": "fold"}, {**WINNER, "tie_dealer": "nearest_left"}
TOPS_UP, POOR = {**DEALERS, "dealer_tops_up": "yes"}, {"coins": [100, 6]}
TIE = "wager 5, match, expose K, expose Pr, wager 3, match, stop"
QUEENS = "wager 2, match, match, expose Q, expose Q, expose Q, wager 6, fold, match, stop"
BREAKS = "wager 6, match, expose Q, expose K"
STAY_IN = "wager 1, match, match, expose K, expose K, expose K, wager 1, match, match, stop"
KINGS = "K-K K-K K-K"
KEPT, KEEPING = {"coins": [50, 2, 50]}, "wager 1, match, match, expose K, expose K, expose K, match, match"
KEPT_1, KEPT_2 = f"{KINGS} | {KINGS} | {KINGS}", {**KEPT, **FOLD, "dealer": 1}
TWO_QUEENS = "K-K Q-Q Q-Q"
CHOICES: list[tuple[str, dict[str, Any], str, str]] = [  # cards, house rules, acts, and who may then do what
    ("K-Pr K-K", {}, "", "0: fold, wager 1-10; pot 0"),
    ("K-Pr K-K", {}, "wager 5, match, expose K", "0: expose King, expose Priest; pot 10"),
    # the coins that there are at the start
    ("K-K K-Pr", {"start_coins": 9}, "", "0: fold, wager 1-9; pot 0"),
    # the highest wager: the limit, the dealer's coins or those of the poorest opponent who is still in
    (TWO_QUEENS, {"coins": [4, 50, 9]}, "", "0: fold, wager 1-4; pot 0"),
    (TWO_QUEENS, {"coins": [4, 3, 50], **FOLD}, "", "0: fold, wager 1-4; pot 0"),
    # in the Dealer's game half of what the poorest has; the dealer pays once
    (TWO_QUEENS, DEALERS, "", "0: ante 1-10; pot 0"),
    (TWO_QUEENS, {"coins": [6, 40, 50], **DEALERS}, "ante 1", "0: wager 1-5; pot 3"),
    (TWO_QUEENS, {"coins": [6, 40, 50], **TOPS_UP}, "ante 1", "0: wager 1-2; pot 3"),
    (TWO_QUEENS, {"coins": [100, 6, 50], **DEALERS}, "ante 1, wager 2, fold, match, expose Q, expose K",
     "0: wager 1-10; pot 9"),
    # an act that is the only one there is need not be chosen; a wager is never the only one where the dealer may fold
    ("K-K Q-Q", {"coins": [50, 1], "dealer_fold": "no"}, "", "1: fold, match; pot 1"),
    ("K-K Q-Q", {"coins": [50, 1], **DEALERS}, "", "1: expose Queen; pot 2"),
    ("K-K Q-Q", {"coins": [50, 3]}, "wager 2, match, expose Q, expose K", "1: fold, match; pot 5"),
    # between two hands of a match
    ("K-K Q-Q", MATCH, "fold", "1: continue, end, leave; pot 0"),
]  # fmt: skip


@pytest.mark.clause("DB-10", "DB-37")
@pytest.mark.parametrize(("cards", "setting", "acts", "choices"), CHOICES)
def test_what_may_be_done(cards: str, setting: dict[str, Any], acts: str, choices: str) -> None:
    table = scripted(cards, setting, *filter(None, acts.split(", ")))
    assert f"{table.turn}: {in_rows(table.acts)}; pot {table.pot}" == choices


@pytest.mark.clause("DB-19")
def test_what_may_be_named() -> None:
    """Wagers up to the limit, and never more than there are coins; antes in the Dealer's game alone."""
    for options, most in (({}, 10), ({"wager_limit": 3}, 3), ({"start_coins": 2}, 6), ({"wager_limit": "none"}, 300)):
        for version in ("standard", "match", "dealers"):
            names = load(3, version=version, **options).action_names
            assert [n for n in names if n.startswith("wager")] == [f"wager {n + 1}" for n in range(most)]
            antes = [f"ante {n + 1}" for n in range(most)] if version == "dealers" else []
            assert [n for n in names if n.startswith("ante")] == antes


THREE = "K-Pr Q-Q Q-K"
STAY, WITHIN = "wager 2, match, match", {"version": "match", "match_unit": "within_hand"}
SHOWN = f"{STAY}, expose Q, expose K, expose K"
DECLINE = {**DEALERS, "ante_decline": "yes"}


@pytest.mark.parametrize(
    ("options", "acts", "refusals"),
    [
        ({}, "", "wager 8 0 DB-38, wager 11 0 DB-38, stop 0 DB-20, leave 0 DB-58, continue 0 DB-58, decline 0 DB-20"),
        ({}, "", "match 1 DB-20, pay 1 DB-20, wager 1 1 DB-41, wager 10 1 DB-41, stop 1 DB-31, wager 1 2 DB-41"),
        ({}, "wager 2", "wager 3 1 DB-41, expose Q 1 DB-21, stop 1 DB-31, match 2 DB-22"),
        ({}, STAY, "expose K 1 DB-26, expose M 1 DB-26, expose Pr 1 DB-26, fold 1 DB-23, match 1 DB-23, pay 1 DB-23"),
        ({}, STAY, "expose Q 2 DB-24, expose K 0 DB-24"),
        ({}, SHOWN, "stop 0 DB-27, fold 0 DB-42, match 0 DB-29, pay 0 DB-29, wager 6 0 DB-38"),
        ({"min_second_wagers": 2}, SHOWN, "stop 0 DB-27"),
        (WITHIN, "", "leave 0 DB-58"),
        (WITHIN, f"{SHOWN}, wager 1, match, match", "wager 1 1 DB-31, on 0 DB-31, stop 2 DB-31"),
        (DEALERS, "", "wager 10 0 DB-62, ante 8 0 DB-64, wager 1 1 DB-41, ante 1 1 DB-62, ante 1 2 DB-62"),
        (DEALERS, "ante 1", "wager 4 0 DB-69, wager 10 0 DB-69, fold 0 DB-93, decline 0 DB-20, ante 1 0 DB-62"),
        (DECLINE, "ante 1", "match 1 DB-63, pay 2 DB-63, decline 0 DB-63"),
        ({"exposure": "all_together"}, STAY, "match 1 DB-23, match 0 DB-25"),
        ({"exposure": "others_together"}, STAY, "stop 0 DB-24"),
        ({"version": "match"}, "", "continue 0 DB-85, end 1 DB-85, leave 0 DB-85"),
        ({"version": "match"}, "fold", "wager 1 1 DB-77, stop 1 DB-77, fold 2 DB-77"),
    ],
)
def test_refusals(options: dict[str, Any], acts: str, refusals: str) -> None:
    """Each act of a player, with the clause that forbids it."""
    table = Table(THREE, players=3, coins=[100, 7, 30], **options).do(*filter(None, acts.split(", ")))
    for refusal in refusals.split(", "):
        act, player, clause = refusal.rsplit(" ", 2)
        assert table.refused(act, int(player)) == clause, refusal


def test_options_that_do_not_go_together() -> None:
    with pytest.raises(ParlourError, match=r"cannot be below min_second_wagers=2 \(DB-30\)"):
        load(min_second_wagers=2, max_second_wagers=1)
    assert load(min_second_wagers=2, max_second_wagers=2, wager_limit=1).options["max_second_wagers"] == "2"
    for name, value in (("start_coins", 0), ("start_coins", 1001), ("wager_limit", 0), ("hands", 0)):
        with pytest.raises(ParlourError, match=name):
            load(2, **{name: value})


def in_brief(e: Any) -> str:
    said = [e.clause, "all" if e.who == EVERYBODY else str(e.who), e.event]
    if e.event in ("draws", "exposes"):
        return " ".join([*said, LETTERS[e.a]])
    if e.event == "shows":
        return " ".join([*said, LETTERS[e.a], LETTERS[e.b]])
    return " ".join([*said, *(str(n) for n in (e.a, e.b)[: 2 if e.b else 1 if e.a else 0])])


OUTCOMES: list[tuple[str, dict[str, Any], str, str, str]] = [  # cards, house rules, acts, what the last brings
    # example 1: a plain win
    ("K-Pr K-K | Q-Q K-K", {}, TIE, "DB-34 1 wins 16 20, DB-15 1 deals_next", "92 108 pot 0"),
    # example 2: a tie of two
    ("K-Pr K-Pr | K-Pr Q-K", {}, TIE, "DB-47 all carried 16, DB-15 1 deals_next", "92 92 pot 16"),
    # example 4: one folds and two tie
    (f"Q-K Q-Pr Q-Pr | {KINGS}", {"dealer": 2, "tie_scope": "showdown"}, QUEENS,
     "DB-52 all carried 18, DB-15 0 deals_next", "98 92 92 pot 18"),
    # example 6: Dealer's Diamondback
    ("K-K Q-K Q-Q | K-K Q-K Q-Q", DEALERS, "ante 1, wager 2, match, fold, expose Q, expose K, wager 3, match, stop",
     "DB-34 1 wins 18 35, DB-71 1 deals_next", "94 107 99 pot 0"),
    # example 7: leaving a match
    (f"{KINGS} | {KINGS} | K-K K-K", {**MATCH, "coins": [140, 90, 70]}, "fold, continue, end, leave",
     "DB-82 0 goes 100, DB-83 0 forfeits 40", "100 90 70 pot 40"),
    # example 8: a tie that breaks a player, whose seat is kept
    ("Q-K Q-K | Q-Q K-K", POOR, BREAKS,
     "DB-47 all carried 12, DB-55 1 keeps_seat, DB-15 1 deals_next, DB-39 1 no_wager", "94 0 pot 12, seat 1 is kept"),
    ("Q-K Q-K | Q-Q K-K", {**POOR, "broke_tie": "divide"}, BREAKS, "DB-55 all divide 6 2, DB-15 1 deals_next",
     "100 6 pot 0"),
    # example 9: the dealer folds
    (KINGS, {"coins": [87] * 3, "pot": 39, "hands": 1}, "fold",
     "DB-93 0 dealer_folds, DB-93 all pot_stays 39, DB-58 all last_hand 1, DB-60 all divide_rest 39 2",
     "87 107 106 pot 0"),
    # a kept seat is released when the pot is divided, won by another, shared in, or won
    (f"{KINGS} | Q-Q K-K K-K | {KINGS}", KEPT, f"{KEEPING}, expose K, expose Q, expose K",
     "DB-34 0 wins 6 25, DB-56 1 broke, DB-15 2 deals_next", "54 0 48 pot 0"),
    # it outlasts dealers who fold, and a tie of the others; not that somebody wins the pot unmatched
    (f"{KEPT_1} | {KINGS}", KEPT_2, f"{KEEPING}, fold, fold",
     "DB-93 0 dealer_folds, DB-93 all pot_stays 6, DB-93 1 deals_next, DB-39 1 no_wager",
     "48 0 48 pot 6, seat 1 is kept"),
    (KEPT_1, KEPT_2, f"{KEEPING}, wager 1, fold",
     "DB-38 1 cannot_pay, DB-35 2 unmatched 7, DB-56 1 broke, DB-15 0 deals_next", "48 0 54 pot 0"),
    # in a match its player may leave, and has nothing to forfeit
    (f"{KINGS} | Q-Q K-K K-K | K-K - K-K", {**MATCH, **KEPT}, f"{KEEPING}, leave, continue, continue", "DB-82 1 goes",
     "48 0 48 pot 6"),
    # the dealer wagers their last coin, which whoever was kept cannot match
    ("K-K K-K | Q-Q K-K", {**FOLD, "dealer": 1, "coins": [3, 2], "dealer_fold": "no"},
     "wager 1, match, expose K, expose K, match",
     "DB-47 all carried 4, DB-55 1 keeps_seat, DB-15 0 deals_next, DB-20 0 wagers 1, DB-38 1 cannot_pay, "
     "DB-35 0 unmatched 5, DB-56 1 broke, DB-59 all one_left", "5 0 pot 0"),
    # nobody else can pay the ante
    ("K-K K-K", {**DEALERS, **FOLD, **NEAREST, "coins": [2, 3]}, "ante 2, expose K, expose K",
     "DB-47 all carried 4, DB-55 0 keeps_seat, DB-72 1 deals_next, DB-62 1 antes 1, DB-64 0 sits_out, "
     "DB-63 1 unopposed 5, DB-56 0 broke, DB-59 all one_left", "0 5 pot 0"),
    # the dealer tops up, in the end by a wager that is the only one possible
    ("K-K Q-Q", {**DEALERS, "coins": [13, 100]}, "ante 1, wager 5, match, expose Q, expose K, wager 2, match",
     "DB-66 1 doubles 4", "5 85 pot 23"),
    # only one remains
    ("K-K K-K", {**MATCH, "coins": [120, 80]}, "fold, continue, leave",
     "DB-82 0 goes 100, DB-83 0 forfeits 20, DB-84 1 last_one, DB-84 1 takes_rest 20", "100 100 pot 0"),
    ("K-K K-K", {**MATCH, "coins": [120, 80], "forfeit": "whole_stack"}, "fold, continue, leave",
     "DB-82 0 goes, DB-83 0 forfeits 120, DB-84 1 last_one, DB-84 1 takes_rest 120", "0 200 pot 0"),
    # somebody has won all the coins
    ("K-K Q-Q", {**MATCH, "start_coins": 20, "coins": [3, 37]}, "wager 3, match, expose Q, expose K",
     "DB-34 1 wins 6 25, DB-56 0 broke, DB-86 1 all_coins 40", "0 40 pot 0"),
    # who deals next
    (f"Q-K K-K Pr-Pr | {KINGS}", {"next_dealer": "keep", "coins": [50, 3, 50]},
     "wager 3, match, match, expose K, expose Pr, expose Q", "DB-34 0 wins 9 35, DB-56 1 broke, DB-15 0 deals_again",
     "56 0 47 pot 0"),
    (f"K-K Pr-Pr Q-K | {KINGS}", {"next_dealer": "keep", "coins": [3, 50, 50]},
     "wager 3, match, match, expose Pr, expose Q, expose K",
     "DB-34 2 wins 9 35, DB-56 0 broke, DB-15 0 deals_again, DB-73 1 deals_instead", "0 47 56 pot 0"),
    (f"{KINGS} | {KINGS}", NEAREST, STAY_IN, "DB-49 all carried 6, DB-72 1 deals_next", "98 98 98 pot 6"),
    (f"K-K K-K K-Pr | {KINGS}", {**NEAREST, "dealer": 2}, STAY_IN, "DB-48 all divide 3 2, DB-72 0 deals_next",
     "101 101 98 pot 0"),
]  # fmt: skip


SHOWN_BY_STORIES = {
    *("stops", "closes", "shows", "exposes", "matches", "deals", "folds", "asks", "ranks"),
    *("for_more", "for_leaving", "for_end"),
}


@pytest.mark.clause("DB-54", "DB-68", "DB-74")
@pytest.mark.parametrize(("cards", "setting", "acts", "told", "coins"), OUTCOMES)
def test_what_comes_of_it(cards: str, setting: dict[str, Any], acts: str, told: str, coins: str) -> None:
    """What is told after the last act, but for what the stories below show; then all coins, whose seat is kept."""
    *before, last = acts.split(", ")
    table = scripted(cards, setting, *before)
    since = len(table.state.events())
    events, seen = table.do(last).state.events()[since:], table.state.observation()
    assert ", ".join(in_brief(e) for e in events if e.event not in SHOWN_BY_STORIES) == told
    kept = "".join(f", seat {p} is kept" for p in seen["kept"])
    assert f"{' '.join(map(str, table.coins))} pot {table.pot}{kept}" == coins
    dealers = [e.who for e in events if e.event.startswith(("deals_next", "deals_instead"))]
    assert not dealers or seen["dealer"] == dealers[-1]


GAMES: list[tuple[str, dict[str, Any], str, str]] = [  # cards, house rules, acts, and all that is then said
    # the betting closes by itself
    ("K-K Q-Q", {"min_second_wagers": 2, "max_second_wagers": 3, "hands": 1},
     "wager 1, match, expose Q, expose K, wager 2, match, wager 3, match, wager 1, match",
     "DB-20 0 wagers 1, DB-40 1 matches 1, DB-23 1 exposes Q, DB-25 0 exposes K, DB-27 0 wagers_again 2, "
     "DB-28 1 matches 2, DB-27 0 wagers_again 3, DB-28 1 matches 3, DB-29 0 wagers_again 1, DB-28 1 matches 1, "
     "DB-30 0 enough 3, DB-32 0 shows K K, DB-32 1 shows Q Q, DB-34 1 wins 14 25, DB-58 all last_hand 1, "
     "DB-61 0 ranks 2 93, DB-61 1 ranks 1 107"),
    # who cannot pay folds
    ("Q-Q K-K Q-K K-K", {**FOLD, "coins": [100, 5, 4, 100], "hands": 1},
     "wager 5, match, match, expose K, expose K, expose Q, wager 1, fold",
     "DB-20 0 wagers 5, DB-40 1 matches 5, DB-38 2 cannot_pay, DB-40 3 matches 5, DB-23 1 exposes K, "
     "DB-23 3 exposes K, DB-25 0 exposes Q, DB-27 0 wagers_again 1, DB-38 1 cannot_pay, DB-43 3 folds, "
     "DB-35 0 unmatched 16, DB-56 1 broke, DB-58 all last_hand 1, DB-61 0 ranks 1 110, DB-61 1 ranks 4, "
     "DB-61 2 ranks 3 4, DB-61 3 ranks 2 95"),
    # double and paid twice
    ("Q-Q K-K Q-K", {**DECLINE, "dealer_tops_up": "yes", "hands": 1},
     "ante 2, pay, decline, wager 3, match, expose K, expose Q, wager 1, match, stop",
     "DB-62 0 antes 2, DB-63 1 pays_ante 2, DB-63 2 declines, DB-16 0 deals 2, DB-20 0 wagers 3, DB-65 1 doubles 6, "
     "DB-67 0 tops_up 3, DB-23 1 exposes K, DB-25 0 exposes Q, DB-27 0 wagers_again 1, DB-66 1 doubles 2, "
     "DB-67 0 tops_up 1, DB-31 0 stops, DB-32 0 shows Q Q, DB-32 1 shows K K, DB-34 0 wins 20 25, "
     "DB-58 all last_hand 1, DB-61 0 ranks 1 110, DB-61 1 ranks 3 90, DB-61 2 ranks 2 100"),
    # nobody pays the ante
    ("", {**DECLINE, **FOLD, "players": 3, "coins": [100, 4, 100], "deals": 1}, "ante 5, decline",
     "DB-62 0 antes 5, DB-64 1 sits_out, DB-63 2 declines, DB-63 0 unopposed 5, DB-58 all last_hand 1, "
     "DB-61 0 ranks 1 100, DB-61 1 ranks 3 4, DB-61 2 ranks 1 100"),
    # no ante and no wager
    ("K-K K-K | Q-Q K-K", {**DEALERS, "coins": [100, 2]}, "ante 2, expose K, expose K, expose K, expose Q",
     "DB-62 0 antes 2, DB-63 1 pays_ante 2, DB-16 0 deals 2, DB-70 0 no_wager, DB-23 1 exposes K, DB-25 0 exposes K, "
     "DB-39 0 closes, DB-32 0 shows K K, DB-32 1 shows K K, DB-47 all carried 4, DB-55 1 keeps_seat, "
     "DB-72 0 deals_next, DB-94 0 no_ante, DB-16 0 deals 2, DB-70 0 no_wager, DB-23 1 exposes K, DB-25 0 exposes Q, "
     "DB-39 0 closes, DB-32 0 shows Q Q, DB-32 1 shows K K, DB-34 0 wins 4 25, DB-56 1 broke, DB-59 all one_left, "
     "DB-61 0 ranks 1 102, DB-61 1 ranks 2"),
    # the hand is agreed on
    ("K-K Q-Q", {**MATCH, "match_unit": "within_hand", "hands": 1},
     "wager 1, match, expose Q, expose K, wager 1, match, stop, on, wager 1, match, on, stop, wager 1, match, stop, "
     "stop",
     "DB-20 0 wagers 1, DB-40 1 matches 1, DB-23 1 exposes Q, DB-25 0 exposes K, DB-27 0 wagers_again 1, "
     "DB-28 1 matches 1, DB-31 1 says_stop, DB-31 0 says_on, DB-29 0 wagers_again 1, DB-28 1 matches 1, "
     "DB-31 1 says_on, DB-31 0 says_stop, DB-29 0 wagers_again 1, DB-28 1 matches 1, DB-31 1 says_stop, "
     "DB-31 0 says_stop, DB-32 0 shows K K, DB-32 1 shows Q Q, DB-34 1 wins 8 25, DB-58 all last_hand 1, "
     "DB-61 0 ranks 2 96, DB-61 1 ranks 1 104"),
    # two leave
    ("K-K Q-Q Q-K", MATCH, "wager 10, match, fold, expose Q, expose K, wager 10, match; stop, leave, continue, leave",
     "DB-31 0 stops, DB-32 0 shows K K, DB-32 1 shows Q Q, "
     "DB-34 1 wins 40 25, DB-15 1 deals_next, DB-76 1 asks, DB-77 1 for_leaving, DB-77 2 for_more, "
     "DB-77 0 for_leaving, DB-82 0 goes 80, DB-82 1 goes 100, DB-83 1 forfeits 20, DB-84 2 last_one, "
     "DB-84 2 takes_rest 20, DB-61 0 ranks 3 80, DB-61 1 ranks 2 100, DB-61 2 ranks 1 120"),
    # the end is agreed on
    ("K-K K-K K-K", {**MATCH, "pot": 1},
     "wager 1, match, match, expose K, expose K, expose K, wager 1, match, match; stop, end, leave, end",
     "DB-31 0 stops, DB-32 0 shows K K, DB-32 1 shows K K, DB-32 2 shows K K, DB-49 all carried 7, DB-15 1 deals_next, "
     "DB-76 1 asks, DB-77 1 for_end, DB-77 2 for_leaving, DB-77 0 for_end, DB-79 all agreed, DB-81 all keep_coins, "
     "DB-60 all divide_rest 7 3, DB-61 0 ranks 2 100, DB-61 1 ranks 1 101, DB-61 2 ranks 2 100"),
]  # fmt: skip


@pytest.mark.parametrize(("cards", "setting", "acts", "told"), GAMES)
def test_games_as_they_are_told(cards: str, setting: dict[str, Any], acts: str, told: str) -> None:
    before, _, after = acts.rpartition("; ")
    table = scripted(cards, setting, *filter(None, before.split(", ")))
    since = len(table.state.events()) if before else 0
    assert ", ".join(map(in_brief, table.do(*after.split(", ")).state.events()[since:])) == told


def play_out_even(hands: str, dealer: int = 0, /, **options: Any) -> Table:
    """Everybody stays in: a wager of 1, and another."""
    each = hands.split()
    full = ["wager 1", *["match"] * (len(each) - 1)]
    shown = [f"expose {hand.split('-')[0]}" for hand in (*each[dealer + 1 :], *each[: dealer + 1])]
    return Table(hands, players=len(each), dealer=dealer, **options).do(*full, *shown, *full, "stop")


ODD = (  # hands, who deals, what lies in the pot before, coins of everybody after the hand
    ("Ps-Pr Ps-Pr Ps-Pr Q-K", 2, 0, [101, 101, 100, 98]),  # the dealer is the last
    ("Q-K Ps-Pr Ps-Pr Ps-Pr", 2, 0, [98, 101, 100, 101]),  # and a player who has not won is passed over
    ("Ps-Pr Q-K Ps-Pr", 1, 1, [101, 98, 102]),
    ("Q-K Ps-Pr Ps-Pr", 2, 1, [98, 102, 101]),
)


@pytest.mark.clause("DB-53", "DB-58", "DB-60")
@pytest.mark.parametrize(("hands", "dealer", "pot", "coins"), ODD)
def test_odd_coins(hands: str, dealer: int, pot: int, coins: list[int]) -> None:
    """They go to the winners from the dealer's left on; by default they stay, whoever deals, until the last hand."""
    for options in ({"odd_coin": "left_of_dealer"}, {"hands": 1}):
        table = play_out_even(hands, dealer, pot=pot, **options)
        assert (table.coins, table.pot, table.state.is_terminal) == (coins, 0, "hands" in options)
    stay = play_out_even(hands, dealer, pot=pot)
    assert stay.pot == sum(coins) - sum(stay.coins) > 0
    assert {n - m for n, m in zip(coins, stay.coins, strict=True)} == {0, 1}
    assert [(e.clause, e.a) for e in stay.said("odd_stay")] == [("DB-53", stay.pot)]


@pytest.mark.parametrize(
    ("hands", "folds", "options", "clause"),
    [
        ("K-K K-K", 0, {}, "DB-47 carried"),
        ("K-K K-K Pr-Pr", 0, {}, "DB-48 divide"),
        ("K-K K-K K-K", 0, {}, "DB-49 carried"),
        ("K-K K-K K-K Pr-Pr", 0, {}, "DB-50 divide"),
        ("K-K K-K Pr-Pr Pr-Pr", 0, {}, "DB-48 divide"),
        ("K-K K-K K-K K-K Pr-Pr", 0, {}, "DB-51 divide"),
        ("K-K K-K K-K K-K", 1, {}, "DB-50 divide"),
        ("K-K K-K K-K", 1, {"tie_scope": "showdown"}, "DB-52 carried"),
        ("K-K K-K Pr-Pr K-K", 1, {"tie_scope": "showdown"}, "DB-48 divide"),
    ],
)
def test_what_a_tie_does(hands: str, folds: int, options: dict[str, Any], clause: str) -> None:
    """By the number of those who tie and of those dealt in, be they in the hand or not; the last ``folds`` fold."""
    each = hands.split()
    players = len(each)
    stay = players - folds
    matches = ["match"] * (stay - 1)
    table = Table(hands, players=players, **options).do("wager 1", *matches, *["fold"] * folds)
    table.do(*(f"expose {hand.split('-')[0]}" for hand in (*each[1:stay], each[0])), "wager 1", *matches, "stop")
    assert [f"{e.clause} {e.event}" for e in table.state.events() if e.event in ("carried", "divide")] == [clause]
    tied = sum(hand == "K-K" for hand in each[:stay])
    assert table.pot == (2 * stay if clause.endswith("carried") else 2 * stay % tied)


@pytest.mark.clause("DB-31")
@pytest.mark.parametrize(
    ("players", "folds", "said", "over"),
    [
        (2, 0, "stop on", False),  # half is not enough
        (2, 0, "stop stop", True),
        (3, 0, "stop on on", False),
        (4, 0, "stop stop on on", False),
        (4, 1, "stop on stop", True),  # of those who are in the hand
        (4, 2, "stop on", False),
        (3, 0, "stop on on, stop on on", False),  # what was said before counts no more
        (3, 0, "on on on, on stop on, stop on stop", True),
    ],
)
def test_more_than_half_stop(players: int, folds: int, said: str, over: bool) -> None:
    even = " ".join(["K-K"] * players)
    table = Table(even, even, players=players, version="match", match_unit="within_hand")
    stay = players - folds
    table.do("wager 1", *["match"] * (stay - 1), *["fold"] * folds, *["expose K"] * stay)
    for answers in said.split(", "):
        table.do("wager 1", *["match"] * (stay - 1), *answers.split())
    assert table.state.observation()["deal"] == over
    assert (table.state.observation()["stage"] == "further wager") == (not over)
    assert over or f"{table.turn}: {in_rows(table.acts)}" == "0: wager 1-10"


@pytest.mark.clause("DB-58", "DB-61")
@pytest.mark.parametrize(
    ("players", "options", "hands"),
    [(4, {}, 12), (5, {}, 15), (3, {"hands": 4}, 4), (2, {"deals": 1}, 1)],
)
def test_how_long_a_match_is(players: int, options: dict[str, Any], hands: int) -> None:
    state = load(players, first_dealer=0, **options).new(seed=3)
    while not state.is_terminal:
        state.apply("fold")
    assert state.observation()["deal"] == hands
    assert [e.clause for e in state.events()][-players - 1] == "DB-58"
    assert state.returns() == [0.0] * players
    assert {e.a for e in state.events()[-players:]} == {1}
    refusal = RULES.refuse(state.position, 0, 0)
    assert refusal == "DB-58"


def test_who_left_later_ranks_higher() -> None:
    s = load(4, first_dealer=0).start()
    for coins, gone, ranks in (
        ([0, 0, 0, 400], [3, 7, 3, 0], [3, 2, 3, 1]),
        ([50, 300, 50, 0], [3, 0, 0, 9], [2, 1, 2, 4]),
    ):
        s.coins[:4], s.gone[:4] = coins, gone
        assert [RULES.rank(s, p) for p in range(4)] == ranks


@pytest.mark.parametrize(
    ("coins", "answers", "clause"),
    [
        ([120, 80], "end end", "DB-78"),
        ([120, 80], "end leave", "DB-80"),
        ([120, 80, 100], "end continue end", "DB-79"),
        ([120, 80, 100], "end leave leave", "DB-80"),
        ([120, 80, 100, 100], "end end continue continue", None),
        ([120, 80, 100, 100, 100], "end end continue continue end", "DB-79"),
        ([120, 80], "end continue", None),
    ],
)
def test_votes(coins: list[int], answers: str, clause: str | None) -> None:
    kings = " ".join(["K-K"] * len(coins))
    table = Table(kings, kings, players=len(coins), coins=coins, version="match").do("fold", *answers.split())
    assert table.state.is_terminal == (clause is not None)
    if clause:
        assert {clause, "DB-81"} <= set(table.heard())
        assert table.coins == coins  # a player who said `leave` keeps their coins too


@pytest.mark.clause("DB-75", "DB-87")
def test_a_match_without_a_last_hand() -> None:
    """A program comes to an end."""
    for hands_before, over in ((199, False), (RULES.WITHOUT_END - 1, True)):
        table = Table("K-K Q-Q", "K-K Q-Q", version="match", match_max_hands="none")
        table.state.position.deal = hands_before
        assert table.do("fold").state.is_terminal == over
    assert table.refused("fold", 0) == "DB-75"


@pytest.mark.clause("DB-44", "DB-46")
@pytest.mark.parametrize("version", ["standard", "match"])
def test_who_always_folds_loses_nothing(version: str) -> None:
    for seed in range(16):
        state, choose = load(3, version=version, hands=6, match_max_hands=6).new(seed=seed), random.Random(seed)
        while not state.is_terminal:
            legal = state.legal_actions()
            names = {state.name_of(a): a for a in legal}
            if state.current_player == 0:
                state.apply(names.get("fold", names.get("continue", legal[0])))
            else:
                state.apply(choose.choice([a for n, a in names.items() if n not in ("leave", "end")]))
            assert state.observation()["coins"][0] >= 100
            assert min(state.observation()["coins"]) >= 0


@pytest.mark.clause("DB-24")
def test_others_expose_together() -> None:
    table = Table("Ps-K K-K Q-Pr", players=3, exposure="others_together").do("wager 1", "match", "match")
    assert table.turn == SEVERAL
    assert table.state.acting == (1, 2)
    assert table.refused("expose K", 0) == "DB-24"
    table.do("2: expose Q")
    assert ([*table.state.acting], table.heard()) == ([1], [])
    assert table.refused("expose Q", 2) == "DB-24"
    assert table.refused("expose Q", 1) == "DB-26"
    table.do("1: expose K")
    assert table.heard() == ["DB-23", "DB-23"]
    assert (table.turn, table.acts) == (0, ["expose Priestess", "expose King"])


SEEN = "wager 1, match, match, expose Q, expose K, expose K, wager 1"  # then the others answer


@pytest.mark.clause("DB-36", "DB-45")
@pytest.mark.parametrize(
    ("acts", "up", "shown"),
    [
        ("fold", [], []),  # the dealer folds
        (f"{SEEN}, match, match, wager 1, fold, fold", [0, 1, 2], []),
        ("wager 1, match, fold, expose Q, expose K, wager 1, fold", [0, 1], []),
        ("wager 1, match, fold, expose Q, expose K, wager 1, match, stop", [0, 1], [0, 1]),
        (f"{SEEN}, fold, match, stop", [0, 1, 2], [0, 2]),
    ],
)
def test_whose_cards_lie_open_after_the_hand(acts: str, up: list[int], shown: list[int]) -> None:
    """Between hands and at the end of a match nobody sees more than what was turned up, not even of their own cards."""
    hands = ["King-Priest", "Queen-Queen", "Queen-King"]
    for options in ({"version": "match"}, {"hands": 1}):
        table = Table("K-Pr Q-Q Q-K", players=3, **options).do(*acts.split(", "))
        assert table.state.is_terminal or table.acts[0] == "continue"
        for p in (EVERYBODY, 0, 1, 2):
            seen = table.state.observation(p)
            lie_open = seen.get("hand") or [None] * 3
            assert lie_open == [hands[q] if q in shown else None for q in range(3)]
            assert [q for q, card in enumerate(seen.get("up") or []) if card] == up
        assert [e.who for e in table.said("shows")] == shown
        assert [table.state.position.hand[q] > 0 for q in range(3)] == [q in shown for q in range(3)]


def test_cards_still_being_dealt_are_as_likely_as_they_must_be() -> None:
    """Nobody has looked at their cards: each may be any, and what has been dealt is as good as what has not."""
    state, draws = load(2, first_dealer=0).new(), 3000
    for card in ("King", "King", "Priest"):
        state.apply(card)
    worlds = [state.redeal(0, seed).position for seed in range(draws)]
    cards = {k + 1: Fraction(k + 1, 15) for k in range(5)}
    hands = {kind(hand): Fraction(chances[0]) for hand, chances in FIRST_TWO.items()}
    for found, wanted in (((s.first[0] for s in worlds), cards), ((s.hand[1] for s in worlds), hands)):
        assert tail(*chi_square(wanted, Counter(found), draws)) > STRICT


@pytest.mark.parametrize(
    ("hands", "options", "all_of_them"),
    [
        ("K-K Q-Q", {}, False),
        ("K-K Q-Q", {"wager_limit": "none"}, False),
        ("K-K Q-Q", {"max_second_wagers": 3}, True),
        ("K-K Q-Q", {"short_stack": "fold"}, True),
        ("K-K Q-Q", {"version": "match", "match_unit": "within_hand"}, True),
        ("K-K Q-Q Pr-Pr", {}, True),
    ],
)
def test_single_coins_are_enough_against_one_player(hands: str, options: dict[str, Any], all_of_them: bool) -> None:
    """After the exposures, without a ceiling: no card is turned up any more."""
    players = len(hands.split())
    table = Table(hands, players=players, **options)
    assert considered(table.state, "enough") == table.acts  # before them anything
    table.do("wager 2", *["match"] * (players - 1))
    while table.acts[0].startswith("expose"):
        table.do(table.acts[0])
    assert len(table.acts) > 3
    assert considered(table.state, "enough") == (table.acts if all_of_them else ["wager 1"])
    if not all_of_them:
        table.do("wager 1", "match")
        assert considered(table.state, "enough") == ["stop", "wager 1"]


FAR = "wager 39, match, expose K, expose K, wager 1, match"


@pytest.mark.parametrize(
    ("hands", "setting", "acts", "candidates"),
    [
        ("Ps-Ps Pr-Pr K-Pr", {}, "", "fold, wager 1, wager 2, wager 5, wager 10"),
        ("Ps-Ps Pr-Pr K-Pr", {}, "wager 10", "fold, match"),
        ("K-K K-K", {"wager_limit": 40}, "", "fold, wager 1, wager 10, wager 20, wager 40"),
        ("K-K K-K", {"wager_limit": 40}, FAR, "stop, wager 1, wager 10, wager 20, wager 40"),
        ("K-K K-K", {"coins": [5, 50]}, "", "fold, wager 1, wager 2, wager 3, wager 4, wager 5"),  # few
        ("K-K K-K", {"coins": [8, 50]}, "", "fold, wager 1, wager 2, wager 4, wager 8"),
        ("K-K K-K", {**DEALERS, "coins": [9, 9]}, "", "ante 1, ante 2, ante 4, ante 9"),
    ],
)
def test_which_amounts_are_worth_searching(hands: str, setting: dict[str, Any], acts: str, candidates: str) -> None:
    table = scripted(hands, setting, *filter(None, acts.split(", ")))
    assert ", ".join(considered(table.state, "candidates")) == candidates


@pytest.mark.parametrize(
    ("hands", "setting", "acts", "likely"),
    [
        ("Ps-Ps Pr-Pr K-Pr", {}, "", "wager 5, wager 10"),
        ("K-Pr K-K", {}, "", "fold"),
        ("Pr-Pr K-K", {}, "", "fold, wager 10"),  # the worst hand of all: a bluff
        ("K-K Q-Pr", {}, "wager 10", "fold"),  # 43 of a hundred: two to one are not enough after a big wager, …
        ("K-K Q-Pr", {"pot": 20}, "wager 2", "match"),  # … but the price may be right
        ("Q-Q K-K", {"pot": 2, "wager_limit": "none"}, "wager 49", "fold"),  # two kings beat 49 of a hundred: …
        ("Q-Q K-K", {"pot": 1, "wager_limit": "none"}, "wager 17", "match"),  # … right to the coin
        ("K-K Q-Pr", {"version": "dealers"}, "ante 10, wager 1", "match"),
        ("K-K M-Ps", {}, "wager 10", "match"),
        ("K-K Q-Q Q-Q", {}, "wager 10, fold", "match"),  # against one, though against two it would be little
        ("M-K K-K Q-Q", {}, "wager 10, match, match, expose K, expose Q, expose M, wager 10", "fold"),
        ("Q-Q K-K K-K", {"version": "dealers"}, "", "ante 1, ante 2, ante 5, ante 10"),
        ("K-K K-K K-K", {"coins": [50, 2, 50]}, "", "fold"),
        ("Ps-K K-K K-K", {"coins": [50, 7, 50]}, "", "wager 6, wager 7"),
        ("Ps-K K-K K-K", {"coins": [50, 8, 50]}, "", "wager 4, wager 8"),
    ],
)
def test_what_is_likely(hands: str, setting: dict[str, Any], acts: str, likely: str) -> None:
    table = scripted(hands, setting, *filter(None, acts.split(", ")))
    assert ", ".join(considered(table.state, "likely")) == likely
    if len(hands.split()) == 2 and not table.state.observation().get("up"):
        s = table.state.position
        assert RULES.win_odds(s, s.turn) == RULES.BEATS[6 * s.hand[s.turn]]


def drawn(table: Table, player: int = 0) -> list[str]:
    """The picture of the table as one player sees it, called You."""
    names = ["Ada", "Ben", "Cora"][: table.state.game.players]
    names[player] = "You"
    console = Console(width=80, color_system=None)
    with console.capture() as capture:
        console.print(Drawing(definition("diamondback")).picture(table.state.view(player), names, (), 80))
    return [" ".join(line.split()) for line in capture.get().splitlines()]


def test_the_table_is_drawn() -> None:
    table = Table("K-Pr Q-Q Q-K", players=3, hands=5).do("wager 4", "fold")
    assert drawn(table, 2) == [
        "Diamondback, hand 1 of 5",
        "Pot: 4 coins; to stay in: 4 coins",
        "Ada dealer 96 coins [░░░░] [░░░░]",
        "Ben 100 coins [░░░░] [░░░░] folded",
        "▸ You 100 coins [Queen] [King]",
        "Your hand is worth 35 points.",
    ]
    assert drawn(table.do("match", "expose K"))[4] == "Cora 96 coins [King] [░░░░]"
    double = Table("K-K Q-Q", version="dealers").do("ante 3", "wager 2")
    assert drawn(double, 1)[:2] == ["Dealer's Diamondback, hand 1 of 12", "Pot: 8 coins; to stay in: 4 coins"]
