"""From a table and its target to the terms of a model: one call of the core, then centred curves and pure maps."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from tamis import _core
from tamis.additive.data import AdditiveData
from tamis.additive.layout import LOGISTIC, MULTINOMIAL, POISSON, AdditiveColumns, AdditiveLimits, AdditiveTarget
from tamis.additive.steps import joined_levels, step_heights
from tamis.additive.term import Axis, Curve, PairMap, spread_of
from tamis.table import Table

LEVEL_PENALTY = 2.0  # of the deviance, per level that is told apart from others: Akaike's
MIN_RESIDUAL = 1e-20  # mean square of residuals that are all rounding; that of the target is about 1
MAX_PURIFICATIONS = 200  # rounds of taking row and column means out of a map


class CoreFit(NamedTuple):
    """What the core fitted: heights and spread of all bins, columns used, maps, sums of rows outside their bags."""

    start: np.ndarray
    heights: np.ndarray
    spread: np.ndarray
    used: np.ndarray
    maps: list[tuple[Any, ...]]
    sums: np.ndarray
    n_cycles: int


@dataclass(frozen=True)
class FittedTerms:
    """What a fit finds.

    Attributes
    ----------
    intercept : one number per sum.
    curves, pairs : widest first.
    curvature : of each curve by its column, second derivative of the loss summed over the rows of a bin: bins × sums.
    out_of_fold : sums × rows of the table: means over the bags that held a row out; NaN for rows of weight 0.
    n_cycles : boosting cycles.
    """

    intercept: np.ndarray
    curves: list[Curve]
    pairs: list[PairMap]
    curvature: dict[str, np.ndarray]
    out_of_fold: np.ndarray
    n_cycles: int


def fit_terms(
    table: Table,
    data: AdditiveData,
    target: AdditiveTarget,
    monotone: np.ndarray,
    held_out: np.ndarray,
    limits: AdditiveLimits,
    sizes: list[int],
    n_threads: int,
) -> list[FittedTerms]:
    """Fit a model per size, the largest first; `target` has the rows of `data`, `monotone` its columns."""
    columns = AdditiveColumns(data.codes, data.n_values, data.category, monotone)
    path = _core.fit_additive(columns, target, held_out, limits, sizes, n_threads)
    return [_terms_of(table, data, target, CoreFit(*model)) for model in path]


def _terms_of(table: Table, data: AdditiveData, target: AdditiveTarget, fit: CoreFit) -> FittedTerms:
    """Centred curves and pure maps of what the core fitted."""
    first = np.concatenate([[0], np.cumsum(data.n_values.astype(np.int64) + 1)])
    axes = [_axis(table, data, p) for p in range(len(data.columns))]
    weight = [
        np.bincount(line, weights=target.weight, minlength=axis.n_values + 1) for line, axis in zip(data.codes, axes)
    ]
    column_heights = {p: fit.heights[first[p] : first[p + 1]].copy() for p in range(len(axes))}
    intercept, pairs, paired = fit.start.copy(), [], set()
    for j, k, p_value, first_bins, second_bins, cells, cell_weight in fit.maps:
        pure, of_first, of_second, mean = purified(cells, cell_weight)
        column_heights[j] += of_first[first_bins]
        column_heights[k] += of_second[second_bins]
        intercept += mean
        paired |= {j, k}
        pair_axes = (axes[j].joined(first_bins[:-1]), axes[k].joined(second_bins[:-1]))
        pairs.append(PairMap(pair_axes, _squeezed(pure), cell_weight, float(p_value)))
    curvature_rows = _curvature(target, fit.sums)
    curves, curvature = [], {}
    for p, axis in enumerate(axes):
        if not fit.used[p] and p not in paired:
            continue
        hessian = _binned(curvature_rows, data.codes[p], axis.n_values + 1)
        level, mean = _centred(column_heights[p], weight[p])
        intercept += mean
        if not level.any():
            continue
        curve = Curve(axis, _squeezed(level), _squeezed(fit.spread[first[p] : first[p + 1]]), weight[p])
        if axis.is_categorical:
            curve, hessian = with_levels_joined(curve, hessian)
        curves.append(curve)
        curvature[axis.name] = hessian
    out_of_fold = np.full((len(fit.start), table.n_rows), np.nan)
    out_of_fold[:, data.live] = fit.sums[:, data.group]
    return FittedTerms(intercept, _widest(curves), _widest(pairs), curvature, out_of_fold, int(fit.n_cycles))


def purified(cells: np.ndarray, weight: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """A map without main effects: the pure map, what the first and the second column add alone, and the mean.

    Parameters
    ----------
    cells : first × second × sums.
    weight : first × second, of the training rows. A bin without rows adds nothing.
    """
    pure = cells.copy()
    of_first, of_second = np.zeros((cells.shape[0], cells.shape[2])), np.zeros((cells.shape[1], cells.shape[2]))
    rows, columns = weight.sum(axis=1), weight.sum(axis=0)
    for _ in range(MAX_PURIFICATIONS):
        by_first = np.einsum("xy,xyk->xk", weight, pure) / np.where(rows > 0, rows, 1.0)[:, None]
        pure -= by_first[:, None]
        by_second = np.einsum("xy,xyk->yk", weight, pure) / np.where(columns > 0, columns, 1.0)[:, None]
        pure -= by_second[None]
        of_first += by_first
        of_second += by_second
        if np.abs(by_second).max(initial=0.0) <= 1e-14 * max(np.abs(pure).max(initial=0.0), 1e-300):
            break
    pure[rows <= 0] = 0.0
    pure[:, columns <= 0] = 0.0
    (of_first, mean), (of_second, second_mean) = _centred(of_first, rows), _centred(of_second, columns)
    return pure, of_first, of_second, mean + second_mean


def with_levels_joined(curve: Curve, hessian: np.ndarray) -> tuple[Curve, np.ndarray]:
    """The curve of a category with levels of similar heights joined, and its curvature."""
    n = curve.axis.n_values
    heights, spread = (values.reshape(n + 1, -1) for values in (curve.heights, curve.spread))
    groups = joined_levels(heights[:n], hessian[:n], LEVEL_PENALTY)
    return joined_curve(curve, groups, hessian, heights, spread)


def joined_curve(
    curve: Curve, groups: np.ndarray, hessian: np.ndarray, heights: np.ndarray, spread: np.ndarray
) -> tuple[Curve, np.ndarray]:
    """A curve whose bins of values are joined to groups; missing values stay by themselves."""
    n = curve.axis.n_values
    n_groups = int(groups.max(initial=-1)) + 1
    level = np.concatenate([step_heights(heights[:n], groups, hessian[:n]), heights[n:]])
    errors = np.concatenate([step_heights(spread[:n], groups, hessian[:n]), spread[n:]])
    weight = np.append(np.bincount(groups, weights=curve.weight[:n], minlength=n_groups), curve.weight[n])
    total = np.zeros((n_groups + 1, hessian.shape[1]))
    np.add.at(total, np.append(groups, n_groups), hessian)
    return Curve(curve.axis.joined(groups), _squeezed(level), _squeezed(errors), weight), total


def _axis(table: Table, data: AdditiveData, p: int) -> Axis:
    j = int(data.columns[p])
    levels = table.column(j).levels or () if data.category[p] else None
    bins = data.level_codes.get(p, np.empty(0, dtype=np.int64))
    return Axis(table.names[j], j, data.edges[p], levels, bins, int(data.n_values[p]))


def _centred(heights: np.ndarray, weight: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Heights about their mean over rows; a bin without rows has 0, the mean. The mean."""
    mean = weight @ heights / max(float(weight.sum()), 1e-300)
    out = heights - mean
    if weight[-1] <= 0:  # missing values that no training row had
        out[-1] = 0.0
    return out, mean


def _curvature(target: AdditiveTarget, sums: np.ndarray) -> np.ndarray:
    """Second derivative of the loss by the sums, sums × rows; of squared errors over the mean squared residual."""
    from scipy.special import expit, softmax

    if target.loss == LOGISTIC:
        p = expit(sums)
        return target.weight * p * (1 - p)
    if target.loss == MULTINOMIAL:
        p = softmax(sums, axis=0)
        return target.weight * p * (1 - p)
    if target.loss == POISSON:
        return target.weight * np.exp(np.minimum(sums, 50.0))
    residual = target.weight @ (target.values - sums[0]) ** 2 / target.weight.sum()
    return np.atleast_2d(target.weight / max(float(residual), MIN_RESIDUAL))


def _binned(curvature: np.ndarray, bins: np.ndarray, n_bins: int) -> np.ndarray:
    return np.column_stack([np.bincount(bins, weights=line, minlength=n_bins) for line in curvature])


def _squeezed(heights: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(heights[..., 0] if heights.shape[-1] == 1 else heights)


def _widest(terms: list[Any]) -> list[Any]:
    return sorted(terms, key=lambda term: (-round(spread_of(term), 12), term.columns))
