"""Which actions are worth considering in Matrimony, for the search."""

from parlour.shelf.matrimony.position import WHOLE, Matrimony
from parlour.shelf.matrimony.rules import legal


def candidates(s: Matrimony, me: int, acts: list[int]) -> int:
    """The smallest amount, the largest, and three between."""
    n = legal(s, me, acts)
    if n < 6:
        return n
    for i in range(1, 5):
        acts[i] = acts[(n - 1) * i // 4]
    return 5


def likely(s: Matrimony, me: int, acts: list[int]) -> int:
    """As little as possible, or a little more; of a stake nothing, all, or something between."""
    return min(3, legal(s, me, acts)) if s.pool[me] == WHOLE else candidates(s, me, acts)
