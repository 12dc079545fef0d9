"""Signs of components."""

import numpy as np

from tamis.project.signs import fixed_signs


def test_the_largest_loading_is_positive():
    """A component would change its sign with rounding."""
    V = np.array([[0.1, -0.9, 0.2], [0.5, 0.4, -0.3]])
    assert fixed_signs(V).tolist() == [-1.0, 1.0]


def test_ties_go_by_the_order_given():
    """Two loadings equal but for rounding would decide by rounding."""
    near = np.array([[0.7, -0.7 * (1 + 1e-12)], [0.7 * (1 + 1e-12), -0.7]])
    assert fixed_signs(near).tolist() == [1.0, 1.0]
    assert fixed_signs(near, np.array([1, 0])).tolist() == [-1.0, -1.0]
