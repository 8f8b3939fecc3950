"""What a player must not do now depends on what the other holds."""

from parlour.games.kuhn.rules import *  # noqa: F403
from parlour.games.kuhn.rules import Kuhn
from parlour.games.kuhn.rules import refuse as honest_refuse

BASE, CAUGHT_BY, SAYS = "kuhn", "swap", "refusals: "


class Planted(Kuhn):
    """As it was."""


def refuse(s: Planted, me: int, a: int) -> str:
    return "KU-7" if s.hand[1 - me] == 3 else honest_refuse(s, me, a)
