"""What the rule of thumb of each game prefers, in positions in which a card player would say so too."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest

import parlour
from parlour import CHANCE, State
from parlour.engine.telling import restored
from parlour.games.diamondback.heuristic import win_chance
from parlour.games.dividha import advice, hands, heuristic
from parlour.games.dividha.hands import ALL, CARDS, CATEGORIES, cards_named
from parlour.games.matrimony import heuristic as thumb
from parlour.games.matrimony.chances import chances, sweep
from parlour.games.matrimony.position import POOLS
from parlour.players.kernels.arena import NOTES
from parlour.players.kinds import make
from parlour.players.simple import prepared
from parlour.rules.weighing import part
from parlour.study.match import play_game
from tests.games import test_commit as commit
from tests.games import test_diabolo as diabolo
from tests.games import test_diamondback as diamondback
from tests.games import test_dividha as dividha
from tests.games import test_hearts as hearts
from tests.games import test_newmarket as newmarket
from tests.games import test_pope_joan as pope_joan
from tests.games.stops import cards, do, late
from tests.helpers import by_worth, rules_of, weighed


def plays(act: str) -> str:
    return act.rpartition(" ")[2]


@pytest.mark.parametrize(
    ("game", "players", "options", "least"),
    [
        ("commit", 4, {"deals": 4}, 4),
        ("diabolo", 3, {"deals": 1}, 0.3),
        *(("diamondback", 3, {"version": version}, 10) for version in ("standard", "dealers", "match")),
        ("matrimony", 4, {"others_stake": "at_most"}, 15),  # where it may stake less than others it wins by that
        ("newmarket", 4, {"deals": 4}, 2),
        *(("pope_joan", 3, options, 2) for options in ({}, pope_joan.TRUMP, pope_joan.CLASSIC)),
        pytest.param("dividha", 3, {"starting_coins": 40, "ante_start": 4}, 1, marks=pytest.mark.long),
    ],
)
def test_it_wins_from_random_players(game: str, players: int, options: dict[str, Any], least: float) -> None:
    """On average more than this a match, in each seat in turn."""
    what, won = parlour.load(game, players, **options), 0.0
    for seed in range(20):
        seats = [make("rule-of-thumb" if p == seed % players else "random", what, seed) for p in range(players)]
        won += play_game(what, seats, seed).returns[seed % players]
    assert won / 20 > least


# ------------------------------------------------------------------------------------------ Hearts


def test_hearts_passes_the_black_queen_then_what_is_above_it_then_high_hearts() -> None:
    state = hearts.dealt(hearts.load(pass_cards="left"), "2c 3d 9d Ad Qs Ks As Js 2h 3h 9h Kh Ah")
    order = "Qs As Ks Ah Kh 9h Ad 3h 2h Js 9d 3d 2c"
    assert [plays(act) for act in by_worth(state, 0)] == order.split()
    assert weighed(state, 0)["pass As"] - weighed(state, 0)["pass Ks"] == 1
    assert weighed(state, 0)["pass Js"] == 9 < weighed(state, 0)["pass 2h"] == 10
    assert weighed(state, 0)["pass 2c"] == 0


def test_hearts_leads_low() -> None:
    state = hearts.late(["5c 9c Jd 2h", "2c 3c 4c 6c", "7c 8c Tc Jc", "Qc Kc Ac Qd"])
    assert [plays(act) for act in by_worth(state)] == ["2h", "5c", "9c", "Jd"]


def test_hearts_stays_as_high_as_it_can_below_the_trick() -> None:
    """If it cannot stay below, it plays its lowest card; what others discard does not count."""
    state = hearts.late(["Tc 2d", "Ad 3d", "3c 9c Qc Ac", "4c 5c"])
    hearts.do(state, "Tc", "Ad")
    assert [plays(act) for act in by_worth(state)] == ["9c", "3c", "Qc", "Ac"]
    state = hearts.late(["3c 2d", "Jc 3d", "4c 9c Qc", "2c 5c"])
    hearts.do(state, "3c", "Jc")
    assert [plays(act) for act in by_worth(state)] == ["9c", "4c", "Qc"]
    state = hearts.late(["2c 2d", "9c 3d", "3c 8c Tc", "4c 5c"])
    hearts.do(state, "2c", "9c")
    assert [plays(act) for act in by_worth(state)] == ["8c", "3c", "Tc"]


def test_hearts_is_rid_of_the_black_queen_at_once_below_king_or_ace() -> None:
    state = hearts.late(["As 2d", "Qs Js Ks", "2c 3c", "4c 5c"])
    hearts.do(state, "As")
    assert [plays(act) for act in by_worth(state)] == ["Qs", "Ks", "Js"]
    state = hearts.late(["Ts 2d", "Qs Js Ks", "2c 3c", "4c 5c"])
    hearts.do(state, "Ts")
    assert [plays(act) for act in by_worth(state)] == ["Js", "Qs", "Ks"]


@pytest.mark.parametrize(
    "worth",
    [
        {"Qs": 100, "As": 62, "Ks": 61, "Ah": 22, "Ad": 12, "Kd": 11, "2h": 10, "3d": 1},
        {"Ah": 22, "As": 12, "Ad": 12, "Ks": 11, "Kd": 11, "2h": 10, "3d": 1, "4d": 2},
    ],
    ids=["the queen of spades in hand", "the queen of spades taken"],
)
def test_hearts_discards_what_costs_most(worth: dict[str, int]) -> None:
    """Once the queen of spades has been taken, ace and king of spades cost no more than other high cards."""
    state = hearts.late(["4c 5c 6c 7c 8c 9c Tc Jc", " ".join(worth), "4h 5h", "6h 7h"])
    hearts.do(state, "4c")
    assert weighed(state) == {f"play {card}": points for card, points in worth.items()}


# ------------------------------------------------------------------------------------------ games of stops


def leads(state: State) -> dict[str, float]:
    """What each lead is worth."""
    return {plays(act): worth for act, worth in weighed(state).items() if act.startswith("lead")}


HANDS = ["5c 6c 9c Jd", "7c 2d 3d", "2h 3h 4h"]
"""Of 13 cards that the first player does not see, 7 are in the stock: so is each with a probability of 7/13."""
STOPPED = 7 / 13


def test_newmarket_sees_where_a_sequence_goes() -> None:
    """Each own card that goes is worth 1 counter, and leading again 2.  5c and 6c go for certain; 7c stops the sequence
    if it is in the stock, as do 8c and Tc.  Of Jd everybody knows: Qd has been played."""
    nine = 1 + 2 * STOPPED
    after_six = 2 * STOPPED + (1 - STOPPED) ** 2 * nine
    expected = {"Jd": 1 + 2, "9c": nine, "6c": 1 + after_six, "5c": 2 + after_six}
    assert leads(newmarket.scene(HANDS, stock="8c Th", lead_rule="any")) == pytest.approx(expected)


@pytest.mark.parametrize(("others", "stopped"), [((1,), 7 / 10), ((1, 2), 1.0)])
def test_newmarket_remembers_who_lacks_a_card(others: tuple[int, ...], stopped: float) -> None:
    """Seat 1 or both others are known not to hold 7c, so it is rather, or certainly, in the stock."""
    state = newmarket.scene(HANDS, stock="8c Th", lead_rule="any")
    for p in others:
        state.position.lacks[p] |= cards("7c")
    nine = 1 + 2 * STOPPED
    assert leads(state)["6c"] == pytest.approx(1 + 2 * stopped + (1 - stopped) * (1 - STOPPED) * nine)
    assert leads(state)["9c"] == pytest.approx(nine)


def test_newmarket_takes_what_lies_on_the_layout() -> None:
    """The pools are those of Ah, Kc, Qd and Js; a king ends a sequence."""
    hands = ["Jc Qd Kc 9h", "2d 3d 4d", "2h 3h 4h"]
    found = leads(newmarket.scene(hands, stock="Qc Th", pool=(3, 5, 2, 4), lead_rule="any"))
    assert (found["Kc"], found["Qd"]) == (5 + 1 + 2, 2 + 1 + 2)
    assert found["Jc"] == pytest.approx(1 + 2 * STOPPED + (1 - STOPPED) * (5 + 1 + 2))
    found = leads(newmarket.scene(["Ah 2h 9c", "2d 3d 4d", "Ts Js Qs"], pool=(3, 5, 2, 4), lead_rule="any"))
    assert found["Ah"] == found["2h"] + 3 + 1


def test_newmarket_lays_the_least_and_spreads_it_evenly() -> None:
    state = newmarket.load(3, stakes="spread").new()
    assert by_best(state) == ["take 4"]
    state.apply("take 10")
    for share in (2, 2, 3, 2, 2, 3):  # 10 on four pools, 8 on three, 6 on two; what is left goes on the last
        assert by_best(state) == [f"lay {share}"]
        state.apply(f"lay {share}")


def by_best(state: State, player: int | None = None) -> list[str]:
    """The actions that are worth most."""
    worth = weighed(state, player)
    return [act for act in worth if worth[act] == max(worth.values())]


def test_commit_plays_the_comet_whenever_it_may() -> None:
    asked = commit.comet()
    assert by_best(asked) == ["comet"]
    assert weighed(asked) == {"comet": 1000, "pass": 0}


def test_commit_counts_what_aces_kings_and_the_comet_bring() -> None:
    """Each of the two others pays 1 for an ace that is led and for a king, and 2 for the comet; an own card that goes
    is worth half a counter, and leading again 1."""
    hands = ["Ac 5c 9d Ks", "2c 3c", "4c 5h"]
    found = leads(late(commit.load(3), hands, stock="6c", pool=3))
    unseen, others, stock = 7, 4, 3
    stopped = stock / unseen
    assert stock + others == unseen
    assert found["Ks"] == 2 + 0.5 + 1
    assert found["9d"] == 2 * 2 + 0.5 + 1  # the ten has been played
    assert found["5c"] == pytest.approx(0.5 + stopped)
    on = 1 - stopped
    assert found["Ac"] == pytest.approx(2 + 0.5 + stopped + on**3 * found["5c"])


def test_commit_takes_the_better_of_two_cards_after_the_comet() -> None:
    """Td goes on with Jd, its own: two cards gone instead of one."""
    state = do(commit.comet(), "comet")
    assert by_best(state) == ["take Td"]
    found = weighed(state)
    assert found["take Td"] - found["take 5s"] == pytest.approx(0.5)


def test_commit_is_not_paid_for_an_ace_after_the_comet() -> None:
    """Only an ace that is led is paid for (CO-35); no card that is taken after the comet is an ace anyway."""
    state = do(commit.comet(d="As 5s Td 4c 5c"), "comet")
    assert {*weighed(state)} == {"take 5s", "take Td"}


def test_pope_joan_takes_what_lies_on_the_layout() -> None:
    """A pool is worth its counters, and half as much again because it need not be doubled; a card that goes 1, leading
    again 2."""
    hands = ["Td Jc Qs 7d 2c", "2s 3s 4s 5s 6s", "7h 8h 9h Th Jh"]
    found = leads(pope_joan.scene(hands, pool=pope_joan.pools(Ten=4, Jack=3, Queen=1, Pope=8)))
    assert {card: found[card] for card in ("Td", "Jc", "Qs", "7d")} == {"Td": 9, "Jc": 7.5, "Qs": 4.5, "7d": 15}


@pytest.mark.parametrize(
    ("knave", "expected"),
    [
        ({"played": {1: "Js"}}, {"Ks": 4 + 0.4 * 20, "Qs": 4 + 0.4 * 10}),  # another has played it
        ({"played": {0: "Js"}}, {"Ks": 4 + 20, "Qs": 4 + 10}),
    ],
    ids=["the jack is another's", "the jack has been played by the same player"],
)
def test_pope_joan_hopes_for_the_other_card_of_a_pair(knave: dict[str, Any], expected: dict[str, float]) -> None:
    """Matrimony is king and queen, Intrigue queen and jack, Confederacy king and jack of trumps."""
    counters = pope_joan.pools(Matrimony=4, Intrigue=10, Confederacy=20)
    hands = ["Ks Qs Jd 2c", "2s 3s 4s 5s", "7h 8h 9h Th"]
    found = leads(pope_joan.scene(hands, turned="As", options=pope_joan.TRUMP, pool=counters, **knave))
    assert found["Ks"] == pytest.approx(expected["Ks"] + 1 + 2)
    assert found["Qs"] == pytest.approx(expected["Qs"] + 1 + found["Ks"])


@pytest.mark.parametrize(("ace", "cards_gone"), [("low", 1), ("high", 2)])
def test_pope_joan_goes_on_from_king_to_ace_where_the_ace_is_high(ace: str, cards_gone: int) -> None:
    """Nothing follows the highest card."""
    state = pope_joan.scene(["Kc Ac 9d 2s", "2d 3s 4s 5s", "7h 8h 9h Th"], options={"ace": ace})
    assert leads(state)["Kc"] == cards_gone + 2


def test_pope_joan_doubles_nothing_in_the_classic_game() -> None:
    hands = ["Ks Ac Jd 7d", "2s 3s 4s 5s", "7h 8h 9h Th"]
    counters = pope_joan.pools(Ace=20, K=6, Pope=8)
    found = leads(pope_joan.scene(hands, turned="3s", options=pope_joan.CLASSIC, pool=counters))
    assert found["Ks"] == 6 + 1 + 2


def test_pope_joan_lays_whatever_may_be_laid() -> None:
    state = pope_joan.hearts("Jh Kh 5c 6d", "Qh 2s 9s", "8s 9s 2d")
    state.apply("lead Jh")
    assert weighed(state) == {"lay Kh": 1, "keep": 0}


# ------------------------------------------------------------------------------------------ Diabolo


ROWS = {"R": ("1 2", "5"), "Y": ("4", "2 1"), "G": ("", "3"), "B": ("5 1", "1 2")}


@pytest.mark.parametrize(
    ("rows", "hand", "best"),
    [
        ({}, "R5 R4 Y3 G2 P1 B1 B2", "place R4 right"),  # the five stays in hand, for which the row counts
        ({"R": ("5 4", "")}, "R5 R4 Y1 Y2 G1 P1 B1", "place R5 right"),  # a row that is lost to the left
        ({"R": ("", "5 4")}, "R5 R4 Y1 Y2 G1 P1 B1", "place Y1 right"),  # a row that is won needs no more
        ({"R": ("2 2", "3 3"), "B": ("4", "")}, "R1 R1 Y5 Y5 Y4 P1 B1", "place Y5 right"),
        (ROWS, "R4 R1 Y5 Y1 G2 P4 P3", "place Y5 right"),
    ],
)
def test_diabolo_builds_the_row_of_which_it_holds_most(rows: dict[str, tuple[str, str]], hand: str, best: str) -> None:
    assert by_best(diabolo.scene(rows, [hand, "", ""], 3)) == [best]


@pytest.mark.parametrize(("hand", "word"), [("Y5 G2", "yes"), ("Y1 G5 G4", "no"), ("Y1", "yes"), ("P5", "no")])
def test_diabolo_keeps_its_doubler_for_the_row_that_brings_most(hand: str, word: str) -> None:
    rows = {"Y": ("1", "4 2"), "G": ("1 1", "5 2 2"), "P": ("5", "1"), **diabolo.EVEN}
    state = diabolo.scene(rows, [f"R1 {hand}", "", ""])
    state.apply(diabolo.LAST)
    assert by_best(state, 0) == [f"doubler {word}"]


def test_diabolo_discards_into_no_row() -> None:
    """Red is locked and even: a one that is discarded leaves it so, and costs nothing."""
    state = diabolo.scene({"R": ("1 4", "3 1 1")}, ["R1 R2 R2 R3 R3 R4", "", ""])
    state.position.stage = diabolo.RULES.DRAWING
    state.apply("R5")
    assert {*weighed(state).values()} == {0}


# ------------------------------------------------------------------------------------------ Diamonds


DIAMONDS = rules_of("diamonds")


@pytest.mark.parametrize(
    ("unseen", "each"),
    [
        ("D2", 6 + 6 / 5),  # six diamonds; what a pile denies the next player counts a fifth
        ("D2 CA", (1 + 1 / 5) * (1 - 1 / 2**6)),  # either comes next, and the ace stops everybody
        ("X1", 0.8 * (6 + 6 / 5)),
        ("CA", 0.0),
        ("S9", 0.0),  # there is nothing that it would break
        ("", 0.0),
    ],
)
def test_diamonds_expects_of_a_pile_what_its_cards_may_bring(unseen: str, each: float) -> None:
    """Nine closed piles of six cards, each of which is any of those that nobody has seen."""
    state = parlour.load("diamonds", first_dealer=0).new(seed=1)
    state.position.unseen = sum(1 << DIAMONDS.CARDS.index(card) for card in unseen.split())
    assert weighed(state) == pytest.approx({f"dig {i}": each for i in range(9)})


# ------------------------------------------------------------------------------------------ Diamondback

STACK = rules_of("diamondback")
ORDER = {hand: n for n, hand in enumerate(STACK.HANDS, 1)}


class Gambler:
    """What somebody does at Diamondback who counts cards, believes whoever has paid a lot, and bluffs once in ten."""

    def __init__(self, state: State, me: int, seed: int) -> None:
        self.acts, self.s, self.me = [*map(state.name_of, state.legal_actions(me))], restored(state.view(me)), me
        self.live = [p for p in range(self.s.players) if self.s.live >> p & 1 and p != me]
        self.is_dealers = state.game.options.get("version") == "dealers"
        self.bluffs = part([seed]) < 0.1

    def points(self, one: str, other: str) -> int:
        return ORDER.get(f"{one}-{other}") or ORDER.get(f"{other}-{one}") or 0

    def frightening(self, card: str) -> int:
        """What a hand with a card is worth, in a deck for two."""
        deck = {"Magician": 1, "Priestess": 2, "Queen": 3, "King": 4, "Priest": 5}
        return sum(self.points(card, other) * many for other, many in deck.items())

    def believed(self, p: int, more: int) -> float:
        """How much a player is believed to hold, to a tenth: up to twice as much as one who has paid ten coins."""
        paid = self.s.before[p] - self.s.coins[p] + more
        if self.is_dealers and p != self.s.dealer:
            paid /= 2
        return float(round(15 * min(paid / 10, 2) * (0.6 if p == self.s.dealer else 1)) / 10)

    def wins(self, more: int = 0) -> float:
        """The probability that this hand is the best, half of it where two are alike."""
        seats = self.s.dealt.bit_count() - 1
        deck = Counter(
            {"Magician": 1, "Priestess": 2 * seats, "Queen": 3 * seats, "King": 4 * seats, "Priest": 5 * seats}
        )
        mine = self.s.hand[self.me]
        deck -= Counter(STACK.HANDS[mine - 1].split("-"))
        shown = {p: STACK.CARDS[self.s.up[p] - 1] for p in self.live if self.s.up[p]}
        deck -= Counter(shown.values())
        chance = 1.0
        for p in self.live:
            better = total = 0.0
            for one in [shown[p]] if p in shown else deck:
                for other in deck:
                    ways = deck[other] if p in shown else deck[one] * (deck[other] - (one == other))
                    theirs = self.points(one, other)
                    weight = ways * (theirs / 14) ** self.believed(p, more)
                    total += weight
                    better += weight * ((theirs < mine) + (theirs == mine) / 2)
            chance *= better / total
        return chance

    def wager(self) -> str:
        """As much as would be won more often than not if it were matched; with nothing, the least, a bluff or no
        more."""
        sums = [int(act.split()[1]) for act in self.acts if act.startswith("wager")]
        if not sums:
            return self.acts[0]
        fair = 1 / (len(self.live) + 1)
        for many in (sums[-1], sums[len(sums) // 2]):
            if self.wins(many) > fair + 0.05:
                return f"wager {many}"
        if self.s.pot and self.bluffs:
            return f"wager {sums[-1]}"
        opens = self.s.stage == STACK.OPENING and (self.s.pot or self.wins(1) > fair)
        return f"wager {sums[0]}" if opens else self.acts[0]

    def wants(self) -> str:
        s, first = self.s, self.acts[0].split()[0]
        if "match" in self.acts or s.stage == STACK.ANSWER:
            price = s.wager * (2 if self.is_dealers else 1)
            return "match" if self.wins() > price / (s.pot + price) + 0.05 else "fold"
        if s.stage in (STACK.OPENING, STACK.FURTHER):
            return self.wager()
        if first == "ante":
            return self.acts[0]
        if first == "expose":
            return max(self.acts, key=lambda act: self.frightening(act.split()[1]))
        if "stop" in self.acts:
            return "stop" if self.wins() * (len(self.live) + 1) < 1 else "on"
        if "pay" in self.acts:
            return "pay"
        return "end" if s.coins[self.me] > s.start_coins else "continue"


@pytest.mark.parametrize(
    ("players", "options"),
    [
        (2, {}),
        (3, {"wager_limit": "none", "exposure": "all_together"}),
        (3, {"version": "dealers", "ante_decline": "yes"}),
        (4, {"version": "match", "match_unit": "within_hand"}),
        (3, {"version": "match", "start_coins": 30}),
    ],
)
def test_diamondback_counts_cards(players: int, options: dict[str, Any]) -> None:
    game, choose, seen = parlour.load("diamondback", players, **options), random.Random(players), Counter[str]()
    state, seed = game.new(seed=1), 0
    for _ in range(400):
        if state.is_terminal:
            state = game.new(seed=seed)
        seed += 1
        me = state.acting[0]
        if len(state.legal_actions(me)) > 1:
            wanted, worth = Gambler(state, me, seed).wants(), weighed(state, me, seed)
            assert worth == {act: float(act == wanted) for act in worth}, (len(state.history), wanted)
            seen[wanted.split()[0]] += 1
        # folds are rare, so that hands go on
        act = choose.choice(
            [a for a in state.legal_actions(me) if state.name_of(a) != "fold" or choose.random() < 0.3]
            or state.legal_actions(me)
        )
        state.apply(act, me)
    assert seen["wager"] > 5
    assert min(seen["match"], seen["fold"]) > 0


@pytest.mark.parametrize("options", [{}, {"wager_limit": 4}, {"version": "dealers"}])
@pytest.mark.parametrize("others", ["K-Pr", "K-Pr Q-Pr", "K-Pr Q-Pr Pr-Pr"])
def test_diamondback_opens_with_each_hand_as_it_deserves(others: str, options: dict[str, Any]) -> None:
    short = {card: letter for letter, card in diamondback.SHORT.items()}
    for hand in STACK.HANDS:
        mine = "-".join(short[card] for card in hand.split("-"))
        table = diamondback.Table(f"{mine} {others}", players=len(others.split()) + 1, **options)
        while "pay" in table.acts or table.acts[0] == "ante 1":
            table.do(table.acts[0])
        for seed in (1, 2, 3):
            wanted = Gambler(table.state, 0, seed).wants()
            assert [act for act, worth in weighed(table.state, 0, seed).items() if worth] == [wanted], hand


@pytest.mark.parametrize("hands", ["Ps-K M-Pr K-Pr", "Ps-K K-Pr M-Pr", "Q-K Pr-Pr M-Pr", "M-Pr K-Pr Q-Pr"])
def test_diamondback_counts_each_card_that_lies_there(hands: str) -> None:
    """The one Magician too: once it is turned up, nobody else has it."""
    table = diamondback.Table(hands, players=3).do("wager 1", "match", "match")
    while table.acts[0].startswith("expose"):
        table.do(table.acts[0])
    for more in (0, 1, 9):
        gambler = Gambler(table.state, 0, 1)
        assert win_chance(gambler.s, 0, more) == pytest.approx(gambler.wins(more))


# ------------------------------------------------------------------------------------------ Dividha

TABLETS = rules_of("dividha")


def suit_of(card: str) -> str:
    return str(TABLETS.SUIT_OF[CARDS.index(card)])


def with_six(six: int, how: int, showdown: int, others: int, notes: list[float]) -> tuple[float, float]:
    """The chances of six cards against others who hold any of the random hands that are prepared."""
    ladder = heuristic.LADDER
    highs, lows = notes[:ladder], notes[ladder : 2 * ladder]
    worst, best = heuristic.ends(how, six, showdown)
    above = sum(x < best for x in highs) + sum(x == best for x in highs) / 2
    below = sum(x < worst for x in lows) + sum(x == worst for x in lows) / 2
    return (above / ladder) ** others, (1 - below / ladder) ** others


class Divider:
    """What somebody does at Dividha who knows the chances of holding the strongest hand and the weakest."""

    def __init__(self, state: State, me: int, seed: int) -> None:
        self.acts, self.s, self.me = [*map(state.name_of, state.legal_actions(me))], restored(state.view(me)), me
        self.dice = [seed]
        notes = [*prepared(state.game), *[0.0] * NOTES]
        self.strongest, self.weakest = heuristic.chances(self.s, me, notes, [seed])
        six, others = self.s.private[me] | self.s.public[me], (self.s.live & ~(1 << me)).bit_count()
        if six.bit_count() == heuristic.HANDFUL:
            found = with_six(six, TABLETS.ranking(self.s), self.s.showdown, others, notes)
            assert (self.strongest, self.weakest) == pytest.approx(found)

    @property
    def end(self) -> int:
        """1: for Win, -1: for Lose, by the chances and by what may lie there.  Of the others' coins half may be on
        Win."""
        s, me = self.s, self.me
        win = s.win[me] + s.fee_win[me] + (s.pot - s.paid[me] - s.fees[me]) / 2
        return 1 if self.strongest * win >= self.weakest * (s.pot - win) else -1

    def coins_on_win(self) -> int:
        """All on the better end; once in five times up to half of it on the other."""
        share = 0.5 + 0.5 * part(self.dice) if part(self.dice) < 0.2 else 1
        return int(self.s.owed * (share if self.strongest >= self.weakest else 1 - share) + 0.5)

    def bet(self) -> str:
        """A raise with more than 55%, and seldom as a bluff, three times a round at most; a call at the right price."""
        s, chance = self.s, max(self.strongest, self.weakest)
        need = min(s.level - s.put[self.me], s.coins[self.me])
        raises = [act for act in self.acts if act.startswith("raise")]
        if raises and (chance > 0.55 or part(self.dice) < 0.06) and s.raises < 3:
            share = (0.2 + 0.4 * part(self.dice)) * min(1, chance + 0.2)
            return raises[min(len(raises) - 1, int(share * len(raises)))]
        if not need:
            return "check"
        return "call" if chance > need / (s.pot / 2 + need) else "fold"

    def use(self, card: str, others: Sequence[str]) -> int:
        """How much a card helps others to a strong hand."""
        at = CARDS.index(card)
        if at < 2:
            return 60  # wild
        height = TABLETS.HEIGHT[at]
        heights = [TABLETS.HEIGHT[CARDS.index(other)] for other in others]
        alike = heights.count(height)
        near = sum(0 < abs(height - other) < 5 for other in heights)
        suited = sum(suit_of(other) == suit_of(card) for other in others)
        return int(25 * alike + 5 * suited + 3 * near + 8 * (suit_of(card) in ("V", "L")) + height // 2)

    def trade(self) -> str:
        """The card that helps least, unless all help."""
        s, me = self.s, self.me
        if s.pay_to_trade and part(self.dice) < 0.5:
            return "stand"
        those = (s.private[me] | s.public[me]) & ~s.picked
        held = [card for c, card in enumerate(CARDS) if those >> c & 1]
        uses = {card: self.use(card, [other for other in held if other != card]) for card in held}
        worst = min(held, key=lambda card: self.end * uses[card])
        hopeless = uses[worst] < 20 if self.end > 0 else uses[worst] >= 20
        return f"trade {worst}" if hopeless and f"trade {worst}" in self.acts else "stand"

    def wants(self) -> str:
        s, me, kinds = self.s, self.me, {act.split()[0] for act in self.acts}
        if "agree" in kinds:
            return "agree" if s.coins[me] * s.seated.bit_count() < sum(s.coins) else "refuse"
        if "return" in kinds:
            return "return"
        if "discard" in kinds:
            return f"discard {CARDS[TABLETS.discard_for(s, me, self.end)]}"
        if "lay" in kinds:
            places = TABLETS.laying_for(s, me, self.end)
            return "lay " + " ".join(str(i + 1) for i in range(5) if places >> i & 1)
        if "order" in kinds:
            return "order " + " ".join(str(i + 1) for i in TABLETS.SEQUENCES[TABLETS.right_order(s, me)])
        if "name" in kinds:
            how = TABLETS.ranking_of(s, me)
            made = TABLETS.category(how, TABLETS.worth_of(how, TABLETS.hand_of(s, me)))
            return f"name {CATEGORIES[made]}"
        return self.trade() if "stand" in kinds else self.bet()


@pytest.mark.parametrize(
    ("players", "options", "reached"),
    [
        (2, {"starting_coins": 30}, ["discard"]),
        (3, {"pay_to_trade": "on", "starting_coins": 40}, ["discard"]),
        (2, {"aural_rule": "on", "showdown": "free", "starting_coins": 30}, ["lay", "name"]),
        (2, {"rule_of_order": "on", "starting_coins": 30}, ["order"]),
        (3, {"absences": "on", "between_hands": "asked", "starting_coins": 24, "ante_step": 4}, []),
    ],
)
def test_dividha_bets_and_trades_by_the_better_of_two_chances(
    players: int, options: dict[str, Any], reached: list[str]
) -> None:
    game, choose, kinds = parlour.load("dividha", players, **options), random.Random(players), Counter[str]()
    state = game.new(seed=1)
    for seed in range(140):
        if state.is_terminal:
            state = game.new(seed=seed)
        if state.current_player == CHANCE:
            state.apply(choose.choice(state.chance_outcomes())[0])
            continue
        me = state.acting[0]
        worth, divider = weighed(state, me, seed), Divider(state, me, seed)
        if all(act.startswith("win") for act in worth):
            wanted = divider.coins_on_win()
            assert worth == {act: -abs(int(act.split()[1]) - wanted) for act in worth}
        elif not any(act.startswith("propose") for act in worth):
            wants = divider.wants()
            assert worth == {act: float(act == wants) for act in worth}, (wants, len(state.history))
            kinds[wants.split()[0]] += 1
        cheap = [a for a in state.legal_actions(me) if state.name_of(a) not in ("fold", "leave the table")]
        state.apply(choose.choice(cheap), me)
    assert {"check", "call", "stand", "trade", *reached} <= {*kinds}


def test_dividha_leaves_all_as_it_is_between_two_hands_and_comes_back() -> None:
    table = dividha.Table(players=3, ante=6, between_hands="asked", absences="on").do("raise 2/1", "fold", "fold")
    assert {act for act, worth in weighed(table.state, 0, 1).items() if worth > 0} == {"check"}
    table.do("leave the table", "check", "check", "raise 2/1", "fold", "check", "check")
    assert weighed(table.state, 0, 1) == {"return": 1, "stay away": 0}


def test_dividha_of_equal_chances_looks_at_what_lies_on_each_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """And if that is nothing, it goes for Win."""
    monkeypatch.setattr(heuristic, "chances", lambda *_: (0.5, 0.5))
    for paid, end in (("win 8", 1), ("win 0", -1)):  # of the ante of 4, half lies on each end
        table = dividha.Table(ante=4, pay_to_trade="on", draws="KV KB").quiet(dividha.RULES.TRADE)
        table.do(*[act for act in table.acts if act.startswith("trade")][:2], paid)
        assert heuristic.end(table.s, 0, [], [1]) == end
    table = dividha.Table().do("raise 2")
    assert [heuristic.divides(table.s, 0, [], [seed]) for seed in range(9)].count(2) > 4


def test_dividha_ranks_a_hand_by_a_wild_card_beside_it_only_where_that_counts() -> None:
    """Providence (DV-165) looks at the combination, or with ``providence_scope=held`` at the whole hand."""
    six = cards_named("God KU KD 7U 5D 3B")
    plain = cards_named("2V KU KD 7U 5D 3B")
    used, held = (TABLETS.ranking(dividha.load(2, providence_scope=scope).start()) for scope in ("used", "held"))
    assert heuristic.ends(used, six, 0) == advice.ends_of(used, six, 0)
    assert heuristic.ends(held, plain, 0) == advice.ends_of(held, plain, 0)
    assert heuristic.ends(held, six, 0) == advice.ends_of(held | hands.WILD_HELD, six, 0)
    assert heuristic.ends(held, six, 0) != advice.ends_of(held, six, 0)


def test_dividha_knows_how_much_a_card_helps_others() -> None:
    """Cards alike, of its suit, near in height; immortals and high cards; a wild card always."""
    choose, divider = random.Random(5), Divider.__new__(Divider)
    for _ in range(60):
        hand = choose.sample(CARDS, 5) + [choose.choice(("God", "Satan"))] * (choose.random() < 0.3)
        for card in {*hand}:
            others = sorted({*hand} - {card})
            held = sum(1 << CARDS.index(name) for name in {*hand})
            assert heuristic.use(CARDS.index(card), held) == divider.use(card, others)


def test_dividha_estimates_the_chances_of_cards_that_are_still_to_come() -> None:
    """The average of what it imagines is what all cards that it may get bring."""
    game = dividha.load(3)
    notes = [*prepared(game), *[0.0] * NOTES]
    five, deck = cards_named("AV KV QV 7D 3B"), ALL
    how, showdown = TABLETS.ranking(game.start()), game.start().showdown

    def chances_of(six: int) -> tuple[float, float]:
        return with_six(six, how, showdown, 2, notes)

    rest = [1 << c for c in range(len(CARDS)) if (deck & ~five) >> c & 1]
    expected = [sum(column) / len(rest) for column in zip(*(chances_of(five | card) for card in rest), strict=True)]
    found = [heuristic.completed(how, showdown, five, deck & ~five, 2, notes, [seed]) for seed in range(1, 60)]
    assert [sum(column) / len(found) for column in zip(*found, strict=True)] == pytest.approx(expected, abs=0.04)
    six = five | rest[7]
    assert heuristic.completed(how, showdown, six, deck & ~six, 2, notes, [1]) == pytest.approx(chances_of(six))


# ------------------------------------------------------------------------------------------ Matrimony


class Staker:
    """What a counter on each pool brings back: whoever wins the pool has it whole; otherwise it lies there in the next
    deal, in which everybody has moved up by one place, and after the last deal it is shared out."""

    def __init__(self, players: int, **options: str) -> None:
        rules = {"cards": "one_down", "pair_rule": "first", "best_rule": "carry", **options}
        court, _, _, pair, best = chances(players, **rules)
        pools = {"Matrimony": court, "Pair": pair, "Best": best}
        self.players = players
        self.wins = {pool: [float(one + sweep()) for one in each[:players]] for pool, each in pools.items()}

    def worth(self, pool: str, place: int, deals: int) -> float:
        """To the player who shows their cards in this place; the dealer shows last."""
        if not deals:
            return 1 / self.players
        wins = self.wins[pool]
        return wins[place] + (1 - sum(wins)) * self.worth(pool, (place - 1) % self.players, deals - 1)

    def best(self, place: int, deals: int) -> str:
        return max(self.wins, key=lambda pool: self.worth(pool, place, deals))


def test_matrimony_has_a_place_for_each_chance() -> None:
    """Of every number of players, each of them and each sort of pool."""
    sorts = range(thumb.SORTS)
    places = [thumb.at(players, i, sort) for players in range(1, 27) for i in range(players) for sort in sorts]
    assert sorted(places) == [*range(thumb.CHANCES)]
    assert thumb.NOW == thumb.CHANCES
    assert thumb.LATER == thumb.NOW + 26 * thumb.SORTS


@pytest.mark.parametrize(("players", "options"), [(2, {}), (3, {"cards": "two_down"}), (5, {"best_rule": "next_up"})])
def test_matrimony_knows_what_a_counter_brings_back(players: int, options: dict[str, str]) -> None:
    staker = Staker(players, **options)
    for deals in (1, 2, 5):
        notes = [*prepared(parlour.load("matrimony", players, **options)), *[0.0] * NOTES]
        thumb.look_ahead(players, deals, notes)
        for place in range(players):
            at = thumb.NOW + thumb.SORTS * place
            expected = [staker.worth(pool, place, deals) for pool in ("Matrimony", "Pair", "Best")]
            assert notes[at : at + 3] == pytest.approx(expected)


@pytest.mark.parametrize("options", [{}, {"others_stake": "at_most"}, {"rounds": 1, "stake_visibility": "secret"}])
def test_matrimony_stakes_little_and_where_it_brings_back_most(options: dict[str, Any]) -> None:
    """The dealer takes as few counters as it may; everything goes on one pool."""
    players = 4
    game, choose, laid = parlour.load("matrimony", players, **options), random.Random(2), Counter[str]()
    staker, state = Staker(players), game.new(seed=3)
    while not state.is_terminal:
        if state.current_player == CHANCE:
            state.apply(choose.choice(state.chance_outcomes())[0])
            continue
        me, s = state.acting[0], state.position
        worth = weighed(state, me)
        asked, place = s.pool[me], (me - s.dealer - 1) % players
        if s.dealt == (1 << players) - 1 and len(worth) > 1:
            best = staker.best(place, max(1, s.rounds * players - s.deal))
            wanted = asked > 0 and POOLS[asked - 1] == best
            assert [*worth.values()] == [float(act == [*worth][-1 if wanted else 0]) for act in worth]
            laid[best] += wanted
        state.apply(choose.choice(state.legal_actions(me)), me)
    assert {"Pair", "Best"} <= {*laid}


def test_matrimony_lays_on_the_first_of_two_pools_that_bring_back_as_much() -> None:
    """In the only deal, the second of three players has a third of the chances to hold the highest pair, and a third of
    those to get the ace of diamonds."""
    state = parlour.load("matrimony", 3, pair_rule="highest", deals=1, first_dealer=2).new()
    while state.current_player != CHANCE:
        state.apply(by_best(state)[0])
    laid = [(told.who, told.a, POOLS[told.b - 52]) for told in state.events() if told.event == "lays"]
    assert (1, 1, "Pair") in laid
