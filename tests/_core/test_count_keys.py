"""Rows counted by the code of their key and their class."""

import numpy as np
import pytest

from tamis import _core


def test_counts_are_those_of_bincount():
    """Scores of tables larger than memory would be of other counts."""
    rng = np.random.default_rng(0)
    keys, classes = rng.integers(0, 50, 400).astype(np.uint32), rng.integers(-1, 3, 400).astype(np.int32)
    table, counts = rng.integers(0, 6, 50).astype(np.uint16), np.zeros((6, 3), dtype=np.int64)
    _core.count_keys(keys, table, classes, counts)
    kept = classes >= 0
    expected = np.bincount(table[keys[kept]] * 3 + classes[kept], minlength=18).reshape(6, 3)
    assert (counts == expected).all()
    with pytest.raises(ValueError, match="a code for every key"):
        _core.count_keys(keys, table[:40], classes, counts)
    with pytest.raises(ValueError, match="a line for every code"):
        _core.count_keys(keys, table, classes, counts[:3])
