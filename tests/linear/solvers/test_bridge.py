"""Bridge penalties: ridge and lasso at their exponents, optimality of each coefficient in between and below."""

import json

import numpy as np
import pytest
from scipy.optimize import minimize, minimize_scalar

from tamis.errors import ParameterError
from tamis.linear import LinearClassifier, LinearRegressor


def _table(n=80, p=6, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) * [1, 5, 0.2, 1, 1, 3]
    X[:, 3] += X[:, 0]
    return X, 10 * (X / X.std(axis=0) @ [2.0, -1.0, 0.5, 0, 0, 0] + rng.normal(size=n))


def test_exponents_1_and_2_are_lasso_and_ridge():
    """|w|¹ is the lasso's penalty; α|w|² is ridge's of strength 2α."""
    X, y = _table()
    lasso = LinearRegressor(alpha=3.0).fit(X, y)
    assert np.allclose(LinearRegressor("bridge", q=1.0, alpha=3.0).fit(X, y).coef_, lasso.coef_, atol=1e-7)
    ridge = LinearRegressor("ridge", alpha=0.6).fit(X, y)
    bridge = LinearRegressor("bridge", q=2.0, alpha=0.3).fit(X, y)
    assert np.allclose(bridge.coef_, ridge.coef_, atol=1e-7)
    assert np.isclose(bridge.intercept_, ridge.intercept_)
    assert bridge.optimal_


def test_between_them_it_is_the_minimum():
    """The objective is convex for q = 1.5: a general minimiser ends at the same point."""
    X, y = _table()
    Z, t = (X - X.mean(axis=0)) / X.std(axis=0), y - y.mean()

    def objective(w):
        return ((t - Z @ w) ** 2).mean() / 2 + 2.0 * (np.abs(w) ** 1.5).sum()

    known = minimize(objective, np.ones(6), method="BFGS", options={"gtol": 1e-10}).x
    model = LinearRegressor("bridge", q=1.5, alpha=2.0).fit(X, y)
    assert np.allclose(model.coef_ * X.std(axis=0), known, atol=1e-4)


@pytest.mark.parametrize("q", [0.3, 0.5, 0.9])
def test_below_1_no_single_coefficient_can_be_improved(q):
    """Each coefficient is the global minimum of its own problem, 0 included; some are exactly 0."""
    X, y = _table()
    Z, t = (X - X.mean(axis=0)) / X.std(axis=0), y - y.mean()
    model = LinearRegressor("bridge", q=q, alpha=4.0).fit(X, y)
    w = model.coef_ * X.std(axis=0)
    assert not model.optimal_
    assert 0 < np.count_nonzero(w) < 6

    def along(b, j):
        other = w.copy()
        other[j] = b
        return ((t - Z @ other) ** 2).mean() / 2 + 4.0 * (np.abs(other) ** q).sum()

    for j in range(6):
        here = along(w[j], j)
        assert all(along(b, j) >= here - 1e-9 for b in np.linspace(-30, 30, 4001))
        if w[j] != 0:
            near = minimize_scalar(
                along, args=(j,), bounds=(w[j] - 0.1, w[j] + 0.1), method="bounded", options={"xatol": 1e-10}
            )
            assert np.isclose(near.x, w[j], atol=1e-4)


def test_the_strength_is_chosen_by_folds_and_knows_no_units():
    """Out-of-fold predictions are there; a target in other units gives the same model in them."""
    X, y = _table()
    model = LinearRegressor("bridge", cv=5).fit(X, y)
    scaled = LinearRegressor("bridge", cv=5).fit(X, 1000 * y)
    assert np.allclose(scaled.coef_, 1000 * model.coef_)
    assert np.allclose(LinearRegressor("bridge", alpha=model.alpha_).fit(X, y).coef_, model.coef_)
    assert np.isfinite(model.cv_predictions_).all()
    assert np.isfinite(model.nested_predictions_).all()
    again = LinearRegressor.from_dict(json.loads(json.dumps(model.to_dict())))
    assert np.array_equal(again.predict(X), model.predict(X))
    for options in ({"q": 3.0}, {"q": 0.0}, {"loss": "huber"}):
        with pytest.raises(ParameterError, match=r"q=|bridge"):
            LinearRegressor("bridge", **options).fit(X, y)
    with pytest.raises(ParameterError, match="bridge"):
        LinearClassifier("bridge").fit(X, y > 0)
