"""The rule-of-thumb player of Diamonds: it counts what is left in the piles, and digs where it expects most.  It
calculates in diamonds.  ``Sight.dig`` is what it expects of turning up the cards of a pile with a certain spade, with
each card as likely as its share among the unseen ones.  A spade is worth the rocks it breaks, a joker a little less
than the diamond it can steal; a pile opened for the next player counts against the digger.
"""

import random
from collections.abc import Sequence
from functools import cache

from parlour.engine.telling import View
from parlour.shelf.diamonds.position import (
    DESTROY,
    DIAMONDS,
    DIG_ANY,
    JOKERS,
    KEEP,
    ON,
    PASS,
    PILES,
    SPADES,
    STEAL,
    STOP,
    SWITCH,
    TRADE,
    rank,
)
from parlour.weighing import best

SPADE = 2.0  # worth of a spade that breaks every rock
JOKER = 0.8  # worth of a joker
OPENED = 0.3  # of what the next player can expect of a pile that is opened for them
DENIED = 0.2  # of what that player could have expected of the pile that is dug


def choose(view: View, legal: Sequence[int], rng: random.Random) -> int:
    """Choose the legal action worth most; a random one among equals."""
    sight = Sight(view)
    return best({a: sight.worth(a) for a in legal}, rng)


class Sight:
    """What a player sees, and what they make of it."""

    def __init__(self, view: View) -> None:
        told = {(thing, index): value for thing, index, value in view.items}
        seats = range(view.game.players)
        self.me, self.next = view.player, (view.player + 1) % len(seats)
        self.spade = [told["spade", p] for p in seats]
        self.diamonds = [told["diamonds", p].bit_count() for p in seats]
        self.height = [told["height", i] for i in range(PILES)]
        self.top = [told.get(("top", i), 0) - 1 for i in range(PILES)]  # -1: face down, or no card
        self.at = told.get(("at", 0), 0)
        unseen = [card for card in range(JOKERS + 2) if told["unseen", 0] >> card & 1]
        self.left = max(1, len(unseen))
        self.rocks = [rank(card) for card in unseen if card < SPADES]
        self.spades = [rank(card) for card in unseen if SPADES <= card < DIAMONDS]
        self.gems = sum(DIAMONDS <= card < JOKERS for card in unseen)
        self.jokers = sum(card >= JOKERS for card in unseen)
        self.dig = cache(self._dig)

    def worth(self, action: int) -> float:
        """What an action is worth, in diamonds."""
        mine = self.spade[self.me]
        if action < DIG_ANY:
            return self.pile(action, mine) + DENIED * self.pile(action, self.spade[self.next])
        if action == DIG_ANY:
            closed = [h for h, top in zip(self.height, self.top, strict=True) if h and top < 0]
            return sum(self.dig(mine, h) for h in closed) / len(closed)
        if action < PASS:
            return self.dig(mine, self.height[action - DESTROY] - 1)
        if action == ON:
            return self.dig(mine, self.height[self.at])
        if action >= SWITCH:
            gain = self.strength(self.spade[action - SWITCH]) - self.strength(mine)
            return 3 * gain if gain > 0 else -1.0
        if action >= STEAL:
            return 10.0 + self.diamonds[action - STEAL]  # a steal is worth two: use it before it is too late
        return {TRADE: 1.0, KEEP: 0.0, STOP: 0.0, PASS: 0.0}[action]

    def pile(self, i: int, spade: int) -> float:
        """Return what a player with this spade can expect of pile ``i``; 0 if they cannot dig there."""
        card, below = self.top[i], self.height[i] - 1
        if below < 0:
            return 0.0
        if card < 0:
            return self.dig(spade, below + 1)
        if card < SPADES:
            return self.dig(spade, below) if rank(card) <= spade else 0.0
        if spade == 0:
            return self.strength(rank(card)) + self.dig(rank(card), below)
        return max(0.0, self.strength(rank(card)) - self.strength(spade))

    def strength(self, spade: int) -> float:
        """Return what it is worth to hold a spade: the share of unseen rocks that it breaks."""
        return SPADE * sum(r <= spade for r in self.rocks) / len(self.rocks) if self.rocks else 0.0

    def _dig(self, spade: int, cards: int) -> float:
        """Return what to expect of turning up ``cards`` cards, one after another, until something stops the digging."""
        if cards <= 0:
            return 0.0
        further = self.dig(spade, cards - 1)
        total = self.gems * (1 + further) + self.jokers * (JOKER + further)
        for r in self.rocks:
            if r <= spade:
                total += further
            elif r <= self.spade[self.next]:
                total -= OPENED * self.dig(self.spade[self.next], cards - 1) if spade == self.spade[self.me] else 0.0
        for s in self.spades:
            if spade == 0:
                total += self.strength(s) + self.dig(s, cards - 1)
            elif s > spade:
                total += self.strength(s) - self.strength(spade)
        return total / self.left
