"""A matrix y: one procedure for several targets, each judged in the same folds."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_linnerud
from sklearn.linear_model import LinearRegression
from sklearn.tree import DecisionTreeClassifier

from tamis import ForestClassifier, LinearRegressor, RankSelector, TreeClassifier, TreeRegressor, nested_score, score
from tamis.errors import ParameterError, TableError


def table(n: int = 120, seed: int = 0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5))
    numbers = np.column_stack([2 * X[:, 0] + 0.1 * rng.normal(size=n), X[:, 1] - X[:, 0] + 0.1 * rng.normal(size=n)])
    classes = np.column_stack([np.where(X[:, 0] > 0, "a", "b"), np.digitize(X[:, 1], [-0.5, 0.5]).astype(str)])
    return X, numbers, classes


def test_each_target_is_scored_as_by_itself():
    """Least squares of several targets are those of each: scores, intervals and folds are the same."""
    X, Y, _ = table()
    several = nested_score(LinearRegression(), X, Y, outer=4)
    for place, target in enumerate(["y0", "y1"]):
        alone = nested_score(LinearRegression(), X, Y[:, place], outer=several.folds)
        np.testing.assert_allclose(several[target].scores, alone.scores, rtol=1e-9)
        np.testing.assert_allclose(several[target].interval, alone.interval, rtol=1e-9)
    assert several.mean == pytest.approx(np.mean([several[name].mean for name in several]))
    assert several.scores.shape == (4, 2)


def test_names_of_a_frame_are_those_of_the_scores():
    """Which score belongs to which target would have to be counted."""
    data = load_linnerud(as_frame=True)
    found = nested_score(LinearRegressor("ridge", alpha=1.0), data.data, data.target, outer=3, scoring="mae")
    assert list(found) == ["Weight", "Waist", "Pulse"]
    assert "Waist: mae" in repr(found)


def test_classes_of_several_targets_are_judged_by_labels_and_probabilities():
    """A forest of two class targets could not be compared."""
    X, _, C = table()
    for model in (TreeClassifier(max_depth=3), ForestClassifier(30), DecisionTreeClassifier(random_state=0)):
        assert nested_score(model, X, C, outer=3).mean > 0.8
        assert nested_score(model, X, C, outer=3, scoring="brier").mean < 0.4
    both = nested_score([TreeClassifier(), ForestClassifier(10)], X, C, outer=3)
    assert set(both) == {"TreeClassifier", "ForestClassifier"}


def test_what_does_not_go_together_is_refused():
    """Classes and numbers would be averaged, or costs of one target taken for those of another."""
    X, Y, C = table()
    with pytest.raises(TableError, match="some targets are classes"):
        nested_score([TreeClassifier(), TreeRegressor()], X, pd.DataFrame({"a": Y[:, 0], "b": C[:, 0]}))
    with pytest.raises(ParameterError, match="one target"):
        nested_score(TreeClassifier(), X, C, loss={"a": {"b": 2}})


def test_trees_of_several_class_targets_split_by_the_sum_of_gini():
    """The first split lowers the sum of both targets' impurities most: scikit-learn's, which averages them, agrees."""
    X, _, C = table(200, 3)
    codes = np.column_stack([np.unique(column, return_inverse=True)[1] for column in C.T])
    ours = TreeClassifier(max_depth=2).fit(X, C)
    theirs = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, codes)
    assert ours.tree_.feature[0] == theirs.tree_.feature[0]
    for own, other in zip(ours.predict_proba(X), theirs.predict_proba(X)):
        np.testing.assert_allclose(own, other, atol=1e-6)
    assert [labels.tolist() for labels in ours.classes_] == [["a", "b"], ["0", "1", "2"]]


def test_classes_of_several_targets_keep_their_kind_and_order():
    """An ordered category would be sorted by the alphabet, a number become a text."""
    X, _, _ = table()
    level = pd.Categorical(np.where(X[:, 0] > 0, "high", "low"), ["low", "high"], ordered=True)
    frame = pd.DataFrame({"level": level, "n": (X[:, 1] > 0).astype(int)})
    model = TreeClassifier(max_depth=2).fit(X, frame)
    assert model.classes_[0].tolist() == ["low", "high"]
    assert set(model.predict(X)[:, 1].tolist()) == {0, 1}
    with pytest.raises(ParameterError, match="not saved"):
        model.to_dict()
    with pytest.raises(ParameterError, match="does not go with several class targets"):
        TreeClassifier(class_weight="balanced").fit(X, frame)


def test_out_of_bag_answers_of_several_class_targets_are_honest():
    """They would be those of trees that saw the row."""
    X, _, C = table(150, 4)
    rng = np.random.default_rng(0)
    noise = rng.permutation(C)
    forest = ForestClassifier(100).fit(X, noise)
    assert forest.oob_score_ < 0.6 < (forest.predict(X) == noise).mean()
    assert forest.oob_decision_function_[0].shape == (150, 2)
    forest = ForestClassifier(100).fit(X, C)
    assert forest.feature_importances_[:2].sum() > 0.8


def test_scores_of_columns_for_several_targets_are_combined():
    """A column that predicts one of two targets would be lost, or y refused."""
    X, Y, C = table()
    np.testing.assert_allclose(score.pearson(X, Y), (score.pearson(X, Y[:, 0]) + score.pearson(X, Y[:, 1])) / 2)
    assert set(np.argsort(-score.mutual_information(X, C))[:2]) == {0, 1}
    selector = RankSelector("pearson", k=2, n_permutations=99).fit(X, Y)
    assert selector.get_support().tolist() == [True, True, False, False, False]
    assert (selector.pvalues_[:2] < 0.05).all()
    weighted = RankSelector(["pearson", "relief"], weights=[2, 1], k=2).fit(X, Y)
    assert weighted.get_support()[:2].all()
    np.testing.assert_array_equal(RankSelector("variance").fit(X, Y).order_, RankSelector("variance").fit(X).order_)


def test_regression_trees_and_ridge_take_several_targets():
    """What works by itself would fail in folds."""
    X, Y, _ = table()
    for model in (TreeRegressor(prune="cv"), LinearRegressor("ridge"), LinearRegressor("lasso")):
        assert nested_score(model, X, Y, outer=3).mean > 0.6
