"""How often the folds used each column, and how alike the sets are that they used."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tamis.evaluate.fold.selection_stability import stability

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


def selection_stability(sets: Sequence[Sequence[str]], n_columns: int) -> dict[str, Any]:
    """Nogueira's index of the folds' sets of columns with its 95% interval; None where it has no value.

    1 when all folds used the same columns, about 0 when they were as if drawn blindly. It has no value where every fold
    used all columns, or none.

    >>> selection_stability([["a", "b"], ["a", "b"], ["a", "b"]], 10)["index"]
    1.0
    """
    index, interval = stability(sets, n_columns)
    sizes = [len(columns) for columns in sets]
    ends = [interval.low, interval.high]
    is_defined = bool(np.isfinite(index))
    return {
        "index": index if is_defined else None,
        "interval": [float(np.clip(end, -1, 1)) for end in ends] if is_defined and np.isfinite(ends).all() else None,
        "min_columns": min(sizes),
        "max_columns": max(sizes),
    }


def expected_false(model: BaseEstimator) -> float | None:
    """The bound on the mean number of columns kept by chance that a fitted selector gives; None where there is none.

    Of a pipeline, that of its last step with one (`StabilitySelector.expected_false_`).
    """
    steps = [step for _, step in getattr(model, "steps", None) or []]
    for step in (model, *reversed(steps)):
        bound = getattr(step, "expected_false_", None)
        if bound is not None and np.isfinite(bound):
            return float(bound)
    return None
