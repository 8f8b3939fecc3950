"""Matrimony: scripted deals, every option, refusals, exact figures against enumeration, and what always holds."""

from __future__ import annotations

import io
import itertools
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

import pytest
from rich.console import Console

import parlour
from parlour import CHANCE, EVERYBODY, SEVERAL, Game, ParlourError, State
from parlour.core.drawing import Drawing
from parlour.engine.definition import definition
from parlour.engine.odds import odds
from parlour.games.matrimony import drawing
from parlour.games.matrimony.chances import Pack, chances, sweep
from tests.engine.test_parity import Budget, compare
from tests.games.stops import Scripted, assert_clauses, assert_refused, by_clause, in_rows, refused
from tests.helpers import Setting, few_settings, play, rules_of

RULES = rules_of("matrimony")
POOLS = RULES.POOLS


def load(players: int, **options: Any) -> Game:
    """The last seat deals first, unless it is said otherwise: seat 0 is eldest."""
    return parlour.load("matrimony", players, **{"first_dealer": players - 1, **options})


class Table(Scripted):
    """A scripted match.  ``counters`` and ``pools`` are what players hold and what lies on the layout at the start."""

    def __init__(
        self, players: int, counters: Sequence[int] = (), pools: Sequence[int] = (), **options: int | str
    ) -> None:
        game = load(players, **options)
        s = game.blank()
        RULES.begin(s, None)
        for p, n in enumerate(counters):
            s.counters[p] = s.before[p] = n
        s.pools[:] = [*pools, 0, 0, 0, 0, 0][:5] if pools else s.pools
        if s.stage != RULES.DRAWING:
            RULES.start_deal(s, None)
        self.state, self._from = game.state_at(s), 0

    def stake(self, *stakes: Sequence[int]) -> Table:
        """Stakes by pool, the dealer's first, then the others' in order: whoever is asked lays them; what is forced
        need not be asked."""
        self._from = len(self.state.events(None))
        for amounts in stakes:
            assert self.state.acting, "nobody is to stake"
            p, full = self.state.acting[0], [*amounts, 0, 0, 0, 0]
            while p in self.state.acting:
                pool = self.state.position.pool[p]
                word, n = ("take", sum(amounts)) if pool == RULES.WHOLE else ("lay", full[pool - 1])
                self.state.apply(f"{word} {n}", p)
        return self

    def deal(self, *cards: str) -> Table:
        """These cards come, one after the other; several may stand in one string."""
        self._from = len(self.state.events(None))
        for card in " ".join(cards).split():
            assert self.state.current_player == CHANCE
            self.state.apply(card)
        return self

    @property
    def counters(self) -> list[int]:
        return list(self.state.position.counters[: self.state.game.players])

    @property
    def pools(self) -> list[int]:
        return list(self.state.position.pools)

    def heard(self) -> list[str]:
        """Clauses of what was said since the last stakes or cards."""
        return [told.clause for told in self.state.events(None)[self._from :]]

    def said(self, event: str) -> list[tuple[int, int, int]]:
        return [(told.who, told.a, told.b) for told in self.state.events(None)[self._from :] if told.event == event]


def in_brief(e: Any) -> str:
    """Clause, who, what, and its numbers, pool or card."""
    what = [str(n) for n in (e.a, e.b)[: 2 if e.b else 1 if e.a else 0]]
    if e.event == "wins":
        what = [str(e.a), POOLS[e.b - RULES.POOL]]
    elif e.event == "wins_best":
        what = [str(e.a), RULES.PACK[e.b]]
    elif e.event in ("too_late", "wins_nothing"):
        what = [POOLS[e.a - RULES.POOL]]
    return " ".join([e.clause, "all" if e.who == EVERYBODY else str(e.who), e.event, *what])


FIVE: dict[str, Any] = {"stake_min": 5, "rounds": 3, "start_counters": 10}
TWO, PAIR_8 = {"cards": "two_down"}, {"pools": [0, 0, 0, 8], "pair_rule": "highest"}
OUT: dict[str, Any] = {"broke": "out", "start_counters": 10}
PLAY_OUT: dict[str, Any] = {"leftovers": "play_out", "deals": 1}
ONE_POOR: dict[str, Any] = {"counters": [1, 9, 9], "pools": [0, 0, 0, 0, 11], "start_counters": 10}

