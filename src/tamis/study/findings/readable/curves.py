"""An additive model as plain values: the heights of its curves and pair maps, bin by bin."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tamis.additive.term import Axis, Curve, PairMap
from tamis.study.procedures.models.facts import facts_of

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


#: Heights of all terms together beyond which no page is asked to draw or compute a model.
MAX_HEIGHTS = 60_000


def curves_of(model: BaseEstimator, order: list[str]) -> dict[str, Any] | None:
    """`curves` and `pairs` with their `axes` and `heights`, `intercept` and `link`; None of a model too large.

    An axis has the place of its `column` in `order` and the `edges` of its bins, or the `bins` of its levels. `heights`
    has a list of sums per bin, the bin of missing values last; of a pair it has a list per bin of the first axis. A
    value x is in the bin k when k edges lie below it.
    """
    terms = [*model.curves_.values(), *model.pairs_.values()]
    index_of = {name: k for k, name in enumerate(order)}
    if sum(term.heights.size for term in terms) > MAX_HEIGHTS or not {c for t in terms for c in t.columns} <= set(
        index_of
    ):
        return None
    return {
        "kind": "additive",
        "curves": [_curve(curve, index_of) for curve in model.curves_.values()],
        "pairs": [_pair(pair, index_of) for pair in model.pairs_.values()],
        "intercept": np.atleast_1d(model.intercept_).tolist(),
        "link": facts_of(model).link(),
        "classes": facts_of(model).codes(),
    }


def _curve(curve: Curve, index_of: dict[str, int]) -> dict[str, Any]:
    """A curve; neighbouring bins of equal height are joined."""
    axis, n = curve.axis, curve.axis.n_values
    heights, spread = (array.reshape(n + 1, -1) for array in (curve.heights, curve.spread))
    weight = curve.weight
    if not axis.is_categorical and n > 1:
        starts = np.concatenate([[True], (np.diff(heights[:n], axis=0) != 0).any(axis=1), [True]])
        first = np.flatnonzero(starts)
        axis = axis.joined(np.cumsum(starts[:n]) - 1)
        heights, spread = heights[first], np.maximum.reduceat(spread, first, axis=0)
        weight = np.add.reduceat(weight, first)
    return {
        "axes": [_axis(axis, index_of)],
        "heights": heights.tolist(),
        "spread": spread.tolist(),
        "weight": weight.tolist(),
    }


def _pair(pair: PairMap, index_of: dict[str, int]) -> dict[str, Any]:
    return {
        "axes": [_axis(axis, index_of) for axis in pair.axes],
        "heights": pair.heights.reshape(*pair.weight.shape, -1).tolist(),
        "weight": pair.weight.tolist(),
        "p_value": float(pair.p_value),
    }


def _axis(axis: Axis, index_of: dict[str, int]) -> dict[str, Any]:
    facts: dict[str, Any] = {"column": index_of[axis.name], "edges": None, "bins": None, "n_bins": int(axis.n_values)}
    if axis.levels is None:
        return {**facts, "edges": [float(edge) for edge in axis.edges]}
    bins = {str(level): int(k) for level, k in zip(axis.levels, axis.level_bins) if k >= 0}
    return {**facts, "bins": bins}
