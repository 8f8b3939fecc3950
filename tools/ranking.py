"""How many hands of Dividha are ranked in a second, on one core::

python -m tools.ranking
"""

from __future__ import annotations

import ctypes
import random
import time
from collections.abc import Callable
from typing import Any

from parlour.engine.definition import definition
from parlour.engine.kernel import I64, Kernel
from parlour.games.dividha.hands import DECK, strength, weakest_and_strongest

HANDS = 1 << 16


def rank_fives(hands: I64, times: int) -> int:
    """The sum of what hands of five are worth, so that nothing is left out."""
    total = 0
    for _ in range(times):
        for i in range(len(hands)):
            total += strength(0, hands[i])
    return total


def rank_sixes(hands: I64, times: int) -> int:
    """Rank hands of six cards by their strongest and their weakest five."""
    total = 0
    for _ in range(times):
        for i in range(len(hands)):
            worst, best = weakest_and_strongest(0, hands[i])
            total += worst + best
    return total


KERNEL = Kernel(__name__, entries=(rank_fives, rank_sixes))


def measure(rank: Callable[[Any, int], int], size: int, times: int = 100) -> float:
    """Return how many hands of this many cards are ranked in a second: the median of five runs."""
    deal = random.Random(0)
    hands = (ctypes.c_int64 * HANDS)(*(sum(1 << c for c in deal.sample(range(DECK), size)) for _ in range(HANDS)))
    seconds = []
    for _ in range(6):
        start = time.process_time()
        rank(hands, times)
        seconds.append(time.process_time() - start)
    return times * HANDS / sorted(seconds[1:])[2]


if __name__ == "__main__":
    code = KERNEL.compiled(definition("dividha"))
    print(f"hands of five: {measure(code.rank_fives, 5, 500) / 1e6:.1f} M a second")
    sixes = measure(code.rank_sixes, 6) / 1e6
    print(f"hands of six, their strongest and their weakest five: {sixes:.1f} M a second")
