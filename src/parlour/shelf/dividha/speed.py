"""How many hands are ranked in a second, on one core::

python -m parlour.shelf.dividha.speed
"""

import random
import time
import types
from collections.abc import Callable
from typing import Any

from parlour.shelf.dividha.hands import DECK

HANDS = 1 << 16
strength: Callable[[int, int], int]
weakest_and_strongest: Callable[[int, int], tuple[int, int]]


def rank_fives(hands: Any, times: int) -> int:
    """The sum of what hands of five are worth, so that nothing is left out."""
    total = 0
    for _ in range(times):
        for i in range(len(hands)):
            total += strength(0, hands[i])
    return total


def rank_sixes(hands: Any, times: int) -> int:
    """The same of the strongest and the weakest five of hands of six."""
    total = 0
    for _ in range(times):
        for i in range(len(hands)):
            worst, best = weakest_and_strongest(0, hands[i])
            total += worst + best
    return total


def measure(rank: Callable[[Any, int], int], size: int, times: int = 100) -> float:
    """Return how many hands of this many cards are ranked in a second: the median of five runs."""
    import numpy as np

    from parlour.engine.linking import whole
    from parlour.shelf.dividha.odds import compiled_part

    deal = random.Random(0)
    hands = np.array([sum(1 << c for c in deal.sample(range(DECK), size)) for _ in range(HANDS)], np.int64)
    names = {**vars(compiled_part("hands")), "range": range, "len": len}
    bound = types.FunctionType(rank.__code__, names, rank.__name__)
    code = whole(bound, nogil=True, _nrt=False)
    code(hands, 1)
    seconds = []
    for _ in range(5):
        start = time.perf_counter()
        code(hands, times)
        seconds.append(time.perf_counter() - start)
    return times * HANDS / sorted(seconds)[2]


if __name__ == "__main__":
    print(f"hands of five: {measure(rank_fives, 5, 500) / 1e6:.1f} M a second")
    print(f"hands of six, their strongest and their weakest five: {measure(rank_sixes, 6) / 1e6:.1f} M a second")
