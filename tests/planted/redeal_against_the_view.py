"""A player's own card is dealt anew too."""

from parlour.games.kuhn.rules import *  # noqa: F403
from parlour.games.kuhn.rules import BETTING, Kuhn
from parlour.rules.vocabulary import below

BASE, CAUGHT_BY, SAYS = "kuhn", "redeal", "told apart from the real one"


class Planted(Kuhn):
    """As it was."""


def redeal(s: Planted, me: int, rng: list[int]) -> None:
    if s.stage == BETTING:
        k = below(rng, 3)
        s.hand[0] = k + 1
        s.hand[1] = (k + 1) % 3 + 1
