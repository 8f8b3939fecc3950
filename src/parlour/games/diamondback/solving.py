"""A hand of Diamondback for two, solved during play; long because the compiled loops and their callers belong together.

After the exposures single coins are enough (:func:`parlour.games.diamondback.advice.enough`), and no card is turned up
between them.  So a player only chooses how far to go: the dealer chooses the total at which to stop, the opponent the
total up to which to match.  A hand therefore needs no chain of decisions, and is solved in about a second.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import chain, product
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from parlour.engine.c.building import REORDERED, library
from parlour.engine.kernel import F32, I64, F32x2, F32x3, F32x4, I64x2, Kernel
from parlour.games.diamondback import position
from parlour.games.diamondback.position import full_deck, in_stock
from parlour.games.diamondback.unbeatable import LIMIT

if TYPE_CHECKING:
    from numpy.typing import NDArray

HANDS = 15  # kinds of hand, and 0 for an unknown one
CARDS = 5
ALPHA, GAMMA = 1.5, 2.0  # parameters of discounted CFR; negative regrets are halved
TARGET = 0.008
"""The highest exploitability of a solution: what the best opponent wins beyond the value, in coins, on average over
both seats."""
FIRST, LAST = 300, 6000  # iterations before the first check, and the most that are made
RARE = 0.0001
"""Choices with a lower probability are left out; a dealer goes on if stopping would be this rare."""
KEPT = 48
"""Hands kept in memory; each takes less than a megabyte."""

_KIND = np.array(position.KIND).reshape(CARDS, CARDS)
_HIGHER, _LOWER = np.array(position.HIGHER), np.array(position.LOWER)
_PAIR = _HIGHER == _LOWER
_F = np.float32


def dealt() -> NDArray[np.float32]:
    """Return the probability of each pair of hands: the dealer's and the opponent's.

    >>> bool(abs(dealt().sum() - 1) < 1e-6)
    True
    """
    chances = np.zeros((HANDS, HANDS))
    for cards in product(range(CARDS), repeat=4):
        stock, chance = [in_stock(full_deck(2), k) for k in range(CARDS)], 1.0
        for k in cards:
            chance *= stock[k] / sum(stock)
            stock[k] -= 1
        chances[_KIND[cards[:2]], _KIND[cards[2:]]] += chance
    return chances.astype(_F)


class HandToSolve(NamedTuple):
    """The hand to be solved.

    ``most``: the most that the dealer can wager in all; ``top``: the highest opening wager; ``fold``: 1 if the dealer
    may fold instead; ``pays[how, b]``: what the dealer, after wagers of ``b`` in all, gets by winning (or if the
    opponent folds), losing or tying; ``dealt``: see :func:`dealt`; ``kind[a, b]``, ``higher[h]``, ``lower[h]``: as in
    ``position``.
    """

    most: int
    top: int
    fold: int
    pays: F32x2
    dealt: F32x2
    kind: I64x2
    higher: I64
    lower: I64


class Dealer(NamedTuple):
    """The dealer's strategy, regrets, or sums of strategies, in one layout.

    ``first[h, n]``: opens with ``n`` (0: folds).  ``turns[h, n, c, e]``: turns up the higher card (``e`` 0) or the
    lower one, against card ``c``.  ``far[place(n, c, u, x), t]``: the weight of going exactly ``t`` further coins, if
    the opponent shows ``c`` and the dealer ``u``, with ``x`` hidden; ``scale[place(n, c, u, x)]`` times the weights of
    a row gives probabilities (0: all are equally likely).  While a hand is being solved, the weights are the regrets.
    """

    first: F32x2
    turns: F32x4
    far: F32x2
    scale: F32


class Opponent(NamedTuple):
    """The same for the opponent, who matches an opening of ``n`` (``first[h, n, 1]``) or does not, and turns up a card
    before the dealer does (``turns[h, n, 0, e]``)."""

    first: F32x3
    turns: F32x4
    far: F32x2
    scale: F32


class Scratch(NamedTuple):
    """Scratch space for half an iteration."""

    brings: F32x2
    costs: F32x3
    row: F32
    gains: F32
    value: F32x2
    two: F32
    shares: F32


Side = Dealer | Opponent


# ------------------------------------------------------------------------------------------ compiled loops
#
# The functions below are compiled to machine code.  Arrays are in single precision.


def place(n: int, c: int, u: int, x: int) -> int:
    """Return the place in ``far`` and ``scale`` of an opening of ``n``, the cards shown and the hidden card.

    >>> place(1, 0, 2, 3)
    138
    """
    return ((n * CARDS + c) * CARDS + u) * CARDS + x


def choose(
    gains: Any, low: int, high: int, now: Any, regrets: Any, sums: Any, weight: float, up: float
) -> float:  # fmt: skip
    """Return the value of a decision among ``low`` to ``high`` - 1; then regret matching makes the next chances
    ``now``.

    ``weight``: the weight of the chances in the average.  If ``up`` is negative, return the value of the best choice,
    and change nothing.
    """
    if up < 0:
        best = float(gains[low])
        for k in range(low + 1, high):
            best = max(best, gains[k])
        return best
    value, total = 0.0, 0.0
    for k in range(low, high):
        value += now[k] * gains[k]
        sums[k] += weight * now[k]
    for k in range(low, high):
        old = regrets[k]
        regrets[k] = old * (up if old > 0 else 0.5) + gains[k] - value
        total += max(regrets[k], 0.0)
    for k in range(low, high):
        now[k] = max(regrets[k], 0.0) / total if total > 0 else 1.0 / (high - low)
    return value


def go(
    gains: Any, low: int, high: int, regrets: Any, scale: float, sums: Any, weight: float, up: float
) -> tuple[float, float]:
    """The same for how far to go, where the chances are the positive ``regrets`` times ``scale``; return the value and
    the next scale."""
    if up < 0:
        best = float(gains[low])
        for t in range(low + 1, high):
            best = max(best, gains[t])
        return best, scale
    value = 0.0
    if scale > 0:
        for t in range(low, high):
            value += max(regrets[t], 0.0) * gains[t]
        value *= scale
        weight *= scale
        for t in range(low, high):
            sums[t] += weight * max(regrets[t], 0.0)
    else:
        even = 1.0 / (high - low)
        for t in range(low, high):
            value += gains[t] * even
            sums[t] += weight * even
    total = 0.0
    for t in range(low, high):
        old = regrets[t]
        old = old * (up if old > 0 else 0.5) + gains[t] - value
        regrets[t] = old
        total += max(old, 0.0)
    return value, (1.0 / total if total > 0 else 0.0)


def chances(far: Any, low: int, high: int, scale: float, found: Any) -> None:
    """Write a row of chances that add up to 1."""
    for t in range(high):
        found[t] = max(far[t], 0.0) * scale
    if scale <= 0:
        for t in range(low, high):
            found[t] = 1.0 / (high - low)
    for t in range(low):
        found[t] = 0.0


def of_dealer(
    hand: HandToSolve,
    mine: Dealer,
    regrets: Dealer,
    sums: Dealer,
    theirs: Opponent,
    s: Scratch,
    weight: float,
    up: float,
) -> float:
    """Do the dealer's half of an iteration; return what the dealer gets."""
    pays, dealt, kind, higher, lower = hand.pays, hand.dealt, hand.kind, hand.higher, hand.lower
    costs, row, gains, shares, two, value = s.costs, s.row, s.gains, s.shares, s.two, s.value
    for d in range(HANDS):
        for n in range(hand.top + 1):
            s.brings[d, n] = 0.0
    for n in range(1, hand.top + 1):
        long = hand.most - n + 1
        least = min(1, hand.most - n)  # at least one further wager is required, if any coins are left
        for c in range(CARDS):
            for y in range(CARDS):
                o = kind[c, y]
                shares[y] = theirs.first[o, n, 1] * theirs.turns[o, n, 0, int(higher[o] != c)] if o else 0.0
            for u in range(CARDS):
                for y in range(CARDS):
                    if shares[y] > 0:
                        at = place(n, c, u, y)
                        chances(theirs.far[at], 0, long, theirs.scale[at], row)
                        lost, left = 0.0, float(shares[y])
                        for t in range(long):
                            part = shares[y] * row[t]
                            for how in range(3):
                                costs[y, how, t] = lost + left * pays[how, n + t]
                            lost += part * pays[0, n + t]
                            left -= part
                for x in range(CARDS):
                    d = kind[u, x]
                    if d:
                        for t in range(long):
                            gains[t] = 0.0
                        for y in range(CARDS):
                            o = kind[c, y]
                            chance = dealt[d, o]
                            if shares[y] > 0 and chance > 0:
                                add_costs(gains, costs[y, 0 if d > o else 1 if d < o else 2], chance, long)
                        counts = weight * mine.first[d, n] * mine.turns[d, n, c, int(higher[d] != u)]
                        at = place(n, c, u, x)
                        value[u, x], mine.scale[at] = go(
                            gains, least, long, regrets.far[at], mine.scale[at], sums.far[at], counts, up
                        )  # fmt: skip
            for d in range(1, HANDS):
                two[0] = value[higher[d], lower[d]]
                two[1] = value[lower[d], higher[d]]
                s.brings[d, n] += choose(
                    two, 0, 1 + int(higher[d] != lower[d]), mine.turns[d, n, c], regrets.turns[d, n, c],
                    sums.turns[d, n, c], weight * mine.first[d, n], up,
                )  # fmt: skip
        for d in range(1, HANDS):
            for o in range(1, HANDS):
                s.brings[d, n] += pays[0, 0] * dealt[d, o] * theirs.first[o, n, 0]
    total = 0.0
    for d in range(1, HANDS):
        total += choose(
            s.brings[d], 1 - hand.fold, hand.top + 1, mine.first[d], regrets.first[d], sums.first[d], weight, up
        )  # fmt: skip
    return total


