"""Whether the first hand is high is kept as a secret 0 or 1, and every move looks at it, though it changes nothing."""

from typing import Any

from parlour.games.leduc.rules import *  # noqa: F403
from parlour.games.leduc.rules import Leduc
from parlour.games.leduc.rules import apply as honest_apply
from parlour.games.leduc.rules import happen as honest_happen
from parlour.games.leduc.rules import redeal as honest_redeal
from parlour.rules.vocabulary import number

BASE = "leduc"


class Planted(Leduc):
    mark: int = number()


def happen(s: Planted, k: int, to: Any) -> None:
    honest_happen(s, k, to)
    marked(s)


def marked(s: Planted) -> None:
    s.mark = 1 if s.hand[0] > 2 else 0


def apply(s: Planted, me: int, a: int, to: Any) -> None:
    honest_apply(s, me, a, to)
    if s.mark > 0:
        s.mark = 1


def redeal(s: Planted, me: int, rng: list[int]) -> None:
    honest_redeal(s, me, rng)
    marked(s)


def restore(s: Planted, me: int) -> None:
    if s.hand[0] > 0:
        marked(s)
