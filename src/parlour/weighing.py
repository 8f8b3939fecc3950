"""What heuristics do with the worth of actions."""

from __future__ import annotations

import random
from collections.abc import Mapping


def best(worth: Mapping[int, float], rng: random.Random) -> int:
    """Return the action worth most; a random one among equals.

    >>> best({3: 0.5, 7: 2.0}, random.Random(1))
    7
    """
    most = max(worth.values())
    return rng.choice([a for a in worth if worth[a] > most - 1e-9])


__all__ = ["best"]
