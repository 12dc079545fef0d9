"""Importance or absolute coefficient of each column of the table in a fitted estimator or pipeline.

A pipeline chooses, scales, encodes; a linear model splits a category into indicators. Weights are found where the
estimator keeps them and traced back to the columns.
"""

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from tamis.errors import ParameterError

_NONE = -1  # origin of a column that was made of several


def column_weights(fitted: BaseEstimator, n_columns: int) -> np.ndarray:
    """One number a column, 0 for a column that is not used.

    From `get_support`, `feature_importances_` or `coef_` (absolute values, summed over outputs), whichever comes first;
    a pipeline's are those of its last step, summed over the columns it made of one column of the table.

    >>> from sklearn.feature_selection import SelectKBest, f_regression
    >>> from sklearn.linear_model import LinearRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> X = np.array([[5.0, 1.0, 0.0], [3.0, 2.0, 1.0], [4.0, 3.0, 1.0], [3.0, 4.1, 0.0]])
    >>> model = make_pipeline(SelectKBest(f_regression, k=1), LinearRegression()).fit(X, 2 * X[:, 1])
    >>> column_weights(model, 3).round(6)
    array([0., 2., 0.])
    """
    for inner in ("best_estimator_", "regressor_"):
        if getattr(fitted, inner, None) is not None:
            return column_weights(getattr(fitted, inner), n_columns)
    if hasattr(fitted, "steps"):
        return _of_pipeline(fitted, n_columns)
    weights = _weights_of(fitted)
    if len(weights) != n_columns:
        raise ParameterError(
            f"{type(fitted).__name__} has {len(weights):,} weights for {n_columns:,} columns; give one with one each"
        )
    return weights


def has_weights(fitted: BaseEstimator) -> bool:
    """Whether `column_weights` finds something to read; of a pipeline without a model, the columns that come out."""
    for inner in ("best_estimator_", "regressor_"):
        fitted = getattr(fitted, inner, None) or fitted
    if hasattr(fitted, "steps"):
        return has_weights(fitted[-1]) or _passes(fitted[-1]) or hasattr(fitted[-1], "transform")
    return any(hasattr(fitted, name) for name in ("get_support", "feature_importances_", "coef_"))


def _weights_of(fitted: BaseEstimator) -> np.ndarray:
    if hasattr(fitted, "get_support"):
        return np.asarray(fitted.get_support(), dtype=np.float64)
    if hasattr(fitted, "feature_importances_"):
        return np.asarray(fitted.feature_importances_, dtype=np.float64)
    if hasattr(fitted, "coef_"):
        coef = fitted.coef_.toarray() if hasattr(fitted.coef_, "toarray") else fitted.coef_
        weights = np.abs(np.asarray(coef, dtype=np.float64))
        return weights.reshape(-1, weights.shape[-1]).sum(axis=0)
    name = type(fitted).__name__
    raise ParameterError(f"{name} has neither get_support nor coef_ nor feature_importances_; give a selector")


def _of_pipeline(pipeline: Any, n_columns: int) -> np.ndarray:
    origin = np.arange(n_columns)
    steps = [step for _, step in pipeline.steps]
    if not has_weights(pipeline):
        return _weights_of(steps[-1])  # says what is missing
    weighed = has_weights(steps[-1])
    for step in steps[:-1] if weighed else steps:
        origin = _after(step, origin)
    weights = column_weights(steps[-1], len(origin)) if weighed else np.ones(len(origin))
    if np.any(weights[origin == _NONE] != 0):
        step_name = next(
            type(step).__name__ for step in steps if np.any(_after(step, np.arange(_width(step))) == _NONE)
        )
        raise ParameterError(
            f"{step_name} makes new columns of several, so choices after it cannot be traced to the table; leave it out"
        )
    out = np.zeros(n_columns)
    np.add.at(out, origin[origin != _NONE], weights[origin != _NONE])
    return out


def _after(step: Any, origin: np.ndarray) -> np.ndarray:
    """Where the columns that leave a fitted transformer come from, given where those that enter it do."""
    if _passes(step):
        return origin
    if hasattr(step, "steps"):
        for _, inner in step.steps:
            origin = _after(inner, origin)
        return origin
    if hasattr(step, "get_support"):
        return origin[np.asarray(step.get_support(), dtype=bool)]
    if hasattr(step, "output_indices_"):
        return _after_columns(step, origin)
    if hasattr(step, "categories_") and hasattr(step, "drop_idx_"):
        return np.repeat(origin, _levels(step))
    return _by_name(step, origin)


def _after_columns(step: Any, origin: np.ndarray) -> np.ndarray:
    """Through a ColumnTransformer: each branch takes some columns and fills a part of the output."""
    slices = step.output_indices_
    out = np.full(max(columns_slice.stop for columns_slice in slices.values()), _NONE)
    names = list(getattr(step, "feature_names_in_", []))
    for name, branch, columns in step.transformers_:
        columns_slice = slices[name]
        if columns_slice.stop > columns_slice.start:
            out[columns_slice] = _after(branch, origin[_positions(columns, names, len(origin))])
    return out


def _positions(columns: Any, names: list[str], n: int) -> np.ndarray:
    """Positions of columns given as names, positions, a mask or a slice."""
    if isinstance(columns, slice):
        ends = [names.index(end) if isinstance(end, str) else end for end in (columns.start, columns.stop)]
        stop = ends[1] + 1 if isinstance(columns.stop, str) else ends[1]
        return np.arange(n)[slice(ends[0], stop, columns.step)]
    listed = np.atleast_1d(np.asarray(columns, dtype=object if isinstance(columns, str) else None))
    if listed.dtype.kind in "OUS":
        return np.array([names.index(name) for name in listed.tolist()], dtype=np.int64)
    return np.arange(n)[listed]


def _levels(encoder: Any) -> list[int]:
    """How many indicators a OneHotEncoder makes of each column."""
    dropped = encoder.drop_idx_
    rare = getattr(encoder, "infrequent_categories_", None)
    sizes = []
    for j, levels in enumerate(encoder.categories_):
        joined = 0 if rare is None or rare[j] is None else len(rare[j]) - 1
        sizes.append(len(levels) - joined - (dropped is not None and dropped[j] is not None))
    return sizes


def _by_name(step: Any, origin: np.ndarray) -> np.ndarray:
    """Columns that keep their names; a column with another name was made of several, or of one unknown."""
    input_names = list(getattr(step, "feature_names_in_", [f"x{j}" for j in range(len(origin))]))
    if not hasattr(step, "get_feature_names_out"):
        return origin
    index_of = {str(name): j for j, name in enumerate(input_names)}
    out = [index_of.get(str(name), _NONE) for name in step.get_feature_names_out()]
    return np.array([_NONE if j == _NONE else origin[j] for j in out], dtype=np.int64)


def _passes(step: Any) -> bool:
    return step is None or (isinstance(step, str) and step == "passthrough")


def _width(step: Any) -> int:
    return 0 if _passes(step) else int(getattr(step, "n_features_in_", 0))