DEALS: list[tuple[str, int, dict[str, Any], str, str, str]] = [
    # clauses, players, how it stands, stakes and cards of each deal; what is told while the last cards come;
    # what players have then, what lies there, and who deals next
    # order decides
    ("MA-31 MA-38", 4, {"pools": [9, 8, 7, 6, 5]}, "2 1 1 1: Qh 7c Kd Jc Ks 7d Qs Ad",
     "MA-34 0 wins 14 Matrimony, MA-37 1 wins 6 Pair, MA-38 2 too_late Matrimony, MA-39 3 no_best, "
     "MA-40 all best_stays 5, MA-41 all stay 15", "113 105 99 98 pools 0 8 7 0 5, 0 deals"),
    # what stays, and whose turn it is
    # a sweep
    ("MA-54", 3, {"pools": [4, 0, 3, 5, 3]}, "0+0+0+0+2 1 0+0+0+0+1: 9s Ad", "MA-29 1 sweeps 19",
     "99 118 98 pools 0 0 0 0 0, 0 deals"),
    # a pair of aces with the hidden ace
    ("MA-6", 2, {"pools": [0, 0, 0, 3, 4]}, "2 1: Ac 5d Ad 9h",
     "MA-39 0 no_best, MA-37 0 wins 3 Pair, MA-40 all best_stays 4, MA-41 all stay 3",
     "102 98 pools 3 0 0 0 4, 0 deals"),
    # the end
    # no counters: a player stakes nothing, and is passed over
    ("MA-48", 3, {"counters": [0, 7, 31], "pools": [0, 0, 62], "start_counters": 33, "rounds": 3},
     "2 1: 2h 3h 4h 5c 6c 7c", "MA-41 all stay 65, MA-46 0 passed_over", "0 6 29 pools 3 0 62 0 0, 1 deals"),
    ("", 3, {**FIVE, "counters": [3, 4, 10], "pools": [13]}, "0+5 0+0+4: 2h 3h 4h 5c 6c 7c",
     "MA-41 all stay 22, MA-46 0 passed_over, MA-46 1 passed_over", "3 0 5 pools 13 5 4 0 0, 2 deals"),
    # a pool with nothing on it
    ("MA-42", 4, {"pools": [1, 0, 8]}, "2 1 1 1: Qh Jh Kd Kc Js Qs Jd",
     "MA-43 0 wins_nothing Intrigue, MA-38 1 too_late Intrigue, MA-36 2 wins 8 Confederacy",
     "99 99 107 98 pools 6 0 0 0 0"),
    ("MA-35", 2, {"pools": [0, 6]}, "2 1: Jh 2c Qs", "MA-35 0 wins 6 Intrigue", "105 98 pools 3 0 0 0 0"),
    # deals without stakes
    ("", 2, {"restake": "when_empty"}, "2 1: 2h 3h 4h 5h", "MA-41 all stay 3, MA-23 0 stands 3",
     "99 98 pools 3 0 0 0 0, 0 deals"),
    ("", 2, {"restake": "when_empty"}, "2 1: 2h 3h 4h 5h; 3c Ad", "MA-29 0 sweeps 3",
     "102 98 pools 0 0 0 0 0, 1 deals"),
    ("", 2, {"counters": [1, 0], "pools": [0, 0, 0, 0, 3], "start_counters": 2}, "2h 3h 4h 5h",
     "MA-40 all best_stays 3, MA-47 0 without_stakes", "1 0 pools 0 0 0 0 3, 0 deals"),
    # two cards down: paid when both are turned
    ("MA-33", 3, {"pools": [5, 6, 7, 8], **TWO}, "2 1 1: Qh 4c 7d Js Kc",
     "MA-34 0 wins 9 Matrimony, MA-35 0 wins 6 Intrigue, MA-36 0 wins 7 Confederacy", "121 99 98 pools 0 0 0 8 0"),
    ("MA-33", 3, {"pools": [5, 6, 7, 8], **TWO}, "2 1 1: Qh 4c 7d Js Kc 4d 4h Qc Qs",
     "MA-34 0 wins 9 Matrimony, MA-35 0 wins 6 Intrigue, MA-36 0 wins 7 Confederacy, MA-37 1 wins 8 Pair, "
     "MA-38 2 too_late Pair", "121 107 98 pools 0 0 0 0 0, 0 deals"),
    # the highest pair
    ("", 3, {**PAIR_8}, "2 1 1: Ac Kc Kd Ah Kh Ks", "MA-37 1 wins 8 Pair, MA-41 all stay 4",
     "99 107 98 pools 4 0 0 0 0, 0 deals"),
    ("", 2, {**PAIR_8, "deals": 1}, "2 1: Ac 3c Ah 5c",
     "MA-37 0 wins 8 Pair, MA-41 all stay 3, MA-49 all last_deal 1, MA-50 all divide 3 2",
     "108 100 pools 0 0 0 0 0 over, shown: Pair"),
    ("", 2, {"pair_rule": "highest"}, "2 1: 2c 3c 2d 4d", "MA-43 0 wins_nothing Pair, MA-41 all stay 3",
     "99 98 pools 3 0 0 0 0, 0 deals"),
    # who has no counters may be out
    ("", 4, {**OUT, "counters": [1, 1, 9, 9], "pools": [0, 0, 0, 0, 20]}, "2 1 1 1: 2h 3h 4h 5h 6h 7h 8h 9h",
     "MA-40 all best_stays 20, MA-41 all stay 5, MA-45 0 is_out, MA-45 1 is_out", "0 0 8 7 pools 5 0 0 0 20, 2 deals"),
    ("", 3, {**OUT, "counters": [1, 1, 2], "pools": [0, 0, 0, 0, 26]}, "2 1 1: 2h 3h 4h 6h 7h 8h",
     "MA-40 all best_stays 26, MA-41 all stay 4, MA-45 0 is_out, MA-45 1 is_out, MA-45 2 is_out, MA-49 all too_few, "
     "MA-50 all divide 30 3", "10 10 10 pools 0 0 0 0 0 over"),
    # what is left may be played for; then nobody is passed over, and at last it is shared out
    ("", 2, PLAY_OUT, "0+0+0+0+2 0+0+0+0+1: 2h 3h 4h 5h; Kh Ad", "MA-29 0 sweeps 3, MA-49 all last_deal 2",
     "102 98 pools 0 0 0 0 0 over, shown: all"),
    ("", 2, PLAY_OUT, "2 1: 2h 3h 4h 5h" + "; 2h 3h 4h 5h" * 20,
     "MA-41 all stay 3, MA-49 all last_deal 21, MA-50 all divide 3 2", "100 100 pools 0 0 0 0 0 over"),
    ("", 3, {**ONE_POOR, "leftovers": "play_out", "deals": 2}, "2 1 1: 2h 3h 4h 5h 6h 7h",
     "MA-40 all best_stays 11, MA-41 all stay 4, MA-46 0 passed_over", "0 8 7 pools 4 0 0 0 11, 1 deals"),
    ("", 3, {"counters": [0, 0, 0], "pools": [0, 0, 0, 0, 1], "start_counters": 2, "deals": 1}, "2h 3h 4h 5h 6h 7h",
     "MA-40 all best_stays 1, MA-49 all last_deal 1, MA-50 all divide 1 3", "0 0 1 pools 0 0 0 0 0 over"),
]  # fmt: skip


