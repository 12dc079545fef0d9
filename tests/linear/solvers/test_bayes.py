"""The Gibbs samplers agree with closed forms and with what the penalised models say."""

from __future__ import annotations

import numpy as np
import pytest

from tamis import LinearRegressor
from tamis.linear.design import Design
from tamis.linear.solvers.bayes import sample
from tamis.linear.solvers.ridge import Ridge


def data(n=100, p=6, seed=1):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) + 3
    return X, 2 * X[:, 0] - X[:, 1] + rng.normal(size=n) + 5


@pytest.mark.parametrize("shape", [(100, 6), (30, 50)])
def test_ridge_posterior_mean_is_ridge_at_the_posterior_strength(shape):
    """Given alpha the posterior mean is the ridge estimate; averaged over a narrow posterior it must stay close."""
    X, y = data(*shape)
    model = LinearRegressor(penalty="ridge", alpha="bayes", n_draws=4000).fit(X, y)
    low, high = model.alpha_interval_
    assert low < model.alpha_ < high
    plain = LinearRegressor(penalty="ridge", alpha=float(np.median(model.alpha_draws_))).fit(X, y)
    assert np.abs(model.coef_ - plain.coef_).max() < 0.12 * np.abs(plain.coef_).max()


@pytest.mark.parametrize("penalty", ["ridge", "lasso"])
@pytest.mark.parametrize("shape", [(100, 6), (30, 50)])
def test_intervals_hold_the_truth_and_seeds_fix_the_draws(penalty, shape):
    """Clear effects must be inside their intervals and selected; the same seed must give the same bits."""
    X, y = data(*shape)
    options = {"penalty": penalty, "alpha": "bayes", "n_draws": 600}
    model = LinearRegressor(**options).fit(X, y)
    low, high = model.coef_interval_.T
    truth = np.r_[2, -1, np.zeros(shape[1] - 2)]
    assert np.mean((low <= truth) & (truth <= high)) > 0.8
    assert np.argmax(np.abs(model.coef_)) == 0
    assert "x0" in model.selected_columns_
    np.testing.assert_array_equal(model.coef_, LinearRegressor(**options).fit(X, y).coef_)


def test_lasso_draws_are_the_same_by_either_factorisation():
    """The draw through n × n and the one through p × p must have the same mean and spread."""
    from tamis.linear.solvers.bayes import _tall_draw, _wide_draw

    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(12, 5)), rng.normal(size=12)
    tau2 = rng.uniform(0.5, 2, size=5)
    tall = np.array([_tall_draw(X.T @ X, X.T @ y, tau2, 0.7, rng) for _ in range(20000)])
    wide = np.array([_wide_draw(X, y, tau2, 0.7, rng) for _ in range(20000)])
    inverse = np.linalg.inv(X.T @ X + np.diag(1 / tau2))
    for draws in (tall, wide):
        np.testing.assert_allclose(draws.mean(axis=0), inverse @ X.T @ y, atol=0.02)
        np.testing.assert_allclose(np.cov(draws.T), 0.7 * inverse, atol=0.02)


@pytest.mark.nightly
def test_credible_intervals_cover():
    """Over 200 tables drawn from the prior's own kind, 95 % intervals must hold the truth about 95 % of the time."""
    rng = np.random.default_rng(0)
    held = []
    for seed in range(200):
        X = rng.normal(size=(60, 5))
        truth = rng.normal(size=5)
        y = X @ truth + rng.normal(size=60)
        problem = Ridge.of(Design(X), y, np.ones(60), np.ones(5), standardize=False, fit_intercept=True)
        low, high = sample(problem, "ridge", 500, seed).interval().T
        held.append((low <= truth) & (truth <= high))
    assert 0.92 < np.mean(held) < 0.98
