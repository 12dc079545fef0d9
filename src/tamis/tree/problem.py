"""A table with its target, ready to grow trees on any of its rows: by class, or by number."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from tamis.tree.fit import Soil, grow_tree, weights_of_classes
from tamis.tree.layout import ABSOLUTE_ERROR, CHI2, ENTROPY, GAIN_RATIO, GINI, POISSON, SQUARED_ERROR, Limits, Target
from tamis.tree.tree import Tree

CLASS_CRITERIA = {"gini": GINI, "entropy": ENTROPY, "gain_ratio": GAIN_RATIO, "chi2": CHI2}
NUMBER_CRITERIA = {"squared_error": SQUARED_ERROR, "absolute_error": ABSOLUTE_ERROR, "poisson": POISSON}

Grower = Callable[[Soil, Target, Limits, np.ndarray], tuple[Tree, np.ndarray]]

_NO_CLASSES = np.zeros(0, dtype=np.int32)
_NO_VALUES = np.zeros((0, 1))


@dataclass(frozen=True, eq=False)
class ClassProblem:
    """Classes to be told apart, with the cost of each mistake."""

    soil: Soil
    criterion: int
    classes: np.ndarray  # int32
    weight: np.ndarray
    loss: np.ndarray
    priors: np.ndarray | None

    @property
    def is_class(self) -> bool:
        return True

    def plant(self, rows: np.ndarray, limits: Limits, grow: Grower = grow_tree) -> tuple[Tree, np.ndarray]:
        """A tree grown on the rows; and each row's leaf. What the rows' classes weigh is learned from them alone."""
        prior, altered = weights_of_classes(self.weight[rows], self.classes[rows], self.priors, self.loss)
        weight = self.weight * altered[self.classes]
        target = Target(self.criterion, len(self.loss), self.classes, _NO_VALUES, weight, self.weight)
        tree, leaf = grow(self.soil, target, limits, rows)
        value = tree.value / altered * prior
        return replace(tree, value=value, risk=(value @ self.loss).min(axis=1)), leaf

    def answers(self, tree: Tree) -> np.ndarray:
        """The class each node answers with: the one of least expected cost, the first of equals."""
        return (tree.value @ self.loss).argmin(axis=1)[:, None].astype(np.float64)

    def costs(self) -> tuple[np.ndarray, np.ndarray]:
        """Cost of each (class, answer), and the weight of each row, as judged on rows left out."""
        prior, _ = weights_of_classes(self.weight, self.classes, self.priors, self.loss)
        return self.loss * prior[:, None], self.weight

    def strata(self) -> np.ndarray:
        return self.classes

    @property
    def values(self) -> np.ndarray:
        return _NO_VALUES


@dataclass(frozen=True, eq=False)
class NumberProblem:
    """Numbers to be predicted, one or several a row."""

    soil: Soil
    criterion: int
    values: np.ndarray  # (rows, targets)
    weight: np.ndarray

    @property
    def is_class(self) -> bool:
        return False

    def plant(self, rows: np.ndarray, limits: Limits, grow: Grower = grow_tree) -> tuple[Tree, np.ndarray]:
        """A tree grown on the rows; and each row's leaf."""
        n_stats = self.values.shape[1] + 1
        target = Target(self.criterion, n_stats, _NO_CLASSES, self.values, self.weight, self.weight)
        return grow(self.soil, target, limits, rows)

    def answers(self, tree: Tree) -> np.ndarray:
        return tree.value

    def costs(self) -> tuple[np.ndarray, np.ndarray]:
        return np.zeros((1, 1)), self.weight

    def strata(self) -> np.ndarray:
        return np.zeros(len(self.values), dtype=np.int32)

    @property
    def classes(self) -> np.ndarray:
        return _NO_CLASSES
