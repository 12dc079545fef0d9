"""Several targets: one by one for ridge, together for the lasso."""

import json

import numpy as np
import pytest
from sklearn.linear_model import MultiTaskLasso

from tamis.errors import ParameterError
from tamis.linear import LinearRegressor


def _table(n=80, p=8, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) * rng.uniform(0.2, 5, size=p)
    Z = X / X.std(axis=0)
    return X, np.column_stack([Z[:, 0] - Z[:, 1], 100 * (Z[:, 0] + 0.5 * Z[:, 2])]) + rng.normal(size=(n, 2)) * [
        0.5,
        50,
    ]


@pytest.mark.parametrize(
    "options", [{"penalty": None}, {"penalty": "ridge", "alpha": 0.3}, {"penalty": "ridge", "cv": 4}]
)
def test_least_squares_and_ridge_are_those_of_each_target(options):
    """A target fitted beside another would have other coefficients."""
    X, Y = _table()
    model = LinearRegressor(**options).fit(X, Y)
    assert model.predict(X).shape == (80, 2)
    for k in range(2):
        one = LinearRegressor(**options).fit(X, Y[:, k])
        assert np.allclose(model.coef_[k], one.coef_)
        assert np.allclose(model.predict(X)[:, k], one.predict(X))


def test_the_lasso_meets_its_optimality_conditions_and_selects_for_all_targets():
    """A column in use has the gradient α W/|W|, one not in use a gradient no longer than α; the units do not matter."""
    X, Y = _table()
    w = np.random.default_rng(1).integers(0, 3, size=80)
    model = LinearRegressor(alpha=0.2).fit(X, Y, w)
    X2, Y2 = np.repeat(X, w, axis=0), np.repeat(Y, w, axis=0)
    Z = (X2 - X2.mean(axis=0)) / X2.std(axis=0)
    W = (model.coef_ * X2.std(axis=0) / Y2.std(axis=0)[:, None]).T
    gradient = Z.T @ ((Y2 - model.predict(X2)) / Y2.std(axis=0)) / len(Z)
    length = np.sqrt((W**2).sum(axis=1))
    used = length > 0
    assert 0 < used.sum() < 8
    assert np.array_equal((model.coef_ != 0).all(axis=0), used)
    assert np.allclose(gradient[used], 0.2 * W[used] / length[used, None], atol=1e-5)
    assert np.all(np.sqrt((gradient[~used] ** 2).sum(axis=1)) <= 0.2 + 1e-6)
    known = MultiTaskLasso(alpha=0.2, tol=1e-10).fit(Z, (Y2 - Y2.mean(axis=0)) / Y2.std(axis=0))
    assert np.allclose(known.coef_.T, W, atol=1e-4)
    assert model.gap_ <= 1e-10


def test_the_folds_choose_common_columns_and_the_model_is_saved():
    """Columns of any target are chosen, columns of none are not."""
    X, Y = _table()
    model = LinearRegressor(cv=4).fit(X, Y)
    assert model.selected_columns_ == ("x0", "x1", "x2")
    assert model.cv_predictions_.shape == model.nested_predictions_.shape == (80, 2)
    assert np.mean((Y - model.cv_predictions_) ** 2 / Y.var(axis=0)) < 0.5
    again = LinearRegressor.from_dict(json.loads(json.dumps(model.to_dict())))
    assert np.array_equal(again.predict(X), model.predict(X))
    assert "target 2" in model.to_text()
    with pytest.raises(ParameterError, match="several targets"):
        LinearRegressor("subset").fit(X, Y)
