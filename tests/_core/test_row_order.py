"""Rows in the order of their digests: codes that follow them, and digests that tell them apart."""

import numpy as np
import pytest

from tamis import _core


@pytest.mark.parametrize("is_narrow", [False, True])
def test_codes_are_the_same_by_column_and_by_row(is_narrow):
    """If this fails, trees grow on one table and send rows down by another."""
    rng = np.random.default_rng(1)
    for n_columns, n_rows in ((1, 1), (70, 300), (32, 256), (5, 1_000)):
        codes = rng.integers(0, 2**8 if is_narrow else 2**16, size=(n_columns, n_rows), dtype=np.uint16)
        order = rng.permutation(n_rows)
        by_column, by_row = _core.arrange(codes, order, is_narrow)
        assert by_column.dtype == by_row.dtype == (np.uint8 if is_narrow else np.uint16)
        assert np.array_equal(by_column, codes[:, order])
        assert np.array_equal(by_row, codes[:, order].T)


def test_every_word_and_its_place_shows_in_the_lanes():
    """If this fails, other rows than those of fit are taken for them: importances on the wrong rows, without a word."""
    rng = np.random.default_rng(2)

    def lanes_of(words):
        return _core.fold_words(words, 8).tobytes()

    words = rng.integers(0, 2**64, size=37, dtype=np.uint64)
    seen = {lanes_of(words), lanes_of(words[:-1]), lanes_of(words[::-1].copy()), lanes_of(words[:0])}
    for i in range(len(words)):
        for other in (words[i] ^ np.uint64(1), words[i] ^ np.uint64(1 << 63)):
            changed = words.copy()
            changed[i] = other
            seen.add(lanes_of(changed))
    assert len(seen) == 4 + 2 * len(words)


def test_arrays_of_another_shape_or_type_are_refused():
    """Memory beside the arrays would be read."""
    codes = np.zeros((2, 3), dtype=np.uint16)
    with pytest.raises(ValueError, match="order has 2 numbers, not 3"):
        _core.arrange(codes, np.array([0, 1]), False)
    with pytest.raises(ValueError, match="a row that the table lacks"):
        _core.arrange(codes, np.array([0, 1, 3]), False)
    with pytest.raises(TypeError):
        _core.arrange(codes[0], np.array([0, 1, 2]), False)
