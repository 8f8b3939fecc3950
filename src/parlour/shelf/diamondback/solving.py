"""A hand of Diamondback for two, solved while it is being played: by discounted CFR, in machine code.

After the exposures single coins are enough (:func:`parlour.shelf.diamondback.advice.enough`), and no card is turned up
between them.  So a player only chooses how far to go: the dealer after which total to stop, the opponent up to
which total to match.  A hand therefore needs no chain of decisions, and takes a second or so.
"""

from __future__ import annotations

from functools import lru_cache, partial
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from parlour.shelf.diamondback import position
from parlour.shelf.diamondback.position import full_deck, in_stock
from parlour.shelf.diamondback.unbeatable import LIMIT
from parlour.solve.kernels import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

HANDS = 15  # kinds, and 0 for none
CARDS = 5
ALPHA, GAMMA = 1.5, 2.0  # of discounted CFR; negative regrets are halved
TARGET = 0.008
"""How exploitable a solution may be: what the best opponent wins beyond the value, in coins, on average over both
seats."""
FIRST, LAST = 300, 6000  # iterations before the first check, and at most
RARE = 0.0001
"""Choices that a player makes more rarely are left out; a dealer goes on where stopping would be so rare."""
KEPT = 48
"""Hands that stay in memory; one takes less than a megabyte."""

_KIND = np.array(position.KIND).reshape(CARDS, CARDS)
_HIGHER, _LOWER = np.array(position.HIGHER), np.array(position.LOWER)
_PAIR = _HIGHER == _LOWER
_F = np.float32
_NONE, _HALF, _ONE = _F(0), _F(0.5), _F(1)
_compiled = partial(compiled, reordered=True)


