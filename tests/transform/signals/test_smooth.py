"""Smooth: local polynomials and moving averages."""

import numpy as np
import pytest
from scipy.signal import savgol_filter

from tamis.transform.signals import Smooth

TABLES = {  # Savitzky and Golay 1964, tables I and II: convoluting integers and their norm
    (5, 2): ([-3, 12, 17, 12, -3], 35),
    (7, 2): ([-2, 3, 6, 7, 6, 3, -2], 21),
    (9, 2): ([-21, 14, 39, 54, 59, 54, 39, 14, -21], 231),
    (7, 4): ([5, -30, 75, 131, 75, -30, 5], 231),
}


@pytest.mark.parametrize(("window", "degree"), TABLES)
def test_an_impulse_gives_the_published_table(window, degree):
    """The weights in the middle of a window are not those of Savitzky and Golay."""
    impulse = np.zeros((1, 2 * window + 1))
    impulse[0, window] = 1.0
    found = Smooth(window=window, degree=degree).fit_transform(impulse)[0]
    integers, norm = TABLES[window, degree]
    half = window // 2
    np.testing.assert_allclose(found[window - half : window + half + 1] * norm, integers, atol=1e-11)


@pytest.mark.parametrize("n", [7, 8, 30])
@pytest.mark.parametrize(("window", "degree"), [(3, 0), (5, 2), (7, 2), (7, 3), (7, 6)])
def test_equals_scipy(window, degree, n):
    """Values differ from scipy.signal.savgol_filter, at the ends (mode "interp") or in between."""
    X = np.random.default_rng(0).normal(size=(5, n))
    ours = Smooth(window=window, degree=degree).fit_transform(X)
    np.testing.assert_allclose(ours, savgol_filter(X, window, degree, axis=1), atol=1e-11)


def test_a_parabola_stays_as_it_is():
    """A polynomial of the degree of the fit is changed, at the ends or in the middle."""
    x = np.arange(12.0) ** 2 - 5 * np.arange(12.0)
    np.testing.assert_allclose(Smooth().fit_transform([x])[0], x, atol=1e-9)


@pytest.mark.parametrize("n", [1, 2, 3, 6])
def test_a_short_signal_is_fitted_as_a_whole(n):
    """Without a window, a signal shorter than 7 positions is refused or not the least-squares parabola."""
    x = np.random.default_rng(1).normal(size=n)
    t = np.arange(n)
    expected = np.polyval(np.polyfit(t, x, min(2, n - 1)), t)
    np.testing.assert_allclose(Smooth().fit_transform([x])[0], expected, atol=1e-9)


def test_moving_average_by_hand():
    """The mean within the window is wrong, or takes in something beyond the ends."""
    found = Smooth("moving-average", window=5).fit_transform([[1.0, 2.0, 6.0, 3.0, 8.0, 0.0]])
    expected = [9 / 3, 12 / 4, 20 / 5, 19 / 5, 17 / 4, 11 / 3]
    np.testing.assert_allclose(found[0], expected, rtol=1e-15)


def test_digits_far_from_zero_are_kept():
    """An offset of 1e8 costs the moving average its digits (running sums would lose them)."""
    x = np.random.default_rng(2).normal(size=200)
    near = Smooth("moving-average").fit_transform([x])
    far = Smooth("moving-average").fit_transform([x + 1e8]) - 1e8
    np.testing.assert_allclose(far, near, atol=1e-7)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"window": 4}, "window=4 has no middle; give an odd number such as 5"),
        ({"window": 11}, "window=11 is longer than block 'signal' of 10 positions; give an odd number of at most 10"),
        ({"window": 3, "degree": 3}, "degree=3 needs a window of more than 3 positions"),
        ({"window": 0}, "window=0 is too small"),
        ({"how": "median"}, "how='median' is not known"),
        ({"missing": "drop"}, "missing='drop' is not known"),
    ],
)
def test_bad_parameters(given, sentence):
    """A parameter that cannot be used is not refused in one sentence."""
    with pytest.raises(ValueError, match="^" + sentence.replace("(", r"\(")):
        Smooth(**given).fit(np.zeros((3, 10)))
