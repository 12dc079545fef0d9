"""How often the best one-split classifier on a column is right."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from tamis import _core
from tamis.engine import map_threads
from tamis.score.criterion import Criterion, Target, score_columns
from tamis.table import Table
from tamis.table.like import TableLike

if TYPE_CHECKING:
    from tamis.views.bins import Bins


class Stump(Criterion):
    """Accuracy of the best one-split classifier, or another metric of the best one-split model."""

    name = "stump"
    takes: tuple[str, ...] = ("classes",)

    def __init__(self, metric: Any = None) -> None:
        self.metric = metric
        if metric is not None:
            self.takes, self.takes_weights = ("classes", "numbers"), False

    def view(
        self, table: Table, target: Target, weights: np.ndarray | None, n_jobs: int | None
    ) -> tuple[Bins, np.ndarray] | Table:
        if self.metric is not None:
            return table
        from tamis.views.bins import Bins

        return Bins.of(table, n_jobs=n_jobs), np.ones(table.n_rows) if weights is None else weights

    def values(self, view: tuple[Bins, np.ndarray] | Table, target: Target, n_jobs: int | None = None) -> np.ndarray:
        if isinstance(view, Table):
            return self._metric_values(view, target, n_jobs)
        bins, weights = view
        classes = target.codes
        if classes is None or target.n_classes < 2:
            return np.zeros(bins.n_columns)  # nothing to tell apart

        def gain_of(j: int) -> float:
            counts = np.zeros((bins.codings[j].n_values + 1, target.n_classes))
            _core.weigh_codes(bins.codes[j], classes, weights, counts)
            best = _core.best_level_set if bins.codings[j].is_categorical else _core.best_threshold
            return float(best(counts))

        return np.array(map_threads(gain_of, range(bins.n_columns), n_jobs)) / weights.sum()

    def _metric_values(self, table: Table, target: Target, n_jobs: int | None) -> np.ndarray:
        from tamis.metrics import find
        from tamis.score.split_metric import best_split_score, refuse_model_metric

        classes = target.kind == "classes"
        metric = find(self.metric, classes=classes, labels=np.arange(target.n_classes) if classes else None)
        refuse_model_metric(metric)
        columns = [table.column(j) for j in range(table.n_columns)]
        return np.array(map_threads(lambda column: best_split_score(column, target, metric), columns, n_jobs))


def stump(
    X: TableLike, y: ArrayLike, *, metric: Any = None, sample_weight: ArrayLike | None = None, n_jobs: int | None = None
) -> np.ndarray:
    r"""Accuracy (or another metric), on the rows given, of the best model that looks at one column once.

    .. math:: \max_{S} \frac{\max_c n_c(x \in S) + \max_c n_c(x \notin S)}{n}

    where S is {x ≤ t} for numbers, any set of levels for categories; each side answers its most frequent class, so both
    directions are tried. Missing values go to the side where they do better.

    Parameters
    ----------
    X : table of n rows and d columns, numeric or categorical, missing values allowed.
    y : target, classes; or numbers with a `metric` for numbers.
    metric : None for accuracy, or what `scoring` means everywhere: a name, a scorer or a function; larger is better, so
        errors and losses are negative. Each side of the split predicts its most frequent class (of two also
        the other), its class shares, or its mean, as the metric reads; at most 255 thresholds of a column are tried.
    sample_weight : one weight a row; not with `metric`.
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
    >>> stump([[1, 7], [2, 7], [3, 7], [4, 7]], [1.0, 1.0, 4.0, 6.0], metric="mse")
    array([-0.5, -4.5])
    """
    return score_columns(Stump(metric), X, y, sample_weight=sample_weight, n_jobs=n_jobs)
