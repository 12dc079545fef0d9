"""Some rows of a table in whatever form it came, in the same form."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import numpy as np
from scipy import sparse

from tamis.table.frame import is_frame
from tamis.table.table import Table


def take_rows(X: Any, rows: np.ndarray) -> Any:
    """Rows of an array, a sparse matrix, a frame or a Table, by position; the form is kept.

    >>> take_rows([[1, 2], [3, 4], [5, 6]], np.array([2, 0]))
    array([[5, 6],
           [1, 2]])
    """
    if isinstance(X, Table):
        return X.take(rows)
    if sparse.issparse(X):
        return X.tocsr()[rows]
    if is_frame(X):
        frame = nw.from_native(X, eager_only=True)
        return nw.to_native(frame[rows.tolist() if len(rows) == 0 else rows])
    return np.asarray(X)[rows]


def column_names(X: Any) -> tuple[str, ...]:
    """The names of the columns; x0, x1, … where there are none.

    >>> column_names(np.zeros((1, 2)))
    ('x0', 'x1')
    """
    if isinstance(X, Table):
        return X.names
    if is_frame(X):
        return tuple(str(name) for name in nw.from_native(X, eager_only=True).columns)
    return tuple(f"x{j}" for j in range(X.shape[1] if hasattr(X, "shape") else np.asarray(X).shape[1]))
