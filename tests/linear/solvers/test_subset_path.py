"""Best subsets: every size equals brute force, the proof is honest, splicing finds what is there."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from tamis import LinearClassifier, LinearRegressor


def problem(n=40, p=9, seed=0, rho=0.7):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) @ np.linalg.cholesky(rho ** np.abs(np.subtract.outer(range(p), range(p)))).T
    return X, X @ np.where(np.arange(p) % 3 == 0, 1.0, 0.0) + 2 * rng.normal(size=n)


def rss(X, y, columns):
    A = np.column_stack([np.ones(len(y)), X[:, list(columns)]])
    return float(np.sum((y - A @ np.linalg.lstsq(A, y, rcond=None)[0]) ** 2))


@pytest.mark.parametrize("seed", range(4))
def test_every_size_equals_brute_force(seed):
    """A subset that is not the best of its size would make optimal_ a lie."""
    X, y = problem(seed=seed)
    for k in range(1, 9):
        model = LinearRegressor(penalty="subset", k=k).fit(X, y)
        best = min(combinations(range(9), k), key=lambda columns: rss(X, y, columns))
        assert model.selected_columns_ == tuple(f"x{j}" for j in best)
        assert model.optimal_
        assert model.subset_gap_ == 0
        np.testing.assert_allclose(np.sum((y - model.predict(X)) ** 2), rss(X, y, best), rtol=1e-9)


def test_weights_enter_the_search():
    """Rows of weight 0 must not take part in choosing columns."""
    X, y = problem(n=60)
    w = np.r_[np.zeros(20), np.ones(40)]
    a = LinearRegressor(penalty="subset", k=3).fit(X, y, sample_weight=w)
    b = LinearRegressor(penalty="subset", k=3).fit(X[20:], y[20:])
    np.testing.assert_allclose(a.coef_, b.coef_, rtol=1e-9)


def test_the_penalised_form_prices_columns():
    """k=None must minimise mean loss + alpha · size over all subsets."""
    X, y = problem()
    for alpha in (0.01, 0.1, 1.0):
        model = LinearRegressor(penalty="subset", k=None, alpha=alpha).fit(X, y)
        costs = {
            columns: rss(X, y, columns) / (2 * len(y)) + alpha * k
            for k in range(10)
            for columns in combinations(range(9), k)
        }
        assert model.selected_columns_ == tuple(f"x{j}" for j in min(costs, key=costs.get))


def test_size_by_cross_validation_finds_the_columns_that_are_there():
    """With clear columns and the 1se rule the size must be theirs."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 12))
    model = LinearRegressor(penalty="subset").fit(X, X[:, [2, 5, 7]] @ [2, -2, 2] + rng.normal(size=200))
    assert model.selected_columns_ == ("x2", "x5", "x7")
    assert model.k_ == 3
    assert model.path_.n_columns.tolist() == list(range(13))


def test_splicing_finds_the_columns_among_many():
    """Beyond what can be proved the columns must still be found, and not called proved."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 300))
    y = X[:, [3, 70, 200]] @ [2, -2, 2] + 0.5 * rng.normal(size=120)
    model = LinearRegressor(penalty="subset", k=3).fit(X, y)
    assert model.selected_columns_ == ("x3", "x70", "x200")
    assert not model.optimal_
    logistic = LinearClassifier(penalty="subset", k=3).fit(X, y > 0)
    assert logistic.selected_columns_ == ("x3", "x70", "x200")


def test_splicing_equals_branch_and_bound_where_both_can_go():
    """On an easy problem splicing must reach the proved optimum."""
    from tamis.linear.fit import Job
    from tamis.linear.losses.squared import Squared
    from tamis.linear.penalties.elastic_net import Penalty
    from tamis.linear.solvers.splicing import Splicer
    from tamis.linear.solvers.subset_path import subset_path

    X, y = problem(n=100, rho=0.3)
    job = Job(X, Squared(y), np.ones(len(y)), Penalty(0.0, np.ones(9)), True, True)
    exact = subset_path(job, np.arange(10), 5, None)
    found = [fitted.value for _, fitted in Splicer(job, np.arange(10)).path(5)]
    np.testing.assert_allclose(found, exact.value, rtol=1e-6)


def test_a_categorical_column_counts_as_one():
    """The levels of a column must enter together and count as one column."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"g": rng.choice(list("abc"), size=150), "x": rng.normal(size=150), "z": rng.normal(size=150)})
    y = 2.0 * (frame["g"] == "b") - 2.0 * (frame["g"] == "c") + 0.1 * rng.normal(size=150)
    model = LinearRegressor(penalty="subset", k=1).fit(frame, y)
    assert model.selected_columns_ == ("g",)
    assert np.count_nonzero(model.coef_) == 2
