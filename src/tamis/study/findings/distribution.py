"""The values of a column, class by class, or the target over them."""

from __future__ import annotations

from typing import Any

import numpy as np

from tamis.study.problem import StudyProblem
from tamis.table import Column

#: Bars of a histogram, levels of a category and classes told apart, at most; what is left over is counted as others.
BARS, LEVELS, CLASSES = 14, 10, 6

#: Values outside these shares are counted at the ends: one value far away would leave one bar for all others.
TAILS = (0.005, 0.995)


def shown_classes(problem: StudyProblem) -> list[int]:
    """Codes of the classes that are told apart: all of few, the most frequent of many."""
    counts = np.bincount(problem.y, minlength=len(problem.labels)) if problem.labels else np.empty(0)
    if len(counts) <= CLASSES:
        return list(range(len(counts)))
    return sorted(np.argsort(-counts, kind="stable")[: CLASSES - 1].tolist())


def distribution(column: Column, problem: StudyProblem) -> dict[str, Any]:
    """Bars of a column over the rows learned from.

    Holds `edges` (of a number: one more than bars) or `levels` (words), and for each bar `rows`; for classes `counts`
    (shown classes, and others where there are more) × bars; for a numeric target its quartiles in each bar, `low`,
    `middle` and `high` (None where there is no row). `missing` counts rows without a value, `tails` those beyond the
    first and the last edge, which are counted in the first and the last bar.
    """
    is_missing = column.values < 0 if column.is_categorical else column.missing
    codes, described = levels_of(column, is_missing) if _is_coded(column) else _bins(column.values[~is_missing])
    y, n = problem.rates[~is_missing], described.pop("bars")
    out = {**described, "missing": int(is_missing.sum()), "rows": np.bincount(codes, minlength=n).tolist()}
    if problem.labels:
        classes = shown_classes(problem)
        row_of_class = np.full(len(problem.labels), len(classes))
        row_of_class[classes] = np.arange(len(classes))
        counts = np.zeros((len(classes) + (len(classes) < len(problem.labels)), n), dtype=np.int64)
        np.add.at(counts, (row_of_class[y], codes), 1)
        return {**out, "counts": counts.tolist()}
    quartiles = [np.quantile(y[codes == bar], (0.25, 0.5, 0.75)) if (codes == bar).any() else None for bar in range(n)]
    return {
        **out,
        **{
            key: [None if q is None else float(q[k]) for q in quartiles]
            for k, key in enumerate(("low", "middle", "high"))
        },
    }


def _is_coded(column: Column) -> bool:
    return column.levels is not None


def levels_of(column: Column, is_missing: np.ndarray) -> tuple[np.ndarray, dict[str, Any]]:
    """Codes of bars, one a level: the most frequent in the order of levels, and one for the others."""
    values, levels = column.values[~is_missing].astype(np.int64), column.levels or ()
    counts = np.bincount(values, minlength=len(levels))
    frequent = np.arange(len(levels))
    if len(levels) > LEVELS:
        frequent = np.sort(np.argsort(-counts, kind="stable")[: LEVELS - 1])
    bar_of_level = np.full(len(levels), len(frequent))
    bar_of_level[frequent] = np.arange(len(frequent))
    n_others = len(levels) - len(frequent)
    words = [str(levels[code]) for code in frequent]
    return bar_of_level[values], {
        "levels": words,
        "others": n_others,
        "tails": 0,
        "bars": len(frequent) + bool(n_others),
    }


def _bins(values: np.ndarray) -> tuple[np.ndarray, dict[str, Any]]:
    """Codes of bars of equal width between the tails; a bar a value where different values are few."""
    if not len(values):
        return np.empty(0, dtype=np.int64), {"edges": [0.0, 1.0], "tails": 0, "bars": 1}
    distinct = np.unique(values)
    low, high = np.quantile(values, TAILS)
    if len(distinct) <= BARS:
        middle = (distinct[1:] + distinct[:-1]) / 2
        ends = (
            (2 * distinct[0] - middle[0], 2 * distinct[-1] - middle[-1]) if len(middle) else (distinct[0], distinct[0])
        )
        edges = np.array([ends[0], *middle, ends[1]])
    elif low < high:
        edges = np.linspace(low, high, BARS + 1)
    else:  # all but a few values are the same
        edges = np.array([distinct[0], (low + distinct[-1]) / 2, distinct[-1]])
    codes = np.clip(np.searchsorted(edges[1:-1], values, side="left"), 0, len(edges) - 2)
    tails = int(((values < edges[0]) | (values > edges[-1])).sum())
    return codes, {"edges": edges.tolist(), "tails": tails, "bars": len(edges) - 1}
