"""After a pass and a bet there is nothing to choose."""

from parlour.games.kuhn.rules import *  # noqa: F403
from parlour.games.kuhn.rules import Kuhn
from parlour.games.kuhn.rules import legal as honest_legal

BASE, CAUGHT_BY, SAYS = "kuhn", "swap", "broke off after 4 steps: seat 0 is to act and may choose nothing"


class Planted(Kuhn):
    """As it was."""


def legal(s: Planted, me: int, acts: list[int]) -> int:
    return 0 if s.moves == 2 else honest_legal(s, me, acts)
