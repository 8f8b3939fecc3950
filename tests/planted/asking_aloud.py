"""Whoever holds the comet is asked in everybody's hearing."""

from sampler.rules import *  # noqa: F403
from sampler.rules import Sampler

BASE, CAUGHT_BY, SAYS = "sampler", "asked", "who is asked reveals what the player must not know: asked: seat"


class Planted(Sampler):
    """As it was."""


def hushed(s: Planted) -> bool:
    return False