def add_costs(gains: Any, costs: Any, chance: float, long: int) -> None:
    """Add the contribution of one hand of the other player."""
    for t in range(long):
        gains[t] += chance * costs[t]


def of_opponent(
    hand: HandToSolve,
    mine: Opponent,
    regrets: Opponent,
    sums: Opponent,
    theirs: Dealer,
    s: Scratch,
    weight: float,
    up: float,
) -> float:
    """Do the opponent's half of an iteration; return what the opponent gets."""
    pays, dealt, kind, higher, lower = hand.pays, hand.dealt, hand.kind, hand.higher, hand.lower
    costs, row, gains, shares, two, value = s.costs, s.row, s.gains, s.shares, s.two, s.value
    total = 0.0
    for n in range(1, hand.top + 1):
        long = hand.most - n + 1
        least = min(1, hand.most - n)
        for c in range(CARDS):
            for y in range(CARDS):
                value[c, y] = 0.0
            for u in range(CARDS):
                for x in range(CARDS):
                    d = kind[u, x]
                    shares[x] = theirs.first[d, n] * theirs.turns[d, n, c, int(higher[d] != u)] if d else 0.0
                    if shares[x] > 0:
                        at = place(n, c, u, x)
                        chances(theirs.far[at], least, long, theirs.scale[at], row)
                        won, lost, tied, left = 0.0, 0.0, 0.0, float(shares[x])
                        for t in range(long):
                            part = shares[x] * row[t]
                            won += part * pays[0, n + t]
                            lost += part * pays[1, n + t]
                            tied += part * pays[2, n + t]
                            left -= part
                            folded = max(left, 0.0) * pays[0, n + t]
                            costs[x, 0, t] = won + folded
                            costs[x, 1, t] = lost + folded
                            costs[x, 2, t] = tied + folded
                for y in range(CARDS):
                    o = kind[c, y]
                    if o:
                        for t in range(long):
                            gains[t] = 0.0
                        for x in range(CARDS):
                            d = kind[u, x]
                            chance = dealt[d, o]
                            if shares[x] > 0 and chance > 0:
                                add_costs(gains, costs[x, 0 if d > o else 1 if d < o else 2], -chance, long)
                        counts = weight * mine.first[o, n, 1] * mine.turns[o, n, 0, int(higher[o] != c)]
                        at = place(n, c, u, y)
                        gets, mine.scale[at] = go(
                            gains, 0, long, regrets.far[at], mine.scale[at], sums.far[at], counts, up
                        )  # fmt: skip
                        value[c, y] += gets
        for o in range(1, HANDS):
            two[0] = value[higher[o], lower[o]]
            two[1] = value[lower[o], higher[o]]
            matched = choose(
                two, 0, 1 + int(higher[o] != lower[o]), mine.turns[o, n, 0], regrets.turns[o, n, 0],
                sums.turns[o, n, 0], weight * mine.first[o, n, 1], up,
            )  # fmt: skip
            two[0] = 0.0
            two[1] = matched
            for d in range(1, HANDS):
                two[0] -= pays[0, 0] * dealt[d, o] * theirs.first[d, n]
            total += choose(two, 0, 2, mine.first[o, n], regrets.first[o, n], sums.first[o, n], weight, up)
    return total


