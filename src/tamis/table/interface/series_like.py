"""New values in the form in which a target was given."""

from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import ArrayLike


def series_like(y: ArrayLike, values: np.ndarray, rows: np.ndarray | None = None) -> Any:
    """A series of the same library, name and index as y with other values, or an array; then some of its rows.

    >>> series_like([1, 2, 3], np.array([3, 1, 2]), rows=np.array([0, 2]))
    array([3, 2])
    """
    series = nw.from_native(y, series_only=True, pass_through=True)
    if not isinstance(series, nw.Series):
        return values if rows is None else values[rows]
    new = nw.new_series(series.name, values, backend=series.implementation)
    native = nw.maybe_set_index(new, index=nw.maybe_get_index(series)) if series.implementation.is_pandas() else new
    return nw.to_native(native if rows is None else native[rows])
