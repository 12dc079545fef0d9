"""Pruning by cross-validation: every subtree of a tree's sequence, judged by folds on their mapped codes.

As in memory: each fold grows a tree of its own on the rows outside it, prunes it at the geometric means of neighbouring
prices of a leaf, and judges it on its rows. Every threshold lies between two codes, so codes route a row as its values
do.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from tamis import _core
from tamis.engine import reduce
from tamis.tree.grow.training_set import ClassProblem, NumberProblem
from tamis.tree.lazy.level import partitions
from tamis.tree.prune.pruning import CrossValidation, Sequence
from tamis.tree.tree import Tree
from tamis.views.lazy.mapped_codes import MappedCodes

_NO_CLASSES, _NO_VALUES = np.zeros(0, dtype=np.int32), np.zeros((0, 1))


@dataclass(frozen=True, eq=False)
class JudgeRows:
    """Sums over held-out rows under every pruning: errors, their squares, and squares to one pruning.

    Parameters
    ----------
    mapped : the rows; those held out are judged.
    tree, until : the tree, its splits in codes, and of each node the first pruning at which it is no longer a leaf.
    answers, cost : what nodes answer, and what that costs each class (empty for numbers).
    case : weight of a row of each class; empty for numbers.
    n_prunings : of the sequence.
    best : the pruning that others are compared with; −1 for none.
    """

    mapped: MappedCodes
    tree: Tree
    until: np.ndarray
    answers: np.ndarray
    cost: np.ndarray
    case: np.ndarray
    n_prunings: int
    best: int = -1

    def __call__(self, rows: slice) -> np.ndarray:
        """(3, prunings)."""
        target = np.array(self.mapped.target[rows])
        here = np.flatnonzero(self.mapped.is_held_out(rows) & self.mapped.has_target(target))
        if not len(here):
            return np.zeros((3, self.n_prunings))
        X = np.array(self.mapped.codes[rows])[here].astype(np.float64)
        for j, coding in enumerate(self.mapped.codings):
            X[X[:, j] == coding.n_values, j] = np.nan
        if self.mapped.n_classes:
            return self._sums(X, target[here], _NO_VALUES)
        return self._sums(X, _NO_CLASSES, np.ascontiguousarray(target[here][:, None]))

    def _sums(self, X: np.ndarray, classes: np.ndarray, values: np.ndarray) -> np.ndarray:
        weight = self.case[classes] if len(classes) else np.ones(len(X))
        return _core.pruning_errors(
            self.tree, self.until, self.n_prunings, X, classes, values, weight, self.answers, self.cost, self.best
        )

    def sums(self) -> np.ndarray:
        """(3, prunings) over all held-out rows, worked out by the engine in use."""
        found = reduce(partitions(self.mapped.n_rows), self, add)
        assert found is not None
        return np.asarray(found)


def add(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The sums of both."""
    return a + b


@dataclass(frozen=True, eq=False)
class FoldTree:
    """The tree of the rows outside a fold, its splits in codes.

    Attributes
    ----------
    mapped : the rows, this fold held out.
    trained, judged : weight of the rows outside the fold and of those in it.
    """

    mapped: MappedCodes
    tree: Tree
    trained: float
    judged: float


def judge(
    folds: Iterator[FoldTree],
    problem: ClassProblem | NumberProblem,
    sequence: Sequence,
    case: np.ndarray,
    full_weight: float,
) -> CrossValidation:
    """Risks of every subtree of the sequence on the rows of some folds, relative to the root's risk.

    For probability scores another pass compares each with the best row by row.
    """
    judges, sums, judged = [], [], 0.0
    betas = np.append(np.inf, np.sqrt(sequence.alpha[1:] * sequence.alpha[:-1]))
    for fold in folds:
        until = _until(fold, sequence, betas, full_weight)
        answers, cost = problem.predictions(fold.tree), problem.costs(fold.tree)
        one = JudgeRows(fold.mapped, fold.tree, until, answers, cost, case, len(betas))
        sums.append(one.sums())
        judged += fold.judged
        judges += [one] if problem.is_probability_score else []
    first, second, _ = np.sum(sums, axis=0)
    scale = sequence.scale * judged / full_weight
    gap_se = None
    if problem.is_probability_score:
        best = int(np.argmin(first))
        squares = np.sum([replace(one, best=best).sums()[2] for one in judges], axis=0)
        gap_se = _spread(first - first[best], squares, judged) / scale
    by_fold = np.array([each[0] for each in sums])
    return CrossValidation(first / scale, _spread(first, second, judged) / scale, gap_se, [], by_fold)


def _until(fold: FoldTree, sequence: Sequence, betas: np.ndarray, full_weight: float) -> np.ndarray:
    """The first pruning at which each node of a fold's tree is no leaf; prices are compared per unit of weight."""
    own = Sequence.of(fold.tree)
    share = sequence.scale / full_weight * fold.trained / own.scale
    return _core.first_prunings(own.collapse, betas * share)


def _spread(first: np.ndarray, second: np.ndarray, judged: float) -> np.ndarray:
    """Standard error of sums over rows, from the sums, the sums of squares and the weight of all rows."""
    return np.asarray(np.sqrt(np.maximum(second - first**2 / judged, 0.0)))
