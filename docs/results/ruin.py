"""Matrimony for two with short stacks, where a player may run out: whole matches by dynamic programming.

``python docs/results/ruin.py`` prints the tables of matrimony.md, in some minutes; ``python docs/results/ruin.py 4``
stops at stacks of four counters.  Everybody sees all counters and nobody knows a card, so a match is a game of taking
turns with chance between: from its end backwards, the player to lay takes what is best for them, and the cards are an
average.  The odd counters at the end of the match are counted as the rules do (MA-50).
"""

from __future__ import annotations

import sys
from collections import Counter
from fractions import Fraction
from functools import cache
from typing import Any

Pools = tuple[int, int, int, int, int]
NOTHING, MATRIMONY, INTRIGUE, CONFEDERACY, PAIR, BEST = -1, 0, 1, 2, 3, 4
PLAYED_OUT = 20  # deals, at the most
OPTIONS: tuple[dict[str, Any], ...] = (
    {},
    {"restake": "when_empty"},
    {"leftovers": "play_out"},
    {"broke": "out"},
)


def shown(down: int, up: int) -> int:
    """The combination of two ranks, from the ace (0) to the king (12), as a pool."""
    pair = {down, up}
    if pair == {11, 12}:
        return MATRIMONY
    if pair == {10, 11}:
        return INTRIGUE
    if pair == {10, 12}:
        return CONFEDERACY
    return PAIR if down == up else NOTHING


@cache
def hands() -> dict[tuple[int, int], Fraction]:
    """How likely it is that nobody sweeps, that the eldest hand makes the one combination and the dealer the other."""
    kinds = [(0, 1), *((rank, 3 if rank == 0 else 4) for rank in range(13))]  # the ace of diamonds is a kind by itself
    found = Counter[tuple[int, int]]()
    for eldest_up, (up_rank, up_cards) in enumerate(kinds[1:], 1):
        for dealer_up, (other_rank, other_cards) in enumerate(kinds[1:], 1):
            ups = up_cards * (other_cards - (eldest_up == dealer_up))
            for first, (first_rank, first_cards) in enumerate(kinds):
                one = first_cards - (first == eldest_up) - (first == dealer_up)
                for second, (second_rank, second_cards) in enumerate(kinds):
                    two = second_cards - (second == eldest_up) - (second == dealer_up) - (second == first)
                    if one > 0 and two > 0:
                        found[shown(first_rank, up_rank), shown(second_rank, other_rank)] += ups * one * two
    return {both: Fraction(n, 52 * 51 * 50 * 49) for both, n in found.items()}


def won(both: tuple[int, int], pools: Pools) -> tuple[int, int, Pools]:
    """What the eldest hand and the dealer take with these combinations, and what is left."""
    first, second = both
    left = list(pools)
    taken = [0, 0]
    for player, pool in enumerate((first, second)):
        if pool != NOTHING:
            taken[player] += left[pool]
            left[pool] = 0
    return taken[0], taken[1], (left[0], left[1], left[2], left[3], left[4])


