"""The table is hushed only while somebody is asked about the comet."""

from sampler.rules import *  # noqa: F403
from sampler.rules import Sampler

BASE, CAUGHT_BY, SAYS = (
    "sampler",
    "asked",
    "who is asked reveals what the player must not know: a hushed question / nobody, and at",
)


class Planted(Sampler):
    """As it was."""


def hushed(s: Planted) -> bool:
    return s.asked > 0
