"""Calibration: maximum likelihood, intervals that hold the truth, and a calibration error without bias."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.special import expit, logit
from sklearn.linear_model import LinearRegression, LogisticRegression

from tamis.errors import ParameterError
from tamis.metrics.calibration import calibration, number_calibration


def _events(rng, n, slope=1.0, intercept=0.0):
    """Events, and predictions whose calibration has this slope and intercept."""
    linear = rng.normal(size=n)
    y = rng.random(n) < expit(intercept + slope * linear)
    return y.astype(float), expit(linear)


def test_the_slope_is_that_of_an_unpenalised_logistic_regression():
    """A slope that is not the maximum of the likelihood would be somebody's own definition."""
    y, p = _events(np.random.default_rng(0), 300, 0.6, 0.3)
    result = calibration(y, p)
    model = LogisticRegression(C=np.inf, tol=1e-10).fit(logit(p)[:, None], y)
    assert result.slope == pytest.approx(float(model.coef_[0, 0]), rel=1e-5)
    # In the large: with the logit as offset, the mean prediction equals the mean of y.
    assert expit(logit(p) + result.intercept).mean() == pytest.approx(y.mean(), rel=1e-9)


@pytest.mark.parametrize(("slope", "intercept"), [(1.0, 0.0), (0.6, 0.0), (1.0, -0.5)])
def test_intervals_hold_the_truth(slope, intercept):
    """Intervals that are too narrow would call a calibrated model miscalibrated."""
    held = {"slope": 0, "intercept": 0}
    for seed in range(200):
        y, p = _events(np.random.default_rng(seed), 400, slope, intercept)
        result = calibration(y, p)
        held["slope"] += result.slope_interval[0] <= slope <= result.slope_interval[1]
        if slope == 1:
            held["intercept"] += result.intercept_interval[0] <= intercept <= result.intercept_interval[1]
    assert 180 <= held["slope"] <= 199
    assert slope != 1 or 180 <= held["intercept"] <= 199


def test_copies_in_groups_do_not_narrow_intervals():
    """Several predictions of a row would look like more rows."""
    y, p = _events(np.random.default_rng(1), 200)
    single = calibration(y, p)
    copied = calibration(
        np.tile(y, 3), np.tile(p, 3), sample_weight=np.full(600, 1 / 3), groups=np.tile(np.arange(200), 3)
    )
    assert copied.slope == pytest.approx(single.slope)
    np.testing.assert_allclose(copied.slope_interval, single.slope_interval)
    np.testing.assert_allclose(copied.low, single.low)
    assert copied.error == pytest.approx(single.error)


def test_the_curve_holds_a_bent_truth_where_a_line_does_not():
    """A smooth curve that is a straight line would miss miscalibration in the middle."""
    rng = np.random.default_rng(2)
    p = rng.uniform(0.05, 0.95, 20_000)
    truth = p**2
    result = calibration((rng.random(20_000) < truth).astype(float), p)
    assert np.abs(result.observed - result.points**2).max() < 0.04
    inside = (result.low <= result.points**2) & (result.points**2 <= result.high)
    assert inside.mean() > 0.6


def test_the_calibration_error_of_perfect_predictions_is_not_above_noise():
    """The plain squared error of ten bins is 0.005 for perfect predictions of 400 rows: a fault where there is none."""
    squares = []
    for seed in range(200):
        y, p = _events(np.random.default_rng(seed), 400)
        squares.append(calibration(y, p).error ** 2)
    assert np.mean(squares) < 0.0013
    assert np.median(squares) < 1e-3
    y, p = _events(np.random.default_rng(0), 100_000, 0.4)
    wrong = expit(logit(p))
    true_error = np.sqrt(((expit(0.4 * logit(p)) - wrong) ** 2).mean())
    assert calibration(y, p).error == pytest.approx(true_error, rel=0.1)


def test_separated_classes_have_no_slope():
    """A slope of ten million would be quoted."""
    result = calibration([0, 0, 1, 1], [0.1, 0.2, 0.8, 0.9])
    assert result.slope is None
    assert result.slope_interval is None


def test_numbers_have_the_least_squares_slope_and_mean_error():
    """The slope of truth on prediction says whether predictions are too extreme, in any unit."""
    rng = np.random.default_rng(3)
    prediction = rng.normal(size=300)
    y = 0.5 + 0.7 * prediction + rng.normal(size=300)
    result = number_calibration(y, prediction)
    assert result.slope == pytest.approx(float(LinearRegression().fit(prediction[:, None], y).coef_[0]))
    assert result.intercept == pytest.approx((y - prediction).mean())
    large = number_calibration(1e6 * y + 3e9, 1e6 * prediction + 3e9)
    assert large.slope == pytest.approx(result.slope, rel=1e-6)
    np.testing.assert_allclose(large.slope_interval, result.slope_interval, rtol=1e-5)


def test_what_is_no_probability_is_refused_by_its_value():
    """Percentages would give an infinite logit."""
    with pytest.raises(ParameterError, match="hold 90; give probabilities from 0 to 1"):
        calibration([0, 1], [0.2, 90])
    with pytest.raises(ParameterError, match="y holds 2"):
        calibration([0, 2], [0.2, 0.9])
    with pytest.raises(ParameterError, match="y has 3 values and the predictions 2"):
        calibration([0, 1, 1], [0.2, 0.9])


def test_slopes_and_intervals_are_those_of_statsmodels():
    """Cox's recalibration of 150 patients as statsmodels fits it, robust and by cluster, times n/(n - 1) units."""
    gold = json.loads((Path(__file__).parents[1] / "golden" / "statsmodels_calibration.json").read_text())
    given = gold["classes"]
    y, p = np.array([float(digit) for digit in given["y"]]), np.array(given["p"])
    patients = np.arange(len(y)) // given["group_size"]
    for name, groups, units in (("rows", None, len(y)), ("groups", patients, patients.max() + 1)):
        result, expected = calibration(y, p, groups=groups), given[name]
        wider = np.sqrt(units / (units - 1))
        for part in ("slope", "intercept"):
            value, ends = expected[part], np.array(expected[f"{part}_interval"])
            assert getattr(result, part) == pytest.approx(value, rel=1e-8)
            found = getattr(result, f"{part}_interval")
            np.testing.assert_allclose(found, value + wider * (ends - value), rtol=1e-6)
    given = gold["numbers"]
    result = number_calibration(given["y"], given["prediction"])
    wider = np.sqrt(len(given["y"]) / (len(given["y"]) - 1))
    for part, key in (("slope", "slope"), ("intercept", "mean_error")):
        value, ends = given[key], np.array(given[f"{key}_interval"])
        assert getattr(result, part) == pytest.approx(value, rel=1e-9)
        np.testing.assert_allclose(getattr(result, f"{part}_interval"), value + wider * (ends - value), rtol=1e-6)


def test_the_calibration_error_by_hand():
    """Of 20 rows said to be at 0.2 and 20 at 0.8 half have the event: 0.3² less the variance 0.25 / 19 of each mean."""
    result = calibration([1, 0] * 20, [0.2] * 20 + [0.8] * 20)
    assert result.error == pytest.approx(np.sqrt(0.09 - 0.25 / 19))
