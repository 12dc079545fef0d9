"""Held-out predictions of the chosen procedure, one per row and repeat, with weights and units."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tamis.evaluate.cross_validate import Fold
from tamis.evaluate.problem import Problem
from tamis.metrics.intervals.curves import class_counts_by_value
from tamis.metrics.intervals.tally import Tally
from tamis.results.fold import FoldRecord


@dataclass(frozen=True, eq=False)
class JudgedRows:
    """Predictions of rows that the model had not seen.

    Attributes
    ----------
    truth : ndarray of shape (n,)
        Codes of classes, or numbers.
    predictions : ndarray of shape (n, n_classes) or (n,)
    weight : ndarray of shape (n,)
        One over the number of predictions of the row.
    unit : ndarray of shape (n,)
        Row, or group of rows: what counts as one piece of evidence.
    row : ndarray of shape (n,)
        Index among the rows that may be learned from.
    repeat : ndarray of shape (n,)
        Which draw of the folds.
    """

    truth: np.ndarray
    predictions: np.ndarray
    weight: np.ndarray
    unit: np.ndarray
    row: np.ndarray
    repeat: np.ndarray

    @classmethod
    def of(cls, problem: Problem, folds: Sequence[Fold], records: Sequence[FoldRecord]) -> JudgedRows | None:
        """From the records of folds; None where predictions were too many to keep."""
        if not records or not all(record.predictions is not None for record in records):
            return None
        row = np.concatenate([fold.test for fold in folds])
        predictions = np.concatenate([np.array(record.predictions, dtype=np.float64) for record in records])
        repeat = np.concatenate([np.full(len(fold.test), fold.repeat) for fold in folds])
        unit = row if problem.groups is None else np.asarray(problem.groups)[row]
        weight = 1 / np.bincount(row)[row]
        return cls(problem.y[row], predictions, weight, np.unique(unit, return_inverse=True)[1], row, repeat)

    @classmethod
    def of_rows(cls, truth: np.ndarray, predictions: np.ndarray, groups: np.ndarray | None = None) -> JudgedRows:
        """One prediction per row, as of one model on a new table."""
        row = np.arange(len(truth))
        unit = row if groups is None else np.unique(groups, return_inverse=True)[1]
        return cls(truth, predictions, np.ones(len(row)), unit, row, np.zeros(len(row), dtype=np.int64))

    def take(self, mask: np.ndarray) -> JudgedRows:
        """Some of the predictions, units numbered again."""
        unit = np.unique(self.unit[mask], return_inverse=True)[1]
        row = np.unique(self.row[mask], return_inverse=True)[1]
        return JudgedRows(self.truth[mask], self.predictions[mask], self.weight[mask], unit, row, self.repeat[mask])

    def events(self, code: int) -> Events:
        """A class against the others."""
        event = (self.truth == code).astype(np.float64)
        return Events(event, np.clip(self.predictions[:, code], 0, 1), self.weight, self.unit)


@dataclass(frozen=True, eq=False)
class Events:
    """Rows with (1) or without (0) an event, and its predicted probability; `unit` None where units are not known."""

    event: np.ndarray
    probability: np.ndarray
    weight: np.ndarray
    unit: np.ndarray | None

    @property
    def n_rarer(self) -> float:
        """Rows with or without the event, whichever are fewer."""
        return float(min(self.weight @ self.event, self.weight @ (1 - self.event)))

    @property
    def n_rows(self) -> float:
        """Rows that were predicted."""
        return float(self.weight.sum())

    @classmethod
    def of_counts(cls, tallies: Sequence[Tally], code: int) -> Events:
        """From counts of predictions, where rows were too many to keep: those of the first draw of the folds."""
        first = [tally for tally in tallies if tally.repeat == tallies[0].repeat]
        values, negatives, positives = class_counts_by_value(first, code)
        event = np.repeat([0.0, 1.0], [int(negatives.sum()), int(positives.sum())])
        p = np.r_[np.repeat(values, negatives.astype(np.int64)), np.repeat(values, positives.astype(np.int64))]
        unit = None if first[0].grouped else np.arange(len(p))
        return cls(event, np.clip(p, 0, 1), np.ones(len(p)), unit)
