"""The best one-split model of a column by any metric, where no kernel knows the metric."""

from collections.abc import Iterator

import numpy as np

from tamis.errors import ParameterError
from tamis.metrics import METRICS, Metric, utility
from tamis.score.criterion import Target
from tamis.table import Column

MAX_CUTS = 255  # thresholds tried per column, evenly spread over its distinct values


def best_split_score(column: Column, target: Target, metric: Metric) -> float:
    """The metric, larger is better, of the best model that splits the rows once by a column.

    Each side predicts its mean (the median for absolute errors), its class shares, or a class. Two classes are tried
    both ways round; otherwise each side predicts its most frequent class. A column that cannot be split scores as
    a prediction without it.
    """
    truth = target.values if target.codes is None else target.codes
    assert truth is not None
    splits = list(_splits(column, truth, target.n_classes))
    if not splits:
        splits = [np.zeros(len(truth), dtype=bool)]
    labels = np.arange(target.n_classes)
    return max(
        float(utility(metric, metric.value(truth, answer, labels)))
        for left in splits
        for answer in _answers(left, truth, target.n_classes, metric)
    )


def refuse_model_metric(metric: Metric) -> None:
    """Raise where a metric reads a fitted model: a split is none."""
    if metric.needs == "model":
        names = ", ".join(name for name in METRICS if not name.endswith(("_macro", "_micro", "_weighted")))
        raise ParameterError(f"metric={metric.name!r} needs a fitted model; give f(y_true, y_pred) or one of {names}")


def _splits(column: Column, truth: np.ndarray, n_classes: int) -> Iterator[np.ndarray]:
    """Masks of the rows that go left; rows without a value on either side."""
    missing = column.missing
    if missing.all():
        return
    for values in _orders(column, truth, n_classes):
        distinct = np.unique(values[~missing])
        cuts = distinct if missing.any() else distinct[:-1]
        if len(cuts) > MAX_CUTS:
            cuts = cuts[np.linspace(0, len(cuts) - 1, MAX_CUTS).round().astype(np.int64)]
        for cut in cuts:
            left = ~missing & (values <= cut)
            yield left
            if missing.any() and not (left | missing).all():
                yield left | missing


def _orders(column: Column, truth: np.ndarray, n_classes: int) -> Iterator[np.ndarray]:
    """Values in which a threshold is a split: numbers as they are, levels by the mean of the target in each."""
    if not column.is_categorical:
        yield np.asarray(column.values, dtype=np.float64)
        return
    codes = np.where(column.missing, 0, column.values).astype(np.int64)
    is_observed = (~column.missing).astype(np.float64)
    size = np.maximum(np.bincount(codes, is_observed), 1e-300)
    for index in [0] if n_classes == 0 else range(1, 2) if n_classes == 2 else range(n_classes):
        height = truth if n_classes == 0 else (truth == index).astype(np.float64)
        yield np.argsort(np.argsort(np.bincount(codes, is_observed * height) / size, kind="stable"))[codes]


def _answers(left: np.ndarray, truth: np.ndarray, n_classes: int, metric: Metric) -> Iterator[np.ndarray]:
    """Predictions of the two sides, in the form the metric reads."""
    sides = (left, ~left) if left.any() else (~left, ~left)
    if n_classes == 0:
        middle = np.median if metric.base == "mae" else np.mean
        yield np.where(left, middle(truth[sides[0]]), middle(truth[sides[1]]))
        return
    shares = np.array([np.bincount(truth[side], minlength=n_classes) / side.sum() for side in sides])
    if metric.needs == "labels":
        pairs = {(int(shares[0].argmax()), int(shares[1].argmax()))} | ({(0, 1), (1, 0)} if n_classes == 2 else set())
        for first, second in sorted(pairs):
            yield np.where(left, first, second)
        return
    each = np.where(left[:, None], shares[0], shares[1])
    yield each[:, 1] if metric.needs == "decision" and n_classes == 2 else each
