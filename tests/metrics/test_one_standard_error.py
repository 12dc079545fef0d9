"""The one-standard-error rule: hand-computed choices."""

import numpy as np
import pytest

from tamis.metrics.one_standard_error import one_standard_error


@pytest.mark.parametrize(("error", "chosen"), [(0.0, 3), (0.09, 3), (0.11, 2), (0.6, 1), (10.0, 0)])
def test_the_simplest_within_one_error_of_the_least(error, chosen):
    """Models would be too large, or clearly worse than the best."""
    assert one_standard_error([4.0, 1.5, 1.1, 1.0, 1.05], error) == chosen


def test_a_loss_just_one_error_away_is_within():
    """The rule says "within one standard error", the bound included."""
    assert one_standard_error([1.25, 1.0], 0.25) == 0


def test_equal_losses_go_to_the_simplest():
    """Without an error, a tie would go to the larger model."""
    assert one_standard_error([2.0, 1.0, 1.0], 0.0) == 1


def test_paired_errors_differ_by_candidate():
    """The error of the difference to the best would be taken from another candidate."""
    assert one_standard_error([3.0, 2.0, 1.0], [1.5, 1.5, 0.0]) == 1
    assert one_standard_error([3.0, 2.0, 1.0], [2.5, 0.5, 0.0]) == 0


def test_scores_are_read_negated():
    """The worst of the scores would be taken for the best."""
    scores = np.array([0.5, 0.79, 0.8])
    assert one_standard_error(-scores, 0.02) == 1


def test_the_candidate_to_compare_with_can_be_given():
    """A paired difference of rounding size below 0 would stand for the best."""
    assert one_standard_error([-1e-17, 0.0], [0.0, 0.0], best=1) == 0
    assert one_standard_error([0.5, -0.5, 0.0], [0.2, 0.0, 0.0], best=2) == 1


def test_rounding_joins_equal_losses():
    """Losses that differ in the last digit would be two different losses."""
    assert one_standard_error([1.0 + 1e-15, 1.0], 0.0) == 1
    assert one_standard_error([1.0 + 1e-15, 1.0], 0.0, rounding=1e-12) == 0
