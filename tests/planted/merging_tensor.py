"""A bet of nothing and a bet that is not told look the same in a tensor."""

from sampler.rules import *  # noqa: F403
from sampler.rules import THINGS as HONEST_THINGS
from sampler.rules import Any, Sampler, amount, tell
from sampler.rules import show as honest_show

BASE, CAUGHT_BY, SAYS = "sampler", "writers", "the tensor merges"
THINGS = {**HONEST_THINGS, "bet": amount(12, per=4, seats=True)}


class Planted(Sampler):
    """As it was."""


def show(s: Planted, to: Any) -> None:
    honest_show(s, to)
    if s.stage == 0:
        for p in range(s.players):
            tell(to, "bet", p, 0)
