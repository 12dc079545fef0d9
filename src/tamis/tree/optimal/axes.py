"""Columns in the orders in which they can be cut: which are searched, and at which cuts."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tamis import _core
from tamis.tree.grow.fit import TreeData
from tamis.tree.tree import Tree

#: Columns that a search of so many levels considers, and the bins of each column there.
MAX_COLUMNS, N_BINS = {1: 2**31, 2: 128, 3: 16}, {1: 255, 2: 255, 3: 8}
MAX_CELLS = 4 * 10**7  # pairs of cuts that a search of two levels evaluates, about a second
MAX_FINE = 2**16 - 2  # distinct values of a column that refinement keeps apart


class Axis(NamedTuple):
    """A column in an order in which it can be cut: numbers by value, missing ones at an end, levels by target mean."""

    column: int
    codes: np.ndarray  # (rows) order of each row's value, from 0
    n_codes: int
    missing_left: bool  # where missing values of numbers lie


def axes_of(data: TreeData, j: int, rows: np.ndarray, values: np.ndarray, weight: np.ndarray) -> list[Axis]:
    """Column j in the orders in which the rows can be cut: none where it is constant, two where numbers are missing."""
    codes = data.bins.codes[j][rows].astype(np.int64)
    n_values = int(data.bins.n_values[j])
    if codes.min() == codes.max():
        return []
    if data.bins.is_categorical[j]:
        return [Axis(j, _level_order(codes, n_values + 1, values, weight), n_values + 1, False)]
    if n_values > MAX_FINE:
        missing = codes >= n_values
        codes = np.where(missing, MAX_FINE, codes * MAX_FINE // n_values)
        n_values = MAX_FINE
    axes = [Axis(j, codes.astype(np.uint16), n_values + 1, False)]
    if codes.max() == n_values:
        axes.append(Axis(j, np.where(codes == n_values, 0, codes + 1).astype(np.uint16), n_values + 1, True))
    return axes


def _level_order(codes: np.ndarray, n_levels: int, values: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Levels numbered by the target's mean; with several classes, along the axis on which the means differ most."""
    sums = np.zeros((n_levels, values.shape[1]))
    np.add.at(sums, codes, values * weight[:, None])
    total = np.bincount(codes, weights=weight, minlength=n_levels)
    means = sums / np.where(total > 0, total, 1.0)[:, None]
    if means.shape[1] > 1:
        _, _, axes = np.linalg.svd(means * np.sqrt(total)[:, None], full_matrices=False)
        axis = axes[0] * np.sign(axes[0][np.argmax(np.abs(axes[0]))])
        means = means @ axis[:, None]
    order = np.lexsort((np.arange(n_levels), means[:, 0]))
    rank = np.empty(n_levels, dtype=np.uint16)
    rank[order] = np.arange(n_levels)
    return rank[codes]


def n_bins_of(depth: int, n_axes: int) -> int:
    return max(4, min(N_BINS[depth], int(np.sqrt(2 * MAX_CELLS) / n_axes) if depth == 2 else N_BINS[depth]))


def screen(
    axes: list[Axis], used: set[int], values: np.ndarray, weight: np.ndarray, min_leaf: int, depth: int
) -> list[Axis]:
    """The axes that promise most, and those of the greedy tree; in the order they were in."""
    if len(axes) <= MAX_COLUMNS[depth]:
        return axes
    n_pairs = max(MAX_COLUMNS[depth], int(np.sqrt(2e8 / len(weight))))  # rows × pairs of columns that are counted
    if len(axes) > n_pairs:
        single = np.array([_single_gain(axis, values, weight) for axis in axes])
        axes = _best(axes, single, n_pairs, used)
    tables = code_tables(axes, {}, weight, 8)
    gain = _core.pair_gains(tables[0], tables[1], values, weight, min_leaf)
    return _best(axes, gain, MAX_COLUMNS[depth], used)


def _best(axes: list[Axis], gain: np.ndarray, n_kept: int, used: set[int]) -> list[Axis]:
    first = set(np.argsort(-gain, kind="stable")[:n_kept].tolist())
    return [axis for q, axis in enumerate(axes) if q in first or axis.column in used]


def _single_gain(axis: Axis, values: np.ndarray, weight: np.ndarray) -> float:
    """The gain of the best cut of one axis."""
    total = np.cumsum(np.bincount(axis.codes, weights=weight))[:-1]
    right = weight.sum() - total
    is_cut = (total > 0) & (right > 0)
    gain = np.zeros(len(total))
    for k in range(values.shape[1]):
        sums = np.cumsum(np.bincount(axis.codes, weights=weight * values[:, k]))[:-1]
        gain += sums**2  # centred: the other side's sum is the negative of this one
    return float((gain[is_cut] * (1 / total[is_cut] + 1 / right[is_cut])).max(initial=0.0))


def greedy_cuts(data: TreeData, tree: Tree) -> dict[int, list[int]]:
    """The last code on the left of each numeric split of a tree, by column."""
    values, first = data.bins.code_values
    cuts: dict[int, list[int]] = {}
    for node in np.flatnonzero((tree.left >= 0) & (tree.n_levels == 0)):
        j = int(tree.feature[node])
        low = values[first[j] : first[j + 1]]
        code = int(np.searchsorted(low, tree.threshold[node], side="right")) - 1
        cuts.setdefault(j, []).append(code * MAX_FINE // len(low) if len(low) > MAX_FINE else code)
    return cuts


def code_tables(
    axes: list[Axis], greedy: dict[int, list[int]], weight: np.ndarray, n_bins: int
) -> tuple[np.ndarray, ...]:
    """Coarse codes (rows, axes), their numbers; fine codes (axes, rows), theirs; the last fine code of each bin."""
    cuts = [_cuts(axis, greedy.get(axis.column, []), weight, n_bins) for axis in axes]
    n_coarse = np.array([len(cut) + 1 for cut in cuts], dtype=np.int32)
    last = np.zeros((len(axes), int(n_coarse.max())), dtype=np.int32)
    coarse = np.empty((len(weight), len(axes)), dtype=np.uint8)
    for q, (axis, cut) in enumerate(zip(axes, cuts)):
        coarse[:, q] = np.searchsorted(cut, axis.codes, side="left")
        last[q, : len(cut)] = cut
    fine = np.array([axis.codes for axis in axes], dtype=np.uint16).reshape(len(axes), len(weight))
    return coarse, n_coarse, fine, np.array([axis.n_codes for axis in axes], dtype=np.int32), last


def _cuts(axis: Axis, greedy: list[int], weight: np.ndarray, n_bins: int) -> np.ndarray:
    """Fine codes after which an axis is cut: quantiles of the rows, and the cuts of the greedy tree."""
    share = np.cumsum(np.bincount(axis.codes, weights=weight, minlength=axis.n_codes))
    quantiles = share[-1] * np.arange(1, n_bins) / n_bins
    cuts = np.searchsorted(share, quantiles * (1 - 1e-12))
    more = np.array(greedy, dtype=np.int64) + axis.missing_left
    last = int(axis.codes.max())
    joined = np.unique(np.concatenate([cuts, more]))
    return joined[(joined < last) & (joined >= int(axis.codes.min()))][:254]