LEFT_OUT = ("gets", "exposes", "ranks", "turn_to_deal", "deals", "takes", "lays")


@pytest.mark.clause("MA-14", "MA-15", "MA-30")
def test_the_turn_to_deal_passes() -> None:
    for cards, clause in (("2h 3h 4h 5c 6c 7c", "MA-15"), ("2h Ad", "MA-14")):
        table = Table(3).stake([2], [1], [1]).deal(cards)
        assert (table.said("turn_to_deal"), table.heard()[-1]) == ([(0, 0, 0)], clause)
        s = table.state.position
        assert (s.dealer, s.stage, s.hand[:3]) == (0, RULES.STAKING, [0, 0, 0])


@pytest.mark.parametrize(("players", "stands", "deals", "told", "after"), by_clause(DEALS))
def test_deals(players: int, stands: dict[str, Any], deals: str, told: str, after: str) -> None:
    table, events = Table(players, **stands), list[Any]()
    for deal in deals.split("; "):
        stakes, _, cards = deal.rpartition(": ")
        table.stake(*([int(n) for n in one.split("+")] for one in stakes.split()))
        since = len(table.state.events())
        events = table.deal(cards).state.events()[since:]
    assert ", ".join(in_brief(e) for e in events if e.event not in LEFT_OUT) == told
    s, end = table.state.position, " over" if table.state.is_terminal else ""
    next_deal = f", {s.dealer} deals" if s.deal and not end else ""
    pools = table.state.observation()["shown"] if end else []
    shown = f", shown: {' '.join(pools) if len(pools) < 5 else 'all'}" if pools else ""
    assert " ".join(map(str, [*table.counters, "pools", *table.pools])) + end + next_deal + shown == after
    ranks = [(e.a, e.b) for e in events if e.event == "ranks"]
    assert ranks == [(1 + sum(m > n for m in table.counters), n) for n in table.counters if end]


@pytest.mark.clause("MA-53")
def test_stakes() -> None:
    table = Table(4, counters=[40, 12, 9, 25], first_dealer=1)
    assert in_rows(table.acts) == "take 2-10"
    table.stake([1, 2, 3, 0, 4], [9], [0, 9])
    assert in_rows(table.acts) == "lay 0-9"
    table.stake([0, 0, 0, 0, 9])
    assert (table.counters, table.pools) == ([31, 2, 0, 16], [10, 11, 3, 0, 13])
    assert sum(table.pools) == 4 * 10 - 4 + 1  # the dealer's stake, and from the others one less
    forced = Table(3, counters=[3, 4, 10], **FIVE)  # no fewer than five, and one more than the four of seat 1
    assert in_rows(forced.acts) == "lay 0-5"
    limited = Table(3, stake_max=7)
    assert in_rows(limited.acts) == "take 2-7"
    assert "take 8" not in limited.state.game.action_names
    assert [load(n).action_count for n in (2, 4, 26)] == [2 * 201, 2 * 401, 2 * 2601]


