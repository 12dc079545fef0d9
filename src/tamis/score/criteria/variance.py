"""How much a column varies, without a target."""

import numpy as np
from numpy.typing import ArrayLike

from tamis.score.criterion import Criterion, Target, score_columns
from tamis.score.spread import Spread, levels
from tamis.table import Table
from tamis.table.like import TableLike


def _shares(view: Spread, j: int) -> np.ndarray:
    """Shares of the levels of a categorical column, of the rows that have a value."""
    counts = levels(view.table.column(j), view.weights, np.zeros(view.table.n_rows, dtype=np.int64), 1)[:, 0]
    return counts / max(counts.sum(), 1e-300)


def differing(view: Spread, j: int) -> float:
    """Chance that two rows, drawn with replacement, differ in a categorical column: 1 − Σ p²."""
    shares = _shares(view, j)
    return float(max(shares.sum() - (shares**2).sum(), 0.0)) if (shares > 0).sum() > 1 else 0.0


class Variance(Criterion):
    """Half the mean squared difference of two rows."""

    name = "variance"
    takes = ()

    def view(self, table: Table, target: Target, weights: np.ndarray | None, n_jobs: int | None) -> Spread:
        return Spread(table, weights)

    def values(self, view: Spread, target: Target, n_jobs: int | None = None) -> np.ndarray:
        sums = view.sums(n_jobs=n_jobs)
        scores = np.divide(sums.scatter, sums.n, out=np.zeros_like(sums.squares), where=sums.n > 0)
        for j in view.categorical:
            scores[j] = differing(view, j) / 2
        return scores


def variance(
    X: TableLike, y: ArrayLike | None = None, *, sample_weight: ArrayLike | None = None, n_jobs: int | None = None
) -> np.ndarray:
    r"""Variance of each column (1/n), over the rows that have a value; the target is not looked at.

    .. math:: \frac1n \sum_i (x_i - \bar x)^2 = \frac{1}{2n^2} \sum_{i, k} (x_i - x_k)^2

    By the form on the right, categories have a variance too: with a difference of 0 or 1, half the chance that two rows
    differ. Two levels then have the variance of a column of zeros and ones.

    Parameters
    ----------
    X : table of n rows and d columns, numeric or categorical, missing values allowed.
    y : not used; there so that all scores are called alike.
    sample_weight : one weight a row.
    n_jobs : number of threads.

    Returns
    -------
    array of d numbers, 0 for a constant column.

    References
    ----------
    C. Light and B. Margolin, "An analysis of variance for categorical data", JASA 66, 1971.

    >>> variance([[0, 5, 1], [2, 5, 0], [4, 5, 1]]).round(3)
    array([2.667, 0.   , 0.222])
    """
    return score_columns(Variance(), X, y, sample_weight=sample_weight, n_jobs=n_jobs)
