import numpy as np
import pytest

from tamis.tree import TreeClassifier, TreeRegressor


def test_oblique_splits_see_a_rotated_boundary():
    """If this fails, oblique trees are no better than axis-parallel ones where the boundary is slanted."""
    rng = np.random.default_rng(0)
    X, T = rng.normal(size=(500, 4)), rng.normal(size=(2000, 4))
    y, t = X[:, 0] + 0.7 * X[:, 1] > 0.2, T[:, 0] + 0.7 * T[:, 1] > 0.2
    axis = TreeClassifier(max_leaf_nodes=6).fit(X, y)
    oblique = TreeClassifier(max_leaf_nodes=6, splits="oblique").fit(X, y)
    assert oblique.score(T, t) > axis.score(T, t) + 0.05
    assert oblique.score(T, t) > 0.96
    assert "·x0" in oblique.to_text()
    z, u = X[:, 0] + X[:, 1], T[:, 0] + T[:, 1]
    flat = TreeRegressor(max_leaf_nodes=6).fit(X, z).score(T, u)
    assert TreeRegressor(max_leaf_nodes=6, splits="oblique").fit(X, z).score(T, u) > flat + 0.1


def test_oblique_prefers_an_axis_where_one_column_suffices():
    """If this fails, needless combinations make the tree hard to read."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 3))
    tree = TreeClassifier(splits="oblique").fit(X, X[:, 2] > 0.3).tree_
    assert tree.feature[0] == 2
    assert tree.n_leaves == 2


def test_linear_leaves_follow_slopes_that_steps_cannot():
    """If this fails, model trees are no better than constant ones on piecewise linear data."""
    rng = np.random.default_rng(2)
    X, T = rng.uniform(-2, 2, (600, 3)), rng.uniform(-2, 2, (2000, 3))

    def truth(Z):
        return np.where(Z[:, 0] > 0, 3 * Z[:, 1], -2 * Z[:, 1] + Z[:, 2])

    y = truth(X) + 0.2 * rng.normal(size=600)
    constant = TreeRegressor(prune="cv", min_samples_leaf=10).fit(X, y)
    linear = TreeRegressor(prune="cv", min_samples_leaf=10, leaf="linear").fit(X, y)
    assert linear.score(T, truth(T)) > 0.97 > constant.score(T, truth(T))
    assert linear.get_n_leaves() < constant.get_n_leaves()
    assert {"cv_risk", "cv_se"} <= set(linear.cost_complexity_)


def test_linear_leaves_without_a_split_are_ridge_regression():
    """If this fails, the leaf's model is not the penalised least squares fit of its rows."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(200, 2)) * [1, 5]
    y = 2 + 3 * X[:, 0] - X[:, 1]
    model = TreeRegressor(leaf="linear", min_samples_split=300).fit(X, y)
    np.testing.assert_allclose(model.leaf_models_.coef[0], [3, -1], rtol=1e-3)
    np.testing.assert_allclose(model.predict(X), y, atol=0.02)
    X[0, 0] = np.nan
    assert np.isfinite(model.predict(X)).all()


def test_linear_leaves_use_columns_of_any_scale():
    """A column of nanometres beside one of kilometres is no constant."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    y = 2 * X[:, 0] + np.where(X[:, 1] > 0, 3, -1) * X[:, 2] + 0.1 * rng.normal(size=300)
    plain = TreeRegressor(leaf="linear", max_depth=2).fit(X, y)
    scaled = X * [1e-9, 1.0, 1e9]
    other = TreeRegressor(leaf="linear", max_depth=2).fit(scaled, y)
    assert plain.score(X, y) > 0.95
    assert other.predict(scaled) == pytest.approx(plain.predict(X), abs=1e-8)
