"""Small trees by search instead of greed: of at most three levels and eight leaves, the one with the least impurity.

Method. Each column is cut into a few bins, with the cuts of the greedy tree among them, and the best tree over these cuts
is found by branch and bound for every number of leaves (`_core.optimal_trees`). Then each split is moved to the best exact
value, the other splits unchanged, until none improves. So the tree is never worse on its training rows than the greedy one
with as many leaves and levels; whether it is proved the best over the binned cuts is said by `proved`.

References
----------
Demirović et al. (2022), MurTree: optimal decision trees via dynamic programming and search.
Briţa, van der Linden, Demirović (2025), Optimal classification trees for continuous feature data using dynamic
programming with branch-and-bound.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from tamis import _core
from tamis.engine import map_threads
from tamis.metrics.one_standard_error import one_standard_error
from tamis.tree.grow.fit import TreeData, grow_tree
from tamis.tree.grow.layout import CHI2, MAJORITY, TreeLimits, TreeTarget
from tamis.tree.tree import Tree

MAX_DEPTH, MAX_LEAVES = 3, 8
#: Columns that the search of three levels and of two levels considers, and the bins of each column there.
MAX_COLUMNS, N_BINS = {1: 2**31, 2: 128, 3: 16}, {1: 255, 2: 255, 3: 8}
MAX_CELLS = 4 * 10**7  # pairs of cuts that a search of two levels evaluates, about a second
MAX_FINE = 2**16 - 2  # distinct values of a column that refinement keeps apart
BUDGET = 4000  # sides of roots that a search of three levels solves before it stops without a proof


class Axis(NamedTuple):
    """A column in an order in which it can be cut: numbers by value, levels by the target's mean, missing values at an end."""

    column: int
    codes: np.ndarray  # (rows) order of each row's value, from 0
    n_codes: int
    missing_left: bool  # where missing values of numbers lie


@dataclass(frozen=True, eq=False)
class SizedTrees:
    """The best tree for each number of leaves from 1 to `max_leaves`, smallest first; equal ones only once."""

    trees: list[Tree]
    leaf: list[np.ndarray]
    proved: bool


def search_trees(data: TreeData, target: TreeTarget, limits: TreeLimits, rows: np.ndarray) -> SizedTrees:
    """The best trees on some rows, of at most limits.max_depth levels and limits.max_leaves leaves."""
    depth = min(MAX_DEPTH, limits.max_depth)
    values, weight = _values(target, rows), np.ascontiguousarray(target.weight[rows])
    greedy, _ = grow_tree(
        data, target, limits._replace(max_depth=depth, max_leaves=0, missing=MAJORITY, n_surrogates=0), rows
    )
    axes = [axis for j in data.bins.order() for axis in _axes(data, int(j), rows, values, weight)]
    used = set(greedy.feature[greedy.left >= 0].tolist())
    axes = _screened(axes, used, values, weight, limits.min_leaf, depth)
    splits = np.full((MAX_LEAVES, 7, 2), -1, dtype=np.int32)
    proved = True
    if axes and len(rows) >= 2 * limits.min_leaf:
        tables = _tables(axes, _greedy_cuts(data, greedy), weight, _n_bins(depth, len(axes)))
        splits, _, proved = _core.optimal_trees(*tables, values, weight, depth, limits.min_leaf, BUDGET)
    trees, leaves, n_leaves = [], [], 0
    for size in range(1, min(MAX_LEAVES, limits.max_leaves or MAX_LEAVES, 2**depth) + 1):
        tree, leaf = _build(data, target, rows, axes, splits[size - 1])
        if tree.n_leaves > n_leaves and (not trees or _cost(tree) < _cost(trees[-1])):
            trees.append(tree)
            leaves.append(leaf)
            n_leaves = tree.n_leaves
    return SizedTrees(trees, leaves, bool(proved))


def _cost(tree: Tree) -> float:
    return float(tree.impurity[tree.left < 0].sum())


def _values(target: TreeTarget, rows: np.ndarray) -> np.ndarray:
    """What squares are summed of: centred numbers, or indicators of classes (of one of two)."""
    if target.criterion <= CHI2:
        classes = target.classes[rows]
        values = (classes[:, None] == np.arange(1 if target.n_stats == 2 else 0, target.n_stats)).astype(np.float64)
    else:
        values = target.values[rows]
    return np.ascontiguousarray(values - np.average(values, axis=0, weights=target.weight[rows]))


def _axes(data: TreeData, j: int, rows: np.ndarray, values: np.ndarray, weight: np.ndarray) -> list[Axis]:
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
    """Levels numbered by the mean of the target or, with several classes, along the axis on which their means differ most."""
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


def _n_bins(depth: int, n_axes: int) -> int:
    return max(4, min(N_BINS[depth], int(np.sqrt(2 * MAX_CELLS) / n_axes) if depth == 2 else N_BINS[depth]))


