"""Who passes to the right is told by a value of another option."""

from sampler.rules import *  # noqa: F403
from sampler.rules import LEAVES, Any, Sampler

BASE, CAUGHT_BY, SAYS = "sampler", "options", "compares passes with LEAVES, a value of the option broke"


class Planted(Sampler):
    """As it was."""


def goes_right(s: Any) -> bool:
    return bool(s.passes == LEAVES)
