"""A fitted model as plain values, and back: nodes column by column, nothing that could run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tamis.errors import DamagedError
from tamis.forest.damaged import refuse_damaged
from tamis.forest.layout import COLUMN, NODE
from tamis.forest.predict.trees import Trees
from tamis.saved import mapping, numbers, read_integer, reading, refuse_outside, refuse_shape
from tamis.table.interface.saved_head import begin, head, refuse_other, saved_classes, saved_levels

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


FORMAT = 1


def plain(model: BaseEstimator) -> dict[str, Any]:
    """Plain values only: dicts, lists, text, numbers, None (an infinite threshold)."""
    trees = model.trees_
    threshold = trees.nodes["threshold"]
    out: dict[str, Any] = {
        **head(model, FORMAT),
        "levels": saved_levels(model),
        "level_codes": [[int(j), codes.tolist()] for j, codes in model.level_codes_.items()],
        "baseline": model.baseline_.tolist(),
        "rounds": int(model.n_rounds_),
        "gain": model.gain_importance_.tolist(),
        "trees": {
            "roots": trees.roots.tolist(),
            "left": trees.nodes["left"].tolist(),
            "column": trees.nodes["column"].tolist(),
            "threshold": [value if np.isfinite(value) else None for value in threshold.tolist()],
            "sets": trees.sets.astype("<u8").view("<u4").tolist(),  # lower half first
        },
    }
    if hasattr(model, "classes_"):
        out["classes"] = saved_classes(model)
    return out


def model_of(kind: Any, saved: dict[str, Any]) -> Any:
    """The fitted model of `plain`."""
    refuse_other(kind, saved, FORMAT)
    with reading("the saved model", "give what its to_dict wrote"):
        return _model(kind, saved)


def _model(kind: Any, saved: dict[str, Any]) -> Any:
    model, names = begin(kind, saved, COLUMN)
    n_codes = _take_levels(model, names, saved["level_codes"])
    n_classes = len(getattr(model, "classes_", ()))
    n_sums = {0: 1, 1: 0, 2: 1}.get(n_classes, n_classes)
    model.baseline_ = numbers("baseline", saved["baseline"], shape=(n_sums,))
    model.n_rounds_ = read_integer("rounds", saved["rounds"])
    model.gain_importance_ = numbers("gain", saved["gain"], shape=(len(names),))
    model.trees_ = _trees(mapping("trees", saved["trees"]))
    if len(model.trees_) != n_sums * model.n_rounds_:
        raise DamagedError(f"it has {len(model.trees_):,} trees instead of {n_sums * model.n_rounds_:,}")
    if n_sums:
        refuse_damaged(model.trees_, len(names), n_codes)
    return model


def _take_levels(model: BaseEstimator, names: tuple[str, ...], saved_codes: Any) -> np.ndarray:
    """Take the codes of levels; how many codes each column has, 0 for numbers."""
    position = {name: j for j, name in enumerate(names)}
    n_codes = np.zeros(len(names), dtype=np.int64)
    model.level_codes_ = {
        read_integer("a column", j): numbers("level_codes", codes, np.int64) for j, codes in saved_codes
    }
    if sorted(model.level_codes_) != sorted(position[name] for name in model.levels_in_):
        raise DamagedError("its codes of levels are not of its categorical columns")
    for name, column_levels in model.levels_in_.items():
        codes = model.level_codes_[position[name]]
        refuse_shape("level_codes", codes, (len(column_levels),))
        refuse_outside("level_codes", codes, -1, 254)
        n_codes[position[name]] = int(codes.max(initial=-1)) + 1
    return n_codes


def _trees(saved: dict[str, Any]) -> Trees:
    roots = numbers("roots", saved["roots"], np.int64)
    left = numbers("left", saved["left"], np.int32)
    threshold = [np.inf if value is None else value for value in saved["threshold"]]
    thresholds = np.array(threshold, dtype=np.float64)
    if thresholds.shape != left.shape or np.isnan(thresholds).any():
        raise DamagedError("its thresholds are not one number a node")
    nodes = np.empty(len(left), dtype=NODE)
    nodes["left"], nodes["threshold"] = left, thresholds
    nodes["column"] = numbers("column", saved["column"], np.int32, shape=(len(left),))
    halves = numbers("sets", saved["sets"], np.uint32)
    sets = halves[: len(halves) // 2 * 2].astype("<u4").view("<u8").astype(np.uint64)
    return Trees.of_numbers(nodes, roots, sets)
