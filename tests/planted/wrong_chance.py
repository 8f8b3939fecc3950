"""A card that is gone can still be drawn, with no chance."""

from sampler.rules import *  # noqa: F403
from sampler.rules import Sampler

BASE, CAUGHT_BY, SAYS = "sampler", "chance", "outcomes with no chance: [0]"


class Planted(Sampler):
    """As it was."""


def chance(s: Planted) -> int:
    return 0b111
