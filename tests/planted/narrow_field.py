"""A counter goes below zero: the interpreted rules do not mind, the compiled ones count on from 255."""

from typing import Any

from parlour.games.kuhn.rules import *  # noqa: F403
from parlour.games.kuhn.rules import PASS, Kuhn
from parlour.games.kuhn.rules import apply as honest_apply
from parlour.rules.vocabulary import number

BASE, CAUGHT_BY, SAYS = "kuhn", "bindings", "(compiled / interpreted): nerve 255 / -1"


class Planted(Kuhn):
    nerve: int = number()


def apply(s: Planted, me: int, a: int, to: Any) -> None:
    if a == PASS:
        s.nerve -= 1
    honest_apply(s, me, a, to)
