"""A player may only bet if the other does not hold the king."""

from parlour.games.kuhn.rules import *  # noqa: F403
from parlour.games.kuhn.rules import BET, PASS, Kuhn

BASE, CAUGHT_BY, SAYS = "kuhn", "legal", "legal elsewhere, where the player knows the same"


class Planted(Kuhn):
    """As it was."""


def legal(s: Planted, me: int, acts: list[int]) -> int:
    acts[0] = PASS
    acts[1] = BET
    return 1 if s.hand[1 - me] == 3 else 2
