"""How much knowing a column tells about the target, in nats."""

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import xlogy

from tamis.score.counts import Counts
from tamis.score.criterion import score_columns
from tamis.score.groups import Tables
from tamis.table.like import TableLike


def column_entropy(tables: Tables) -> np.ndarray:
    """Entropy of each column, in nats."""
    lines, n = tables.lines, tables.classes.sum()
    return np.maximum(np.log(n) - tables.add(xlogy(lines, lines)) / n, 0.0)


def target_entropy(tables: Tables) -> float:
    """Entropy of the classes, in nats."""
    share = tables.classes / tables.classes.sum()
    return float(max(-xlogy(share, share).sum(), 0.0))


def information(tables: Tables) -> np.ndarray:
    """Mutual information of each column and the classes, in nats."""
    n, lines, classes = tables.classes.sum(), tables.lines, tables.classes
    inside = tables.add(xlogy(tables.counts, tables.counts).sum(axis=1) - xlogy(lines, lines))
    nats = (inside - xlogy(classes, classes).sum() + xlogy(n, n)) / n
    nats[np.diff(tables.first) == 1] = 0.0  # one group tells nothing, and rounding should not say otherwise
    return np.where(nats > 1e-14 * np.log(max(n, 2.0)), nats, 0.0)


class MutualInformation(Counts):
    """Mutual information, plain or less its bias in small samples."""

    name = "mutual_information"

    def __init__(self, corrected: bool = False) -> None:
        self.corrected = corrected

    def formula(self, tables: Tables) -> np.ndarray:
        nats = information(tables)
        if not self.corrected:
            return nats
        groups = tables.add((tables.lines > 0).astype(np.float64))
        classes = (tables.classes > 0).sum()
        bias = (groups - 1) * (classes - 1) / (2 * tables.classes.sum())
        return np.maximum(nats - bias, 0.0)


def mutual_information(
    X: TableLike,
    y: ArrayLike,
    *,
    corrected: bool = False,
    sample_weight: ArrayLike | None = None,
    n_jobs: int | None = None,
) -> np.ndarray:
    r"""Mutual information of each column with the target, in nats.

    .. math:: I(x; y) = \sum_{x, y} p(x, y) \log \frac{p(x, y)}{p(x)\, p(y)}

    Categories, and numbers with few distinct values, are counted as they are; numbers with many are cut into groups of
    about equally many rows (see `Groups`), and so is a numeric target. A missing value is a value of its own.

    Parameters
    ----------
    X : table of n rows and d columns, numeric or categorical, missing values allowed.
    y : target, classes or numbers.
    corrected : subtract the bias of small samples, (groups − 1)(classes − 1) / 2n, and stop at 0.
    sample_weight : one weight a row.
    n_jobs : number of threads.

    Returns
    -------
    array of d numbers, 0 for a constant column.

    References
    ----------
    C. Shannon, "A mathematical theory of communication", 1948.
    G. Miller, "Note on the bias of information estimates", 1955 (the correction).

    >>> mutual_information([[0, 5], [1, 5], [0, 5], [1, 5]], [0, 1, 0, 1]).round(3)
    array([0.693, 0.   ])
    """
    return score_columns(MutualInformation(corrected), X, y, sample_weight=sample_weight, n_jobs=n_jobs)