def dealt() -> NDArray[np.float32]:
    """The probability of each pair of hands: the dealer's, the opponent's.

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


class Hand(NamedTuple):
    """What is being solved.

    ``most``: what the dealer can wager in all; ``top``: the highest opening wager; ``fold``: 1 if the dealer may fold
    instead; ``pays[how, b]``: what the dealer, having bet ``b`` in all, gets when winning (the opponent
    folds, too), losing or tying; ``dealt``: see :func:`dealt`; ``kind[a, b]``, ``higher[h]``, ``lower[h]``: as in
    ``position``.
    """

    most: int
    top: int
    fold: int
    pays: Any
    dealt: Any
    kind: Any
    higher: Any
    lower: Any


class Side(NamedTuple):
    """What one player does.

    ``first[h, n]``: the dealer opens with ``n`` (0: folds); the opponent matches that (``first[h, n, 1]``) or not.
    ``turns[h, n, c, e]``: turns up the higher card (``e`` 0) or the lower one, against card ``c`` (opponents: 0).
    ``far[n, c, u, x, t]``: how likely the player goes just ``t`` further coins far, of
    whatever the row adds up to and ``scale`` brings to 1 (0: all are equally likely), the opponent showing ``c`` and
    the dealer ``u``, with ``x`` hidden.
    """

    first: Any
    turns: Any
    far: Any
    scale: Any


@_compiled
def _choose(gains: Any, low: int, high: int, now: Any, regrets: Any, sums: Any, weight: Any, up: Any) -> Any:
    """What a decision among ``low`` to ``high`` - 1 is worth; then regret matching makes the next chances ``now``.

    ``weight``: how much the chances count in the average.  A negative ``up`` asks for the best, and changes nothing.
    """
    if up < 0:
        best = gains[low]
        for k in range(low + 1, high):
            best = max(best, gains[k])
        return best
    value, total = _NONE, _NONE
    for k in range(low, high):
        value += now[k] * gains[k]
        sums[k] += weight * now[k]
    for k in range(low, high):
        old = regrets[k]
        regrets[k] = old * (up if old > 0 else _HALF) + gains[k] - value
        total += max(regrets[k], _NONE)
    for k in range(low, high):
        now[k] = max(regrets[k], _NONE) / total if total > 0 else _ONE / _F(high - low)
    return value


@_compiled
def _go(gains: Any, low: int, high: int, regrets: Any, scale: float, sums: Any, weight: Any, up: Any) -> Any:
    """The same for how far to go, where the chances are the positive ``regrets`` times ``scale``: what it is worth, and
    the next scale."""
    if up < 0:
        best = gains[low]
        for t in range(low + 1, high):
            best = max(best, gains[t])
        return best, scale
    value = _NONE
    if scale > 0:
        for t in range(low, high):
            value += max(regrets[t], _NONE) * gains[t]
        value *= scale
        weight *= scale
        for t in range(low, high):
            sums[t] += weight * max(regrets[t], _NONE)
    else:
        even = _ONE / _F(high - low)
        for t in range(low, high):
            value += gains[t] * even
            sums[t] += weight * even
    total = _NONE
    for t in range(low, high):
        old = regrets[t]
        old = old * (up if old > 0 else _HALF) + gains[t] - value
        regrets[t] = old
        total += max(old, _NONE)
    return value, (_ONE / total if total > 0 else _NONE)


@_compiled
def _chances(far: Any, low: int, high: int, scale: float, found: Any) -> None:
    """A row of chances that add up to 1."""
    for t in range(high):
        found[t] = max(far[t], _NONE) * scale
    if scale <= 0:
        for t in range(low, high):
            found[t] = _ONE / _F(high - low)
    for t in range(low):
        found[t] = _NONE


@_compiled
def _dealer(hand: Hand, me: Side, regrets: Side, sums: Side, other: Side, weight: Any, up: Any) -> Any:
    """One half of an iteration, the dealer's: what the dealer gets."""
    most, kind, higher, lower = hand.most, hand.kind, hand.higher, hand.lower
    brings = np.zeros((HANDS, hand.top + 1), _F)
    costs, gains, row = np.zeros((CARDS, 3, most + 1), _F), np.zeros(most + 1, _F), np.zeros(most + 1, _F)
    folded, stays = np.zeros(most + 1, _F), np.zeros(most + 1, _F)
    value, two, shares = np.zeros((CARDS, CARDS), _F), np.zeros(2, _F), np.zeros(CARDS, _F)
    for n in range(1, hand.top + 1):
        long = most - n + 1
        least = min(1, most - n)  # one further wager is due
        for c in range(CARDS):
            for y in range(CARDS):
                o = kind[c, y]
                shares[y] = other.first[o, n, 1] * other.turns[o, n, 0, int(higher[o] != c)] if o else _NONE
            for u in range(CARDS):
                for y in range(CARDS):
                    if shares[y] > 0:
                        _chances(other.far[n, c, u, y], 0, long, other.scale[n, c, u, y], row)
                        lost, left = _NONE, shares[y]
                        for t in range(long):
                            folded[t], stays[t] = lost, left
                            part = shares[y] * row[t]
                            lost += part * hand.pays[0, n + t]
                            left -= part
                        for how in range(3):
                            for t in range(long):
                                costs[y, how, t] = folded[t] + stays[t] * hand.pays[how, n + t]
                for x in range(CARDS):
                    d = kind[u, x]
                    if d == 0:
                        continue
                    gains[:] = _NONE
                    for y in range(CARDS):
                        o = kind[c, y]
                        chance = hand.dealt[d, o]
                        if shares[y] > 0 and chance > 0:
                            how = 0 if d > o else 1 if d < o else 2
                            for t in range(long):
                                gains[t] += chance * costs[y, how, t]
                    counts = weight * me.first[d, n] * me.turns[d, n, c, int(higher[d] != u)]
                    value[u, x], me.scale[n, c, u, x] = _go(
                        gains, least, long, regrets.far[n, c, u, x], me.scale[n, c, u, x], sums.far[n, c, u, x],
                        counts, up,
                    )  # fmt: skip
            for d in range(1, HANDS):
                two[0], two[1] = value[higher[d], lower[d]], value[lower[d], higher[d]]
                brings[d, n] += _choose(
                    two, 0, 1 + int(higher[d] != lower[d]), me.turns[d, n, c], regrets.turns[d, n, c],
                    sums.turns[d, n, c], weight * me.first[d, n], up,
                )  # fmt: skip
        for d in range(1, HANDS):
            for o in range(1, HANDS):
                brings[d, n] += hand.pays[0, 0] * hand.dealt[d, o] * other.first[o, n, 0]
    total = _NONE
    for d in range(1, HANDS):
        total += _choose(
            brings[d], 1 - hand.fold, hand.top + 1, me.first[d], regrets.first[d], sums.first[d], weight, up
        )  # fmt: skip
    return total