@pytest.mark.clause("MA-1", "MA-2", "MA-7", "MA-10", "MA-25")
def test_what_there_is() -> None:
    assert len(set(RULES.PACK)) == 52
    assert POOLS == ("Matrimony", "Intrigue", "Confederacy", "Pair", "Best")
    assert RULES.PACK[RULES.ACE_OF_DIAMONDS] == "Ad"
    table = Table(3, rounds=5)
    assert table.counters == [100, 100, 100]
    assert Table(3, start_counters=7).counters == [7, 7, 7]
    for _ in range(2):
        assert table.state.position.unseen == (1 << 52) - 1
        table.stake([2], [1], [1])
        assert len(table.state.chance_outcomes()) == 52
        table.deal("2h 3h 4h 2c 3c")
        assert len(table.state.chance_outcomes()) == 47
        table.deal("4c")


@pytest.mark.clause("MA-9")
def test_how_many_may_play() -> None:
    assert [load(players).players for players in (2, 5, 26)] == [2, 5, 26]
    for players in (1, 27):
        with pytest.raises(ParlourError, match="it is for 2 to 26 players"):
            load(players)
    assert load(17, cards="two_down").players == 17
    with pytest.raises(ParlourError, match=r"^With cards=two_down at most 17 can play, not 18 \(MA-9\)\.$"):
        load(18, cards="two_down")


def test_a_match_may_have_255_deals_and_no_more() -> None:
    for players, rounds in ((3, 85), (5, 51), (17, 15)):
        assert load(players, rounds=rounds).players == players
        long = rf"^{rounds + 1} rounds of {players} are too long: a match has at most 255 deals \(MA-49\)\.$"
        with pytest.raises(ParlourError, match=long):
            load(players, rounds=rounds + 1)
    with pytest.raises(ParlourError, match=r"stake_max=8 cannot be below stake_min=9 \(MA-20\)\.$"):
        load(4, stake_min=9, stake_max=8)


@pytest.mark.clause("MA-11", "MA-12", "MA-13")
def test_everybody_sees_the_draw() -> None:
    """Each card lies there until it is known who deals; who does not draw again has no card, high or low."""
    state = parlour.load("matrimony", 3).new()
    assert refused(state, "take 2", 0) == "MA-11"
    drawn = ["Kc", "Kh", "Kd", "Qc", "3h", "3s", "Kc", "Kd", "7c", "5d"]
    seats = [0, 1, 2, 0, 1, 2, 1, 2, 1, 2]
    for seat, card in zip(seats, drawn, strict=True):
        seen = state.observation()
        assert (seen["stage"], seen["at"], seen.get("dealer")) == ("drawing for the deal", seat, None)
        assert seat in seen["dealt"]
        state.apply(card)
    said = [(e.event, e.who, e.a, e.clause) for e in state.events()]
    draws = [("draws", p, RULES.PACK.index(c), "MA-11") for p, c in zip(seats, drawn, strict=True)]
    assert [one for one in said if one[0] == "draws"] == draws
    assert [one[1:] for one in said if one[0] == "draw_again"] == [(EVERYBODY, n, "MA-13") for n in (3, 2, 2)]
    assert said[-1] == ("deals_first", 2, 0, "MA-12")
    seen = state.observation()
    assert (seen["stage"], seen["dealer"], seen["at"], seen["dealt"]) == ("staking", 2, 2, [0, 1, 2])


@pytest.mark.clause("MA-11", "MA-16", "MA-17", "MA-18", "MA-20")
def test_what_is_refused() -> None:
    """At each moment, who tries what: the clause that forbids it."""

    def staking(**options: Any) -> Table:
        return Table(3, **options)

    fewer, sealed = staking(others_stake="at_most").stake([5]), staking(stake_visibility="secret")
    sealed.state.apply("take 4")
    sealed.state.apply("lay 3 0 0 0", 0)
    covered = staking(cover_all="yes")
    covered.state.apply("take 6")
    either = staking(cover_all="yes", others_stake="at_most").stake([3, 1, 1, 1, 1])
    assert_refused(Table(3, first_dealer="draw").state, "take 2 0 MA-11")
    assert_refused(
        staking().state,
        "take 1 2 MA-20, take 0 2 MA-20, take 101 2 MA-21, lay 0 2 MA-16, lay 300 2 MA-16, take 2 1 MA-16",
    )
    assert_refused(staking().stake([2]).state, "lay 1 1 MA-18, lay 2 0 MA-17, take 1 0 MA-17")
    assert_refused(fewer.state, "take 0 0 MA-17, take 5 0 MA-17, lay 1 0 MA-17")
    assert_refused(either.state, "take 7 0 MA-17, take 0 0 MA-17")
    assert_refused(covered.state, "lay 0 2 MA-19, lay 3 2 MA-19, lay 6 2 MA-19, lay 7 2 MA-16")
    assert_refused(sealed.state, "lay 1 0 MA-18, lay 4 1 MA-17, lay 5 2 MA-16")
    assert_refused(staking().stake([2], [1], [1]).state, "lay 0 1 MA-27")
    assert_refused(staking().stake([2], [1], [1]).deal("2h 3h 4h").state, "lay 0 1 MA-31")


