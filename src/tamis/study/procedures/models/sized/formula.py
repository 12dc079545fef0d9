"""Linear models of few columns: the lasso's path chooses them, a ridge of these columns is fitted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import issparse

from tamis.linear import LinearClassifier, LinearRegressor
from tamis.study.procedures.models.facts import PAGE
from tamis.study.procedures.models.linear import linear_loss
from tamis.study.procedures.models.sized.base import Sample, SizedModels, on_columns, sizes_up_to
from tamis.study.procedures.models.sized.strength import best_strength
from tamis.table import Table
from tamis.task import predicts_classes

#: Ridge strengths that folds choose from.
N_ALPHAS = 10

#: Steps of the lasso's path: columns between two of them are ranked by their contribution.
N_STEPS = 30

#: The path is followed to models of so many times the columns wanted: further down, models may have fewer again.
FOLLOWED = 2


@dataclass(frozen=True, eq=False)
class Tuned:
    """What folds within some rows chose: the rows, columns along their lasso path, and ridge strengths by size."""

    table: Table
    supports: dict[int, list[str]]
    strengths: dict[int, float]


class SizedFormulas(SizedModels):
    """Relaxed lasso: columns in the order of the lasso's path, coefficients of a ridge on these columns alone."""

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
        lasso = self._linear("lasso", table.names, n_alphas=N_STEPS)
        return _supports(
            lasso, lasso.fit_path(table, y.y, y.weight, max_columns=FOLLOWED * max_columns), table, max_columns
        )

    def _linear(self, penalty: str, names: Sequence[str], **settings: Any) -> Any:
        kind = LinearClassifier if predicts_classes(self.task) else LinearRegressor
        settings |= {"missing": "mean", "monotone": self._directions(names)}
        return kind(penalty, **linear_loss(self.task), **settings)


def _supports(lasso: Any, path: Any, table: Table, max_columns: int) -> dict[int, list[str]]:
    """Number of columns -> their names, for every number up to `max_columns`, along the path of a lasso.

    The least penalised model of so many columns; where the path has none, the columns of largest contribution of the
    next larger model. Models of more than 20 terms are left out: a category has a term per level.
    """
    encoding = lasso.inputs_.encoding
    supports: dict[int, list[str]] = {0: []}
    ranked: dict[int, list[int]] = {}
    n_terms = np.bincount(encoding.groups, minlength=len(encoding.names))
    spread = _spread(lasso.inputs_.read(table))
    for coef in path.coef:
        added = np.bincount(encoding.groups, weights=(np.abs(coef).sum(axis=1) * spread), minlength=len(n_terms))
        order = [int(g) for g in np.argsort(-added, kind="stable") if added[g] > 0]
        ranked[len(order)] = order
    for size in range(1, max_columns + 1):
        larger = min((n for n in ranked if n >= size), default=None)
        if larger is None:
            break
        groups = ranked[larger][:size]
        while n_terms[groups].sum() > PAGE and len(groups) > 1:
            groups = groups[:-1]
        supports[len(groups)] = sorted((encoding.names[g] for g in groups), key=table.index)
    return supports


def _spread(matrix: Any) -> np.ndarray:
    """Standard deviation of each column, dense or sparse."""
    mean, squares = matrix.mean(axis=0), (matrix.multiply(matrix) if issparse(matrix) else matrix**2).mean(axis=0)
    return np.sqrt(np.maximum(np.asarray(squares).ravel() - np.asarray(mean).ravel() ** 2, 0.0))
