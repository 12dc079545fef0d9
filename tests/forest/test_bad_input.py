"""Bad input gets a sentence, and odd input an answer, as with single trees."""

import re
import warnings

import numpy as np
import pandas as pd
import pytest

from tamis.forest import ForestClassifier, ForestRegressor
from tamis.tree import TreeClassifier, TreeRegressor


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
        ({"stop_when_stable": True, "oob_score": False}, "stop_when_stable=True"),
    ],
)
def test_bad_parameters_get_a_sentence(params, words):
    """If this fails, a wrong parameter is swallowed or fails far from its cause."""
    with pytest.raises(ValueError, match=words):
        ForestClassifier(**{"n_estimators": 3, **params}).fit(np.arange(8.0)[:, None], [0, 1] * 4)


X8, Y8 = np.arange(8.0)[:, None], np.array([0, 1] * 4)

TABLES = {  # X, y, weight, words
    "infinite": ([[1.0], [np.inf]], [0, 1], None, "column 'x0' holds an infinite value .* row 2"),
    "lengths": (X8, [0, 1, 1], None, "inconsistent numbers of samples"),
    "missing target": (X8[:2], [0, np.nan], None, "y contains NaN"),
    "infinite target": (X8[:2], [0, np.inf], None, "y contains infinity"),
    "no target": (X8, None, None, "target y is None"),
    "negative weight": (X8, Y8, [-1.0] + [1.0] * 7, r"sample_weight\[0\]=-1.0"),
    "missing weight": (X8, Y8, [1.0] * 7 + [np.nan], r"sample_weight\[7\]=nan"),
    "no weight": (X8, Y8, np.zeros(8), "all weights in sample_weight are zero"),
    "too few weights": (X8, Y8, [1.0], "sample_weight has shape"),
    "matrix of weights": (X8, Y8, np.ones((8, 1)), "sample_weight has 2 dimensions"),
    "no rows": (np.empty((0, 2)), [], None, "0 sample"),
    "no columns": (np.empty((3, 0)), [0, 1, 0], None, "0 feature"),
    "one dimension": (X8[:, 0], Y8, None, "Expected 2D array"),
    "three dimensions": (X8[:, :, None], Y8, None, "dim 3"),
    "complex": (X8 + 1j, Y8, None, "Complex data not supported"),
    "twins": (pd.DataFrame(np.ones((8, 2)), columns=["a", "a"]), Y8, None, "'a' appears more than once"),
}
PARAMETERS = {
    "min_samples_leaf": (0, 1.5, "2"),
    "min_samples_split": (1, 0.0, None),
    "max_depth": (0, 2.5, True),
    "loss_matrix": ([[0, 1, 1]], [[1, 1], [1, 0]], [[0, np.nan], [1, 0]], "cost"),
    "class_weight": ("balance", {0: 1, 5: 2}, {0: -1.0}, 3),
}
NEW = {
    "other names": (pd.DataFrame(X8, columns=["b"]), "unseen at fit time:\n- b"),
    "more columns": (np.ones((2, 3)), "X has 3 features"),
    "infinite": (pd.DataFrame({"a": [1.0, -np.inf]}), "column 'a' holds an infinite value .* row 2"),
    "words": (pd.DataFrame({"a": ["u", "v"]}), "column 'a' held numbers in fit and holds categories now"),
    "no rows": (pd.DataFrame({"a": np.empty(0)}), "0 sample"),
    "one dimension": (np.ones(3), "Expected 2D array"),
}


def sentence(forest, tree, act):
    """What a forest says; a single tree says the same."""
    said = []
    for model in (forest, tree):
        with pytest.raises((ValueError, TypeError)) as caught:
            act(model)
        said.append(str(caught.value).replace(type(model).__name__, "model"))
    assert said[0] == said[1]
    return said[0]


KINDS = [(ForestClassifier, TreeClassifier), (ForestRegressor, TreeRegressor)]


@pytest.mark.parametrize(("forest", "tree"), KINDS)
@pytest.mark.parametrize("case", TABLES)
def test_bad_tables_get_the_sentence_of_single_trees(forest, tree, case):
    """If this fails, a broken table is swallowed or fails deep in a kernel."""
    X, y, weight, words = TABLES[case]
    assert re.search(words, sentence(forest(3), tree(), lambda model: model.fit(X, y, sample_weight=weight)))


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in PARAMETERS.items() for value in values])
def test_bad_parameters_get_the_sentence_of_single_trees(name, value):
    """If this fails, a wrong parameter is swallowed, or the sentence does not name it."""
    given = {name: value}
    assert name in sentence(ForestClassifier(3, **given), TreeClassifier(**given), lambda model: model.fit(X8, Y8))


@pytest.mark.parametrize(("forest", "tree"), KINDS)
@pytest.mark.parametrize("case", NEW)
def test_bad_new_rows_get_the_sentence_of_single_trees(forest, tree, case):
    """If this fails, rows unlike those of fit are answered all the same."""
    frame, (X, words) = pd.DataFrame({"a": X8[:, 0]}), NEW[case]
    fitted = forest(3).fit(frame, Y8), tree().fit(frame, Y8)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # arrays have no names
        assert re.search(words, sentence(*fitted, lambda model: model.predict(X)))


@pytest.mark.parametrize("value", [0, "two", 1.5])
def test_a_bad_number_of_threads_gets_a_sentence(value):
    """If this fails, n_jobs is swallowed or fails far from its cause."""
    with pytest.raises((ValueError, TypeError), match="n_jobs="):
        ForestClassifier(3, n_jobs=value).fit(X8, Y8)


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


@pytest.mark.parametrize("params", [{}, {"max_samples": 4}, {"class_weight": "balanced"}])
def test_a_class_of_rows_that_weigh_nothing_is_not_drawn(params):
    """If this fails, drawing as many rows of each class draws none at all when one class weighs nothing."""
    y = np.array(["a", "b", "c"] * 8)
    forest = ForestClassifier(20, bootstrap="balanced", **params)
    forest.fit((y == "a")[:, None] * 1.0, y, sample_weight=(y != "b") * 1.0)
    assert forest.predict([[1.0], [0.0]]).tolist() == ["a", "c"]


def test_long_chains_do_not_recurse():
    """If this fails, a degenerate table overflows the stack: alternating classes make trees thousands of nodes deep."""
    X = np.arange(6_000.0)[:, None]
    y = np.arange(6_000) % 2
    forest = ForestClassifier(2, bootstrap=False).fit(X, y)
    assert np.array_equal(forest.predict(X), y)
