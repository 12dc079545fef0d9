"""Forests that choose how many columns a split tries, and how small a leaf may be."""

from __future__ import annotations

import numpy as np
import pytest

from tamis import ForestClassifier, ForestRegressor
from tamis.errors import KindError, ParameterError
from tamis.forest.tune import expected_scores, is_better


def table(n: int = 600, d: int = 12) -> np.ndarray:
    return np.random.default_rng(0).normal(size=(n, d))


def same(one: ForestClassifier | ForestRegressor, two: ForestClassifier | ForestRegressor) -> bool:
    pairs = zip(one.trees_.arrays.values(), two.trees_.arrays.values())
    return all(np.array_equal(a, b) for a, b in pairs) and np.array_equal(one.oob_curve_, two.oob_curve_)


@pytest.mark.parametrize("kind", [ForestClassifier, ForestRegressor])
@pytest.mark.parametrize("n_trees", [1, 7, 60, 120])
def test_a_tuned_forest_is_the_plain_forest_of_what_it_chose(kind, n_trees):
    """Trees that compared settings would be counted twice, or be others than those of the final forest."""
    X = table()
    y = X[:, 0] * X[:, 1] if kind is ForestRegressor else (X[:, 0] * X[:, 1] > 0).astype(int)
    forest = kind(n_trees, tune=True, random_state=3).fit(X, y)
    plain = kind(n_trees, **forest.tuned_params_, random_state=3).fit(X, y)
    assert same(forest, plain)
    assert len(forest.trees_) == n_trees
    assert np.array_equal(forest.impurity_importance_, plain.impurity_importance_)
    assert forest.oob_fraction_ == plain.oob_fraction_
    assert np.array_equal(forest.predict(X), plain.predict(X))


def test_columns_that_act_together_ask_for_more_columns_a_split():
    """A product of two of twelve columns is lost among noise when each split sees three."""
    X, new = table(1000), np.random.default_rng(1).normal(size=(2000, 12))
    plain = ForestClassifier(100).fit(X, X[:, 0] * X[:, 1] > 0)
    forest = ForestClassifier(100, tune=True).fit(X, X[:, 0] * X[:, 1] > 0)
    assert forest.max_features_ > 3
    truth = new[:, 0] * new[:, 1] > 0
    assert forest.score(new, truth) > plain.score(new, truth) + 0.02


def test_noise_asks_for_large_leaves():
    """Leaves of single rows learn noise by heart."""
    X = table(400, 4)
    y = (np.random.default_rng(2).random(400) < 0.3).astype(int)
    assert ForestClassifier(100, tune=True).fit(X, y).min_samples_leaf_ >= 20


def test_values_to_try_may_be_given():
    """A user who knows better would not be heard; or the search would leave the values given."""
    X = table()
    forest = ForestRegressor(60, tune={"max_features": [2, 0.5, None]}, min_samples_leaf=3).fit(X, X[:, 0] * X[:, 1])
    assert {tried.max_features for tried in forest.tuning_} <= {2, 6, 12}
    assert {tried.min_samples_leaf for tried in forest.tuning_} == {3}
    assert forest.tuning_[-1].max_features == forest.max_features_


def test_tuning_does_not_depend_on_threads():
    """The same bits for any n_jobs."""
    X = table()
    y = X[:, 0] + X[:, 1] * X[:, 2]
    one, two = (ForestRegressor(80, tune=True, n_jobs=jobs).fit(X, y) for jobs in (1, 2))
    assert same(one, two)
    assert one.tuning_ == two.tuning_


def test_several_targets_count_alike():
    """A target in large units would decide alone."""
    X = table(300, 9)
    y = np.column_stack([X[:, 0] * X[:, 1], 1e6 * np.random.default_rng(5).normal(size=300)])
    forest = ForestRegressor(50, tune=True).fit(X, y)
    assert all(1.0 < tried.score < 3.0 for tried in forest.tuning_)  # each target's variance is 1


def test_what_was_chosen_is_saved(tmp_path):
    """A forest from a file would forget how it was grown, and importances would be tested on another forest."""
    X = table(200, 6)
    forest = ForestRegressor(60, tune={"min_samples_leaf": [1, 5]}).fit(X, X[:, 0])
    forest.save(tmp_path / "forest")
    again = ForestRegressor.load(tmp_path / "forest")
    assert again.tuning_ == forest.tuning_
    assert again.min_samples_leaf_ == forest.min_samples_leaf_
    found = forest.permutation_importance(n_permutations=3)
    reread = again.permutation_importance(X, X[:, 0], n_permutations=3)
    assert np.array_equal(found.p_value, reread.p_value)


@pytest.mark.parametrize(
    ("settings", "kind", "said"),
    [
        ({"oob_score": False}, ParameterError, "tune=True looks at rows left out"),
        ({"bootstrap": False}, ParameterError, "give max_samples below 1"),
        ({"tune": {"max_depth": [2]}}, ParameterError, "max_depth"),
        ({"tune": {}}, KindError, "mapping"),
        ({"tune": "yes"}, KindError, "'yes'"),
        ({"tune": {"max_features": []}}, KindError, "max_features"),
        ({"tune": {"max_features": [99]}}, ParameterError, "99"),
    ],
)
def test_what_cannot_be_tuned_is_refused(settings, kind, said):
    """The forest would be tuned by nothing, or crash inside."""
    X = table(50, 3)
    with pytest.raises(kind, match=said):
        ForestRegressor(10, **{"tune": True, **settings}).fit(X, X[:, 0])


