"""The one-standard-error rule: the simplest candidate that is not clearly worse than the best."""

from typing import Any

import numpy as np


def one_standard_error(losses: Any, errors: Any, *, best: int | None = None, rounding: float = 0.0) -> int:
    r"""Position of the first candidate whose loss is within one standard error of the least.

    .. math:: \min \{ i : L_i \le L_b + s_i + r \}, \quad b = \arg\min_j L_j

    Parameters
    ----------
    losses : L, one loss a candidate, the simplest candidate first; scores that are better when larger are negated.
    errors : s, the standard error of the least loss (one number, as CART and glmnet have it); or one a candidate, the
        standard error of its difference from the least loss, paired by row.
    best : b, the candidate to compare with, where it is not the first of least loss.
    rounding : r, what losses that are equal may differ by.

    References
    ----------
    Breiman, Friedman, Olshen, Stone: Classification and Regression Trees, section 3.4.3 (1984).

    >>> losses, errors = np.array([5.0, 2.1, 2.0]), np.array([1.0, 0.3, 0.2])
    >>> one_standard_error(losses, errors[losses.argmin()])
    1
    """
    loss_array = np.asarray(losses)
    lowest = loss_array[int(np.argmin(loss_array)) if best is None else best]
    return int(np.flatnonzero(loss_array <= lowest + errors + rounding)[0])
