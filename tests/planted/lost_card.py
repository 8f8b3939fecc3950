"""The card on the board may be one that somebody holds."""

from parlour.games.leduc.rules import *  # noqa: F403
from parlour.games.leduc.rules import Leduc

BASE, CAUGHT_BY, SAYS = "leduc", "conservation", "cards were dealt: hands"


class Planted(Leduc):
    """As it was."""


def chance(s: Planted) -> int:
    return 0b111111 & ~((1 << s.hand[0]) >> 1)
