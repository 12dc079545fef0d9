"""Stability of chosen sets: Nogueira's values."""

import numpy as np
import pytest

from tamis.evaluate.fold.selection_stability import stability


def test_equal_sets_are_perfectly_stable_and_blind_ones_not_at_all():
    """The scale must be anchored: 1 for the same set every time, about 0 for drawing blindly."""
    assert stability([[1, 2, 3]] * 5, 20)[0] == 1.0
    rng = np.random.default_rng(0)
    blind = [rng.choice(50, 10, replace=False) for _ in range(400)]
    value, interval = stability(blind, 50)
    assert value == pytest.approx(0, abs=0.01)
    assert 0 in interval


def test_two_sets_agree_with_kunchevas_index():
    """For sets of one size Nogueira's measure is Kuncheva's: (r − k²/p) / (k − k²/p), r columns in common."""
    p, k, r = 30, 8, 5
    sets = [range(k), range(k - r, 2 * k - r)]
    assert stability(sets, p)[0] == pytest.approx((r - k * k / p) / (k - k * k / p), rel=1e-12)


def test_the_interval_holds_the_truth_as_often_as_it_says():
    """The standard error of the paper must be the one computed."""
    rng = np.random.default_rng(1)
    chance = np.r_[np.full(5, 0.9), np.full(45, 0.1)]
    draw = [np.flatnonzero(rng.random(50) < chance) for _ in range(20000)]
    truth = stability(draw, 50)[0]
    hits = [truth in stability(draw[i : i + 40], 50)[1] for i in range(0, 20000, 40)]
    assert 0.9 < np.mean(hits) < 0.985


def test_what_has_no_spread_has_no_stability():
    """One set, or all columns, say nothing about stability."""
    assert np.isnan(stability([[1, 2]], 10)[0])
    assert np.isnan(stability([[0, 1], [0, 1]], 2)[0])
    assert np.isnan(stability([[], []], 2)[0])
