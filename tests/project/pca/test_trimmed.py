"""Components that outlying rows do not turn."""

import numpy as np
import pytest

from tamis import PCA


def table(n=500, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, 6)) * [5, 3, 1, 1, 1, 1]


@pytest.mark.parametrize("n_components", [2, None])
def test_outliers_do_not_turn_components(n_components):
    """A tenth of the rows far away would be the first component."""
    X = table()
    X[:50] = np.random.default_rng(1).normal(size=(50, 6)) + np.array([0, 0, 0, 60, 60, 0])
    assert abs(PCA(2).fit(X).components_[0, 3]) > 0.6
    found = PCA(n_components, trim=0.15).fit(X)
    clean = PCA(2).fit(X[50:])
    assert np.abs((found.components_[:2] * clean.components_).sum(axis=1)).min() > np.cos(np.radians(5))
    assert set(range(50)) <= set(found.trimmed_rows_.tolist())
    assert len(found.trimmed_rows_) == 75
    np.testing.assert_allclose(found.mean_, clean.mean_, atol=0.3)


def test_variances_of_normal_rows_are_not_shrunken():
    """Leaving out the farthest rows would make all variances too small."""
    X = table(4_000)
    np.testing.assert_allclose(PCA(trim=0.2).fit(X).spectrum_, PCA().fit(X).spectrum_, rtol=0.1)


def test_weights_count_rows():
    """A row of weight 2 would be trimmed as one."""
    X, w = table(60), np.random.default_rng(0).integers(0, 3, 60)
    a, b = PCA(2, trim=0.1).fit(X, sample_weight=w), PCA(2, trim=0.1).fit(np.repeat(X, w, axis=0))
    np.testing.assert_allclose(a.spectrum_, b.spectrum_, rtol=1e-9)
