"""The head of a saved estimator: kind and parameters, columns with notations and levels, classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tamis.engine import workers
from tamis.errors import DamagedError, TamisError
from tamis.saved import class_list, classes, levels, mapping, read_integer, text, texts
from tamis.table.notation import Notation

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


def head(model: BaseEstimator, version: int, **other_params: Any) -> dict[str, Any]:
    """Plain values of what every fitted estimator has; `version` is that of the format.

    other_params : values that stand for those of some parameters.
    """
    params = {name: parameter(value) for name, value in model.get_params(deep=False).items()}
    return {
        "format": version,
        "kind": type(model).__name__,
        "params": params | other_params,
        "n_features_in": int(model.n_features_in_),
        "names": [str(name) for name in model.feature_names_in_] if hasattr(model, "feature_names_in_") else None,
        "notations": {name: notation.as_dict() for name, notation in model.notations_in_.items()},
    }


def saved_levels(model: BaseEstimator) -> list[Any]:
    """Categorical columns with their levels."""
    return [[name, [item(level) for level in column_levels]] for name, column_levels in model.levels_in_.items()]


def saved_classes(model: BaseEstimator) -> dict[str, Any]:
    """Classes and their dtype."""
    dtype = model.classes_.dtype
    return {"dtype": "object" if dtype.kind == "O" else dtype.str, "values": class_list(model.classes_)}


def refuse_other(kind: Any, saved: dict[str, Any], version: int) -> None:
    """Raise unless `saved` is of this kind of estimator, in this version of the format."""
    if saved.get("format") != version or saved.get("kind") != kind.__name__:
        was = f"{saved.get('kind')!r} in format {saved.get('format')!r}"
        raise TamisError(
            f"this dict holds {was}, not a {kind.__name__} in format {version}; give what its to_dict wrote"
        )


def begin(kind: Any, saved: dict[str, Any], max_columns: int = 2**62) -> tuple[Any, tuple[str, ...]]:
    """The estimator with its parameters, columns, notations, levels and classes, and the names of its columns."""
    model = kind(**mapping("params", saved["params"]))
    workers(model.n_jobs)
    n = model.n_features_in_ = read_integer("n_features_in", saved["n_features_in"], low=1, high=max_columns)
    names = tuple(f"x{j}" for j in range(n)) if saved["names"] is None else texts("names", saved["names"])
    if len(names) != n:
        raise DamagedError(f"it names {len(names):,} columns instead of {n:,}")
    if saved["names"] is not None:
        model.feature_names_in_ = np.array(names, dtype=object)
    model.notations_in_ = read_notations(saved["notations"])
    model.levels_in_ = {
        text("a column", name): levels("levels", column_levels) for name, column_levels in saved["levels"]
    }
    if not set(model.levels_in_) <= set(names):
        raise DamagedError("it has levels of a column that is none of its own")
    if "classes" in saved:
        model.classes_ = read_classes(saved["classes"])
    return model, names


def read_notations(saved: object) -> dict[str, Notation]:
    """How columns write numbers that are no numbers: dates, ordered words."""
    return {name: Notation.from_dict(mapping("notations", how)) for name, how in mapping("notations", saved).items()}


def read_classes(saved: Any) -> np.ndarray:
    """The classes that `saved_classes` wrote."""
    return classes("classes", saved["values"], saved["dtype"])


def item(value: object) -> Any:
    """A number of NumPy as one of Python."""
    return value.item() if isinstance(value, np.generic) else value


def parameter(value: object) -> Any:
    """A parameter as JSON holds it: a plain value, or a list or dict by name of such; else None."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, (list, tuple)):
        return [parameter(each) for each in value]
    if isinstance(value, dict) and all(isinstance(name, str) for name in value):
        return {name: parameter(each) for name, each in value.items()}
    value = item(value)
    return value if value is None or isinstance(value, (bool, int, float, str)) else None