@pytest.mark.clause("MA-3", "MA-4", "MA-5", "MA-8", "MA-44")
def test_every_hand_of_two_cards() -> None:
    """Which of the 1,326 hands is what, suits being nothing to it."""
    won: Counter[str] = Counter()
    for a, b in itertools.combinations(range(52), 2):
        found = RULES.combinations(1 << a | 1 << b)
        ranks = {RULES.PACK[a][0], RULES.PACK[b][0]}
        expected = {
            "Matrimony": ranks == {"K", "Q"},
            "Intrigue": ranks == {"Q", "J"},
            "Confederacy": ranks == {"K", "J"},
            "Pair": len(ranks) == 1,
        }
        assert [bool(found >> k & 1) for k in range(4)] == list(expected.values())
        assert found.bit_count() <= 1
        won.update(pool for pool, is_it in expected.items() if is_it)
    share = {pool: Fraction(n, math.comb(52, 2)) for pool, n in won.items()}
    assert [share[pool] for pool in POOLS[:4]] == [Fraction(8, 663)] * 3 + [Fraction(1, 17)]
    assert sum(share.values()) == Fraction(21, 221)


@pytest.mark.clause("MA-26", "MA-32")
def test_the_order_of_the_cards() -> None:
    """Eldest first, the dealer last; everybody turns up their card, even if all has been shown."""
    table = Table(3).stake([2], [1], [1])
    assert table.said("deals") == [(2, 3, 0)]
    table.deal("Kh Kc Qc Ks Kd")
    gets = [(told.who, told.event) for told in table.state.events() if told.event in ("gets", "exposes")]
    assert gets == [(0, "gets"), (1, "gets"), (2, "gets"), (0, "exposes"), (1, "exposes")]
    table.deal("2c")
    assert table.state.position.deal == 1


def amounts(game: Game, s: Any) -> Iterator[tuple[int, Any]]:
    """Every way to answer the question that is asked now: the amount, and the position then."""
    acts = [0] * game.action_count
    for a in acts[: RULES.legal(s, s.at, acts)]:
        after = s.copy()
        RULES.apply(after, s.at, a, [])
        yield int(game.action_names[a].split()[1]), after


@pytest.mark.clause("MA-22", "MA-24")
def test_a_stake_lies_on_top_of_what_was_there_and_stays() -> None:
    table = Table(2, pools=[7, 0, 0, 0, 0])
    assert in_rows(table.acts) == "take 2-100"
    table.state.apply("take 37")
    assert (table.state.position.stake, in_rows(table.acts)) == (37, "lay 0-37")
    table.state.apply("lay 20")
    assert table.pools == [27, 0, 0, 0, 0]
    assert_clauses(table, "lay 20 MA-16, take 2 MA-16")  # more than there is
    table.state.apply("lay 17")
    assert (table.pools, table.state.current_player) == ([27, 17, 0, 0, 0], 0)  # nothing is left: nothing to ask
    assert table.state.position.whole[0] == 36


def stakes(players: int, *first: str, **options: Any) -> Counter[tuple[int, ...]]:
    """The stakes that seat 0 can lay after the dealer has done these acts, each with how often."""
    state = load(players, **options).new()
    for act in first:
        state.apply(act)
    done: Counter[tuple[int, ...]] = Counter()

    def go_on(s: Any) -> None:
        for _, end in amounts(state.game, s):
            if end.at == 0 and end.stage == RULES.STAKING:
                go_on(end)
            else:
                laid = zip(end.pools, state.position.pools, strict=True)
                done[tuple(now - then for now, then in laid)] += 1

    go_on(state.position)
    return done


def shares(stake_min: int, others_stake: str) -> list[tuple[int, ...]]:
    """All ways to lay one less than that on five pools, or as few."""
    sizes = [stake_min - 1] if others_stake == "exact" else range(1, stake_min)
    return [s for n in sizes for s in itertools.product(range(n + 1), repeat=5) if sum(s) == n]


