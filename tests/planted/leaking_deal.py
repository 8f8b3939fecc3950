"""Who is dealt which card is said aloud."""

from typing import Any

from parlour.games.leduc.rules import *  # noqa: F403
from parlour.games.leduc.rules import Leduc
from parlour.games.leduc.rules import happen as honest_happen
from parlour.rules.vocabulary import note

BASE, CAUGHT_BY, SAYS = "leduc", "alongside", "events: "


class Planted(Leduc):
    """As it was."""


def happen(s: Planted, k: int, to: Any) -> None:
    honest_happen(s, k, to)
    if s.dealt == 2:
        note(to, "LE-5", "dealt", 1, s.hand[1] - 1)
