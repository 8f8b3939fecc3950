"""The rule-of-thumb player of Diabolo: weighs both sides of each colour against what it holds.

It estimates how likely each row is to end positive or negative, and how likely its own cards are to be the highest hand
in that colour; the product is what the colour is worth to it.  It places the card after which its colours are together
worth most, and commits its Doubler where it expects most from it.
"""

import math
import random
from collections.abc import Sequence

from parlour.engine.telling import View
from parlour.shelf.diabolo.bags import COLOURS, COPIES, COUNT, KINDS, SUM, VALUES, how_many, size, suit
from parlour.shelf.diabolo.position import DISCARD, HAND, NO, YES, colour_of, locks_needed
from parlour.weighing import best

SWING = 3.2  # what a card still to come is expected to move a row by


def choose(view: View, legal: Sequence[int], rng: random.Random) -> int:
    """Choose the legal action worth most; a random one among equals."""
    sight = Sight(view)
    return best({a: sight.worth(a) for a in legal}, rng)


class Sight:
    """What a player sees, and what they make of it."""

    def __init__(self, view: View) -> None:
        told = {(thing, index): value for thing, index, value in view.items}
        self.view, self.me = view, view.player
        others = [p for p in range(view.game.players) if p != self.me]
        hand = told["hand", self.me]
        self.hand = [suit(hand, c) for c in range(COLOURS)]
        self.devils, self.angels = ([suit(told["side", d], c) for c in range(COLOURS)] for d in range(2))
        known = [told["known", p] for p in others]
        seen = [hand, told["side", 0], told["side", 1], told["discards", 0], told.get(("buried", self.me), 0), *known]
        self.unseen = [
            [COPIES[v] - sum(_number(bag, c, v) for bag in seen) for v in range(VALUES)] for c in range(COLOURS)
        ]
        self.hidden = max(1, sum(map(sum, self.unseen)))
        self.others = [([SUM[suit(bag, c)] for c in range(COLOURS)], max(0, HAND - size(bag))) for bag in known]
        self.row = told.get(("row", 0), 0)
        counts = [COUNT[d] + COUNT[a] for d, a in zip(self.devils, self.angels, strict=True)]
        # cards to come until the last lock, as if the fullest rows were filled first and half as many went elsewhere
        missing = sorted(5 - n for n in counts if n < 5)
        locks = locks_needed(view.game.start()) - counts.count(5)
        self.to_come = 1.5 * sum(missing[:locks])
        self.room = sum(missing) or 1

    def worth(self, action: int) -> float:
        """Return what an action is worth, in points."""
        if action in (YES, NO):
            now = self._gain(colour_of(self.view.game.start(), self.row))
            later = [self._gain(colour_of(self.view.game.start(), r)) for r in range(self.row + 1, COLOURS)]
            return now - max([0.01, *later]) if action == YES else 0.0
        c, value = divmod(action % KINDS, VALUES)
        before = self._colour(c, SUM[self.hand[c]], SUM[self.angels[c]] - SUM[self.devils[c]], self._missing(c))
        mine = SUM[self.hand[c]] - value - 1
        lead, missing = SUM[self.angels[c]] - SUM[self.devils[c]], self._missing(c)
        if action < DISCARD:
            lead += value + 1 if action >= KINDS else -value - 1
            missing -= 1
        return self._colour(c, mine, lead, missing) - before

    def _missing(self, c: int) -> int:
        return 5 - COUNT[self.devils[c]] - COUNT[self.angels[c]]

    def _colour(self, c: int, mine: int, lead: int, missing: int) -> float:
        """Return what a colour is worth with this sum in hand, with the angels leading by ``lead`` and ``missing``
        cards to come."""
        return mine * self._highest(c, mine) * self._sign(lead, missing)

    def _sign(self, lead: int, missing: int) -> float:
        """Return how much more likely a row is to end positive than negative."""
        cards = min(missing, self.to_come * missing / self.room)
        if cards <= 0:
            return float((lead > 0) - (lead < 0))
        return math.erf(lead / (SWING * math.sqrt(2 * cards)))

    def _gain(self, c: int) -> float:
        """Return what a Doubler can be expected to bring in a row that is not yet scored."""
        if SUM[self.angels[c]] <= SUM[self.devils[c]]:
            return 0.0
        mine = SUM[self.hand[c]]
        return mine * self._highest(c, mine)

    def _highest(self, c: int, mine: int) -> float:
        """Return the probability that nobody else holds more in a colour."""
        if mine <= 0:
            return 0.0
        cards = sum(self.unseen[c])
        total = sum((v + 1) * n for v, n in enumerate(self.unseen[c]))
        squares = sum((v + 1) ** 2 * n for v, n in enumerate(self.unseen[c]))
        chance = 1.0
        for shown, unknown in self.others:
            if cards == 0 or unknown == 0:
                chance *= shown[c] <= mine
                continue
            mean = shown[c] + unknown * total / self.hidden
            spread = math.sqrt(unknown * max(squares / self.hidden - (total / self.hidden) ** 2, 0.0)) + 1e-6
            chance *= 0.5 * (1 + math.erf((mine + 0.5 - mean) / (spread * math.sqrt(2))))
        return chance


def _number(bag: int, c: int, v: int) -> int:
    """Cards of a colour and value in a bag."""
    return how_many(bag, VALUES * c + v)
