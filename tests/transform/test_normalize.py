"""Normalize and Shares against tables worked out by hand."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.preprocessing import Normalizer

from tamis.errors import TableError, TamisWarning
from tamis.transform import Normalize, Shares


def test_norms_of_3_and_4():
    """A norm would be another: 5, 7 and 4 of (3, -4)."""
    X = [[3.0, -4.0]]
    np.testing.assert_allclose(Normalize().fit_transform(X), [[0.6, -0.8]])
    np.testing.assert_allclose(Normalize("l1").fit_transform(X), [[3 / 7, -4 / 7]])
    np.testing.assert_allclose(Normalize("max").fit_transform(X), [[0.75, -1]])


@pytest.mark.parametrize("norm", ["l1", "l2", "max"])
def test_as_scikit_learn_dense_and_sparse(norm):
    """Sparse rows would get other values than dense ones."""
    X = np.random.default_rng(0).normal(size=(20, 5)) * (np.random.default_rng(1).random((20, 5)) < 0.5)
    X[:, 0] = 1.0
    expected = Normalizer(norm=norm).fit_transform(np.abs(X) if norm == "max" else X)
    if norm == "max":
        expected = np.copysign(expected, X)
    np.testing.assert_allclose(Normalize(norm).fit_transform(X), expected, rtol=1e-12)
    np.testing.assert_allclose(Normalize(norm).fit_transform(sparse.csr_array(X)).toarray(), expected, rtol=1e-12)


def test_missing_values_are_left_out_and_stay():
    """One hole would make its whole row missing."""
    np.testing.assert_allclose(Normalize().fit_transform([[3.0, np.nan, 4.0]]), [[0.6, np.nan, 0.8]])


def test_sizes_near_the_ends_of_floating_point():
    """Squares would overflow to infinity or vanish."""
    np.testing.assert_allclose(Normalize().fit_transform([[3e200, 4e200], [3e-200, 4e-200]]), [[0.6, 0.8]] * 2)


def test_a_row_of_zeros_is_named():
    """Its division by zero would fill it with NaN without a word."""
    X = [[1.0, 2.0], [0.0, 0.0]]
    with pytest.warns(TamisWarning, match="row 2 holds only zeros"):
        np.testing.assert_array_equal(Normalize().fit_transform(X)[1], [0, 0])
    with pytest.raises(TableError, match=r"row 2 holds only zeros.*zero='keep'"):
        Normalize(zero="raise").fit_transform(X)


@pytest.mark.parametrize("kind", [sparse.csr_matrix, sparse.csc_matrix, sparse.csr_array, sparse.csc_array])
@pytest.mark.parametrize("made", [Normalize(), Normalize("l1"), Normalize("max"), Shares()], ids=repr)
def test_a_sparse_matrix_stays_of_its_kind(made, kind):
    """A matrix would become an array, in which * means something else."""
    X = np.array([[0.0, 3.0, 4.0], [2.0, 0.0, 0.0]])
    found = made.fit_transform(kind(X))
    assert isinstance(found, sparse.sparray) == isinstance(kind(X), sparse.sparray)
    np.testing.assert_allclose(found.toarray(), made.fit_transform(X), rtol=1e-15)
    far = made.fit_transform(kind(1e300 * X)).toarray()
    np.testing.assert_allclose(far, found.toarray(), rtol=1e-15)


def test_shares_sum_to_1():
    """Counts would not become shares, or the category beside them would be counted."""
    X = pd.DataFrame({"a": [1.0, 0.0], "kind": ["u", "v"], "b": [3.0, 5.0]})
    made = Shares().fit_transform(X)
    np.testing.assert_array_equal(made[["a", "b"]], [[0.25, 0.75], [0, 1]])
    assert made["kind"].tolist() == ["u", "v"]


def test_a_negative_count_is_named():
    """Shares of negative numbers have no meaning."""
    with pytest.raises(TableError, match=r"column 'x1' holds -1\.0 in row 1"):
        Shares().fit([[1.0, -1.0]])


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("step", [Shares(), Normalize("l1"), Normalize("l2")], ids=repr)
def test_rows_whose_sum_is_beyond_the_largest_number(step, kind):
    """Their sum was infinite, and every share 0; a row of small numbers beside them keeps its digits."""
    X = np.array([[1.0, 3.0, 4.0], [2.0, 0.0, 6.0]])
    found, known = step.fit_transform(kind(X * [[4e307], [1e-307]])), step.fit_transform(kind(X))
    assert abs(found - known).max() < 1e-12
