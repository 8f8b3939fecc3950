"""Matches that stop when they are decided: a test that may look at its results as often as it likes.

If you look at a match again and again, and stop when an ordinary 95% interval happens to exclude an even result, you
are wrong far more often than one time in twenty.  Here a gambler bets on the deals against the claim that the mean is
``m``, with stakes that depend only on earlier deals.  If the claim is true, the bets are fair, and the probability that
the capital ever reaches 1 / ``error`` is at most ``error`` (Ville's inequality).  So every ``m`` for which it does can
be ruled out, at any time; the remaining means form an interval that holds at all times at once.

Source: I. Waudby-Smith and A. Ramdas, "Estimating means of bounded random variables by betting", Journal of the Royal
Statistical Society B 86 (2024): the hedged capital process with stakes of predictable plug-in form.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from parlour.base.errors import ParlourError
from parlour.base.extras import require

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Decision", "Sequential"]

STEPS = 4000
"""The number of candidate means: steps of a fortieth of a percentage point."""
MOST_AT_STAKE = 0.5
"""The share of the capital that may be lost with one deal."""
AT_ONCE = 256
"""The number of deals that are used together: a decision may come that much later, but is as certain."""


@dataclass(frozen=True, slots=True)
class Decision:
    """The result of a sequential test after ``values`` values from 0 to 1: the mean lies between ``low`` and ``high``.
    This is wrong with a probability of at most ``error``, however often the result is read.  ``verdict``: ``"more"`` or
    ``"less"`` than ``par`` (0 to 1), ``"equal"`` (within a positive ``margin`` of it, 0 to 0.5), or ``"open"``.

    >>> test = Sequential(par=0.5)
    >>> for _ in range(200):
    ...     test.add([0.9])
    >>> test.decision().verdict, test.decision().low > 0.5
    ('more', True)
    """

    verdict: str
    par: float
    values: int
    low: float
    high: float
    error: float
    margin: float


@dataclass(slots=True)
class Sequential:
    """A test whether the mean of independent values between 0 and 1 is more or less than ``par``.  ``error``: the
    highest probability that its verdict is wrong.  ``margin`` (0 to 0.5): if it is positive, the test also ends when
    the mean is known to lie within ``par`` ± ``margin``.

    >>> test = Sequential(par=0.5)
    >>> test.add([1.0, 1.0, 0.5, 1.0] * 10)
    >>> found = test.decision()
    >>> found.verdict, found.values
    ('more', 40)
    """

    par: float
    error: float = 0.05
    margin: float = 0.0
    _values: int = 0
    _sum: float = 0.0
    _spread: float = 0.0
    _low: float = 0.0
    _high: float = 1.0
    _means: NDArray[np.float64] | None = None  # candidate means that are not ruled out yet
    _logs: NDArray[np.float64] | None = None  # for each mean, the logarithms of two capitals: bet on more, and on less
    _waiting: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        require("fast", "A sequential test")
        for name, value, most in (("par", self.par, 1), ("error", self.error, 1), ("margin", self.margin, 0.5)):
            if not 0 <= value < most or (value == 0 and name != "margin"):
                raise ParlourError(
                    "{name} must be between 0 and {most}, not {value}.", name=name, most=most, value=value
                )

    def add(self, values: list[float]) -> None:
        """Add further ``values``, each from 0 to 1. Raises ``ParlourError`` for one that is not."""
        self._waiting += values
        if len(self._waiting) >= AT_ONCE:
            self._bet()

    @property
    def is_decided(self) -> bool:
        """Whether the values so far suffice for a verdict."""
        return self._verdict() != "open"

    @property
    def is_fresh(self) -> bool:
        """Whether it has no values yet."""
        return not self._values and not self._waiting

    def decision(self) -> Decision:
        """The result so far.  Raises ``ParlourError`` before the first value."""
        self._bet()
        return Decision(self._verdict(), self.par, self._values, self._low, self._high, self.error, self.margin)

    def _verdict(self) -> str:
        if self._low > self.par:
            return "more"
        if self._high < self.par:
            return "less"
        inside = self.margin and self.par - self.margin <= self._low and self._high <= self.par + self.margin
        return "equal" if inside else "open"

    def _bet(self) -> None:
        """Bet on the values not yet used, against every mean at once."""
        import numpy as np

        if not self._waiting:
            return
        x, self._waiting = np.array(self._waiting), []
        if not (x.min() >= 0 and x.max() <= 1):
            raise ParlourError("A sequential test needs values between 0 and 1.")
        if self._means is None or self._logs is None:
            self._means, self._logs = np.linspace(0, 1, STEPS + 1), np.zeros((2, STEPS + 1))
        means = self._means
        stakes = self._stakes(x)[:, None]
        with np.errstate(divide="ignore"):
            up, down = (np.minimum(stakes, MOST_AT_STAKE / side) for side in (means, 1 - means))
        apart = x[:, None] - means
        self._logs += np.log1p(up * apart).sum(axis=0), np.log1p(-down * apart).sum(axis=0)
        # half of the capital is bet on more, half on less; a mean once ruled out stays ruled out
        left = np.flatnonzero(self._logs.max(axis=0) - math.log(2) < -math.log(self.error))
        if len(left):
            those = slice(left[0], left[-1] + 1)
            self._means, self._logs = means[those], self._logs[:, those]
            self._low = max(0.0, float(self._means[0]) - 1 / STEPS)
            self._high = min(1.0, float(self._means[-1]) + 1 / STEPS)

    def _stakes(self, x: NDArray[np.float64]) -> NDArray[np.float64]:
        """The stakes on each value, which depend only on earlier values: the less these spread, the higher the
        stake."""
        import numpy as np

        number = self._values + np.arange(1, len(x) + 1)
        sums = self._sum + np.cumsum(x)
        spreads = self._spread + np.cumsum((x - (0.5 + sums) / (number + 1)) ** 2)
        before = (0.25 + np.concatenate([[self._spread], spreads[:-1]])) / number
        self._values, self._sum, self._spread = int(number[-1]), float(sums[-1]), float(spreads[-1])
        stakes: NDArray[np.float64] = np.sqrt(2 * math.log(2 / self.error) / (before * number * np.log1p(number)))
        return stakes
