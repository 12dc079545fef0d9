"""Rows of one length: directions instead of sizes, shares instead of counts."""

import warnings
from dataclasses import field
from typing import Any

import numpy as np
from scipy import sparse

from tamis import check
from tamis.errors import TableError, TamisWarning
from tamis.table.interface.takes_table import parameters
from tamis.transform.base import NumericTransform

NORMS = ("l2", "l1", "max")


@parameters
class Normalize(NumericTransform):
    r"""Divide each row by its norm.

    .. math:: x \mapsto \frac{x}{\lVert x \rVert}, \qquad \lVert x \rVert_2 = \sqrt{\textstyle\sum_j x_j^2},
        \quad \lVert x \rVert_1 = \textstyle\sum_j |x_j|, \quad \lVert x \rVert_{max} = \max_j |x_j|

    A missing value is left out of the norm and stays missing. Nothing is learned.

    Parameters
    ----------
    norm : "l2", "l1" or "max".
    zero : what to do with a row of zeros, which has no direction: "keep" it, with a warning that names it, or "raise"
        an error.

    >>> Normalize().fit_transform([[3.0, 4.0], [0.0, -2.0]])
    array([[ 0.6,  0.8],
           [ 0. , -1. ]])
    """

    takes_sparse = True

    norm: str = field(default="l2", kw_only=False)
    zero: str = "keep"

    def _check(self) -> None:
        check.one_of("norm", self.norm, NORMS)
        check.one_of("zero", self.zero, ["keep", "raise"])

    def _apply(self, X: Any) -> Any:
        return normalised(X, self.norm, self.zero, "normalize")


@parameters
class Shares(NumericTransform):
    r"""Counts of each row as shares of their sum.

    .. math:: x_j \mapsto \frac{x_j}{\sum_k x_k}

    A missing count is left out of the sum and stays missing. Nothing is learned.

    Parameters
    ----------
    zero : what to do with a row without counts: "keep" it, with a warning that names it, or "raise" an error.

    >>> Shares().fit_transform([[1.0, 3.0], [2.0, 0.0]])
    array([[0.25, 0.75],
           [1.  , 0.  ]])
    """

    takes_sparse = True

    zero: str = "keep"

    def _check(self) -> None:
        check.one_of("zero", self.zero, ["keep", "raise"])

    def _learn(self, X: Any, y: Any) -> None:
        refuse_negative(X, self.names_, "shares")

    def _apply(self, X: Any) -> Any:
        refuse_negative(X, self.names_, "shares")
        return normalised(X, "l1", self.zero, "share")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags


def normalised(X: Any, norm: str, zero: str, verb: str) -> Any:
    """Rows divided by their norms; a row whose norm is beyond the largest number is first made smaller."""
    with np.errstate(over="ignore"):
        norms = row_norms(X, norm)
    if np.isinf(norms).any():
        factor = np.where(np.isinf(norms), 0.5 / X.shape[1], 1.0)
        X = sparse.diags_array(factor) @ X if sparse.issparse(X) else X * factor[:, None]
        norms = row_norms(X, norm)
    return divided(X, norms, zero, verb)


def row_norms(X: Any, norm: str) -> np.ndarray:
    """The norm of each row, missing values left out.

    >>> row_norms(np.array([[3.0, -4.0], [np.nan, 2.0]]), "l1")
    array([7., 2.])
    """
    if sparse.issparse(X):
        return _sparse_norms(X, norm)
    with np.errstate(over="ignore", invalid="ignore"):
        complete = np.isfinite(X.sum())
    filled = X if complete else np.where(np.isnan(X), 0.0, X)
    size = np.abs(filled)
    largest = size.max(axis=1, initial=0.0)
    if norm == "max":
        return largest
    if norm == "l1":
        return np.asarray(size.sum(axis=1))
    scale = np.where(largest > 0, largest, 1.0)  # squares of very large or small numbers would leave the range
    return np.asarray(scale * np.sqrt(np.square(size / scale[:, None]).sum(axis=1)))


def _sparse_norms(X: Any, norm: str) -> np.ndarray:
    values = X.tocoo()
    size = np.nan_to_num(np.abs(values.data))
    largest = np.zeros(X.shape[0])
    np.maximum.at(largest, values.row, size)
    if norm == "max":
        return largest
    if norm == "l1":
        return np.bincount(values.row, weights=size, minlength=X.shape[0])
    scale = np.where(largest > 0, largest, 1.0)
    squares = np.square(size / scale[values.row])
    return scale * np.sqrt(np.bincount(values.row, weights=squares, minlength=X.shape[0]))


def divided(X: Any, norms: np.ndarray, zero: str, verb: str) -> Any:
    """Rows divided by their norms; a row of zeros is refused or kept."""
    flat = norms == 0
    if X.shape[1] and flat.any():
        rows = np.flatnonzero(flat)
        more = f" ({len(rows):,} such rows in all)" if len(rows) > 1 else ""
        message = f"row {rows[0] + 1:,} holds only zeros{more}, so there is nothing to {verb}"
        if zero == "raise":
            raise TableError(f"{message}; leave such rows out, or give zero='keep'")
        warnings.warn(f"{message}; it stays as it is", TamisWarning, stacklevel=6)
    scale = np.where(flat, 1.0, norms)
    if sparse.issparse(X):
        out = X.tocsr(copy=True)
        out.data = out.data / np.repeat(scale, np.diff(out.indptr))
        return out
    return X / scale[:, None]


def refuse_negative(X: Any, names: tuple[str, ...], what: str) -> None:
    """Raise the sentence that names the first negative count."""
    values = X.data if sparse.issparse(X) else X
    if not (values < 0).any():
        return
    dense = X.toarray() if sparse.issparse(X) else X
    i, j = (int(k[0]) for k in np.nonzero(dense < 0))
    raise TableError(
        f"Negative values in data: column {names[j]!r} holds {float(dense[i, j])!r} in row {i + 1:,}, and {what} are "
        "of counts; give numbers of at least 0"
    )