@pytest.mark.clause("MA-19")
@pytest.mark.parametrize("others_stake", ["exact", "at_most"])
@pytest.mark.parametrize("stake_min", [4, 5, 8])
def test_every_stake_can_be_laid_in_one_way(stake_min: int, others_stake: str) -> None:
    """All that the rules allow and nothing else; a pool may be left without a counter, or with ``cover_all`` none."""
    options: dict[str, Any] = {"stake_min": stake_min, "others_stake": others_stake}
    expected = shares(stake_min, others_stake)
    assert stakes(3, f"take {stake_min}", f"lay {stake_min}", **options) == Counter(expected)
    if stake_min > 4:
        dealer = [f"take {stake_min}", *["lay 1"] * (4 if stake_min > 5 else 0)]
        covered = Counter(s for s in expected if sum(s) < 5 or min(s) > 0)
        assert stakes(3, *dealer, **options, cover_all="yes") == covered
    table = Table(2, cover_all="yes", pools=[0, 0, 0, 0, 1])
    table.state.apply("take 6")
    assert table.refused("lay 0") == table.refused("lay 3") == "MA-19"
    assert table.refused("lay 7") == "MA-16"


@pytest.mark.clause("MA-18")
def test_a_secret_stake_is_known_to_its_owner_alone() -> None:
    """The dealer's number is said; then all choose at once, in any order, and nothing shows before the last has."""
    state = load(3, stake_visibility="secret").new()
    state.apply("take 14")
    assert [told.a for told in state.events() if told.event == "takes"] == [14]
    assert (state.current_player, state.acting) == (SEVERAL, (0, 1, 2))
    for act in ("lay 3", "lay 0"):
        state.apply(act, 2)
    mine = state.observation(2)
    assert (mine["matrimony"][2], mine["pool"], mine["pools"]) == (3, [None, None, "Confederacy"], [0] * 5)
    state.apply("lay 11", 2)
    assert (state.acting, state.legal_actions(2)) == ((0, 1, 2), [state.game.find_action("lay 0")])  # nothing is left
    state.apply("lay 0", 2)
    assert (state.acting, state.observation()["counters"][:3]) == ((0, 1), [100, 100, 100])
    assert refused(state, "lay 0", 2) == "MA-18"
    assert refused(state, "take 5", 0) == "MA-17"
    state.apply("lay 0 13 0 0", 1)
    state.apply("lay 13 0 0 0", 0)
    laid = [(told.who, told.a, told.b - RULES.POOL) for told in state.events() if told.event == "lays"]
    assert laid == [(0, 13, 0), (1, 13, 1), (2, 3, 0), (2, 11, 2)]
    seen = state.observation()
    assert (seen["pools"], seen["counters"][:3]) == ([16, 13, 11, 0, 0], [87, 87, 86])


@pytest.mark.clause("MA-16", "MA-17")
def test_how_much_somebody_takes_is_said_unless_it_is_secret() -> None:
    """Of the dealer always, of the others where they may stake less and everything lies open."""
    for visibility, others in (("open", [(0, 2), (1, 3)]), ("secret", [])):
        state = load(3, others_stake="at_most", stake_visibility=visibility).new()
        state.apply("take 4")
        nothing = "" if others else " 0 0 0"  # of a sealed stake everything is asked
        for act, player in ((f"lay 4{nothing}", 2), ("take 2", 0), (f"lay 2{nothing}", 0), ("take 3", 1)):
            state.apply(act, player)
        for p in (EVERYBODY, 0, 1, 2):
            takes = [(e.who, e.a) for e in state.events(p) if e.event == "takes"]
            assert takes == [(2, 4), *others]
            lays = [(e.who, e.a, e.clause) for e in state.events(p) if e.event == "lays"]
            assert lays == ([(2, 4, "MA-16"), (0, 2, "MA-17")] if others else [])


def test_who_is_out_is_not_asked_for_a_secret_stake() -> None:
    table = Table(4, counters=[0, 30, 5, 5], broke="out", start_counters=10, stake_visibility="secret")
    table.state.apply("take 2")
    assert table.said("stakes_nothing") == [(0, 0, 0)]
    for act, player in (("lay 2 0 0 0", 3), ("lay 1 0 0 0", 1), ("lay 1 0 0 0", 2)):
        table.state.apply(act, player)
    table.deal("2h 3h 4h 5h 6h 7h 8h 9h")
    assert table.said("is_out") == [(0, 0, 0)]
    table._from = len(table.state.events(None))
    table.state.apply("take 2")
    assert (table.said("stakes_nothing"), table.state.acting) == ([], (1, 2, 3))


