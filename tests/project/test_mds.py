"""Maps of rows by their distances."""

import json

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn import manifold

from tamis import PCA
from tamis.errors import DamagedError, ParameterError, TableError
from tamis.project import MDS
from tamis.project import mds as module

X = np.random.default_rng(0).normal(size=(80, 5)) * [4, 3, 1, 0.5, 0.2]
NEW = np.random.default_rng(1).normal(size=(9, 5)) * [4, 3, 1, 0.5, 0.2]


def test_towns_by_hand():
    """A right triangle 3, 4, 5 would not be drawn as one."""
    distances = np.array([[0.0, 3, 4], [3, 0, 5], [4, 5, 0]])
    Z = MDS(2, metric="precomputed").fit_transform(distances)
    np.testing.assert_allclose(cdist(Z, Z), distances, atol=1e-12)


def test_classical_is_pca_for_plain_distances():
    """New rows would be put elsewhere than among their like."""
    mds, pca = MDS(2).fit(X), PCA(2).fit(X)
    np.testing.assert_allclose(np.abs(mds.transform(X)), np.abs(pca.transform(X)), atol=1e-7)
    np.testing.assert_allclose(np.abs(mds.transform(NEW)), np.abs(pca.transform(NEW)), atol=1e-7)
    np.testing.assert_allclose(mds.transform(X), mds.embedding_, atol=1e-7)
    np.testing.assert_allclose(mds.spectrum_, pca.spectrum_[:2] * 79 / 80, rtol=1e-7)


def test_without_scikit_learns_class(monkeypatch):
    """An older scikit-learn would have no classical maps."""
    expected = MDS(2, metric="cityblock").fit(X)
    monkeypatch.delattr(manifold, "ClassicalMDS", raising=False)
    found = MDS(2, metric="cityblock").fit(X)
    np.testing.assert_allclose(found.embedding_, expected.embedding_, atol=1e-8)


def test_metric_has_less_stress():
    """The stress would not be lowered, or new rows would not be placed by it."""
    classical, metric = MDS(2).fit(X), MDS(2, kind="metric", tol=1e-12, max_iter=3_000).fit(X)
    assert metric.stress_ < classical.stress_
    np.testing.assert_allclose(metric.transform(X), metric.embedding_, atol=0.02)
    distances, places = cdist(NEW, X), metric.transform(NEW)

    def stress(Z):
        return ((distances - cdist(Z, metric.embedding_)) ** 2).sum(axis=1)

    for step in 0.05 * np.random.default_rng(0).normal(size=(20, 1, 2)):
        assert np.all(stress(places) <= stress(places + step))
    back = X @ np.linalg.qr(np.random.default_rng(3).normal(size=(5, 5)))[0]
    np.testing.assert_allclose(MDS(2, kind="metric").fit(back).stress_, metric.stress_, rtol=1e-3)


def test_beyond_5000_rows_by_landmarks(monkeypatch):
    """Large tables would need the distance of every pair."""
    monkeypatch.setattr(module, "EXACT", 50)
    found = MDS(5, landmarks=20).fit(X)
    assert found.rows_.shape == (20, 5)
    Z = found.transform(X)
    np.testing.assert_allclose(cdist(Z, Z), cdist(X, X), atol=1e-6)


@pytest.mark.parametrize("kind", ["classical", "metric"])
def test_saved_and_read_again(kind):
    """A saved map would have other places."""
    found = MDS(2, kind=kind).fit(X)
    back = MDS.from_dict(json.loads(json.dumps(found.to_dict())))
    np.testing.assert_array_equal(back.transform(NEW), found.transform(NEW))
    damaged = found.to_dict()
    damaged["state"]["embedding"] = [[1.0]]
    with pytest.raises(DamagedError, match="damaged"):
        MDS.from_dict(damaged)


def test_bad_input_gets_a_sentence():
    """A user would be told nothing."""
    with pytest.raises(ParameterError, match=r"n_components=3, but the distances of the 4 rows .* span 1 dimension"):
        MDS(3).fit(np.arange(4.0)[:, None] * [1.0, 2.0, 0.0])
    with pytest.raises(TableError, match="one distance a pair of rows"):
        MDS(metric="precomputed").fit(X)
    with pytest.raises(TableError, match="rows 0 and 1 are 1 apart one way and 2 the other"):
        MDS(metric="precomputed").fit([[0.0, 1.0], [2.0, 0.0]])
    with pytest.raises(ParameterError, match=r"kind='classic' is not known .did you mean 'classical'"):
        MDS(kind="classic").fit(X)
    with pytest.raises(TableError, match="missing values"):
        MDS().fit([[1.0, np.nan], [1.0, 2.0]])
