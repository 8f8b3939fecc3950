"""Which actions are worth considering in Diabolo, for the search."""

from parlour.games.diabolo.bags import KINDS, SUM, VALUES, suit
from parlour.games.diabolo.position import *
from parlour.games.diabolo.rules import legal


def likely(s: Diabolo, me: int, acts: list[int]) -> int:
    """Return the placements that are best for the cards of that colour left in the hand; a Doubler for a strong
    hand."""
    n = legal(s, me, acts)
    if s.stage == ASKING:
        acts[0] = YES if SUM[suit(s.hand[me], colour_of(s, s.row))] > 4 else NO
        return 1
    if s.stage != PLACING:
        return n
    best = -1000
    for i in range(n):
        best = max(best, favour(s, me, acts[i]))
    m = 0
    for i in range(n):
        if favour(s, me, acts[i]) + 3 > best:
            acts[m] = acts[i]
            m += 1
    return m


def favour(s: Diabolo, me: int, a: int) -> int:
    """Return how a placement changes the product of the player's own sum in the colour and the lead of the angels."""
    k = a % KINDS
    c = k // VALUES
    value = k % VALUES + 1
    mine = SUM[suit(s.hand[me], c)]
    lead = SUM[suit(s.side[1], c)] - SUM[suit(s.side[0], c)]
    after = lead + value if a >= RIGHT else lead - value
    return (mine - value) * max(-4, min(4, after)) - mine * max(-4, min(4, lead))
