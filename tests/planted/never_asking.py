"""A card that is dealt goes back into the pack: chance is asked for ever, and no player is."""

from parlour.games.kuhn.rules import *  # noqa: F403
from parlour.games.kuhn.rules import Kuhn

BASE, CAUGHT_BY, SAYS = "kuhn", "end", "nobody is asked"


class Planted(Kuhn):
    """As it was."""


def happen(s: Planted, k: int, to: object) -> None:
    s.hand[0] = 0
