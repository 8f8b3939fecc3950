"""The rule-of-thumb player of Newmarket: it sees where a sequence would go, takes what lies on the layout, and spreads
its stakes evenly."""

import random
from collections.abc import Sequence

from parlour.engine.telling import View
from parlour.shelf.newmarket.position import LAY, LAYOUT, POOLS
from parlour.stops.heuristic import Sight
from parlour.weighing import best

SHED = 1.0  # counters that getting rid of a card is worth
LEAD = 2.0  # and leading again


def choose(view: View, legal: Sequence[int], rng: random.Random) -> int:
    """Choose the legal lead worth most, a random one among equals; the least total, evenly spread."""
    if legal[0] >= LAY:
        told = {(thing, index): value for thing, index, value in view.items}
        even = told["left", 0] // (POOLS - told["at", 0]) if ("at", 0) in told else 0
        return LAY + even if ("at", 0) in told else legal[0]
    sight = Sight(view)
    pools = {c: sight.told["pool", k] for k, c in enumerate(LAYOUT)}
    return best({a: sight.sequence(a, lambda c: pools.get(c, 0), SHED, LEAD) for a in legal}, rng)
