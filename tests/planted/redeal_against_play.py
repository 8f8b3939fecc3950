"""Who has denied red may be dealt red."""

from sampler.rules import *  # noqa: F403
from sampler.rules import Sampler, ask_holder, below, copies_left, has_card

BASE, CAUGHT_BY, SAYS = "sampler", "odds", "deals what is impossible"


class Planted(Sampler):
    """As it was."""


def redeal(s: Planted, me: int, rng: list[int]) -> None:
    for p in range(s.players):
        if has_card(s, p) and s.hand[p] == 0:
            n = below(rng, copies_left(s, 0) + copies_left(s, 1) + copies_left(s, 2))
            k = 0
            while n >= copies_left(s, k):
                n -= copies_left(s, k)
                k += 1
            s.hand[p] = k + 1
    ask_holder(s)
