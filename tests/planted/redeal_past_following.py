"""What a redeal deals is written by an object, which nobody can follow: a secret 0 would pass for known."""

from planted.honest_secret_mark import *  # noqa: F403
from planted.honest_secret_mark import Any
from planted.honest_secret_mark import Planted as Marked
from planted.honest_secret_mark import redeal as honest_redeal

BASE, CAUGHT_BY, SAYS = "honest_secret_mark", "undo", "redeal uses DEALER, which cannot be followed"


class Planted(Marked):
    """As it was."""


class Dealer:
    def __call__(self, s: Any, me: int, rng: list[int]) -> None:
        honest_redeal(s, me, rng)


DEALER = Dealer()


def redeal(s: Planted, me: int, rng: list[int]) -> None:
    DEALER(s, me, rng)
