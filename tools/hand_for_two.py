"""One hand of Diamondback for two, solved as what it is: whoever bets after the exposures only chooses how far to go.

No card is turned up between further wagers, and single coins are enough
(:func:`parlour.games.diamondback.advice.enough`).  So a dealer may settle at once, by hand and cards shown, after which
total to stop, and an opponent up to which total to match: one decision with many ways, where the tree has a chain of
decisions.  Discounted CFR over such totals comes to the same precision in a hundredth of the time, which makes tables
for any stacks possible.

``python -m tools.hand_for_two 20 45`` prints the value of a hand with 20 coins in the middle of which the dealer
can wager 45; ``parlour solve diamondback --reduced`` gives the same by the rules.
"""

from __future__ import annotations

import itertools
import sys
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from parlour.engine.c.building import REORDERED
from parlour.engine.kernel import F64, I64, F64x2, F64x3, F64x4, I64x2, Kernel
from parlour.games.diamondback import position
from parlour.games.diamondback.position import full_deck, in_stock
from parlour.games.diamondback.unbeatable import LIMIT

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


# ------------------------------------------------------------------------------------------ the loops


def place(n: int, c: int, u: int, x: int) -> int:
    """The row of ``far``, all rows one below the other."""
    return ((n * CARDS + c) * CARDS + u) * CARDS + x


