"""Nothing forbids to fold where there is nothing to fold to."""

from parlour.games.leduc.rules import *  # noqa: F403
from parlour.games.leduc.rules import FOLD, Leduc
from parlour.games.leduc.rules import refuse as honest_refuse

BASE, CAUGHT_BY, SAYS = "leduc", "clauses", "'fold' is refused by ''"


class Planted(Leduc):
    """As it was."""


def refuse(s: Planted, me: int, a: int) -> str:
    return "" if a == FOLD else honest_refuse(s, me, a)
