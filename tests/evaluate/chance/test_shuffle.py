"""Shuffled targets: dependent rows stay together, so that a p-value of a score holds."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import Ridge

from tamis.evaluate.chance.permutation import permutation_test
from tamis.evaluate.chance.shuffle import permuted


@pytest.mark.parametrize("sizes", [[4, 4, 4], [2, 5, 3]])
def test_targets_of_a_group_stay_together(sizes):
    """Shuffled row by row, what the rows of a group share would be lost, and every score would look good."""
    groups = np.repeat(["a", "b", "c"], sizes)
    y = 10.0 * np.repeat([0, 1, 2], sizes) + np.arange(len(groups)) / 100
    for number in range(20):
        drawn = permuted(y, 0, number, groups=groups) // 10
        assert all(len(set(drawn[groups == name])) == 1 for name in "abc")
        assert len(set(drawn)) == 3


def test_every_class_is_there_in_every_draw():
    """A class that only one row of the largest group has would be gone, and a fit would fail."""
    groups, y = np.repeat([0, 1, 2], [2, 20, 2]), np.r_[0, 1, np.tile([0, 1], 9), 0, 2, 1, 0]
    assert all(set(permuted(y, 0, number, groups=groups)) == {0, 1, 2} for number in range(50))


def test_series_of_groups_are_exchanged_as_series():
    """Panels: a unit would take targets of several units, and lose their trend."""
    groups, time = np.repeat([0, 1, 2], [6, 4, 5]), np.r_[0:6, 0:4, 0:5]
    y = 100.0 * groups + time
    for number in range(20):
        drawn = permuted(y, 0, number, groups=groups, time=time)
        assert all(len(set(drawn[groups == unit] // 100)) == 1 for unit in range(3))


def _p_value(seed, n_permutations):
    """Columns and target share what is common to a group's rows, not with each other."""
    rng = np.random.default_rng([seed, 5])
    groups = np.repeat(np.arange(16), rng.integers(2, 8, 16))
    x = rng.normal(size=(16, 3))[groups] + 0.5 * rng.normal(size=(len(groups), 3))
    y = rng.normal(size=16)[groups] + 0.5 * rng.normal(size=len(groups))
    options = {"n_permutations": n_permutations, "stop_after": None, "outer": 3, "random_state": seed}
    return permutation_test(Ridge(), x, y, groups=groups, **options).p_value


@pytest.mark.nightly
def test_p_values_of_grouped_noise_are_uniform():
    """Shuffled row by row, 13% of tables had p ≤ 0.05 and the mean was 0.75."""
    p_values = np.array([_p_value(seed, 19) for seed in range(120)])
    assert np.mean(p_values <= 0.05) <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / 120)
    assert 0.42 <= p_values.mean() <= 0.61  # 0.525 by 19 shuffles, three standard errors of 0.027
