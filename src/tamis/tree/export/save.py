"""A fitted tree as plain values, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tamis.errors import DamagedError
from tamis.saved import mapping, numbers, read_integer, reading, refuse_shape
from tamis.table.interface.saved_head import begin, head, refuse_other, saved_classes, saved_levels
from tamis.tree.tree import Tree

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


FORMAT = 1


def dict_of(model: BaseEstimator) -> dict[str, Any]:
    """Plain values only: dicts, lists, text, numbers, None."""
    out: dict[str, Any] = {
        **head(model, FORMAT, cv=model.cv if isinstance(model.cv, int) else 10),
        "levels": saved_levels(model),
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
    model, names = begin(kind, saved)
    model.tree_ = Tree.from_dict(mapping("tree", saved["tree"]))
    width = model.tree_.value.shape[1]
    tree_levels = {name: column for name, column in zip(model.tree_.names, model.tree_.levels) if column is not None}
    if names != model.tree_.names or model.levels_in_ != tree_levels:
        raise DamagedError("its columns are not those of its tree")
    model._cost_complexity = {
        name: np.array(values, dtype=np.float64 if name != "n_leaves" else None)
        for name, values in mapping("cost_complexity", saved["cost_complexity"]).items()
    }
    if saved["alpha"] is not None:
        model.alpha_ = float(numbers("alpha", saved["alpha"], shape=()))
    if "classes" in saved:
        model.loss_ = numbers("loss", saved["loss"], shape=(len(model.classes_),) * 2)
        refuse_shape("value", model.tree_.value, (None, len(model.classes_)))
    else:
        model.n_outputs_ = read_integer("n_outputs", saved["n_outputs"], low=width, high=width)
    if "leaf_models" in saved:
        model.leaf_models_ = _kind_of_leaves(model).from_dict(saved["leaf_models"])
        model.leaf_models_.refuse_damaged(model.tree_)
    return model


def _kind_of_leaves(model: BaseEstimator) -> Any:
    """What the models in the leaves of a tree are kept as."""
    if hasattr(model, "classes_"):
        from tamis.tree.logistic_leaves import LogisticModels

        return LogisticModels
    from tamis.tree.linear_leaves import LeafModels

    return LeafModels
