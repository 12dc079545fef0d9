"""How far the counts of a column and the classes are from those of independence."""

import numpy as np
from numpy.typing import ArrayLike

from tamis.score.counts import Counts
from tamis.score.criterion import score_columns
from tamis.score.groups import Tables
from tamis.table.like import TableLike


def statistic(tables: Tables) -> np.ndarray:
    """Pearson's chi-squared statistic of each contingency table."""
    lines, classes, n = tables.lines, tables.classes, tables.classes.sum()
    scaled = np.divide(tables.counts**2, classes, out=np.zeros_like(tables.counts), where=classes > 0).sum(axis=1)
    statistics = n * (tables.add(np.divide(scaled, lines, out=np.zeros_like(lines), where=lines > 0)) - 1.0)
    return np.where((statistics > 1e-13 * n) & (np.diff(tables.first) > 1), statistics, 0.0)


class Chi2(Counts):
    """Pearson's chi-squared statistic."""

    name = "chi2"
    takes = ("classes",)

    def formula(self, tables: Tables) -> np.ndarray:
        return statistic(tables)


def chi2(
    X: TableLike, y: ArrayLike, *, sample_weight: ArrayLike | None = None, n_jobs: int | None = None
) -> np.ndarray:
    r"""Chi-squared statistic of each column against the classes.

    .. math:: \sum_{x, c} \frac{(n_{xc} - e_{xc})^2}{e_{xc}}, \qquad e_{xc} = \frac{n_x\, n_c}{n}

    The table counts rows, one line for each value (or group of values, as in `mutual_information`) of the column:
    values are labels here, so negative numbers are as good as others. Counts come from `sample_weight`, which must
    not be negative.

    Parameters
    ----------
    X : table of n rows and d columns, numeric or categorical, missing values allowed.
    y : target, classes.
    sample_weight : one weight a row: how often it was counted.
    n_jobs : number of threads.

    Returns
    -------
    array of d numbers, 0 for a constant column.

    References
    ----------
    K. Pearson, "On the criterion that a given system of deviations…", 1900.

    >>> chi2([[0, 1], [1, 1], [0, 1], [1, 2]], [0, 1, 0, 1]).round(3)
    array([4.   , 1.333])
    """
    return score_columns(Chi2(), X, y, sample_weight=sample_weight, n_jobs=n_jobs)
