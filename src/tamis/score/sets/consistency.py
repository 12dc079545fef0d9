"""How far a set of columns, taken together, settles the class."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tamis.score.criterion import Criterion, read_table
from tamis.score.groups import Groups
from tamis.table import same_length
from tamis.table.like import TableLike


class _Consistency(Criterion):
    name = "consistency"
    takes = ("classes",)


def share_settled(groups: Groups, codes: np.ndarray, n_classes: int) -> float:
    """Share of rows (or weight) in the most frequent class of their pattern of group codes."""
    patterns = np.zeros(len(codes), dtype=np.int64)
    for j in range(groups.n_columns):
        _, patterns = np.unique(patterns * groups.sizes[j] + groups.codes[j], return_inverse=True)
    cells, cell_codes = np.unique(patterns * n_classes + codes, return_inverse=True)
    mass = np.bincount(cell_codes, groups.weights)
    starts = np.flatnonzero(np.diff(cells // n_classes, prepend=-1))
    return float(np.maximum.reduceat(mass, starts).sum() / mass.sum())


def consistency(X: TableLike, y: ArrayLike, *, sample_weight: Any = None, n_jobs: int | None = None) -> float:
    r"""Consistency of a set of columns: one number for all the columns of X together.

    .. math:: 1 - \frac1n \sum_{\text{patterns}} \left( n_p - \max_c n_{pc} \right)

    A pattern is a combination of the columns' values: the number is the share of rows that have the most frequent class
    of their pattern, 1 when no two rows agree in all columns and differ in class. Columns are read as by
    `mutual_information`. More columns never make it smaller; compare sets of the same size.

    Parameters
    ----------
    X : table of n rows: the set of columns.
    y : target, classes.
    sample_weight : one weight a row.
    n_jobs : number of threads.

    Returns
    -------
    number from the share of the largest class to 1.

    References
    ----------
    H. Liu and R. Setiono, "A probabilistic approach to feature selection: a filter solution", ICML 1996.

    >>> consistency([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]), consistency([[0], [0], [1], [1]], [0, 1, 1, 1])
    (1.0, 0.75)
    """
    criterion, table = _Consistency(), read_table(X)
    if y is not None:
        same_length(table, y)
    weights = criterion.weights(sample_weight, table.n_rows)
    target = criterion.target(y, table.n_rows, weights)
    assert target.codes is not None
    return share_settled(Groups.of(table, weights, n_jobs=n_jobs), target.codes, target.n_classes)
