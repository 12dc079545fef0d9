"""Linear models of few columns: ridge forward selection chooses them, a ridge of these columns is fitted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tamis.linear import LinearClassifier, LinearRegressor
from tamis.study.procedures.models.facts import PAGE
from tamis.study.procedures.models.linear import linear_loss
from tamis.study.procedures.models.sized.base import Sample, SizedModels, on_columns, sizes_up_to
from tamis.study.procedures.models.sized.ridge_forward import Standardized, ridge_forward, selection_target
from tamis.study.procedures.models.sized.strength import best_strength
from tamis.table import Table
from tamis.task import predicts_classes

#: Ridge strengths that folds choose from.
N_ALPHAS = 10

#: Penalty of the selection, per row. Over 28 tables of at most 700 rows, 4 folds, columns of a penalty of 0.03 score
#: 1.4, 0.7, 0.5 and 0.0 points more with 3, 5, 8 and 12 columns than those along the lasso's path, the first of which
#: share what one of them says. Penalties of 0.03, 0.1 and 0.3 score the same from 3 columns on (25 tables of 600 rows);
#: the largest keeps to columns that matter alone, too. With 2 columns it scores 1.1 points less than the smallest.
PENALTY = 0.3


@dataclass(frozen=True, eq=False)
class Tuned:
    """What folds within some rows chose: the rows, columns in the order of selection, and ridge strengths by size."""

    table: Table
    supports: dict[int, list[str]]
    strengths: dict[int, float]


class SizedFormulas(SizedModels):
    """Columns by ridge forward selection, for all classes at once; coefficients of a ridge on these columns alone."""

    def _tune(self, table: Table, y: Sample, pairs: list[Any] | None) -> Tuned:
        """Number of columns -> ridge strength, by folds within the training rows."""
        supports = self._supports(table, y, self.max_columns)
        strengths: dict[int, float] = {}
        for size in sizes_up_to(self.max_columns, table.n_columns) if pairs is not None else ():
            names = supports[max(n for n in supports if n <= size)]
            if names and len(names) not in strengths:
                ridge = self._linear("ridge", names, rule="min", cv=pairs, n_alphas=N_ALPHAS)
                strengths[len(names)] = best_strength(ridge, table.select(names), y)
        return Tuned(table, supports, strengths)

    def _models(self, table: Table, y: Sample, sizes: Sequence[int], tuned: Tuned) -> dict[int, Any]:
        supports = tuned.supports
        if tuned.table is not table:
            supports = self._supports(table, y, max(sizes))
        models: dict[int, Any] = {}
        fitted: dict[int, Any] = {}
        for size in sizes:
            n = max(n for n in supports if n <= size)
            if n not in fitted:
                fitted[n] = self._ridge(table, y, supports[n], tuned.strengths)
            models[size] = fitted[n]
        return models

    def _ridge(self, table: Table, y: Sample, names: list[str], tuned: dict[int, float]) -> Any:
        if not names:
            from tamis.evaluate.baseline import Baseline

            return Baseline(self.task).fit(None, y.y, y.weight)
        nearest = min(tuned, key=lambda n: (abs(n - len(names)), n), default=None)
        alpha = 1 / len(y) if nearest is None else tuned[nearest]
        return on_columns(y.fitted(self._linear("ridge", names, alpha=alpha), table.select(names)), table, names)

    def _supports(self, table: Table, y: Sample, max_columns: int) -> dict[int, list[str]]:
        """Number of columns -> their names, for every number up to `max_columns` with at most 20 terms."""
        target = selection_target(y, self.task)
        order = ridge_forward(Standardized.of(table), target, PENALTY, max_columns, PAGE, self._signs(table))
        return {size: [table.names[j] for j in sorted(order[:size])] for size in range(len(order) + 1)}

    def _linear(self, penalty: str, names: Sequence[str], **settings: Any) -> Any:
        kind = LinearClassifier if predicts_classes(self.task) else LinearRegressor
        settings |= {"missing": "mean", "monotone": self._directions(names)}
        return kind(penalty, **linear_loss(self.task), **settings)
