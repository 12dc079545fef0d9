"""Degrees of freedom, leverages and information criteria: closed forms."""

import numpy as np
import pytest
from scipy.stats import norm

from tamis.linear import LinearClassifier, LinearRegressor


def _table(n=50, p=5, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) * [1, 5, 0.2, 1, 1]
    return X, X / X.std(axis=0) @ [2.0, -1.0, 0.5, 0, 0] + rng.normal(size=n)


def _hat(X, alpha, w):
    """The matrix that turns the target into fitted values, the intercept's column first and free."""
    share = w / w.sum()
    sd = np.sqrt(share @ (X - share @ X) ** 2)
    Z = np.column_stack([np.ones(len(X)), (X - share @ X) / sd])
    ridge = np.diag([0.0, *np.full(X.shape[1], alpha)])
    return Z @ np.linalg.solve(Z.T @ (share[:, None] * Z) + ridge, Z.T * share)


@pytest.mark.parametrize("alpha", [0.0, 0.3])
def test_leverages_are_the_diagonal_of_the_hat_matrix(alpha):
    """A leverage says how far a row's own target moves its fitted value."""
    X, y = _table()
    w = np.random.default_rng(1).uniform(0.5, 2.0, size=50)
    w[7] = 0.0
    options = {"penalty": "ridge", "alpha": alpha} if alpha else {"penalty": None}
    model = LinearRegressor(**options).fit(X, y, w)
    assert np.allclose(model.leverage_, np.diagonal(_hat(X, alpha, w)))
    assert np.isclose(model.degrees_of_freedom_, np.trace(_hat(X, alpha, w)))
    moved = y.copy()
    moved[3] += 1.0
    change = LinearRegressor(**options).fit(X, moved, w).predict(X)[3] - model.predict(X)[3]
    assert np.isclose(change, model.leverage_[3])


def test_more_columns_than_rows():
    """The dual form has the same trace."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(20, 60))
    model = LinearRegressor("ridge", alpha=0.5).fit(X, rng.normal(size=20))
    assert np.isclose(model.degrees_of_freedom_, np.trace(_hat(X, 0.5, np.ones(20))))


def test_the_lasso_has_as_many_as_coefficients_other_than_0_and_the_elastic_net_fewer():
    """Zou, Hastie and Tibshirani's estimate; the squared part of an elastic net shrinks it."""
    X, y = _table()
    lasso = LinearRegressor(alpha=0.2).fit(X, y)
    assert lasso.degrees_of_freedom_ == np.count_nonzero(lasso.coef_) + 1
    net = LinearRegressor("elastic-net", alpha=0.2, l1_ratio=0.5).fit(X, y)
    used = np.flatnonzero(net.coef_)
    assert np.isclose(net.degrees_of_freedom_, np.trace(_hat(X[:, used], 0.1, np.ones(50))), rtol=1e-6)


def test_criteria_are_those_of_the_likelihood():
    """AIC and BIC in their definition, from the log likelihood that SciPy gives."""
    X, y = _table()
    for model in (
        LinearRegressor(None).fit(X, y),
        LinearRegressor("ridge", alpha=0.1).fit(X, y),
        LinearRegressor(alpha=0.1).fit(X, y),
    ):
        left = y - model.predict(X)
        deviance = -2 * norm.logpdf(left, scale=np.sqrt(np.mean(left**2))).sum()
        assert np.isclose(model.deviance_, deviance)
        assert np.isclose(model.aic_, deviance + 2 * model.degrees_of_freedom_)
        assert np.isclose(model.bic_, deviance + np.log(50) * model.degrees_of_freedom_)
    c = y > 0
    two = LinearClassifier(alpha=0.02).fit(X, c)
    assert np.isclose(two.deviance_, -2 * np.log(two.predict_proba(X)[np.arange(50), c.astype(int)]).sum())
    counts = np.random.default_rng(3).poisson(np.exp(X[:, 0]))
    from scipy.stats import poisson

    model = LinearRegressor("ridge", loss="poisson", alpha=0.1).fit(X, counts)
    assert np.isclose(model.deviance_, -2 * poisson.logpmf(counts, model.predict(X)).sum())
    v = model.predict(X) / 50
    sd, centre = X.std(axis=0), v @ X / v.sum()
    Z = (X - centre) / sd
    H = Z.T @ (v[:, None] * Z)
    assert np.isclose(model.degrees_of_freedom_, 1 + np.trace(np.linalg.solve(H + 0.1 * np.eye(5), H)), rtol=1e-5)
