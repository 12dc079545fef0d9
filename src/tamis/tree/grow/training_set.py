"""A table with its target, ready to grow trees on any of its rows: by class, or by number."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from tamis import _core
from tamis.tree.grow.fit import TreeData
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
    def scale(self) -> np.ndarray:
        return np.ones(1)

    @property
    def is_probability_score(self) -> bool:
        """Whether pruning judges shares of classes, not answers."""
        return self.prune_by != "error"

    def grow_on(self, rows: np.ndarray, limits: TreeLimits, grow: Grower | None = None) -> tuple[Tree, np.ndarray]:
        """A tree grown on the rows; and each row's leaf. What the rows' classes weigh is learned from them alone.

        The tree's risk is what each node costs its training rows, by `prune_by`.
        """
        if grow is None:
            return self.data.tree(self.data.table.fit(self, limits, rows))
        totals = np.bincount(self.classes[rows], weights=self.weight[rows], minlength=len(self.loss))
        prior, altered = _core.class_factors(totals, self.loss, self.priors)
        weight = self.weight * altered[self.classes]
        target = TreeTarget(self.criterion, len(self.loss), self.classes, _NO_VALUES, weight, self.weight)
        tree, leaf = grow(self.data, target, limits, rows)
        value = tree.value / altered * prior
        return replace(tree, value=value, risk=self.risk_of(value)), leaf

    def risk_of(self, value: np.ndarray) -> np.ndarray:
        """What each node costs its training rows, from the weight of each class."""
        return _core.node_risks(self, value)

    def predictions(self, tree: Tree) -> np.ndarray:
        """(nodes, classes) share of each class in each node."""
        return np.asarray(tree.value / tree.value.sum(axis=1, keepdims=True))

    def costs(self, tree: Tree) -> np.ndarray:
        """(classes, nodes) what the answer of each node costs a row of each class that it was not grown on."""
        return _core.node_costs(self, tree.value)

    def strata(self) -> np.ndarray:
        return self.classes

    @property
    def values(self) -> np.ndarray:
        return _NO_VALUES


@dataclass(frozen=True, eq=False)
class NumberProblem:
    """Numbers to be predicted, one or several a row; `values` are those of the target over `scale`."""

    data: TreeData
    criterion: int
    values: np.ndarray  # (rows, targets)
    weight: np.ndarray
    scale: np.ndarray  # (targets)

    @property
    def is_class(self) -> bool:
        return False

    def grow_on(self, rows: np.ndarray, limits: TreeLimits, grow: Grower | None = None) -> tuple[Tree, np.ndarray]:
        """A tree grown on the rows; and each row's leaf."""
        if grow is None:
            return self.data.tree(self.data.table.fit(self, limits, rows))
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
