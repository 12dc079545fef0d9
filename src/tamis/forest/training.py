"""The table a forest was grown on: found again as long as the user keeps it, recognised, never kept alive."""

from __future__ import annotations

import weakref
from copy import deepcopy
from typing import TYPE_CHECKING, Any

import numpy as np

from tamis import _core
from tamis.engine.hash import bytes_hash
from tamis.errors import ParameterError
from tamis.forest.data.binned import ForestData
from tamis.forest.layout import ForestTarget
from tamis.table.interface.target import category_order
from tamis.table.like import TableLike

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


#: By forest. A global dictionary, for an attribute of the forest would be pickled, cloned and saved with it, and would
#: keep the user's table in memory; an entry goes with its forest.
_given: weakref.WeakKeyDictionary[Any, tuple[Any, Any, Any]] = weakref.WeakKeyDictionary()


def remember(forest: Any, X: Any, y: Any, sample_weight: Any) -> None:
    """Note what `fit` was given, the table weakly, beside the forest: not in it, its pickle or its file.

    Targets and weights are copied, for they are small and often made on the spot; as views they would keep more alive.
    """
    _given.pop(forest, None)
    try:
        target = np.array(y) if category_order(y) is None else deepcopy(y)
        _given[forest] = (weakref.ref(X), target, None if sample_weight is None else np.array(sample_weight))
    except TypeError:  # lists, tuples and a few frames cannot be noted weakly
        return


def given_to_fit(forest: BaseEstimator) -> tuple[Any, Any, Any]:
    """X, y and sample_weight as `fit` was given them, or a sentence that asks for them."""
    X, y, weight = _given.get(forest, (_nothing, None, None))
    if (table := X()) is None:
        raise ParameterError("the training table is not in memory any more; give X and y as they were given to fit")
    return table, y, weight


def is_given_to_fit(forest: BaseEstimator, X: TableLike) -> bool:
    """Whether X is the very table that `fit` was given."""
    table, _, _ = _given.get(forest, (_nothing, None, None))
    return X is not None and table() is X


def _nothing() -> None:
    return None


def digest_of(data: ForestData, target: ForestTarget) -> str:
    """A digest of the training rows and their targets, whatever their order."""
    binned = data.binned
    high = None if binned.high is binned.low else binned.high
    arrays = (binned.codes, binned.low, high, target.classes, target.values, data.weight, data.copies)
    return bytes_hash(*(_few_bytes(array) for array in arrays if array is not None)).hex()


def _few_bytes(array: np.ndarray) -> bytes:
    flat = np.frombuffer(np.ascontiguousarray(array), dtype=np.uint8) if array.size else np.empty(0, dtype=np.uint8)
    n_words = len(flat) // 8
    lanes = _core.fold_words(flat[: 8 * n_words].view(np.uint64), 8)
    return lanes.tobytes() + flat[8 * n_words :].tobytes()


def refuse_other_rows(forest: BaseEstimator, data: ForestData, target: ForestTarget) -> None:
    """Raise a sentence unless these are the rows, targets and weights of `fit`."""
    if getattr(forest, "training_digest_", None) not in (None, digest_of(data, target)):
        raise ParameterError(
            f"these {len(data.rows):,} rows are not those the forest was grown on, so it is not known which tree saw "
            "which; give the X, y and sample_weight of fit, unchanged"
        )
