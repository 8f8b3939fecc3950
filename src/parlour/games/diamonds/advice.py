"""Which actions are worth considering in Diamonds, for the search."""

from parlour.games.diamonds.position import *
from parlour.games.diamonds.rules import legal


def candidates(s: Diamonds, me: int, acts: list[int]) -> int:
    """Write the actions worth trying: of face-down piles of equal height only one, and no trade for a lower spade."""
    n = legal(s, me, acts)
    if offered_lower(s, me):
        acts[0] = KEEP
        return 1
    kept = 0
    heights = 0  # set of the heights met so far
    for k in range(n):
        a = acts[k]
        again = 0
        if a < DIG_ANY and s.face[a] == DOWN:
            again = heights >> s.height[a] & 1
            heights |= 1 << s.height[a]
        acts[kept] = a
        kept += 1 - again
    return kept


def likely(s: Diamonds, me: int, acts: list[int]) -> int:
    """Write the most promising actions; a sensible player also trades for a higher spade, and digs on after a joker."""
    n = legal(s, me, acts)
    if offered_lower(s, me):
        acts[0] = KEEP
    if s.stage != START:
        return 1
    best = kept = 0
    for k in range(n):
        a = acts[k]
        worth = promise(s, me, a)
        if worth > best:
            best = worth
            kept = 0
        if worth == best:
            acts[kept] = a
            kept += 1
    return kept


def offered_lower(s: Diamonds, me: int) -> bool:
    """Whether the player may trade for a lower spade (DM-46)."""
    return (s.stage == OFFERED) & (s.face[s.at] < BLADE + s.spade[me])


def promise(s: Diamonds, me: int, a: int) -> int:
    """Return how promising an action is.  In order: steal, switch for a much higher spade, take a first spade, dig
    where most cards can be turned."""
    if a < DIG_ANY:
        if s.face[a] == DOWN:
            return s.height[a]
        if s.face[a] < BLADE:
            return s.height[a] - 1
        return 10 if s.spade[me] == 0 else (s.face[a] - BLADE - s.spade[me]) // 2
    if a == DIG_ANY:
        return 3
    if a < PASS:
        return s.height[a - DESTROY] - 1
    if a == PASS:
        return 0
    if a < SWITCH:
        return 20
    return 12 if s.spade[a - SWITCH] > s.spade[me] + 4 else -1