def shown(pot: int, double: int, sign: int, bet: int) -> float:
    """What a showdown brings the dealer, who has bet this much in all."""
    if sign > 0:
        return float(pot + double * bet)
    if sign < 0:
        return float(-bet)
    return float((pot + (1 + double) * bet) // 2 - bet)  # an odd coin goes to the dealer's left


def decide(
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


def of_dealer(
    pot: int, most: int, double: int, fold: int, limit: int, dealt: F64x2, kind: I64x2, higher: I64, lower: I64,
    my_first: F64x2, my_turns: F64x4, my_far: F64x2, regrets_first: F64x2, regrets_turns: F64x4, regrets_far: F64x2,
    sums_first: F64x2, sums_turns: F64x4, sums_far: F64x2, their_first: F64x3, their_turns: F64x4, their_far: F64x2,
    brings: F64x2, folded: F64x2, stays: F64x2, costs: F64x3, gains: F64, value: F64x2, two: F64, live: F64,
    up: float, fade: float,
) -> float:  # fmt: skip
    """One half of an iteration, the dealer's: what the dealer gets.  From ``brings`` on: scratch."""
    for d in range(HANDS):
        for n in range(limit + 1):
            brings[d, n] = 0.0
    for n in range(1, limit + 1):
        rest = most - n
        least = min(1, rest)  # one further wager is due
        for c in range(CARDS):
            for u in range(CARDS):
                for x in range(CARDS):
                    o = kind[c, x]
                    share = their_first[o, n, 1] * their_turns[o, n, 0, int(higher[o] != c)] if o else 0.0
                    live[x] = share
                    lost, left = 0.0, share
                    for t in range(rest + 1 if share > 0 else 0):
                        folded[x, t] = lost
                        stays[x, t] = left
                        part = share * their_far[place(n, c, u, x), t]
                        lost += part * (pot + double * (n + t))
                        left -= part
                for x in range(CARDS):
                    d = kind[u, x]
                    if d == 0:
                        continue
                    for t in range(rest + 1):
                        gains[t] = 0.0
                    for y in range(CARDS):
                        o = kind[c, y]
                        weight = dealt[d, o]
                        if live[y] <= 0 or weight == 0:
                            continue
                        how = int(d > o) - int(d < o)
                        for t in range(rest + 1):
                            gains[t] += weight * (folded[y, t] + stays[y, t] * shown(pot, double, how, n + t))
                    share = my_first[d, n] * my_turns[d, n, c, int(higher[d] != u)]
                    at = place(n, c, u, x)
                    value[u, x] = decide(
                        gains, least, rest, my_far[at], regrets_far[at], sums_far[at], share, up, fade
                    )  # fmt: skip
            for d in range(1, HANDS):
                two[0] = value[higher[d], lower[d]]
                two[1] = value[lower[d], higher[d]]
                brings[d, n] += decide(
                    two, 0, int(higher[d] != lower[d]), my_turns[d, n, c], regrets_turns[d, n, c], sums_turns[d, n, c],
                    my_first[d, n], up, fade,
                )  # fmt: skip
        for d in range(1, HANDS):
            for o in range(1, HANDS):
                brings[d, n] += pot * dealt[d, o] * their_first[o, n, 0]
    total = 0.0
    for d in range(1, HANDS):
        total += decide(
            brings[d], 1 - fold, limit, my_first[d], regrets_first[d], sums_first[d], 1.0, up, fade
        )  # fmt: skip
    return total


def of_opponent(
    pot: int, most: int, double: int, fold: int, limit: int, dealt: F64x2, kind: I64x2, higher: I64, lower: I64,
    my_first: F64x3, my_turns: F64x4, my_far: F64x2, regrets_first: F64x3, regrets_turns: F64x4, regrets_far: F64x2,
    sums_first: F64x3, sums_turns: F64x4, sums_far: F64x2, their_first: F64x2, their_turns: F64x4, their_far: F64x2,
    brings: F64x2, folded: F64x2, stays: F64x2, costs: F64x3, gains: F64, value: F64x2, two: F64, live: F64,
    up: float, fade: float,
) -> float:  # fmt: skip
    """The other half, the opponent's: what the opponent gets."""
    total = 0.0
    for n in range(1, limit + 1):
        rest = most - n
        for c in range(CARDS):
            for y in range(CARDS):
                value[c, y] = 0.0
            for u in range(CARDS):
                for x in range(CARDS):
                    d = kind[u, x]
                    share = their_first[d, n] * their_turns[d, n, c, int(higher[d] != u)] if d else 0.0
                    live[x] = share
                    won, lost, tied, left = 0.0, 0.0, 0.0, share
                    for t in range(rest + 1 if share > 0 else 0):
                        part = share * their_far[place(n, c, u, x), t]
                        won += part * shown(pot, double, 1, n + t)
                        lost += part * shown(pot, double, -1, n + t)
                        tied += part * shown(pot, double, 0, n + t)
                        left -= part
                        gone = max(left, 0.0) * (pot + double * (n + t))
                        costs[x, 0, t] = gone + won
                        costs[x, 1, t] = gone + lost
                        costs[x, 2, t] = gone + tied
                for x in range(CARDS):
                    o = kind[c, x]
                    if o == 0:
                        continue
                    for t in range(rest + 1):
                        gains[t] = 0.0
                    for y in range(CARDS):
                        d = kind[u, y]
                        weight = dealt[d, o]
                        if live[y] <= 0 or weight == 0:
                            continue
                        how = 0 if d > o else 1 if d < o else 2
                        for t in range(rest + 1):
                            gains[t] -= weight * costs[y, how, t]
                    share = my_first[o, n, 1] * my_turns[o, n, 0, int(higher[o] != c)]
                    at = place(n, c, u, x)
                    value[c, x] += decide(
                        gains, 0, rest, my_far[at], regrets_far[at], sums_far[at], share, up, fade
                    )  # fmt: skip
        for o in range(1, HANDS):
            two[0] = value[higher[o], lower[o]]
            two[1] = value[lower[o], higher[o]]
            matched = decide(
                two, 0, int(higher[o] != lower[o]), my_turns[o, n, 0], regrets_turns[o, n, 0], sums_turns[o, n, 0],
                my_first[o, n, 1], up, fade,
            )  # fmt: skip
            two[0] = 0.0
            two[1] = matched
            for d in range(1, HANDS):
                two[0] -= pot * dealt[d, o] * their_first[d, n]
            total += decide(two, 0, 1, my_first[o, n], regrets_first[o, n], sums_first[o, n], 1.0, up, fade)
    return total


KERNEL = Kernel(__name__, entries=(of_dealer, of_opponent), of_a_game=False, flags=REORDERED)


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
        long = most + 1
        rows = (
            (HANDS, limit + 1),
            (CARDS, long),
            (CARDS, long),
            (CARDS, 3, long),
            (long,),
            (CARDS, CARDS),
            (2,),
            (CARDS,),
        )
        self._scratch = [np.zeros(shape) for shape in rows]

    def iterate(self, times: int) -> None:
        """Both players in turn, ``times`` times."""
        for t in range(self.iterations + 1, self.iterations + times + 1):
            up, fade = 1 - 1 / ((t - 1) ** ALPHA + 1), ((t - 1) / t) ** GAMMA
            self._half(0, self.opponent, up, fade)
            self._half(1, self.dealer, up, fade)
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
        return -self._half(1, dealer, -1.0, 1.0)

    def upper(self, opponent: Side) -> float:
        """What the best dealer gets from an opponent who plays like this."""
        return self._half(0, opponent, -1.0, 1.0)

    def _half(self, p: int, other: Side, up: float, fade: float) -> float:
        """One half of an iteration, the dealer's (0) or the opponent's (1), against the ``other``."""
        code, me = KERNEL.functions, (self.dealer, self.opponent)[p]
        given = [part for side in (me, self._regrets[p], self._sums[p], other) for part in _flat(side)]
        return float((code.of_dealer, code.of_opponent)[p](*self.hand, *given, *self._scratch, up, fade))

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


def _flat(side: Side) -> tuple[Any, Any, Any]:
    return side.first, side.turns, side.far.reshape(-1, side.far.shape[-1])


def main() -> None:
    """Pot, most, and ``standard`` if the game is that."""
    pot, most = int(sys.argv[1]), int(sys.argv[2])
    betting = Betting(pot, most, doubled="standard" not in sys.argv)
    lower, upper = betting.run(2e-3)
    print(f"{betting.iterations} iterations: the dealer gets from {lower:+.4f} to {upper:+.4f}")


if __name__ == "__main__":
    main()
