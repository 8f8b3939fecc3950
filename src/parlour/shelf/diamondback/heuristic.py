"""The rule-of-thumb player of Diamondback: the odds of its hand against the cards in view, and an occasional bluff.  It
estimates how likely its hand is to be the best.  A hidden card may be any that it does not see, but a player who has
paid a lot is likely to hold something.  As dealer it wagers what it would win more often than not if it were matched,
and sometimes bluffs for a pot; as an opponent it matches when the price is right.  It turns up the more frightening
card.
"""

import random
from collections.abc import Sequence
from functools import lru_cache

from parlour.engine.telling import View
from parlour.shelf.diamondback.position import (
    ANSWER,
    ANTE,
    CONTINUE,
    END,
    EXPOSE,
    FOLD,
    FURTHER,
    HANDS,
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

BLUFF = 0.1  # how often it wagers on nothing when there is something to win
TRUST = 1.5  # how much a player who has paid the usual limit is believed to hold: the higher, the more it folds
DOUBT = 0.6  # how much less a dealer is believed: the dealer may bluff
EDGE = 0.05  # by how much the odds must be better than even, or than the price
USUAL = 10  # coins


def choose(view: View, legal: Sequence[int], rng: random.Random) -> int:
    """A legal action."""
    if len(legal) == 1:
        return legal[0]
    return Sight(view, legal, rng).choice()


class Sight:
    """What a player sees, and what they make of it."""

    def __init__(self, view: View, legal: Sequence[int], rng: random.Random) -> None:
        told = {(thing, index): value for thing, index, value in view.items}
        self.legal, self.rng, self.me = legal, rng, view.player
        self.stage, self.dealer = told["stage", 0], told["dealer", 0]
        self.dealt, live = told["dealt", 0], told["live", 0]
        self.hand = told.get(("hand", self.me), 0)
        self.seats = range(view.game.players)
        self.up = {p: told.get(("up", p), 0) - 1 for p in self.seats}
        self.others = [p for p in self.seats if live >> p & 1 and p != self.me]
        self.pot, self.wager = told["pot", 0], told["wager", 0]
        self.coins = {p: told["coins", p] for p in self.seats}
        self.paid = {p: told["before", p] - told["coins", p] for p in self.seats}
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
            return STOP if self.chance() * (1 + len(self.others)) < 1 else ON
        if PAY in self.legal:
            return PAY
        return END if self.coins[self.me] > self.start else CONTINUE

    def chance(self, more: int = 0) -> float:
        """Return the probability that the hand is the best, half a win for a tie, if all others have paid ``more`` than
        now."""
        against = tuple(sorted((self.up[p], self.trust(p, more)) for p in self.others))
        return win_chance(self.hand, self.dealt.bit_count(), against)

    def trust(self, p: int, more: int) -> int:
        """Return how much a player is believed to hold, in tenths."""
        paid = (self.paid[p] + more) / (2 if self.double and p != self.dealer else 1)
        return round(10 * TRUST * min(paid / USUAL, 2) * (DOUBT if p == self.dealer else 1))

    def answer(self) -> int:
        """Match if the share of the pot that the hand can expect is worth the price."""
        price = self.wager * (2 if self.double else 1)
        return MATCH_IT if self.chance() > price / (self.pot + price) + EDGE else FOLD

    def wagers(self) -> int:
        """As much as would be won more often than not if it were matched; with nothing, fold or bluff."""
        amounts = [a for a in self.legal if a > WAGER]
        if not amounts:
            return self.legal[0]
        fair = 1 / (1 + len(self.others))
        for a in (amounts[-1], amounts[len(amounts) // 2]):
            if self.chance(a - WAGER) > fair + EDGE:
                return a
        if self.pot and self.rng.random() < BLUFF:
            return amounts[-1]
        if self.stage == OPENING and (self.pot or self.chance(1) > fair):
            return amounts[0]
        return self.legal[0]

    def expose(self) -> int:
        """Return the card that most often belongs to a good hand."""
        return EXPOSE + max((HIGHER[self.hand], LOWER[self.hand]), key=frightening)


def frightening(card: int) -> int:
    """Return what a hand with this card is worth on average, in no particular unit."""
    return sum(KIND[5 * card + k] * in_stock(full_deck(2), k) for k in range(5))


@lru_cache(maxsize=1 << 16)
def win_chance(hand: int, players: int, against: tuple[tuple[int, int], ...]) -> float:
    """Return the chance that a hand beats all those against it, as if they were independent.  Each is given by the card
    turned up, or -1, and by how strong it is believed to be, in tenths: the weight of a hand rises with that power of
    its points."""
    stock = full_deck(players) - (1 << 8 * HIGHER[hand]) - (1 << 8 * LOWER[hand])
    for card, _ in against:
        if card >= 0:
            stock -= 1 << 8 * card
    left = [in_stock(stock, k) for k in range(5)]
    chance = 1.0
    for card, trust in against:
        better = total = 0.0
        for a in range(5) if card < 0 else (card,):
            for b in range(5):
                other = KIND[5 * a + b]
                ways = (left[b] if card >= 0 else left[a] * (left[b] - (a == b))) * (other / len(HANDS)) ** (trust / 10)
                total += ways
                better += ways * ((other < hand) + 0.5 * (other == hand))
        chance *= better / total
    return chance
