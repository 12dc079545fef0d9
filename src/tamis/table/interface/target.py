"""The target: classes as codes, or finite numbers."""

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import assert_all_finite, check_consistent_length, column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from tamis.errors import KindError, TableError
from tamis.table.column import is_missing
from tamis.table.interface.extreme import is_extreme
from tamis.table.like import TableLike

_PLAIN = "biufOUS"  # kinds of vectors that nothing is to be said against


@dataclass(frozen=True, eq=False)
class Classes:
    """A class target: `codes[i]` says which of `labels` row i is; sorted, or in the order of an ordered categorical."""

    codes: np.ndarray
    labels: np.ndarray

    @classmethod
    def of(cls, y: Any) -> "Classes":
        """Codes (int32) and labels of a one-dimensional class target, in the order that an ordered categorical has."""
        values = _vector(y)
        order = category_order(y)
        if values.dtype.kind in "OS":
            _refuse_missing(np.array([is_missing(v) for v in values], dtype=bool))
            _refuse_objects(values)
        close = _close_whole_numbers(values) if order is None else None
        if close is not None:
            return cls(close[1][close[2]], close[0])
        with np.errstate(invalid="ignore"):  # scikit-learn casts numbers to integers that may not hold them
            check_classification_targets(values)
        labels, codes = np.unique(values, return_inverse=True)
        if order is None:
            return cls(codes.astype(np.int32), labels)
        rank = np.argsort([order[label] for label in labels.tolist()])
        return cls(np.argsort(rank)[codes].astype(np.int32), labels[rank])

    @property
    def n_classes(self) -> int:
        return len(self.labels)

    @property
    def counts(self) -> np.ndarray:
        return np.bincount(self.codes, minlength=self.n_classes)

    def __len__(self) -> int:
        return len(self.codes)


def category_order(y: ArrayLike) -> dict[Any, int] | None:
    """The place of each category of an ordered categorical (pandas) or an Enum (polars); None of other targets."""
    dtype = getattr(y, "dtype", None)
    categories = getattr(dtype, "categories", None)
    if categories is None or not (getattr(dtype, "ordered", False) or type(dtype).__name__ == "Enum"):
        return None
    return {category: rank for rank, category in enumerate(categories)}


def codes_among(labels: ArrayLike, values: Any) -> np.ndarray:
    """The place of each value among labels in any order; of a value that is none of them, that of another label.

    >>> codes_among(["low", "mid", "high"], ["high", "low"]).tolist()
    [2, 0]
    """
    label_array = np.asarray(labels)
    rank = np.argsort(label_array, kind="stable")
    return np.asarray(rank[np.searchsorted(label_array, values, sorter=rank).clip(max=max(0, len(label_array) - 1))])


def _refuse_objects(labels: np.ndarray) -> None:
    """Refuse labels that are neither texts nor numbers, such as the intervals of pd.cut."""
    plain = (str, bool, int, float, np.generic, date, timedelta)
    bad = next((label for label in labels.tolist() if not isinstance(label, plain)), None)
    if bad is not None:
        raise KindError(f"the target holds {bad!r}, no text or number; give its labels as text: y.astype(str)")
    texts = [isinstance(label, str) for label in labels]
    if any(texts) and not all(texts):
        text, not_text = labels[texts.index(True)], labels[texts.index(False)]
        raise KindError(f"the target holds {text!r} and {not_text!r}; give all its labels as text: y.astype(str)")


