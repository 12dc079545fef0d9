"""Losses of rows whose mean is a metric: against scikit-learn's values and the variance of resampled rows."""

import numpy as np
import pytest
from sklearn import metrics as sk

from tamis.metrics import METRICS
from tamis.metrics.intervals.paired import difference, metric_losses


def _answers(k, n=300, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.choice(k, n, p=np.array([6, 3, 1])[:k] / sum([6, 3, 1][:k]))
    score = rng.normal(size=(n, k)) + 1.5 * (y[:, None] == np.arange(k))
    p = np.exp(score) / np.exp(score).sum(axis=1, keepdims=True)
    return y, np.round(p, 2) / np.round(p, 2).sum(axis=1, keepdims=True)  # with ties


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("name", ["accuracy", "balanced_accuracy", "roc_auc"])
def test_their_mean_is_the_metric(name, k):
    """Procedures would be compared by something else than what is quoted."""
    y, p = _answers(k)
    known = {
        "accuracy": sk.accuracy_score(y, p.argmax(axis=1)),
        "balanced_accuracy": sk.balanced_accuracy_score(y, p.argmax(axis=1)),
        "roc_auc": sk.roc_auc_score(y, p[:, 1] if k == 2 else p, multi_class="ovr"),
    }[name]
    assert metric_losses(METRICS[name], y, p).mean() == pytest.approx(1 - known)


def test_the_paired_error_of_areas_is_that_of_resampled_rows():
    """Two models would be told apart by their areas where chance explains the difference, or not where it does not."""
    y, p = _answers(2, 400)
    other = _answers(2, 400, 1)[1][:, 1] * 0.5 + p[:, 1] * 0.5
    q = np.column_stack([1 - other, other])
    losses = [metric_losses(METRICS["roc_auc"], y, one) for one in (p, q)]
    found = difference(losses[1], losses[0], np.ones(400))
    rng = np.random.default_rng(0)
    drawn = []
    for _ in range(600):
        rows = rng.integers(0, 400, 400)
        drawn.append(sk.roc_auc_score(y[rows], p[rows, 1]) - sk.roc_auc_score(y[rows], q[rows, 1]))
    assert found.error == pytest.approx(np.std(drawn), rel=0.12)


def test_a_metric_without_losses_of_rows_has_none():
    """A choice by a wrong loss would be made in silence."""
    y, p = _answers(3)
    assert metric_losses(METRICS["f1_macro"], y, p) is None
    assert metric_losses(METRICS["roc_auc"], np.zeros(len(y), dtype=int), p) is None
    assert metric_losses(METRICS["r2"], y.astype(float), p[:, 0]) is None
