"""Merging levels."""

import numpy as np
from sklearn.cluster import AgglomerativeClustering

from tamis.transform.encode.levels import group_words, merge_similar


def test_merging_is_wards():
    """Another pair than the cheapest would be merged: Ward's clustering of one number with equal counts is the same."""
    rng = np.random.default_rng(0)
    for _ in range(20):
        means = rng.normal(size=(12, 1))
        ours = merge_similar(np.full(12, 7), means, 4)
        theirs = AgglomerativeClustering(4, linkage="ward").fit_predict(means)
        assert len({(a, b) for a, b in zip(ours, theirs)}) == 4


def test_large_levels_pull_the_mean():
    """Means would not be weighted by rows: 1 of 100 rows and 0 of 1 make 0.99, closer to 1.5 than to 0.3."""
    group = merge_similar(np.array([100, 1, 50, 50]), np.array([[1.0], [0.9], [1.5], [0.3]]), 2)
    assert group.tolist() == [1, 1, 1, 0]


def test_names_are_different():
    """Two columns would bear one name."""
    words = group_words(("other", "b", "c"), np.array([0, 1, 1]), 2, 1)
    assert words == ("other", "other*")
    long = group_words([f"level {i:03d}" for i in range(40)], np.arange(40) % 2, 2, None)
    assert len(set(long)) == 2
    assert all(len(word) < 60 for word in long)
