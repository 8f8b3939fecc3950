"""Statistical tests of whether random draws have the right probabilities."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, Final

STRICT: Final = 1e-6
"""A distribution is rejected if the probability that a correct one looks as bad is below this."""


def chi_square(expected: Mapping[Any, Fraction], dealt: Mapping[Any, int], draws: int) -> tuple[float, int]:
    """Return Pearson's statistic and its degrees of freedom; cells that expect less than 5 are merged."""
    cells: list[tuple[float, int]] = []
    small = [0.0, 0]
    for outcome, chance in expected.items():
        wanted, got = float(chance) * draws, dealt.get(outcome, 0)
        if wanted < 5:
            small = [small[0] + wanted, small[1] + got]
        else:
            cells.append((wanted, got))
    if small[0] >= 5:
        cells.append((small[0], int(small[1])))
    if len(cells) < 2:
        return 0.0, 0
    return sum((got - wanted) ** 2 / wanted for wanted, got in cells), len(cells) - 1


def tail(score: float, freedom: float) -> float:
    """Return the probability that chi-square with this many degrees of freedom exceeds a score (Wilson & Hilferty
    1931).

    >>> round(tail(18.467, 4), 3)
    0.001
    """
    if freedom == 0 or score <= 0:
        return 1.0
    spread = 2 / (9 * freedom)
    return 0.5 * math.erfc(((score / freedom) ** (1 / 3) - (1 - spread)) / math.sqrt(2 * spread))
