"""Every kind of card that is left is dealt as often as any other, however many copies there are."""

from sampler.rules import *  # noqa: F403
from sampler.rules import DENIED, RED, Sampler, ask_holder, below, copies_left, has_card

BASE, CAUGHT_BY, SAYS = "sampler", "odds", "with wrong odds"


class Planted(Sampler):
    """As it was."""


def redeal(s: Planted, me: int, rng: list[int]) -> None:
    for p in range(s.players):
        while has_card(s, p) and s.hand[p] == 0:
            k = below(rng, 3)
            if copies_left(s, k) > 0 and not (k + 1 == RED and s.did[p] == DENIED):
                s.hand[p] = k + 1
    ask_holder(s)
