"""How often the best one-split classifier on a column is right."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tamis import _core
from tamis.engine import map_threads
from tamis.score.criterion import Criterion, Target, score_columns
from tamis.table import Table

if TYPE_CHECKING:
    from tamis.views.bins import Bins

__all__ = ["Stump", "stump"]


class Stump(Criterion):
    """Accuracy of the best one-split classifier."""

    name = "stump"
    takes = ("classes",)

    def view(
        self, table: Table, target: Target, weights: np.ndarray | None, n_jobs: int | None
    ) -> tuple[Bins, np.ndarray]:
        from tamis.views.bins import Bins

        return Bins.of(table, n_jobs=n_jobs), np.ones(table.n_rows) if weights is None else weights

    def values(self, view: tuple[Bins, np.ndarray], target: Target, n_jobs: int | None = None) -> np.ndarray:
        bins, weights = view
        classes = target.codes
        if classes is None or target.n_classes < 2:
            return np.zeros(bins.n_columns)  # nothing to tell apart

        def one(j: int) -> float:
            counts = np.zeros((bins.codings[j].n_values + 1, target.n_classes))
            _core.weigh_codes(bins.codes[j], classes, weights, counts)
            best = _core.best_level_set if bins.codings[j].is_categorical else _core.best_threshold
            return float(best(counts))

        return np.array(map_threads(one, range(bins.n_columns), n_jobs)) / weights.sum()


def stump(X: Any, y: Any, *, sample_weight: Any = None, n_jobs: int | None = None) -> np.ndarray:
    r"""Accuracy, on the rows given, of the best classifier that looks at one column once.

    .. math:: \max_{S} \frac{\max_c n_c(x \in S) + \max_c n_c(x \notin S)}{n}

    where S is {x ≤ t} for numbers, any set of levels for categories; each side answers its most frequent class, so both
    directions are tried. Missing values go to the side where they do better.

    Parameters
    ----------
    X : table of n rows and d columns, numeric or categorical, missing values allowed.
    y : target, classes.
    sample_weight : one weight a row.
    n_jobs : number of threads.

    Returns
    -------
    array of d numbers; at least the share of the largest class, or 0 for a constant column, which cannot be split, and
    where y has a single class.

    References
    ----------
    R. Holte, "Very simple classification rules perform well on most commonly used datasets", Machine Learning 11, 1993.

    >>> stump([[1, 7], [2, 7], [3, 7], [4, 7]], [1, 1, 0, 1])
    array([0.75, 0.  ])
    """
    return score_columns(Stump(), X, y, sample_weight=sample_weight, n_jobs=n_jobs)
