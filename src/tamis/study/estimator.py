"""A study as a scikit-learn estimator: a table and its target become a source, predicted labels those of the target."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import ArrayLike
from scipy import sparse
from sklearn.utils import column_or_1d

from tamis.errors import TableError
from tamis.study.problem import FEWEST_ROWS
from tamis.table import is_frame, same_length
from tamis.table.like import TableLike
from tamis.table.sources.arrow import array_of, from_frame
from tamis.task import CLASSIFICATION

TARGET = "target"


def source_of(X: TableLike, y: ArrayLike, target_name: str | None, task: str | None) -> tuple[pa.Table, str]:
    """The columns of X with the target beside them, and the target's name: as asked, that of y, or "target"."""
    if y is None:
        raise TableError("this method requires y to be passed, but the target y is None")
    table, values = _arrow(X), np.asarray(y)
    for number, what in ((table.num_columns, "feature"), (table.num_rows, "sample")):
        min_number = 1 if what == "feature" else FEWEST_ROWS
        if number < min_number:
            shape = (table.num_rows, table.num_columns)
            raise TableError(
                f"Found array with {number} {what}(s) (shape={shape}) while a minimum of {min_number} is required."
            )
    if values.ndim == 2 and values.shape[1] == 1:
        values = column_or_1d(values, warn=not is_frame(y))
    if values.ndim != 1:
        raise TableError(f"the target has {values.ndim} dimensions; give one value per row")
    same_length(np.empty(table.num_rows), values)
    if task == CLASSIFICATION and values.dtype.kind == "f" and np.any(values[np.isfinite(values)] % 1):
        raise TableError(
            "Unknown label type: y holds continuous numbers, which are no classes; give labels, or task='regression'"
        )
    name = target_name or str(getattr(y, "name", None) or TARGET)
    while name in table.column_names:
        if target_name:
            raise TableError(f"X already has a column {name!r}, the name of the target; drop it from X")
        name += "_"
    listed = values.tolist() if values.dtype.kind in "fiub" else [_text(value) for value in values.tolist()]
    return table.append_column(
        name, pa.array(listed if values.dtype.kind in "fiub" else [_text(v) for v in listed])
    ), name


def refuse_width(X: TableLike, n_columns: int, name: str) -> None:
    """Raise for an array of another number of columns than `fit` was given; frames have names."""
    if is_frame(X) or not hasattr(X, "shape") or len(X.shape) != 2 or X.shape[1] == n_columns:
        return
    raise TableError(f"X has {X.shape[1]} features, but {name} is expecting {n_columns} features as input")


def original(labels: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """Predicted labels as the target had them: a study reads classes that spell whole numbers as numbers."""
    label_of = {_key(label): label for label in classes.tolist()}
    return np.array([label_of[_key(label)] for label in labels.tolist()], dtype=classes.dtype)


def _arrow(X: Any) -> pa.Table:
    if is_frame(X):
        arrow = from_frame(X)
        return arrow.select([name for name in arrow.column_names if not name.startswith("__index_level_")])
    array = X.toarray() if sparse.issparse(X) else np.asarray(X)
    if array.ndim != 2:
        raise TableError(
            f"the table has {array.ndim} dimension(s); give rows × columns (2D). Reshape your data: X.reshape(-1, 1) "
            "makes one column of it"
        )
    if array.dtype.kind == "c":
        raise TableError(
            "Complex data not supported: X holds complex numbers; give their real and imaginary parts as columns"
        )
    lines = array.T
    columns = [array_of(line.tolist() if array.dtype.kind == "O" else line) for line in lines]
    return pa.table(columns, names=[f"x{j}" for j in range(array.shape[1])])


def _text(value: object) -> str | None:
    return None if value is None or value != value else str(value)


def _key(label: Any) -> Any:
    try:
        return float(label)
    except (TypeError, ValueError):
        return str(label)
