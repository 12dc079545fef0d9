"""Held-out losses and ranks: tests over units and over folds, whichever is the less sure."""

from __future__ import annotations

import numpy as np
import pytest
from tests.study.tables import held_out

from tamis.metrics.intervals.interval import corrected_test
from tamis.metrics.intervals.paired import difference
from tamis.study.claims.claim import MIN_GAIN, claim
from tamis.study.claims.held_out import RANKING_SHARE, Ranking


def test_the_larger_p_value_counts():
    """A gain in one of five folds alone would be taken for a gain on new rows."""
    gain = np.zeros(200)
    gain[::5] = 0.3 + 0.1 * np.random.default_rng(0).normal(size=40)  # the rows of the first fold
    base, own = held_out(np.ones(200)), held_out(1 - gain)
    by_units = difference(base.losses, own.losses, own.rows).p_value
    by_folds = corrected_test(base.by_fold - own.by_fold, 160, 40) / 2
    assert by_units < 1e-6 < 0.1 < by_folds
    assert own.gain_p_value(base) == pytest.approx(by_folds)


def test_a_gain_below_the_floor_is_not_captured():
    """A gain that nobody would notice would be called a captured signal."""
    rng = np.random.default_rng(0)
    base, own = held_out(np.ones(2000)), held_out(1 - 0.9 * MIN_GAIN + 1e-4 * rng.normal(size=2000))
    assert own.p_value(base) < 0.001
    assert claim(base, [own], own).signal == "uncaptured"


def test_ranks_capture_what_heavy_tails_hide():
    """One outlier would deny a model that ranks every fold, as tables of 37 to 86 rows with R² of 0.7 to 0.997 were."""
    losses, base = np.full(60, 0.4), np.ones(60)
    losses[7], base[7] = 60.0, 35.0
    losses[12], base[12] = 5.0, 60.0
    ranked = Ranking(np.full(60, 0.1), np.full(5, 1.2), 1.0)
    baseline, own = held_out(base), held_out(losses, ranking=ranked)
    assert own.gain_p_value(baseline) > 0.1
    assert own.p_value(baseline) == pytest.approx(own.ranking_p_value / RANKING_SHARE)
    assert claim(baseline, [own], own).signal == "captured"


def test_rows_of_groups_are_not_ranked_as_if_independent():
    """Rows of a group would each count as evidence of a ranking."""
    sums = np.array([3.0, -0.5, 0.2, 0.4, 0.1])
    ranked = Ranking(sums, sums, 0.1)
    rows = held_out(np.ones(5), ranking=ranked)
    grouped = held_out(np.ones(5), ranking=ranked, independent=False)
    assert rows.ranking_p_value < 1e-6
    assert grouped.ranking_p_value > 0.1
