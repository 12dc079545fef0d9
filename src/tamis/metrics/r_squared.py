r"""The share of the variance that answers explain, :math:`R^2 = 1 - \sum w (y - a)^2 / \sum w (y - \bar y)^2`.

Two forms: of one set of any weights and several targets, and of many sets of whole weights at once.
"""

from __future__ import annotations

import numpy as np

__all__ = ["bootstrap_r_squared", "weighted_r_squared"]


def weighted_r_squared(truth: np.ndarray, answer: np.ndarray, weight: np.ndarray) -> float:
    """Averaged over targets (the columns of truth and answer); NaN without two different answers to compare.

    >>> weighted_r_squared(np.array([[1.0], [2.0], [3.0]]), np.array([[1.0], [2.0], [2.0]]), np.ones(3))
    0.5
    """
    if len(truth) < 2:
        return float("nan")
    off = weight @ (truth - answer) ** 2
    spread = weight @ (truth - np.average(truth, axis=0, weights=weight)) ** 2
    if not np.all(spread > 0):
        return float("nan")
    return float(np.mean(1.0 - off / spread))


def bootstrap_r_squared(y: np.ndarray, answer: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """For each row of weights (draws × rows); NaN where fewer than 2 rows, or none that differ, are drawn.

    >>> y, answer = np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 2.0])
    >>> bootstrap_r_squared(y, answer, np.array([[1.0, 1, 1], [3, 0, 0]]))
    array([0.5, nan])
    """
    centre = y.mean()  # moments about the mean lose no digits
    parts = np.column_stack([(y - answer) ** 2, y - centre, (y - centre) ** 2, np.ones(len(y))])
    squares, first, second, n = (weights @ parts).T
    with np.errstate(divide="ignore", invalid="ignore"):  # draws without rows
        spread = second - first**2 / n
        return np.where((n >= 2) & (spread > 1e-12 * second), 1 - squares / spread, np.nan)
