"""Pruning: the cost-complexity sequence, its choice by cross-validation, and a test of splits against chance."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy

from tamis.engine import map_threads
from tamis.metrics.one_standard_error import one_standard_error
from tamis.tree.grow.layout import TreeLimits
from tamis.tree.grow.training_set import ClassProblem, NumberProblem
from tamis.tree.prune.held_out import HeldOut
from tamis.tree.tree import Tree

SAME = 1e-10  # prices closer than this share of the root's risk are one price


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
        from tamis.tree.prune.cost_complexity import weakest_links

        collapse = np.empty(tree.n_nodes)
        weakest_links(tree.left, tree.parent, tree.risk, collapse)
        scale = float(tree.risk[0]) if tree.risk[0] > 0 else 1.0
        inner = np.flatnonzero(tree.left >= 0)
        price = _join(np.maximum(collapse[inner] / scale, 0.0))
        collapse = np.full(tree.n_nodes, -np.inf)
        collapse[inner] = price
        alpha = np.unique(np.append(price, 0.0))[::-1]
        gain = tree.risk[inner] - tree.risk[tree.left[inner]] - tree.risk[tree.left[inner] + 1]
        order = np.argsort(price)
        beyond = len(price) - np.searchsorted(price[order], alpha, side="right")
        saved = np.append(0.0, np.cumsum(gain[order][::-1]))[beyond]
        return cls(collapse, scale, alpha, 1 + beyond, (tree.risk[0] - saved) / scale)

    def table(self) -> dict[str, np.ndarray]:
        """What people see of it."""
        return {"alpha": self.alpha, "n_leaves": self.n_leaves, "risk": self.risk}

    def leaves_at(self, alpha: float) -> np.ndarray:
        """Mask of the nodes that are leaves when a leaf costs `alpha`."""
        return self.collapse <= alpha


def _join(price: np.ndarray) -> np.ndarray:
    """Prices equal but for rounding become one."""
    if len(price) == 0:
        return price
    order = np.argsort(price)
    ordered = price[order]
    fresh = np.append(True, np.diff(ordered) > SAME)
    out = np.empty_like(price)
    out[order] = ordered[np.flatnonzero(fresh)][np.cumsum(fresh) - 1]
    out[out <= SAME] = 0.0
    return out


@dataclass(frozen=True, eq=False)
class CrossValidation:
    """Every subtree of a sequence on rows left out; risks and their errors are relative to the root's risk.

    `risk` is the mean over rows, `se` its standard error and, for probability scores, `gap_se` the standard error of
    the difference to the least risk, paired by row. `parts` are the held-out rows of each fold in its tree, `by_fold`
    the sums of their errors (folds × subtrees).
    """

    risk: np.ndarray
    se: np.ndarray
    gap_se: np.ndarray | None
    parts: list[Any]
    by_fold: np.ndarray

    def table(self) -> dict[str, np.ndarray]:
        """What people see of it."""
        shown = {"cv_risk": self.risk, "cv_se": self.se}
        return shown if self.gap_se is None else shown | {"cv_gap_se": self.gap_se}

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
    X: np.ndarray,
    rows: np.ndarray,
    limits: TreeLimits,
    sequence: Sequence,
    folds: list[tuple[np.ndarray, np.ndarray]],
    n_jobs: int | None,
) -> CrossValidation:
    """Judge every subtree of the sequence on rows left out.

    Each fold grows its own tree on its own rows and prunes it at the geometric mean of neighbouring alphas.
    """
    alpha, weight = sequence.alpha, problem.weight
    betas = np.append(np.inf, np.sqrt(alpha[1:] * alpha[:-1]))
    full_weight = float(weight[rows].sum())

    def one(fold: tuple[np.ndarray, np.ndarray]) -> tuple[np.ndarray, np.ndarray, Any]:
        train, test = fold
        tree, _ = problem.grow_on(train, limits)
        fold_sequence = Sequence.of(tree)
        # a price of the whole table, for rows that are fewer: compare risks per unit of weight
        share = sequence.scale / full_weight * float(weight[train].sum()) / fold_sequence.scale
        collapse = np.where(tree.left >= 0, fold_sequence.collapse, -np.inf)
        if hasattr(problem, "errors"):  # nodes answer by models of their own
            return problem.errors(tree, test, collapse, betas * share)  # type: ignore[no-any-return]
        return _errors(problem, X, test, tree, np.searchsorted(-betas * share, -collapse, side="right"), len(betas))

    made = map_threads(one, folds, n_jobs)
    first, second = np.sum([part[0] for part in made], axis=0), np.sum([part[1] for part in made], axis=0)
    parts = [part[2] for part in made]
    judged = float(sum(weight[test].sum() for _, test in folds))
    scale = sequence.scale * judged / full_weight
    gap_se = None
    if problem.is_probability_score:
        best = int(np.argmin(first))
        squares = np.sum([_squares_to(problem, part, best, len(betas)) for part in parts], axis=0)
        gap_se = _spread(first - first[best], squares, judged) / scale
    by_fold = np.array([part[0] for part in made])
    return CrossValidation(first / scale, _spread(first, second, judged) / scale, gap_se, parts, by_fold)


def _spread(first: np.ndarray, second: np.ndarray, judged: float) -> np.ndarray:
    """Standard error of sums over rows, from the sums, the sums of squares and the weight of all rows."""
    return np.asarray(np.sqrt(np.maximum(second - first**2 / judged, 0.0)))


def _errors(
    problem: Any, X: np.ndarray, test: np.ndarray, tree: Tree, until: np.ndarray, n_prunings: int
) -> tuple[np.ndarray, np.ndarray, HeldOut]:
    """Sums and sums of squares of the errors of held-out rows under every pruning of a fold's tree."""
    from tamis.tree.route import errors_of_prunings

    node, sums = np.empty(len(test), dtype=np.int64), np.zeros((2, n_prunings + 1))
    answer, cost = problem.predictions(tree), problem.costs(tree)
    target = (problem.classes, problem.values, problem.weight)
    errors_of_prunings(X, test, tree.routes, until, target, answer, cost, (node, sums[0], sums[1]))
    first, second = np.cumsum(sums, axis=1)[:, :-1]
    if not problem.is_probability_score:
        cost = np.empty((0, 0))  # of no further use: parts of all folds wait for the choice, so they are kept small
    return first, second, HeldOut(test, node.astype(np.int32), tree.parent, until.astype(np.int32), answer, cost)


