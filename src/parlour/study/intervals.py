"""Means and shares with their 95% confidence intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist, fmean, variance

CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean with its 95% confidence interval, which is infinite if there are too few values."""

    mean: float
    low: float
    high: float

    @property
    def half(self) -> float:
        """Half the width of the interval.

        >>> Estimate(0.5, 0.25, 1.0).half
        0.375
        """
        return (self.high - self.low) / 2

    def __format__(self, how: str) -> str:
        """Return the mean and the interval in words, each number in this format.

        >>> f"{Estimate(0.5, 0.4, 0.6):.0%}"
        '50% (40% to 60%)'
        """
        return f"{self.mean:{how}} ({self.low:{how}} to {self.high:{how}})" if how else str(self)

    def as_data(self) -> dict[str, float | None]:
        """Return JSON-able data; an unknown bound is ``None``.

        >>> Estimate(0.5, -math.inf, math.inf).as_data()
        {'mean': 0.5, 'low': None, 'high': None}
        """
        found = {"mean": self.mean, "low": self.low, "high": self.high}
        return {name: value if math.isfinite(value) else None for name, value in found.items()}


def mean_estimate(values: Sequence[float]) -> Estimate:
    """Return the mean of independent values with Student's interval; unbounded if there is only one value.

    >>> mean_estimate([1.0, 2.0, 3.0])
    Estimate(mean=2.0, low=-0.48..., high=4.48...)
    """
    return mean_known(len(values), fmean(values), variance(values) if len(values) > 1 else 0.0)


def mean_known(n: int, mean: float, spread: float) -> Estimate:
    """The same for ``n`` values of which only mean and variance (``spread``) are known."""
    if n < 2:
        return Estimate(mean, -math.inf, math.inf)
    half = _quantile(n - 1) * math.sqrt(spread / n)
    return Estimate(mean, mean - half, mean + half)


def share_estimate(values: Sequence[float]) -> Estimate:
    """Return the mean of independent values between 0 and 1 with Wilson's interval (1927), valid near 0 and 1 too,
    for the effective number of values (how many separate won-or-lost games would have the same spread), and with
    Student's t for one value fewer in place of the normal quantile.

    >>> share_estimate([1.0] * 10)
    Estimate(mean=1.0, low=0.66..., high=1.0)
    """
    return share_known(len(values), fmean(values), variance(values) if len(values) > 1 else 0.0)


def share_known(n: int, mean: float, spread: float) -> Estimate:
    """The same for ``n`` values of which only mean and variance (``spread``) are known."""
    if spread == 0 and 0 < mean < 1:
        return Estimate(mean, *((mean, mean) if n > 1 else (0.0, 1.0)))
    effective = n * mean * (1 - mean) / spread if spread else n
    z = _quantile(n - 1) if n > 1 else _NORMAL
    centre = (mean + z * z / (2 * effective)) / (1 + z * z / effective)
    half = z / (1 + z * z / effective) * math.sqrt(mean * (1 - mean) / effective + z * z / (4 * effective * effective))
    return Estimate(mean, max(0.0, min(mean, centre - half)), min(1.0, max(mean, centre + half)))


def difference(a: Estimate, b: Estimate) -> Estimate:
    """Return ``a`` less ``b``, two independent estimates, with an interval made from theirs (Zou & Donner 2008; for two
    shares it is Newcombe's).

    >>> difference(Estimate(5, 2, 8), Estimate(1, -3, 5))
    Estimate(mean=4, low=-1.0, high=9.0)
    """
    mean = a.mean - b.mean
    low = mean - math.hypot(a.mean - a.low, b.high - b.mean)
    return Estimate(mean, low, mean + math.hypot(a.high - a.mean, b.mean - b.low))


_NORMAL = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)


def _quantile(freedom: int) -> float:
    """Return Student's t for 95% confidence (Hill 1970, to three places from 3 degrees of freedom on)."""
    z = _NORMAL
    if freedom < 3:
        return (12.706, 4.303)[freedom - 1]
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    t: float = z + sum(term / freedom ** (i + 1) for i, term in enumerate(terms))
    return t
