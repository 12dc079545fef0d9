"""A fitted tree as plain values, and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from tamis.engine import workers
from tamis.errors import DamagedError
from tamis.saved import mapping, numbers, read_integer, reading, refuse_shape, texts
from tamis.table.interface.saved_head import head, read_classes, read_notations, refuse_other, saved_classes
from tamis.tree.tree import Tree

FORMAT = 1


def dict_of(model: Any) -> dict[str, Any]:
    """Plain values only: dicts, lists, text, numbers, None."""
    params = {name: _plain(value) for name, value in model.get_params(deep=False).items()}
    params["cv"] = model.cv if isinstance(model.cv, int) else None
    out: dict[str, Any] = {
        **head(model, FORMAT, params),
        "tree": model.tree_.to_dict(),
        "cost_complexity": {name: values.tolist() for name, values in model.cost_complexity_.items()},
        "alpha": getattr(model, "alpha_", None),
    }
    if hasattr(model, "classes_"):
        out["classes"] = saved_classes(model)
        out["loss"] = model.loss_.tolist()
    else:
        out["n_outputs"] = int(model.n_outputs_)
    if hasattr(model, "leaf_models_"):
        out["leaf_models"] = model.leaf_models_.to_dict()
    return out


def load(kind: Any, saved: dict[str, Any]) -> Any:
    """The fitted tree of `dict_of`."""
    refuse_other(kind, saved, FORMAT)
    with reading("the saved tree", "give what its to_dict wrote"):
        return _loaded(kind, saved)


def _loaded(kind: Any, saved: dict[str, Any]) -> Any:
    params = dict(mapping("params", saved["params"]))
    if params.get("cv") is None:
        params["cv"] = 10
    model = kind(**params)
    workers(model.n_jobs)
    model.tree_ = Tree.from_dict(mapping("tree", saved["tree"]))
    width = model.tree_.value.shape[1]
    model.n_features_in_ = read_integer("n_features_in", saved["n_features_in"])
    if model.n_features_in_ != len(model.tree_.names):
        raise DamagedError(f"its tree has {len(model.tree_.names):,} columns instead of {model.n_features_in_:,}")
    if saved["names"] is not None:
        if texts("names", saved["names"]) != model.tree_.names:
            raise DamagedError("names are not those of its tree")
        model.feature_names_in_ = np.array(saved["names"], dtype=object)
    model.notations_in_ = read_notations(saved.get("notations", {}))
    model.levels_in_ = {n: v for n, v in zip(model.tree_.names, model.tree_.levels) if v is not None}
    model._cost_complexity = {
        name: np.array(values, dtype=np.float64 if name != "n_leaves" else None)
        for name, values in mapping("cost_complexity", saved["cost_complexity"]).items()
    }
    if saved["alpha"] is not None:
        model.alpha_ = float(numbers("alpha", saved["alpha"], shape=()))
    if "classes" in saved:
        model.classes_ = read_classes(saved["classes"])
        model.loss_ = numbers("loss", saved["loss"], shape=(len(model.classes_),) * 2)
        refuse_shape("value", model.tree_.value, (None, len(model.classes_)))
    else:
        model.n_outputs_ = read_integer("n_outputs", saved["n_outputs"], low=width, high=width)
    if "leaf_models" in saved:
        from tamis.tree.linear_leaves import LeafModels

        model.leaf_models_ = LeafModels.from_dict(saved["leaf_models"])
        model.leaf_models_.refuse_damaged(model.tree_)
    return model


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
