"""Clip against tables worked out by hand."""

import numpy as np
import pytest
from scipy import sparse

from tamis.transform import Clip

X = np.array([[-5.0], [-0.2], [0.0], [0.4], [np.nan], [7.0]])


def test_the_bound_keeps_the_sign():
    """sgn(x) min(b, |x|) would be something else."""
    np.testing.assert_array_equal(Clip(2).fit_transform(X).ravel(), [-2, -0.2, 0, 0.4, np.nan, 2])


def test_the_floor_raises_small_sizes():
    """Small values would stay, or lose their sign."""
    np.testing.assert_array_equal(Clip(floor=0.5).fit_transform(X).ravel(), [-5, -0.5, 0.5, 0.5, np.nan, 7])


def test_quantiles_are_those_of_the_rows_of_fit():
    """Limits would not be learned: the quartiles of 0 … 8 are 2 and 6."""
    made = Clip(quantiles=(0.25, 0.75)).fit(np.arange(9.0)[:, None])
    np.testing.assert_array_equal(made.transform([[-100.0], [3.0], [100.0]]).ravel(), [2, 3, 6])


def test_without_arguments_the_outermost_hundredths_are_cut():
    """`Clip()` would do nothing."""
    made = Clip().fit(np.arange(101.0)[:, None])
    assert (made.low_[0], made.high_[0]) == (1, 99)


def test_a_sparse_matrix_stays_sparse():
    """A wide table of counts would be made dense."""
    made = Clip(2).fit_transform(sparse.csr_array(np.array([[0.0, -5.0], [1.0, 0.0]])))
    assert sparse.issparse(made)
    np.testing.assert_array_equal(made.toarray(), [[0, -2], [1, 0]])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"bound": -1}, "bound=-1"),
        ({"bound": 1, "floor": 2}, "floor=2"),
        ({"quantiles": (0.9, 0.1)}, "do not grow"),
        ({"quantiles": 0.1}, "no pair"),
        ({"quantiles": (0, 2)}, "quantiles=2"),
    ],
)
def test_bad_parameters_are_named(arguments, said):
    """The user would not know which argument is wrong."""
    with pytest.raises(ValueError, match=said):
        Clip(**arguments).fit(X)
