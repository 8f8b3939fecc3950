"""Two outcomes of chance have one name."""

from parlour.games.leduc.rules import *  # noqa: F403
from parlour.games.leduc.rules import CARDS, Leduc

BASE, CAUGHT_BY, SAYS = "leduc", "chance", "names of outcomes are not unique"


class Planted(Leduc):
    """As it was."""


def outcome_name(s: Planted, k: int) -> str:
    return CARDS[k][0]
