"""Batches of rows: the quick way gives what one row at a time gives, bit for bit."""

import numpy as np
import pandas as pd
import pytest

from tamis import ForestClassifier, ForestRegressor
from tamis.forest.layout import CATEGORY

N = 1_003  # several blocks, the last one not full, and not a multiple of the rows that go down side by side


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N, 6))
    return X, X[:, 0] * X[:, 1] + X[:, 2]


def one_by_one(answers, X):
    return np.concatenate([answers(X[i : i + 1]) for i in range(len(X))])


def test_complete_rows(table):
    """A batch would answer otherwise than its rows alone."""
    X, z = table
    y = np.digitize(z, [-0.5, 0.5])
    forest = ForestClassifier(9, n_jobs=2).fit(X[:600], y[:600])
    assert np.array_equal(forest.predict_proba(X), one_by_one(forest.predict_proba, X))
    numbers = ForestRegressor(9, n_jobs=2).fit(X[:600], z[:600])
    assert np.array_equal(numbers.predict(X), one_by_one(numbers.predict, X))


def test_values_at_a_threshold_and_far_off(table):
    """Ties with a threshold, or values far above all, would send rows astray in a batch."""
    X, z = table
    forest = ForestRegressor(9).fit(X, z)
    splits = forest.trees_.nodes[forest.trees_.nodes["left"] >= 0]
    at = X.copy()
    for j in range(X.shape[1]):
        at[:, j] = np.resize(splits["threshold"][splits["column"] % (1 << 28) == j], N)
    at[::7] = 1e300
    at[::11] = -1e300
    assert np.array_equal(forest.predict(at), one_by_one(forest.predict, at))


def test_missing_values_and_categories(table):
    """Rows with missing values, or trees that split on categories, would go the way that knows neither."""
    X, z = table
    holes = X.copy()
    holes[5::9, 1] = np.nan
    forest = ForestRegressor(9).fit(holes, z)
    assert np.array_equal(forest.predict(holes), one_by_one(forest.predict, holes))
    assert np.array_equal(forest.predict(X), one_by_one(forest.predict, X))
    frame = pd.DataFrame(X, columns=list("abcdef"))
    frame["g"] = pd.Categorical(np.where(z > 0, "up", "down"))
    words = ForestRegressor(9).fit(frame, z)
    assert np.array_equal(words.predict(frame), one_by_one(words.predict, frame))
    assert np.mean((words.predict(frame) - z) ** 2) < np.mean((forest.predict(X) - z) ** 2)


@pytest.mark.parametrize("n_levels", [2, 40, 63, 64, 65, 150])
def test_many_levels_missing_and_unseen_ones(table, n_levels):
    """Sets of levels are looked up in one word of 64 bits where they fit; beyond, rows could go astray."""
    X, z = table
    rng = np.random.default_rng(n_levels)
    shift = rng.normal(size=n_levels)
    level = rng.integers(n_levels, size=N)
    words = np.array([f"l{k:03d}" for k in level], dtype=object)
    words[3::17] = None
    frame = pd.DataFrame(X[:, :3], columns=list("abc")).assign(word=pd.Categorical(words))
    frame.loc[5::13, "a"] = np.nan
    forest = ForestRegressor(9, min_samples_leaf=3).fit(frame[:600], z[:600] + 2 * shift[level[:600]])
    asked = forest.trees_.nodes[forest.trees_.nodes["left"] >= 0]["column"]
    assert (asked & CATEGORY != 0).any()
    new = frame.assign(word=frame["word"].cat.add_categories("unseen"))
    new.loc[7::19, "word"] = "unseen"
    for rows in (frame, new):
        assert np.array_equal(forest.predict(rows), one_by_one(forest.predict, rows))
