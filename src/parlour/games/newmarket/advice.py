"""Which actions are worth considering in Newmarket, for the search."""

from parlour.games.newmarket.position import *
from parlour.games.newmarket.rules import legal
from parlour.rules.stops.position import LEADING


def candidates(s: Newmarket, me: int, acts: list[int]) -> int:
    """Write the actions worth trying: of totals the least and the most; of counters none, a fair share or all that are
    left."""
    if s.stage == LEADING:
        return legal(s, me, acts)
    if s.stage == NAMING:
        acts[0] = totals(s) + LEAST
        acts[1] = totals(s) + most_total(s)
        return 2
    fair = s.left // (POOLS - s.at)
    acts[0] = LAY
    acts[1] = LAY + fair
    acts[1 + (fair > 0)] = LAY + s.left
    return 2 + (fair > 0)


def likely(s: Newmarket, me: int, acts: list[int]) -> int:
    """Write what a sensible player might do: lead a card of the layout, otherwise any that may be led; name the least
    total, and spread it evenly."""
    if s.stage == LEADING:
        n = legal(s, me, acts)
        for i in range(n):
            if WINNERS >> acts[i] & 1:
                acts[0] = acts[i]
                return 1
        return n
    acts[0] = LAY + s.left // (POOLS - s.at) if s.stage == LAYING else totals(s) + LEAST
    return 1
