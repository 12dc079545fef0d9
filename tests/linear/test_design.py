"""The matrix of a linear model: sparse tables give the answers of dense ones, and rare levels of many are joined."""

import tracemalloc

import numpy as np
import pandas as pd
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


@pytest.mark.parametrize("penalty", [None, "ridge"])
def test_rare_levels_of_many_are_joined(penalty):
    """A column of 300 levels would become 300 columns, and a study fifty times as slow."""
    rng = np.random.default_rng(0)
    codes = np.minimum(rng.geometric(0.02, 3000), 300)
    X = pd.DataFrame({"zip": [f"z{code:03d}" for code in codes], "size": rng.normal(size=3000)})
    y = X["size"] + np.where(codes == 1, 5.0, 0.0) + rng.normal(0, 0.1, 3000)
    model = LinearRegressor(penalty, alpha=1e-6 if penalty else "cv").fit(X, y)
    assert sum(name.startswith("zip=") for name in model.coef_names_) == 50
    new = pd.DataFrame({"zip": ["z001", "z290", "z299", "never"], "size": [0.0] * 4})
    common, rare, other, unseen = model.predict(new)
    assert common == pytest.approx(5.0, abs=0.1)
    assert rare == other == unseen == pytest.approx(0.0, abs=0.1)
    again = LinearRegressor.from_dict(model.to_dict())
    np.testing.assert_allclose(again.predict(new), model.predict(new))
