"""The picture of a signal before and after."""

import numpy as np
import pandas as pd
import pytest

from tamis.transform.signals import Baseline, Fourier, Smooth, before_and_after


def lines(plot):
    return {item.label.value: np.asarray(item.renderers[0].data_source.data["y"]) for item in plot.legend[0].items}


def test_lines_are_the_row_before_and_after():
    """The picture shows another row, block or order than asked for."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(4, 7)), columns=list("abcdefg")).assign(who="x")
    smooth = Smooth("moving-average", window=3, columns={"one": ["a", "g", "b"], "two": ["f", "d", "c", "e"]}).fit(
        frame
    )
    shown = lines(before_and_after(smooth, frame, row=2, block="two"))
    np.testing.assert_array_equal(shown["before"], frame.loc[2, ["f", "d", "c", "e"]])
    np.testing.assert_array_equal(shown["after"], smooth.transform(frame).loc[2, ["f", "d", "c", "e"]])


def test_the_baseline_is_what_was_subtracted():
    """The baseline drawn is not the difference of the two signals."""
    X = np.random.default_rng(1).normal(size=(2, 20)).cumsum(axis=1)
    shown = lines(before_and_after(Baseline(lam=10.0).fit(X), X, row=1))
    np.testing.assert_allclose(shown["baseline"] + shown["after"], X[1])


def test_what_cannot_be_drawn():
    """A row, block or transform that cannot be drawn is not refused in one sentence."""
    X = np.zeros((2, 8))
    with pytest.raises(ValueError, match=r"^Fourier makes other columns than it takes"):
        before_and_after(Fourier().fit(X), X)
    with pytest.raises(ValueError, match=r"^row=2, but there are only 1; give row between 0 and 1$"):
        before_and_after(Smooth().fit(X), X, row=2)
    with pytest.raises(ValueError, match=r"^block='other' is not known; give one of signal$"):
        before_and_after(Smooth().fit(X), X, block="other")
