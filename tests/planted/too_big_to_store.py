"""A field takes more than it can hold."""

from typing import Any

from parlour.games.kuhn.rules import *  # noqa: F403
from parlour.games.kuhn.rules import BET, Kuhn
from parlour.games.kuhn.rules import apply as honest_apply
from parlour.rules.vocabulary import number

BASE, CAUGHT_BY, SAYS = "kuhn", "conservation", "stakes = 300 does not fit in u1"


class Planted(Kuhn):
    stakes: int = number()


def apply(s: Planted, me: int, a: int, to: Any) -> None:
    if a == BET:
        s.stakes = 300
    honest_apply(s, me, a, to)