class Match:
    """A match for two with ``counters`` each, under these options.  ``cut``: what is left at the end is shared exactly,
    as if counters could be cut.  ``exact``: in fractions, which takes longer."""

    def __init__(
        self,
        counters: int,
        *,
        rounds: int = 2,
        restake: str = "every_deal",
        leftovers: str = "share",
        broke: str = "free",
        stake_max: int = 1000,
        cut: bool = False,
        exact: bool = False,
    ) -> None:
        self.counters, self.deals = counters, 2 * rounds
        self.restake, self.leftovers, self.broke = restake, leftovers, broke
        self.stake_max, self.cut = stake_max, cut
        number: Any = Fraction if exact else float
        self.hands = [(both, number(chance)) for both, chance in hands().items()]
        self.sweep = number(Fraction(1, 52))
        self._known: dict[tuple[Any, ...], Any] = {}

    def value(self) -> Any:
        """What the first dealer wins in the match."""
        return self.deal(0, self.counters, self.counters, (0, 0, 0, 0, 0)) - self.counters

    def deal(self, done: int, dealer: int, other: int, pools: Pools) -> Any:
        """What the dealer has at the end of the match, when their deal begins and so many are done."""
        most = self.most(done, dealer, other, pools)
        if most == 0:
            return self.cards(done, dealer, other, pools)
        return max(self.lay(done, dealer, other, pools, n, self.fewer(other, n)) for n in range(2, most + 1))

    def most(self, done: int, dealer: int, other: int, pools: Pools) -> int:
        """The most counters that the dealer may take (MA-21); 0 if the deal is without stakes."""
        stands = self.restake == "when_empty" and sum(pools) > 0
        if done >= self.deals or stands or dealer < 2:
            return 0
        return min(self.stake_max, dealer, other + 1 if other > 0 else dealer)

    def fewer(self, other: int, n: int) -> int:
        """What the other player stakes, if the dealer takes ``n`` (MA-17, MA-45)."""
        return n - 1 if other > 0 else 0

    def lay(self, done: int, dealer: int, other: int, pools: Pools, mine: int, theirs: int) -> Any:
        """The same while both still have to lay so many counters, the dealer first: one after another, since the order
        among a player's own counters does not matter."""
        if mine == theirs == 0:
            return self.cards(done, dealer, other, pools)
        court = sorted(pools[:3])  # these three are worth the same, now and later
        pools = court[0], court[1], court[2], pools[3], pools[4]
        here = "lay", done, dealer, other, pools, mine, theirs
        if here not in self._known:
            after: list[Any] = [(*pools[:q], pools[q] + 1, *pools[q + 1 :]) for q in range(5)]
            if mine:
                self._known[here] = max(self.lay(done, dealer - 1, other, p, mine - 1, theirs) for p in after)
            else:
                self._known[here] = min(self.lay(done, dealer, other - 1, p, mine, theirs - 1) for p in after)
        return self._known[here]

    def cards(self, done: int, dealer: int, other: int, pools: Pools) -> Any:
        """The same when the cards are to be dealt."""
        court = sorted(pools[:3])
        pools = court[0], court[1], court[2], pools[3], pools[4]
        here = "cards", done, dealer, other, pools
        if here not in self._known:
            total, none = sum(pools), (0, 0, 0, 0, 0)
            value = self.sweep * self.after(done + 1, dealer + total, other, none)
            value += self.sweep * self.after(done + 1, dealer, other + total, none)
            for both, chance in self.hands:
                eldest, mine, left = won(both, pools)
                value += chance * self.after(done + 1, dealer + mine, other + eldest, left)
            self._known[here] = value
        return self._known[here]

    def after(self, done: int, dealer: int, other: int, pools: Pools) -> Any:
        """The same when a deal is settled."""
        left = sum(pools)
        over = done >= self.deals + (PLAYED_OUT if self.leftovers == "play_out" and left else 0)
        out = self.broke == "out" and not over and min(dealer, other) == 0
        if out and dealer != other:
            return dealer + left if dealer else 0  # all that is left goes to the one who is not out
        if over or out:
            return dealer + (
                Fraction(left, 2) if self.cut else left - left // 2
            )  # the odd one goes to the last dealer (MA-50)
        again = done < self.deals and other < 2 <= dealer  # passed over (MA-46)
        if again:
            return self.deal(done, dealer, other, pools)
        return 2 * self.counters - self.deal(done, other, dealer, pools)

    # ------------------------------------------------------------------ what to do

    def best(self, done: int = 0, dealer: int = -1, other: int = -1, pools: Pools = (0, 0, 0, 0, 0)) -> str:
        """How many counters it is best to take, and where to lay them; by default in the first deal."""
        dealer, other = (self.counters if n < 0 else n for n in (dealer, other))
        said = []
        top = self.deal(done, dealer, other, pools)
        for n in range(2, self.most(done, dealer, other, pools) + 1):
            if self._worth(top, self.lay(done, dealer, other, pools, n, self.fewer(other, n))):
                said.append(f"{n}: {self._layout(done, dealer, other, pools, n)}")
        return "; ".join(said)

    def _layout(self, done: int, dealer: int, other: int, pools: Pools, n: int) -> str:
        theirs, laid = self.fewer(other, n), [0] * 5
        for mine in range(n, 0, -1):
            top = self.lay(done, dealer, other, pools, mine, theirs)
            dealer -= 1
            for q in (BEST, PAIR, MATRIMONY, INTRIGUE, CONFEDERACY):
                after: Any = (*pools[:q], pools[q] + 1, *pools[q + 1 :])
                if self._worth(top, self.lay(done, dealer, other, after, mine - 1, theirs)):
                    pools, laid[q] = after, laid[q] + 1
                    break
        names = "Matrimony", "Intrigue", "Confederacy", "Pair", "Best"
        return ", ".join(f"{k} on {name}" for k, name in zip(laid, names, strict=True) if k)

    @staticmethod
    def _worth(top: Any, this: Any) -> bool:
        return bool(abs(top - this) < 1e-11)


HEADS = "the first dealer wins | best first stake | after two on Best |\n|---|---:|---|---:|"


def line(name: str, match: Match) -> str:
    """What the first dealer wins in the match, the best first stake, and what they win if they lay two on Best first
    and go on as well as can be."""
    two = match.lay(0, match.counters - 2, match.counters, (0, 0, 0, 0, 2), 0, 1) - match.counters
    return f"| {name} | {float(match.value()):+.5f} | {match.best()} | {float(two):+.5f} |"


def table(most: int, **options: Any) -> list[str]:
    """The same for each stack."""
    stacks = (line(str(counters), Match(counters, **options)) for counters in range(2, most + 1))
    return [f"| counters of each | {HEADS}", *stacks]


def by_option(counters: int) -> list[str]:
    """The same under the options that change the course of a match."""
    named = [(", ".join(f"`{k}={v}`" for k, v in options.items()) or "none", options) for options in OPTIONS]
    return [f"| option | {HEADS}", *(line(name, Match(counters, **options)) for name, options in named)]


if __name__ == "__main__":
    sys.setrecursionlimit(10_000)
    most = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    for said in (*table(most), "", *table(most, cut=True), "", *by_option(5)):
        print(said, flush=True)
