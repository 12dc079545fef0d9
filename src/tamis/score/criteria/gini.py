"""How much purer the classes are once a column is known."""

import numpy as np
from numpy.typing import ArrayLike

from tamis.score.counts import Counts
from tamis.score.criterion import score_columns
from tamis.score.groups import Tables
from tamis.table.like import TableLike


class Gini(Counts):
    """Decrease of the Gini impurity, split into every group of the column."""

    name = "gini"
    takes = ("classes",)

    def formula(self, tables: Tables) -> np.ndarray:
        lines, n = tables.lines, tables.classes.sum()
        squares = (tables.counts**2).sum(axis=1)
        pure = tables.add(np.divide(squares, lines, out=np.zeros_like(lines), where=lines > 0)) / n
        gain = pure - ((tables.classes / n) ** 2).sum()
        return np.where((gain > 1e-14) & (np.diff(tables.first) > 1), gain, 0.0)


def gini(
    X: TableLike, y: ArrayLike, *, sample_weight: ArrayLike | None = None, n_jobs: int | None = None
) -> np.ndarray:
    r"""Decrease of Gini impurity that each column brings.

    .. math:: \sum_x p(x) \sum_c p(c \mid x)^2 - \sum_c p(c)^2

    Columns are read as by `mutual_information`; the split is into every group of the column at once.

    Parameters
    ----------
    X : table of n rows and d columns, numeric or categorical, missing values allowed.
    y : target, classes.
    sample_weight : one weight a row.
    n_jobs : number of threads.

    Returns
    -------
    array of d numbers, 0 for a constant column.

    References
    ----------
    L. Breiman et al., "Classification and regression trees", 1984.

    >>> gini([[0, 1], [1, 1], [0, 1], [1, 2]], [0, 1, 0, 1]).round(3)
    array([0.5  , 0.167])
    """
    return score_columns(Gini(), X, y, sample_weight=sample_weight, n_jobs=n_jobs)
