"""Cuts without a target against tables worked out by hand and scikit-learn."""

import numpy as np
import pytest
from sklearn.cluster import KMeans

from tamis.transform import Discretize
from tamis.transform.discretize.cuts import count_cuts, interval_names, kmeans_cuts, width_cuts


def test_equal_widths():
    """Bins of a range of 10 would not be 2 wide."""
    np.testing.assert_allclose(width_cuts(np.array([5.0, 15.0, 6.0]), 5), [7, 9, 11, 13])


def test_equal_counts_and_ties():
    """Rows of one value would be torn apart, or bins be empty: of 1 1 1 1 2 3 only the cuts at 1.5 and 2.5 exist."""
    np.testing.assert_array_equal(count_cuts(np.arange(10.0), 5), [1.5, 3.5, 5.5, 7.5])
    np.testing.assert_array_equal(count_cuts(np.array([1.0, 1, 1, 1, 2, 3]), 3), [1.5])
    np.testing.assert_array_equal(count_cuts(np.array([1.0, 1, 1, 1, 2, 3]), 6), [1.5, 2.5])


@pytest.mark.parametrize("seed", range(5))
def test_clusters_as_scikit_learns(seed):
    """Lloyd's rounds on sorted values would end elsewhere."""
    x = np.random.default_rng(seed).gamma(2.0, size=400)
    edges = np.linspace(x.min(), x.max(), 5)
    start = (0.5 * (edges[1:] + edges[:-1]))[:, None]
    centers = np.sort(KMeans(4, init=start, n_init=1, tol=0, max_iter=1000).fit(x[:, None]).cluster_centers_.ravel())
    np.testing.assert_allclose(kmeans_cuts(x, 4), 0.5 * (centers[1:] + centers[:-1]), rtol=1e-9)


@pytest.mark.parametrize("make", [width_cuts, count_cuts, kmeans_cuts])
def test_a_constant_column_has_no_cut(make):
    """One value would be in two bins."""
    assert not len(make(np.full(7, 3.25), 4))


def test_names_have_as_many_digits_as_tell_cuts_apart():
    """Two intervals would bear one name."""
    assert interval_names("x", np.array([1.00001, 1.00002]))[1] == "1.00001 < x ≤ 1.00002"
    assert interval_names("x", np.array([])) == ("any x",)
    assert interval_names("x", np.array([1234567.0]))[0] == "x ≤ 1.235e+06"


@pytest.mark.parametrize("how", ["width", "count", "entropy"])
def test_a_width_beyond_the_largest_number(how):
    """The distance of the smallest from the largest value was infinite, and there was one bin."""
    x = np.linspace(-1.0, 1.0, 12)
    step = Discretize(how, n_bins=3, encode="codes")
    known, found = (step.fit(X, x > 0).transform(X) for X in (x[:, None], 1.7e308 * x[:, None]))
    assert np.array_equal(known, found)
    assert len(np.unique(found)) >= 2