@_compiled
def _opponent(hand: Hand, me: Side, regrets: Side, sums: Side, other: Side, weight: Any, up: Any) -> Any:
    """The other half, the opponent's: what the opponent gets."""
    most, kind, higher, lower = hand.most, hand.kind, hand.higher, hand.lower
    costs, gains, row = np.zeros((CARDS, 3, most + 1), _F), np.zeros(most + 1, _F), np.zeros(most + 1, _F)
    stays = np.zeros(most + 1, _F)
    value, two, shares = np.zeros((CARDS, CARDS), _F), np.zeros(2, _F), np.zeros(CARDS, _F)
    total = _NONE
    for n in range(1, hand.top + 1):
        long = most - n + 1
        least = min(1, most - n)
        value[:] = _NONE
        for c in range(CARDS):
            for u in range(CARDS):
                for x in range(CARDS):
                    d = kind[u, x]
                    shares[x] = other.first[d, n] * other.turns[d, n, c, int(higher[d] != u)] if d else _NONE
                    if shares[x] > 0:
                        _chances(other.far[n, c, u, x], least, long, other.scale[n, c, u, x], row)
                        won, lost, tied, left = _NONE, _NONE, _NONE, shares[x]
                        for t in range(long):
                            part = shares[x] * row[t]
                            won += part * hand.pays[0, n + t]
                            lost += part * hand.pays[1, n + t]
                            tied += part * hand.pays[2, n + t]
                            left -= part
                            costs[x, 0, t], costs[x, 1, t], costs[x, 2, t], stays[t] = won, lost, tied, left
                        for how in range(3):
                            for t in range(long):
                                costs[x, how, t] += max(stays[t], _NONE) * hand.pays[0, n + t]
                for y in range(CARDS):
                    o = kind[c, y]
                    if o == 0:
                        continue
                    gains[:] = _NONE
                    for x in range(CARDS):
                        d = kind[u, x]
                        chance = hand.dealt[d, o]
                        if shares[x] > 0 and chance > 0:
                            how = 0 if d > o else 1 if d < o else 2
                            for t in range(long):
                                gains[t] -= chance * costs[x, how, t]
                    counts = weight * me.first[o, n, 1] * me.turns[o, n, 0, int(higher[o] != c)]
                    gets, me.scale[n, c, u, y] = _go(
                        gains, 0, long, regrets.far[n, c, u, y], me.scale[n, c, u, y], sums.far[n, c, u, y], counts, up
                    )  # fmt: skip
                    value[c, y] += gets
        for o in range(1, HANDS):
            two[0], two[1] = value[higher[o], lower[o]], value[lower[o], higher[o]]
            matched = _choose(
                two, 0, 1 + int(higher[o] != lower[o]), me.turns[o, n, 0], regrets.turns[o, n, 0], sums.turns[o, n, 0],
                weight * me.first[o, n, 1], up,
            )  # fmt: skip
            two[0], two[1] = _NONE, matched
            for d in range(1, HANDS):
                two[0] -= hand.pays[0, 0] * hand.dealt[d, o] * other.first[d, n]
            total += _choose(two, 0, 2, me.first[o, n], regrets.first[o, n], sums.first[o, n], weight, up)
    return total


@_compiled
def _iterate(
    hand: Hand, dealer: Side, regrets: Side, sums: Side, opponent: Side, regrets_: Side, sums_: Side, done: int, to: int
) -> None:
    """Both players in turn, until ``to`` iterations are done."""
    for k in range(done, to):
        up, weight = _F(1 - 1 / (k**ALPHA + 1)), _F(k + 1) ** GAMMA
        _dealer(hand, dealer, regrets, sums, opponent, _F(weight), up)
        _opponent(hand, opponent, regrets_, sums_, dealer, _F(weight), up)


