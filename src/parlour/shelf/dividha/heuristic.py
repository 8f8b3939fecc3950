"""The rule-of-thumb player of Dividha: it estimates its chances of holding the strongest hand and the weakest.  It
deals itself the cards that it still lacks, a few times over, and sees where the best and the worst five of its six
would stand among those of random hands.  It bets by the better of the two chances, puts its coins on that end (and
occasionally some of them on the other, so that its tablet gives nothing away), trades towards it and discards for it.
"""

import random
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import lru_cache

from parlour.engine.telling import View, members, restored
from parlour.shelf.dividha.advice import candidates, ends_of, laying_for
from parlour.shelf.dividha.hands import ALL, HEIGHT, HELD, IMMORTALS, SUIT_OF, WILD_HELD, WILDS
from parlour.shelf.dividha.hidden import unseen_cards
from parlour.shelf.dividha.position import (
    AGREE,
    BETTING,
    CALL,
    CHECK,
    DISCARD,
    DISCARDING,
    FOLD,
    GIVE,
    LAY,
    LAYING,
    PAYING,
    RAISE,
    REFUSE,
    RETURN,
    SPLITTING,
    STAND,
    TRADING,
    VOTING,
    Dividha,
    win_id,
)
from parlour.shelf.dividha.showdown import discard_for, ranking

SAMPLES = 16  # how often it completes its own hand, to see what becomes of it
LADDER = 300  # random hands with which it compares it
GOOD = 0.55  # chance of one end from which it raises
BLUFF = 0.06  # how often it raises on less
PATIENCE = 3  # raises in a round after which it only calls
SPREAD = 0.2  # how often it puts a part of its coins on the other end


def choose(view: View, legal: Sequence[int], rng: random.Random) -> int:
    """A legal action."""
    if len(legal) == 1:
        return legal[0]
    return Sight(view, legal, rng).choice()


class Sight:
    """What a player sees, and what they make of it."""

    def __init__(self, view: View, legal: Sequence[int], rng: random.Random) -> None:
        self.s: Dividha = restored(view)
        self.me, self.legal, self.rng = view.player, legal, rng
        self.names = view.game.action_count

    def choice(self) -> int:
        s = self.s
        if s.stage == BETTING:
            return self.bets()
        if s.stage in (SPLITTING, PAYING):
            return self.divides()
        if s.stage == TRADING:
            return self.trades()
        if s.stage in (DISCARDING, LAYING):
            sign = self.end()
            return (
                DISCARD + discard_for(s, self.me, sign) if s.stage == DISCARDING else LAY + laying_for(s, self.me, sign)
            )
        if s.stage == VOTING:
            return AGREE if s.coins[self.me] * s.seated.bit_count() < sum(s.coins) else REFUSE
        if RETURN in self.legal:
            return RETURN
        acts = [0] * self.names
        return acts[0] if candidates(s, self.me, acts) else self.legal[0]  # the right name, the right order

    # ------------------------------------------------------------------ chances

    def chances(self) -> tuple[float, float]:
        """Return the chances of holding the strongest and the weakest hand, as if all others held random ones."""
        s, me = self.s, self.me
        how = ranking(s)
        mine = s.private[me] | s.public[me]
        left, lacking = members(unseen_cards(s)), 6 - mine.bit_count()
        others = (s.live & ~(1 << me)).bit_count()
        strongest = weakest = 0.0
        samples = SAMPLES if lacking else 1
        for _ in range(samples):
            six = mine | sum(1 << c for c in self.rng.sample(left, lacking))
            high, low = standing(how, six, s.showdown)
            strongest += high**others / samples
            weakest += low**others / samples
        return strongest, weakest

    def end(self) -> int:
        """Return 1 to go for the strongest hand, -1 for the weakest: by the chances, and by what may lie on each
        end."""
        s, me = self.s, self.me
        strongest, weakest = self.chances()
        own = s.paid[me] + s.fees[me]
        win = s.win[me] + s.fee_win[me] + (s.pot - own) / 2
        return 1 if strongest * win >= weakest * (s.pot - win) else -1

    # ------------------------------------------------------------------ choices

    def bets(self) -> int:
        s, me = self.s, self.me
        chance = max(self.chances())
        need = min(s.level - s.put[me], s.coins[me])
        raises = [a for a in self.legal if RAISE < a < win_id(s)]
        bold = chance > GOOD or self.rng.random() < BLUFF
        if raises and bold and s.raises < PATIENCE:
            part = self.rng.uniform(0.2, 0.6) * min(1.0, chance + 0.2)
            return raises[min(len(raises) - 1, int(part * len(raises)))]
        if need == 0:
            return CHECK
        return CALL if chance > need / (s.pot / 2 + need) else FOLD

    def divides(self) -> int:
        """All on the better end, as a rule."""
        s = self.s
        strongest, weakest = self.chances()
        part = self.rng.uniform(0.5, 1.0) if self.rng.random() < SPREAD else 1.0
        on_win = part if strongest >= weakest else 1 - part
        wanted = win_id(s) + round(s.owed * on_win)
        return min(self.legal, key=lambda a: abs(a - wanted))

    def trades(self) -> int:
        """Return the card that helps least towards the better end, if it does not help at all."""
        s, me = self.s, self.me
        if s.pay_to_trade and self.rng.random() < 0.5:
            return STAND
        sign = self.end()
        held = members((s.private[me] | s.public[me]) & ~s.picked)
        worst = min(held, key=lambda c: sign * use(c, held))
        hopeless = use(worst, held) < 20 if sign > 0 else use(worst, held) >= 20
        return GIVE + worst if hopeless and GIVE + worst in self.legal else STAND


def use(c: int, held: Sequence[int]) -> int:
    """Return how much a card helps the others to a strong hand."""
    if WILDS >> c & 1:
        return 60
    alike = sum(HEIGHT[d] == HEIGHT[c] for d in held) - 1
    suited = sum(SUIT_OF[d] == SUIT_OF[c] for d in held) - 1
    near = sum(0 < abs(HEIGHT[d] - HEIGHT[c]) < 5 for d in held)
    return 25 * alike + 5 * suited + 3 * near + (8 if IMMORTALS >> c & 1 else 0) + HEIGHT[c] // 2


def standing(how: int, six: int, showdown: int) -> tuple[float, float]:
    """Return the share of random hands that the best hand of six cards beats, and the share that its worst loses to;
    half a hand for a tie."""
    worst, best = ends(how, six, showdown)
    highs, lows = ladder(how, showdown)
    high = (bisect_left(highs, best) + bisect_right(highs, best)) / (2 * LADDER)
    low = 1 - (bisect_left(lows, worst) + bisect_right(lows, worst)) / (2 * LADDER)
    return high, low


@lru_cache(maxsize=1 << 14)
def ends(how: int, six: int, showdown: int) -> tuple[int, int]:
    """Return what six cards are worth at the least and at the most, where Providence may look at all of them."""
    return ends_of(how | WILD_HELD if how & HELD and six & WILDS else how, six, showdown)


@lru_cache(maxsize=64)
def ladder(how: int, showdown: int) -> tuple[list[int], list[int]]:
    """The best and the worst of random hands under these rules, in rising order."""
    deal = random.Random(0)
    found = [ends(how, sum(1 << c for c in deal.sample(members(ALL), 6)), showdown) for _ in range(LADDER)]
    return sorted(high for _, high in found), sorted(low for low, _ in found)
