"""Error against complexity of one fit: a path of penalties, a sequence of pruned trees, a growing forest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tamis.study.procedures.models.facts import SizeErrors, facts_of

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


#: Points of a curve kept, at most.
POINTS = 25

#: Steps and columns of a path that is shown whole, at most.
PATH_STEPS, PATH_COLUMNS = 60, 12


def complexity(model: BaseEstimator) -> dict[str, Any] | None:
    """Sizes and errors of what a fitted model was chosen among; None of a model that has no such sequence.

    Holds `by` ("columns", "leaves" or "trees"), `size`, `error` (inner folds; out of the bag for trees of a forest)
    and `chosen` (the size that was taken).
    """
    errors = facts_of(model).complexity()
    return None if errors is None else _curve(errors)


def path_of(model: BaseEstimator) -> dict[str, Any] | None:
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


def _curve(errors: SizeErrors) -> dict[str, Any] | None:
    is_finite = np.isfinite(errors.error)
    size, error = errors.size[is_finite], errors.error[is_finite]
    if len(size) < 2:
        return None
    at = _thinned(len(size), POINTS)
    return {"by": errors.by, "size": size[at].tolist(), "error": error[at].tolist(), "chosen": int(errors.chosen)}


def _thinned(n: int, max_points: int) -> np.ndarray:
    """Positions of at most so many of n things, the first and the last among them; denser at the beginning."""
    if n <= max_points:
        return np.arange(n)
    return np.unique(np.round(np.geomspace(1, n, max_points)).astype(np.int64) - 1)
