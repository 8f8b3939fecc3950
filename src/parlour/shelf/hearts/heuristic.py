"""The rule-of-thumb player of Hearts: stays below the trick, and gets rid of costly cards when it cannot follow."""

import random
from collections.abc import Sequence

from parlour.engine.telling import View
from parlour.shelf.hearts.rules import CARDS, HEARTS, PASS, QUEEN

SPADES_ABOVE = 1 << CARDS.index("Ks") | 1 << CARDS.index("As")


def choose(view: View, legal: Sequence[int], rng: random.Random) -> int:
    """Pass costly cards; lead low; play the highest card below the trick, or the lowest; otherwise discard the
    costliest."""
    told = {(thing, index): value for thing, index, value in view.items}
    if legal[0] >= PASS:
        return max(legal, key=lambda a: dear(a - PASS, 0))
    gone = sum(told["taken", p] for p in range(4))
    led = told["trick", told["leader", 0]] - 1
    if led < 0:
        return min(legal, key=lambda c: (c // 4, c))
    if (legal[0] ^ led) & 3:
        return max(legal, key=lambda c: dear(c, gone))
    best = max(c for c in (told["trick", p] - 1 for p in range(4)) if c >= 0 and not (c ^ led) & 3)
    below = [c for c in legal if c < best]
    return max(below, key=lambda c: (c == QUEEN, c)) if below else min(legal)


def dear(card: int, gone: int) -> int:
    """Return how eager a player is to be rid of a card."""
    if card == QUEEN:
        return 100
    if SPADES_ABOVE >> card & 1 and not gone >> QUEEN & 1:
        return 50 + card // 4
    return card // 4 + 10 * (HEARTS >> card & 1)
