"""A hidden card is never the king."""

from parlour.games.leduc.rules import *  # noqa: F403
from parlour.games.leduc.rules import Leduc, chance
from parlour.rules.vocabulary import draw

BASE, CAUGHT_BY, SAYS = "leduc", "odds", "never deals what is possible"


class Planted(Leduc):
    """As it was."""


def redeal(s: Planted, me: int, rng: list[int]) -> None:
    for p in range(2):
        if s.dealt > p and s.hand[p] == 0:
            s.hand[p] = draw(rng, chance(s) & 0b001111) + 1
