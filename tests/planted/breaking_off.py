"""A third move is more than the rules can bear."""

from typing import Any

from parlour.games.kuhn.rules import *  # noqa: F403
from parlour.games.kuhn.rules import Kuhn
from parlour.games.kuhn.rules import apply as honest_apply

BASE, CAUGHT_BY, SAYS = "kuhn", "end", "broke off after 4 steps: IndexError: no such move"


class Planted(Kuhn):
    """As it was."""


def apply(s: Planted, me: int, a: int, to: Any) -> None:
    if s.moves == 2:
        raise IndexError("no such move")
    honest_apply(s, me, a, to)
