"""All roads to the components, against LAPACK, scikit-learn and each other."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.decomposition import PCA as Reference

from tamis import PCA
from tamis.project.pca.decompose import of_moments, of_triangle, solver_for
from tamis.views import Moments


def table(n, p, seed=0, offset=0.0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, p)) * np.linspace(3, 0.5, p) @ np.linalg.qr(rng.normal(size=(p, p)))[0] + offset


def lapack(X):
    return np.linalg.svd(X - X.mean(axis=0), compute_uv=False) ** 2 / (len(X) - 1)


@pytest.mark.parametrize("solver", ["full", "moments", "gram"])
@pytest.mark.parametrize("shape", [(200, 12), (12, 40), (30, 30), (2, 5), (3, 1)])
def test_spectra_are_lapacks(solver, shape):
    """A variance would be wrong, for some shape of the table or road taken."""
    X = table(*shape)
    found, expected = PCA(solver=solver).fit(X).spectrum_, lapack(X)
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-10 * expected[0])


@pytest.mark.parametrize("solver", ["full", "moments", "gram", "randomised"])
def test_all_roads_give_the_same_components(solver):
    """Components, means or scores would depend on the solver, which is chosen by size."""
    X, new = table(300, 20, offset=5.0), table(7, 20, seed=1)
    expected, found = Reference(4).fit(X), PCA(4, solver=solver).fit(X)
    np.testing.assert_allclose(np.abs(found.components_), np.abs(expected.components_), atol=1e-7)
    np.testing.assert_allclose(np.abs(found.transform(new)), np.abs(expected.transform(new)), atol=1e-6)
    np.testing.assert_allclose(found.explained_variance_, expected.explained_variance_, rtol=1e-10)
    np.testing.assert_allclose(found.explained_variance_ratio_, expected.explained_variance_ratio_, rtol=1e-10)
    np.testing.assert_allclose(found.noise_variance_, expected.noise_variance_, rtol=1e-9)
    assert found.solver_ == solver


@pytest.mark.parametrize("solver", ["full", "moments", "gram", "randomised"])
def test_an_offset_costs_no_digits(solver):
    """Data far from 0, such as dates or masses, would lose their digits to their mean."""
    X = np.round(table(400, 10) * 2**20) / 2**20  # exact at an offset of 1e8, which leaves 26 bits behind the point
    np.testing.assert_allclose(
        PCA(3, solver=solver).fit(X + 2.0**26).spectrum_[:3], lapack(X)[:3], rtol=1e-10, err_msg=solver
    )


def test_small_variances_keep_ten_digits():
    """Products of columns square the condition: variances far below the largest would be rounding."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 40)) * np.logspace(0, -5, 40)
    found = PCA().fit(X)
    np.testing.assert_allclose(found.spectrum_, lapack(X), rtol=1e-10)
    wide = rng.normal(size=(300, 1_000)) * np.logspace(0, -5, 1_000)
    np.testing.assert_allclose(PCA(solver="gram").fit(wide).spectrum_[:299], lapack(wide)[:299], rtol=1e-9)


def test_batches_of_a_triangle_are_the_whole():
    """Many rows of ill-conditioned columns would be decomposed wrongly beyond the first batch."""
    X, w = table(9_000, 6), np.random.default_rng(1).integers(0, 3, 9_000).astype(float)
    a, b = of_triangle(X, w), of_triangle(np.repeat(X, w.astype(int), axis=0), None)
    np.testing.assert_allclose(a.spectrum, b.spectrum, rtol=1e-12)
    np.testing.assert_allclose(b.spectrum, lapack(np.repeat(X, w.astype(int), axis=0)), rtol=1e-12)


def test_moments_are_as_good_as_rows():
    """The view of the moments would not hold the covariance."""
    X = table(500, 5)
    np.testing.assert_allclose(of_moments(Moments.of(X)).spectrum, lapack(X), rtol=1e-12)


@pytest.mark.parametrize("density", [0.05, 0.6])
@pytest.mark.parametrize("solver", ["auto", "moments", "gram", "randomised"])
def test_sparse_is_dense(density, solver):
    """A sparse matrix would have other components than the same one with its zeros."""
    X = sparse.random_array((120, 30), density=density, rng=np.random.default_rng(0), format="csr")
    a, b = PCA(3, solver=solver).fit(X), PCA(3).fit(X.toarray())
    np.testing.assert_allclose(a.spectrum_[:3], b.spectrum_[:3], rtol=1e-9)
    np.testing.assert_allclose(a.transform(X), b.transform(X.toarray()), atol=1e-6)


def test_roads_by_size():
    """A table would be decomposed at many times the cost."""
    assert solver_for((100, 20), None) == "full"
    assert solver_for((1_000_000, 100), 5) == "moments"
    assert solver_for((200, 20_000), 5) == "gram"
    assert solver_for((20_000, 10_000), 5) == "randomised"
    assert solver_for((20_000, 10_000), 0.9) == "moments"


def test_randomised_finds_close_components():
    """Components whose variances lie close together would be mixed up, or the search would not end."""
    rng = np.random.default_rng(0)
    spread = np.concatenate([[5, 4.9, 4.8, 4.7], np.linspace(4.5, 0.1, 296)])
    X = rng.normal(size=(600, 300)) * spread @ np.linalg.qr(rng.normal(size=(300, 300)))[0]
    a, b = PCA(6, solver="randomised").fit(X), PCA(6, solver="full").fit(X)
    np.testing.assert_allclose(a.spectrum_, b.spectrum_[:6], rtol=1e-11)
    np.testing.assert_allclose(a.components_, b.components_, atol=1e-6)
    np.testing.assert_allclose(a.total_variance_, b.total_variance_, rtol=1e-12)
