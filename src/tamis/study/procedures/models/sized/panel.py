"""Panels: linear models of few columns out of thousands, for tables with few rows per column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tamis.linear import LinearClassifier, LinearRegressor
from tamis.study.procedures.models.facts import PAGE
from tamis.study.procedures.models.linear import linear_loss
from tamis.study.procedures.models.sized.base import Sample, SizedModels, on_columns
from tamis.study.procedures.models.sized.ridge_forward import (
    Standardized,
    held_out_errors,
    ridge_forward,
    selection_target,
)
from tamis.study.procedures.models.sized.strength import ridge_strength
from tamis.table import Table
from tamis.task import predicts_classes

#: Penalties of the selection, per row, the most stable first. On eight wide tables 10 gave the best panels of 20
#: columns (pcmac: 80, 83 and 87% right by 0.1, 2 and 10) and the most stable ones (Nogueira's index 0.25, 0.45 and
#: 0.58). Of few columns, or with many rows, less is better: correlated columns then come later.
PENALTIES = (10.0, 1.0, 0.1)

#: Strengths, per row, of the least squares by which penalties are compared.
RIDGES = (0.01, 0.1, 1.0)

#: Sizes at which penalties and strengths are chosen; other sizes take those of the nearest one.
TUNED_SIZES = (1, 3, 8, 20)


@dataclass(frozen=True)
class TunedPanel:
    """What folds chose for one size: the penalty of the selection, and the strength of the ridge on its columns."""

    penalty: float
    strength: float


class SizedPanels(SizedModels):
    """Columns by ridge forward selection, for all classes at once; coefficients of a ridge on these columns alone.

    Penalty and strength are chosen on rows that had no part in choosing the columns: tuned on chosen columns, the ridge
    would be too weak.
    """

    def _tune(self, table: Table, y: Sample, pairs: list[Any] | None) -> dict[int, TunedPanel]:
        if pairs is None:
            return {}
        sizes = sorted({min(size, self.max_columns) for size in TUNED_SIZES})
        panels, errors = self._compared(table, y, pairs, sizes)
        tuned = {}
        for size, size_errors in zip(sizes, errors):
            best = _first_not_worse(size_errors)
            names = [_names(table, panel[:size]) for panel in panels[best]]
            if all(names):
                tuned[size] = TunedPanel(PENALTIES[best], ridge_strength(self._linear, table, y, pairs, names))
        return tuned

    def _compared(self, table: Table, y: Sample, pairs: list[Any], sizes: list[int]) -> tuple[Any, np.ndarray]:
        """The columns of every penalty and fold, and errors of held-out rows (sizes × penalties × ridges × rows)."""
        panels: list[list[list[int]]] = [[] for _ in PENALTIES]
        errors = np.zeros((len(sizes), len(PENALTIES), len(RIDGES), len(y)))
        for train, test in pairs:
            train_part = Standardized.of(table.take(train))
            held_out = train_part.of_rows(table.take(test))
            target = selection_target(y, self.task, train)
            truth = selection_target(y, self.task, train, test)
            for p, penalty in enumerate(PENALTIES):
                panel = ridge_forward(train_part, target, penalty, max(sizes), PAGE, self._signs(table))
                panels[p].append(panel)
                if panel:
                    parts = [panel[:size] for size in sizes]
                    errors[:, p, :, test] = held_out_errors(train_part, target, held_out, truth, parts, RIDGES)
        return panels, errors

    def _models(self, table: Table, y: Sample, sizes: Sequence[int], tuned: dict[int, TunedPanel]) -> dict[int, Any]:
        standardized, target = Standardized.of(table), selection_target(y, self.task)
        panels: dict[float, list[int]] = {}
        models: dict[int, Any] = {}
        for size in sizes:
            nearest = min(tuned, key=lambda n: (abs(n - size), n), default=None)
            chosen = TunedPanel(PENALTIES[0], 1 / len(y)) if nearest is None else tuned[nearest]
            if chosen.penalty not in panels:
                panels[chosen.penalty] = ridge_forward(
                    standardized, target, chosen.penalty, max(sizes), PAGE, self._signs(table)
                )
            panel = panels[chosen.penalty]
            models[size] = self._fitted(table, y, panel[:size], chosen.strength)
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


def _names(table: Table, columns: Sequence[int]) -> list[str]:
    return [table.names[j] for j in sorted(columns)]


def _first_not_worse(errors: np.ndarray) -> int:
    """The first penalty within two standard errors of the best, by errors of rows (penalties × ridges × rows).

    Each penalty counts with its best ridge; the standard error is that of the difference from the best, paired by row.
    Within one standard error panels were less stable and no more accurate (lung_small: 0.33 and 0.41, 78 and 80%).

    >>> _first_not_worse(np.array([[[1.0, 3.0, 1.0, 3.0]], [[1.5, 2.0, 1.0, 3.0]], [[0.0, 2.0, 0.0, 2.0]]]))
    2
    """
    best_ridge = errors.mean(axis=2).argmin(axis=1)
    rows = errors[np.arange(len(errors)), best_ridge]
    excess = rows - rows[rows.mean(axis=1).argmin()]
    error = excess.std(axis=1) / np.sqrt(rows.shape[1])
    return int(np.argmax(excess.mean(axis=1) <= 2 * error))
