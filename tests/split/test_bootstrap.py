"""The bootstrap as a splitter."""

import numpy as np

from tamis.split import BootstrapSplit


def test_bootstrap_is_a_splitter_of_whole_groups():
    """A group drawn must come with all of its rows."""
    groups = np.repeat(np.arange(6), 3)
    for train, _ in BootstrapSplit(5).split(np.zeros((18, 1)), groups=groups):
        assert all(np.bincount(train, minlength=18).reshape(6, 3).std(axis=1) == 0)
    assert BootstrapSplit(5).get_n_splits() == 5
