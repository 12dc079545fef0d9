"""Rows held out by a fold, in that fold's tree: what each pruning of it answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tamis import _core


@dataclass(frozen=True, eq=False)
class HeldOut:
    """The held-out rows of one fold, and the part of its tree that their answers need.

    Attributes
    ----------
    rows : row numbers in the table.
    node : of each row, the deepest node that answers for it under any pruning.
    parent : of each node, -1 at the root.
    until : of each node, the first pruning at which it is no longer a leaf; not smaller than that of its parent.
    answer : (nodes, outputs) what each node predicts.
    """

    rows: np.ndarray
    node: np.ndarray
    parent: np.ndarray
    until: np.ndarray
    answer: np.ndarray

    def leaf_at(self, pruning: int) -> np.ndarray:
        """The node that answers for each row under one pruning: the highest that is a leaf there."""
        return np.asarray(_core.leaves_of_pruning(pruning, self.parent, self.until)[self.node])

    def predict(self, pruning: int) -> np.ndarray:
        """(rows, outputs) predictions under one pruning."""
        return np.asarray(self.answer[self.leaf_at(pruning)])


@dataclass(frozen=True, eq=False)
class HeldOutPaths:
    """The same where nodes answer by models of their own: predictions at every node of each row's path.

    `until` is (rows, depth), `answer` (rows, depth, outputs), from the root down; beyond the deepest node of a row the
    last is repeated.
    """

    rows: np.ndarray
    until: np.ndarray
    answer: np.ndarray

    def predict(self, pruning: int) -> np.ndarray:
        """(rows, outputs) predictions under one pruning."""
        first = np.argmax(self.until > pruning, axis=1)
        return np.asarray(self.answer[np.arange(len(self.rows)), first])


def predictions_at(held_out: Sequence[HeldOut | HeldOutPaths], prunings: Sequence[int], n_rows: int) -> np.ndarray:
    """Predictions (n_rows, outputs) of rows left out, each fold under its pruning: NaN of none, the mean of several."""
    answers = [fold.predict(pruning) for fold, pruning in zip(held_out, prunings)]
    total, times = np.zeros((n_rows, answers[0].shape[1])), np.zeros((n_rows, 1))
    for fold, answer in zip(held_out, answers):
        np.add.at(total, fold.rows, answer)
        np.add.at(times, fold.rows, 1.0)
    return np.divide(total, times, out=np.full_like(total, np.nan), where=times > 0)
