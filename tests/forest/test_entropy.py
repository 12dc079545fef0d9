"""Forests that split by entropy."""

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from tamis import ForestClassifier
from tamis.errors import ParameterError


def table(n, n_classes, seed):
    rng = np.random.default_rng(seed)
    X = (2 * rng.normal(size=(n, 5))).round() / 2  # few values: forests bin columns
    y = np.digitize(
        X[:, 0] + 0.7 * X[:, 1] * (X[:, 2] > 0) + 0.5 * rng.normal(size=n), np.linspace(-1, 1, n_classes - 1)
    )
    return X, y


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_one_tree_of_all_rows_is_that_of_scikit_learn(n_classes):
    """The splits would be those of another impurity: with rows and columns all tried, shallow trees agree."""
    X, y = table(300, n_classes, 0)
    whole = {"max_depth": 3, "min_samples_leaf": 5, "max_features": None}
    ours = ForestClassifier(1, criterion="entropy", bootstrap=False, oob_score=False, **whole).fit(X, y)
    theirs = DecisionTreeClassifier(criterion="entropy", random_state=0, **whole).fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-9)
    if n_classes == 2:
        gini = ForestClassifier(1, bootstrap=False, oob_score=False, **whole).fit(X, y)
        assert np.abs(gini.predict_proba(X) - theirs.predict_proba(X)).max() > 1e-3


@pytest.mark.parametrize("n_classes", [2, 4])
def test_a_forest_by_entropy_predicts_as_well(n_classes):
    """Out of the bag it would be worse than one by Gini by more than chance."""
    X, y = table(600, n_classes, 1)
    scores = [ForestClassifier(100, criterion=one).fit(X, y).oob_score_ for one in ("gini", "entropy")]
    assert abs(scores[0] - scores[1]) < 0.05
    again = ForestClassifier(100, criterion="entropy", n_jobs=2).fit(X, y)
    assert again.oob_score_ == scores[1]
    assert again.feature_importances_[:3].sum() > 0.8


def test_it_is_saved_and_refused_where_it_does_not_go(tmp_path):
    """A file would come back with another criterion."""
    X, y = table(200, 3, 2)
    forest = ForestClassifier(10, criterion="entropy").fit(X, y)
    forest.save(tmp_path / "forest")
    again = ForestClassifier.load(tmp_path / "forest")
    assert again.criterion == "entropy"
    np.testing.assert_array_equal(again.predict_proba(X), forest.predict_proba(X))
    with pytest.raises(ParameterError, match="does not go with tune"):
        ForestClassifier(criterion="entropy", tune=True).fit(X, y)
    with pytest.raises(ParameterError, match="criterion='mse'"):
        ForestClassifier(criterion="mse").fit(X, y)
