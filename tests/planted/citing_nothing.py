"""An event cites a clause that the book does not have."""

from typing import Any

from parlour.games.kuhn.rules import *  # noqa: F403
from parlour.games.kuhn.rules import Kuhn
from parlour.games.kuhn.rules import apply as honest_apply
from parlour.rules.vocabulary import note

BASE, CAUGHT_BY, SAYS = "kuhn", "clauses", "cites 'KU-99'"


class Planted(Kuhn):
    """As it was."""


def apply(s: Planted, me: int, a: int, to: Any) -> None:
    honest_apply(s, me, a, to)
    note(to, "KU-99", "bets", me)
