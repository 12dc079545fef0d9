"""Calibration of a forest's shares: against the definition, and against what scipy's minimiser finds."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from sklearn.datasets import load_digits, make_classification

from tamis import ForestClassifier
from tamis.errors import ParameterError
from tamis.forest.predict.temperature import POWERS, calibrated, tempered


@pytest.fixture(scope="module")
def table():
    X, y = load_digits(return_X_y=True)
    return X[:600], y[:600], X[600:], y[600:]


def brier(shares, codes):
    return float(((shares - np.eye(shares.shape[1])[codes]) ** 2).sum(axis=1).mean())


def log_loss(shares, codes):
    return float(-np.log(np.maximum(shares[np.arange(len(codes)), codes], 1e-6)).mean())


def test_shares_to_a_power_sum_to_one_and_keep_their_order():
    shares = np.random.default_rng(0).dirichlet(np.ones(4), size=50)
    for temperature in (0.2, 1.0, 3.0):
        found = tempered(shares, temperature)
        wanted = shares ** (1 / temperature)
        np.testing.assert_allclose(found, wanted / wanted.sum(axis=1, keepdims=True), rtol=1e-12)
        assert (found.argsort(axis=1) == shares.argsort(axis=1)).all()


def test_small_shares_of_many_classes_do_not_come_to_nothing():
    shares = np.full((1, 400), 1 / 400)
    np.testing.assert_allclose(tempered(shares, 1 / 200), shares)


def test_temperature_is_that_of_the_smallest_log_loss_out_of_the_bag(table):
    X, y, *_ = table
    plain = ForestClassifier(60).fit(X, y)
    raw = plain.oob_decision_function_
    found = ForestClassifier(60, calibration="temperature").fit(X, y)
    scores = [log_loss(tempered(raw, 1 / power), y) for power in POWERS]
    assert found.temperature_ == 1 / POWERS[int(np.argmin(scores))]
    best = minimize_scalar(lambda power: log_loss(tempered(raw, 1 / power), y), bounds=(0.5, 8), method="bounded")
    assert min(scores) <= best.fun + 0.001
    assert abs(np.log2(1 / found.temperature_) - np.log2(best.x)) <= 0.25


def test_rows_out_of_the_bag_are_answered_at_the_temperature_of_the_others(table):
    X, y, *_ = table
    raw = ForestClassifier(20).fit(X, y).oob_decision_function_
    raw[::7] = np.nan  # that no tree left out
    known = ~np.isnan(raw[:, 0])
    found = calibrated(raw, y, np.ones(len(y))).shares
    assert (np.isnan(found[:, 0]) == ~known).all()
    raw, y, found = raw[known], y[known], found[known]
    part = np.arange(len(y)) % 5
    for k in range(5):
        others, own = part != k, part == k
        scores = [log_loss(tempered(raw[others], 1 / power), y[others]) for power in POWERS]
        np.testing.assert_allclose(found[own], tempered(raw[own], 1 / POWERS[int(np.argmin(scores))]))


def test_new_rows_gain_by_it_and_answers_stay(table):
    X, y, Z, truth = table
    plain, found = (ForestClassifier(100, calibration=kind).fit(X, y) for kind in (None, "temperature"))
    assert plain.temperature_ == 1.0
    assert (plain.predict(Z) == found.predict(Z)).all()
    for loss in (brier, log_loss):
        assert loss(found.predict_proba(Z), truth) < 0.7 * loss(plain.predict_proba(Z), truth)
    np.testing.assert_allclose(found.predict_proba(Z).sum(axis=1), 1.0)


def test_a_forest_that_knows_little_becomes_less_sure():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 3, size=(400, 2)), rng.integers(0, 2, size=400)
    assert ForestClassifier(50, calibration="temperature").fit(X, y).temperature_ > 1


def test_weights_count_as_copies():
    shares = np.array([[0.7, 0.3], [0.6, 0.4], [0.2, 0.8], [0.9, 0.1]])
    codes, weight = np.array([0, 1, 1, 0]), np.array([3.0, 1.0, 2.0, 0.0])
    rows = np.repeat(np.arange(4), weight.astype(int))
    one = calibrated(shares, codes, weight).temperature
    assert one == calibrated(shares[rows], codes[rows], np.ones(len(rows))).temperature


def test_a_forest_is_read_back_as_sure_as_it_was(table, tmp_path):
    X, y, Z, _ = table
    found = ForestClassifier(20, calibration="temperature").fit(X, y)
    found.save(tmp_path / "forest")
    again = ForestClassifier.load(tmp_path / "forest")
    assert again.temperature_ == found.temperature_ != 1
    np.testing.assert_array_equal(again.predict_proba(Z), found.predict_proba(Z))


def test_with_a_loss_matrix_the_least_expected_cost_is_of_calibrated_shares():
    X, y = make_classification(300, random_state=0, flip_y=0.2)
    loss = [[0, 1], [5, 0]]
    found = ForestClassifier(50, calibration="temperature", loss_matrix=loss).fit(X, y)
    assert (found.predict(X) == (found.predict_proba(X) @ np.array(loss)).argmin(axis=1)).all()


@pytest.mark.parametrize("settings", [{"oob_score": False}, {"bootstrap": False}])
def test_it_is_refused_without_rows_left_out(settings):
    X, y = make_classification(60, random_state=0)
    with pytest.raises(ParameterError, match="calibration='temperature' looks at"):
        ForestClassifier(10, calibration="temperature", **settings).fit(X, y)


def test_another_word_is_refused():
    X, y = make_classification(60, random_state=0)
    with pytest.raises(ParameterError, match="calibration"):
        ForestClassifier(10, calibration="isotonic").fit(X, y)