@pytest.mark.clause("MA-40")
@pytest.mark.parametrize(
    ("best_rule", "cards", "winner"),
    [
        ("next_up", "9d 2d Kc 9h 3s 4s 5h 6h", (0, "9d")),
        ("next_up", "9c 2d Kd Jh Ad 4s 5h 6h", (2, "Kd")),
        ("next_up", "9c 2c Kc Jh Ad 4d 5h 6h", None),
        ("next_any", "9d 2d Kc Jh 3s 4s 5h Qd", (3, "Qd")),
        ("next_any", "9d Kd Qc Jh 3s 4s Ad 6h", (2, "Ad")),
        ("carry", "9d Kd Qc Jh 3s 4s Ad 6h", None),
    ],
)
def test_the_next_diamond(best_rule: str, cards: str, winner: tuple[int, str] | None) -> None:
    table = Table(4, pools=[0, 0, 0, 0, 8], best_rule=best_rule).stake([2], [1], [1], [1])
    table.deal(cards)
    said = [(told.who, told.a, RULES.PACK[told.b]) for told in table.state.events() if told.event == "wins_best"]
    assert said == ([(winner[0], 8, winner[1])] if winner else [])
    assert table.pools[RULES.BEST] == (0 if winner else 8)
    assert ("MA-39" in [told.clause for told in table.state.events()]) == ("Ad" in cards and best_rule != "next_any")


@pytest.mark.clause("MA-49")
@pytest.mark.parametrize(("players", "options", "deals"), [(3, {}, 6), (2, {"rounds": 5}, 10), (4, {"deals": 3}, 3)])
def test_how_long_a_match_is(players: int, options: dict[str, Any], deals: int) -> None:
    last = list(play(parlour.load("matrimony", players, **options).new(), 0))[-1]
    assert last.position.deal == len(last.deals) == deals
    for p in range(players):
        assert sum(deal.returns[p] for deal in last.deals) == last.returns()[p]
    with pytest.raises(ParlourError, match="over"):
        last.apply("lay 0", 0)
    assert refused(last, "lay 0", 0) == "MA-49"


TABLE = {  # of the rules: one court pool, Pair
    2: (Fraction(1472, 62475), Fraction(2377, 21658)),
    3: (Fraction(877733, 25448150), Fraction(9567, 61100)),
    4: (Fraction(590793506, 13169417625), Fraction(290530524, 1463268625)),
    5: (Fraction(121857434, 2228670675), Fraction(252761307, 1070988100)),
    6: (Fraction(526476, 8233225), 0.269278),
    7: (Fraction(85937933, 1182559950), 0.298660),
    8: (Fraction(334677604, 4138959825), 0.324432),
}


@pytest.mark.parametrize("players", TABLE)
def test_the_table_of_the_rules(players: int) -> None:
    *court, pair, best = chances(players)
    assert [sum(pool) for pool in court] == [TABLE[players][0]] * 3
    assert sum(pair) == TABLE[players][1] or round(float(sum(pair)), 6) == TABLE[players][1]
    assert (sum(best), sweep()) == (0, Fraction(1, 52))
    assert list(pair) == sorted(pair, reverse=True)
    row = f"| {players} | {players / 52:.6f} | {float(sum(court[0])):.6f} | {float(sum(pair)):.6f} |".replace(
        " 0.", " ."
    )
    assert row in definition("matrimony").book.text


def by_enumeration(players: int, pack: Pack, options: dict[str, str]) -> tuple[list[list[Fraction]], list[Fraction]]:
    """In how many of all deals of a small pack each player takes each pool, by the rules themselves: all pools have
    counters, and every order of the cards is played.  First the pools by their combination, then the sweeps."""
    game = load(players, start_counters=100, deals=1, **options)
    ranks = [0, *range(13 - pack.ranks + 1, 13)]
    start = game.start()
    start.stage, start.at = RULES.UP, 0
    start.pools[:] = [1, 10, 100, 1000, 10_000]
    start.unseen = sum(1 << 4 * rank + (suit + 1) % 4 for rank in ranks for suit in range(pack.suits))
    won = [[Fraction(0)] * players for _ in POOLS]
    swept = [Fraction(0)] * players

    def go_on(s: Any, weight: Fraction) -> None:
        rest = s.unseen
        each = weight / rest.bit_count()
        while rest:
            card = rest & -rest
            rest ^= card
            after, heard = s.copy(), []  # type: ignore[var-annotated]
            RULES.happen(after, card.bit_length() - 1, heard)
            for _, event, _, who, n, _ in heard:
                if event == "sweeps":
                    swept[who] += each
                elif event in ("wins", "wins_best"):
                    won[[1, 10, 100, 1000, 10_000].index(n)][who] += each
            if after.stage in (RULES.UP, RULES.DOWN):
                go_on(after, each)

    go_on(start, Fraction(1))
    return won, swept


