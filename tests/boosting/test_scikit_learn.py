"""Where every value has a bin of its own, the model is that of scikit-learn's histogram gradient boosting."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from threadpoolctl import threadpool_limits

from tamis.boosting import BoostingClassifier, BoostingRegressor

ROUNDS = 30
#: scikit-learn keeps gradients in 4 bytes, so that sums agree to some 7 digits.
CLOSE = 1e-6


@pytest.fixture(autouse=True)
def _one_thread():
    """Threads of OpenMP that wait for a busy processor took half a minute."""
    with threadpool_limits(1, "openmp"):
        yield


def tables(n, holes, words, seed=0):
    """The same rows for both: codes for scikit-learn, words for Tamis."""
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(n, 5)) * 20)
    X[:, 4] = rng.integers(0, 12, n)
    X[rng.random(X.shape) < holes] = np.nan
    full = np.nan_to_num(X)
    y = np.sin(full[:, 0] / 20) + full[:, 1] * full[:, 2] / 400 + (full[:, 4] % 3 == 1) + 0.5 * rng.normal(size=n)
    frame = pd.DataFrame(X, columns=list("abcde"))
    if words:
        frame["e"] = pd.Categorical([None if np.isnan(v) else f"l{int(v):02d}" for v in X[:, 4]])
    return X, frame, y, {"categorical_features": [4] if words else None, "early_stopping": False}


@pytest.mark.parametrize("n", [200, 3000])
@pytest.mark.parametrize("holes", [0.0, 0.1])
@pytest.mark.parametrize("words", [False, True])
def test_numbers_agree(n, holes, words):
    """Gains, missing values, sets of levels, limits or the order of splits would be others."""
    X, frame, y, given = tables(n, holes, words)
    theirs = HistGradientBoostingRegressor(max_iter=ROUNDS, **given).fit(X, y)
    np.testing.assert_allclose(BoostingRegressor(ROUNDS).fit(frame, y).predict(frame), theirs.predict(X), atol=CLOSE)
    weight = np.random.default_rng(1).uniform(0.5, 2.0, n)
    weight /= weight.mean()  # as they are for Tamis, whatever their scale
    settings = {"learning_rate": 0.3, "max_depth": 4, "l2_regularization": 2.0, "min_samples_leaf": 10}
    theirs = HistGradientBoostingRegressor(max_iter=ROUNDS, **given, **settings).fit(X, y, weight)
    ours = BoostingRegressor(ROUNDS, **settings).fit(frame, y, weight)
    np.testing.assert_allclose(ours.predict(frame), theirs.predict(X), atol=CLOSE)


@pytest.mark.parametrize(("n", "holes", "words"), [(200, 0.0, True), (3000, 0.0, False), (3000, 0.1, False)])
def test_counts_agree(n, holes, words):
    """Gradients, hessians or the baseline of the Poisson loss would be others."""
    X, frame, y, given = tables(n, holes, words)
    counts = np.random.default_rng(2).poisson(np.exp(0.5 * y))
    settings = {"learning_rate": 0.3, "l2_regularization": 2.0}
    theirs = HistGradientBoostingRegressor(loss="poisson", max_iter=ROUNDS // 3, **given, **settings).fit(X, counts)
    ours = BoostingRegressor(ROUNDS // 3, loss="poisson", **settings).fit(frame, counts)
    np.testing.assert_allclose(ours.predict(frame), theirs.predict(X), rtol=CLOSE)


@pytest.mark.parametrize(("n", "holes", "words"), [(200, 0.0, True), (3000, 0.0, False), (3000, 0.1, False)])
def test_classes_agree(n, holes, words):
    """Gradients, hessians or baselines would be others."""
    X, frame, y, given = tables(n, holes, words)
    for target in (y > 0.3, np.digitize(y, [-0.5, 0.5, 1.0])):
        theirs = HistGradientBoostingClassifier(max_iter=ROUNDS, **given).fit(X, target)
        ours = BoostingClassifier(ROUNDS).fit(frame, target)
        np.testing.assert_allclose(ours.predict_proba(frame), theirs.predict_proba(X), atol=CLOSE)


def test_where_rounding_decides_a_tie_the_loss_agrees():
    """Two splits of equal gain: 4 bytes choose one, 8 bytes the other, and neither may be worse."""
    X, frame, y, given = tables(3000, 0.1, True)
    target = np.digitize(y, [-0.5, 0.5, 1.0])
    train, test, at = slice(0, 2000), slice(2000, None), np.arange(1000)
    losses = [
        -np.log(model.fit(x[train], target[train]).predict_proba(x[test])[at, target[test]]).mean()
        for model, x in (
            (BoostingClassifier(ROUNDS), frame),
            (HistGradientBoostingClassifier(max_iter=ROUNDS, **given), X),
        )
    ]
    assert losses[0] == pytest.approx(losses[1], rel=0.03)


def test_new_rows_agree_where_nothing_is_tied():
    """Thresholds would lie elsewhere between two values."""
    X, frame, y, given = tables(3000, 0.0, False)
    theirs = HistGradientBoostingRegressor(max_iter=ROUNDS, **given).fit(X[:2000], y[:2000])
    ours = BoostingRegressor(ROUNDS).fit(frame[:2000], y[:2000])
    np.testing.assert_allclose(ours.predict(frame[2000:]), theirs.predict(X[2000:]), atol=CLOSE)


def test_columns_of_many_values_do_as_well():
    """Bins of nearly equal numbers of rows would be worse than quantiles."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4000, 5))
    y = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.5 * rng.normal(size=4000)
    train, test = slice(0, 2000), slice(2000, None)
    errors = [
        np.mean((model.fit(X[train], y[train]).predict(X[test]) - y[test]) ** 2)
        for model in (BoostingRegressor(), HistGradientBoostingRegressor(early_stopping=False))
    ]
    assert errors[0] == pytest.approx(errors[1], rel=0.03)
