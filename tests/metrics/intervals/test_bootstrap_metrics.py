"""Metrics under row weights: the same number as on the rows repeated."""

import numpy as np
import pytest

from tamis.metrics import METRICS, find, prepare
from tamis.metrics.intervals.bootstrap_metrics import bootstrap_metric

RNG = np.random.default_rng(0)
N = 50


def case(metric, k):
    if metric.task == "regression":
        y = np.round(RNG.gamma(2.0, size=N), 1)
        return prepare(metric, y, RNG.gamma(2.0, size=N))
    labels = np.arange(k)
    y = np.r_[labels, RNG.integers(0, k, N - k)]
    if metric.needs == "labels":
        return prepare(metric, y, RNG.integers(0, k, N), labels)
    raw = np.round(RNG.random((N, k)), 1) + 0.05  # rounded, so that there are ties
    return prepare(metric, y, raw / raw.sum(axis=1, keepdims=True), labels)


@pytest.mark.parametrize("name", [*METRICS, "neg_root_mean_squared_error", "neg_mean_squared_error"])
@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.filterwarnings("ignore:No positive class found")
def test_weights_are_repetitions(name, k):
    """A bootstrap under another formula than the score would give an interval of another number."""
    metric = find(name, classes=METRICS.get(name, METRICS["mse"]).task == "classification")
    truth, given, labels = case(metric, k)
    weights = RNG.integers(0, 3, (40, N)).astype(float)
    weights[:, :k] += 1  # every class stays
    values = bootstrap_metric(metric, truth, given, labels, weights)
    for value, weight in zip(values, weights):
        again = np.repeat(np.arange(N), weight.astype(int))
        assert value == pytest.approx(metric.value(truth[again], given[again], labels), rel=1e-10, abs=1e-12)


@pytest.mark.parametrize("name", ["accuracy", "f1", "roc_auc", "balanced_accuracy", "matthews", "r2", "rmse", "mape"])
def test_no_rows_give_no_number(name):
    """An empty draw must be left out, not counted as 0."""
    metric = METRICS[name]
    truth, given, labels = case(metric, 2)
    with np.errstate(all="ignore"):
        assert np.isnan(bootstrap_metric(metric, truth, given, labels, np.zeros((1, N)))[0])
