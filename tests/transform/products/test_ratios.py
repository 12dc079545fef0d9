"""Ratios of columns, by hand."""

import numpy as np
import pandas as pd
import pytest

from tamis.transform import Ratios


def test_ratios_by_hand():
    """A ratio would be upside down; 0 below the line and holes are missing."""
    X = pd.DataFrame({"a": [1.0, 2.0, np.nan], "b": [4.0, 0.0, 1.0]})
    made = Ratios(both=True).set_output(transform="pandas").fit_transform(X)
    assert list(made.columns) == ["a", "b", "a/b", "b/a"]
    np.testing.assert_array_equal(made["a/b"], [0.25, np.nan, np.nan])
    np.testing.assert_array_equal(made["b/a"], [4, 0, np.nan])


def test_the_ratio_that_matters_is_found():
    """The screen would keep others."""
    X = np.random.default_rng(0).lognormal(size=(300, 80))
    made = Ratios(most=5).fit(X, X[:, 11] / X[:, 60])
    assert (11, 60) in made.pairs_
    assert (60, 11) in Ratios(both=True, most=5).fit(X, X[:, 60] / X[:, 11]).pairs_


def test_too_many_ratios_without_a_target_are_refused():
    """The memory would be filled."""
    with pytest.raises(ValueError, match=r"100 columns make 4,950 ratios.*give y"):
        Ratios().fit(np.ones((5, 100)))
