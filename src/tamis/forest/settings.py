"""Parameters of a forest that may be given in several ways."""

from __future__ import annotations

import numpy as np

from tamis import check

CRITERIA = ("squared_error", "standard_deviation", "poisson")  # whose fall the splits of numbers are compared by
CLASS_CRITERIA = ("gini", "entropy", "ordinal")  # of classes


def columns_to_try(value: object, n_columns: int) -> int:
    """How many columns each split looks at.

    >>> columns_to_try("sqrt", 30), columns_to_try(1 / 3, 30), columns_to_try(None, 30)
    (5, 10, 30)
    """
    if value is None:
        return n_columns
    if isinstance(value, str):
        word = check.one_of("max_features", value, ["sqrt", "log2"])
        return max(1, int(np.sqrt(n_columns) if word == "sqrt" else np.log2(n_columns)))
    if isinstance(value, (float, np.floating)):
        return max(1, int(check.number("max_features", value, low=0, high=1, open_low=True) * n_columns))
    return check.count("max_features", value, high=n_columns, of="columns")


def altered_priors(loss: np.ndarray) -> np.ndarray:
    """What a row of each class counts towards splits by the costs of its mistakes, 1 on average."""
    costs = np.maximum(loss.sum(axis=1), 1e-3 * loss.sum(axis=1).max()) if len(loss) > 1 else np.ones(1)
    return np.asarray(costs / costs.mean())


def rows_to_look_at(value: object) -> int:
    """How many rows of a node its split is looked for among: with fewer than 16 it would be drawn by chance."""
    return check.count("max_split_samples", value, low=16)
