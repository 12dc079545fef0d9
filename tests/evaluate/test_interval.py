"""Intervals: the formulas of their papers, and the truth inside them as often as they say."""

import numpy as np
import pytest
from scipy import stats

from tamis.errors import ParameterError
from tamis.evaluate.interval import Interval, Judged, best_of_many, corrected, corrected_test, resampled
from tamis.evaluate.metrics import METRICS


def test_the_corrected_interval_is_nadeau_and_bengios():
    """The plain standard error of folds is far too small; the correction must be the published one."""
    scores = np.array([0.71, 0.66, 0.8, 0.74, 0.69, 0.73, 0.77, 0.7, 0.68, 0.75])
    low, high = corrected(scores, 90, 10)
    error = np.sqrt((1 / 10 + 10 / 90) * scores.var(ddof=1))
    assert (low, high) == pytest.approx(stats.t.interval(0.95, 9, scores.mean(), error), rel=1e-12)
    assert corrected(scores, 90, 10, level=0.5).high < high
    assert np.isnan(corrected([0.5], 90, 10).low)


def test_the_corrected_test_and_interval_agree():
    """A p-value below 0.05 and an interval across zero would contradict each other."""
    for seed in range(20):
        differences = np.random.default_rng(seed).normal(0.4, 1.0, 10)
        inside = 0.0 in corrected(differences, 90, 10)
        assert inside == (corrected_test(differences, 90, 10) > 0.05)
    assert corrected_test([0.0, 0.0], 90, 10) == 1.0
    assert np.isnan(corrected_test([0.1], 90, 10))


def test_the_resampled_interval_of_an_error_rate_is_the_binomial_one():
    """For independent rows the bootstrap of an error rate must agree with its textbook interval."""
    y, answer = np.zeros(400, dtype=int), (np.arange(400) < 100).astype(int)
    judged = [Judged(np.arange(200), answer[:200]), Judged(np.arange(200, 400), answer[200:])]
    low, high = resampled(METRICS["error"], y, judged, [0, 1], n_resamples=4000)
    exact = 0.25 + np.array([-1, 1]) * 1.96 * np.sqrt(0.25 * 0.75 / 400)
    assert np.array([low, high]) == pytest.approx(exact, abs=0.006)


def test_groups_widen_the_resampled_interval():
    """Ten identical rows a patient are one piece of evidence, not ten."""
    rng = np.random.default_rng(0)
    y, answer = np.zeros(300), np.repeat(rng.normal(size=30), 10)
    judged = [Judged(np.arange(300), answer)]
    narrow = resampled(METRICS["mse"], y, judged)
    wide = resampled(METRICS["mse"], y, judged, groups=np.repeat(np.arange(30), 10))
    assert wide.high - wide.low == pytest.approx(np.sqrt(10) * (narrow.high - narrow.low), rel=0.2)


@pytest.mark.parametrize("name", ["error", "f1", "roc_auc"])
def test_the_score_itself_lies_in_the_resampled_interval(name):
    """An interval beside its own score would be of something else."""
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 120)
    decision = y + rng.normal(size=120)
    answer = decision if name == "roc_auc" else (decision > 0.5).astype(int)
    judged = [Judged(rows, answer[rows]) for rows in np.array_split(np.arange(120), 4)]
    metric = METRICS[name]
    value = np.mean([metric.value(y[j.rows], j.answer, np.array([0, 1])) for j in judged])
    found = resampled(metric, y, judged, [0, 1], n_resamples=300)
    assert value in found
    assert 0.05 < found.high - found.low < 0.4


def test_the_best_of_a_hundred_coins_is_a_coin():
    """The winner of many noise procedures looks good on the rows that crowned it; BBC must bring it back to chance."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 100)
    judged = [[Judged(np.arange(100), rng.integers(0, 2, 100))] for _ in range(100)]
    best = max((j[0].answer == y).mean() for j in judged)
    value, interval = best_of_many(METRICS["accuracy"], y, judged, [0, 1])
    assert best > 0.6
    assert value == pytest.approx(0.5, abs=0.03)
    assert 0.5 in interval


def test_the_best_of_many_keeps_a_procedure_that_is_truly_best():
    """A correction that punished a real winner would be no estimate."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200)
    answers = [np.where(rng.random(200) < 0.9, y, 1 - y), *(rng.integers(0, 2, 200) for _ in range(20))]
    value, _ = best_of_many(METRICS["accuracy"], y, [[Judged(np.arange(200), a)] for a in answers], [0, 1])
    assert value == pytest.approx((answers[0] == y).mean(), abs=0.01)
    f1, _ = best_of_many(METRICS["f1"], y, [[Judged(np.arange(200), a)] for a in answers[:3]], [0, 1], n_resamples=100)
    assert f1 == pytest.approx(METRICS["f1"].value(y, answers[0], np.array([0, 1])), abs=0.02)


def test_an_interval_unpacks_and_says_what_it_holds():
    """Code that writes `low, high = result.interval` must work."""
    low, high = Interval(0.1, 0.2)
    assert (low, high, len(Interval(0.1, 0.2)), Interval(0.1, 0.2)[1]) == (0.1, 0.2, 2, 0.2)
    with pytest.raises(ParameterError, match="no procedure"):
        best_of_many(METRICS["accuracy"], [0], [])
