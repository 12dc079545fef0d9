"""Columns of numbers as codes by their leading bits: in the order of the values, missing apart."""

from __future__ import annotations

import numpy as np
import pytest

from tamis.table import Column
from tamis.views.lazy.key_coding import KeyCoding


def _column(values) -> Column:
    return Column("x", "numeric", np.asarray(values, dtype=np.float64))


@pytest.mark.parametrize("middle", [0.0, 1e6, -3.0])
def test_codes_keep_the_order_of_the_values(middle):
    """A group of neighbouring values would hold values from elsewhere, and scores would mean nothing."""
    values = np.sort(np.random.default_rng(0).normal(middle, 2.0, 20_000))
    codes = KeyCoding.learn(_column(values[::3]), 200).encode(_column(values)).astype(int)
    assert (np.diff(codes) >= 0).all()
    counts = np.bincount(codes)
    assert 150 <= len(counts) <= 200
    assert counts.max() < 6 * 20_000 / 200


def test_few_values_have_codes_of_their_own():
    """Counts of whole numbers would be mixed."""
    values = np.array([0.0, 1, 2, 3, 17, 40, -1, -250])
    codes = KeyCoding.learn(_column(values), 50).encode(_column(values))
    assert sorted(codes.tolist()) == list(range(8))
    assert codes[np.argsort(values)].tolist() == list(range(8))


def test_missing_infinite_and_unseen_values_have_a_place():
    """A value that the sample did not have would fall out of the table, or count as missing."""
    coding = KeyCoding.learn(_column([1.0, 2.0, np.nan, 4.0]), 10)
    assert coding.n_values == 3
    assert coding.encode(_column([np.nan, 1e300, -1e300, 3.99, 0.0])).tolist() == [3, 2, 0, 2, 0]
    empty = KeyCoding.learn(_column([np.nan, np.nan]), 10)
    assert empty.encode(_column([np.nan, 5.0])).tolist() == [1, 0]
