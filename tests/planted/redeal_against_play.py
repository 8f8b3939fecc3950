"""Who has denied red may be dealt red."""

from sampler.rules import *  # noqa: F403
from sampler.rules import Sampler, below, has_card, weight

BASE, CAUGHT_BY, SAYS = "sampler", "odds", "deals what cannot be"


class Planted(Sampler):
    """As it was."""


def redeal(s: Planted, me: int, rng: list[int]) -> None:
    for p in range(s.players):
        if has_card(s, p) and s.hand[p] == 0:
            n = below(rng, weight(s, 0) + weight(s, 1) + weight(s, 2))
            k = 0
            while n >= weight(s, k):
                n -= weight(s, k)
                k += 1
            s.hand[p] = k + 1
