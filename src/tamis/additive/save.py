"""A fitted additive model as plain values, and back: nothing that could run."""

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from tamis.additive.term import Axis, Curve, PairMap
from tamis.errors import DamagedError
from tamis.saved import mapping, numbers, read_integer, reading, refuse_outside
from tamis.table.interface.saved_head import begin, head, item, refuse_other, saved_classes, saved_levels

FORMAT = 1


def plain(model: BaseEstimator) -> dict[str, Any]:
    """Plain values only: dicts, lists, text, numbers, None."""
    out: dict[str, Any] = {
        **head(model, FORMAT),
        "levels": saved_levels(model),
        "intercept": np.atleast_1d(model.intercept_).tolist(),
        "curves": [_curve(curve, model.curvature_[name]) for name, curve in model.curves_.items()],
        "pairs": [_pair(pair) for pair in model.pairs_.values()],
        "importances": model.feature_importances_.tolist(),
        "cycles": model.n_cycles_,
        "edits": [{**edit, "levels": _items(edit["levels"])} for edit in model.edits_],
    }
    if hasattr(model, "classes_"):
        out["classes"] = saved_classes(model)
    return out


def _axis(axis: Axis) -> dict[str, Any]:
    return {
        "column": axis.index,
        "edges": axis.edges.tolist(),
        "level_bins": axis.level_bins.tolist() if axis.is_categorical else None,
        "n_values": axis.n_values,
    }


def _curve(curve: Curve, hessian: np.ndarray) -> dict[str, Any]:
    return {
        "axis": _axis(curve.axis),
        "heights": curve.heights.tolist(),
        "spread": curve.spread.tolist(),
        "weight": curve.weight.tolist(),
        "curvature": hessian.tolist(),
    }


def _pair(pair: PairMap) -> dict[str, Any]:
    return {
        "axes": [_axis(axis) for axis in pair.axes],
        "heights": pair.heights.tolist(),
        "weight": pair.weight.tolist(),
        "p_value": pair.p_value,
    }


def model_of(kind: Any, saved: dict[str, Any]) -> Any:
    """The fitted model of `plain`."""
    refuse_other(kind, saved, FORMAT)
    with reading("the saved model", "give what its to_dict wrote"):
        return _model(kind, saved)


def _model(kind: Any, saved: dict[str, Any]) -> Any:
    model, names = begin(kind, saved)
    n_classes = len(getattr(model, "classes_", ()))
    n_sums = n_classes if n_classes > 2 else 1
    intercept = numbers("intercept", saved["intercept"], shape=(n_sums,))
    model.intercept_ = float(intercept[0]) if n_sums == 1 else intercept
    tail = () if n_sums == 1 else (n_sums,)
    model.curves_, model.curvature_, model.pairs_ = {}, {}, {}
    for term in saved["curves"]:
        curve, hessian = _curve_of(mapping("curves", term), names, model.levels_in_, tail)
        model.curves_[curve.column], model.curvature_[curve.column] = curve, hessian
    for term in saved["pairs"]:
        pair = _pair_of(mapping("pairs", term), names, model.levels_in_, tail)
        model.pairs_[pair.columns] = pair
    model.feature_importances_ = numbers("importances", saved["importances"], shape=(len(names),))
    model.n_cycles_ = read_integer("cycles", saved["cycles"])
    model.edits_ = [mapping("edits", edit) for edit in saved["edits"]]
    return model


def _axis_of(saved: dict[str, Any], names: tuple[str, ...], column_levels: dict[str, tuple[Any, ...]]) -> Axis:
    index = read_integer("column", saved["column"], high=len(names) - 1)
    name, n_values = names[index], read_integer("n_values", saved["n_values"])
    edges = numbers("edges", saved["edges"])
    if (saved["level_bins"] is not None) != (name in column_levels):
        raise DamagedError(f"the kind of the column {name!r} is not that of its term")
    if saved["level_bins"] is None:
        if len(edges) != max(n_values - 1, 0) or (np.diff(edges) <= 0).any():
            raise DamagedError("edges are not one rising number between two bins")
        return Axis(name, index, edges, None, np.empty(0, dtype=np.int64), n_values)
    bins = numbers("level_bins", saved["level_bins"], np.int64, shape=(len(column_levels[name]),))
    refuse_outside("level_bins", bins, -1, n_values - 1)
    return Axis(name, index, edges, column_levels[name], bins, n_values)


def _curve_of(
    saved: dict[str, Any], names: tuple[str, ...], column_levels: dict[str, tuple[Any, ...]], tail: tuple[int, ...]
) -> tuple[Curve, np.ndarray]:
    axis = _axis_of(mapping("axis", saved["axis"]), names, column_levels)
    n = axis.n_values + 1
    heights, spread = (numbers(name, saved[name], shape=(n, *tail)) for name in ("heights", "spread"))
    hessian = numbers("curvature", saved["curvature"], shape=(n, *(tail or (1,))))
    return Curve(axis, heights, spread, numbers("weight", saved["weight"], shape=(n,))), hessian


def _pair_of(
    saved: dict[str, Any], names: tuple[str, ...], column_levels: dict[str, tuple[Any, ...]], tail: tuple[int, ...]
) -> PairMap:
    first, second = (_axis_of(mapping("axes", axis), names, column_levels) for axis in saved["axes"])
    shape = (first.n_values + 1, second.n_values + 1)
    heights = numbers("heights", saved["heights"], shape=(*shape, *tail))
    weight = numbers("weight", saved["weight"], shape=shape)
    return PairMap((first, second), heights, weight, float(numbers("p_value", saved["p_value"], shape=())))


def _items(values: Any) -> Any:
    return None if values is None else [item(value) for value in values]
