"""Fewest steps: the best of all ways to join neighbours."""

from itertools import product

import numpy as np
import pytest

from tamis.additive.steps import fewest_steps, joined_levels, step_heights


@pytest.mark.parametrize("seed", range(6))
def test_no_other_way_to_join_neighbours_is_better(seed):
    """Against all ways to cut eight bins."""
    rng = np.random.default_rng(seed)
    heights, curvature = rng.normal(size=(8, 2)).round(1), rng.uniform(0.0, 5.0, size=(8, 2))

    def cost(groups):
        means = step_heights(heights, groups, curvature)[groups]
        return (curvature * (heights - means) ** 2).sum() + 2.0 * (groups.max() + 1)

    ways = [np.concatenate([[0], np.cumsum(cuts)]) for cuts in product([0, 1], repeat=7)]
    assert cost(fewest_steps(heights, curvature, 2.0)) == pytest.approx(min(map(cost, ways)))


def test_levels_are_joined_whatever_their_order():
    """Levels have no neighbours but those of similar height."""
    heights = np.array([[1.0], [0.0], [1.05], [0.02], [5.0]])
    groups = joined_levels(heights, np.full((5, 1), 20.0), 2.0)
    assert groups.tolist() == [1, 0, 1, 0, 2]
    assert joined_levels(heights, np.full((5, 1), 1e6), 2.0).tolist() == [2, 0, 3, 1, 4]
    assert len(fewest_steps(np.empty((0, 1)), np.empty((0, 1)), 2.0)) == 0
