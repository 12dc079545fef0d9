"""How far apart the classes lie in a set of columns: distances of normal distributions."""

from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tamis.errors import KindError, TableError
from tamis.score.criterion import read_table
from tamis.table import Classes, same_length
from tamis.table.like import TableLike

_RIDGE = 1e-9  # of a column's variance: keeps the distance finite where a class does not vary


def bhattacharyya(X: TableLike, y: ArrayLike) -> float:
    r"""Bhattacharyya distance of the classes in the columns of X together, taken as normal distributions.

    .. math:: \tfrac18 (\mu_a - \mu_b)^\top \Sigma^{-1} (\mu_a - \mu_b)
              + \tfrac12 \log \frac{|\Sigma|}{\sqrt{|\Sigma_a| |\Sigma_b|}},
              \quad \Sigma = \tfrac12 (\Sigma_a + \Sigma_b)

    Several classes: the mean over pairs, weighted by the product of their shares. A class of few rows has its
    covariance (d rows or fewer) shrunk towards that of all classes, by d / (d + n).

    Parameters
    ----------
    X : table of n rows and d numeric columns without missing values: the set.
    y : target, classes.

    Returns
    -------
    number of 0 or more; exp(−distance) bounds the error of two equally frequent classes by a half of it.

    References
    ----------
    T. Kailath, "The divergence and Bhattacharyya distance measures in signal selection", IEEE Transactions on
    Communication Technology 15, 1967.

    >>> round(bhattacharyya([[0.0], [2.0], [10.0], [12.0]], [0, 0, 1, 1]), 2)
    12.5
    """
    return _weighted_mean(X, y, lambda distance: distance)


def jeffries_matusita(X: TableLike, y: ArrayLike) -> float:
    r"""Jeffries–Matusita distance of the classes in the columns of X together: from 0 to 2, and saturating.

    .. math:: 2 (1 - e^{-B})

    with the Bhattacharyya distance B of :func:`bhattacharyya`, pair by pair of classes. Give it to `SubsetSelector` as
    the worth of a set.

    >>> round(jeffries_matusita([[0.0], [2.0], [10.0], [12.0]], [0, 0, 1, 1]), 2)
    2.0
    """
    return _weighted_mean(X, y, lambda distance: 2.0 * (1.0 - float(np.exp(-distance))))


def _weighted_mean(X: TableLike, y: ArrayLike, worth: Any) -> float:
    table = read_table(X)
    same_length(table, y)
    if not table.is_numeric:
        name = next(column.name for column in table.columns if column.is_categorical)
        raise KindError(f"column {name!r} holds categories; distances of classes take numbers, so encode it first")
    matrix = np.asarray(table.numbers(), dtype=np.float64)
    if np.isnan(matrix).any():
        j = int(np.flatnonzero(np.isnan(matrix).any(axis=0))[0])
        raise TableError(f"missing values (NaN) in column {table.names[j]!r}; fill them first")
    classes = Classes.of(y)
    if classes.n_classes < 2 or not matrix.shape[1]:
        return 0.0
    moments = _moments(matrix, classes.codes, classes.n_classes)
    shares = np.bincount(classes.codes, minlength=classes.n_classes) / len(matrix)
    pairs = list(combinations(range(classes.n_classes), 2))
    weights = np.array([shares[a] * shares[b] for a, b in pairs])
    return float(np.average([worth(_distance(*moments[a], *moments[b])) for a, b in pairs], weights=weights))


def _moments(X: np.ndarray, codes: np.ndarray, n_classes: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Mean and covariance (1/n) of each class, on columns in units of their standard deviation."""
    spread = X.std(axis=0)
    Z = (X - X.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    class_blocks = [Z[codes == c] for c in range(n_classes)]
    means = [block.mean(axis=0) for block in class_blocks]
    scatters = [(block - mean).T @ (block - mean) for block, mean in zip(class_blocks, means)]
    pooled, d = sum(scatters) / len(Z), Z.shape[1]
    shrink = [0.0 if len(block) > d else d / (d + len(block)) for block in class_blocks]
    ridge = _RIDGE * np.eye(d)
    return [
        (mean, (1 - s) * scatter / len(block) + s * pooled + ridge)
        for mean, scatter, block, s in zip(means, scatters, class_blocks, shrink)
    ]


def _distance(mean_a: np.ndarray, cov_a: np.ndarray, mean_b: np.ndarray, cov_b: np.ndarray) -> float:
    middle, gap = (cov_a + cov_b) / 2, mean_a - mean_b
    logs = [np.linalg.slogdet(cov)[1] for cov in (middle, cov_a, cov_b)]
    return float(gap @ np.linalg.solve(middle, gap) / 8 + (logs[0] - (logs[1] + logs[2]) / 2) / 2)
