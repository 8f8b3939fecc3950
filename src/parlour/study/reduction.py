"""Results with the luck taken out: the same mean, less spread.

Luck (:mod:`parlour.study.kernels.luck`) is 0 on average, so any multiple of it may be subtracted: it is a *control
variate*.  The multiple that explains results best is found by regression.  The regression for each tenth of the deals
uses only the others, so the factor does not depend on the deal itself, and the mean stays exactly unbiased."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parlour.base.extras import needed

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
