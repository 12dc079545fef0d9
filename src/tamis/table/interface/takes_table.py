"""Which models take a Table as it is; all others are shown a frame or an array."""

from __future__ import annotations

from typing import Any


class TakesTable:
    """A mark: `fit` and whatever answers afterwards take a `Table`, with its kinds, levels and missing values."""


def takes_table(model: Any) -> bool:
    """Whether a model bears the mark; a pipeline does not, whatever its steps are.

    >>> from sklearn.linear_model import Ridge
    >>> from tamis import LinearRegressor
    >>> takes_table(LinearRegressor()), takes_table(Ridge())
    (True, False)
    """
    return isinstance(model, TakesTable)
