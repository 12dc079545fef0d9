"""A table with its target, ready to grow trees on any of its rows: by class, or by number."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.special import xlogy

from tamis.tree.grow.fit import TreeData, grow_tree, weights_of_classes
from tamis.tree.grow.layout import (
    ABSOLUTE_ERROR,
    CHI2,
    ENTROPY,
    GAIN_RATIO,
    GINI,
    POISSON,
    SQUARED_ERROR,
    TreeLimits,
    TreeTarget,
)
from tamis.tree.tree import Tree

CLASS_CRITERIA = {"gini": GINI, "entropy": ENTROPY, "gain_ratio": GAIN_RATIO, "chi2": CHI2}
NUMBER_CRITERIA = {"squared_error": SQUARED_ERROR, "absolute_error": ABSOLUTE_ERROR, "poisson": POISSON}

Grower = Callable[[TreeData, TreeTarget, TreeLimits, np.ndarray], tuple[Tree, np.ndarray]]

#: Which risk the cost-complexity sequence counts: the cost of the answer, or the impurity of a probability score.
PRUNE_BY = ("error", "brier", "log_loss")

_NO_CLASSES = np.zeros(0, dtype=np.int32)
_NO_VALUES = np.zeros((0, 1))
_NO_COSTS = np.zeros((0, 0))


@dataclass(frozen=True, eq=False)
class ClassProblem:
    """Classes to be told apart, with the cost of each mistake; `prune_by` is the risk that pruning counts."""

    data: TreeData
    criterion: int
    classes: np.ndarray  # int32
    weight: np.ndarray
    loss: np.ndarray
    priors: np.ndarray | None
    prune_by: str = "error"

    @property
    def is_class(self) -> bool:
        return True

    @property
    def is_probability_score(self) -> bool:
        """Whether pruning judges shares of classes, not answers."""
        return self.prune_by != "error"

    def grow_on(self, rows: np.ndarray, limits: TreeLimits, grow: Grower = grow_tree) -> tuple[Tree, np.ndarray]:
        """A tree grown on the rows; and each row's leaf. What the rows' classes weigh is learned from them alone."""
        prior, altered = weights_of_classes(self.weight[rows], self.classes[rows], self.priors, self.loss)
        weight = self.weight * altered[self.classes]
        target = TreeTarget(self.criterion, len(self.loss), self.classes, _NO_VALUES, weight, self.weight)
        tree, leaf = grow(self.data, target, limits, rows)
        value = tree.value / altered * prior
        return replace(tree, value=value, risk=self.risk_of(value)), leaf

    def risk_of(self, value: np.ndarray) -> np.ndarray:
        """What each node costs its training rows, from the weight of each class.

        Σ_c v_c (1 - p_c) is the sum of their Brier scores Σ_c (y_c - p_c)², and -Σ_c v_c log p_c that of their log
        losses, when the node answers with its own shares p.
        """
        if self.prune_by == "error":
            return np.asarray((value @ self.loss).min(axis=1))
        share = value / value.sum(axis=1, keepdims=True)
        each = value * (1.0 - share) if self.prune_by == "brier" else -xlogy(value, share)
        return np.asarray(each.sum(axis=1))

    def predictions(self, tree: Tree) -> np.ndarray:
        """(nodes, classes) share of each class in each node."""
        return np.asarray(tree.value / tree.value.sum(axis=1, keepdims=True))

    def costs(self, tree: Tree) -> np.ndarray:
        """(classes, nodes) what the answer of each node costs a row of each class that it was not grown on."""
        if self.prune_by == "error":
            each = self.loss[:, (tree.value @ self.loss).argmin(axis=1)]  # of equals, the first class answers
        elif self.prune_by == "brier":
            share = self.predictions(tree)
            each = (1.0 - 2.0 * share + (share**2).sum(axis=1, keepdims=True)).T
        else:
            each = -np.log(_smoothed(tree.value, self._row)).T
        return np.ascontiguousarray(each * self._judged[:, None])

    @cached_property
    def _judged(self) -> np.ndarray:
        """What a held-out row of each class counts."""
        return weights_of_classes(self.weight, self.classes, self.priors, self.loss)[0]

    @cached_property
    def _row(self) -> float:
        """What a row weighs: 1, as weights count rows, or less where weights are shares."""
        return min(1.0, float(self.weight[self.weight > 0].mean()))

    def strata(self) -> np.ndarray:
        return self.classes

    @property
    def values(self) -> np.ndarray:
        return _NO_VALUES


@dataclass(frozen=True, eq=False)
class NumberProblem:
    """Numbers to be predicted, one or several a row."""

    data: TreeData
    criterion: int
    values: np.ndarray  # (rows, targets)
    weight: np.ndarray

    @property
    def is_class(self) -> bool:
        return False

    def grow_on(self, rows: np.ndarray, limits: TreeLimits, grow: Grower = grow_tree) -> tuple[Tree, np.ndarray]:
        """A tree grown on the rows; and each row's leaf."""
        n_stats = self.values.shape[1] + 1
        target = TreeTarget(self.criterion, n_stats, _NO_CLASSES, self.values, self.weight, self.weight)
        return grow(self.data, target, limits, rows)

    @property
    def is_probability_score(self) -> bool:
        return False

    def predictions(self, tree: Tree) -> np.ndarray:
        """(nodes, targets) the answer of each node."""
        return tree.value

    def costs(self, tree: Tree) -> np.ndarray:
        """None: numbers are judged by their distance to the answer."""
        return _NO_COSTS

    def strata(self) -> np.ndarray:
        return np.zeros(len(self.values), dtype=np.int32)

    @property
    def classes(self) -> np.ndarray:
        return _NO_CLASSES


def _smoothed(value: np.ndarray, row: float) -> np.ndarray:
    """Shares of classes in each node, as if it held one more row for each class, their classes as at the root.

    The root is smoothed by one row of each class, so that no share is ever 0.

    >>> _smoothed(np.array([[8.0, 0.0], [2.0, 0.0]]), 1.0).round(3).tolist()
    [[0.98, 0.02], [0.95, 0.05]]
    """
    more = row * value.shape[1]
    root = (value[0] + row) / (value[0].sum() + more)
    return np.asarray((value + more * root) / (value.sum(axis=1, keepdims=True) + more))
