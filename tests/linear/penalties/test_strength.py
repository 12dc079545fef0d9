"""Strengths by what they stand for: bounds on norms, priors."""

import numpy as np
import pytest
from scipy.optimize import minimize

from tamis.errors import ParameterError
from tamis.linear import LinearClassifier, LinearRegressor


def _table(n=80, p=6, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) * [1, 5, 0.2, 1, 1, 3]
    return X, X / X.std(axis=0) @ [2.0, -1.0, 0.5, 0, 0, 0] + rng.normal(size=n)


@pytest.mark.parametrize("penalty", ["lasso", "ridge"])
def test_a_bound_is_met_and_its_multiplier_is_the_strength(penalty):
    """A bound beyond or below its norm would not be the constrained minimum; its multiplier gives the same model."""
    X, y = _table()
    kind = LinearRegressor(penalty, norm_bound=1.5).fit(X, y)
    standard = kind.coef_ * X.std(axis=0)
    norm = np.abs(standard).sum() if penalty == "lasso" else np.sqrt((standard**2).sum())
    assert np.isclose(norm, 1.5, rtol=1e-8)
    assert np.isclose(kind.norm_bound_, 1.5, rtol=1e-8)
    again = LinearRegressor(penalty, alpha=kind.alpha_).fit(X, y)
    assert np.allclose(again.coef_, kind.coef_, rtol=1e-6, atol=1e-9)


def test_the_constrained_lasso_is_that_of_a_general_minimiser():
    """The diamond |w|₁ ≤ t, written with positive and negative parts, has the same minimum."""
    X, y = _table()
    Z, t = (X - X.mean(axis=0)) / X.std(axis=0), 2.0
    both = np.hstack([Z, -Z])

    def objective(w):
        left = y - y.mean() - both @ w
        return left @ left / 2, -both.T @ left

    limit = {"type": "ineq", "fun": lambda w: t - w.sum(), "jac": lambda w: -np.ones_like(w)}
    known = minimize(
        objective, np.zeros(12), jac=True, bounds=[(0, None)] * 12, constraints=[limit], method="SLSQP", tol=1e-12
    ).x
    model = LinearRegressor(norm_bound=t).fit(X, y)
    assert np.allclose(model.coef_ * X.std(axis=0), known[:6] - known[6:], atol=1e-4)


def test_a_bound_that_does_not_bind_is_least_squares():
    """A large bound leaves the coefficients as they are."""
    X, y = _table()
    model = LinearRegressor(norm_bound=1e6).fit(X, y)
    assert np.allclose(model.coef_, LinearRegressor(None).fit(X, y).coef_, rtol=1e-8)
    assert model.alpha_ == 0


def test_classes_take_a_bound():
    """The sum of absolute coefficients is that asked for."""
    X, y = _table()
    model = LinearClassifier(norm_bound=0.7).fit(X, y > y.mean())
    assert np.isclose(np.abs(model.coef_[0] * X.std(axis=0)).sum(), 0.7, rtol=1e-7)


@pytest.mark.parametrize(("penalty", "log_prior"), [("ridge", lambda w, s: w**2 / (2 * s**2)), ("lasso", None)])
def test_a_penalised_fit_is_the_most_probable_model_under_its_prior(penalty, log_prior):
    """Ridge is the mode of the posterior under a normal prior, the lasso under a Laplace prior of that deviation."""
    X, y = _table()
    sd, noise = 0.3, 1.2
    model = LinearRegressor(penalty, prior_sd=sd, noise_sd=noise, standardize=False, fit_intercept=False).fit(X, y)
    log_prior = log_prior or (lambda w, s: np.sqrt(2) * np.abs(w) / s)

    def minus_log_posterior(w):
        return ((y - X @ w) ** 2).sum() / (2 * noise**2) + log_prior(w, sd).sum()

    best = minus_log_posterior(model.coef_)
    rng = np.random.default_rng(1)
    for size in (1e-1, 1e-2, 1e-3):
        for _ in range(50):
            assert minus_log_posterior(model.coef_ + size * rng.normal(size=6)) > best
    known = minimize(minus_log_posterior, model.coef_, method="Nelder-Mead", options={"fatol": 1e-12, "xatol": 1e-12})
    assert known.fun > best - 1e-8


def test_the_prior_of_a_log_loss_needs_no_noise():
    """For two classes the strength is 1 / (n sd²)."""
    X, y = _table()
    model = LinearClassifier("ridge", prior_sd=0.5).fit(X, y > 0)
    assert np.isclose(model.alpha_, 1 / (80 * 0.25))
    with pytest.raises(ParameterError, match="prior_sd"):
        LinearClassifier("ridge", prior_sd=0.5, loss="squared_hinge").fit(X, y > 0)
    with pytest.raises(ParameterError, match="noise_sd"):
        LinearRegressor("ridge", prior_sd=0.5).fit(X[:6], y[:6])
