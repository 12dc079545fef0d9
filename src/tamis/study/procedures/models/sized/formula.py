"""Linear models of few columns: ridge forward selection chooses them, a ridge of these columns is fitted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tamis.linear import LinearClassifier, LinearRegressor
from tamis.study.procedures.models.facts import PAGE
from tamis.study.procedures.models.linear import linear_loss
from tamis.study.procedures.models.sized.base import SIZES, Sample, SizedModels, on_columns
from tamis.study.procedures.models.sized.ridge_forward import (
    Standardized,
    held_out_errors,
    ridge_forward,
    selection_target,
)
from tamis.study.procedures.models.sized.strength import best_strength
from tamis.table import Table
from tamis.task import predicts_classes

#: Penalties of the selection, per row, the most stable first. The largest keeps to columns that matter alone; the
#: smallest is least squares, which sees what correlated columns say by their differences. Over 33 tables (at most 700
#: rows, two splits), with strengths of the ridge chosen on each fold's own columns, formulas of 2, 3, 5, 8 and 12
#: columns score 1.7, 1.4, 0.5, 0.8 and 0.8 points more on locked rows than with a penalty of 0.3 alone, of 1 column 0.8
#: less; most on pollen and vehicle. Other penalties (0.3, 0.003) gain about as much.
PENALTIES = (1.0, 0.1, 0.003)

#: Strengths of a ridge that folds choose from.
N_ALPHAS = 10

#: Strengths, per row, of the least squares by which penalties are compared.
RIDGES = (0.01, 0.1, 1.0)


@dataclass(frozen=True)
class TunedFormula:
    """What folds chose for one size: the penalty of the selection, and the strength of the ridge on its columns."""

    penalty: float
    strength: float


class SizedFormulas(SizedModels):
    """Columns by ridge forward selection, for all classes at once; coefficients of a ridge on these columns alone.

    The penalty of the selection is chosen on rows that had no part in choosing the columns.
    """

    #: Penalties of the selection, and the sizes at which they and strengths are chosen; others take the nearest one's.
    penalties: tuple[float, ...] = PENALTIES
    tuned_sizes: tuple[int, ...] = SIZES

    #: A penalty is taken before one of less loss that is better by no more than so many standard errors.
    errors_given: float = 1.0

    def _tune(self, table: Table, y: Sample, pairs: list[Any] | None) -> dict[int, TunedFormula]:
        if pairs is None:
            return {}
        sizes = sorted({min(size, self.max_columns, table.n_columns) for size in self.tuned_sizes})
        panels, errors = self._compared(table, y, pairs, sizes)
        orders = _Orders(self, table, y, max(sizes))
        tuned = {}
        for size, size_errors in zip(sizes, errors):
            best = _first_not_worse(size_errors, self.errors_given)
            in_folds = [_names(table, panel[:size]) for panel in panels[best]]
            if all(in_folds):
                penalty = self.penalties[best]
                names = _names(table, orders.of(penalty)[:size])
                tuned[size] = TunedFormula(penalty, self._strength(table, y, pairs, names, in_folds))
        return tuned

    def _strength(
        self, table: Table, y: Sample, pairs: list[Any], names: list[str], in_folds: list[list[str]]
    ) -> float:
        """The strength of the ridge on columns that all rows chose; `in_folds` are those of each fold's rows."""
        ridge = self._linear(rule="min", cv=pairs, n_alphas=N_ALPHAS, monotone=self._directions(names))
        return best_strength(ridge, table.select(names), y)

    def _compared(self, table: Table, y: Sample, pairs: list[Any], sizes: list[int]) -> tuple[Any, np.ndarray]:
        """The columns of every penalty and fold, and errors of held-out rows (sizes × penalties × ridges × rows)."""
        panels: list[list[list[int]]] = [[] for _ in self.penalties]
        errors = np.zeros((len(sizes), len(self.penalties), len(RIDGES), len(y)))
        for train, test in pairs:
            train_part = Standardized.of(table.take(train))
            held_out = train_part.of_rows(table.take(test))
            target = selection_target(y, self.task, train)
            truth = selection_target(y, self.task, train, test)
            for p, penalty in enumerate(self.penalties):
                panel = ridge_forward(train_part, target, penalty, max(sizes), PAGE, self._signs(table))
                panels[p].append(panel)
                if panel:
                    parts = [panel[:size] for size in sizes]
                    errors[:, p, :, test] = held_out_errors(train_part, target, held_out, truth, parts, RIDGES)
        return panels, errors

    def _models(self, table: Table, y: Sample, sizes: Sequence[int], tuned: dict[int, TunedFormula]) -> dict[int, Any]:
        orders = _Orders(self, table, y, max(sizes))
        models: dict[int, Any] = {}
        for size in sizes:
            nearest = min(tuned, key=lambda n: (abs(n - size), n), default=None)
            chosen = TunedFormula(self.penalties[0], 1 / len(y)) if nearest is None else tuned[nearest]
            models[size] = self._fitted(table, y, orders.of(chosen.penalty)[:size], chosen.strength)
        return models

    def _fitted(self, table: Table, y: Sample, columns: list[int], strength: float) -> Any:
        if not columns:
            from tamis.evaluate.baseline import Baseline

            return Baseline(self.task).fit(None, y.y, y.weight)
        names = _names(table, columns)
        return on_columns(
            y.fitted(self._linear(alpha=strength, monotone=self._directions(names)), table.select(names)), table, names
        )

    def _linear(self, **settings: Any) -> Any:
        kind = LinearClassifier if predicts_classes(self.task) else LinearRegressor
        return kind("ridge", missing="mean", **linear_loss(self.task), **settings)


class _Orders:
    """Columns in the order of selection, by its penalty, learned from some rows."""

    def __init__(self, formulas: SizedFormulas, table: Table, y: Sample, n_columns: int) -> None:
        self._standardized, self._target = Standardized.of(table), selection_target(y, formulas.task)
        self._n_columns, self._signs = n_columns, formulas._signs(table)
        self._orders: dict[float, list[int]] = {}

    def of(self, penalty: float) -> list[int]:
        """Positions of columns, the first chosen first."""
        if penalty not in self._orders:
            self._orders[penalty] = ridge_forward(
                self._standardized, self._target, penalty, self._n_columns, PAGE, self._signs
            )
        return self._orders[penalty]


def _names(table: Table, columns: Sequence[int]) -> list[str]:
    return [table.names[j] for j in sorted(columns)]


def _first_not_worse(errors: np.ndarray, errors_given: float) -> int:
    """The first penalty within so many standard errors of the best, by errors of rows (penalties × ridges × rows).

    Each penalty counts with its best ridge; the standard error is that of the difference from the best, paired by row.

    >>> _first_not_worse(np.array([[[1.0, 3.0, 1.0, 3.0]], [[1.5, 2.0, 1.0, 3.0]], [[0.0, 2.0, 0.0, 2.0]]]), 2.0)
    2
    """
    best_ridge = errors.mean(axis=2).argmin(axis=1)
    rows = errors[np.arange(len(errors)), best_ridge]
    excess = rows - rows[rows.mean(axis=1).argmin()]
    error = excess.std(axis=1) / np.sqrt(rows.shape[1])
    return int(np.argmax(excess.mean(axis=1) <= errors_given * error))
