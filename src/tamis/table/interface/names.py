"""The names of a table's columns, in whatever form it came."""

import narwhals as nw
import numpy as np

from tamis.table.like import TableLike
from tamis.table.sources.frame import eager, is_frame
from tamis.table.table import Table


def column_names(X: TableLike) -> tuple[str, ...]:
    """The names of the columns; x0, x1, … where there are none.

    >>> column_names(np.zeros((1, 2)))
    ('x0', 'x1')
    """
    if isinstance(X, Table):
        return X.names
    if is_frame(X):
        return tuple(str(name) for name in nw.from_native(eager(X), eager_only=True).columns)
    return tuple(f"x{j}" for j in range(X.shape[1] if hasattr(X, "shape") else np.asarray(X).shape[1]))