def _screened(
    axes: list[Axis], used: set[int], values: np.ndarray, weight: np.ndarray, min_leaf: int, depth: int
) -> list[Axis]:
    """The axes that promise most, and those of the greedy tree; in the order they were in."""
    if len(axes) <= MAX_COLUMNS[depth]:
        return axes
    n_pairs = max(MAX_COLUMNS[depth], int(np.sqrt(2e8 / len(weight))))  # rows × pairs of columns that are counted
    if len(axes) > n_pairs:
        single = np.array([_single_gain(axis, values, weight) for axis in axes])
        axes = _best(axes, single, n_pairs, used)
    tables = _tables(axes, {}, weight, 8)
    gain = _core.pair_gains(tables[0], tables[1], values, weight, min_leaf)
    return _best(axes, gain, MAX_COLUMNS[depth], used)


def _best(axes: list[Axis], gain: np.ndarray, n_kept: int, used: set[int]) -> list[Axis]:
    first = set(np.argsort(-gain, kind="stable")[:n_kept].tolist())
    return [axis for q, axis in enumerate(axes) if q in first or axis.column in used]


def _single_gain(axis: Axis, values: np.ndarray, weight: np.ndarray) -> float:
    """The gain of the best cut of one axis."""
    total = np.cumsum(np.bincount(axis.codes, weights=weight))[:-1]
    rest = weight.sum() - total
    is_cut = (total > 0) & (rest > 0)
    gain = np.zeros(len(total))
    for k in range(values.shape[1]):
        sums = np.cumsum(np.bincount(axis.codes, weights=weight * values[:, k]))[:-1]
        gain += sums**2  # centred: the other side's sum is the negative of this one
    return float((gain[is_cut] * (1 / total[is_cut] + 1 / rest[is_cut])).max(initial=0.0))


