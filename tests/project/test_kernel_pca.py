"""Kernel PCA, exact and by landmarks."""

import json

import numpy as np
import pytest
from sklearn.datasets import make_circles
from sklearn.decomposition import KernelPCA as Reference

from tamis import PCA
from tamis.errors import DamagedError, KindError, ParameterError, TableError
from tamis.project import KernelPCA
from tamis.project import kernel_pca as module
from tamis.project.kernel_pca import KERNELS, Kernel

X = np.random.default_rng(0).normal(size=(60, 4))
NEW = np.random.default_rng(1).normal(size=(7, 4))


@pytest.mark.parametrize("kernel", ["rbf", "poly", "cosine", "linear"])
def test_scores_are_scikit_learns(kernel):
    """Eigenvectors would not be divided by the root of their eigenvalues, or new rows not centred."""
    ours = KernelPCA(3, kernel=kernel, gamma=0.3).fit(X)
    theirs = Reference(3, kernel=kernel, gamma=0.3, eigen_solver="dense").fit(X)
    np.testing.assert_allclose(np.abs(ours.transform(NEW)), np.abs(theirs.transform(NEW)), atol=1e-9)
    np.testing.assert_allclose(ours.spectrum_ * len(X), theirs.eigenvalues_, rtol=1e-9)
    scores = ours.transform(X)
    np.testing.assert_allclose((scores**2).sum(axis=0), ours.spectrum_ * len(X), rtol=1e-9)
    np.testing.assert_allclose(scores.mean(axis=0), 0, atol=1e-9)


def test_kernels_are_their_formulas():
    """A kernel would be another function than it says."""
    a, b = X[:1], X[1:2]
    kernels = {name: float(Kernel(name, 0.5, 2, 1.0)(a, b)[0, 0]) for name in KERNELS}
    inner, apart = float(a[0] @ b[0]), a[0] - b[0]
    lengths = np.linalg.norm(a) * np.linalg.norm(b)
    expected = {
        "rbf": np.exp(-0.5 * apart @ apart),
        "laplacian": np.exp(-0.5 * np.abs(apart).sum()),
        "poly": (0.5 * inner + 1) ** 2,
        "sigmoid": np.tanh(0.5 * inner + 1),
        "cosine": inner / lengths,
        "linear": inner,
    }
    assert kernels == pytest.approx(expected, rel=1e-12)


def test_a_linear_kernel_is_pca():
    """The centring in the kernel's space would be wrong."""
    np.testing.assert_allclose(
        np.abs(KernelPCA(2, kernel="linear").fit(X).transform(NEW)), np.abs(PCA(2).fit(X).transform(NEW)), atol=1e-9
    )


def test_landmarks_that_are_all_rows_change_nothing(monkeypatch):
    """The way by landmarks would not come to the exact one."""
    exact = KernelPCA(3, gamma=0.3).fit(X)
    monkeypatch.setattr(module, "EXACT", 10)
    by_landmarks = KernelPCA(3, gamma=0.3, landmarks=60).fit(X)
    np.testing.assert_allclose(np.abs(by_landmarks.transform(NEW)), np.abs(exact.transform(NEW)), atol=1e-5)
    np.testing.assert_allclose(by_landmarks.spectrum_, exact.spectrum_, rtol=1e-6)
    few = KernelPCA(2, kernel="linear", landmarks=5).fit(X)  # four columns: five rows span them
    np.testing.assert_allclose(np.abs(few.transform(NEW)), np.abs(PCA(2).fit(X).transform(NEW)), atol=1e-6)


def test_more_than_5000_rows():
    """Large tables would need every pair of rows."""
    rows = np.random.default_rng(0).normal(size=(6_000, 3))
    found = KernelPCA(2, landmarks=200).fit(rows)
    assert found.landmarks_.shape == (200, 3)
    exact = KernelPCA(2).fit(rows[:3_000])
    np.testing.assert_allclose(found.spectrum_, exact.spectrum_, rtol=0.1)
    assert found.inverse_transform(found.transform(rows[:5])).shape == (5, 3)


