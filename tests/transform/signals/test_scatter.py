"""ScatterCorrection: multiplicative scatter correction and the standard normal variate."""

import numpy as np
import pytest

from tamis.errors import TamisWarning
from tamis.transform.signals import ScatterCorrection


def test_by_hand():
    """Offset and slope are not those of least squares on the mean signal.

    Reference (0, 1, 2), mean 1. Row (0, 2, 1): mean 1, slope (1·0 + (-1)(-1)) / 2 = 1/2, so 1 + (row - 1) / (1/2).
    """
    scatter = ScatterCorrection().fit([[-1.0, 0.0, 1.0], [1.0, 2.0, 3.0]])
    assert scatter.references_["signal"].tolist() == [0.0, 1.0, 2.0]
    assert scatter.transform([[0.0, 2.0, 1.0]]).tolist() == [[-1.0, 3.0, 1.0]]


def test_equals_polyfit():
    """Corrected signals differ from those by numpy.polyfit, one row at a time."""
    X = np.random.default_rng(0).normal(size=(6, 20)) + np.arange(20)
    for name, reference in (("mean", X.mean(axis=0)), ("median", np.median(X, axis=0))):
        expected = []
        for x in X:
            slope, offset = np.polyfit(reference, x, 1)
            expected.append((x - offset) / slope)
        np.testing.assert_allclose(ScatterCorrection(reference=name).fit_transform(X), expected, rtol=1e-10)


def test_offset_and_scale_vanish():
    """A signal that is moved and scaled becomes another one."""
    X = np.random.default_rng(1).normal(size=(5, 30)).cumsum(axis=1)
    for how in ("msc", "snv"):
        scatter = ScatterCorrection(how).fit(X)
        np.testing.assert_allclose(scatter.transform(4.0 + 2.5 * X), scatter.transform(X), atol=1e-10)


def test_snv_by_hand():
    """(1, 2, 3) less its mean 2, over its standard deviation 1, is not (-1, 0, 1)."""
    assert ScatterCorrection("snv").fit_transform([[1.0, 2.0, 3.0]]).tolist() == [[-1.0, 0.0, 1.0]]


def test_flat_signals():
    """A flat signal divides by zero, or does not become the mean of the reference."""
    assert ScatterCorrection().fit([[0.0, 1.0, 2.0]]).transform([[0.1, 0.1, 0.1]]).tolist() == [[1.0, 1.0, 1.0]]
    assert ScatterCorrection("snv").fit_transform([[0.1, 0.1, 0.1]]).tolist() == [[0.0, 0.0, 0.0]]


def test_what_cannot_be_corrected_is_said():
    """A signal with a slope of 0, or a flat reference, gives infinite values or passes in silence."""
    scatter = ScatterCorrection().fit([[0.0, 1.0, 2.0]])
    with pytest.warns(
        TamisWarning, match=r"^1 signal.s. of block 'signal', the first in row 2, have nothing in common"
    ):
        found = scatter.transform([[0.0, 2.0, 4.0], [1.0, 0.0, 1.0]])
    assert found.tolist() == [[0.0, 1.0, 2.0], [1.0, 1.0, 1.0]]
    with pytest.warns(TamisWarning, match=r"^the mean signal of block 'signal' is flat"):
        found = ScatterCorrection().fit_transform([[0.0, 1.0], [1.0, 0.0]])
    assert found.tolist() == [[0.0, 1.0], [1.0, 0.0]]