def test_the_score_of_many_trees_is_expected_from_few():
    """Few trees would speak for large leaves: their scatter must come off, and that of all trees must stay."""
    random = np.random.default_rng(0)
    bias, scatter, trees, total = 0.3, 2.0, 25, 200
    one, two = (bias + scatter * random.normal(size=(40_000, trees)).mean(axis=1, keepdims=True) for _ in range(2))
    one[:3], two[5] = np.nan, np.nan
    for n in (total, 2 * trees):
        assert np.nanmean(expected_scores(one, two, trees, n)) == pytest.approx(bias**2 + scatter**2 / n, abs=0.003)


def test_weights_of_rows_reach_the_choice():
    """A row of weight 0 would have a say, or a heavy one none."""
    one, two = np.array([0.0, 0, 1, 1, 5]), np.array([1.0, 1, 0, 0, 0])
    assert is_better(one, two, np.array([9.0, 9, 1, 1, 0]))
    assert not is_better(one, two, np.array([1.0, 1, 9, 9, 0]))


def test_thresholds_are_chosen_where_they_may_be():
    """A step at one value asks for the best threshold, a plane over many columns is smoother by random ones."""
    X = table(300, 8)
    kinds = {"thresholds": ["best", "random"], "max_features": [3, 8]}
    step = ForestClassifier(100, tune=kinds, random_state=1).fit(X, X[:, 0] > 0.3)
    plane = ForestRegressor(100, tune=kinds, random_state=1).fit(X, X.sum(axis=1))
    assert (step.thresholds_, plane.thresholds_) == ("best", "random")
    assert {tried.thresholds for tried in plane.tuning_} == {"best", "random"}
    settings = {"max_features": plane.max_features_, "min_samples_leaf": plane.min_samples_leaf_}
    assert same(plane, ForestRegressor(100, thresholds="random", random_state=1, **settings).fit(X, X.sum(axis=1)))
    with pytest.raises(ParameterError, match="thresholds"):
        ForestClassifier(10, tune={"thresholds": ["first"]}).fit(X, X[:, 0] > 0)


@pytest.mark.parametrize("kind", [ForestClassifier, ForestRegressor])
def test_many_rows_are_also_drawn_otherwise(kind):
    """The forest of what was chosen would draw its rows in another way than the one that was judged."""
    X, new = np.random.default_rng(0).normal(size=(2, 5000, 8))
    truth = [np.sin(3 * Z[:, 0]) * Z[:, 1] + Z[:, 2] for Z in (X, new)]
    if kind is ForestClassifier:
        truth = [np.digitize(y, [-1.0, 0.0, 1.0]) for y in truth]
    plain, forest, two = (
        kind(30, tune=tune, n_jobs=jobs).fit(X, truth[0]) for tune, jobs in ((False, 1), (True, 1), (True, 2))
    )
    drawings = {tuple(tried.drawing.params().items()) for tried in forest.tuning_}
    assert {"bootstrap": False, "max_samples": 0.8}.items() <= forest.tuned_params_.items()
    assert len(drawings) >= 2
    assert same(forest, two)
    assert forest.tuning_ == two.tuning_
    assert same(forest, kind(30, **forest.tuned_params_).fit(X, truth[0]))
    assert forest.score(new, truth[1]) > plain.score(new, truth[1]) + 0.02


def test_a_product_asks_for_the_deviation():
    """Numbers that columns bring only together would be left to the squared error."""
    X = table(1500)
    forest = ForestRegressor(60, tune=True).fit(X, X[:, 0] * X[:, 1] + 0.3 * X[:, 2])
    assert forest.tuned_params_["criterion"] == "standard_deviation"
    assert {tried.criterion for tried in forest.tuning_} == {"squared_error", "standard_deviation"}


def test_what_was_given_is_not_varied():
    """A user who draws rows in his own way would be overruled."""
    X = np.random.default_rng(0).normal(size=(5000, 4))
    forest = ForestRegressor(20, tune=True, max_samples=0.5, criterion="standard_deviation").fit(X, X[:, 0])
    assert {tried.drawing.params() == {} for tried in forest.tuning_} == {True}
    assert {tried.criterion for tried in forest.tuning_} == {"standard_deviation"}
    assert "max_samples" not in forest.tuned_params_


def test_the_drawing_is_saved_and_importances_know_it(tmp_path):
    """Rows left out would be drawn again in the wrong way, and trees judged by rows they saw."""
    X = np.random.default_rng(0).normal(size=(5000, 5))
    y = X[:, 0] * X[:, 1] + X[:, 2]
    forest = ForestRegressor(20, tune=True).fit(X, y)
    assert forest.tuned_params_["max_samples"] == 0.8
    plain = ForestRegressor(20, **forest.tuned_params_).fit(X, y)
    forest.save(tmp_path / "forest")
    again = ForestRegressor.load(tmp_path / "forest")
    assert again.tuning_ == forest.tuning_
    assert again.tuned_params_ == forest.tuned_params_
    known = plain.permutation_importance().importance
    assert np.array_equal(forest.permutation_importance().importance, known)
    assert np.array_equal(again.permutation_importance(X, y).importance, known)


def test_a_new_row_is_answered_by_all_trees():
    """Drawings that leave out few rows would look worse than they are: the scatter of all trees is far less."""
    random = np.random.default_rng(0)
    one, two = (0.3 + random.normal(size=(40_000, 5)).mean(axis=1, keepdims=True) for _ in range(2))
    assert np.nanmean(expected_scores(one, two, 5, 200)) == pytest.approx(0.09 + 1 / 200, abs=0.005)
