"""Derivative: of local polynomials."""

import numpy as np
import pytest
from scipy.signal import savgol_filter

from tamis.transform.signals import Derivative

TABLES = {  # Savitzky and Golay 1964, tables III and V, as weights of x[i - h], …, x[i + h]
    (1, 5, 2): ([-2, -1, 0, 1, 2], 10),
    (1, 7, 2): ([-3, -2, -1, 0, 1, 2, 3], 28),
    (1, 5, 3): ([1, -8, 0, 8, -1], 12),
    (2, 5, 2): ([2, -1, -2, -1, 2], 7),
}


@pytest.mark.parametrize(("order", "window", "degree"), TABLES)
def test_an_impulse_gives_the_published_table(order, window, degree):
    """The weights in the middle of a window are not those of Savitzky and Golay."""
    impulse = np.zeros((1, 2 * window + 1))
    impulse[0, window] = 1.0
    found = Derivative(order, window=window, degree=degree).fit_transform(impulse)[0]
    integers, norm = TABLES[order, window, degree]
    half = window // 2
    np.testing.assert_allclose(found[window - half : window + half + 1][::-1] * norm, integers, atol=1e-11)


@pytest.mark.parametrize(("order", "window", "degree"), [(1, 7, 2), (2, 7, 3), (3, 9, 4), (1, 3, 1)])
def test_equals_scipy(order, window, degree):
    """Values differ from scipy.signal.savgol_filter, at the ends or by the spacing."""
    X = np.random.default_rng(0).normal(size=(4, 25))
    ours = Derivative(order, window=window, degree=degree, spacing=0.5).fit_transform(X)
    theirs = savgol_filter(X, window, degree, deriv=order, delta=0.5, axis=1)
    np.testing.assert_allclose(ours, theirs, atol=1e-9)


def test_offset_and_slope_vanish():
    """The first derivative sees an offset, or the second a straight baseline."""
    x, line = np.random.default_rng(1).normal(size=20), 3.0 + 0.5 * np.arange(20)
    np.testing.assert_allclose(Derivative().fit_transform([x + 3.0]), Derivative().fit_transform([x]), atol=1e-12)
    np.testing.assert_allclose(Derivative(2).fit_transform([x + line]), Derivative(2).fit_transform([x]), atol=1e-12)


def test_two_positions_have_a_slope():
    """The shortest signal with a derivative is refused."""
    np.testing.assert_allclose(Derivative().fit_transform([[1.0, 4.0]]), [[3.0, 3.0]])


@pytest.mark.parametrize(
    ("given", "n", "sentence"),
    [
        ({}, 1, "Derivative needs at least 2 positions, but block 'signal' has 1 feature"),
        ({"order": 2}, 2, "a derivative of order=2 needs at least 3 positions, but block 'signal' has 2 feature"),
        ({"order": 0}, 9, "order=0 is too small"),
        ({"order": 2, "degree": 1}, 9, "degree=1 is too small; give a whole number of at least 2"),
        ({"spacing": 0.0}, 9, "spacing=0.0 is out of range"),
        ({"window": 6}, 9, "window=6 has no middle"),
    ],
)
def test_bad_parameters(given, n, sentence):
    """A parameter that cannot be used is not refused in one sentence."""
    with pytest.raises(ValueError, match="^" + sentence):
        Derivative(**given).fit(np.zeros((3, n)))