class Solver:
    """A hand that is being solved.

    ``pot``: the coins in the middle before the opening wager; ``most``: what the dealer can wager in all, at least 1;
    ``doubled``: whether the opponent pays twice that, as in the Dealer's game, where the dealer can't fold.

    >>> solver = Solver(20, 1, doubled=True)
    >>> lower, upper = solver.run(1e-3)
    >>> round(lower, 2), round(upper, 2)
    (10.32, 10.32)
    """

    def __init__(self, pot: int, most: int, *, doubled: bool) -> None:
        bets, double = np.arange(most + 1), 1 + doubled
        odd_to_the_opponent = (pot + (1 + double) * bets) // 2 - bets
        pays = np.stack([pot + double * bets, -bets, odd_to_the_opponent]).astype(_F)
        top, fold = min(LIMIT, most), int(not doubled)
        self.hand = Hand(most, top, fold, pays, dealt(), _KIND, _HIGHER, _LOWER)
        self.iterations = 0
        self._dealer, self._opponent = (self._even(top, most, shape) for shape in ((), (2,)))
        self._dealer.first[:, 1 - fold :] = 1 / (top + fold)
        self._regrets = [Side(*map(np.zeros_like, side)) for side in (self._dealer, self._opponent)]
        self._sums = [Side(*map(np.zeros_like, side)) for side in (self._dealer, self._opponent)]

    @staticmethod
    def _even(top: int, most: int, ways: tuple[int, ...]) -> Side:
        turns = np.full((HANDS, top + 1, CARDS, 2), _HALF)
        turns[_PAIR] = 1, 0
        far, scale = (
            np.zeros((top + 1, CARDS, CARDS, CARDS, most + 1), _F),
            np.zeros((top + 1, CARDS, CARDS, CARDS), _F),
        )
        return Side(np.full((HANDS, top + 1, *ways), _HALF if ways else _NONE), turns, far, scale)

    def _iterate(self, to: int) -> None:
        (regrets, regrets_), (sums, sums_) = self._regrets, self._sums
        dealer, opponent = (
            now._replace(far=r.far) for now, r in zip((self._dealer, self._opponent), self._regrets, strict=True)
        )
        _iterate(self.hand, dealer, regrets, sums, opponent, regrets_, sums_, self.iterations, to)
        self.iterations = to

    def averages(self) -> tuple[Side, Side]:
        """What both players do on average, the dealer first."""
        found = []
        for now, regrets, sums in zip((self._dealer, self._opponent), self._regrets, self._sums, strict=True):
            added = sums.far.sum(-1)
            here = added > 0
            far = np.where(here[..., None], sums.far, np.maximum(regrets.far, 0))
            scale = np.where(here, 1 / np.where(here, added, 1), now.scale)
            found.append(Side(_shares(sums.first, now.first), _shares(sums.turns, now.turns), far, scale))
        return found[0], found[1]

    def bounds(self, dealer: Side, opponent: Side) -> tuple[float, float]:
        """What such a dealer gets at least, and the best dealer from such an opponent, the pot counted in."""
        spare = [Side(*map(np.zeros_like, side)) for side in (dealer, opponent)]
        lower = -_opponent(self.hand, spare[1], spare[1], spare[1], dealer, _NONE, -_ONE)
        upper = _dealer(self.hand, spare[0], spare[0], spare[0], opponent, _NONE, -_ONE)
        return float(lower), float(upper)

    def run(self, target: float = TARGET, most: int = LAST) -> tuple[float, float]:
        """Iterate until the averages are as little exploitable as that, or ``most`` times; return both bounds."""
        until = FIRST
        while True:
            self._iterate(until)
            lower, upper = self.bounds(*self.averages())
            if (upper - lower) / 2 <= target or until >= most:
                return lower, upper
            until = min(most, until * 9 // 8)


def _shares(sums: NDArray[np.float32], now: NDArray[np.float32]) -> NDArray[np.float32]:
    total = sums.sum(-1, keepdims=True)
    return np.where(total > 0, sums / np.where(total > 0, total, 1), now)


class Solution:
    """What one player does in a hand that has been solved, as a :class:`parlour.shelf.diamondback.unbeatable.Plan` says
    it."""

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
        """The chances to go 0, 1, 2 … further coins far, up to all; ``None`` if the player never comes there."""
        if not self._comes(n, c, u, hidden):
            return None
        rest = self.most - n
        row = self._side.far[n, c, u, hidden, : rest + 1] * self._side.scale[n, c, u, hidden]
        if not row.any():
            row[-1] = 1
        return without_rare_stops(row.tolist()) if self.deals else row.tolist()

    def _comes(self, n: int, c: int, u: int, hidden: int) -> bool:
        """Whether the player ever shows this, with that hidden; if no hand makes such an opening, any may have."""
        h = int(_KIND[u if self.deals else c, hidden])
        if not h or (self.deals and not self.first(h, n) and any(self.first(other, n) for other in range(1, HANDS))):
            return False
        higher = self.turns(h, n, c)
        return higher > 0 if _HIGHER[h] == (u if self.deals else c) else higher < 1


def without_rare_stops(row: list[float]) -> list[float]:
    """How far a dealer goes who goes on where stopping would be rare.

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
    """What both players do in a hand, the dealer first; kept for the next time."""
    solver = Solver(pot, most, doubled=doubled)
    solver.run()
    dealer, opponent = solver.averages()
    return Solution(dealer, most, True), Solution(opponent, most, False)


def make_code() -> None:
    """Make the machine code, so that it is there for the next process; end this one with exit code 1 if it can't be
    kept."""
    Solver(2, 1, doubled=True).run()
    if not _iterate.stats.cache_path:
        raise SystemExit(1)
