"""Sharpen: unsharp masking and its inverse."""

import numpy as np
import pytest

from tamis.transform.signals import Sharpen, Smooth


def test_by_hand():
    """Peaks are not raised by their difference from the moving average."""
    found = Sharpen(amount=0.5, window=3).fit_transform([[0.0, 6.0, 0.0, 0.0]])
    np.testing.assert_allclose(found, [[0 - 0.5 * 3, 6 + 0.5 * 4, 0 - 0.5 * 2, 0.0]])


def test_is_the_signal_plus_what_smoothing_takes():
    """The blurred signal is not that of Smooth("moving-average")."""
    X = np.random.default_rng(0).normal(size=(6, 40))
    blurred = Smooth("moving-average", window=5).fit_transform(X)
    np.testing.assert_array_equal(Sharpen(2.0).fit_transform(X), X + 2.0 * (X - blurred))


@pytest.mark.parametrize(("n", "window"), [(1, 1), (2, None), (5, 5), (40, 7)])
@pytest.mark.parametrize("amount", [0.0, 1.0, 20.0])
def test_the_inverse_returns_the_signal(n, window, amount):
    """Sharpened signals are not turned back, at the ends or in the middle."""
    X = np.random.default_rng(1).normal(size=(3, n))
    sharpen = Sharpen(amount, window=window)
    np.testing.assert_allclose(sharpen.inverse_transform(sharpen.fit_transform(X)), X, atol=1e-12)


def test_the_inverse_of_blocks_out_of_order():
    """The inverse puts the columns of a block in another order than `transform` took them."""
    X = np.random.default_rng(2).normal(size=(4, 8))
    sharpen = Sharpen(columns={"a": ["x6", "x1", "x3"], "b": ["x2", "x0", "x7", "x5"]}).fit(X)
    there = sharpen.transform(X)
    np.testing.assert_array_equal(there[:, 4], X[:, 4])
    np.testing.assert_allclose(sharpen.inverse_transform(there), X, atol=1e-12)


def test_a_negative_amount_is_refused():
    """A blur is taken for sharpening."""
    with pytest.raises(ValueError, match=r"^amount=-1 is out of range; give a number of at least 0$"):
        Sharpen(-1).fit(np.zeros((2, 5)))
