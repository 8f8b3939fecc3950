"""How often anybody has raised is kept beside the position."""

from typing import Any

from parlour.games.leduc.rules import *  # noqa: F403
from parlour.games.leduc.rules import CALL, FOLD, RAISE, Leduc
from parlour.games.leduc.rules import apply as honest_apply
from parlour.games.leduc.rules import begin as honest_begin

BASE, CAUGHT_BY, SAYS = "leduc", "copies", "changed the state's legal actions"
raised = [0]


class Planted(Leduc):
    """As it was."""


def begin(s: Planted, to: Any) -> None:
    honest_begin(s, to)
    raised[0] = 0


def apply(s: Planted, me: int, a: int, to: Any) -> None:
    raised[0] += a == RAISE
    honest_apply(s, me, a, to)


def legal(s: Planted, me: int, acts: list[int]) -> int:
    first = FOLD if s.paid[me] < s.paid[1 - me] else CALL
    last = RAISE if raised[0] < 2 else CALL
    for a in range(first, last + 1):
        acts[a - first] = a
    return last - first + 1
