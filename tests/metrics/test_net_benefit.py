"""Net benefit: the formula by hand, the simple policies, and bands that hold the truth."""

import numpy as np
import pytest
from scipy.special import expit

from tamis.metrics.net_benefit import net_benefit


def test_net_benefit_is_that_of_the_formula():
    """Vickers and Elkin: true positives less false positives at the odds of the threshold, per row."""
    rng = np.random.default_rng(0)
    p = rng.random(200)
    y = (rng.random(200) < p).astype(float)
    curve = net_benefit(y, p)
    for t, value, everyone in zip(curve.thresholds, curve.net_benefit, curve.treat_all):
        treated = p >= t
        hits, alarms = (treated & (y == 1)).sum(), (treated & (y == 0)).sum()
        assert value == pytest.approx((hits - alarms * t / (1 - t)) / 200)
        assert everyone == pytest.approx(y.mean() - (1 - y.mean()) * t / (1 - t))


def test_bands_hold_the_net_benefit_of_many_rows():
    """A band that is too narrow would show a benefit that new patients do not have."""
    rng = np.random.default_rng(1)
    linear = rng.normal(-1, 1, 1_000_000)
    truth = net_benefit((rng.random(len(linear)) < expit(linear)).astype(float), expit(linear), thresholds=[0.2, 0.4])
    held = np.zeros(2)
    for seed in range(200):
        rng = np.random.default_rng([seed, 5])
        linear = rng.normal(-1, 1, 300)
        curve = net_benefit((rng.random(300) < expit(linear)).astype(float), expit(linear), thresholds=[0.2, 0.4])
        held += (curve.low <= truth.net_benefit) & (truth.net_benefit <= curve.high)
    assert (held >= 180).all()
    assert (held <= 199).all()


def test_a_model_of_noise_has_no_useful_range_and_a_good_one_has():
    """A model that is no better than treating everybody would be recommended."""
    rng = np.random.default_rng(2)
    y = (rng.random(500) < 0.3).astype(float)
    assert net_benefit(y, rng.uniform(0.25, 0.35, 500)).useful_range() is None
    low, high = net_benefit(y, np.where(y == 1, rng.uniform(0.3, 0.9, 500), rng.uniform(0, 0.5, 500))).useful_range()
    assert low < 0.3 < high


def test_ten_patients_by_hand():
    """At a threshold of 0.2 seven are treated, five rightly: 5/10 - 2/10 · 1/4; at 0.5 four, all rightly."""
    p = [0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 0.9]
    y = [0, 0, 0, 1, 0, 0, 1, 1, 1, 1]
    curve = net_benefit(y, p, thresholds=[0.2, 0.5])
    np.testing.assert_allclose(curve.net_benefit, [0.45, 0.4])
    np.testing.assert_allclose(curve.treat_all, [0.375, 0.0], atol=1e-12)
