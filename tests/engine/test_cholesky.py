"""Factor, solution and inverse of small matrices inside kernels, against NumPy's."""

from __future__ import annotations

import numpy as np
import pytest

from tamis.engine.cholesky import factor, invert, solve
from tamis.engine.kernel import njit


@njit
def _all(a, k, b, out):
    least = factor(a, k)
    solve(a, k, b)
    invert(a, k, out)
    return least


@pytest.mark.parametrize("k", [1, 2, 7])
def test_the_leading_block_is_solved_and_inverted(k):
    """Missing cells and Newton steps would be filled by the solution of another system."""
    rng = np.random.default_rng(k)
    A = rng.normal(size=(9, 9))
    A = A @ A.T
    a, b, out = A.copy(), rng.normal(size=9), np.zeros((9, 9))
    expected = np.linalg.solve(A[:k, :k], b[:k])
    pivots = np.diagonal(np.linalg.cholesky(A[:k, :k])) ** 2
    untouched = b[k:].copy()
    least = _all(a, k, b, out)
    np.testing.assert_allclose(b[:k], expected, rtol=1e-9)
    np.testing.assert_allclose(out[:k, :k], np.linalg.inv(A[:k, :k]), rtol=1e-7)
    np.testing.assert_allclose(least, np.min(pivots / np.diagonal(A)[:k]), rtol=1e-9)
    np.testing.assert_array_equal(b[k:], untouched)


@pytest.mark.parametrize(
    "A", [[[1.0, 1.0], [1.0, 1.0]], [[1.0, 2.0], [2.0, 1.0]], [[0.0, 0.0], [0.0, 1.0]], [[np.nan]]]
)
def test_a_matrix_that_is_not_positive_definite_is_told(A):
    """Nearly dependent columns would be fitted as if their coefficients were known."""
    a = np.array(A)
    assert not _all(a, len(a), np.ones(len(a)), np.zeros_like(a)) > 0.0