def _greedy_cuts(data: TreeData, tree: Tree) -> dict[int, list[int]]:
    """The last code on the left of each numeric split of a tree, by column."""
    values, first = data.bins.code_values
    cuts: dict[int, list[int]] = {}
    for node in np.flatnonzero((tree.left >= 0) & (tree.n_levels == 0)):
        j = int(tree.feature[node])
        low = values[first[j] : first[j + 1] - 1]
        code = int(np.searchsorted(low, tree.threshold[node], side="right")) - 1
        cuts.setdefault(j, []).append(code * MAX_FINE // len(low) if len(low) > MAX_FINE else code)
    return cuts


def _tables(axes: list[Axis], greedy: dict[int, list[int]], weight: np.ndarray, n_bins: int) -> tuple[np.ndarray, ...]:
    """Coarse codes (rows, axes) and their numbers; fine codes (axes, rows) and theirs; the last fine code of each coarse one."""
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
    wanted = share[-1] * np.arange(1, n_bins) / n_bins
    cuts = np.searchsorted(share, wanted * (1 - 1e-12))
    more = np.array(greedy, dtype=np.int64) + axis.missing_left
    last = int(axis.codes.max())
    joined = np.unique(np.concatenate([cuts, more]))
    return joined[(joined < last) & (joined >= int(axis.codes.min()))][:254]


def _build(
    data: TreeData, target: TreeTarget, rows: np.ndarray, axes: list[Axis], splits: np.ndarray
) -> tuple[Tree, np.ndarray]:
    """The tree of splits at positions 0 … 6 (children at 2i + 1 and 2i + 2), and the leaf of each row."""
    positions, inside, parent = [0], [np.arange(len(rows))], [-1]
    nodes: list[dict[str, Any]] = []
    level: list[np.ndarray] = []
    leaf = np.zeros(len(rows), dtype=np.int64)
    for node in range(15):
        if node >= len(positions):
            break
        position, members = positions[node], inside[node]
        record = _node(target, rows[members]) | {"parent": parent[node], "depth": (position + 1).bit_length() - 1}
        leaf[members] = node
        axis_index = int(splits[position, 0]) if position < 7 else -1
        if axis_index >= 0:
            axis, cut = axes[axis_index], int(splits[position, 1])
            goes_left = axis.codes[members] <= cut
            record |= _split(data, axis, cut, rows[members], goes_left, target) | {"left": len(positions)}
            record["first_level"] = sum(map(len, level))
            level.append(record.pop("levels"))
            record["n_levels"] = len(level[-1])
            for child, side in ((2 * position + 1, goes_left), (2 * position + 2, ~goes_left)):
                positions.append(child)
                inside.append(members[side])
                parent.append(node)
        nodes.append(record)
    return _tree(data, nodes, level), leaf


def _node(target: TreeTarget, rows: np.ndarray) -> dict[str, Any]:
    """What a node holds, as the greedy grower records it."""
    weight = target.weight[rows]
    total = float(weight.sum())
    if target.criterion <= CHI2:
        value = np.bincount(target.classes[rows], weights=weight, minlength=target.n_stats)
        impurity = float(total - (value**2).sum() / total) if np.count_nonzero(value) > 1 else 0.0
        risk = 0.0
    else:
        value = np.average(target.values[rows], axis=0, weights=weight)
        is_same = bool((target.values[rows] == target.values[rows[:1]]).all())
        impurity = 0.0 if is_same else float((weight[:, None] * (target.values[rows] - value) ** 2).sum())
        risk = impurity
    return {
        **{"feature": -1, "threshold": 0.0, "left": -1, "default": 0, "first_level": 0, "n_levels": 0},
        **{
            "n_rows": len(rows),
            "weight": total,
            "impurity": impurity,
            "improvement": 0.0,
            "risk": risk,
            "value": value,
        },
    }


def _split(
    data: TreeData, axis: Axis, cut: int, rows: np.ndarray, goes_left: np.ndarray, target: TreeTarget
) -> dict[str, Any]:
    """How rows are sent down: a threshold, or the side of each level; where rows without a value go."""
    j = axis.column
    codes, n_values = data.bins.codes[j][rows].astype(np.int64), int(data.bins.n_values[j])
    is_missing = codes == n_values
    heavier_right = target.case[rows][~goes_left].sum() > target.case[rows][goes_left].sum()
    default = int(not goes_left[is_missing][0]) if is_missing.any() else int(heavier_right)
    levels = np.empty((0, 2), dtype=np.int64)
    threshold = 0.0
    if data.bins.is_categorical[j]:
        present, place = np.unique(codes[~is_missing], return_index=True)
        levels = np.column_stack([present, (~goes_left[~is_missing][place]).astype(np.int64)])
    else:
        threshold = _threshold(data, j, codes, is_missing, goes_left)
    return {"feature": j, "threshold": threshold, "default": default, "levels": levels}


def _threshold(data: TreeData, j: int, codes: np.ndarray, is_missing: np.ndarray, goes_left: np.ndarray) -> float:
    """Midway between the values beside the cut; beyond all values where only missing ones go to a side."""
    values, first = data.bins.code_values
    left, right = codes[goes_left & ~is_missing], codes[~goes_left & ~is_missing]
    if not len(right):
        return float("inf")
    high = float(values[first[j] + right.min()])
    if not len(left):
        return float(np.nextafter(high, -np.inf))
    low = float(values[first[j] + left.max()])
    middle = 0.5 * low + 0.5 * high
    return middle if low <= middle < high else low


def _tree(data: TreeData, nodes: list[dict[str, Any]], level: list[np.ndarray]) -> Tree:
    def each(name: str, dtype: Any) -> np.ndarray:
        return np.array([node[name] for node in nodes], dtype=dtype)

    impurity, left = each("impurity", np.float64), each("left", np.int32)
    is_split = left >= 0
    improvement = np.zeros(len(nodes))
    improvement[is_split] = impurity[is_split] - impurity[left[is_split]] - impurity[left[is_split] + 1]
    levels = np.concatenate([np.empty((0, 2), dtype=np.int64), *level])
    return Tree(
        names=data.bins.names,
        levels=data.bins.levels,
        feature=each("feature", np.int32),
        threshold=each("threshold", np.float64),
        left=left,
        parent=each("parent", np.int32),
        depth=each("depth", np.int32),
        default=each("default", np.uint8),
        first_level=each("first_level", np.int64),
        n_levels=each("n_levels", np.int32),
        level=levels,
        coefficient=np.zeros(len(levels)),
        first_surrogate=np.zeros(len(nodes), dtype=np.int64),
        n_surrogates=np.zeros(len(nodes), dtype=np.int32),
        surrogate=np.empty((0, 4), dtype=np.int64),
        surrogate_threshold=np.empty(0),
        agreement=np.empty((0, 2)),
        n_rows=each("n_rows", np.int64),
        weight=each("weight", np.float64),
        impurity=impurity,
        improvement=improvement,
        risk=each("risk", np.float64),
        value=np.array([node["value"] for node in nodes]),
    )


@dataclass(frozen=True, eq=False)
class SizeChoice:
    """Trees of every size, judged on held-out rows: risks relative to the root's, as `cost_complexity_` shows them."""

    table: dict[str, np.ndarray]
    chosen: int
    cv_predictions: np.ndarray
    nested_predictions: np.ndarray


def sized_trees(problem: Any, rows: np.ndarray, limits: TreeLimits) -> SizedTrees:
    """`search_trees` for a problem of classes or numbers: risks and shares are those of its costs and priors."""
    searches: list[SizedTrees] = []

    def grow(data: TreeData, target: TreeTarget, limits: TreeLimits, rows: np.ndarray) -> tuple[Tree, np.ndarray]:
        if not searches:
            searches.append(search_trees(data, target, limits, rows))
        position = limits.seed  # which of the sizes is asked for
        return searches[0].trees[position], searches[0].leaf[position]

    first, leaf = problem.grow_on(rows, limits._replace(seed=0), grow=grow)
    trees, leaves = [first], [leaf]
    for position in range(1, len(searches[0].trees)):
        tree, leaf = problem.grow_on(rows, limits._replace(seed=position), grow=grow)
        trees.append(tree)
        leaves.append(leaf)
    return SizedTrees(trees, leaves, searches[0].proved)


def size_table(sized: SizedTrees) -> dict[str, np.ndarray]:
    """Leaves and risks of the sizes, and the price of a leaf from which on each is no longer worth its leaves."""
    risk = np.array([tree.risk[tree.left < 0].sum() for tree in sized.trees])
    scale = risk[0] if risk[0] > 0 else 1.0
    n_leaves = np.array([tree.n_leaves for tree in sized.trees])
    alpha = [0.0] * len(risk)
    for i in range(len(risk) - 1):
        alpha[i] = max(
            0.0, *((risk[i] - risk[k]) / scale / (n_leaves[k] - n_leaves[i]) for k in range(i + 1, len(risk)))
        )
    return {"alpha": np.array(alpha), "n_leaves": n_leaves, "risk": risk / scale}


def choose_size(
    problem: Any,
    X: np.ndarray,
    sized: SizedTrees,
    limits: TreeLimits,
    folds: list[tuple[np.ndarray, np.ndarray]],
    rule: str,
    n_jobs: int | None,
) -> SizeChoice:
    """The number of leaves by cross-validation: every fold searches its own trees on its own rows."""
    shown = size_table(sized)
    sizes = shown["n_leaves"]

    def judge(fold: tuple[np.ndarray, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
        train, test = fold
        trees = sized_trees(problem, train, limits).trees
        counts = np.array([tree.n_leaves for tree in trees])
        losses, predictions = [], []
        for size in sizes:
            tree = trees[int(np.searchsorted(counts, size, side="right")) - 1]
            leaf = tree.apply(X[test])
            losses.append(_losses(problem, tree, leaf, test))
            predictions.append(problem.predictions(tree)[leaf])
        return np.array(losses), np.array(predictions)

    judged = map_threads(judge, folds, n_jobs)
    loss = np.concatenate([each[0] for each in judged], axis=1)
    weight = np.concatenate([problem.weight[test] for _, test in folds])
    total = float(weight.sum())
    mean = (loss * weight).sum(axis=1) / total
    best = int(np.argmin(mean))

    def error_of(values: np.ndarray) -> np.ndarray:
        centred = values - ((values * weight).sum(axis=-1) / total)[..., None]
        return np.asarray(np.sqrt((weight**2 * centred**2).sum(axis=-1)) / total)

    gap = error_of(loss - loss[best])
    chosen = _rule(mean, gap, rule)
    root = sized.trees[0]
    scale = float(root.risk[0]) / float(problem.weight[np.concatenate([test for _, test in folds])].sum()) or 1.0
    scale = scale if scale > 0 else 1.0
    shown |= {"cv_risk": mean / scale, "cv_se": error_of(loss) / scale, "cv_gap_se": gap / scale}
    by_fold = [(each[0] * problem.weight[test]).sum(axis=1) for each, (_, test) in zip(judged, folds)]
    whole, masses = np.sum(by_fold, axis=0), [float(problem.weight[test].sum()) for _, test in folds]
    nested = [_rule((whole - one) / max(total - mass, 1e-300), gap, rule) for one, mass in zip(by_fold, masses)]
    n_rows, width = len(X), judged[0][1].shape[2]
    predictions = [np.zeros((n_rows, width)) for _ in range(2)]
    times = np.zeros((n_rows, 1))
    for (_, test), (_, answer), size in zip(folds, judged, nested):
        np.add.at(predictions[0], test, answer[chosen])
        np.add.at(predictions[1], test, answer[size])
        np.add.at(times, test, 1.0)
    means = [np.divide(each, times, out=np.full_like(each, np.nan), where=times > 0) for each in predictions]
    return SizeChoice(shown, chosen, means[0], means[1])


def _rule(risk: np.ndarray, gap: np.ndarray, rule: str) -> int:
    return int(np.argmin(risk)) if rule == "min" else one_standard_error(risk, gap)


def _losses(problem: Any, tree: Tree, leaf: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """What the prediction of its leaf costs each held-out row."""
    if problem.is_class:
        return np.asarray(problem.costs(tree)[problem.classes[rows], leaf])
    return np.asarray(((problem.values[rows] - tree.value[leaf]) ** 2).sum(axis=1))
