"""Who passes after a pass is asked again."""

from parlour.games.kuhn.rules import *  # noqa: F403
from parlour.games.kuhn.rules import Kuhn

BASE, CAUGHT_BY, SAYS = "kuhn", "end", "is not over"


class Planted(Kuhn):
    """As it was."""


def apply(s: Planted, me: int, a: int, to: object) -> None:
    s.moves = (s.moves + 1) % 2
