"""Branch and bound: bounds are honest when it is stopped, and columns too dependent for it are left to splicing."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from tamis import LinearRegressor
from tamis.linear.solvers import best_subset
from tamis.linear.solvers.best_subset import best_subsets


def model_of_all(n=80, p=25, rho=0.97, seed=1):
    """Columns and target, centred; inverse scatter, coefficients and residual sum of the model of all columns."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) @ np.linalg.cholesky(rho ** np.abs(np.subtract.outer(range(p), range(p)))).T
    y = X @ np.where(np.arange(p) % 3 == 0, 1.0, 0.0) + 2 * rng.normal(size=n)
    X, y = X - X.mean(axis=0), y - y.mean()
    inverse = np.linalg.inv(X.T @ X)
    beta = inverse @ X.T @ y
    return X, y, (inverse, beta, float(np.sum((y - X @ beta) ** 2)))


def test_stopping_early_gives_an_honest_bound(monkeypatch):
    """After a time limit the bound must lie below the true optimum and the best found above it."""
    _, _, whole = model_of_all()
    full = best_subsets(*whole, 1, 25)
    assert full.complete
    assert full.optimal[1:].all()
    monkeypatch.setattr(best_subset, "_BATCH", 20)
    early = best_subsets(*whole, 1, 25, deadline=0.0)
    assert not early.complete
    assert not early.optimal[1:].all()
    assert np.all(early.bound <= full.rss * (1 + 1e-9))
    assert np.all(early.rss >= full.rss * (1 - 1e-9))


@pytest.mark.parametrize("sizes", [(1, 8), (3, 3), (2, 5)])
def test_sizes_asked_for_equal_brute_force(sizes):
    """A bound of the sizes asked for that cuts too much would miss the best set of one of them."""
    X, y, whole = model_of_all(n=40, p=8, seed=2)
    found = best_subsets(*whole, *sizes)
    for k in range(sizes[0], sizes[1] + 1):
        rss = {
            c: np.sum((y - X[:, c] @ np.linalg.lstsq(X[:, c], y, rcond=None)[0]) ** 2)
            for c in combinations(range(8), k)
        }
        best = min(rss, key=rss.get)
        assert tuple(found.columns[k].tolist()) == best
        np.testing.assert_allclose(found.rss[k], rss[best], rtol=1e-9)


def test_columns_too_dependent_are_not_called_proved():
    """An inverse without digits would prove anything."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 5))
    y = X[:, 0] + 0.1 * rng.normal(size=60)
    assert LinearRegressor(penalty="subset", k=1).fit(X, y).optimal_
    X[:, 4] = X[:, 3] + 1e-6 * rng.normal(size=60)
    model = LinearRegressor(penalty="subset", k=1).fit(X, y)
    assert model.selected_columns_ == ("x0",)
    assert not model.optimal_
