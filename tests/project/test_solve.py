"""Equations by their singular values."""

import numpy as np
import pytest
from scipy import sparse

from tamis.errors import ParameterError, TableError
from tamis.project import solve


@pytest.mark.parametrize("shape", [(6, 6), (9, 4), (4, 9)])
def test_the_shortest_best_solution(shape):
    """The answer would not be the pseudo-inverse's: not the best, or not the shortest."""
    rng = np.random.default_rng(0)
    A, b = rng.normal(size=shape), rng.normal(size=shape[0])
    x = solve(A, b)
    np.testing.assert_allclose(x, np.linalg.pinv(A) @ b, atol=1e-12)
    np.testing.assert_allclose(x.residual, np.linalg.norm(A @ x - b), atol=1e-12)
    assert (x.dropped, x.rank) == (0, min(shape))
    several = solve(A, np.column_stack([b, 2 * b]))
    np.testing.assert_allclose(several, np.column_stack([x, 2 * x]), atol=1e-12)
    np.testing.assert_allclose(solve(sparse.csr_array(A), b), x)


def test_small_singular_values_are_dropped_and_counted():
    """Rounding would be divided by: of rank 2 in 5 columns, three values are dropped."""
    rng = np.random.default_rng(0)
    A = rng.normal(size=(8, 2)) @ rng.normal(size=(2, 5))
    b = A @ np.ones(5)
    x = solve(A, b)
    assert (x.dropped, x.rank, len(x.singular_values)) == (3, 2, 5)
    np.testing.assert_allclose(A @ x, b)
    assert np.linalg.norm(x) <= np.linalg.norm(np.ones(5))
    np.testing.assert_allclose(x, np.linalg.lstsq(A, b, rcond=1e-10)[0], atol=1e-10)
    assert "3 of 5 singular values dropped" in repr(x)


def test_a_floor_by_hand():
    """diag(4, 1, 0.1) with a floor of 0.1: 0.1 / 4 is dropped, and its unknown is 0."""
    x = solve(np.diag([4.0, 1.0, 0.1]), [4.0, 3.0, 1.0], floor=0.1)
    np.testing.assert_allclose(x, [1.0, 3.0, 0.0])
    assert x.dropped == 1
    np.testing.assert_allclose(x.residual, 1.0)
    assert solve(np.zeros((2, 2)), [1.0, 1.0]).dropped == 2


def test_a_solution_is_an_array():
    """It could not be computed with."""
    x = solve(np.eye(2), [1.0, 2.0])
    np.testing.assert_array_equal(np.asarray(x + 1), [2.0, 3.0])
    assert float(x[1]) == 2.0


def test_bad_input_gets_a_sentence():
    """A user would be told nothing."""
    with pytest.raises(TableError, match=r"b has the shape \(3,\), but A has 2 rows"):
        solve(np.eye(2), [1.0, 2.0, 3.0])
    with pytest.raises(TableError, match=r"A has the shape \(2,\)"):
        solve([1.0, 2.0], [1.0])
    with pytest.raises(ParameterError, match=r"A\[0, 1\] is nan"):
        solve([[1.0, np.nan]], [1.0])
    with pytest.raises(ParameterError, match="b holds values of the kind"):
        solve(np.eye(1), ["a"])
    with pytest.raises(ParameterError, match="floor=1"):
        solve(np.eye(2), [1.0, 1.0], floor=1)
