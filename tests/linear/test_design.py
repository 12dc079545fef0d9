"""Sparse tables: the same answers as dense ones, without making them dense."""

import tracemalloc

import numpy as np
import pytest
from scipy import sparse

from tamis import LinearRegressor
from tamis.errors import TamisWarning


def table(n, p, seed=1):
    random = np.random.default_rng(seed)
    X = sparse.random_array((n, p), density=0.1, rng=random, format="csr")
    return X, X @ random.normal(size=p) + random.normal(size=n), random.integers(0, 3, size=n).astype(float)


@pytest.mark.parametrize("shape", [(300, 40), (40, 300)])
@pytest.mark.parametrize("alpha", [0.3, "loo", "cv"])
@pytest.mark.parametrize("options", [{}, {"standardize": False}, {"fit_intercept": False}], ids=str)
def test_sparse_ridge_equals_dense(shape, alpha, options):
    """Another road to the same minimum."""
    X, y, weights = table(*shape)
    sparsely, densely = (
        LinearRegressor("ridge", alpha=alpha, **options).fit(form, y, sample_weight=weights)
        for form in (X, X.toarray())
    )
    np.testing.assert_allclose(sparsely.coef_, densely.coef_, rtol=1e-8, atol=1e-10)
    assert sparsely.intercept_ == pytest.approx(densely.intercept_, abs=1e-9)


@pytest.mark.parametrize("options", [{}, {"fit_intercept": False}], ids=str)
def test_sparse_least_squares_equals_dense(options):
    """Coefficients, their errors and p-values."""
    X, y, weights = table(9_000, 12)
    sparsely, densely = (
        LinearRegressor(None, **options).fit(form, y, sample_weight=weights) for form in (X, X.toarray())
    )
    np.testing.assert_allclose(sparsely.coef_, densely.coef_, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(sparsely.standard_errors_, densely.standard_errors_, rtol=1e-9)


def test_dependent_sparse_columns_are_named():
    """The minimal-norm answer and its warning must not depend on how the table is stored."""
    X, y, _ = table(200, 6)
    X = sparse.csr_array(sparse.hstack([X, 2 * X[:, [0]]]))
    found = []
    for form in (X, X.toarray()):
        with pytest.warns(TamisWarning, match="depend linearly"):
            found.append(LinearRegressor(None).fit(form, y).coef_)
    np.testing.assert_allclose(*found, atol=1e-9)


@pytest.mark.parametrize("penalty", [None, "ridge"])
def test_memory_stays_that_of_the_entries(penalty):
    """A table of text indicators would not fit into memory if it were made dense."""
    X = sparse.random_array((60_000, 200), density=0.005, rng=np.random.default_rng(0), format="csr")
    y = X @ np.ones(200)
    model = LinearRegressor(penalty, alpha=0.1)
    model.fit(X[:500], y[:500])  # imports
    tracemalloc.start()
    model.fit(X, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 0.5 * 60_000 * 200 * 8


@pytest.mark.parametrize("penalty", ["ridge", "lasso"])
def test_samplers_take_sparse_tables(penalty):
    """The same draws, however the table is stored."""
    X, y, _ = table(60, 5)
    found = [LinearRegressor(penalty, alpha="bayes", n_draws=30).fit(form, y).coef_ for form in (X, X.toarray())]
    np.testing.assert_allclose(*found, rtol=1e-6)
