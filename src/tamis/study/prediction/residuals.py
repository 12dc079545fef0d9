"""Errors on rows not seen, and the intervals of new answers that they give."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tamis.errors import DamagedError
from tamis.evaluate.cross_validate import Fold
from tamis.metrics.intervals.conformal import conformal_radii
from tamis.results.fold import FoldRecord
from tamis.saved import numbers, read_entry, read_integer

#: Quantiles that are kept of a study's errors, from the smallest to the largest.
KEPT = 201

#: Quantiles that a fold of many rows keeps.
OF_A_FOLD = 401


@dataclass(frozen=True, eq=False)
class Residuals:
    r"""Quantiles of the errors y - ŷ of rows that the procedure had not seen, in the outer folds.

    The interval of a new answer is ŷ plus the errors of rank :math:`(n + 1)(1 - c) / 2` from either end, c being the
    coverage: with as many rows, so many new ones lie outside on either side. It is equally wide for every row.

    Attributes
    ----------
    rows : how many rows were judged.
    quantiles : at equal steps, the smallest and the largest error included.

    >>> Residuals.of(np.arange(-100.0, 101.0)).interval(np.array([50.0]), 0.9).round(2).tolist()
    [[-40.9, 140.9]]
    """

    rows: int
    quantiles: np.ndarray

    @classmethod
    def of(cls, errors: np.ndarray, rows: int | None = None) -> Residuals:
        """From errors; `rows` is how many rows they are of, where repeats judged them more than once."""
        return cls(rows or len(errors), np.quantile(errors, np.linspace(0.0, 1.0, KEPT)))

    def interval(self, answers: np.ndarray, coverage: float) -> np.ndarray:
        """Lower and upper end for each row (rows × 2)."""
        outside = (1 - coverage) / 2
        rank = (self.rows + 1) * outside - 1  # of the n errors, counted from 0
        share = max(0.0, rank) / max(1, self.rows - 1)
        grid = np.linspace(0.0, 1.0, len(self.quantiles))
        low, high = np.interp([share, 1.0 - share], grid, self.quantiles)
        return np.column_stack([answers + low, answers + high])

    def max_coverage(self) -> float:
        """The largest coverage that so many rows can speak for."""
        return 1 - 2 / (self.rows + 1)

    def to_dict(self) -> dict[str, Any]:
        """Plain values that `from_dict` takes back."""
        return {"rows": self.rows, "quantiles": self.quantiles.tolist()}

    @classmethod
    def from_dict(cls, facts: dict[str, Any]) -> Residuals:
        """What `to_dict` wrote, looked at."""
        quantiles = numbers("the errors", read_entry(facts, "quantiles"))
        if len(quantiles) < 2 or np.any(np.diff(quantiles) < 0):
            raise DamagedError("the quantiles of the errors do not rise")
        return cls(read_integer("rows", read_entry(facts, "rows"), low=2), quantiles)


def of_fold(errors: np.ndarray) -> list[float]:
    """Quantiles of a fold's errors, for a journal that does not hold its answers."""
    shares = (np.arange(OF_A_FOLD) + 0.5) / OF_A_FOLD
    return [float(value) for value in np.quantile(errors, shares)]


def of_folds(y: np.ndarray, folds: Sequence[Fold], judged: Sequence[FoldRecord]) -> Residuals | None:
    """The errors of a procedure in the outer folds; None where the journal holds none of them."""
    errors, rows = _errors(y, folds, judged)
    return Residuals.of(errors, rows) if rows > 1 else None


def error_facts(y: np.ndarray, folds: Sequence[Fold], judged: Sequence[FoldRecord]) -> dict[str, Any] | None:
    r"""The mean error y - ŷ, and `radii`: within which `radius` of the truth a `fraction` of answers lies.

    Every repeat's error counts by itself, for it is that of a single model. Of n rows the radius of a fraction c is the
    smallest that holds a new row with this chance, were it drawn like these (split conformal): the quantile
    :math:`\lceil (n + 1) c \rceil / n` of the sizes of the errors; none where that exceeds 1. None where the journal
    holds no errors.
    """
    errors, rows = _errors(y, folds, judged)
    return None if not rows else {"mean": float(errors.mean()), "radii": conformal_radii(np.abs(errors), rows)}


def _errors(y: np.ndarray, folds: Sequence[Fold], judged: Sequence[FoldRecord]) -> tuple[np.ndarray, int]:
    """Errors of every repeat, or quantiles of them, and how many rows they are of; none where a fold kept none."""
    errors = []
    for fold, record in zip(folds, judged):
        if record.predictions is not None:
            errors.append(y[fold.test] - np.array(record.predictions))
        elif record.errors is not None:
            errors.append(np.array(record.errors))
    if not errors or len(errors) < len(judged):
        return np.empty(0), 0
    return np.concatenate(errors), len(np.unique(np.concatenate([fold.test for fold in folds])))
