"""Missing values of linear models: refused, or filled with the means of the training rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from tamis.table import Table, refuse_missing

_WAY_OUT = "fill them first, for example with tamis.transform.Impute in a pipeline, or give missing='mean'"


def refuse(table: Table) -> None:
    """One sentence for a table with missing values."""
    refuse_missing(table, _WAY_OUT)


def means(X: Any, weights: np.ndarray) -> np.ndarray:
    """Weighted means of what is there; 0 for a column that is missing everywhere.

    >>> means(np.array([[1.0, np.nan], [3.0, np.nan]]), np.array([3.0, 1.0])).tolist()
    [1.5, 0.0]
    """
    if sparse.issparse(X):
        X = X.tocsc().astype(np.float64)
        holes = X.copy()
        holes.data = np.isnan(X.data).astype(np.float64)
        whole = X.copy()
        whole.data = np.nan_to_num(X.data)
        there = weights.sum() - np.asarray(holes.T @ weights)
        total = np.asarray(whole.T @ weights)
    else:
        gone = np.isnan(X)
        there = weights @ ~gone
        with np.errstate(over="ignore"):  # an infinite mean is refused as too large where it is squared
            total = weights @ np.where(gone, 0.0, X)
    return np.asarray(np.divide(total, there, out=np.zeros_like(total), where=there > 0))


def filled(X: Any, fill: np.ndarray) -> Any:
    """The matrix with each missing value replaced by its column's number of `fill`; not copied when there is none."""
    if sparse.issparse(X):
        X = X.tocsc().copy()
        where = np.flatnonzero(np.isnan(X.data))
        X.data[where] = fill[np.repeat(np.arange(X.shape[1]), np.diff(X.indptr))[where]]
        return X
    gone = np.isnan(X)
    return np.where(gone, fill, X) if gone.any() else X
