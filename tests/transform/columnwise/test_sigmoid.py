"""Sigmoid against values worked out by hand."""

import numpy as np
import pytest

from tamis.transform import Sigmoid


def test_the_logistic_function():
    """1 / (1 + exp(-b x)) would be something else, or overflow."""
    X = [[0.0], [np.log(3) / 2], [-np.log(3) / 2], [1e6], [-1e6], [np.nan]]
    np.testing.assert_allclose(Sigmoid(2).fit_transform(X).ravel(), [0.5, 0.75, 0.25, 1, 0, np.nan])


def test_what_is_no_sigmoid_cannot_be_inverted():
    """A logarithm of a negative number would be NaN without a word."""
    with pytest.raises(ValueError, match=r"column 'x0' holds 1\.5 in row 2"):
        Sigmoid().fit([[0.0]]).inverse_transform([[0.5], [1.5]])


def test_a_steepness_of_0_is_refused():
    """Every value would become one half."""
    with pytest.raises(ValueError, match="b=0"):
        Sigmoid(0).fit([[1.0]])
