"""Pruning: the cost-complexity sequence, its choice by cross-validation, and a test of splits against chance."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy

from tamis import _core
from tamis.engine import map_threads, workers
from tamis.metrics.one_standard_error import one_standard_error
from tamis.tree.grow.layout import TreeLimits
from tamis.tree.grow.training_set import ClassProblem, NumberProblem
from tamis.tree.prune.held_out import HeldOut
from tamis.tree.tree import Tree


@dataclass(frozen=True, eq=False)
class Sequence:
    """The subtrees that are best at some price of a leaf, smallest tree first.

    `collapse` holds for every node of the full tree the price from which on it is a leaf, in units of `scale`, the
    root's risk; `alpha[i]` is the least price at which subtree i is the best, `risk[i]` what it costs, both in the
    same units.
    """

    collapse: np.ndarray
    scale: float
    alpha: np.ndarray
    n_leaves: np.ndarray
    risk: np.ndarray

    @classmethod
    def of(cls, tree: Tree) -> Sequence:
        return cls(*_core.pruning_sequence(tree.left, tree.parent, tree.risk))

    def table(self) -> dict[str, np.ndarray]:
        """What people see of it."""
        return {"alpha": self.alpha, "n_leaves": self.n_leaves, "risk": self.risk}

    def leaves_at(self, alpha: float) -> np.ndarray:
        """Mask of the nodes that are leaves when a leaf costs `alpha`."""
        return self.collapse <= alpha


@dataclass(frozen=True, eq=False)
class CrossValidation:
    """Every subtree of a sequence on rows left out; risks and their errors are relative to the root's risk.

    `risk` is the mean over rows, `se` its standard error and, for probability scores, `gap_se` the standard error of
    the difference to the least risk, paired by row. `held_out` are the rows left out of each fold in its tree,
    `by_fold` the sums of their errors (folds × subtrees).
    """

    risk: np.ndarray
    se: np.ndarray
    gap_se: np.ndarray | None
    held_out: list[Any]
    by_fold: np.ndarray

    def table(self) -> dict[str, np.ndarray]:
        """What people see of it."""
        columns = {"cv_risk": self.risk, "cv_se": self.se}
        return columns if self.gap_se is None else columns | {"cv_gap_se": self.gap_se}

    def choose_without_fold(self, rule: str) -> list[int]:
        """For each fold, the subtree that the rule picks by the risks of the others; the error stays that of all."""
        total = self.by_fold.sum(axis=0)
        worth = self.risk / np.where(total > 0, total, 1.0)  # of one unit of error
        return [replace(self, risk=(total - fold) * worth).choose(rule) for fold in self.by_fold]

    def choose(self, rule: str) -> int:
        """The subtree of least risk; or (1se) the smallest whose risk is within one standard error of the least.

        For costs of answers this is the standard error of the least risk, as CART has it. For probability scores it
        is that of the difference: with 5% positives the score of every tree varies by what the few positives cost,
        several times more than any tree can gain, but it does so together.
        """
        best = int(np.argmin(self.risk))
        if rule == "min":
            return best
        return one_standard_error(self.risk, self.se[best] if self.gap_se is None else self.gap_se)


def cross_validate(
    problem: ClassProblem | NumberProblem,
    X: np.ndarray | None,
    rows: np.ndarray,
    limits: TreeLimits,
    sequence: Sequence,
    folds: list[tuple[np.ndarray, np.ndarray]],
    n_jobs: int | None,
) -> CrossValidation:
    """Judge every subtree of the sequence on rows left out.

    Each fold grows its own tree on its own rows and prunes it at the geometric mean of neighbouring alphas. X holds the
    values of all rows; without it they are those of the table's codes.
    """
    weight = problem.weight
    full_weight = float(weight[rows].sum())
    judge = _judge_models if hasattr(problem, "errors") else _judge_trees
    by_fold, by_fold_squared, squares, held_out = judge(problem, X, limits, sequence, folds, full_weight, n_jobs)
    first, second = by_fold.sum(axis=0), by_fold_squared.sum(axis=0)
    judged = float(sum(weight[test].sum() for _, test in folds))
    scale = sequence.scale * judged / full_weight
    gap_se = None
    if problem.is_probability_score:
        gap_se = _spread(first - first.min(), squares, judged) / scale
    return CrossValidation(first / scale, _spread(first, second, judged) / scale, gap_se, held_out, by_fold)


Folds = list[tuple[np.ndarray, np.ndarray]]
Judged = tuple[np.ndarray, np.ndarray, np.ndarray, list[Any]]


def _judge_trees(
    problem: Any,
    X: np.ndarray | None,
    limits: TreeLimits,
    sequence: Sequence,
    folds: Folds,
    full_weight: float,
    n_jobs: Any,
) -> Judged:
    """Sums of errors and of their squares (folds × subtrees), squares to the best subtree, and held-out rows.

    One call of the core, except that trees with linear combinations are grown here.
    """
    base, trees = getattr(problem, "base", problem), None
    if base is not problem:
        trees = map_threads(lambda fold: problem.grow_on(fold[0], limits)[0], folds, n_jobs)
    pairs = [(np.ascontiguousarray(train), np.ascontiguousarray(test)) for train, test in folds]
    table, threads = base.data.table, workers(n_jobs)
    first, second, squares, by_fold = _core.judge_prunings(
        table, base, limits, X, pairs, trees, sequence.alpha, sequence.scale, full_weight, threads
    )
    return first, second, squares, [HeldOut(test, *arrays) for (_, test), arrays in zip(folds, by_fold)]


def _judge_models(
    problem: Any,
    X: np.ndarray | None,
    limits: TreeLimits,
    sequence: Sequence,
    folds: Folds,
    full_weight: float,
    n_jobs: Any,
) -> Judged:
    """As `_judge_trees`, where nodes answer by models of their own."""
    betas = np.append(np.inf, np.sqrt(sequence.alpha[1:] * sequence.alpha[:-1]))

    def judge_fold(fold: tuple[np.ndarray, np.ndarray]) -> tuple[np.ndarray, np.ndarray, Any]:
        train, test = fold
        tree, _ = problem.grow_on(train, limits)
        subtrees = Sequence.of(tree)
        share = sequence.scale / full_weight * float(problem.weight[train].sum()) / subtrees.scale
        return problem.errors(tree, test, subtrees.collapse, betas * share)  # type: ignore[no-any-return]

    judged = map_threads(judge_fold, folds, n_jobs)
    first, second = np.array([result[0] for result in judged]), np.array([result[1] for result in judged])
    return first, second, np.empty(0), [result[2] for result in judged]


def _spread(first: np.ndarray, second: np.ndarray, judged: float) -> np.ndarray:
    """Standard error of sums over rows, from the sums, the sums of squares and the weight of all rows."""
    return np.asarray(np.sqrt(np.maximum(second - first**2 / judged, 0.0)))


def chance_leaves(tree: Tree, is_class: bool, n_columns: int, level: float = 0.05) -> np.ndarray:
    """Mask of nodes to close because chance explains every split below them.

    A split's statistic is Pearson's χ² of sides × classes, or for numbers n log(total / within squares). It was the
    best of many, so its p-value is multiplied by the number of columns and, for numbers, by the effective number of
    cuts of a maximally selected statistic (Miller and Siegmund 1982); for categories the degrees of freedom count the
    levels.
    """
    closed = tree.left < 0
    for node in range(tree.n_nodes - 1, -1, -1):
        child = tree.left[node]
        if child >= 0 and closed[child] and closed[child + 1]:
            closed[node] = _chance(tree, node, is_class) * n_columns > level
    return closed


def _chance(tree: Tree, node: int, is_class: bool) -> float:
    left, right = tree.left[node], tree.left[node] + 1
    n = float(tree.n_rows[node])
    if is_class:
        counts = tree.value[[left, right]] * n / tree.value[node].sum()
        present = counts.sum(axis=0) > 0
        expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / counts.sum()
        statistic = float((((counts - expected) ** 2)[:, present] / expected[:, present]).sum())
        freedom = int(present.sum()) - 1
    else:
        children, total = tree.risk[left] + tree.risk[right], tree.risk[node]
        perfect = np.inf if n > 4 else 0.0
        statistic = n * float(np.log(max(total / children, 1.0))) if children > 0 else perfect
        freedom = tree.value.shape[1]
    if freedom < 1:
        return 1.0
    if tree.n_levels[node] > 0 and tree.feature[node] >= 0:
        return float(scipy.stats.chi2.sf(statistic, freedom * max(int(tree.n_levels[node]) - 1, 1)))
    cuts = 2.0 + max(statistic - 1.0, 0.0) * np.log(max(n - 1.0, 1.0))
    return float(scipy.stats.chi2.sf(statistic, freedom)) * (cuts if np.isfinite(cuts) else 1.0)
