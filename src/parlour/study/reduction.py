"""Results with the luck taken out: the same mean, less spread.

Luck (:mod:`parlour.study.kernels.luck`) is 0 on average, so any multiple of it may be subtracted: it is a *control
variate*.  The multiple that explains results best is found by regression.  The regression for each tenth of the deals
uses only the others, so the factor does not depend on the deal itself, and the mean stays exactly unbiased."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from parlour.base.extras import needed
from parlour.study.intervals import Estimate, mean_estimate

with needed("fast"):
    import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

FOLDS = 10
"""Parts into which the deals are divided."""
BELIEF = 20.0
"""The number of deals from which the regression for each kind of luck counts as much as that for all luck together."""


def without_luck(
    results: NDArray[np.float64], luck: NDArray[np.float64], own: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the result of each deal with the luck taken out.  ``luck`` has a row for each deal, and a column for each
    control; ``own`` has a factor for each control: their weighted sum is the luck in these results according to the
    value network.

    >>> luck = np.linspace(-1, 1, 100)[:, None]
    >>> taken_out = without_luck(0.5 + 0.1 * luck[:, 0], luck, np.array([0.09]))
    >>> bool(taken_out.std() < 0.002)
    True
    """
    believed = luck @ own
    luck = luck[:, luck.std(axis=0) > 0]
    fold = np.arange(len(results)) % FOLDS
    found = results.copy()
    for k in range(FOLDS):
        here, others = fold == k, fold != k
        # first a factor for the network's prediction; then, for what is left, one for each kind of luck
        y, z = results[others] - results[others].mean(), believed[others] - believed[others].mean()
        much = float(y @ z / (z @ z)) if z.any() else 0.0
        found[here] -= much * believed[here]
        if luck.shape[1]:
            scale = luck[others].std(axis=0)
            scale[scale == 0] = 1.0
            x = luck[others] / scale
            x -= x.mean(axis=0)
            more = np.linalg.solve(x.T @ x + BELIEF * np.eye(x.shape[1]), x.T @ (y - much * z))
            found[here] -= luck[here] / scale @ more
    return found


def beside_others(
    results: NDArray[np.float64],
    beside: NDArray[np.float64],
    elsewhere: NDArray[np.float64],
    luck: NDArray[np.float64] | None = None,
    own: NDArray[np.float64] | None = None,
) -> Estimate:
    """Return the mean of a player's results, with what other players brought in the same deals as control variates:
    where these did better than they usually do, so probably did the player.  ``results``: of each deal; ``beside``: the
    same of the other players, a column for each; ``elsewhere``: theirs in other deals, from which their usual results
    are estimated.  ``luck`` and ``own`` are those of :func:`without_luck`.

    It is unbiased whatever the players do.  From the result of a deal, *w* (*c* - *m*) is subtracted, where *c* is what
    another player brought in it, *m* the mean elsewhere, and the weight *w* is found by regression in deals of which
    this is none.  *w* is independent of *c* and *m*, since deals are; and *c* and *m* have the same expected value.  So
    E[*w* (*c* - *m*)] = E[*w*] (E[*c*] - E[*m*]) = 0.  (External control variates with means that are only estimated:
    Schmeiser & Taaffe, *Operations Research Letters* 16, 1994; weights from other parts, "splitting": Nelson, "Control
    variate remedies", *Operations Research* 38, 1990.)  The interval is for the spread of *m* too.

    >>> dice = np.random.default_rng(1)
    >>> deals = dice.normal(size=1300)
    >>> plain = 0.1 * dice.normal(size=300) + deals[:300]
    >>> found = beside_others(plain, deals[:300, None], deals[300:, None])
    >>> bool(abs(found.mean) < found.half < 0.6 * mean_estimate(plain.tolist()).half)
    True
    """
    usual = elsewhere.mean(axis=0)
    all_luck = beside - usual if luck is None else np.concatenate([luck, beside - usual], axis=1)
    believed = np.zeros(all_luck.shape[1])
    if own is not None:
        believed[: len(own)] = own
    left = without_luck(results, all_luck, believed)
    here = mean_estimate(left.tolist())
    taken = np.linalg.lstsq(np.column_stack([all_luck, np.ones(len(left))]), results - left, rcond=None)[0]
    shift = (elsewhere - usual) @ taken[len(taken) - 1 - len(usual) : -1]
    half = math.hypot(here.half, mean_estimate(shift.tolist()).half)
    return Estimate(here.mean, here.mean - half, here.mean + half)
