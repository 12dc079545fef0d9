"""A fitted tree as plain values, and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from tamis.errors import TamisError
from tamis.table.notation import Notation
from tamis.tree.tree import Tree

FORMAT = 1


def dict_of(model: Any) -> dict[str, Any]:
    """Plain values only: dicts, lists, text, numbers, None."""
    params = {name: _plain(value) for name, value in model.get_params(deep=False).items()}
    params["cv"] = model.cv if isinstance(model.cv, int) else None
    out: dict[str, Any] = {
        "format": FORMAT,
        "kind": type(model).__name__,
        "params": params,
        "n_features_in": int(model.n_features_in_),
        "names": [str(name) for name in model.feature_names_in_] if hasattr(model, "feature_names_in_") else None,
        "notations": {name: notation.as_dict() for name, notation in model.notations_in_.items()},
        "tree": model.tree_.to_dict(),
        "cost_complexity": {name: values.tolist() for name, values in model.cost_complexity_.items()},
        "alpha": getattr(model, "alpha_", None),
    }
    if hasattr(model, "classes_"):
        out["classes"] = {"dtype": _dtype(model.classes_), "values": model.classes_.tolist()}
        out["loss"] = model.loss_.tolist()
    else:
        out["n_outputs"] = int(model.n_outputs_)
    if hasattr(model, "leaf_models_"):
        out["leaf_models"] = model.leaf_models_.to_dict()
    return out


def load(kind: Any, saved: dict[str, Any]) -> Any:
    """The fitted tree of `dict_of`."""
    if saved.get("format") != FORMAT or saved.get("kind") != kind.__name__:
        was = f"{saved.get('kind')!r} in format {saved.get('format')!r}"
        raise TamisError(
            f"this dict holds {was}, not a {kind.__name__} in format {FORMAT}; give what its to_dict wrote"
        )
    params = dict(saved["params"])
    if params.get("cv") is None:
        params["cv"] = 10
    model = kind(**params)
    model.tree_ = Tree.from_dict(saved["tree"])
    model.n_features_in_ = saved["n_features_in"]
    if saved["names"] is not None:
        model.feature_names_in_ = np.array(saved["names"], dtype=object)
    model.notations_in_ = {name: Notation.from_dict(how) for name, how in saved.get("notations", {}).items()}
    model.levels_in_ = {n: v for n, v in zip(model.tree_.names, model.tree_.levels) if v is not None}
    model._cost_complexity = {name: np.array(values) for name, values in saved["cost_complexity"].items()}
    if saved["alpha"] is not None:
        model.alpha_ = saved["alpha"]
    if "classes" in saved:
        model.classes_ = np.array(saved["classes"]["values"], dtype=saved["classes"]["dtype"])
        model.loss_ = np.array(saved["loss"])
    else:
        model.n_outputs_ = saved["n_outputs"]
    if "leaf_models" in saved:
        from tamis.tree.model import LeafModels

        model.leaf_models_ = LeafModels.from_dict(saved["leaf_models"])
    return model


def _dtype(array: np.ndarray) -> str:
    return "object" if array.dtype.kind == "O" else array.dtype.str


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, dict):
        return {_plain(k): _plain(v) for k, v in value.items()}
    return None