def numbers(y: Any, *, several: bool = False) -> np.ndarray:
    """A numeric target as float64; one-dimensional unless `several` targets are allowed."""
    if several and y is not None and np.asarray(y).ndim == 2 and np.asarray(y).shape[1] > 1:
        return np.column_stack([numbers(column) for column in np.asarray(y).T])
    values = _vector(y)
    if values.dtype.kind not in "fiub":
        if values.dtype.kind == "O":
            _refuse_missing(np.array([is_missing(v) for v in values], dtype=bool))
        try:
            values = values.astype(np.float64)
        except (TypeError, ValueError, OverflowError) as error:
            bad = next((v for v in values.tolist() if not _is_number(v)), values[0])
            raise TableError(
                f"the target y must hold numbers, but has {bad!r}; give numbers, or a classifier"
            ) from error
    # pandas hands out read-only arrays, for which every kernel would be compiled once more
    values = np.require(values, dtype=np.float64, requirements=["C", "W"])
    assert_all_finite(values, input_name="y")
    if is_extreme(values.reshape(len(values), -1)):
        raise TableError(
            f"the target y holds {np.abs(values).max():.3g}, too large or too small a number to be squared; "
            "multiply it by a constant first"
        )
    return values


#: Bits of a target's scale.
SCALE_BITS = 40


def target_scales(values: np.ndarray, weight: np.ndarray, one_unit: bool) -> np.ndarray:
    """Standard deviation of each of several targets, so that their errors can be added; 1 for targets of one unit.

    >>> target_scales(np.array([[0.0, 0.0], [2.0, 2e6], [4.0, 4e6]]), np.array([1.0, 0.0, 1.0]), False).tolist()
    [2.0, 2000000.0]
    """
    if one_unit or values.ndim == 1 or values.shape[1] == 1:
        return np.ones(1)
    share = weight / weight.sum()
    spread = np.sqrt(share @ np.square(values - share @ values))
    mantissa, exponent = np.frexp(np.where(spread > 0, spread, 1.0))
    # of weights and of copies the last bits of the sums differ; without them both divide by the same number
    return np.ldexp(np.round(mantissa * 2**SCALE_BITS) / 2**SCALE_BITS, exponent)


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError, OverflowError):
        return False
    return True


def is_class_target(y: ArrayLike) -> bool:
    """True when a target reads as classes: text, booleans, or few whole numbers for the rows there are.

    Whole numbers count as classes when they take at most 20 values and at most half as many as there are rows.
    """
    values = _vector(y)
    if values.dtype.kind not in "fiu":
        return True
    close = _close_whole_numbers(values)
    distinct = np.unique(values) if close is None else close[0]
    is_integer = bool(np.all(np.isfinite(distinct)) and np.all(distinct == np.round(distinct)))
    return is_integer and len(distinct) <= 20 and len(distinct) <= max(2, len(values) // 2)


def same_length(X: TableLike, y: ArrayLike) -> None:
    """Refuse a target whose length is not the table's number of rows."""
    check_consistent_length(X, y)


def _vector(y: ArrayLike) -> np.ndarray:
    if y is None:
        raise TableError("this method requires y to be passed, but the target y is None")
    values = np.asarray(y.to_numpy() if hasattr(y, "to_numpy") else y)
    if values.ndim != 1 or values.dtype.kind not in _PLAIN or not values.flags.c_contiguous:
        values = column_or_1d(values, warn=True)
    if values.dtype.kind == "f":
        assert_all_finite(values, input_name="y")
    return values


def _close_whole_numbers(values: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
    """Of whole numbers that lie close together, counted instead of sorted (5× on a million rows), or None.

    The distinct ones; the code of each number from the smallest on; for each row, how far it is from the smallest.
    """
    if values.dtype.kind not in "iu" or not values.size or int(values.max()) - int(values.min()) > 65_535:
        return None
    offset = values.astype(np.int64) - int(values.min())
    occurs = np.bincount(offset) > 0
    labels = (np.flatnonzero(occurs) + int(values.min())).astype(values.dtype)
    return labels, (np.cumsum(occurs) - 1).astype(np.int32), offset


def _refuse_missing(missing: np.ndarray) -> None:
    if missing.any():
        row = int(np.flatnonzero(missing)[0])
        raise TableError(
            f"the target has no value in {int(missing.sum()):,} row(s), first in row {row + 1:,}; drop them"
        )
