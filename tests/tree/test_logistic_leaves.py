"""Model trees of classes: a logistic model in every leaf."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

from tamis.errors import ParameterError
from tamis.metrics import score
from tamis.tree import TreeClassifier, TreeRegressor
from tamis.tree.logistic_leaves import _derivatives, _log_loss, _penalised


def crossed(n: int = 600, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    """Two groups in which x has opposite effects: a model in each leaf, and no model of the whole."""
    rng = np.random.default_rng(seed)
    group = rng.choice(["a", "b"], n)
    x, z = rng.normal(size=n), rng.normal(size=n)
    odds = np.where(group == "a", 3 * x, -3 * x) + z
    y = np.where(rng.logistic(size=n) < odds, "yes", "no")
    return pd.DataFrame({"group": pd.Categorical(group), "x": x, "z": z}), y


def test_a_tree_without_a_split_is_a_ridge_logistic_regression():
    """If this fails, the model of a node is not the penalised maximum that the docs state."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3)) * [1.0, 5.0, 0.1] + [0.0, 3.0, 0.0]
    y = (rng.logistic(size=200) < X[:, 0] + 0.2 * X[:, 1]).astype(int)
    tree = TreeClassifier(leaf="logistic", min_samples_split=1.0, max_depth=1, min_samples_leaf=150).fit(X, y)
    assert tree.tree_.n_leaves == 1
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    found = tree.leaf_models_.sums(X, np.zeros(200, dtype=int))[:, 0]
    distances = []
    for strength in (1.0, 10.0, 100.0):
        model = LogisticRegression(C=1 / strength, tol=1e-10, max_iter=1000).fit(Z, y)
        distances.append(np.abs(model.decision_function(Z) - found).max())
    assert min(distances) < 1e-4


@pytest.mark.parametrize("n_classes", [2, 4])
def test_the_optimum_has_no_gradient_and_the_curvature_is_that_of_differences(n_classes):
    """If this fails, a node's coefficients are not at the minimum, or its degrees of freedom are wrong."""
    rng = np.random.default_rng(1)
    Z = np.column_stack([np.ones(80), rng.normal(size=(80, 2))])
    codes = rng.integers(0, n_classes, 80)
    Y = (codes[:, None] == (np.array([1]) if n_classes == 2 else np.arange(n_classes))).astype(float)
    weight = rng.uniform(0.5, 2.0, 80)
    above = rng.normal(size=(Y.shape[1], 3))
    penalty = np.array([2.0, 2.0, 2.0])
    theta, loss, freedom = _penalised(Z, Y, weight, above, above, penalty)
    gradient, hessian = _derivatives(Z, Y, weight, theta)
    assert np.abs(gradient + (penalty * (theta - above)).ravel()).max() < 1e-3
    assert loss == pytest.approx(_log_loss(Z @ theta.T, Y, weight))
    assert 0 < freedom < theta.size
    step = 1e-5
    for place in range(theta.size):
        moved = theta.copy()
        moved.ravel()[place] += step
        slope = (_derivatives(Z, Y, weight, moved)[0] - gradient) / step
        np.testing.assert_allclose(slope, hessian[place], atol=1e-3)


def test_opposite_effects_in_two_groups_are_found():
    """If this fails, leaves answer with shares: neither constant leaves nor one logistic model suffice."""
    (X, y), (new, truth) = crossed(), crossed(seed=1)
    tree = TreeClassifier(leaf="logistic", prune="cv", rule="min").fit(X, y)
    constant = TreeClassifier(prune="cv", rule="min", prune_by="log_loss").fit(X, y)
    losses = [score("log_loss", truth, model.predict_proba(new), labels=model.classes_) for model in (tree, constant)]
    assert losses[0] < losses[1] - 0.03
    assert "log-odds of yes" in tree.to_text()
    assert set(tree.selected_columns_) == {"group", "x", "z"}


