"""What sentences of Dividha name by number: cards, and after them categories, hands, sequences of places."""

from parlour.shelf.dividha.hands import ACE, CARDS, CATEGORIES, DECK, RANKS
from parlour.shelf.dividha.position import SEQUENCES

NAMED = DECK  # + category; then hands by what decided between two of them:
OF_IMMORTALS = NAMED + len(CATEGORIES)  # + 8 * category + how many
OF_SUM = OF_IMMORTALS + 8 * len(CATEGORIES)  # + 64 * category + sum
UP_TO = OF_SUM + 64 * len(CATEGORIES) - 1  # + 10 * category + height, from 1 on
IN_ORDER = UP_TO + 1 + 10 * len(CATEGORIES)  # + number of a sequence of places

SPOKEN = (
    *(*CARDS, *CATEGORIES),
    *(f"{sort}, {n} immortal card{'s' * (n != 1)}" for sort in CATEGORIES for n in range(8)),
    *(f"{sort}, sum {n}" for sort in CATEGORIES for n in range(64)),
    *(f"{sort}, {RANKS[ACE - h]} high" for sort in CATEGORIES for h in range(1, ACE + 1)),
    *(" ".join(str(i + 1) for i in of) for of in SEQUENCES),
)