def _squares_to(problem: Any, part: HeldOut, best: int, n_prunings: int) -> np.ndarray:
    """Sums of squares of the difference of each pruning's errors to those of the best."""
    from tamis.tree.route import squares_to_pruning

    out = np.zeros(n_prunings + 1)
    squares_to_pruning(
        best, part.rows, part.node, part.parent, part.until, problem.classes, problem.weight, part.cost, out
    )
    return np.cumsum(out)[:-1]


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
        seen = counts.sum(axis=0) > 0
        expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / counts.sum()
        statistic = float((((counts - expected) ** 2)[:, seen] / expected[:, seen]).sum())
        freedom = int(seen.sum()) - 1
    else:
        within, total = tree.risk[left] + tree.risk[right], tree.risk[node]
        perfect = np.inf if n > 4 else 0.0
        statistic = n * float(np.log(max(total / within, 1.0))) if within > 0 else perfect
        freedom = tree.value.shape[1]
    if freedom < 1:
        return 1.0
    if tree.n_levels[node] > 0 and tree.feature[node] >= 0:
        return float(scipy.stats.chi2.sf(statistic, freedom * max(int(tree.n_levels[node]) - 1, 1)))
    cuts = 2.0 + max(statistic - 1.0, 0.0) * np.log(max(n - 1.0, 1.0))
    return float(scipy.stats.chi2.sf(statistic, freedom)) * (cuts if np.isfinite(cuts) else 1.0)
