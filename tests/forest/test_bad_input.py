"""Bad input gets a sentence, and odd input an answer, as with single trees."""

import numpy as np
import pandas as pd
import pytest

from tamis.forest import ForestClassifier, ForestRegressor


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"n_estimators": 0}, "n_estimators=0"),
        ({"min_samples_leaf": 0}, "min_samples_leaf=0"),
        ({"min_samples_split": 1}, "min_samples_split=1"),
        ({"max_depth": 0}, "max_depth=0"),
        ({"max_features": "squrt"}, "did you mean 'sqrt'"),
        ({"max_features": 9}, "max_features=9"),
        ({"max_samples": 0}, "max_samples=0"),
        ({"max_samples": 1.5}, "max_samples=1.5"),
        ({"max_samples": 20, "bootstrap": False}, "only 8 rows"),
        ({"bootstrap": "balance"}, "bootstrap='balance'"),
        ({"voting": "mean"}, "voting='mean'"),
        ({"splits": "obliqe"}, "did you mean 'oblique'"),
        ({"thresholds": "any"}, "thresholds='any'"),
        ({"min_weight_fraction_leaf": 0.7}, "min_weight_fraction_leaf=0.7"),
        ({"loss_matrix": [[0, 1, 1]]}, "shape"),
        ({"loss_matrix": [[0, -1], [1, 0]]}, "costs of at least 0"),
    ],
)
def test_bad_parameters_get_a_sentence(params, words):
    """If this fails, a wrong parameter is swallowed or fails far from its cause."""
    with pytest.raises(ValueError, match=words):
        ForestClassifier(**{"n_estimators": 3, **params}).fit(np.arange(8.0)[:, None], [0, 1] * 4)


@pytest.mark.parametrize(
    ("X", "y", "weight", "words"),
    [
        ([[1.0], [np.inf]], [0, 1], None, "infinite value"),
        ([[1.0], [2.0]], [0, 1, 1], None, "inconsistent|rows"),
        ([[1.0], [2.0]], [0, np.nan], None, "NaN|missing"),
        ([[1.0], [2.0]], [0, 1], [1.0, -1.0], "negative|weight"),
        ([[1.0], [2.0]], [0, 1], [0.0, 0.0], "zero|weight"),
        (np.empty((0, 2)), [], None, "0 sample|row"),
        (np.empty((3, 0)), [0, 1, 0], None, "0 feature|column"),
    ],
)
@pytest.mark.parametrize("kind", [ForestClassifier, ForestRegressor])
def test_bad_tables_get_a_sentence(kind, X, y, weight, words):
    """If this fails, a broken table is swallowed or fails deep in a kernel."""
    with pytest.raises(ValueError, match=words):
        kind(3).fit(X, y, sample_weight=weight)


def test_words_about_classes_are_refused_for_numbers():
    """If this fails, drawing as many rows of each class is silently ignored where there is none."""
    with pytest.raises(ValueError, match="use it for classes"):
        ForestRegressor(3, bootstrap="balanced").fit([[1.0], [2.0]], [0.0, 1.0])


def test_other_columns_at_prediction_get_a_sentence():
    """If this fails, rows with other columns are answered all the same."""
    X = pd.DataFrame({"a": [1.0, 2, 3, 4], "b": [1.0, 0, 1, 0]})
    forest = ForestClassifier(3).fit(X, [0, 0, 1, 1])
    with pytest.raises(ValueError, match="missing:\n- b"):
        forest.predict(X[["a"]])


@pytest.mark.parametrize("kind", [ForestClassifier, ForestRegressor])
def test_odd_tables_are_answered(kind):
    """If this fails, an odd but legal table breaks growing or prediction."""
    rng = np.random.default_rng(0)
    signal = rng.integers(0, 2, 60)
    n_levels = 60_000
    many = pd.DataFrame(
        {"code": pd.Categorical.from_codes(rng.integers(0, n_levels, 60), range(n_levels)), "x": signal}
    )
    empty = pd.DataFrame({"none": np.full(60, np.nan), "same": np.ones(60), "x": signal.astype(float)})
    twice = pd.DataFrame(np.repeat(rng.normal(size=(30, 2)), 2, axis=0), columns=["a", "b"]).assign(x=signal)
    for X in (many, empty, twice):
        forest = kind(30, max_features=None).fit(X, signal)
        assert np.array_equal(np.round(forest.predict(X)), signal)
        assert forest.permutation_importance().ranking[0] == "x"
    weight = np.where(np.arange(60) < 30, 0.0, 1.0)
    wrong = np.where(weight == 0, 1 - signal, signal)
    forest = kind(30, max_features=None).fit(empty, wrong, sample_weight=weight)
    assert np.array_equal(np.round(forest.predict(empty)), signal)
    alone = kind(3).fit([[1.0], [1.0]], [1, 1])
    assert alone.predict([[5.0]])[0] == 1


def test_long_chains_do_not_recurse():
    """If this fails, a degenerate table overflows the stack: alternating classes make trees thousands of nodes deep."""
    X = np.arange(6_000.0)[:, None]
    y = np.arange(6_000) % 2
    forest = ForestClassifier(2, bootstrap=False).fit(X, y)
    assert np.array_equal(forest.predict(X), y)
