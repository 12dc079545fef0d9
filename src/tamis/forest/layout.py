"""The plain arrays that the core takes of a forest, and what their numbers mean; see `_core/node.hpp`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

#: A node, 16 bytes. At a split `left` is the left child (the right one follows it), counted from the tree's root;
#: `column` the column and, above it, the bits below; `threshold` what goes left up to there. At a leaf `left` is -1.
NODE = np.dtype([("left", np.int32), ("column", np.int32), ("threshold", np.float64)])

COLUMN = (1 << 28) - 1  # the bits of `column` that hold the column
CATEGORY = 1 << 28  # the split asks for a set of levels; `threshold` is its place in `sets`: see `_core/level_set.hpp`
OBLIQUE = 1 << 29  # the split asks for a sum of columns; `column` is its place among the sums
LEFT_IF_MISSING = 1 << 30  # a row without a value goes left

NUMBER = 0  # one numeric target; two classes are one, too: the second class as 0 or 1
CLASSES = 1  # three classes or more
SEVERAL = 2  # several numeric targets

NO_CODES = np.empty((0, 0))  # of classes without an order


class ForestTarget(NamedTuple):
    """What is to be predicted."""

    kind: int  # NUMBER, CLASSES or SEVERAL
    n_classes: int  # 0 for numbers
    classes: np.ndarray  # int32, empty for numbers
    values: np.ndarray  # float64 (rows, targets); two classes: 0 and 1; more: empty; several targets: over `scale`
    weight: np.ndarray  # float64: of each row, the loss matrix in it
    worth: np.ndarray  # float64: what a class's weight is divided by in the answers
    scale: np.ndarray = np.ones(1)  # float64: of each of several targets, its standard deviation
    codes: np.ndarray = NO_CODES  # float64 (classes, codes): numbers that stand for ordered classes


def class_target(
    classes: np.ndarray, weight: np.ndarray, worth: np.ndarray, codes: np.ndarray = NO_CODES
) -> ForestTarget:
    """The target of rows of classes; `worth` has a number, `codes` of three or more ordered ones a row for each."""
    n_classes, two = len(worth), len(worth) == 2
    values = (classes == 1).astype(np.float64)[:, None] if two else np.empty((0, 1))
    codes = codes if n_classes > 2 else NO_CODES
    return ForestTarget(NUMBER if two else CLASSES, n_classes, classes, values, weight, worth, codes=codes)


class TargetCosts(NamedTuple):
    """The true targets of all rows, and what wrong answers cost."""

    n_classes: int  # 0 for numbers, whose cost is the squared error
    classes: np.ndarray  # int32 (rows), empty for numbers
    values: np.ndarray  # float64 (rows, targets)
    weight: np.ndarray  # float64 (rows): in a mean of costs
    loss: np.ndarray  # float64 (truth, answer)
    majority: bool  # the class of most votes is the answer, not the one of least expected cost


class ForestLimits(NamedTuple):
    """When growing stops, and where it looks."""

    max_features: int
    max_depth: int
    min_split: int
    min_leaf: int
    min_share: float  # of the weight, on either side of a split
    random_cut: bool  # one threshold at random for each column, instead of the best
    n_combined: int  # columns in a sum, for oblique splits; 0 without
    max_rows: int  # of a node, that its split is looked for among
    criterion: int  # place in CRITERIA: the fall of what is compared, of one number
    monotone: np.ndarray = np.zeros(0, dtype=np.int8)  # (columns): 1 where answers may not fall, -1 where not rise


class Draws(NamedTuple):
    """How the rows of a tree are drawn: sizes[s] from stratum s of the population, with or without replacement."""

    population: np.ndarray  # uint32: rows, each as often as it counts
    strata: np.ndarray  # int64: where each stratum begins, and the end
    sizes: np.ndarray  # int64
    replace: bool
    step: int  # of the rows left out, one of so many judges the tree
