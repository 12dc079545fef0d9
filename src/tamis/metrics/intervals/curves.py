"""Confusion matrix, ROC curve and calibration curve of judged rows."""

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
    threshold, negatives, positives = _by_threshold(tallies, positive)
    negatives, positives = np.cumsum(negatives[::-1]), np.cumsum(positives[::-1])
    return {
        "false_positive": np.r_[0.0, negatives / max(negatives[-1], 1)],
        "true_positive": np.r_[0.0, positives / max(positives[-1], 1)],
        "threshold": np.r_[np.inf, threshold[::-1]],
    }


def calibration(tallies: Sequence[Tally], positive: int = 1, n_bins: int = 10) -> dict[str, np.ndarray]:
    """Predicted probability of a class against its share, in bins of equal width; empty bins are left out.

    From sums, too, shares and rows are exact, and the predicted mean to seven digits, where n_bins divides 100.
    """
    predicted, negatives, positives = _by_threshold(tallies, positive, probabilities=True)
    bin_of_value = np.minimum((predicted * n_bins).astype(np.int64), n_bins - 1)
    rows = np.bincount(bin_of_value, negatives + positives, n_bins)
    occupied = rows > 0
    return {
        "predicted": np.bincount(bin_of_value, predicted * (negatives + positives), n_bins)[occupied] / rows[occupied],
        "share": np.bincount(bin_of_value, positives, n_bins)[occupied] / rows[occupied],
        "rows": rows[occupied] / _n_repeats(tallies),
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
    row_blocks = [tally.rows for tally in tallies if tally.rows is not None]
    if len(row_blocks) == len(tallies):
        value = np.concatenate([of_class(rows.answer, positive)[rows.learned] for rows in row_blocks])
        positives = np.concatenate([rows.truth[rows.learned] == positive for rows in row_blocks])
        values, codes = np.unique(value, return_inverse=True)
        return values, np.bincount(codes, ~positives, len(values)), np.bincount(codes, positives, len(values))
    histograms = together(tallies).histograms
    if histograms is None:
        raise ParameterError("decision values that were summed have no curve; keep the rows, or give probabilities")
    values, negatives, positives = histograms[0 if len(first.labels) == 2 else positive]
    if len(first.labels) == 2 and positive == 0:
        return (1 - values)[::-1], positives[::-1], negatives[::-1]
    return values, negatives, positives


def _n_repeats(tallies: Sequence[Tally]) -> int:
    return len({tally.repeat for tally in tallies})
