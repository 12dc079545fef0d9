"""A curve set by hand, and the record of it."""

from dataclasses import replace
from typing import Any

import numpy as np

from tamis import check
from tamis.additive.term import Curve
from tamis.errors import ParameterError


def edited(
    curve: Curve,
    hessian: np.ndarray,
    height: Any,
    low: float | None,
    high: float | None,
    levels: Any,
    missing: bool,
    reason: str,
) -> tuple[Curve, np.ndarray, dict[str, Any]]:
    """The curve and its curvature after an edit, and what is recorded of it.

    Bins that `low` or `high` divide become two; rows and curvature of such a bin are halved.
    """
    if sum([low is not None or high is not None, levels is not None, missing]) != 1:
        raise ParameterError("an edit needs an interval (low, high), levels or missing=True, and only one of them")
    value = _height(curve, height)
    if low is not None or high is not None:
        bottom = -np.inf if low is None else check.number("low", low)
        top = np.inf if high is None else check.number("high", high)
        if curve.axis.is_categorical:
            raise ParameterError(f"the column {curve.column!r} holds categories; give levels instead of low and high")
        if not bottom < top:
            raise ParameterError(f"low={low!r} is not below high={high!r}; give an interval")
        for edge in (bottom, top):
            curve, hessian = _divided(curve, hessian, edge)
        upper = np.append(curve.axis.edges, np.inf)
        chosen = (upper > bottom) & (upper <= top)
        chosen = np.append(chosen[: curve.axis.n_values], False)
    elif levels is not None:
        curve, hessian, chosen = _of_levels(curve, hessian, levels)
    else:
        chosen = np.arange(curve.axis.n_values + 1) == curve.axis.n_values
    heights = curve.heights.copy()
    record = {
        "column": curve.column,
        "low": low,
        "high": high,
        "levels": None if levels is None else list(levels),
        "missing": bool(missing),
        "before": heights[chosen].tolist(),
        "height": value.tolist(),
        "reason": str(reason),
    }
    heights[chosen] = value
    spread = curve.spread.copy()
    spread[chosen] = 0.0
    return replace(curve, heights=heights, spread=spread), hessian, record


def _height(curve: Curve, height: Any) -> np.ndarray:
    value = np.asarray(height, dtype=np.float64)
    if value.shape != curve.heights.shape[1:] or not np.isfinite(value).all():
        expected = "a number" if curve.heights.ndim == 1 else f"{curve.heights.shape[1]} numbers, one per class"
        raise ParameterError(f"height={height!r} does not fit the curve of {curve.column!r}; give {expected}")
    return value


def _divided(curve: Curve, hessian: np.ndarray, edge: float) -> tuple[Curve, np.ndarray]:
    """The curve with an edge at a value."""
    axis = curve.axis
    k = int(np.searchsorted(axis.edges, edge))
    if not np.isfinite(edge) or axis.n_values == 0 or (k < len(axis.edges) and axis.edges[k] == edge):
        return curve, hessian
    halves = np.ones(axis.n_values + 2)
    halves[[k, k + 1]] = 0.5
    rows = np.insert(np.arange(axis.n_values + 1), k, k)
    axis = replace(axis, edges=np.insert(axis.edges, k, edge), n_values=axis.n_values + 1)
    return (
        Curve(axis, curve.heights[rows], curve.spread[rows], curve.weight[rows] * halves),
        hessian[rows] * halves[:, None],
    )


def _of_levels(curve: Curve, hessian: np.ndarray, levels: Any) -> tuple[Curve, np.ndarray, np.ndarray]:
    """The curve with a bin for these levels alone, where they share one with others."""
    axis = curve.axis
    if not axis.is_categorical:
        raise ParameterError(f"the column {curve.column!r} holds numbers; give low and high instead of levels")
    if isinstance(levels, str):
        raise ParameterError(f"levels={levels!r} is a text; give a list of levels")
    all_levels = list(axis.levels or ())
    unknown = next((level for level in levels if level not in all_levels), None)
    if unknown is not None:
        hint = check.nearest(unknown, map(str, all_levels))
        raise ParameterError(f"the column {curve.column!r} has no level {unknown!r}{hint}; give levels of the column")
    codes = np.array([all_levels.index(level) for level in levels], dtype=np.int64)
    bins = axis.level_bins.copy()
    for b in np.unique(bins[codes]).tolist():
        members = np.flatnonzero(bins == b)
        if b >= 0 and not np.isin(members, codes).all():  # others stay in the bin
            bins[np.intersect1d(members, codes)] = axis.n_values
            share = np.isin(members, codes).mean()
            rows = np.insert(np.arange(axis.n_values + 1), axis.n_values, b)
            factor = np.ones(axis.n_values + 2)
            factor[b], factor[axis.n_values] = 1 - share, share
            axis = replace(axis, level_bins=bins, n_values=axis.n_values + 1)
            curve = Curve(axis, curve.heights[rows], curve.spread[rows], curve.weight[rows] * factor)
            hessian, bins = hessian[rows] * factor[:, None], axis.level_bins.copy()
    chosen = np.isin(np.arange(axis.n_values + 1), axis.level_bins[codes])
    return curve, hessian, chosen
