"""How much a tree depends on the rows it happened to see."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, clone
from sklearn.utils import check_random_state

from tamis.check import count
from tamis.table import Table
from tamis.table.like import TableLike
from tamis.typing import RandomState


def stability_of(
    model: BaseEstimator, X: TableLike, y: ArrayLike, n_resamples: int, random_state: RandomState
) -> dict[str, Any]:
    """Grow the same kind of tree on bootstrap samples and compare.

    Returns `columns` (names), `root` and `tree` (share of the trees with the column at the root; anywhere), `agreement`
    (mean over pairs of trees: share of rows with the same class; for numbers the correlation of the predictions),
    `n_leaves` (of each tree) and `n_resamples`.
    """
    count("n_resamples", n_resamples, low=2)
    random = check_random_state(random_state)
    table = Table.of(X)
    target = np.asarray(y)
    root, inside, leaves, predictions = np.zeros(table.n_columns), np.zeros(table.n_columns), [], []
    for _ in range(n_resamples):
        drawn = np.bincount(random.randint(0, len(target), len(target)), minlength=len(target))
        grown = clone(model).fit(table, target, sample_weight=drawn.astype(np.float64))
        inside[list(grown.tree_.used())] += 1
        if grown.tree_.feature[0] >= 0:
            root[grown.tree_.feature[0]] += 1
        leaves.append(grown.tree_.n_leaves)
        predictions.append(np.asarray(grown.predict(table)).reshape(len(target), -1))
    return {
        "columns": list(table.names),
        "root": root / n_resamples,
        "tree": inside / n_resamples,
        "agreement": _alike(predictions, hasattr(model, "predict_proba")),
        "n_leaves": np.array(leaves),
        "n_resamples": n_resamples,
    }


def _alike(predictions: list[np.ndarray], classes: bool) -> float:
    """Mean likeness over all pairs of trees."""
    pairs = []
    for a in range(len(predictions)):
        for b in range(a):
            if classes:
                pairs.append(float(np.mean(predictions[a] == predictions[b])))
            else:
                pairs.append(_correlation(predictions[a].ravel(), predictions[b].ravel()))
    return float(np.mean(pairs))


def _correlation(a: np.ndarray, b: np.ndarray) -> float:
    if a.std() == 0 or b.std() == 0:
        return float(np.array_equal(a, b))
    return float(np.corrcoef(a, b)[0, 1])
