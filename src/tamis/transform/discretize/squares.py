"""Cuts that a numeric target asks for: recursive splits by squared error, stopped by description length."""

import numpy as np

from tamis import _core


def number_cuts(values: np.ndarray, target: np.ndarray, max_cuts: int) -> np.ndarray:
    r"""Cut points of one column by the description length of a numeric target with normal errors.

    A stretch of n rows with the sum of squares R around its mean is cut where the sum R' around the two means is
    lowest, if the shorter description of the target pays for the place of the cut and one more mean:

    .. math:: \frac n2 \log \frac{R + s^2}{R' + s^2} > \log(n - 1) + \tfrac12 \log n

    and each part is then treated alike. The variance s² of the whole target, counted like one more row, keeps a few
    rows that agree by chance from being taken for a law.

    Parameters
    ----------
    values, target : of the rows that have a value.
    max_cuts : how many cuts there may be; those that lower the squared error most are made first.

    >>> number_cuts(np.arange(20.0), np.repeat([3.0, 5.0], 10), 100)
    array([9.5])
    """
    spread = target.std()
    if not len(target) or spread == 0 or not np.isfinite(spread):
        return np.empty(0)
    order = np.argsort(values)
    x, y = values[order], ((target - target.mean()) / spread)[order]
    sums = np.concatenate([[0.0], np.cumsum(y)])
    squares = np.concatenate([[0.0], np.cumsum(y * y)])
    return np.sort(_core.squared_error_cuts(x, sums, squares, max_cuts))
