"""Sets of levels: bits or a list, the same levels go left."""

import numpy as np
import pandas as pd
import pytest

from tamis import ForestRegressor
from tamis.engine.kernel import njit
from tamis.forest.grow.sets import holds, keep


@njit
def kept(bits, n_values, rest_left, base):
    """A set written after `base` other words and asked for every level, the missing one after the last among them."""
    sets = np.full(base + len(bits) + 1, ~np.uint64(0))
    threshold, n_words = keep(bits, n_values, rest_left, base, sets)
    out = np.empty(n_values + 1, dtype=np.bool_)
    for level in range(n_values + 1):
        out[level] = holds(sets, threshold, level)
    return out, threshold, n_words


@pytest.mark.parametrize("rest_left", [False, True])
@pytest.mark.parametrize("n_values", [1, 63, 64, 500, 30_000, 65_535])
@pytest.mark.parametrize("n_odd", [0, 1, 3, 4, 5, 40, 2_000])
def test_every_level_goes_where_it_went(n_values, n_odd, rest_left):
    """A level read back otherwise would send its rows to the wrong side in every later prediction."""
    rng = np.random.default_rng(n_odd)
    left = np.full(n_values + 1, rest_left)
    odd = rng.choice(n_values + 1, min(n_odd, n_values), replace=False)
    left[odd] = not rest_left
    whole = np.full(((n_values >> 6) + 1) * 64, rest_left)
    whole[: n_values + 1] = left
    bits = np.packbits(whole, bitorder="little").view(np.uint64)
    for base in (0, 7):
        out, threshold, n_words = kept(bits, n_values, rest_left, base)
        np.testing.assert_array_equal(out, left)
        assert n_words == min(len(bits), 1 + -(-len(odd) // 4))
        assert threshold == (base if n_words == len(bits) else -1 - base)


def test_many_levels_do_not_make_trees_large():
    """With a bit for each level at every split, 500 trees on a column of 30,000 levels would fill the memory."""
    rng = np.random.default_rng(0)
    level = rng.integers(4_000, size=3_000)
    frame = pd.DataFrame({"x": rng.normal(size=3_000), "word": pd.Categorical(level.astype(str))})
    trees = ForestRegressor(3, min_samples_leaf=2).fit(frame, frame["x"] + rng.normal(size=4_000)[level]).trees_
    assert len(trees.sets) > 0
    assert trees.sets.nbytes < trees.nodes.nbytes
