r"""One score over several folds: a mean of fold scores, or, where a fold is too small to have one, a pooled score.

A fold's R² is about the mean of its own few rows: in five rows it falls to −7 by chance, and the mean over folds is
biased (n = 30: 0.08, where new rows give 0.45). Pooled over the folds k of repeat r, about the mean of the training
rows of each fold,

.. math:: R^2_r = 1 - \frac{\sum_k \sum_{i \in k} (y_i - \hat y_i)^2}
                          {\sum_k \sum_{i \in k} (y_i - \bar y_{train(k)})^2},

and averaged over repeats. Guessing the mean of the training rows then scores 0 by definition. Likewise balanced
accuracy is the mean of the classes' recalls over all held-out rows of a repeat: a fold without rows of a rare class
would leave that class out.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from tamis.metrics import Metric
from tamis.metrics.intervals.row_sums import RowSums
from tamis.metrics.intervals.tally import Tally
from tamis.metrics.r_squared import fold_r_squared

#: Metrics that are the mean of the classes' recalls.
RECALLS = ("balanced_accuracy", "recall_macro")


def is_pooled(metric: Metric) -> bool:
    """Whether the score over folds is pooled, so that folds without a score of their own count, too."""
    return metric.base == "r2" or metric.base in RECALLS


def aggregated(metric: Metric, tallies: Sequence[Tally], scores: ArrayLike) -> float:
    """The score over all folds; NaN where there is none.

    Parameters
    ----------
    metric : what the scores are of.
    tallies : the judged rows, one a fold, over all repeats.
    scores : the folds' own scores, NaN where a fold has none; their mean is taken where nothing is pooled.

    >>> from tamis.metrics import METRICS
    >>> folds = [Tally.of([0.0, 2.0], [0.5, 1.5], [0, 1], reference=1.0), Tally.of([4.0], [3.0], [2], reference=1.0)]
    >>> round(aggregated(METRICS["r2"], folds, [0.75, np.nan]), 3)
    0.864
    """
    fold_values = fold_parts(metric, tallies)
    values = np.asarray(scores, dtype=np.float64) if fold_values is None else fold_values
    values = values[~np.isnan(values)]
    return float(values.mean()) if len(values) else float("nan")


def fold_parts(metric: Metric, tallies: Sequence[Tally]) -> np.ndarray | None:
    """What each fold adds to a pooled score: their mean is the score. None where the metric is not pooled.

    Differences of these between two procedures are paired by fold, and their mean is the difference of the scores.
    """
    if not is_pooled(metric) or metric.source is not None:
        return None
    sums = [tally.summed().sums for tally in tallies]
    folds = [sums_of_fold for sums_of_fold in sums if sums_of_fold is not None]
    repeats = np.array([tally.repeat for tally in tallies])
    if metric.base == "r2":
        if not all("sst" in sums_of_fold.values and "mse" in sums_of_fold.values for sums_of_fold in folds):
            return None
        errors, spreads = (
            np.array([sums_of_fold.values[name].sum() for sums_of_fold in folds]) for name in ("mse", "sst")
        )
        fold_values = fold_r_squared(errors, spreads, repeats)
    else:
        if not all("hit" in sums_of_fold.values for sums_of_fold in folds):
            return None
        fold_values = _recall_parts(folds, repeats)
    return -fold_values if metric.negated else fold_values


def _recall_parts(folds: Sequence[RowSums], repeats: np.ndarray) -> np.ndarray:
    """K Σ_c hits_kc / rows_rc / C of each fold k: the mean over the K folds of repeat r is the mean recall."""
    hits, rows = (
        np.array([sums_of_fold.values[name].sum(axis=0) for sums_of_fold in folds]) for name in ("hit", "truth")
    )
    fold_values = np.full(len(folds), np.nan)
    for repeat in np.unique(repeats):
        mine = repeats == repeat
        total = rows[mine].sum(axis=0)
        recalls = np.divide(hits[mine], total, out=np.zeros_like(hits[mine]), where=total > 0)
        fold_values[mine] = mine.sum() * recalls.sum(axis=1) / max(1, int((total > 0).sum()))
    return fold_values