def iterate(
    hand: HandToSolve, dealer: Dealer, dealer_regrets: Dealer, dealer_sums: Dealer,
    opponent: Opponent, opponent_regrets: Opponent, opponent_sums: Opponent, scratch: Scratch, done: int, to: int,
) -> None:  # fmt: skip
    """Iterate, both players in turn, until ``to`` iterations are done."""
    for k in range(done, to):
        up = 1.0 - 1.0 / (k**ALPHA + 1.0)
        weight = (k + 1) ** GAMMA
        of_dealer(hand, dealer, dealer_regrets, dealer_sums, opponent, scratch, weight, up)
        of_opponent(hand, opponent, opponent_regrets, opponent_sums, dealer, scratch, weight, up)


KERNEL = Kernel(__name__, entries=(of_dealer, of_opponent, iterate), of_a_game=False, flags=REORDERED)


class HandSolver:
    """A hand that is being solved.

    ``pot``: the coins in the middle before the opening wager; ``most``: the most that the dealer can wager in all, at
    least 1; ``doubled``: whether the opponent pays twice that, as in Dealer's Diamondback, where the dealer cannot
    fold.

    >>> solver = HandSolver(20, 1, doubled=True)
    >>> lower, upper = solver.run(1e-3)
    >>> round(lower, 2), round(upper, 2)
    (10.32, 10.32)
    """

    def __init__(self, pot: int, most: int, *, doubled: bool) -> None:
        bets, double = np.arange(most + 1), 1 + doubled
        odd_to_the_opponent = (pot + (1 + double) * bets) // 2 - bets
        pays = np.stack([pot + double * bets, -bets, odd_to_the_opponent]).astype(_F)
        top, fold = min(LIMIT, most), int(not doubled)
        self.hand = HandToSolve(most, top, fold, pays, dealt(), _KIND, _HIGHER, _LOWER)
        self.iterations = 0
        dealer, opponent = Dealer(*_even(top, most)), Opponent(*_even(top, most, 2))
        dealer.first[:, 1 - fold :] = 1 / (top + fold)
        self._regrets, self._sums = (
            (Dealer(*_none(dealer)), Opponent(*_none(opponent))) for _ in range(2)
        )  # fmt: skip
        self._dealer = dealer._replace(far=self._regrets[0].far)
        self._opponent = opponent._replace(far=self._regrets[1].far)
        long = most + 1
        shapes = (HANDS, top + 1), (CARDS, 3, long), (long,), (long,), (CARDS, CARDS), (2,), (CARDS,)
        self._scratch = Scratch(*(np.zeros(shape, _F) for shape in shapes))
        self._code = KERNEL.functions

    def _iterate(self, to: int) -> None:
        both = zip((self._dealer, self._opponent), self._regrets, self._sums, strict=True)
        self._code.iterate(self.hand, *chain(*both), self._scratch, self.iterations, to)
        self.iterations = to

    def averages(self) -> tuple[Dealer, Opponent]:
        """The average strategies of both players, the dealer first."""
        dealer = _average(self._dealer, self._regrets[0], self._sums[0])
        opponent = _average(self._opponent, self._regrets[1], self._sums[1])
        return Dealer(*dealer), Opponent(*opponent)

    def bounds(self, dealer: Dealer, opponent: Opponent) -> tuple[float, float]:
        """What such a dealer gets at least, and what the best dealer gets from such an opponent, both with the pot."""
        d, o = Dealer(*_none(dealer)), Opponent(*_none(opponent))
        lower = -self._code.of_opponent(self.hand, o, o, o, dealer, self._scratch, 0.0, -1.0)
        upper = self._code.of_dealer(self.hand, d, d, d, opponent, self._scratch, 0.0, -1.0)
        return float(lower), float(upper)

    def run(self, target: float = TARGET, most: int = LAST) -> tuple[float, float]:
        """Iterate until the averages are exploitable by at most ``target``, or ``most`` times; return both bounds."""
        until = FIRST
        while True:
            self._iterate(until)
            lower, upper = self.bounds(*self.averages())
            if (upper - lower) / 2 <= target or until >= most:
                return lower, upper
            until = min(most, until * 9 // 8)


def _even(top: int, most: int, *ways: int) -> tuple[Any, ...]:
    """The first strategy of a player: everything is equally likely."""
    turns = np.full((HANDS, top + 1, CARDS, 2), 0.5, _F)
    turns[_PAIR] = 1, 0
    places = (top + 1) * CARDS**3
    far, scale = np.zeros((places, most + 1), _F), np.zeros(places, _F)
    return np.full((HANDS, top + 1, *ways), 0.5 if ways else 0, _F), turns, far, scale


def _none(side: Side) -> list[NDArray[np.float32]]:
    """Arrays of zeros in the layout of a player's strategy."""
    return list(map(np.zeros_like, side))


def _average(now: Side, regrets: Side, sums: Side) -> tuple[Any, ...]:
    """The average strategy of a player."""
    added = sums.far.sum(-1)
    here = added > 0
    far = np.where(here[..., None], sums.far, np.maximum(regrets.far, 0))
    scale = np.where(here, 1 / np.where(here, added, 1), now.scale)
    return _shares(sums.first, now.first), _shares(sums.turns, now.turns), far, scale


def _shares(sums: NDArray[np.float32], now: NDArray[np.float32]) -> NDArray[np.float32]:
    total = sums.sum(-1, keepdims=True)
    return np.where(total > 0, sums / np.where(total > 0, total, 1), now)


class Solution:
    """One player's strategy in a solved hand, with the methods of
    :class:`parlour.games.diamondback.unbeatable.MixedStrategy`."""

    def __init__(self, side: Side, most: int, deals: bool) -> None:
        self.most, self.top, self.deals = most, min(LIMIT, most), deals
        self._side = side

    def first(self, h: int, n: int) -> float:
        """The chance that a dealer with hand ``h`` opens with ``n`` (0: folds), or that an opponent matches that."""
        row = self._side.first[h]
        if not self.deals:
            return float(row[n, 1])
        return float(row[n] / row[row >= RARE].sum()) if row[n] >= RARE else 0.0

    def turns(self, h: int, n: int, other: int) -> float:
        """The chance that the player turns up the higher card; a dealer against the opponent's card ``other``."""
        chance = float(self._side.turns[h, n, other if self.deals else 0, 0])
        return 0.0 if chance < RARE else 1.0 if chance > 1 - RARE else chance

    def far(self, n: int, c: int, u: int, hidden: int) -> list[float] | None:
        """The chances to go 0, 1, 2 … further coins, up to all; ``None`` if the player never gets there."""
        if not self._comes(n, c, u, hidden):
            return None
        rest = self.most - n
        at = place(n, c, u, hidden)
        row = self._side.far[at, : rest + 1] * self._side.scale[at]
        if not row.any():
            row[-1] = 1
        return without_rare_stops(row.tolist()) if self.deals else row.tolist()

    def _comes(self, n: int, c: int, u: int, hidden: int) -> bool:
        """Whether the player ever shows this card with that one hidden; if no hand makes such an opening, any hand
        counts."""
        h = int(_KIND[u if self.deals else c, hidden])
        if not h or (self.deals and not self.first(h, n) and any(self.first(other, n) for other in range(1, HANDS))):
            return False
        higher = self.turns(h, n, c)
        return higher > 0 if _HIGHER[h] == (u if self.deals else c) else higher < 1


def without_rare_stops(row: list[float]) -> list[float]:
    """How far a dealer goes, with rare stops left out.

    >>> without_rare_stops([0.00001, 0.49999, 0.5])
    [0.0, 0.5, 0.5]
    """
    left, late, found = sum(row), 0.0, []
    for chance in row[:-1]:
        here = chance + late
        stops = here >= RARE * left
        found.append(here if stops else 0.0)
        late = 0.0 if stops else here
        left -= found[-1]
    return [*found, row[-1] + late]


@lru_cache(maxsize=KEPT)
def solution(doubled: bool, pot: int, most: int) -> tuple[Solution, Solution]:
    """Return the strategies of both players in a hand, the dealer first; they are cached."""
    solver = HandSolver(pot, most, doubled=doubled)
    solver.run()
    dealer, opponent = solver.averages()
    return Solution(dealer, most, True), Solution(opponent, most, False)


def make_code() -> None:
    """Compile the machine code, so that the next process finds it."""
    library(None, KERNEL.group)
