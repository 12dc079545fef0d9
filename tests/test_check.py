"""Checks of arguments: one sentence with the value, the parameter and the way out."""

from __future__ import annotations

import numpy as np
import pytest

from tamis import check
from tamis.errors import KindError, ParameterError


def test_an_unknown_word_lists_the_known_ones():
    """Without the list a user must search the documentation."""
    with pytest.raises(ParameterError, match=r"rule='1sd' is not known \(did you mean '1se'\?\); give one of 1se, min"):
        check.one_of("rule", "1sd", ["1se", "min"])


@pytest.mark.parametrize("value", [True, "3", 2.5, None])
def test_a_count_is_a_whole_number(value):
    """2.5 columns do not exist."""
    with pytest.raises(KindError, match="k="):
        check.count("k", value, high=30)


def test_a_count_beyond_what_there_is():
    """The sentence must name what there is, and the way out."""
    with pytest.raises(ParameterError, match="k=50, but there are only 30 columns; give k between 1 and 30"):
        check.count("k", 50, high=30, of="columns")


@pytest.mark.parametrize("value", [-1, np.nan, np.inf, 2])
def test_a_number_out_of_range(value):
    """NaN must not slip through comparisons."""
    with pytest.raises(ParameterError, match="l1_ratio="):
        check.number("l1_ratio", value, low=0, high=1)


def test_an_open_interval_excludes_its_end():
    """alpha = 0 where 0 is excluded."""
    with pytest.raises(ParameterError, match="above 0"):
        check.number("alpha", 0, low=0, open_low=True)


def test_weights():
    """Negative, missing or all-zero weights make sums meaningless."""
    assert check.weights(None, 3).tolist() == [1, 1, 1]
    assert check.weights([0, 2, 1], 3).tolist() == [0, 2, 1]
    for wrong in ([-1, 1, 1], [np.nan, 1, 1], [0, 0, 0], [1, 1], [[1], [1], [1]]):
        with pytest.raises(ParameterError, match=r"sample_weight"):
            check.weights(wrong, 3)
