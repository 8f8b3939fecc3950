"""The rule-of-thumb player of Commit: sees where a sequence would go, takes what is paid, and plays the comet at
once."""

import random
from collections.abc import Sequence

from parlour.engine.telling import View
from parlour.shelf.commit.position import COMET, PASS, PLAY_COMET, TAKE
from parlour.stops.heuristic import Sight
from parlour.stops.position import ACES, KINGS
from parlour.weighing import best

SHED = 0.5  # counters that getting rid of a card is worth
LEAD = 1.0  # and leading again


def choose(view: View, legal: Sequence[int], rng: random.Random) -> int:
    """Choose the legal action worth most; a random one among equals."""
    if PLAY_COMET in legal:
        return PLAY_COMET
    sight = Sight(view)
    return best({a: value(sight, a) for a in legal}, rng)


def value(sight: Sight, action: int) -> float:
    """Return what it is worth to lead a card, or to go on with it after the comet."""
    each = sight.players - 1

    def gain(c: int) -> float:
        return each * (2 * (c == COMET) + (KINGS >> c & 1))

    if action > PASS:
        return sight.sequence(action - TAKE, gain, SHED, LEAD)
    return sight.sequence(action, gain, SHED, LEAD) + each * (ACES >> action & 1)
