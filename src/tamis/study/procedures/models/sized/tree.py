"""Pruned trees of at most twenty leaves on few columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tamis.study.procedures.models.facts import PAGE
from tamis.study.procedures.models.sized.base import Sample, SizedModels, on_columns
from tamis.study.procedures.models.trees import class_criterion, split_criterion
from tamis.table import Table
from tamis.task import predicts_classes
from tamis.tree import TreeClassifier, TreeRegressor

#: Leaves of large tables have at least this fraction of the rows.
LEAF_FRACTION = 1 / 5_000


class SizedTrees(SizedModels):
    """Trees of at most 20 leaves, pruned by inner folds; smaller ones are grown on the columns of largest gain."""

    def _tune(self, table: Table, y: Sample, pairs: list[Any] | None) -> float:
        """The price of a leaf."""
        if pairs is None:
            return 0.0
        return float(y.fitted(self._tree(table, prune="cv", rule="min", cv=pairs), table).alpha_)

    def _models(self, table: Table, y: Sample, sizes: Sequence[int], tuned: float) -> dict[int, Any]:
        tree = y.fitted(self._tree(table, prune=tuned), table)
        importances = tree.feature_importances_
        used = [table.names[j] for j in np.flatnonzero(importances)]
        ranked = sorted(used, key=lambda name: (-importances[table.index(name)], name))
        models = {}
        for size in sorted(sizes, reverse=True):
            if len(ranked) > size:
                names = sorted(ranked[:size], key=table.index)
                part = table.select(names)
                tree = y.fitted(self._tree(part, prune=tuned), part)
                models[size] = on_columns(tree, table, names)
            else:
                models[size] = tree
        return models

    def _tree(self, table: Table, **settings: Any) -> Any:
        settings |= {"max_leaf_nodes": PAGE, "min_samples_leaf": max(1, int(LEAF_FRACTION * table.n_rows))}
        settings |= {"random_state": self.random_state, "monotone": self._directions(table.names)}
        if not predicts_classes(self.task):
            return TreeRegressor(criterion=split_criterion(self.task), **settings)
        return TreeClassifier(**class_criterion(self.task), **settings)
