"""The number of leaves of a small tree, by cross-validation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tamis.engine import map_threads
from tamis.metrics.one_standard_error import one_standard_error
from tamis.tree.grow.fit import TreeData
from tamis.tree.grow.layout import TreeLimits, TreeTarget
from tamis.tree.optimal.search import SizedTrees, search_trees
from tamis.tree.tree import Tree


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

    def tree_at(position: int) -> tuple[Tree, np.ndarray]:
        def grow(data: TreeData, target: TreeTarget, limits: TreeLimits, rows: np.ndarray) -> tuple[Tree, np.ndarray]:
            if not searches:
                searches.append(search_trees(data, target, limits, rows))
            return searches[0].trees[position], searches[0].leaf[position]

        return problem.grow_on(rows, limits, grow=grow)  # type: ignore[no-any-return]

    first, leaf = tree_at(0)
    trees, leaves = [first], [leaf]
    for position in range(1, len(searches[0].trees)):
        tree, leaf = tree_at(position)
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
    columns = size_table(sized)
    sizes = columns["n_leaves"]

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
    columns |= {"cv_risk": mean / scale, "cv_se": error_of(loss) / scale, "cv_gap_se": gap / scale}
    by_fold = [(each[0] * problem.weight[test]).sum(axis=1) for each, (_, test) in zip(judged, folds)]
    summed, masses = np.sum(by_fold, axis=0), [float(problem.weight[test].sum()) for _, test in folds]
    nested = [
        _rule((summed - fold_loss) / max(total - mass, 1e-300), gap, rule) for fold_loss, mass in zip(by_fold, masses)
    ]
    n_rows, width = len(X), judged[0][1].shape[2]
    predictions = [np.zeros((n_rows, width)) for _ in range(2)]
    times = np.zeros((n_rows, 1))
    for (_, test), (_, answer), size in zip(folds, judged, nested):
        np.add.at(predictions[0], test, answer[chosen])
        np.add.at(predictions[1], test, answer[size])
        np.add.at(times, test, 1.0)
    means = [np.divide(each, times, out=np.full_like(each, np.nan), where=times > 0) for each in predictions]
    return SizeChoice(columns, chosen, means[0], means[1])


def _rule(risk: np.ndarray, gap: np.ndarray, rule: str) -> int:
    return int(np.argmin(risk)) if rule == "min" else one_standard_error(risk, gap)


def _losses(problem: Any, tree: Tree, leaf: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """What the prediction of its leaf costs each held-out row."""
    if problem.is_class:
        return np.asarray(problem.costs(tree)[problem.classes[rows], leaf])
    return np.asarray(((problem.values[rows] - tree.value[leaf]) ** 2).sum(axis=1))
