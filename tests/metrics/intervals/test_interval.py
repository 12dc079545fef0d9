"""Intervals: the formulas of their papers, and the truth inside them as often as they say."""

import numpy as np
import pytest
from scipy import stats

from tamis.errors import ParameterError, TamisWarning
from tamis.evaluate.nested import nested_score
from tamis.metrics import METRICS, Metric, find, score
from tamis.metrics.intervals import bounds
from tamis.metrics.intervals.interval import (
    Interval,
    Judged,
    best_of_many,
    corrected,
    corrected_test,
    resampled,
    score_interval,
    tallies_of,
)
from tamis.metrics.intervals.tally import Tally

Z = stats.norm.ppf(0.975)


def folded(name, y, answer, *, n_folds=5, groups=None, labels=None, n_train=None, level=0.95):
    """The interval of answers judged in folds of consecutive rows."""
    metric = find(name, classes=labels is not None)
    y, answer = np.asarray(y), np.asarray(answer)
    judged = [Judged(rows, answer[rows]) for rows in np.array_split(np.arange(len(y)), n_folds)]
    scores = [score(metric, y[j.rows], j.answer, labels) for j in judged]
    tallies = tallies_of(metric, y, judged, labels, groups=groups)
    n_test = len(y) / n_folds
    return score_interval(metric, tallies, scores, len(y) - n_test if n_train is None else n_train, n_test, level=level)


def wilson(share, n):
    """Wilson's interval by its definition: the shares p with |share − p| ≤ z √(p (1 − p) / n)."""
    roots = np.roots([1 + Z**2 / n, -(2 * share + Z**2 / n), share**2])
    return sorted(roots.real)


def test_the_interval_of_a_share_is_wilsons():
    """For one fixed model a share of judged rows has its textbook interval."""
    y, answer = np.zeros(80, dtype=int), (np.arange(80) % 8 == 0).astype(int)
    found = folded("accuracy", y, answer, labels=[0, 1], n_train=np.inf)
    assert tuple(found) == pytest.approx(wilson(70 / 80, 80), abs=1e-12)
    assert tuple(folded("error", y, answer, labels=[0, 1], n_train=np.inf)) == pytest.approx(wilson(10 / 80, 80))
    assert tuple(folded("neg_error", y, answer, labels=[0, 1], n_train=np.inf)) == pytest.approx(
        [-end for end in wilson(10 / 80, 80)][::-1]
    )
    assert tuple(folded("accuracy", y, answer, labels=[0, 1])) == pytest.approx(wilson(70 / 80, 80 / 1.5))


def test_twenty_separable_rows_are_not_certain():
    """ "1.00 (95% interval 1.00–1.00)" of 20 rows was a lie."""
    y = np.arange(20) % 2
    for name in ("accuracy", "balanced_accuracy", "f1", "matthews"):
        found = folded(name, y, y, labels=[0, 1])
        assert found.high == 1
        assert found.low < 0.85, name
    proba = np.column_stack([1 - y, y]).astype(float)
    area = folded("roc_auc", y, proba, labels=[0, 1])
    assert (area.high, area.low < 0.85) == (1, True)
    assert folded("average_precision", y, proba, labels=[0, 1]).low < 0.8
    for name in ("brier", "log_loss"):
        found = folded(name, y, proba, labels=[0, 1])
        assert found.low < 1e-9
        assert found.high > wilson(0, 20)[1] * 0.99, name


def test_constant_answers_of_thousands_of_rows_have_wilsons_width():
    """Stratified folds all hold the same share of each class: their spread says nothing (once 0.9367–0.9382)."""
    n, k = 6875, 5
    rare = np.arange(n) % 16 == 0
    y = rare.astype(int)[np.argsort(np.arange(n) % k, kind="stable")]
    found = folded("accuracy", y, np.zeros(n, dtype=int), labels=[0, 1], n_folds=k)
    low, high = wilson(1 - rare.mean(), n)
    assert found.low <= low
    assert found.high >= high
    assert found.high - found.low < 1.4 * (high - low)
    balanced = folded("balanced_accuracy", y, np.zeros(n, dtype=int), labels=[0, 1], n_folds=k)
    assert balanced.low < 0.5 < balanced.high


def test_balanced_accuracy_is_bounded_by_the_rows_of_each_class():
    """Ten rows of the rare class decide, however many the other has."""
    y = np.r_[np.zeros(90, dtype=int), np.ones(10, dtype=int)]
    answer = np.r_[np.zeros(90, dtype=int), np.tile([0, 1], 5)]
    order = np.random.default_rng(0).permutation(100)
    found = folded("balanced_accuracy", y[order], answer[order], labels=[0, 1], n_train=np.inf, n_folds=1)
    common, rare = wilson(1.0, 90), wilson(0.5, 10)
    low = 0.75 - np.hypot(1 - common[0], 0.5 - rare[0]) / 2
    assert found.low == pytest.approx(low, abs=0.05)
    assert found.low <= low + 1e-12
    assert found.high >= 0.75 + (rare[1] - 0.5) / 2 - 1e-12


