import numpy as np

from tamis.forest.data.row_hash import order_of


def test_rows_are_ordered_by_digest_and_equal_ones_stay_in_place():
    """If this fails, a forest depends on the order of the rows, or answers out of the bag go to other rows."""
    rng = np.random.default_rng(0)
    any_digest = rng.integers(0, 2**64, size=5_000, dtype=np.uint64)
    near = (np.uint64(1) << np.uint64(63)) + rng.integers(0, 900, size=5_000, dtype=np.uint64)
    for digest in (any_digest, any_digest[rng.integers(0, 50, size=5_000)], near, near[:1], near[:2]):
        assert np.array_equal(order_of(digest), np.argsort(digest, kind="stable"))
