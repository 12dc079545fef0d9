"""How well a straight line through a column predicts a numeric target."""

from typing import Literal, overload

import numpy as np
from numpy.typing import ArrayLike

from tamis.score.criterion import Criterion, Target, score_columns
from tamis.score.spread import Spread, Sums
from tamis.table import Column, Table
from tamis.table.like import TableLike


def r_squared(sums: Sums) -> np.ndarray:
    """Squared correlation of each column; 0 for fewer than three rows, of which two always lie on a line."""
    scatter_product = sums.scatter * sums.target
    safe = (scatter_product > 0) & (sums.n > 2)
    return np.minimum(np.divide(sums.products**2, scatter_product, out=np.zeros_like(scatter_product), where=safe), 1.0)


def between(column: Column, weights: np.ndarray, y: np.ndarray) -> tuple[float, float, float, int]:
    """Of a numeric target over a column's levels: sum of squares between and in all, rows and levels with rows."""
    is_observed = column.values >= 0
    codes, w = column.values[is_observed], weights[is_observed]
    mass = np.bincount(codes, w)
    if not mass.sum() > 0:
        return 0.0, 0.0, 0.0, 0
    t = y[is_observed] - np.average(y[is_observed], weights=w)
    sums = np.bincount(codes, w * t)
    inside = np.divide(sums**2, mass, out=np.zeros_like(mass), where=mass > 0)
    return float(inside.sum()), float((w * t**2).sum()), float(mass.sum()), int((mass > 0).sum())


class Pearson(Criterion):
    """Squared correlation with a numeric target."""

    name = "pearson"
    takes = ("numbers",)

    def view(self, table: Table, target: Target, weights: np.ndarray | None, n_jobs: int | None) -> Spread:
        return Spread(table, weights)

    def values(self, view: Spread, target: Target, n_jobs: int | None = None) -> np.ndarray:
        return self.with_signs(view, target, n_jobs)[0]

    def with_signs(self, view: Spread, target: Target, n_jobs: int | None = None) -> tuple[np.ndarray, np.ndarray]:
        """The values, and the sign of each correlation: −1, 0 or 1; 0 for categories."""
        assert target.values is not None
        sums = view.sums(numbers=target.values, n_jobs=n_jobs)
        squared = r_squared(sums)
        signs = np.where(squared > 0, np.sign(sums.products), 0.0)
        for j in view.categorical:
            inside, total, n, used = between(view.table.column(j), view.weights, target.values)
            squared[j] = min(inside / total, 1.0) if total > 0 and n > 2 and used > 1 else 0.0
        return squared, signs


@overload
def pearson(
    X: TableLike,
    y: ArrayLike,
    *,
    sign: Literal[False] = False,
    sample_weight: ArrayLike | None = None,
    n_jobs: int | None = None,
) -> np.ndarray: ...
@overload
def pearson(
    X: TableLike,
    y: ArrayLike,
    *,
    sign: Literal[True],
    sample_weight: ArrayLike | None = None,
    n_jobs: int | None = None,
) -> tuple[np.ndarray, np.ndarray]: ...
def pearson(
    X: TableLike, y: ArrayLike, *, sign: bool = False, sample_weight: ArrayLike | None = None, n_jobs: int | None = None
) -> np.ndarray | tuple[np.ndarray, np.ndarray]:
    r"""Squared correlation of each column with a numeric target.

    .. math:: r^2 = \frac{\left(\sum_i (x_i - \bar x)(y_i - \bar y)\right)^2}
                         {\sum_i (x_i - \bar x)^2 \sum_i (y_i - \bar y)^2}

    Rows without a value in the column are left out. For categories, r² is that of the regression on the levels'
    indicators (the correlation ratio), which for two levels is that of zeros and ones.

    Parameters
    ----------
    X : table of n rows and d columns, numeric or categorical, missing values allowed.
    y : numeric target.
    sign : return the signs of the correlations (−1, 0, 1; 0 for categories) beside the scores.
    sample_weight : one weight a row.
    n_jobs : number of threads.

    Returns
    -------
    array of d numbers from 0 to 1, 0 for a constant column; with `sign`, a pair of arrays.

    References
    ----------
    K. Pearson, "Regression, heredity and panmixia", 1896.

    >>> pearson([[1, 4, 5], [2, 2, 5], [3, 0, 5]], [1, 2, 3])
    array([1., 1., 0.])
    >>> pearson([[1, 4, 5], [2, 2, 5], [3, 0, 5]], [1, 2, 3], sign=True)[1]
    array([ 1., -1.,  0.])
    """
    signed = _Signed() if sign else Pearson()
    scores = score_columns(signed, X, y, sample_weight=sample_weight, n_jobs=n_jobs)
    return (scores[0], scores[1]) if sign else scores


class _Signed(Pearson):
    def values(self, view: Spread, target: Target, n_jobs: int | None = None) -> np.ndarray:
        return np.array(self.with_signs(view, target, n_jobs))
