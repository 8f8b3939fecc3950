"""The card of whoever talks first is told to everybody."""

from sampler.rules import *  # noqa: F403
from sampler.rules import BETTING, Any, Sampler, tell
from sampler.rules import show as honest_show

BASE, CAUGHT_BY, SAYS = "sampler", "swap", "must not know: hand[0]="


class Planted(Sampler):
    """As it was."""


def show(s: Planted, to: Any) -> None:
    honest_show(s, to)
    if s.stage == BETTING:
        tell(to, "hand", 0, s.hand[0])
