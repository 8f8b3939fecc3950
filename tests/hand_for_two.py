"""One hand of Diamondback for two, solved as what it is: whoever bets after the exposures only chooses how far to go.

No card is turned up between further wagers, and single coins are enough
(:func:`parlour.shelf.diamondback.advice.enough`).  So a dealer may settle at once, by hand and cards shown, after which
total to stop, and an opponent up to which total to match: one decision with many ways, where the tree has a chain of
decisions.  Discounted CFR over such totals comes to the same precision in a hundredth of the time, which makes tables
for any stacks possible.

``python tests/hand_for_two.py 20 45`` prints the value of a hand with 20 coins in the middle of which the dealer can
wager 45; ``parlour solve diamondback --reduced`` gives the same by the rules.
"""

from __future__ import annotations

import itertools
import sys
from typing import TYPE_CHECKING, Any, NamedTuple

import numba as nb
import numpy as np

from parlour.shelf.diamondback import position
from parlour.shelf.diamondback.position import full_deck, in_stock
from parlour.shelf.diamondback.unbeatable import LIMIT

if TYPE_CHECKING:
    from numpy.typing import NDArray

HANDS = 15  # kinds, and 0 for none
CARDS = 5
ALPHA, GAMMA = 1.5, 2.0  # of discounted CFR; negative regrets are halved
FIRST = 40  # iterations before the first check

_KIND = np.array(position.KIND).reshape(CARDS, CARDS)
_HIGHER, _LOWER = np.array(position.HIGHER), np.array(position.LOWER)


def dealt() -> NDArray[np.float64]:
    """The probability of each pair of hands: the dealer's, the opponent's.

    >>> round(float(dealt().sum()), 12)
    1.0
    """
    chances = np.zeros((HANDS, HANDS))
    for cards in itertools.product(range(CARDS), repeat=4):
        stock, chance = [in_stock(full_deck(2), k) for k in range(CARDS)], 1.0
        for k in cards:
            chance *= stock[k] / sum(stock)
            stock[k] -= 1
        chances[_KIND[cards[:2]], _KIND[cards[2:]]] += chance
    return chances


class Side(NamedTuple):
    """What one player does, or their regrets, or sums of what they did.

    ``first[h, n]``: the dealer opens with n (0: folds); the opponent matches an opening of n (``[h, n, 1]``) or not.
    ``turns[h, n, c, e]``: turns up the higher card (``e`` 0) or the lower one, against card c (opponents: c is 0).
    ``far[n, c, u, x, t]``: goes up to t further coins, the opponent showing c and the dealer u, with x hidden.
    """

    first: Any
    turns: Any
    far: Any


class Hand(NamedTuple):
    """``pot`` coins in the middle before the opening wager, of which the dealer can wager ``most`` in all; the opponent
    pays ``double`` times that (1 or 2); ``fold`` is 1 if the dealer may fold instead of opening."""

    pot: int
    most: int
    double: int
    fold: int
    limit: int
    dealt: Any
    kind: Any
    higher: Any
    lower: Any


