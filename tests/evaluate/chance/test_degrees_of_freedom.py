"""Degrees of freedom by perturbation: the trace of linear smoothers, more for models that search."""

import numpy as np
import pytest

from tamis import LinearRegressor, TreeRegressor
from tamis.evaluate import degrees_of_freedom


def _table():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 10))
    return X, X[:, 0] + rng.normal(size=60)


@pytest.mark.parametrize("model", [LinearRegressor(None), LinearRegressor("ridge", alpha=0.5)])
def test_linear_smoothers_have_the_trace_of_their_matrix(model):
    """The estimate is unbiased for a linear smoother; 300 draws of signs leave little noise."""
    X, y = _table()
    exact = model.fit(X, y).degrees_of_freedom_
    assert abs(degrees_of_freedom(model, X, y, n_draws=300) - exact) < 0.5


def test_searching_costs_more_than_the_coefficients_found():
    """The best single column of ten has more than its two coefficients; a deep tree more than a stump."""
    X, y = _table()
    one = degrees_of_freedom(LinearRegressor("subset", k=1), X, np.random.default_rng(1).normal(size=60), n_draws=40)
    assert one > 2.5
    stump, deep = (degrees_of_freedom(TreeRegressor(max_depth=d), X, y, n_draws=20) for d in (1, 6))
    assert 2 < stump < deep <= 60.5
