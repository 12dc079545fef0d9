"""Judged rows one by one, and the sums over units of rows that every metric is a function of.

References
----------
DeLong, DeLong, Clarke-Pearson: Comparing the areas under two or more correlated receiver operating characteristic
curves. Biometrics 44 (1988).
Obuchowski: Nonparametric analysis of clustered ROC curve data. Biometrics 53 (1997).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np

from tamis.metrics import METRICS, Metric
from tamis.task import predicts_classes

#: No bin of probabilities reaches over a hundredth: counts at such thresholds are exact.
EDGES = np.arange(101) / 100

#: Steps of the rank of a probability.
N_BINS = 200

#: Means over rows that every tally of sums holds.
MEANS = {"probabilities": ("brier", "log_loss"), "numbers": ("mse", "mae")}


@dataclass(frozen=True, eq=False)
class Rows:
    """Judged rows one by one.

    Attributes
    ----------
    units : int64, the row (or the group) each judged row is of.
    truth : class codes or numbers.
    answer : numbers, decision values, or probabilities (rows × classes); None where only labels were answered.
    decided : codes of the answered labels; None for numbers and decision values.
    learned : False where the model could not know the row's class: wrong as a label, left out of probability metrics.
    reference : the mean target of the rows that the model was trained on; None for classes, or where it is not given.
    """

    units: np.ndarray
    truth: np.ndarray
    answer: np.ndarray | None
    decided: np.ndarray | None
    learned: np.ndarray
    reference: np.ndarray | None = None


@dataclass(frozen=True, eq=False)
class RowSums:
    """Judged rows as sums over units.

    Attributes
    ----------
    units : int64, the distinct units.
    values : name -> one sum a unit, or units × classes. Of all: "rows". Of classes: "truth", rows of each class, and
        "hit", those answered rightly. Of means over rows: the metric's name, and "learned", the rows they are over,
        where these are not all. Of numbers: "y" and "y2", the target and its square about `centre`, and "sst", its
        square about the mean of the training rows, where that is given. Of rankings: "ranks" and "shares"; a unit's
        influence on the mean of the folds' areas is ranks − area · shares.
    cells : confusion counts, truth × answer; None where no labels were answered.
    areas, ranked : the sum of the folds' areas under the ROC curve, and how many folds have one.
    sure : answers that leave no probability to any other class.
    centre : what "y" is about.
    count_scores : gives `histograms`, which few metrics need; None where there are none.
    """

    units: np.ndarray
    values: dict[str, np.ndarray]
    cells: np.ndarray | None = None
    areas: float = 0.0
    ranked: int = 0
    sure: int = 0
    centre: float = 0.0
    count_scores: Callable[[], tuple[np.ndarray, ...] | None] | None = None

    @cached_property
    def histograms(self) -> tuple[np.ndarray, ...] | None:
        """For the second of two classes, or for each of more, 3 × bins, by rising probability (see `binned_scores`).

        Mean predicted probability, rows of the other classes and rows of the class.
        """
        return None if self.count_scores is None else self.count_scores()

    @property
    def learned(self) -> np.ndarray:
        """Rows of each unit that count for means over rows."""
        return self.values.get("learned", self.values["rows"])


def sums_of(rows: Rows, answered: str, labels: tuple[Any, ...], means: Sequence[Metric]) -> RowSums:
    """The sums of judged rows, unit by unit; `means` are kept beside those of `MEANS`."""
    units, unit_of_row = np.unique(rows.units, return_inverse=True)
    k = len(labels)
    shape = (len(units), k)
    each: dict[str, np.ndarray] = {"rows": np.ones(len(unit_of_row))}
    by_class: dict[str, np.ndarray] = {}
    cells = count_scores = None
    areas, ranked, sure, centre = 0.0, 0, 0, 0.0
    if k:
        by_class["truth"] = _by_class(unit_of_row, rows.truth, shape)
    if rows.decided is not None:
        # a class that could not be learned is wrong whatever was answered
        right = (rows.decided == rows.truth) & rows.learned
        by_class["hit"] = _by_class(unit_of_row[right], rows.truth[right], shape)
        cells = np.bincount(rows.truth * k + rows.decided, minlength=k * k).reshape(k, k).astype(np.float64)
    if not rows.learned.all():
        each["learned"] = rows.learned.astype(np.float64)
    each |= _summands(rows, answered, labels, means)
    if answered == "numbers":
        centre = float(rows.truth.mean())
        each |= {"y": rows.truth - centre, "y2": (rows.truth - centre) ** 2}
        if rows.reference is not None:
            each["sst"] = (rows.truth - rows.reference) ** 2
    if answered in ("probabilities", "decision") and rows.answer is not None:
        areas, ranked, ranks = placements(rows.truth[rows.learned], rows.answer[rows.learned], k)
        each["ranks"], each["shares"] = np.zeros((2, len(unit_of_row)))
        each["ranks"][rows.learned], each["shares"][rows.learned] = ranks.T
    if answered == "probabilities" and rows.answer is not None:
        count_scores = partial(_histograms, rows.truth[rows.learned], rows.answer[rows.learned], k)
        sure = int((rows.answer.max(axis=1) > 1 - 1e-9).sum())
    values = {name: by_unit(unit_of_row, value, len(units)) for name, value in each.items()} | by_class
    for name in ("ranks", "shares") if ranked else ():
        values[name] = _short(values[name])
    return RowSums(units, values, cells, areas, ranked, sure, centre, count_scores)


def _summands(rows: Rows, answered: str, labels: tuple[Any, ...], means: Sequence[Metric]) -> dict[str, np.ndarray]:
    """The part of each row in every mean that is kept."""
    standard_metrics = [METRICS[name] for name in MEANS.get(answered, ())]
    summands: dict[str, np.ndarray] = {}
    for metric in [*standard_metrics, *means]:
        labelled = predicts_classes(metric.task) and metric.needs == "labels"
        answer = rows.decided if labelled else rows.answer
        if answer is None or metric.base in summands:
            continue
        if metric.base == "mape":
            nonzero = rows.truth != 0
            relative = np.abs(np.divide(rows.truth - answer, rows.truth, out=np.zeros(len(answer)), where=nonzero))
            summands |= {"mape": relative, "nonzero": nonzero.astype(np.float64)}
        elif metric.each is not None:
            value = metric.each(rows.truth, answer, np.asarray(labels))
            summands[metric.base] = np.where(rows.learned, -value if metric.negated else value, 0.0)
    return summands


def placements(truth: np.ndarray, answer: np.ndarray, k: int) -> tuple[float, int, np.ndarray]:
    """Area under the ROC curve (mean over the classes, each against the rest), and each row's rank and share.

    The rank is the mean over the classes of the row's placement (the share of rows of the other side that it is on the
    right side of) over the rows of its side; the share is the mean of one over the rows of its side.
    """
    ranks = np.zeros((len(truth), 2))
    counts = np.bincount(truth, minlength=k)
    if (counts == 0).any():
        return 0.0, 0, ranks
    curves = [1] if k == 2 else range(k)
    area = 0.0
    for code in curves:
        is_class = truth == code
        value, n_own, n_other = of_class(answer, code), int(is_class.sum()), int((~is_class).sum())
        distinct, rank = np.unique(value, return_inverse=True)
        with_own = np.bincount(rank[is_class], minlength=len(distinct))
        with_other = np.bincount(rank[~is_class], minlength=len(distinct))
        under_own = (np.cumsum(with_own) - with_own / 2) / n_own  # ties count by half
        under_other = (np.cumsum(with_other) - with_other / 2) / n_other
        placed = np.where(is_class, under_other[rank], 1 - under_own[rank])
        side = np.where(is_class, n_own, n_other)
        area += float(placed[is_class].mean()) / len(curves)
        ranks[:, 0] += placed / side / len(curves)
        ranks[:, 1] += 1 / side / len(curves)
    return area, 1, ranks


def _histograms(truth: np.ndarray, answer: np.ndarray, k: int) -> tuple[np.ndarray, ...]:
    codes = [1] if k == 2 else range(k)
    return tuple(binned_scores(answer[:, code], truth != code, truth == code) for code in codes)


def binned_scores(values: np.ndarray, negatives: np.ndarray, positives: np.ndarray) -> np.ndarray:
    r"""Predicted probabilities of two sides in bins that are fine wherever rows are, finest at both ends.

    With q the share of rows below a value, the mean of the two sides' shares, bins are equal steps of
    :math:`\arcsin(2 q - 1)`, cut at the hundredths of probability. No bin holds more than 1.6% of a side unless by
    ties, so that a curve is right to that wherever its rows lie: of a rare class all probabilities may lie between 0.01
    and 0.1.

    Parameters
    ----------
    values : predicted probabilities.
    negatives, positives : rows of the other classes and of the class at each value (counts, or True and False).

    Returns
    -------
    3 × bins: mean value, others, own; by rising value.

    References
    ----------
    Dunning, Ertl: Computing extremely accurate quantiles using t-digests. arXiv:1902.04023 (2019).

    >>> binned_scores(np.array([0.1, 0.1, 0.4]), np.array([1, 1, 0]), np.array([0, 0, 1])).tolist()
    [[0.1, 0.4], [2.0, 0.0], [0.0, 1.0]]
    """
    distinct, codes = np.unique(values, return_inverse=True)
    sides = np.array([np.bincount(codes, side, len(distinct)) for side in (negatives, positives)])
    totals = sides.sum(axis=1, keepdims=True)
    shares = (sides / np.maximum(totals, 1)).sum(axis=0) / max(1, int((totals > 0).sum()))
    below = np.clip(np.cumsum(shares) - shares / 2, 0.0, 1.0)
    step = np.minimum((np.arcsin(2 * below - 1) / np.pi + 0.5) * N_BINS, N_BINS - 1).astype(np.int64)
    edge = np.searchsorted(EDGES[1:-1], distinct, side="right")
    first = np.flatnonzero(np.r_[True, (np.diff(step) != 0) | (np.diff(edge) != 0)][: len(distinct)])
    counts = np.add.reduceat(sides, first, axis=1)
    mean = np.add.reduceat(distinct * sides.sum(axis=0), first) / np.maximum(counts.sum(axis=0), 1)
    low, high = EDGES[edge[first]], EDGES[edge[first] + 1]  # rounding must not carry a mean over an edge
    return np.array([np.clip(_short(mean), low, np.where(high < 1, np.nextafter(high, 0), 1.0)), *counts])


def _short(values: np.ndarray) -> np.ndarray:
    """Seven digits: enough for a variance, and half the length in a file."""
    digits = 6 - np.floor(np.log10(np.abs(values), out=np.zeros_like(values), where=values != 0))
    scale = 10.0 ** np.minimum(digits, 22)  # exact powers, so that the quotient is the shortest decimal
    return np.asarray(np.round(values * scale) / scale)


def _by_class(unit_of_row: np.ndarray, codes: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
    """Rows of each unit and class."""
    n_units, k = shape
    return np.bincount(unit_of_row * k + codes, minlength=n_units * k).reshape(shape).astype(np.float64)


def by_unit(unit_of_row: np.ndarray, values: np.ndarray, n_units: int) -> np.ndarray:
    """Values of rows (or rows × columns) summed in each unit; place: the unit of each row."""
    if values.ndim == 1:
        return np.bincount(unit_of_row, values, n_units)
    return np.column_stack([np.bincount(unit_of_row, column, n_units) for column in values.T])


def of_class(answer: Any, positive: int) -> np.ndarray:
    """Probabilities or decision values of a class."""
    if answer.ndim == 2:
        return np.asarray(answer[:, positive])
    return np.asarray(answer if positive == 1 else -answer)
