"""Tamis' models inside scikit-learn's ensembles and searches, and forests inside Tamis' and scikit-learn's tools."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, make_friedman1
from sklearn.ensemble import AdaBoostClassifier, BaggingClassifier, BaggingRegressor
from sklearn.feature_selection import RFE, SelectFromModel
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from tamis import ForestClassifier, ForestRegressor, LinearClassifier, SubsetSelector, TreeClassifier, TreeRegressor


def stumps(kind, n=50):
    return AdaBoostClassifier(kind(max_depth=1), n_estimators=n, random_state=0)


def test_adaboost_on_our_stumps_is_adaboost_on_theirs():
    """If this fails, row weights do not reach our stumps, or its importances are not those of its columns."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 6)).astype(np.float32)  # what scikit-learn's trees read; no ties
    y = X[:, 0] + X[:, 3] ** 2 + 0.5 * rng.normal(size=400) > 1
    ours, theirs = stumps(TreeClassifier).fit(X, y), stumps(DecisionTreeClassifier).fit(X, y)
    assert np.allclose(ours.estimator_weights_, theirs.estimator_weights_)
    assert np.allclose(ours.feature_importances_, theirs.feature_importances_)
    assert np.array_equal(ours.predict(X), theirs.predict(X))


def test_adaboost_selects_columns():
    """If this fails, boosted stumps cannot be used as an embedded selector."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(400, 12)), columns=[f"c{j}" for j in range(12)])
    y = X["c3"] + X["c7"] - X["c9"] > 0
    chosen = SelectFromModel(stumps(TreeClassifier), threshold="mean").fit(X, y)
    assert list(chosen.get_feature_names_out()) == ["c3", "c7", "c9"]
    weighted = clone(stumps(TreeClassifier)).fit(X, y, sample_weight=np.where(X["c3"] > 0, 1.0, 0.01))
    assert weighted.feature_importances_[3] < stumps(TreeClassifier).fit(X, y).feature_importances_[3]


@pytest.mark.parametrize("model", [TreeClassifier(), LinearClassifier(alpha=0.01), ForestClassifier(5)])
def test_bagging_of_any_classifier(model):
    """If this fails, scikit-learn's bagging does not take our classifiers: weights, seeds or out-of-bag score."""
    X, y = load_breast_cancer(return_X_y=True)
    weight = np.ones(len(y))
    bag = BaggingClassifier(model, 8, oob_score=True, random_state=3)
    with np.errstate(invalid="ignore"), pytest.warns(UserWarning, match="Some inputs do not have OOB"):
        one, other = clone(bag).fit(X, y, sample_weight=weight), clone(bag).fit(X, y)
    assert one.score(X, y) > 0.95
    assert one.oob_score_ > 0.85
    assert len(other.estimators_) == 8
    again = BaggingClassifier(model, 8, random_state=3).fit(X, y)
    assert np.array_equal(
        again.predict_proba(X), BaggingClassifier(model, 8, random_state=3).fit(X, y).predict_proba(X)
    )


def test_bagged_trees_beat_a_tree():
    """If this fails, bagging our regression trees does not lower their variance."""
    X, y = make_friedman1(500, noise=1.0, random_state=0)
    bag = BaggingRegressor(TreeRegressor(), 25, max_features=0.8, random_state=0)
    assert cross_val_score(bag, X, y).mean() > cross_val_score(TreeRegressor(), X, y).mean() + 0.15


def test_out_of_bag_values_sets_of_columns(xor):
    """If this fails, cv="oob" does not take our forests: the pair that decides XOR is not found."""
    X, y = xor
    forest = ForestClassifier(25)
    found = SubsetSelector(forest, search="exhaustive", k=2, cv="oob").fit(X, y)
    assert found.get_support(indices=True).tolist() == [1, 4]
    assert found.score_ == forest.fit(X[:, [1, 4]], y).oob_score_
    with pytest.raises(ValueError, match="no out-of-bag score"):
        SubsetSelector(TreeClassifier(), cv="oob").fit(X, y)
    silent = SubsetSelector(ForestRegressor(25, oob_score=False), search="forward", k=2, cv="oob")
    numeric = make_friedman1(200, random_state=0)
    assert silent.fit(*numeric).get_support()[3]


@pytest.fixture
def xor():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 6))
    return X, ((X[:, 1] > 0) ^ (X[:, 4] > 0)).astype(int)


def test_forests_in_scikit_learns_tools():
    """If this fails, a forest cannot be a step of a pipeline, a searched model, or what a selector asks."""
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    pipe = make_pipeline(StandardScaler().set_output(transform="pandas"), ForestClassifier(20))
    search = GridSearchCV(
        pipe, {"forestclassifier__max_features": [1, 5], "forestclassifier__max_depth": [1, None]}, cv=3
    )
    assert search.fit(X, y).best_params_["forestclassifier__max_depth"] is None
    assert search.score(X, y) > 0.98
    chosen = SelectFromModel(ForestClassifier(50)).fit(X, y)
    assert 3 <= chosen.get_support().sum() <= 15
    eliminated = RFE(ForestClassifier(20), n_features_to_select=5, step=5).fit(X, y)
    assert eliminated.support_.sum() == 5
    assert cross_val_score(ForestClassifier(30), X[eliminated.get_feature_names_out()], y, cv=3).mean() > 0.9