@nb.njit(fastmath=True, inline="always", cache=True)
def _shown(hand: Hand, sign: int, bet: int) -> float:
    """What a showdown brings the dealer, who has bet this much in all."""
    if sign > 0:
        return float(hand.pot + hand.double * bet)
    if sign < 0:
        return float(-bet)
    return float((hand.pot + (1 + hand.double) * bet) // 2 - bet)  # an odd coin goes to the dealer's left


@nb.njit(fastmath=True, cache=True)
def _decide(
    gains: Any, low: int, high: int, chances: Any, regrets: Any, sums: Any, share: float, up: float, fade: float
) -> float:
    """What a decision among ``low`` to ``high`` is worth; then regret matching makes the next ``chances``.

    ``share``: how likely the player's own actions lead here.  A negative ``up`` asks for the best there is, and changes
    nothing.
    """
    if up < 0:
        best = gains[low]
        for k in range(low + 1, high + 1):
            best = max(best, gains[k])
        return float(best)
    value, total = 0.0, 0.0
    for k in range(low, high + 1):
        value += chances[k] * gains[k]
        sums[k] = sums[k] * fade + share * chances[k]
    for k in range(low, high + 1):
        old = regrets[k]
        regrets[k] = old * (up if old > 0 else 0.5) + gains[k] - value
        chances[k] = max(regrets[k], 0.0)
        total += chances[k]
    for k in range(low, high + 1):
        chances[k] = chances[k] / total if total > 0 else 1.0 / (high - low + 1)
    return value


@nb.njit(fastmath=True, cache=True)
def _dealer(hand: Hand, me: Side, regrets: Side, sums: Side, other: Side, up: float, fade: float) -> float:
    """One half of an iteration, the dealer's: what the dealer gets."""
    most, pot, double = hand.most, hand.pot, hand.double
    brings = np.zeros((HANDS, hand.limit + 1))
    folded, stays, gains = np.zeros((CARDS, most + 1)), np.zeros((CARDS, most + 1)), np.zeros(most + 1)
    value, two, live = np.zeros((CARDS, CARDS)), np.zeros(2), np.zeros(CARDS, np.bool_)
    for n in range(1, hand.limit + 1):
        rest = most - n
        least = min(1, rest)  # one further wager is due
        for c in range(CARDS):
            for u in range(CARDS):
                for x in range(CARDS):
                    o = hand.kind[c, x]
                    share = 0.0
                    if o:
                        share = other.first[o, n, 1] * other.turns[o, n, 0, int(hand.higher[o] != c)]
                    live[x] = share > 0
                    lost, left = 0.0, share
                    for t in range(rest + 1 if share > 0 else 0):
                        folded[x, t], stays[x, t] = lost, left
                        part = share * other.far[n, c, u, x, t]
                        lost += part * (pot + double * (n + t))
                        left -= part
                for x in range(CARDS):
                    d = hand.kind[u, x]
                    if d == 0:
                        continue
                    gains[:] = 0.0
                    for y in range(CARDS):
                        o = hand.kind[c, y]
                        weight = hand.dealt[d, o]
                        if not live[y] or weight == 0:
                            continue
                        how = int(d > o) - int(d < o)
                        for t in range(rest + 1):
                            gains[t] += weight * (folded[y, t] + stays[y, t] * _shown(hand, how, n + t))
                    share = me.first[d, n] * me.turns[d, n, c, int(hand.higher[d] != u)]
                    at = n, c, u, x
                    value[u, x] = _decide(
                        gains, least, rest, me.far[at], regrets.far[at], sums.far[at], share, up, fade
                    )  # fmt: skip
            for d in range(1, HANDS):
                two[0], two[1] = value[hand.higher[d], hand.lower[d]], value[hand.lower[d], hand.higher[d]]
                at_c = d, n, c
                last = int(hand.higher[d] != hand.lower[d])
                brings[d, n] += _decide(
                    two, 0, last, me.turns[at_c], regrets.turns[at_c], sums.turns[at_c], me.first[d, n], up, fade
                )  # fmt: skip
        for d in range(1, HANDS):
            for o in range(1, HANDS):
                brings[d, n] += pot * hand.dealt[d, o] * other.first[o, n, 0]
    total = 0.0
    for d in range(1, HANDS):
        total += _decide(
            brings[d], 1 - hand.fold, hand.limit, me.first[d], regrets.first[d], sums.first[d], 1.0, up, fade
        )  # fmt: skip
    return total


@nb.njit(fastmath=True, cache=True)
def _opponent(hand: Hand, me: Side, regrets: Side, sums: Side, other: Side, up: float, fade: float) -> float:
    """The other half, the opponent's: what the opponent gets."""
    most, pot, double = hand.most, hand.pot, hand.double
    costs, gains = np.zeros((CARDS, 3, most + 1)), np.zeros(most + 1)
    value, two, live = np.zeros((CARDS, CARDS)), np.zeros(2), np.zeros(CARDS, np.bool_)
    total = 0.0
    for n in range(1, hand.limit + 1):
        rest = most - n
        value[:] = 0.0
        for c in range(CARDS):
            for u in range(CARDS):
                for x in range(CARDS):
                    d = hand.kind[u, x]
                    share = 0.0
                    if d:
                        share = other.first[d, n] * other.turns[d, n, c, int(hand.higher[d] != u)]
                    live[x] = share > 0
                    won, lost, tied, left = 0.0, 0.0, 0.0, share
                    for t in range(rest + 1 if share > 0 else 0):
                        part = share * other.far[n, c, u, x, t]
                        won += part * _shown(hand, 1, n + t)
                        lost += part * _shown(hand, -1, n + t)
                        tied += part * _shown(hand, 0, n + t)
                        left -= part
                        folded = max(left, 0.0) * (pot + double * (n + t))
                        costs[x, 0, t], costs[x, 1, t], costs[x, 2, t] = folded + won, folded + lost, folded + tied
                for x in range(CARDS):
                    o = hand.kind[c, x]
                    if o == 0:
                        continue
                    gains[:] = 0.0
                    for y in range(CARDS):
                        d = hand.kind[u, y]
                        weight = hand.dealt[d, o]
                        if not live[y] or weight == 0:
                            continue
                        how = 0 if d > o else 1 if d < o else 2
                        for t in range(rest + 1):
                            gains[t] -= weight * costs[y, how, t]
                    share = me.first[o, n, 1] * me.turns[o, n, 0, int(hand.higher[o] != c)]
                    at = n, c, u, x
                    value[c, x] += _decide(
                        gains, 0, rest, me.far[at], regrets.far[at], sums.far[at], share, up, fade
                    )  # fmt: skip
        for o in range(1, HANDS):
            two[0], two[1] = value[hand.higher[o], hand.lower[o]], value[hand.lower[o], hand.higher[o]]
            last = int(hand.higher[o] != hand.lower[o])
            at_n = o, n, 0
            matched = _decide(
                two, 0, last, me.turns[at_n], regrets.turns[at_n], sums.turns[at_n], me.first[o, n, 1], up, fade
            )  # fmt: skip
            two[0], two[1] = 0.0, matched
            for d in range(1, HANDS):
                two[0] -= pot * hand.dealt[d, o] * other.first[d, n]
            at_o = o, n
            total += _decide(two, 0, 1, me.first[at_o], regrets.first[at_o], sums.first[at_o], 1.0, up, fade)
    return total


class Betting:
    """A hand that is being solved.

    >>> betting = Betting(20, 1, doubled=True)
    >>> lower, upper = betting.run(1e-3)
    >>> bool(10.32 < lower <= upper < 10.325)
    True
    """

    def __init__(self, pot: int, most: int, *, doubled: bool) -> None:
        limit, fold = min(LIMIT, most), int(not doubled)
        self.hand = Hand(pot, most, 1 + doubled, fold, limit, dealt(), _KIND, _HIGHER, _LOWER)
        self.iterations = 0
        far = np.zeros((limit + 1, CARDS, CARDS, CARDS, most + 1))
        opens = np.zeros((HANDS, limit + 1))
        opens[:, 1 - fold :] = 1 / (limit + fold)
        for n in range(1, limit + 1):
            far[n, ..., min(1, most - n) : most - n + 1] = 1 / max(1, most - n)
        turns = np.full((HANDS, limit + 1, CARDS, 2), 0.5)
        turns[_HIGHER == _LOWER] = 1, 0
        self.dealer = Side(opens, turns, far)
        matches = np.zeros_like(far)
        for n in range(1, limit + 1):
            matches[n, ..., : most - n + 1] = 1 / (most - n + 1)
        self.opponent = Side(np.full((HANDS, limit + 1, 2), 0.5), turns.copy(), matches)
        self._regrets = [Side(*map(np.zeros_like, side)) for side in (self.dealer, self.opponent)]
        self._sums = [Side(*map(np.zeros_like, side)) for side in (self.dealer, self.opponent)]

    def iterate(self, times: int) -> None:
        """Both players in turn, ``times`` times."""
        for t in range(self.iterations + 1, self.iterations + times + 1):
            up, fade = 1 - 1 / ((t - 1) ** ALPHA + 1), ((t - 1) / t) ** GAMMA
            _dealer(self.hand, self.dealer, self._regrets[0], self._sums[0], self.opponent, up, fade)
            _opponent(self.hand, self.opponent, self._regrets[1], self._sums[1], self.dealer, up, fade)
        self.iterations += times

    def averages(self) -> tuple[Side, Side]:
        """What both players do on average, the dealer first."""
        return self._average(self.dealer, self._sums[0]), self._average(self.opponent, self._sums[1])

    @staticmethod
    def _average(now: Side, sums: Side) -> Side:
        parts = []
        for chances, added in zip(now, sums, strict=True):
            total = added.sum(-1, keepdims=True)
            parts.append(np.where(total > 0, added / np.where(total > 0, total, 1), chances))
        return Side(*parts)

    def lower(self, dealer: Side) -> float:
        """What a dealer who plays like this gets from the best opponent, their own ante included."""
        return -float(_opponent(self.hand, self.opponent, self._regrets[1], self._sums[1], dealer, -1.0, 1.0))

    def upper(self, opponent: Side) -> float:
        """What the best dealer gets from an opponent who plays like this."""
        return float(_dealer(self.hand, self.dealer, self._regrets[0], self._sums[0], opponent, -1.0, 1.0))

    def run(self, target: float, most: int = 20_000) -> tuple[float, float]:
        """Iterate until the averages are as little exploitable as that, or ``most`` times; return both bounds."""
        until = max(FIRST, self.iterations)
        while True:
            self.iterate(until - self.iterations)
            dealer, opponent = self.averages()
            lower, upper = self.lower(dealer), self.upper(opponent)
            if (upper - lower) / 2 <= target or self.iterations >= most:
                return lower, upper
            until = min(most, self.iterations * 5 // 4)


def main() -> None:
    """Pot, most, and ``standard`` if the game is that."""
    pot, most = int(sys.argv[1]), int(sys.argv[2])
    betting = Betting(pot, most, doubled="standard" not in sys.argv)
    lower, upper = betting.run(2e-3)
    print(f"{betting.iterations} iterations: the dealer gets from {lower:+.4f} to {upper:+.4f}")


if __name__ == "__main__":
    main()
