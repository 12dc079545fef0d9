"""Curves as a table of steps, and as text."""

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from tamis.additive.term import Axis, Curve


def table_of(model: BaseEstimator) -> dict[str, list[Any]]:
    """A dict of columns: one line per step of each curve, of categories in the order of heights, missing last."""
    labels = _labels(model)
    out: dict[str, list[Any]] = {name: [] for name in ("column", "values", "low", "high", *labels, "rows")}
    for curve in model.curves_.values():
        for k in _order(curve):
            low, high = bounds(curve.axis, k)
            out["column"].append(curve.column)
            out["values"].append(words(curve.axis, k, model.notations_in_.get(curve.column)))
            out["low"].append(low)
            out["high"].append(high)
            for label, height in zip(labels, np.atleast_1d(curve.heights[k])):
                out[label].append(float(height))
            out["rows"].append(float(curve.weight[k]))
    return out


def text_of(model: BaseEstimator) -> str:
    """The intercept, then one line per step; pair maps by name and range."""
    table, labels = table_of(model), _labels(model)
    lines = [["intercept", "", *(f"{value:+.3g}" for value in np.atleast_1d(model.intercept_))]]
    previous = None
    for row in range(len(table["column"])):
        name = table["column"][row]
        heights = [f"{table[label][row]:+.3g}" for label in labels]
        lines.append(["" if name == previous else name, table["values"][row], *heights])
        previous = name
    for pair in model.pairs_.values():
        low, high = pair.heights.min(), pair.heights.max()
        lines.append([" × ".join(pair.columns), f"map from {low:+.3g} to {high:+.3g}", *([""] * len(labels))])
    wide = [max(len(line[k]) for line in lines) for k in range(len(lines[0]))]
    texts = [
        "  ".join([line[0].ljust(wide[0]), line[1].ljust(wide[1]), *map(str.rjust, line[2:], wide[2:])])
        for line in lines
    ]
    return "\n".join([_head(model), *(line.rstrip() for line in texts)])


def bounds(axis: Axis, k: int) -> tuple[float | None, float | None]:
    """low < x ≤ high of bin k of numbers; None where it is open, for categories and for missing values."""
    if axis.is_categorical or k == axis.n_values:
        return None, None
    low = float(axis.edges[k - 1]) if k > 0 else None
    return low, float(axis.edges[k]) if k < len(axis.edges) else None


def words(axis: Axis, k: int, notation: Any = None) -> str:
    """The values of bin k in words.

    >>> axis = Axis("age", 0, np.array([40.0, 60.0]), None, np.empty(0, dtype=np.int64), 3)
    >>> [words(axis, k) for k in range(4)]
    ['≤ 40', '40 to 60', '> 60', 'missing']
    """
    if k == axis.n_values:
        return "missing"
    if axis.levels is not None:
        return ", ".join(str(level) for level, b in zip(axis.levels, axis.level_bins) if b == k)
    if notation is not None and notation.values():
        first = 0 if k == 0 else int(np.floor(axis.edges[k - 1])) + 1
        last = len(notation.values()) if k == len(axis.edges) else int(np.floor(axis.edges[k])) + 1
        return ", ".join(str(value) for value in notation.values()[first:last])
    low, high = (None if edge is None else _written(edge, notation) for edge in bounds(axis, k))
    if low is None:
        return "all values" if high is None else f"≤ {high}"
    return f"> {low}" if high is None else f"{low} to {high}"


def _written(edge: float, notation: Any) -> str:
    return f"{edge:.6g}" if notation is None else str(notation.write(edge))


def _order(curve: Curve) -> list[int]:
    """Bins of values, of categories by their heights; the bin of missing values where training rows had some."""
    n = curve.axis.n_values
    bins = list(range(n))
    if curve.axis.is_categorical:
        heights = curve.heights.reshape(n + 1, -1)
        bins = np.argsort(heights[:n, 0], kind="stable").tolist()
    return [*bins, n] if curve.weight[n] > 0 or np.any(curve.heights[n]) else bins


def _labels(model: BaseEstimator) -> list[str]:
    classes = getattr(model, "classes_", ())
    return [f"adds to {label}" for label in classes] if len(classes) > 2 else ["adds"]


def _head(model: BaseEstimator) -> str:
    classes = list(getattr(model, "classes_", []))
    if len(classes) == 2:
        return f"log odds of {classes[1]} ="
    if len(classes) > 2:
        return f"sums of {', '.join(map(str, classes))}, before the softmax ="
    return "log of the expected count =" if getattr(model, "loss", "") == "poisson" else "predicted number ="
