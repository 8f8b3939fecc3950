"""Whoever passes the comet pays a coin to nobody."""

from sampler.rules import *  # noqa: F403
from sampler.rules import PASS, Any, Sampler
from sampler.rules import apply as honest_apply

BASE, CAUGHT_BY, SAYS = "sampler", "conservation", "coins and"


class Planted(Sampler):
    """As it was."""


def apply(s: Planted, me: int, a: int, to: Any) -> None:
    honest_apply(s, me, a, to)
    if a == PASS and s.coins[me] > 0:
        s.coins[me] -= 1
