"""The metric of a bare score is read from the scores of constant answers."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from tamis.evaluate.chance.reference import (
    almost_equal_rows,
    blind,
    coin_table,
    equal_rows,
    noise_table,
    recognised,
    telling_table,
    unequal,
)
from tamis.metrics import find, prepare


def constant_model(metric, labels):
    """The score of a model that answers the largest class, its shares, or the mean."""

    def score(y):
        known, counts = np.unique(y, return_counts=True)
        if metric.task == "regression":
            given = np.full(len(y), y.mean())
        elif metric.needs == "labels":
            given = np.full(len(y), known[counts.argmax()])
        elif metric.needs == "decision":
            given = np.full((len(y), len(labels)), 1 / len(labels))
        else:
            given = np.tile(counts / counts.sum(), (len(y), 1))
        return float(metric.value(*prepare(metric, y, given, labels)))

    return score


@pytest.mark.parametrize("labels", [np.array([0, 1]), np.array(["a", "b", "c"])])
@pytest.mark.parametrize(
    "name",
    [
        *("accuracy", "balanced_accuracy", "f1_macro", "f1_weighted", "matthews", "kappa", "roc_auc"),
        *("average_precision", "neg_log_loss", "neg_brier", "neg_error"),
    ],
)
def test_metrics_of_classes_are_recognised(name, labels):
    """Chance of another metric would flag the honest, or pass the leaking."""
    metric = find(name, classes=True)
    score = constant_model(metric, labels)
    found = {known.base for known in recognised([score, score], labels[np.arange(90) % len(labels)], labels)}
    assert metric.base in found
    y = np.arange(90) % 2
    chance = {round(value, 2) for known in found for value in blind(find(known, classes=True), y, np.array([0, 1]))}
    assert len(chance) == 1 or len(labels) > 2  # metrics that cannot be told apart have the same chance


@pytest.mark.parametrize("name", ["r2", "neg_mse", "neg_mae", "neg_rmse"])
@pytest.mark.parametrize("scale", [0.1, 1.0, 30.0])
def test_metrics_of_numbers_are_recognised_by_their_units(name, scale):
    """With a variance of 1, or 0.1, squares, distances and R² are alike in size but not in units."""
    y = np.random.default_rng(0).normal(0, scale, 80)
    metric = find(name, classes=False)
    score = constant_model(metric, None)
    assert [known.base for known in recognised([score, score], y, None)] == [metric.base]


def test_a_metric_nobody_knows_is_not_recognised():
    """A gain in money must be measured, not taken for an accuracy."""
    score = lambda y: 17.0 + np.mean(y == 0)  # noqa: E731
    assert recognised([score, score], np.arange(40) % 2, np.array([0, 1])) == []
    failing = lambda y: float("nan")  # noqa: E731
    assert recognised([failing, failing], np.arange(40) % 2, np.array([0, 1])) == []


def test_drawn_answers_bound_what_no_constant_reaches():
    """F1 over both classes of answers in the classes' shares is a half, of the best constant 0.46."""
    y = np.repeat([0, 1], [85, 15])
    labels = np.array([0, 1])
    assert blind(find("f1_macro", classes=True), y, labels)[0] == pytest.approx(0.5, abs=0.02)
    low, high = blind(find("f1", classes=True), y, labels)
    assert low == pytest.approx(0.15, abs=0.03)
    assert high == pytest.approx(2 * 0.15 / 1.15)
    assert blind(find("accuracy", classes=True), y, labels) == [0.85]


def table(make):
    rng = np.random.default_rng(0)
    X = rng.normal(3, 2, size=(40, 4))
    if make is np.asarray:
        return X
    columns = {f"c{j}": X[:, j] for j in range(4)}
    frame = make({**columns, "word": rng.choice(["u", "v", "w"], 40)})
    if make is pd.DataFrame:
        frame.index = np.arange(100, 140)
    return frame


@pytest.mark.parametrize("make", [np.asarray, pd.DataFrame, pl.DataFrame])
@pytest.mark.parametrize("kind", [coin_table, noise_table, equal_rows, almost_equal_rows])
def test_reference_tables_hold_one_column_only(make, kind):
    """A table in which columns differ leaves something to select."""
    X = table(make)
    made = kind(X, 0, 1)
    assert type(made) is type(X)
    assert made.shape == X.shape
    if make is not np.asarray:
        assert list(made.columns) == list(X.columns)
        assert set(made["word"]) <= {"u", "v", "w"}
    if make is pd.DataFrame:
        assert made.index.equals(X.index)
    values = np.asarray(made)[:, :4].astype(float)
    distinct = {coin_table: 2, noise_table: 40, equal_rows: 1}.get(kind)
    if distinct is None:
        assert [len(np.unique(values[:, j])) for j in range(4)] == [40, 1, 1, 1]
        return
    assert [len(np.unique(values[:, j])) for j in range(4)] == [distinct] * 4
    if distinct > 1:
        assert np.abs(np.corrcoef(values.T)) == pytest.approx(np.ones((4, 4)))
    low, high = np.asarray(X)[:, :4].astype(float).min(axis=0), np.asarray(X)[:, :4].astype(float).max(axis=0)
    assert (values >= low - 0.05).all()
    assert (values <= high + 0.05).all()


def test_a_column_of_equal_rows_has_no_variance_at_all():
    """A variance of 1e-33 is a column to select."""
    made = equal_rows(np.random.default_rng(0).normal(size=(61, 50)), 0, 0)
    assert (made.var(axis=0) == 0).all()
    assert ((made**2).sum(axis=0) - made.sum(axis=0) ** 2 / 61 == 0).all()


def test_a_telling_table_tells():
    """Which way a score points is seen where there is something to learn."""
    X, labels = table(np.asarray), np.array(["a", "b"])
    y = unequal(40, labels)[0]
    made = telling_table(X, y, labels, 0, 0)
    assert len(np.unique(made[y == "a"], axis=0)) == len(np.unique(made[y == "b"], axis=0)) == 1
    target = np.random.default_rng(1).normal(size=40)
    assert np.corrcoef(telling_table(X, target, None, 0, 0)[:, 2], target)[0, 1] == pytest.approx(1)
