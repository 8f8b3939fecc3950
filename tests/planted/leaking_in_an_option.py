"""With the option ``marks`` everybody hears which secret mark was made; and a mark is made in sight of all, so nobody
could follow the game with another one."""

from planted.honest_marks import *  # noqa: F403
from planted.honest_marks import MARKING, Any, note
from planted.honest_marks import Planted as Honest
from planted.honest_marks import apply as honest_apply

BASE, CAUGHT_BY, SAYS = "honest_marks", "events", "yet the player must not tell these apart"


class Planted(Honest):
    """As it was."""


def apply(s: Planted, me: int, a: int, to: Any) -> None:
    if s.stage == MARKING:
        note(to, "KU-7", "bets" if a else "passes", me)
        to = None
    honest_apply(s, me, a, to)
