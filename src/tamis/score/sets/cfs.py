"""Columns that say much about the target and little about each other: the worth of a set."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tamis.engine import map_threads
from tamis.score.counts import Counts
from tamis.score.criteria.symmetric_uncertainty import uncertainty
from tamis.score.criterion import read_table
from tamis.score.groups import Groups
from tamis.table import same_length
from tamis.table.like import TableLike


class _CFS(Counts):
    name = "cfs"


def correlations(
    X: TableLike, y: ArrayLike, *, sample_weight: Any = None, n_jobs: int | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Symmetric uncertainty of each column with the target (d,), and of the columns with each other (d, d)."""
    criterion, table = _CFS(), read_table(X)
    if y is not None:
        same_length(table, y)
    weights = criterion.weights(sample_weight, table.n_rows)
    target = criterion.target(y, table.n_rows, weights)
    groups: Groups = criterion.view(table, target, weights, n_jobs)
    assert target.codes is not None
    with_target = uncertainty(groups.tables(target.codes, target.n_classes, n_jobs))

    def row_of(j: int) -> np.ndarray:
        return uncertainty(groups.tables(groups.codes[j].astype(np.int32), int(groups.sizes[j])))

    return with_target, np.array(map_threads(row_of, range(groups.n_columns), n_jobs))


def merit(with_target: np.ndarray, among: np.ndarray, columns: Sequence[int] | None = None) -> float:
    """Merit of some columns from the correlations of all: what a subset search asks again and again."""
    chosen = np.arange(len(with_target)) if columns is None else np.asarray(columns, dtype=np.int64)
    k = len(chosen)
    if k == 0:
        return 0.0
    inside = among[np.ix_(chosen, chosen)]
    below = k + inside.sum() - np.trace(inside)
    return float(with_target[chosen].sum() / np.sqrt(below))


def cfs(X: TableLike, y: ArrayLike, *, sample_weight: ArrayLike | None = None, n_jobs: int | None = None) -> float:
    r"""Correlation-based merit of a set of columns: one number for all the columns of X together.

    .. math:: \frac{k\, \bar r_{xy}}{\sqrt{k + k (k - 1)\, \bar r_{xx}}}

    where the mean correlations, with the target and of the columns with each other, are symmetric uncertainties.
    Columns and target are read as by `mutual_information`.

    Parameters
    ----------
    X : table of n rows and k columns: the set.
    y : target, classes or numbers.
    sample_weight : one weight a row.
    n_jobs : number of threads.

    Returns
    -------
    number, 0 when no column says anything about the target.

    References
    ----------
    M. Hall, "Correlation-based feature selection for machine learning", thesis, University of Waikato, 1999.

    >>> round(cfs([[0, 0], [1, 1], [0, 0], [1, 1]], [0, 1, 0, 1]), 3)  # a copy adds nothing
    1.0
    """
    return merit(*correlations(X, y, sample_weight=sample_weight, n_jobs=n_jobs))
