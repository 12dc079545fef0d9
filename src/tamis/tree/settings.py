"""Parameters of trees and forests that may be given in several ways."""

from __future__ import annotations

from typing import Any

import numpy as np

from tamis import check
from tamis.errors import ParameterError


def rows_or_share(name: str, given: Any, n_rows: int, low: int) -> int:
    """A number of rows, given as such or as a share of them.

    >>> rows_or_share("min_samples_leaf", 0.05, 200, 1)
    10
    """
    if isinstance(given, (float, np.floating)):
        return max(low, int(np.ceil(check.number(name, given, low=0, high=1, open_low=True) * n_rows)))
    return check.count(name, given, low=low)


def loss_of(given: Any, n_classes: int) -> np.ndarray:
    """The cost of each (truth, answer), 0 and 1 unless given."""
    if given is None:
        return 1.0 - np.eye(n_classes)
    try:
        loss = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ParameterError(f"loss_matrix={given!r} must hold numbers, a row and a column for each class") from error
    if loss.shape != (n_classes, n_classes):
        raise ParameterError(
            f"loss_matrix has shape {loss.shape}, but there are {n_classes} classes; give a row and a column each"
        )
    if not np.all(np.isfinite(loss)) or loss.min() < 0 or np.diag(loss).any() or loss.sum() == 0:
        raise ParameterError("loss_matrix must hold costs of at least 0, with 0 on its diagonal and something off it")
    return loss
