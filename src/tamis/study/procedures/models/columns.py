"""The columns that a fitted selector kept, by their places: all that a saved pipeline needs of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from tamis.errors import DamagedError
from tamis.saved import numbers, read_integer, refuse_outside, texts
from tamis.table.interface.selector import TableSelector


class Columns(TableSelector, BaseEstimator):
    """Hands on the columns that were kept, as the selector did.

    Parameters
    ----------
    n_columns : how many there were.
    kept : places of those kept.
    names : of all columns, where they had names.
    """

    def __init__(self, n_columns: int, kept: Any, names: Any = None) -> None:
        self.n_columns = n_columns
        self.kept = kept
        self.names = names
        self.n_features_in_ = n_columns
        if names is not None:
            self.feature_names_in_ = np.array(names, dtype=object)

    @classmethod
    def of(cls, selector: Any) -> Columns:
        """The columns that a fitted selector kept."""
        mask, names = np.asarray(selector.get_support()), getattr(selector, "feature_names_in_", None)
        return cls(len(mask), np.flatnonzero(mask), None if names is None else list(names))

    def fit(self, X: Any, y: Any = None) -> Columns:
        """Nothing is learned."""
        return self

    def _get_support_mask(self) -> np.ndarray:
        mask = np.zeros(self.n_columns, dtype=bool)
        mask[self.kept] = True
        return mask

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def to_dict(self) -> dict[str, Any]:
        """Plain values that `from_dict` takes back."""
        return {"n_columns": self.n_columns, "kept": np.asarray(self.kept).tolist(), "names": self.names}

    @classmethod
    def from_dict(cls, facts: dict[str, Any]) -> Columns:
        """The columns that `to_dict` described."""
        n, indices = read_integer("n_columns", facts["n_columns"]), numbers("kept", facts["kept"], np.int64)
        refuse_outside("kept", indices, 0, n - 1)
        names = None if facts["names"] is None else list(texts("names", facts["names"]))
        if names is not None and len(names) != n:
            raise DamagedError(f"it names {len(names)} of {n} columns")
        return cls(n, indices, names)


def directions_among(monotone: dict[str, int] | None, names: Sequence[str]) -> dict[str, int] | None:
    """Directions of those columns that are among some names.

    >>> directions_among({"age": 1, "bmi": -1}, ["age", "c"])
    {'age': 1}
    """
    return None if monotone is None else {name: one for name, one in monotone.items() if name in names}
