"""The meaning of numbers in sentences of Dividha: cards, followed by categories, hands, sequences of places."""

from parlour.games.dividha.hands import ACE, CARDS, CATEGORIES, DECK, RANKS
from parlour.games.dividha.position import *

SPOKEN = (
    *(*CARDS, *CATEGORIES),
    *(f"{sort}, {n} immortal card{'s' * (n != 1)}" for sort in CATEGORIES for n in range(8)),
    *(f"{sort}, sum {n}" for sort in CATEGORIES for n in range(64)),
    *(f"{sort}, {RANKS[ACE - h]} high" for sort in CATEGORIES for h in range(1, ACE + 1)),
    *(" ".join(str(i + 1) for i in of) for of in SEQUENCES),
)
NAMED = DECK  # number of the first category; below, of the first hand of each kind and of the first sequence
OF_IMMORTALS = NAMED + len(CATEGORIES)
OF_SUM = OF_IMMORTALS + 8 * len(CATEGORIES)
UP_TO = OF_SUM + 64 * len(CATEGORIES)
IN_ORDER = UP_TO + 10 * len(CATEGORIES)


def with_immortals(sort: int, n: int) -> int:
    """A hand of this category with n immortal cards."""
    return OF_IMMORTALS + 8 * sort + n


def with_sum(sort: int, n: int) -> int:
    """A hand of this category with this Majority Sum."""
    return OF_SUM + 64 * sort + n


def up_to(sort: int, height: int) -> int:
    """A hand of this category whose highest card is of this height, from 1 on."""
    return UP_TO + 10 * sort + height - 1
