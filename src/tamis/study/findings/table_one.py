"""The rows by class, as the first table of a clinical paper gives them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tamis.study.findings.distribution import levels_of, shown_classes
from tamis.study.problem import StudyProblem
from tamis.table import Column

#: Columns of the table, at most: those of the model, then those that go with the target most.
MOST_COLUMNS = 40


def table_one(problem: StudyProblem, order: Sequence[str]) -> dict[str, Any] | None:
    """Of each column, of all rows learned from and of those of each class; None where the target is a number.

    Parameters
    ----------
    order : names of columns, the most important first.

    Returns
    -------
    dict with `classes` and `rows` (of each class), `n`, `left` (columns that are not in the table) and `columns`: for
    each its `name` and either `numbers` (one list for all rows, then one a class: rows with a value, mean, standard
    deviation with n − 1, lower quartile, median, upper quartile; None where there is no value) or `levels` with
    `counts` (likewise; the last count is of `others` levels, where there are more).
    """
    if not problem.labels:
        return None
    codes = shown_classes(problem)
    groups = [np.ones(len(problem.y), dtype=bool), *(problem.y == code for code in codes)]
    listed = list(order)[:MOST_COLUMNS]
    return {
        "classes": [str(problem.labels[code]) for code in codes],
        "rows": [int(mask.sum()) for mask in groups[1:]],
        "n": len(problem.y),
        "left": len(order) - len(listed),
        "columns": [{"name": name, **_described(problem.X.column(name), groups)} for name in listed],
    }


def _described(column: Column, groups: list[np.ndarray]) -> dict[str, Any]:
    is_missing = column.values < 0 if column.is_categorical else column.missing
    if column.levels is None:
        return {"numbers": [_moments(column.values[mask & ~is_missing]) for mask in groups]}
    bars, described = levels_of(column, is_missing)
    codes = np.full(len(is_missing), -1)
    codes[~is_missing] = bars
    counts = [np.bincount(codes[mask & ~is_missing], minlength=described["bars"]).tolist() for mask in groups]
    return {"levels": described["levels"], "others": described["others"], "counts": counts}


def _moments(values: np.ndarray) -> list[float | int | None]:
    """Rows, mean, standard deviation and quartiles.

    >>> _moments(np.array([1.0, 2.0, 3.0, 6.0]))
    [4, 3.0, 2.160246899469287, 1.75, 2.5, 3.75]
    """
    if not len(values):
        return [0, None, None, None, None, None]
    spread = float(values.std(ddof=1)) if len(values) > 1 else None
    quartiles = [float(value) for value in np.quantile(values, (0.25, 0.5, 0.75))]
    return [len(values), float(values.mean()), spread, *quartiles]
