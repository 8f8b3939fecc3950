"""Drawing from chance nodes whose outcomes are not equally likely (copies of a card are one outcome with a weight)."""

from __future__ import annotations

from typing import Any

from parlour.vocabulary import below


def draw_weighted(rules: Any, s: Any, rng: list[int]) -> int:
    """An outcome of ``chance(s)``, each as likely as its ``weight``.  The compiled twin is in ``drivers``."""
    outcomes = rules.chance(s)
    possible = [k for k in range(outcomes.bit_length()) if outcomes >> k & 1]
    left = below(rng, sum(rules.weight(s, k) for k in possible))
    for k in possible:
        left -= rules.weight(s, k)
        if left < 0:
            return k
    raise AssertionError("weights of a chance node changed while it was drawn")
