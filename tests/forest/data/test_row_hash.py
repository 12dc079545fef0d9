import numpy as np

from tamis.forest.data.row_hash import arrange, fold_words, order_of


def test_rows_are_ordered_by_digest_and_equal_ones_stay_in_place():
    """If this fails, a forest depends on the order of the rows, or answers out of the bag go to other rows."""
    rng = np.random.default_rng(0)
    any_digest = rng.integers(0, 2**64, size=5_000, dtype=np.uint64)
    near = (np.uint64(1) << np.uint64(63)) + rng.integers(0, 900, size=5_000, dtype=np.uint64)
    for digest in (any_digest, any_digest[rng.integers(0, 50, size=5_000)], near, near[:1], near[:2]):
        assert np.array_equal(order_of(digest), np.argsort(digest, kind="stable"))


def test_codes_are_the_same_by_column_and_by_row():
    """If this fails, trees grow on one table and send rows down by another."""
    rng = np.random.default_rng(1)
    for n_columns, n_rows in ((1, 1), (70, 300), (32, 256), (5, 1_000)):
        codes = rng.integers(0, 2**16, size=(n_columns, n_rows), dtype=np.uint16)
        order = rng.permutation(n_rows)
        by_column, by_row = np.empty_like(codes), np.empty((n_rows, n_columns), dtype=np.uint16)
        arrange(codes, order, by_column, by_row)
        assert np.array_equal(by_column, codes[:, order])
        assert np.array_equal(by_row, codes[:, order].T)


def test_every_word_and_its_place_shows_in_the_lanes():
    """If this fails, other rows than those of fit are taken for them: importances on the wrong rows, without a word."""
    rng = np.random.default_rng(2)

    def lanes_of(words):
        lanes = np.arange(8, dtype=np.uint64)
        fold_words(words, lanes)
        return lanes.tobytes()

    words = rng.integers(0, 2**64, size=37, dtype=np.uint64)
    seen = {lanes_of(words), lanes_of(words[:-1]), lanes_of(words[::-1].copy()), lanes_of(words[:0])}
    for i in range(len(words)):
        for other in (words[i] ^ np.uint64(1), words[i] ^ np.uint64(1 << 63)):
            changed = words.copy()
            changed[i] = other
            seen.add(lanes_of(changed))
    assert len(seen) == 4 + 2 * len(words)
