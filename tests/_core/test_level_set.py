"""Sets of levels: bits or a list, the same levels go left."""

import numpy as np
import pandas as pd
import pytest

from tamis import ForestRegressor


@pytest.mark.parametrize("rest_left", [False, True])
@pytest.mark.parametrize("n_levels", [2, 63, 64, 500, 30_000])
@pytest.mark.parametrize("n_odd", [1, 3, 4, 5, 40, 2_000])
def test_every_level_goes_where_it_went(n_levels, n_odd, rest_left):
    """A level read back otherwise would send its rows to the wrong side in every later prediction."""
    odd = np.random.default_rng(n_odd).choice(n_levels, min(n_odd, n_levels // 3 + 1), replace=False)
    y = np.full(n_levels, 0.0 if rest_left else 1.0)
    y[odd] = 1.0 - y[odd]
    words = pd.DataFrame({"word": pd.Categorical.from_codes(np.arange(n_levels), [f"{k}" for k in range(n_levels)])})
    forest = ForestRegressor(2, bootstrap=False, oob_score=False).fit(words, y)
    np.testing.assert_array_equal(forest.predict(words), y)
    trees = forest.trees_
    assert np.diff(trees.roots).tolist() == [3, 3]  # one split: no level was read otherwise when rows were divided
    n_bits, n_listed = (n_levels >> 6) + 1, 1 + -(-len(odd) // 4)
    assert len(trees.sets) == 2 * min(n_bits, n_listed)
    places = trees.nodes["threshold"][trees.roots[:2]]
    first = np.array([0, len(trees.sets) // 2])
    assert np.array_equal(places, first if n_listed >= n_bits else -1 - first)


def test_many_levels_do_not_make_trees_large():
    """With a bit for each level at every split, 500 trees on a column of 30,000 levels would fill the memory."""
    rng = np.random.default_rng(0)
    level = rng.integers(4_000, size=3_000)
    frame = pd.DataFrame({"x": rng.normal(size=3_000), "word": pd.Categorical(level.astype(str))})
    trees = ForestRegressor(3, min_samples_leaf=2).fit(frame, frame["x"] + rng.normal(size=4_000)[level]).trees_
    assert len(trees.sets) > 0
    assert trees.sets.nbytes < trees.nodes.nbytes
