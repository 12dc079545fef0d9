"""R² in two forms: against scikit-learn's."""

import numpy as np
import pytest
from sklearn.metrics import r2_score

from tamis.metrics.r_squared import bootstrap_r_squared, weighted_r_squared


def test_weights_and_several_targets_as_scikit_learn():
    """A forest's out-of-bag score would not be the R² that others know."""
    rng = np.random.default_rng(0)
    truth = rng.normal(size=(30, 2))
    answer, weight = truth + rng.normal(size=(30, 2)), rng.random(30)
    assert weighted_r_squared(truth, answer, weight) == pytest.approx(r2_score(truth, answer, sample_weight=weight))


def test_rows_drawn_twice_count_twice():
    """The bootstrap interval of R² would belong to other rows than those drawn."""
    rng = np.random.default_rng(1)
    y = 1e6 + rng.normal(size=30)
    answer, weights = y + rng.normal(size=30), rng.integers(0, 3, size=(4, 30)).astype(float)
    for weight, found in zip(weights, bootstrap_r_squared(y, answer, weights)):
        rows = np.repeat(np.arange(30), weight.astype(int))
        assert found == pytest.approx(r2_score(y[rows], answer[rows]), rel=1e-6)


def test_a_constant_target_has_no_r_squared():
    """Rounding over rounding would be reported as a score."""
    assert np.isnan(weighted_r_squared(np.full((3, 1), 2.0), np.ones((3, 1)), np.ones(3)))
    assert np.isnan(weighted_r_squared(np.ones((1, 1)), np.ones((1, 1)), np.ones(1)))
    assert np.isnan(bootstrap_r_squared(np.full(3, 2.0), np.ones(3), np.array([[1.0, 1, 1], [0, 0, 0]]))).all()
