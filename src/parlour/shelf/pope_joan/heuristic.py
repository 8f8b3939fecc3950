"""The rule-of-thumb player of Pope Joan: it sees where a sequence would go, takes what lies on the layout, and lays
what it can."""

import random
from collections.abc import Sequence

from parlour.engine.telling import View, restored
from parlour.shelf.pope_joan.position import CLASSIC, KEEP, LAY, POOLS, set_prizes, winners
from parlour.stops.heuristic import Sight
from parlour.weighing import best

SHED = 1.0  # counters that getting rid of a card is worth
LEAD = 2.0  # and leading again
DOUBLED = 0.5  # share of a pool that not having to double it is worth
HOPED = 0.4  # share of a pair's pool that its first card is worth


def choose(view: View, legal: Sequence[int], rng: random.Random) -> int:
    """Choose the legal action worth most; a random one among equals."""
    if KEEP in legal:
        return next(a for a in legal if a >= LAY)
    layout = Layout(view)
    sight = Sight(view, 52 if view.game.options["ace"] == "high" else 0)
    return best({a: sight.sequence(a, layout.gain, SHED, LEAD) for a in legal}, rng)


class Layout:
    """Return what the cards win, as the viewer sees it."""

    def __init__(self, view: View) -> None:
        s = restored(view)
        set_prizes(s)
        self.pools = [(n, winners(s, k)) for k, n in enumerate(s.pool[:POOLS]) if n]
        self.mine = s.played[view.player] | s.hand[view.player]
        self.alone = 1 if s.version == CLASSIC else 1 + DOUBLED

    def gain(self, c: int) -> float:
        """Return what a card brings: its pool, its part of those of pairs, and not having to double them."""
        worth = 0.0
        for n, those in self.pools:
            if those >> c & 1:
                other = those ^ 1 << c
                worth += n * (self.alone if other == 0 else 1 if self.mine & other else HOPED)
        return worth
