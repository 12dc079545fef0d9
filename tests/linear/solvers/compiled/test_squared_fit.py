"""The lasso path of centred columns: every strength within its gap on hard data, and the answers of scikit-learn."""

from __future__ import annotations

import numpy as np
from sklearn.linear_model import lasso_path as sklearn_path

from tamis.linear.solvers.compiled.squared_fit import lasso_path


def test_the_lasso_path_reaches_its_gap_on_hard_data():
    """Correlated, duplicated and constant columns, more columns than rows: the kernel would stop short, or never."""
    random = np.random.default_rng(1)
    X = random.normal(size=(40, 120)) + random.normal(size=(40, 1))
    X[:, 5], X[:, 6] = X[:, 4], 1.0
    y = X[:, 4] + random.normal(size=40)
    X, y = X - X.mean(axis=0), y - y.mean()
    X[:, 6] = 0.0
    alphas = np.geomspace(np.abs(X.T @ y).max() / 40, 0.02, 40)
    found, gap = lasso_path(np.ascontiguousarray(X.T), y, alphas, 1e-6)
    assert gap <= 1e-6
    assert not found[:, 6].any()
    rest = y[:, None] - X @ found.T
    scale = np.minimum(1.0, alphas / np.abs(X.T @ rest / 40).max(axis=0))
    primal = (rest**2).sum(axis=0) / 80 + alphas * np.abs(found).sum(axis=1)
    dual = scale * (y @ rest) / 40 - scale**2 * (rest**2).sum(axis=0) / 80
    assert np.max(primal - dual) <= 1e-6 * (y @ y) / 80 * (1 + 1e-9)
    _, coef, _ = sklearn_path(X, y, alphas=alphas, tol=1e-12, max_iter=100_000)
    twins = np.isin(np.arange(120), (4, 5))  # equal columns share a coefficient in any way
    assert ((found != 0) != (coef != 0).T)[:, ~twins].mean() < 0.01


def test_a_target_that_does_not_vary_has_no_coefficients():
    """A gap relative to a variance of 0 would never be reached."""
    Z = np.random.default_rng(0).normal(size=(5, 20))
    Z -= Z.mean(axis=1)[:, None]
    found, _ = lasso_path(Z, np.zeros(20), np.array([1.0, 0.1]), 1e-6)
    assert not found.any()
