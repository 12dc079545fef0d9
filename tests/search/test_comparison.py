"""Selectors side by side."""

import numpy as np
import pandas as pd
import pytest
from sklearn.feature_selection import SelectKBest, f_regression
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import KFold, cross_val_score
from sklearn.pipeline import make_pipeline

import tamis
from tamis import SubsetSelector
from tamis.errors import KindError, ParameterError


def test_scores_are_nested_and_sets_are_named():
    """The score would have seen the rows it is judged on, or belong to another set."""
    random = np.random.default_rng(0)
    X = pd.DataFrame(random.normal(size=(80, 6)), columns=list("abcdef"))
    y = X["b"] - X["e"] + 0.3 * random.normal(size=80)
    two = SelectKBest(f_regression, k=2)
    found = tamis.search.compare(
        {"filter": two, "search": SubsetSelector(LinearRegression(), k=3)},
        X,
        y,
        estimator=LinearRegression(),
        cv=KFold(4),
    )
    assert found["filter"].columns == ("b", "e")
    assert found["search"].sizes == (3, 3, 3, 3)
    expected = cross_val_score(make_pipeline(two, LinearRegression()), X.to_numpy(), y.to_numpy(), cv=KFold(4))
    np.testing.assert_allclose(found["filter"].scores, expected)
    assert found["filter"].stability == 1.0
    assert found.overlap[0, 1] == pytest.approx(2 / 3)
    assert "filter" in found.to_text()


def test_bad_input_gets_a_sentence():
    """A user would not learn the way out."""
    X, y = np.eye(10), np.arange(10.0)
    with pytest.raises(ParameterError, match="selectors is empty"):
        tamis.search.compare([], X, y)
    with pytest.raises(KindError, match="must be a dict or a list"):
        tamis.search.compare(3, X, y)
