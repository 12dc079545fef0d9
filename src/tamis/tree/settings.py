"""Parameters of trees and forests that may be given in several ways."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from tamis import check
from tamis.errors import ParameterError


def rows_or_share(name: str, value: Any, n_rows: int, low: int) -> int:
    """A number of rows, given as such or as a share of them.

    >>> rows_or_share("min_samples_leaf", 0.05, 200, 1)
    10
    """
    if isinstance(value, (float, np.floating)):
        return max(low, int(np.ceil(check.number(name, value, low=0, high=1, open_low=True) * n_rows)))
    return check.count(name, value, low=low)


def loss_of(matrix: Any, n_classes: int) -> np.ndarray:
    """The cost of each (truth, answer), 0 and 1 unless given."""
    if matrix is None:
        return 1.0 - np.eye(n_classes)
    try:
        loss = np.asarray(matrix, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ParameterError(f"loss_matrix={matrix!r} must hold numbers, a row and a column for each class") from error
    if loss.shape != (n_classes, n_classes):
        raise ParameterError(
            f"loss_matrix has shape {loss.shape}, but there are {n_classes} classes; give a row and a column each"
        )
    if not np.all(np.isfinite(loss)) or loss.min() < 0 or np.diag(loss).any() or loss.sum() == 0:
        raise ParameterError("loss_matrix must hold costs of at least 0, with 0 on its diagonal and something off it")
    return loss


def refuse_other_than(model: Any, default: Any, names: Iterable[str]) -> None:
    """Raise where a parameter that several class targets do not take is not at its default."""
    for name in names:
        value, usual = getattr(model, name), getattr(default, name)
        if value is not usual and value != usual:
            raise ParameterError(f"{name}={value!r} takes one class target, but y has several; fit one at a time")


def takes_several(model: Any, default: Any, names: Iterable[str]) -> bool:
    """Whether a model's parameters suit several class targets."""
    return all(getattr(model, name) is getattr(default, name) or getattr(model, name) == getattr(default, name)
               for name in names)  # fmt: skip


def one_target(model: Any) -> Any:
    """The model itself, where it predicts one target."""
    if hasattr(model, "several_"):
        raise ParameterError(f"a model of {model.n_outputs_} class targets is not saved; fit one at a time")
    return model
