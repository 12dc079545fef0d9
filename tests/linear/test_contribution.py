"""What columns contribute to a linear model, against their definition."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from tamis import LinearClassifier, LinearRegressor


def frame(n=120, seed=0):
    rng = np.random.default_rng(seed)
    words = pd.Categorical(rng.choice(["x", "y", "z"], n))
    return pd.DataFrame({"b": 5 * rng.normal(size=n), "word": words, "a": rng.normal(size=n)})


@pytest.mark.parametrize("penalty", [None, "ridge", "lasso"])
def test_a_column_contributes_the_spread_of_what_it_adds(penalty):
    """The importance of a category would depend on its indicators, or that of a number on its unit."""
    X = frame()
    y = X["a"] + 2.0 * (X["word"] == "z") + 0.1 * X["b"]
    weight = np.linspace(0.5, 2, len(X))
    model = LinearRegressor(penalty, alpha=0.01).fit(X, y, sample_weight=weight)
    of = {name.partition("=")[0]: [] for name in model.coef_names_}
    for name, coef in zip(model.coef_names_, model.coef_):
        column, _, level = name.partition("=")
        of[column].append(coef * ((X[column] == level) if level else X[column]).to_numpy(dtype=float))
    for column, importance in zip(X.columns, model.feature_importances_):
        added = np.sum(of[column], axis=0)
        middle = np.average(added, weights=weight)
        expected = np.sqrt(np.average((added - middle) ** 2, weights=weight))
        assert importance == pytest.approx(expected, rel=1e-9)
        assert (importance > 0) == (column in model.selected_columns_)


def test_a_category_contributes_the_same_whichever_level_the_others_count_against():
    """Importances would change with the names of levels, for the first of them is the reference."""
    X = frame()
    y = X["a"] + 2.0 * (X["word"] == "z") - (X["word"] == "x")
    first = LinearRegressor(None).fit(X, y).feature_importances_
    renamed = X.assign(word=X["word"].cat.rename_categories({"x": "q", "y": "a", "z": "m"}))
    np.testing.assert_allclose(LinearRegressor(None).fit(renamed, y).feature_importances_, first, rtol=1e-9, atol=1e-12)


def test_classes_count_by_their_root_mean_square_and_sparse_as_dense():
    """Importances of several classes, or of sparse matrices, would be others than the definition's."""
    rng = np.random.default_rng(1)
    X = np.where(rng.random((150, 4)) < 0.4, 0.0, rng.normal(size=(150, 4)))
    y = np.digitize(X[:, 2] + 0.3 * rng.normal(size=150), [-0.3, 0.3])
    model = LinearClassifier("ridge", alpha=0.1).fit(X, y)
    expected = np.sqrt(np.mean(model.coef_**2, axis=0)) * X.std(axis=0)
    np.testing.assert_allclose(model.feature_importances_, expected, rtol=1e-9)
    held = LinearClassifier("ridge", alpha=0.1).fit(sparse.csr_matrix(X), y)
    np.testing.assert_allclose(held.feature_importances_, expected, rtol=1e-6)
