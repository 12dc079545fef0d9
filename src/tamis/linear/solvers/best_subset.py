"""The best least-squares subset of every size, proved: branch and bound over the inverse of the scatter matrix."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from tamis import _core

MOST = 62  # columns up to which all sizes are asked for
#: The least eigenvalue of the correlation matrix, as a share of the largest: below, the inverse has too few digits.
LEAST_EIGENVALUE = 1e-9
_BATCH = 20_000  # nodes between two looks at the clock


@dataclass(frozen=True, eq=False)
class Subsets:
    """The best subset of every size from 0: residual sums, columns, and a bound below which none can fall.

    Sizes that were not asked for, or not reached, have an infinite residual sum.
    """

    rss: np.ndarray
    columns: list[np.ndarray]
    bound: np.ndarray
    complete: bool  # all nodes explored

    @property
    def optimal(self) -> np.ndarray:
        """Which of them are proved best."""
        return np.asarray(self.bound >= self.rss * (1 - 1e-9))


def best_subsets(
    inverse: np.ndarray, beta: np.ndarray, rss: float, low: int, high: int, deadline: float | None = None
) -> Subsets:
    """Branch and bound for the sizes low to high, from the model of all columns.

    inverse: of the scatter matrix of the columns; beta: coefficients of all columns; rss: their residual sum;
    deadline: in seconds of `time.monotonic`.

    Two orthogonal columns, 4 rows: dropping a column costs 4 b².

    >>> found = best_subsets(np.eye(2) / 4, np.array([1.0, 2.0]), 3.0, 1, 2)
    >>> found.rss, found.columns[1].tolist()
    (array([inf,  7.,  3.]), [1])

    References
    ----------
    Furnival, Wilson (1974), Regressions by leaps and bounds, Technometrics 16.
    Gatu, Kontoghiorghes (2006), Branch-and-bound algorithms for computing the best-subset regression models, JCGS 15.
    """
    spread = np.sqrt(np.diagonal(inverse))
    stiffness = spread**2 * np.linalg.eigvalsh(inverse / np.outer(spread, spread))[-1] * (1 + 1e-9)
    order = np.argsort(-(beta**2) / np.diagonal(inverse), kind="stable")
    search = _core.BestSubsets(np.ascontiguousarray(inverse), beta, rss, order, stiffness, int(low), int(high))
    complete = search.explore(_BATCH)
    while not complete and (deadline is None or time.monotonic() < deadline):
        complete = search.explore(_BATCH)
    columns = [np.sort(search.columns(size)) for size in range(high + 1)]
    return Subsets(search.rss[: high + 1], columns, search.bound[: high + 1], complete)