@pytest.mark.parametrize(
    ("players", "pack", "options"),
    [
        (2, Pack(5, 2, 2), {"best_rule": "next_any"}),
        pytest.param(3, Pack(4, 2, 2), {"best_rule": "next_up"}, marks=pytest.mark.long),
        pytest.param(2, Pack(4, 2, 2), {"cards": "two_down", "best_rule": "next_any"}, marks=pytest.mark.long),
        (3, Pack(4, 2, 2), {"pair_rule": "highest"}),
        (2, Pack(4, 2, 2), {"cards": "two_down", "pair_rule": "highest"}),
        pytest.param(2, Pack(4, 4, 4), {"pair_rule": "highest", "best_rule": "next_up"}, marks=pytest.mark.long),
    ],
)
def test_chances_by_enumeration(players: int, pack: Pack, options: dict[str, str]) -> None:
    """The exact chances of every player are those of the rules, all deals of a small pack played out."""
    won, swept = by_enumeration(players, pack, options)
    assert [list(pool) for pool in chances(players, pack=pack, **options)] == won
    assert [sweep(pack)] * players == swept


@pytest.mark.clause("MA-55")
def test_each_pool_is_taken_by_one_player_a_deal_at_most() -> None:
    wins = 0
    for seed, setting in enumerate(few_settings("matrimony")):
        taken: set[int] = set()
        for told in [*play(setting.load().new(), seed, 400)][-1].events():
            if told.event == "deals":
                taken.clear()
            elif told.event in ("wins", "wins_nothing"):
                pool = told.b if told.event == "wins" else told.a
                assert pool not in taken
                taken.add(pool)
                wins += 1
    assert wins > 20


@pytest.mark.parametrize(("players", "cards"), [(26, "one_down"), (17, "two_down")])
def test_the_largest_tables(players: int, cards: str) -> None:
    """Every card is dealt, or every card but one; both bindings agree."""
    table = Table(players, cards=cards).stake([2], *[[1]] * (players - 1))
    order = [card for card in RULES.PACK if card != "Ad"] + ["Ad"]
    for card in order[: players * (2 if cards == "one_down" else 3)]:
        assert table.state.position.deal == 0
        table.deal(card)
    assert table.state.position.deal == 1
    compare(Setting("matrimony", players, (("cards", cards), ("deals", "4"))), Budget(20, 2000, 80, 10))


def test_the_odds() -> None:
    state = load(3).new()
    (table,) = odds(state.view(), ["Ann", "Ben", "Cora"])
    assert [row.label for row in table.rows] == ["Ann", "Ben", "Cora", "anybody"]
    assert table.head[1:] == (*POOLS, "all five")
    assert table.rows[-1].chances[0] == TABLE[3][0]
    assert table.rows[0].chances[-1] == Fraction(1, 52)
    drawing_lots = odds(parlour.load("matrimony", 3).new().view())[0]
    assert [row.label for row in drawing_lots.rows] == ["eldest", "number 2", "dealer", "anybody"]
    table_ = Table(3).stake([2], [1], [1]).deal("Kh 5c")
    assert [row.chances for row in odds(table_.state.view())[0].rows] == [(Fraction(1, 50),)]
    table_.deal("Qc")
    found = {row.label: row.chances[0] for row in odds(table_.state.view())[0].rows}
    assert found["Matrimony"] == Fraction(3, 49)
    assert (found["Confederacy"], found["Pair"], found["Intrigue"]) == (Fraction(4, 49), Fraction(3, 49), Fraction(0))
    assert found["nothing new"] == Fraction(39, 49)


def drawn(state: State) -> tuple[list[str], list[str]]:
    """How seat 0 sees the table, as a picture and in sentences."""
    names, view = ["You", "Ada", "Benedict"], state.view(0)
    console = Console(width=80, color_system=None, record=True, file=io.StringIO())
    legal = [state.name_of(a) for a in state.legal_actions(0)]
    console.print(Drawing(state.game.definition).picture(view, names, legal, 80))
    return console.export_text().splitlines(), drawing.lines(view, names)


def test_what_the_table_shows() -> None:
    table = Table(3, pools=[4, 0, 3, 5, 6]).stake([2, 0, 0, 0, 1])
    lines, told = drawn(table.state)
    assert "Deal 1 of 6, dealt by Benedict; the stake is 3 counters" in lines[0]
    assert lines[4].split() == ["│", "6", "│", "·", "│", "3", "│", "5", "│", "7", "│"]
    assert "▸You" in lines[6]
    assert "stakes 3:  2 · · · 1" in lines[8]
    assert lines[9].strip() == "How many counters go on Matrimony? 2 left to lay."
    assert "Benedict: 97 counters; stakes Matrimony 2, Best 1." in told
    lines, told = drawn(table.stake([1, 1], [1, 1]).deal("Qh 7c Ks", "Kd").state)
    assert "Q♥ K♦  Matrimony" in lines[6]
    assert "▒▒ 7♣" in lines[7]
    assert {"You: 106 counters; cards: Qh, Kd; Matrimony.", "Shown in this deal: Matrimony."} <= {*told}
