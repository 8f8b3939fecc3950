"""The rule-of-thumb player of Diamondback: the odds of its hand against what lies open, and a bluff now and then.

It reckons how likely its hand is to be the best, every hidden card being one of those it does not see.  As dealer it
wagers high on a good hand, low on a middling one, folds what is hopeless, and sometimes wagers high on nothing; as
opponent it matches when the price is right.  It turns up the card that frightens most.
"""

import random
from collections.abc import Sequence
from functools import lru_cache

from parlour.engine.telling import View
from parlour.shelf.diamondback.rules import (
    ANSWER,
    ANTE,
    CONTINUE,
    END,
    EXPOSE,
    FOLD,
    FURTHER,
    HIGHER,
    KIND,
    LOWER,
    MATCH_IT,
    ON,
    OPENING,
    PAY,
    STOP,
    WAGER,
    full_deck,
    in_stock,
)

BLUFF = 0.15  # how often it wagers as if its hand were good
MARGIN = 0.02  # by how much the odds must beat the price
HIGH, EVEN = 0.62, 0.42  # chances of winning from which it wagers high, and at all
CREDIT = 0.75  # of what its chance would be against random hands it believes of those who have matched a wager


def choose(view: View, legal: Sequence[int], rng: random.Random) -> int:
    """A legal action."""
    if len(legal) == 1:
        return legal[0]
    return Sight(view, legal, rng).choice()


class Sight:
    """What a player sees, and what he makes of it."""

    def __init__(self, view: View, legal: Sequence[int], rng: random.Random) -> None:
        told = {(thing, index): value for thing, index, value in view.items}
        self.legal, self.rng, self.me = legal, rng, view.player
        self.stage = told["stage", 0]
        self.dealer = told["dealer", 0]
        self.dealt, live = told["dealt", 0], told["live", 0]
        self.hand = told.get(("hand", self.me), 0)
        self.up = {p: told.get(("up", p), 0) - 1 for p in range(view.game.players)}
        self.against = tuple(sorted(self.up[p] for p in self.up if live >> p & 1 and p != self.me))
        self.pot, self.wager, self.rounds = told["pot", 0], told["wager", 0], told["rounds", 0]
        self.coins = {p: told["coins", p] for p in self.up}
        self.start, self.double = int(view.game.options["start_coins"]), view.game.options["version"] == "dealers"

    def choice(self) -> int:
        if self.stage == ANSWER:
            return self.answer()
        if self.stage in (OPENING, FURTHER):
            return self.wagers()
        if self.stage == ANTE:
            return self.legal[0]
        if EXPOSE <= self.legal[0] < PAY:
            return self.expose()
        if STOP in self.legal:
            return STOP if self.chance() * (1 + len(self.against)) < 1 else ON
        if PAY in self.legal:
            return PAY
        return END if self.coins[self.me] > self.start else CONTINUE

    def chance(self) -> float:
        """How likely the hand is to be the best, half a win for a tie."""
        return win_chance(self.hand, self.dealt.bit_count(), self.up[self.me] if self.against else -1, self.against)

    def answer(self) -> int:
        """Match if the share of the pot that the hand can expect is worth the price."""
        price = self.wager * (2 if self.double else 1)
        believed = self.chance() * (CREDIT if self.rounds else 1)
        return MATCH_IT if believed > price / (self.pot + price) + MARGIN else FOLD

    def wagers(self) -> int:
        """High on a good hand, low on a middling one; on nothing, out or a bluff."""
        amounts = [a for a in self.legal if a > WAGER]
        out = self.legal[0] if self.legal[0] in (FOLD, STOP) else amounts[0]
        if not amounts:
            return out
        fair = 1 / (1 + len(self.against))
        chance = self.chance()
        good = chance > fair + (1 - fair) * (HIGH - 0.5) * 2
        if good or self.rng.random() < BLUFF / (1 + self.rounds):
            return amounts[-1]
        if self.stage == OPENING:
            return amounts[0] if chance > fair * EVEN * 2 or self.pot else out
        return out

    def expose(self) -> int:
        """The card that most often belongs to a good hand."""
        high, low = HIGHER[self.hand], LOWER[self.hand]
        return EXPOSE + max((high, low), key=frightening)


def frightening(card: int) -> int:
    """What a hand with this card is worth on average, in no particular unit."""
    return sum(KIND[5 * card + k] * in_stock(full_deck(2), k) for k in range(5))


@lru_cache(maxsize=1 << 16)
def win_chance(hand: int, players: int, mine_up: int, against: tuple[int, ...]) -> float:
    """The chance that a hand beats all of those against it, each given by the card turned up or -1, as if they were
    independent of each other."""
    stock = full_deck(players) - (1 << 8 * HIGHER[hand]) - (1 << 8 * LOWER[hand])
    for card in against:
        if card >= 0:
            stock -= 1 << 8 * card
    left = [in_stock(stock, k) for k in range(5)]
    chance = 1.0
    for card in against:
        better = total = 0.0
        for a in range(5) if card < 0 else (card,):
            for b in range(5):
                ways = left[b] if card >= 0 else left[a] * (left[b] - (a == b))
                total += ways
                better += ways * ((KIND[5 * a + b] < hand) + 0.5 * (KIND[5 * a + b] == hand))
        chance *= better / total
    return chance
