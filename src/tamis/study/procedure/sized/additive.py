"""Additive models of few curves and pair maps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tamis.additive import AdditiveClassifier, AdditiveRegressor
from tamis.study.procedure.readability import PAIRS
from tamis.study.procedure.sized.base import SizedModels, on_columns
from tamis.table import Table
from tamis.task import predicts_classes

#: Of seven bags the models of 14 are as good (houses, wine_quality_red, spambase: losses within 1%) in half of the time.
N_BAGS, MAX_CYCLES = 7, 500

#: Rows from which on steps are larger: the loss is the same, and fitting takes two thirds of the time.
MANY_ROWS, LARGE_STEP, SMALL_STEP = 3_000, 0.5, 0.2

#: Rows per column below which held-out rows of the bags, which also chose the columns, are too good to compare by.
ROWS_PER_COLUMN = 40


class SizedAdditive(SizedModels):
    """Additive models; a smaller one is fitted on the columns that backward elimination leaves of the next larger one.

    Out-of-fold predictions are those of the bags that hold a row out; of few rows per column, those of inner folds.
    """

    def _tune(self, table: Table, y: np.ndarray, pairs: list[Any] | None) -> None:
        return None

    def _models(self, table: Table, y: np.ndarray, sizes: Sequence[int], tuned: None) -> dict[int, Any]:
        models, names = {}, list(table.names)
        for size in sorted(sizes, reverse=True):
            model = self._additive(size, len(y)).fit(table.select(names) if len(names) < table.n_columns else table, y)
            models[size] = on_columns(model, table, names)
            names = list(model.selected_columns_) or names[:1]
        return models

    def _out_of_fold(
        self, table: Table, y: np.ndarray, sizes: Sequence[int], tuned: None, pairs: list[Any]
    ) -> dict[int, np.ndarray]:
        if len(y) < ROWS_PER_COLUMN * table.n_columns:
            return super()._out_of_fold(table, y, sizes, tuned, pairs)
        return {size: _last(self.models_[size]).cv_predictions_ for size in sizes}

    def _additive(self, size: int, n_rows: int) -> Any:
        kind = AdditiveClassifier if predicts_classes(self.task) else AdditiveRegressor
        return kind(
            max_columns=size,
            max_pairs=min(PAIRS, size // 2),
            n_bags=N_BAGS,
            max_cycles=MAX_CYCLES,
            learning_rate=LARGE_STEP if n_rows >= MANY_ROWS else SMALL_STEP,
            random_state=self.random_state,
        )


def _last(model: Any) -> Any:
    return model.steps[-1][1] if hasattr(model, "steps") else model