def test_a_class_of_seven_rows_has_no_bound():
    """A bound from seven rows would be one in name only; the reason must be told."""
    rng = np.random.default_rng(0)
    y = np.r_[np.zeros(60, dtype=int), np.ones(7, dtype=int)][rng.permutation(67)]
    names = np.array(["no", "x"])
    X = rng.normal(size=(67, 3))
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

    weigh = ["balanced_accuracy", "roc_auc", "average_precision", "precision", "recall", "f1", "f1_macro", "matthews"]
    for scoring in weigh:
        result = nested_score(LinearDiscriminantAnalysis(), X, names[y], scoring=scoring)
        assert np.isnan(result.interval.low), scoring
        assert np.isnan(result.interval.high)
        assert result.interval.note == "cannot be bounded with 7 rows of class 'x'; do not quote"
        assert result.interval.note in result.notes
        assert result.interval.note in repr(result)
    for scoring in ("accuracy", "error", "brier", "log_loss", "f1_micro"):
        result = nested_score(LinearDiscriminantAnalysis(), X, names[y], scoring=scoring)
        assert result.interval.low < result.mean < result.interval.high
        assert result.interval.note == ""


def test_rows_of_a_group_count_as_one_where_they_are_alike():
    """Ten identical rows a patient are one piece of evidence, not ten."""
    rng = np.random.default_rng(0)
    right = rng.random(60) < 0.7
    y, answer = np.zeros(600, dtype=int), np.repeat(~right, 10).astype(int)
    groups = np.repeat(np.arange(60), 10)
    found = folded("accuracy", y, answer, labels=[0, 1], groups=groups, n_train=np.inf)
    assert found.high - found.low == pytest.approx(np.ptp(wilson(right.mean(), 60)), rel=0.05)
    unlike = rng.permutation(answer)
    found = folded("accuracy", y, unlike, labels=[0, 1], groups=groups, n_train=np.inf)
    assert found.high - found.low == pytest.approx(np.ptp(wilson(right.mean(), 600)), rel=0.3)
    sure = folded("accuracy", y, y, labels=[0, 1], groups=groups, n_train=np.inf)
    assert sure.low <= wilson(1.0, 60)[0]


def test_means_of_losses_have_students_interval_in_the_logarithm():
    """With many rows and light tails the bound must be the textbook's."""
    rng = np.random.default_rng(0)
    y, answer = np.zeros(4000), rng.normal(size=4000)
    found = folded("mae", y, answer, n_train=np.inf)
    loss = np.abs(answer)
    reach = stats.t.ppf(0.975, 3999) * loss.std(ddof=1) / np.sqrt(4000)
    assert tuple(found) == pytest.approx((loss.mean() - reach, loss.mean() + reach), rel=1e-3)
    squares = folded("mse", y, answer, n_train=np.inf)
    assert tuple(folded("rmse", y, answer, n_train=np.inf)) == pytest.approx(np.sqrt(tuple(squares)))


def test_perfect_numbers_are_not_certain():
    """Thirty rows without an error leave room for three in a hundred answered no better than by their mean."""
    y = np.random.default_rng(0).normal(size=30)
    hidden = Z**2 / (30 / 1.5 + Z**2)
    found = folded("r2", y, y)
    assert tuple(found) == pytest.approx((1 - hidden, 1.0))
    assert tuple(folded("mse", y, y)) == pytest.approx((0.0, hidden * y.var()))
    constant = folded("r2", y, np.full(30, y.mean()))
    assert constant.low < 0 < constant.high + 0.2


def test_one_outlier_more_is_supposed_where_tails_are_heavy():
    """The squared error of a sample without its largest residual is far too small: the bound must reach beyond it."""
    rng = np.random.default_rng(3)
    y = np.zeros(100)
    light = rng.normal(size=100)
    heavy = np.where(np.arange(100) < 4, 6.0, 1.0) * light
    near, far = folded("mse", y, light), folded("mse", y, heavy)
    assert near.high < 2.1 * (light**2).mean()
    assert far.high > 2.5 * (heavy**2).mean()


def test_folds_that_differ_beyond_their_rows_widen_the_interval():
    """A procedure that fails in one fold of five may fail when refitted; rows alone do not see it."""
    y = np.zeros(500, dtype=int)
    bad = np.r_[np.ones(100), np.zeros(400)].astype(int)
    spread = np.random.default_rng(0).permutation(bad)
    even, uneven = (folded("accuracy", y, answer, labels=[0, 1]) for answer in (spread, bad))
    assert even.high - even.low == pytest.approx(np.ptp(wilson(0.8, 500 / 1.5)), rel=0.3)
    assert uneven.high - uneven.low > 4 * (even.high - even.low)