def test_rows_that_a_plane_parts_do_not_make_a_leaf_sure():
    """If this fails, a leaf of few separable rows has coefficients without bound and is sure of wrong answers."""
    rng = np.random.default_rng(2)
    X = np.column_stack([np.repeat([0.0, 10.0], 30), rng.normal(size=60)])
    y = (X[:, 1] > 0).astype(int)
    tree = TreeClassifier(leaf="logistic", max_depth=1).fit(X, y)
    shares = tree.predict_proba(np.array([[0.0, 1e6], [10.0, -1e6]]))
    assert shares.min() > 1e-5  # without a penalty 0; beyond the training rows a tenth of the range of their log odds
    assert np.isfinite(shares).all()


def test_several_classes_holes_and_the_saved_model():
    """If this fails, more than two classes, missing values or saving end in other probabilities."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(300, 3))
    signal = X[:, 0] + X[:, 1] * (X[:, 2] > 0) + 0.3 * rng.normal(size=300)
    y = np.array(["p", "q", "r"])[np.digitize(signal, [-0.6, 0.6])]
    X[rng.random(X.shape) < 0.1] = np.nan
    tree = TreeClassifier(leaf="logistic", prune="cv", cv=3).fit(X, y)
    shares = tree.predict_proba(X)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    assert score("log_loss", y, shares, labels=tree.classes_) < 0.8
    assert tree.cv_predictions_.shape == (300, 3)
    np.testing.assert_allclose(tree.cv_predictions_.sum(axis=1), 1.0)
    again = TreeClassifier.from_dict(tree.to_dict())
    np.testing.assert_array_equal(again.predict_proba(X), shares)
    assert again.to_text() == tree.to_text()
    assert tree.to_svg().startswith("<svg")


def test_weights_are_copies():
    """If this fails, a weight of 2 is not a row twice."""
    X, y = crossed(n=120)
    weight = np.random.default_rng(4).integers(1, 3, 120)
    rows = np.repeat(np.arange(120), weight)
    settings = {"leaf": "logistic", "max_depth": 1, "min_samples_split": 2}
    weighted = TreeClassifier(**settings).fit(X, y, weight)
    copied = TreeClassifier(**settings).fit(X.iloc[rows], y[rows])
    np.testing.assert_allclose(weighted.predict_proba(X), copied.predict_proba(X), atol=1e-6)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"loss_matrix": [[0, 5], [1, 0]]}, "does not go with leaf='logistic'"),
        ({"priors": [0.5, 0.5]}, "does not go with leaf='logistic'"),
        ({"prune_by": "brier"}, "prune_by='brier' does not go with leaf='logistic'"),
        ({"prune": "chi2"}, "prune='chi2' judges shares of classes"),
        ({"n_bins": 4}, "leaf='logistic' does not go with n_bins"),
        ({"criterion": "ordinal"}, "leaf='logistic' does not go with ordered classes"),
        ({"search": "optimal"}, "search='optimal' does not go with leaf='logistic'"),
    ],
)
def test_what_does_not_go_with_logistic_leaves_is_said(settings, message):
    """If this fails, a setting is silently ignored."""
    X, y = crossed(n=60)
    with pytest.raises(ParameterError, match=message):
        TreeClassifier(leaf="logistic", **settings).fit(X[["x", "z"]], y)


def test_the_wrong_kind_of_tree_is_said():
    """If this fails, numbers get a logistic model, or classes a linear one."""
    with pytest.raises(ParameterError, match="leaf='logistic' predicts classes; use TreeClassifier"):
        TreeRegressor(leaf="logistic").fit([[1.0], [2.0]], [1.0, 2.0])
    with pytest.raises(ParameterError, match="use TreeRegressor, or leaf='logistic'"):
        TreeClassifier(leaf="linear").fit([[1.0], [2.0]], ["a", "b"])
    many = np.random.default_rng(5).normal(size=(40, 450))
    with pytest.raises(ParameterError, match="would fit 451 coefficients in every node; give at most 400"):
        TreeClassifier(leaf="logistic").fit(many, many[:, 0] > 0)
