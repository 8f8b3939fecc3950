"""Who bet last talks first."""

from sampler.rules import *  # noqa: F403
from sampler.rules import ASKING, BETTING, Any, Sampler
from sampler.rules import apply as honest_apply

BASE, CAUGHT_BY, SAYS = "sampler", "order", "shows in the position"


class Planted(Sampler):
    """As it was."""


def apply(s: Planted, me: int, a: int, to: Any) -> None:
    betting = s.stage == BETTING
    honest_apply(s, me, a, to)
    if betting and s.stage == ASKING:
        s.turn = me
