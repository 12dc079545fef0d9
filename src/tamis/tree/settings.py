"""Parameters of trees and forests that may be given in several ways."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from tamis import check
from tamis.errors import ParameterError

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


def rows_or_share(name: str, value: object, n_rows: int, low: int) -> int:
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


def refuse_other_than(model: BaseEstimator, default: Any, names: Iterable[str]) -> None:
    """Raise where a parameter that indicators of classes do not take is not at its default."""
    for name in names:
        value = getattr(model, name)
        if _differs(value, getattr(default, name)):
            what = "ordered classes" if getattr(model, "criterion", None) == "ordinal" else "several class targets"
            raise ParameterError(f"{name}={value!r} does not go with {what}; leave it out, or fit another criterion")


def takes_several(model: BaseEstimator, default: Any, names: Iterable[str]) -> bool:
    """Whether a model's parameters suit several class targets."""
    return not any(_differs(getattr(model, name), getattr(default, name)) for name in names)


def _differs(value: object, usual: Any) -> bool:
    is_plain = isinstance(value, (str, bool, int, float, np.generic))
    return value is not usual and not (is_plain and bool(value == usual))


def one_target(model: BaseEstimator) -> Any:
    """The model itself, where it predicts one target."""
    if hasattr(model, "several_"):
        raise ParameterError(f"a model of {model.n_outputs_} class targets is not saved; fit one target")
    return model
