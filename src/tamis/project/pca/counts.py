"""Raw counts with outlying rows: components would follow those rows, so it is said."""

import warnings
from typing import Any

import numpy as np
from scipy import sparse

from tamis.errors import TamisWarning

_ROWS = 2_000  # looked at, spread over the table
_SHARE, _HEAVY = 0.01, 0.5  # so few rows may not hold so much of the variance


def warn_of_counts(X: Any, trim: float = 0.0) -> None:
    """Warn where columns hold whole numbers from 0 and a hundredth of the rows holds half of their variance."""
    if trim or X.shape[0] < 20 or X.shape[1] < 2:
        return
    rows = np.unique(np.linspace(0, X.shape[0] - 1, min(X.shape[0], _ROWS)).astype(np.int64))
    first_rows = X[rows[:50]]
    first_rows = first_rows.toarray() if sparse.issparse(first_rows) else first_rows
    if not is_counts(first_rows):  # most tables are no counts, and a few rows say so
        return
    sample = X[rows].toarray() if sparse.issparse(X) else X[rows]
    if not is_counts(sample) or sample.max() <= 10:
        return
    squares = ((sample - sample.mean(axis=0)) ** 2).sum(axis=1)
    top = max(1, int(np.ceil(_SHARE * len(rows))))
    top_fraction = np.sort(squares)[-top:].sum() / max(squares.sum(), 1e-300)
    if top_fraction > max(_HEAVY, 3 * top / len(rows)):
        warnings.warn(
            f"the columns hold raw counts, and {top / len(rows):.0%} of the rows hold {top_fraction:.0%} of their "
            "variance: "
            "the components follow those rows; take shares or logarithms of the counts first "
            "(tamis.transform.Shares, Log), or give trim=0.05",
            TamisWarning,
            stacklevel=5,
        )


def is_counts(X: np.ndarray) -> bool:
    """Whether all values are whole numbers from 0.

    >>> is_counts(np.array([[0.0, 3.0], [2.0, 1.0]])), is_counts(np.array([[0.5]]))
    (True, False)
    """
    return bool(X.min() >= 0 and np.array_equal(X, np.floor(X)))
