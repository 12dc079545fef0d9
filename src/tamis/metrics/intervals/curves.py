"""Confusion matrix, ROC curve and calibration curve of judged rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tamis.errors import ParameterError
from tamis.metrics.intervals.row_sums import of_class
from tamis.metrics.intervals.tally import Tally, together


def confusion(tallies: Sequence[Tally]) -> np.ndarray:
    """How often each class (row) was given each answer (column); the mean over repeats."""
    cells = together(tallies).cells
    if cells is None:
        raise ParameterError(f"there is no confusion matrix of {tallies[0].answered}; it needs labels or probabilities")
    return np.asarray(cells / _n_repeats(tallies))


def roc(tallies: Sequence[Tally], positive: int = 1) -> dict[str, np.ndarray]:
    """The ROC curve of a class (its code) against the rest, over all folds: rates and the threshold of each point.

    From rows it is exact; from sums it has a point for every bin (see `binned_scores`), each at most 1.6% of a
    side apart but for ties.
    """
    threshold, others, own = _by_threshold(tallies, positive)
    others, own = np.cumsum(others[::-1]), np.cumsum(own[::-1])
    return {
        "false_positive": np.r_[0.0, others / max(others[-1], 1)],
        "true_positive": np.r_[0.0, own / max(own[-1], 1)],
        "threshold": np.r_[np.inf, threshold[::-1]],
    }


def calibration(tallies: Sequence[Tally], positive: int = 1, n_bins: int = 10) -> dict[str, np.ndarray]:
    """Predicted probability of a class against its share, in bins of equal width; empty bins are left out.

    From sums, too, shares and rows are exact, and the predicted mean to seven digits, where n_bins divides 100.
    """
    predicted, others, own = _by_threshold(tallies, positive, probabilities=True)
    place = np.minimum((predicted * n_bins).astype(np.int64), n_bins - 1)
    rows = np.bincount(place, others + own, n_bins)
    there = rows > 0
    return {
        "predicted": np.bincount(place, predicted * (others + own), n_bins)[there] / rows[there],
        "share": np.bincount(place, own, n_bins)[there] / rows[there],
        "rows": rows[there] / _n_repeats(tallies),
    }


def class_counts_by_value(tallies: Sequence[Tally], positive: int = 1) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Predicted probabilities of a class ascending, and the rows of the other classes and of this one at each."""
    return _by_threshold(tallies, positive, probabilities=True)


def _by_threshold(
    tallies: Sequence[Tally], positive: int, probabilities: bool = False
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Predicted values ascending, and the rows of the other classes and of this one at each."""
    first = tallies[0]
    if first.answered not in ("probabilities", "decision") or (probabilities and first.answered == "decision"):
        raise ParameterError(f"there is no such curve of {first.answered}; it needs probabilities")
    if not 0 <= positive < len(first.labels):
        raise ParameterError(f"positive={positive}, but there are {len(first.labels)} classes; give one of their codes")
    kept = [tally.rows for tally in tallies if tally.rows is not None]
    if len(kept) == len(tallies):
        value = np.concatenate([of_class(rows.answer, positive)[rows.learned] for rows in kept])
        own = np.concatenate([rows.truth[rows.learned] == positive for rows in kept])
        values, place = np.unique(value, return_inverse=True)
        return values, np.bincount(place, ~own, len(values)), np.bincount(place, own, len(values))
    histograms = together(tallies).histograms
    if histograms is None:
        raise ParameterError("decision values that were summed have no curve; keep the rows, or give probabilities")
    values, others, own = histograms[0 if len(first.labels) == 2 else positive]
    if len(first.labels) == 2 and positive == 0:
        return (1 - values)[::-1], own[::-1], others[::-1]
    return values, others, own


def _n_repeats(tallies: Sequence[Tally]) -> int:
    return len({tally.repeat for tally in tallies})
