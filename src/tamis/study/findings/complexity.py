"""Error against complexity of one fit: a path of penalties, a sequence of pruned trees, a growing forest."""

from __future__ import annotations

from typing import Any

import numpy as np

#: Points of a curve kept, at most.
POINTS = 25

#: Steps and columns of a path that is shown whole, at most.
PATH_STEPS, PATH_COLUMNS = 60, 12


def complexity(model: Any) -> dict[str, Any] | None:
    """Sizes and errors of what a fitted model was chosen among; None of a model that has no such sequence.

    Holds `by` ("columns", "leaves" or "trees"), `size`, `error` (inner folds; out of the bag for trees of a forest)
    and `chosen` (the size that was taken).
    """
    forest = getattr(model, "estimator_", model)
    if getattr(forest, "oob_curve_", None) is not None:
        curve = np.asarray(forest.oob_curve_, dtype=np.float64)
        return _curve("trees", np.arange(1, len(curve) + 1), curve, len(curve))
    path = getattr(model, "path_", None)
    if path is not None and getattr(path, "cv_mean", None) is not None:
        size, error = _best_of_each(np.asarray(path.n_columns), np.asarray(path.cv_mean))
        return _curve("columns", size, error, len(model.selected_columns_))
    table = getattr(model, "cost_complexity_", None)
    if table is not None and table.get("cv_risk") is not None:
        size, error = _best_of_each(np.asarray(table["n_leaves"]), np.asarray(table["cv_risk"]))
        return _curve("leaves", size, error, int(model.tree_.n_leaves))
    return None


def path_of(model: Any) -> dict[str, Any] | None:
    """The path of a linear model with one output, for a slider: at each step its penalty, columns, error and terms.

    A number's coefficient is given times the standard deviation of its column, so that terms can be compared; that of
    a level as it is. Only terms of the columns that contribute most are kept; the others are counted.
    """
    path = getattr(model, "path_", None)
    coef = getattr(path, "coef", None)
    if getattr(model, "penalty", None) == "subset":  # a path of sizes, not of penalties
        return None
    if path is None or coef is None or path.cv_mean is None or np.asarray(coef).ndim != 3 or coef.shape[2] != 1:
        return None
    if len(np.atleast_2d(model.coef_)) != 1:  # a hinge of several classes keeps the path of the first against the rest
        return None
    at = np.unique(np.round(np.linspace(0, len(path.alphas) - 1, PATH_STEPS)).astype(np.int64))
    lines = np.asarray(coef)[:, :, 0]
    groups, final = model.inputs_.encoding.groups, np.atleast_2d(model.coef_)[0]
    weight = np.asarray(model.feature_importances_)[groups]
    alone = np.bincount(groups)[groups] == 1
    scale = np.divide(weight, np.abs(final), out=np.ones(len(final)), where=alone & (final != 0))
    ever = np.flatnonzero(final)
    drawn_columns = ever[np.argsort(-weight[ever], kind="stable")][:PATH_COLUMNS]
    chosen = int(np.argmin(np.abs(np.asarray(path.alphas)[at] - (model.alpha_ or 0.0))))
    return {
        "alpha": np.asarray(path.alphas)[at].tolist(),
        "columns": np.asarray(path.n_columns)[at].tolist(),
        "error": np.asarray(path.cv_mean)[at].tolist(),
        "standard_error": np.asarray(path.cv_se)[at].tolist(),
        "chosen": chosen,
        "names": [str(model.coef_names_[j]) for j in drawn_columns],
        "terms": (lines[at][:, drawn_columns] * scale[drawn_columns]).T.tolist(),
        "left": len(ever) - len(drawn_columns),
    }


def _curve(by: str, size: np.ndarray, error: np.ndarray, chosen: int) -> dict[str, Any] | None:
    is_finite = np.isfinite(error)
    size, error = size[is_finite], error[is_finite]
    if len(size) < 2:
        return None
    at = _thinned(len(size), POINTS)
    return {"by": by, "size": size[at].tolist(), "error": error[at].tolist(), "chosen": int(chosen)}


def _best_of_each(size: np.ndarray, error: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Sizes in rising order, each with the least error that a model of that size has."""
    sizes = np.unique(size)
    return sizes, np.array([np.min(error[size == size_value]) for size_value in sizes])


def _thinned(n: int, max_points: int) -> np.ndarray:
    """Positions of at most so many of n things, the first and the last among them; denser at the beginning."""
    if n <= max_points:
        return np.arange(n)
    return np.unique(np.round(np.geomspace(1, n, max_points)).astype(np.int64) - 1)
