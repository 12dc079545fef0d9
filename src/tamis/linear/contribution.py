"""What each column of a table adds to a linear predictor: where the coefficients of indicators become a column's."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from tamis.linear.design import Design

_CELLS = 1 << 22  # entries of the matrix looked at together


def contributions(X: Any, coef: np.ndarray, groups: np.ndarray, n_columns: int, weights: np.ndarray) -> np.ndarray:
    r"""For every column of the table, the spread of what it adds to the linear predictor.

    .. math:: c_j = \sqrt{\tfrac{1}{K} \sum_k \operatorname{Var}\Big(\sum_{e \in \text{group } j} x_e w_{ke}\Big)}

    Of a number that is its coefficient times its standard deviation, of a category the spread over the rows of its
    levels' coefficients, whichever level they count against; of K classes the root mean square.

    Parameters
    ----------
    X : rows × encoded columns.
    coef : outputs × encoded columns.
    groups : for every encoded column, the position of its column in the table, in rising order within a group.
    n_columns : how many columns the table has.
    weights : of the rows.

    >>> X = np.array([[1.0, 0.0, 3.0], [0.0, 1.0, 3.0]])  # two indicators of column 0, and column 1
    >>> contributions(X, np.array([[2.0, 4.0, 9.0]]), np.array([0, 0, 1]), 2, np.ones(2))
    array([1., 0.])
    """
    found = np.zeros(n_columns)
    share = weights / weights.sum()
    used = coef.any(axis=0)
    alone = np.bincount(groups, minlength=n_columns)[groups] == 1
    single = np.flatnonzero(used & alone)
    size = np.sqrt(np.mean(coef[:, single] ** 2, axis=0))
    found[groups[single]] = size * _spread(X, single, share)
    for j in np.unique(groups[used & ~alone]):
        of = np.flatnonzero(groups == j)
        added = np.asarray(X[:, of] @ coef[:, of].T)
        found[j] = np.sqrt(np.mean(share @ (added - share @ added) ** 2))
    return found


def _spread(X: Any, which: np.ndarray, share: np.ndarray) -> np.ndarray:
    """Standard deviations of some columns, a part of them at a time; 0 for one that does not vary."""
    out = np.empty(len(which))
    step = max(1, len(which)) if sparse.issparse(X) else max(1, _CELLS // max(1, X.shape[0]))
    for start in range(0, len(which), step):
        part = which[start : start + step]
        inverse = Design(X[:, part]).units(share[:, None], standardize=True, centred=True)[1][:, 0]
        out[start : start + step] = np.divide(1.0, inverse, out=np.zeros(len(part)), where=inverse > 0)
    return out
