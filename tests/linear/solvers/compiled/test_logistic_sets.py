"""Logistic regression on many column sets: the optimum of each, and no answer where there is no safe one."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from tamis import _core


def fitted(X, y, sets, weights=None, ridge=1.0, starts=None):
    """Coefficients and linear predictors of every set; X standardised here, an intercept added."""
    n, d = X.shape
    Z = np.vstack([((X - X.mean(axis=0)) / X.std(axis=0)).T, np.ones(n)])
    weights = np.ones((1, n)) if weights is None else weights
    most = max(len(columns) for columns in sets) + 1
    padded, sizes = np.full((len(sets), most), d), np.array([len(columns) + 1 for columns in sets])
    for s, columns in enumerate(sets):
        padded[s, : len(columns)] = columns
    lift = np.tile(np.append(np.full(d, ridge), 0.0), (len(weights), 1))
    starts = np.zeros_like(lift) if starts is None else starts
    betas, decisions = np.zeros((len(sets), len(weights), most)), np.zeros((len(sets), len(weights), n))
    y = np.where(y, 1.0, -1.0)
    _core.fit_logistic_sets(Z, y, weights, lift, padded, sizes, starts, betas, decisions)
    return Z, betas, decisions


def table(n=150, d=24, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    X[:, 1:] += 0.5 * X[:, :-1]
    return X, X[:, :3].sum(axis=1) + 2 * rng.normal(size=n) > 0


@pytest.mark.parametrize("size", [1, 5, 16, 24])
def test_every_set_is_at_its_optimum(size):
    """Beyond a few columns the Hessian is reused: a step by one that was never computed would end anywhere."""
    X, y = table()
    sets = [np.arange(size), np.arange(24 - size, 24)]
    folds = np.stack([np.ones(150), np.r_[np.zeros(40), np.ones(110)]])
    Z, _, decisions = fitted(X, y, sets, folds)
    for s, columns in enumerate(sets):
        for f, weights in enumerate(folds):
            model = LogisticRegression(tol=1e-12, max_iter=10_000).fit(Z[columns].T, y, sample_weight=weights)
            np.testing.assert_allclose(decisions[s, f], model.decision_function(Z[columns].T), atol=1e-6)


def test_where_a_fit_begins_changes_nothing():
    """Scores of a set would depend on the sets asked for before it."""
    X, y = table()
    start = np.random.default_rng(1).normal(size=(1, 25))
    one, two = (fitted(X, y, [np.arange(20)], starts=begin)[1] for begin in (None, start))
    np.testing.assert_allclose(one, two, atol=1e-8)


def test_no_answer_where_there_is_no_safe_one():
    """Separated classes have no optimum without a ridge, and equal columns share their coefficient in any way."""
    X, y = table()
    X[:, 0] = np.where(y, 1.0, -1.0) * (1 + np.random.default_rng(0).random(150))
    X[:, 5] = X[:, 4]
    _, _, decisions = fitted(X, y, [np.array([0]), np.array([4, 5]), np.array([2, 3])], ridge=0.0)
    assert np.isnan(decisions[:, 0]).all(axis=1).tolist() == [True, True, False]
