"""With the jack against the king, and two bets, a showdown settles nothing: few random games show it."""

from parlour.games.kuhn.rules import *  # noqa: F403
from parlour.games.kuhn.rules import BETTING, SHOWDOWN, Kuhn, move
from parlour.rules.vocabulary import Listener

BASE, CAUGHT_BY, SAYS = "kuhn", "end", "is not over"


class Planted(Kuhn):
    """As it was."""


def apply(s: Planted, me: int, a: int, to: Listener) -> None:
    move(s, me, a, to)
    if s.stage == SHOWDOWN and s.hand[0] == 1 and s.hand[1] == 3 and s.paid[0] == 2:
        s.stage = BETTING
        s.moves = 0
