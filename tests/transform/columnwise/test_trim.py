"""Trim against a row worked out by hand."""

import numpy as np
import pytest

from tamis.transform import Trim


def test_the_fence_is_that_of_the_counts_above_0():
    """Zeros would make every count an outlier: the quartiles of 1, 2, 3, 4, 100 are 2 and 4, the fence 4 + 3 · 2."""
    made = Trim().fit_transform([[0.0, 0.0, 1.0, 2.0, 3.0, 4.0, 100.0, np.nan]])
    np.testing.assert_array_equal(made, [[0, 0, 1, 2, 3, 4, 10, np.nan]])


def test_as_numpys_quantiles():
    """Interpolated quartiles of rows with different numbers of zeros would be wrong."""
    rng = np.random.default_rng(0)
    X = rng.poisson(1.0, size=(30, 12)) * rng.integers(1, 50, size=(30, 12)).astype(float)
    for row, made in zip(X, Trim(1.5).fit_transform(X)):
        low, high = np.quantile(row[row > 0], [0.25, 0.75])
        np.testing.assert_allclose(made, np.minimum(row, high + 1.5 * (high - low)))


def test_a_row_without_counts_stays():
    """A row of zeros would become infinite."""
    np.testing.assert_array_equal(Trim().fit_transform([[0.0, 0.0]]), [[0, 0]])


def test_negative_counts_are_named():
    """They are no counts."""
    with pytest.raises(ValueError, match=r"column 'x1' holds -2\.0 in row 1"):
        Trim().fit([[1.0, -2.0]])