def test_circles_come_apart():
    """The textbook case: no line separates two circles, the first component of the kernel does."""
    circles, y = make_circles(300, factor=0.3, noise=0.03, random_state=0)
    scores = KernelPCA(1, gamma=2.0).fit_transform(circles)[:, 0]
    middle = (scores[y == 0].mean() + scores[y == 1].mean()) / 2
    assert max(((scores > middle) == y).mean(), ((scores < middle) == y).mean()) > 0.99


def test_the_way_back():
    """Rows would not come back from their scores."""
    t = np.linspace(0, 3, 300)
    curve = np.column_stack([np.cos(t), np.sin(t)])
    found = KernelPCA(2, gamma=1.0, ridge=1e-6).fit(curve)
    assert np.abs(found.inverse_transform(found.transform(curve)) - curve).max() < 0.02


def test_an_offset_costs_no_digits():
    """Distances of rows far from 0 would be rounding."""
    a, b = KernelPCA(2).fit(X), KernelPCA(2).fit(X + 2.0**24)
    np.testing.assert_allclose(a.spectrum_, b.spectrum_, rtol=1e-6)


@pytest.mark.parametrize("exact", [5_000, 10])
def test_saved_and_read_again(exact, monkeypatch):
    """A saved study would project other scores."""
    monkeypatch.setattr(module, "EXACT", exact)
    found = KernelPCA(2, landmarks=30).fit(X)
    back = KernelPCA.from_dict(json.loads(json.dumps(found.to_dict())))
    np.testing.assert_array_equal(back.transform(NEW), found.transform(NEW))
    np.testing.assert_array_equal(back.inverse_transform(NEW[:, :2]), found.inverse_transform(NEW[:, :2]))
    damaged = found.to_dict()
    damaged["state"]["weights"] = [[1.0]]
    with pytest.raises(DamagedError, match="damaged"):
        KernelPCA.from_dict(damaged)


def test_bad_input_gets_a_sentence():
    """A user would be told nothing."""
    with pytest.raises(ParameterError, match="n_components=5, but the kernel 'linear' of these rows has 4 component"):
        KernelPCA(5, kernel="linear").fit(X)
    with pytest.raises(ParameterError, match="did you mean 'rbf'"):
        KernelPCA(kernel="rbff").fit(X)
    with pytest.raises(TableError, match="missing values"):
        KernelPCA().fit([[1.0, np.nan], [1.0, 2.0]])


def test_a_function_and_a_matrix_are_the_kernel_they_stand_for():
    """A kernel of one's own would give other components than the same kernel by name."""
    rng = np.random.default_rng(0)
    X, new = rng.normal(size=(40, 3)), rng.normal(size=(5, 3))

    def rbf(A, B):
        return np.exp(-0.5 * ((A[:, None] - B[None]) ** 2).sum(axis=2))

    named = KernelPCA(3, gamma=0.5).fit(X)
    called = KernelPCA(3, kernel=rbf).fit(X)
    matrix = KernelPCA(3, kernel="precomputed").fit(rbf(X, X))
    assert np.allclose(called.transform(new), named.transform(new))
    assert np.allclose(matrix.transform(rbf(new, X)), named.transform(new))
    assert np.allclose(called.inverse_transform(called.transform(new)), named.inverse_transform(named.transform(new)))
    again = KernelPCA.from_dict(json.loads(json.dumps(matrix.to_dict())))
    assert np.array_equal(again.transform(rbf(new, X)), matrix.transform(rbf(new, X)))
    with pytest.raises(ParameterError, match="is no symmetric matrix of all pairs"):
        KernelPCA(kernel="precomputed").fit(X)
    with pytest.raises(ParameterError, match="there is no way back"):
        matrix.inverse_transform(np.zeros((1, 3)))
    with pytest.raises(ParameterError, match="the kernel gave shape"):
        KernelPCA(kernel=lambda A, B: np.ones(3)).fit(X)
    with pytest.raises(KindError, match="kernel=rbf cannot be written as plain values"):
        called.to_dict()
