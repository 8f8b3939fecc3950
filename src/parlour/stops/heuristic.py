"""What a sensible player of a game of stops makes of a hand: where a sequence would go from each card."""

from collections.abc import Callable

from parlour.engine.telling import View
from parlour.stops.position import NEXT, PACK, SEATS


class Sight:
    """What a player sees.  ``ace``: what to add to a card to find the next one in ``NEXT``."""

    def __init__(self, view: View, ace: int = 0) -> None:
        self.told = told = {(thing, index): value for thing, index, value in view.items}
        self.me, self.players, self.ace = view.player, view.game.players, ace
        self.others = [q for q in range(self.players) if q != self.me]
        self.hand = told["hand", self.me]
        self.out, self.lacks = told["out", 0], [told["lacks", q] for q in range(self.players)]
        self.gone = 0
        for q in range(SEATS):
            self.gone |= told.get(("played", q), 0)
        self.held = [told["held", q] for q in range(self.players)]
        unseen = PACK & ~(self.out | self.gone | self.hand)
        self.stock = unseen.bit_count() - sum(self.held[q] for q in self.others)

    def is_stopped(self, n: int) -> bool:
        """Whether everybody sees that nothing follows; ``n``: the card that would follow, or -1."""
        return n < 0 or bool((self.out | self.gone) >> n & 1)

    def in_stock(self, n: int) -> float:
        """Return the probability that a card not in the player's own hand is in nobody's, as far as the table has
        heard."""
        places = sum(self.held[q] for q in self.others if not self.lacks[q] >> n & 1)
        return self.stock / (self.stock + places) if self.stock + places else 1.0

    def sequence(self, c: int, gain: Callable[[int], float], shed: float, lead: float) -> float:
        """Return what it is worth to play card ``c``: what the player's own cards bring (``gain``), ``shed`` for each
        card that they get rid of, and ``lead`` for the chance to lead again."""
        worth = gain(c) + shed
        mine, alive = 1.0, 1.0  # how likely the sequence goes on, with this player playing its last card; or at all
        n = NEXT[c + self.ace]
        while alive > 0 and not self.is_stopped(n):
            if self.hand >> n & 1:
                worth += alive * (gain(n) + shed)
                mine = alive
            else:
                stopped = self.in_stock(n)
                worth += mine * stopped * lead
                alive *= 1 - stopped
                mine = 0.0
            n = NEXT[n + self.ace]
        return worth + mine * lead
