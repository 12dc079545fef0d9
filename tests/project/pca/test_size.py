"""How many components are kept, by each rule."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA as Reference

from tamis import PCA
from tamis.project.pca.size import gap, likelihoods, share
from tamis.split import folds


def factors(n, p, k, noise=1.0, seed=0):
    rng = np.random.default_rng(seed)
    return 3 * rng.normal(size=(n, k)) @ np.linalg.qr(rng.normal(size=(p, k)))[0].T + noise * rng.normal(size=(n, p))


def test_a_share_of_the_variance():
    """Too few or too many components would be kept: at 0.9 of (6, 3, 1) two are enough, at 0.91 three."""
    assert [share(np.array([6.0, 3.0, 1.0]), wanted, 10.0) for wanted in (0.5, 0.6, 0.9, 0.91, 1.0)] == [1, 1, 2, 3, 3]
    X = load_digits().data
    assert PCA(0.9).fit(X).n_components_ == Reference(0.9).fit(X).n_components_
    assert PCA(1.0).fit(X).n_components_ == np.linalg.matrix_rank(X - X.mean(axis=0))


@pytest.mark.parametrize("k", [1, 2, 5])
@pytest.mark.parametrize("shape", [(300, 20), (60, 200)])
def test_the_gap_is_behind_the_factors(k, shape):
    """The cut would not be where the spectrum falls."""
    X = factors(*shape, k, noise=0.3)
    assert PCA("gap").fit(X).n_components_ == k


def test_a_gap_by_hand():
    """Ratios: 10, 1.1, 60, 1, 1: the third; and the last of a square noise table is none."""
    assert gap(np.array([100.0, 10.0, 9.0, 0.15, 0.15, 0.15]), 1e6) == 3
    assert gap(np.array([10.0, 9.0, 8.0, 0.01]), 100) == 3
    noise = np.linalg.svd(np.random.default_rng(0).normal(size=(50, 50)), compute_uv=False) ** 2 / 50
    assert gap(noise, 50) < 25
    assert gap(np.array([1.0]), 10) == 1


@pytest.mark.parametrize("k", [1, 3, 8])
def test_held_out_rows_find_the_factors(k):
    """More or fewer components than there are would be chosen."""
    for shape in ((400, 20), (200, 60)):
        pca = PCA("cv").fit(factors(*shape, k))
        assert pca.n_components_ == k
        assert pca.cv_likelihood_.argmax() == k


def test_the_likelihood_is_scikit_learns():
    """The score that chooses would not be the likelihood of held-out rows."""
    X = factors(100, 8, 3)
    splits = folds(4, None, X=X, seed=0)
    found = likelihoods(X, None, splits)
    for k in (1, 3, 5, 7):
        expected = np.mean([Reference(k, svd_solver="full").fit(X[a]).score(X[b]) for a, b in splits])
        np.testing.assert_allclose(found[k], expected, rtol=1e-10)


def test_a_floor_on_variances():
    """Components below the floor would be kept."""
    X = factors(300, 10, 2, noise=0.1)
    assert PCA(floor=0.5).fit(X).n_components_ == 2
    assert PCA(1, floor=0.5).fit(X).n_components_ == 1
    spectrum = PCA().fit(X).spectrum_
    assert PCA(floor=float(spectrum[4])).fit(X).n_components_ == 4


def test_a_column_of_whole_numbers_beyond_float64_is_named():
    """All columns were called constant, though one varies: the other is rounded to nothing."""
    X = pd.DataFrame({"a": np.arange(30.0) ** 1.5, "big": np.arange(30) + 2**60})
    with pytest.raises(ValueError, match=r"column 'big' holds numbers about 1\.15e\+18, beyond 2\*\*53"):
        PCA().fit(X)
