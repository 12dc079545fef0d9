"""How much a column varies for its size, without a target."""

import numpy as np
from numpy.typing import ArrayLike

from tamis.score.criteria.variance import differing
from tamis.score.criterion import Criterion, Target, score_columns
from tamis.score.spread import Spread
from tamis.table import Table
from tamis.table.like import TableLike


class Dispersion(Criterion):
    """Variance over the mean's absolute value."""

    name = "dispersion"
    takes = ()

    def view(self, table: Table, target: Target, weights: np.ndarray | None, n_jobs: int | None) -> Spread:
        return Spread(table, weights)

    def values(self, view: Spread, target: Target, n_jobs: int | None = None) -> np.ndarray:
        sums = view.sums(n_jobs=n_jobs)
        below = sums.n * np.abs(sums.mean)
        scores = np.divide(sums.scatter, below, out=np.zeros_like(below), where=below > 0)
        for j in view.categorical:
            scores[j] = differing(view, j)
        return scores


def dispersion(
    X: TableLike, y: ArrayLike | None = None, *, sample_weight: ArrayLike | None = None, n_jobs: int | None = None
) -> np.ndarray:
    r"""Index of dispersion of each column: variance (1/n) over mean; the target is not looked at.

    .. math:: \frac{\sum_i (x_i - \bar x)^2}{n\, \lvert \bar x \rvert}

    Meant for columns that count or measure from zero (1 for Poisson counts); a column whose mean is 0 gets 0. For
    categories variance and mean are summed over the indicators of the levels, which gives 1 − Σ p². Missing values are
    left out.

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
    D. Cox and P. Lewis, "The statistical analysis of series of events", 1966.

    >>> dispersion([[0, 5], [2, 5], [4, 5]]).round(3)
    array([1.333, 0.   ])
    """
    return score_columns(Dispersion(), X, y, sample_weight=sample_weight, n_jobs=n_jobs)
