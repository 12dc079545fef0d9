"""How alike the sets of columns are that a procedure chose in different folds."""

from collections.abc import Hashable, Iterable, Sequence

import numpy as np

from tamis.metrics.intervals.interval import Interval
from tamis.search import agreement


def stability(sets: Sequence[Iterable[Hashable]], n_columns: int, *, level: float = 0.95) -> tuple[float, Interval]:
    """Nogueira's stability of the chosen sets, and its interval; NaN where it is not defined (one set, or all columns).

    >>> stability([["a", "b"], ["a", "b"], ["a", "b"]], 10)[0]
    1.0
    """
    listed = [
        list(dict.fromkeys(column_set)) for column_set in sets
    ]  # in order: sums must not depend on how names are hashed
    column_index = {
        column: j for j, column in enumerate(dict.fromkeys(column for column_set in listed for column in column_set))
    }
    mask = np.zeros((len(listed), max(n_columns, len(column_index), 1)))
    for row, column_set in enumerate(listed):
        mask[row, [column_index[column] for column in column_set]] = 1
    value, (low, high) = agreement(mask, level=level) if len(listed) else (np.nan, (np.nan, np.nan))
    return value, Interval(low, high, level)
