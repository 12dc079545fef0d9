"""What a fitted procedure says of itself: its inner score, and the columns it chose."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from tamis.errors import TamisError
from tamis.metrics import Metric, find, utility
from tamis.task import predicts_classes

_PROMISES = ("best_score_", "cv_score_", "score_", "oob_score_")
_OTHERWISE = ("RidgeCV", "RidgeClassifierCV")  # their best_score_ is of another metric than their scoring says


def inner_score(model: BaseEstimator, metric: Metric) -> float | None:
    """The score the procedure found for itself on its training rows, larger is better; None when it has none.

    Looked for are scikit-learn's `best_score_`, a `cv_score_` or `score_`, an `oob_score_`, and the error path of
    LassoCV and its like. An inner score in another metric than the one asked for does not count.
    """
    for component in _components(model):
        for attribute in _PROMISES:
            value = getattr(component, attribute, None)
            if attribute == "oob_score_" and not getattr(component, "oob_score", False):
                continue  # boosting keeps a loss under this name
            if isinstance(value, (float, np.floating)) and _is_same_metric(component, metric):
                return float(value)
        path = getattr(component, "mse_path_", None)
        if path is not None and metric.base == "mse":
            return -float(np.mean(path, axis=-1).min())
    return None


def in_units(metric: Metric, value: float) -> float:
    """An inner score (larger is better) in the units of the metric."""
    return float(utility(metric, value))


def inner_notes(model: Any, groups: Any, time: Any) -> list[str]:
    """What to know of a search inside a procedure whose own folds respect neither groups nor time."""
    if groups is None and time is None:
        return []
    notes = []
    for component in _components(model):
        cv = getattr(component, "cv", None)
        blind = cv is None or isinstance(cv, (int, np.integer)) or type(cv).__name__ in ("KFold", "StratifiedKFold")
        if hasattr(component, "cv") and hasattr(component, "refit") and blind:
            what = "groups" if groups is not None else "time"
            notes.append(
                f"the folds inside {type(component).__name__} know nothing of {what}, so its own promise is too good; "
                f"give it a cv that respects {what}"
            )
    return notes


def _is_same_metric(component: Any, metric: Metric) -> bool:
    """True when the part's inner score is of this metric: its `scoring`, or the default of its kind."""
    scoring = getattr(component, "scoring", None)
    if type(component).__name__ in _OTHERWISE:
        return False
    if scoring is not None and not isinstance(scoring, str):
        return scoring is metric.source
    try:
        scoring_metric = find(scoring, classes=predicts_classes(metric.task))
    except TamisError:
        return False
    return scoring_metric.base == metric.base


def _components(model: BaseEstimator) -> Iterator[Any]:
    """The model and what it wraps, outermost first, last step of a pipeline before the others."""
    yield model
    for _, step in reversed(getattr(model, "steps", None) or []):
        if step is not None and not isinstance(step, str):
            yield from _components(step)
    inner = getattr(model, "regressor_", None)
    if inner is not None:
        yield from _components(inner)


def selected(model: BaseEstimator, names: Sequence[str]) -> tuple[str, ...] | None:
    """The columns a fitted procedure uses, by name; None when it does not choose.

    Read from `selected_columns_`, `get_support`, `get_feature_names_out` of the steps, coefficients that are exactly
    zero, and the splits of a tree.
    """
    chosen, is_known = _used(model, list(names))
    return tuple(chosen) if is_known else None


def _used(model: BaseEstimator, names: list[str]) -> tuple[list[str], bool]:
    """(names that come out of, or are used by, the model; whether it chose among those that went in)."""
    for inner in ("best_estimator_", "regressor_"):
        if getattr(model, inner, None) is not None:
            return _used(getattr(model, inner), names)
    if getattr(model, "steps", None):
        is_known = False
        for _, step in model.steps:
            if step is None or isinstance(step, str) or hasattr(step, "fit_resample"):
                continue
            names, chose = _used(step, names)
            is_known = is_known or chose
        return names, is_known
    return _of_one(model, names)


def _of_one(model: BaseEstimator, names: list[str]) -> tuple[list[str], bool]:
    columns = getattr(model, "selected_columns_", None)
    if columns is not None:
        return _named(columns, names, hasattr(model, "feature_names_in_")), True
    if hasattr(model, "get_support"):
        return [names[j] for j in np.flatnonzero(np.asarray(model.get_support()))], True
    if hasattr(model, "transform"):
        return _out(model, names), False
    coef = getattr(model, "coef_", None)
    if coef is not None:
        weights = np.abs(coef.toarray() if hasattr(coef, "toarray") else np.asarray(coef))
        used = weights.reshape(-1, weights.shape[-1]).max(axis=0) > 0
        if len(used) == len(names) and not used.all():
            return [names[j] for j in np.flatnonzero(used)], True
        return names, False
    tree = getattr(model, "tree_", None)
    features = getattr(tree, "feature", None)
    if features is not None:
        return [names[j] for j in sorted(set(np.asarray(features).tolist())) if j >= 0], True
    return names, False


def _named(columns: Any, names: list[str], has_names: bool) -> list[str]:
    """Names of chosen columns given as a mask, positions or names; a model that saw no names counts x0, x1, …"""
    listed = np.asarray(columns)
    if listed.dtype == bool:
        return [names[j] for j in np.flatnonzero(listed)]
    name_of = {} if has_names else {f"x{j}": name for j, name in enumerate(names)}
    return [names[j] if isinstance(j, int) else name_of.get(str(j), str(j)) for j in listed.tolist()]


def _out(model: BaseEstimator, names: list[str]) -> list[str]:
    """The names after a transformer; a prefix such as "num__" that only says which branch is taken off."""
    try:
        out = [str(name) for name in model.get_feature_names_out()]
    except (AttributeError, TypeError, ValueError):
        count = getattr(model, "n_features_in_", None)
        return names if count == len(names) and not hasattr(model, "components_") else []
    if hasattr(model, "feature_names_in_") or len(out) != len(names):
        input_names = set(names)
        return [name.partition("__")[2] if name.partition("__")[2] in input_names else name for name in out]
    # without names scikit-learn counts x0, x1, … again at every step: the same number of columns is the same columns
    return names if out == [f"x{j}" for j in range(len(out))] else out