def test_an_area_is_newcombes_where_the_rows_say_no_more():
    """The area's bound solves its own equation, and stays within 0 and 1."""
    for value, own, other in ((0.5, 10, 90), (0.93, 10, 90), (1.0, 10, 10), (0.02, 40, 30)):
        low, high = bounds.area(value, own, other, 1.0, Z)
        assert 0 <= low <= value <= high <= 1
        for end in (low, high):
            if 0 < end < 1:
                assert abs(value - end) == pytest.approx(Z * np.sqrt(bounds.area_variance(end, own, other)), rel=1e-6)


def test_single_rows_are_ranked_together():
    """Leave-one-out has no area in a fold; the interval must be that of all rows."""
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    decision = y + rng.normal(size=40)
    metric = METRICS["roc_auc"]
    whole = score_interval(
        metric, [Tally.of(y, decision, range(40), [0, 1], answered="decision")], [np.nan], np.inf, 40
    )
    single = [Tally.of(y[[i]], decision[[i]], [i], [0, 1], answered="decision") for i in range(40)]
    assert score_interval(metric, single, [np.nan], np.inf, 1) == whole


def test_a_level_is_a_share_and_a_single_row_bounds_nothing():
    """Wider for more confidence; no width from one number."""
    y = np.random.default_rng(0).normal(size=50)
    wide, narrow = (folded("mse", y, np.zeros(50), level=level) for level in (0.95, 0.5))
    assert wide.low < narrow.low < narrow.high < wide.high
    with pytest.raises(ParameterError, match="level"):
        folded("mse", y, np.zeros(50), level=1.0)
    one = score_interval(METRICS["mse"], [Tally.of([1.0], [2.0], [0])], [1.0], 10, 1)
    assert one.note == "one judged row is too few to bound"
    grouped = score_interval(METRICS["mse"], [Tally.of([1.0, 2.0], [2.0, 4.0], [0, 0], grouped=True)], [1.0], 10, 1)
    assert grouped.note == "one judged group is too few to bound"


def test_percentages_and_deviances_have_bounds_too():
    """Every metric that is quoted is quoted with an interval."""
    rng = np.random.default_rng(0)
    y = rng.poisson(3.0, 200).astype(float)
    answer = np.full(200, 3.0)
    for name in ("mape", "poisson_deviance"):
        value = score(METRICS[name], y[y > 0], answer[y > 0])
        found = folded(name, y[y > 0], answer[y > 0])
        assert found.low < value < found.high
    with pytest.warns(TamisWarning, match="target of 0"):
        both = folded("mape", y, answer)
    kept = np.abs((y - 3)[y > 0] / y[y > 0])
    assert both.low < kept.mean() < both.high


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
        for factor in (1e-20, 1e20):  # errors of a target in another unit
            scaled = corrected_test(differences * factor, 90, 10)
            assert scaled == pytest.approx(corrected_test(differences, 90, 10), rel=1e-9)
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


def test_a_metric_of_ones_own_is_bounded_by_its_rows():
    """A mean of any sign has Student's interval; anything else that of rows drawn with replacement."""
    rng = np.random.default_rng(0)
    y = rng.normal(size=200)
    given = y + rng.normal(0.5, 1.0, 200)
    error = Metric("bias", "regression", "labels", True, lambda y, a, k: float((y - a).mean()), lambda y, a, k: y - a)
    tallies = [Tally.of(y, given, range(200))]
    found = score_interval(error, tallies, [(y - given).mean()], np.inf, 200)
    reach = stats.t.ppf(0.975, 199) * (y - given).std(ddof=1) / np.sqrt(200)
    assert tuple(found) == pytest.approx(((y - given).mean() - reach, (y - given).mean() + reach))
    median = Metric("median", "regression", "labels", True, lambda y, a, k: float(np.median(y - a)))
    found = score_interval(median, tallies, [np.median(y - given)], np.inf, 200)
    assert found.low < np.median(y - given) < found.high
    gone = score_interval(median, [tallies[0].summed()], [np.nan], np.inf, 200)
    assert gone.note == "median is not among the sums kept of the judged rows"


def test_a_target_that_does_not_vary_has_no_r2_to_bound():
    """A division by zero must become a sentence."""
    found = score_interval(METRICS["r2"], [Tally.of(np.ones(20), np.arange(20.0), range(20))], [0.0], 80, 20)
    assert np.isnan(found.low)
    assert found.note == "the target does not vary in the judged rows"
