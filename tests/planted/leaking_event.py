"""Everybody hears that somebody keeps the comet quiet."""

from sampler.rules import *  # noqa: F403
from sampler.rules import PASS, Any, Sampler, note
from sampler.rules import apply as honest_apply

BASE, CAUGHT_BY, SAYS = "sampler", "alongside", "SA-10 keeps("


class Planted(Sampler):
    """As it was."""


def apply(s: Planted, me: int, a: int, to: Any) -> None:
    honest_apply(s, me, a, to)
    if a == PASS:
        note(to, "SA-10", "keeps", me)
