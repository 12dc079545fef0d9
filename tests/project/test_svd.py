"""Truncated SVD, dense and sparse."""

import json

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.decomposition import TruncatedSVD

from tamis.errors import DamagedError, ParameterError, TableError
from tamis.project import SVD


def test_a_table_by_hand():
    """diag(3, 1): the first component is the first axis, and 1 of 10 in squares is lost."""
    svd = SVD(1).fit([[3.0, 0.0], [0.0, 1.0], [0.0, 0.0]])
    np.testing.assert_allclose(svd.components_, [[1.0, 0.0]])
    np.testing.assert_allclose(svd.loss_, 0.1)
    np.testing.assert_allclose(svd.compression_, 5 / 6)
    np.testing.assert_allclose(svd.inverse_transform([[2.0]]), [[2.0, 0.0]])


@pytest.mark.parametrize("shape", [(50, 8), (8, 50), (20, 20)])
def test_singular_values_are_lapacks(shape):
    """Values or directions would be wrong."""
    X = np.random.default_rng(0).normal(size=shape) + 3
    svd = SVD().fit(X)
    np.testing.assert_allclose(svd.singular_values_, np.linalg.svd(X, compute_uv=False), rtol=1e-12)
    np.testing.assert_allclose(svd.inverse_transform(svd.transform(X)), X, atol=1e-12)
    assert svd.loss_ < 1e-12
    few = SVD(0.9).fit(X)
    assert few.loss_ <= 0.1
    assert len(few.singular_values_) == 1 or (few.singular_values_[:-1] ** 2).sum() < 0.9 * (X**2).sum()


@pytest.mark.parametrize("shape", [(900, 700), (700, 900)])
def test_sparse_stays_sparse(shape):
    """A large sparse matrix would be made dense, or have other components than scikit-learn finds."""
    X = sparse.random_array(shape, density=0.02, rng=np.random.default_rng(0), format="csr")
    svd, expected = SVD(5).fit(X), TruncatedSVD(5, algorithm="arpack", random_state=0).fit(X)
    np.testing.assert_allclose(svd.singular_values_, expected.singular_values_, rtol=1e-9)
    np.testing.assert_allclose(np.abs(svd.transform(X)), np.abs(expected.transform(X)), atol=1e-5)
    dense = SVD(5).fit(X.toarray())
    np.testing.assert_allclose(svd.loss_, dense.loss_, rtol=1e-9)
    back = svd.inverse_transform(svd.transform(X))
    np.testing.assert_allclose(((X.toarray() - back) ** 2).sum() / X.power(2).sum(), svd.loss_, rtol=1e-9)
    np.testing.assert_allclose(svd.loss(X), svd.loss_, rtol=1e-9)


def test_saved_and_read_again():
    """A saved compression would restore another table."""
    frame = pd.DataFrame({"a": [1.0, 2, 3], "b": ["x", "y", "x"], "c": [3.0, 1, 2]})
    svd = SVD(2, categories="indicators").fit(frame)
    back = SVD.from_dict(json.loads(json.dumps(svd.to_dict())))
    np.testing.assert_array_equal(np.asarray(back.transform(frame)), np.asarray(svd.transform(frame)))
    assert back.carriers() == svd.carriers()
    damaged = svd.to_dict()
    damaged["state"]["components"] = [[1.0]]
    with pytest.raises(DamagedError, match="damaged"):
        SVD.from_dict(damaged)


def test_bad_input_gets_a_sentence():
    """A user would be told nothing."""
    with pytest.raises(
        ParameterError, match="n_components=3, but the table has rank 1; give n_components between 1 and 1"
    ):
        SVD(3).fit(np.ones((5, 4)))
    with pytest.raises(ParameterError, match="all values are 0"):
        SVD().fit(np.zeros((3, 2)))
    with pytest.raises(TableError, match="missing values"):
        SVD().fit([[1.0, np.nan], [1.0, 2.0]])
    with pytest.raises(ParameterError, match=r"n_components=2\.5"):
        SVD(2.5).fit(np.eye(3))
