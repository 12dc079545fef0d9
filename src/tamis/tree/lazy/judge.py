"""Pruning by rows held out: every subtree of a tree's sequence, judged in a pass over the files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tamis.table import LazyTable
from tamis.table.lazy.grid import Cell
from tamis.table.lazy.lazy_table import CellTable
from tamis.tree.grow.training_set import ClassProblem, NumberProblem
from tamis.tree.prune.pruning import CrossValidation, Sequence
from tamis.tree.tree import Tree, matrix_of
from tamis.views.lazy.fold_moments import RowFolds
from tamis.views.lazy.target import LazyTarget


@dataclass(frozen=True, eq=False)
class JudgeCell:
    """Sums over the held-out rows of a cell: their weight; errors, their squares, and squares to one pruning.

    Parameters
    ----------
    read, names, answer : the table of a cell, its columns, and what is learned.
    folds : the first is held out.
    tree, until : the tree, and of each node the first pruning at which it is no longer a leaf.
    answers, cost : what nodes answer, and what that costs each class (empty for numbers).
    case : weight of a row of each class; empty for numbers.
    n_prunings : of the sequence.
    best : the pruning that others are compared with; −1 for none.
    """

    read: CellTable
    names: tuple[str, ...]
    answer: LazyTarget
    folds: RowFolds
    tree: Tree
    until: np.ndarray
    answers: np.ndarray
    cost: np.ndarray
    case: np.ndarray
    n_prunings: int
    best: int = -1

    def warm(self) -> None:
        """Compile the kernels, on a row."""
        classes = np.zeros(1 if self.answer.is_classes else 0, dtype=np.int32)
        self._sums(np.zeros((1, len(self.names))), classes, np.zeros((0 if self.answer.is_classes else 1, 1)))

    def __call__(self, cell: Cell) -> np.ndarray:
        table = self.read(cell)
        column = table.column(self.answer.name)
        held = self.folds.of(np.arange(cell.first, cell.first + cell.n_rows)) == 0
        rows = np.flatnonzero(held & ~column.missing)
        if not len(rows):
            return np.zeros((4, self.n_prunings))
        X = np.ascontiguousarray(matrix_of(table.select(list(self.names)).take(rows)))
        if self.answer.is_classes:
            return self._sums(X, self.answer.codes(column)[rows], np.zeros((0, 1)))
        return self._sums(X, np.zeros(0, dtype=np.int32), np.ascontiguousarray(column.values[rows][:, None]))

    def _sums(self, X: np.ndarray, classes: np.ndarray, values: np.ndarray) -> np.ndarray:
        from tamis.tree.route import errors_of_prunings, squares_to_pruning

        out, every = np.zeros((4, self.n_prunings + 1)), np.arange(len(X))
        weight = self.case[classes] if len(classes) else np.ones(len(X))
        node, target = np.empty(len(X), dtype=np.int64), (classes, values, weight)
        errors_of_prunings(X, every, self.tree.routes, self.until, target, self.answers, self.cost, (node, *out[:2]))
        if self.best >= 0:
            squares_to_pruning(
                self.best, every, node.astype(np.int32), self.tree.parent, self.until.astype(np.int32), classes, weight,
                self.cost, out[2],
            )  # fmt: skip
        sums = np.cumsum(out, axis=1)[:, :-1]
        sums[3] = weight.sum()
        return sums


def add(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The sums of both."""
    return a + b


def judge(
    table: LazyTable,
    names: tuple[str, ...],
    answer: LazyTarget,
    folds: RowFolds,
    problem: ClassProblem | NumberProblem,
    tree: Tree,
    sequence: Sequence,
    case: np.ndarray,
) -> CrossValidation:
    """Risks of every subtree of the sequence on the rows held out, relative to the root's risk; one pass, or two.

    The second, for probability scores, compares each with the best row by row.
    """
    wanted = table.select([*names, answer.name])
    n_prunings = len(sequence.alpha)
    collapse = np.where(tree.left >= 0, sequence.collapse, -np.inf)
    until = np.searchsorted(-sequence.alpha, -collapse, side="right")
    given: dict[str, Any] = {
        "read": wanted.cell_table(), "names": names, "answer": answer, "folds": folds, "tree": tree, "until": until,
        "answers": problem.predictions(tree), "cost": problem.costs(tree), "case": case, "n_prunings": n_prunings,
    }  # fmt: skip
    first, second, _, judged = wanted.reduce(JudgeCell(**given), add)
    scale = sequence.scale * float(judged[0]) / float(tree.weight[0])
    gap_se = None
    if problem.is_probability_score:
        best = int(np.argmin(first))
        squares = wanted.reduce(JudgeCell(**given, best=best), add)[2]
        gap_se = _spread(first - first[best], squares, judged[0]) / scale
    return CrossValidation(first / scale, _spread(first, second, judged[0]) / scale, gap_se, [], first[None])


def _spread(first: np.ndarray, second: np.ndarray, judged: float) -> np.ndarray:
    """Standard error of sums over rows, from the sums, the sums of squares and the weight of all rows."""
    return np.asarray(np.sqrt(np.maximum(second - first**2 / judged, 0.0)))
