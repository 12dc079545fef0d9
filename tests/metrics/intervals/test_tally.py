"""Tallies: rows and their sums tell the same, survive a file, and stay small."""

import json

import numpy as np
import pytest
from sklearn import metrics as sk

from tamis.errors import ParameterError
from tamis.metrics import METRICS
from tamis.metrics.intervals.curves import calibration, confusion, roc
from tamis.metrics.intervals.interval import score_interval
from tamis.metrics.intervals.row_sums import binned_scores
from tamis.metrics.intervals.tally import Tally, together
from tamis.metrics.loss_matrix import LossMatrix


def classified(n=400, k=3, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, k, n)
    raw = rng.random((n, k)) + 1.5 * (y[:, None] == np.arange(k)) * rng.random((n, 1))
    return y, raw / raw.sum(axis=1, keepdims=True)


def numeric(n=400, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.normal(1e6, 3.0, n)
    return y, y + rng.normal(size=n)


def in_folds(y, answer, labels=None, n_folds=4, **more):
    rows = np.array_split(np.random.default_rng(9).permutation(len(y)), n_folds)
    units = more.pop("units", np.arange(len(y)))
    return [Tally.of(y[at], answer[at], units[at], labels, **more) for at in rows]


def fold_scores(metric, y, answer, n_folds=4):
    rows = np.array_split(np.random.default_rng(9).permutation(len(y)), n_folds)
    k = answer.shape[1] if answer.ndim == 2 else 0
    given = answer.argmax(axis=1) if metric.needs == "labels" and k else answer
    return [metric.value(y[at], given[at], np.arange(k)) for at in rows]


CLASS_METRICS = ["accuracy", "error", "balanced_accuracy", "f1_macro", "matthews", "roc_auc", "brier", "log_loss"]


@pytest.mark.parametrize("name", CLASS_METRICS)
def test_sums_bound_classes_as_their_rows_do(name):
    """Above 5,000 rows only sums are kept; the interval must not depend on which of the two was kept."""
    y, answer = classified()
    metric = METRICS[name]
    scores = fold_scores(metric, y, answer)
    kept = score_interval(metric, in_folds(y, answer, range(3)), scores, 300, 100)
    summed = score_interval(metric, in_folds(y, answer, range(3), keep=False), scores, 300, 100)
    assert tuple(summed) == pytest.approx(tuple(kept), rel=1e-5)
    fewer = in_folds(y, answer, range(3), keep=False, units=np.arange(len(y)) % 100)
    pooled = score_interval(metric, fewer, scores, 300, 100)
    assert pooled.high - pooled.low == pytest.approx(kept.high - kept.low, rel=0.25)


@pytest.mark.parametrize("name", ["mse", "rmse", "mae", "r2", "neg_mean_squared_error"])
def test_sums_bound_numbers_as_their_rows_do(name):
    """Sums of a target far from 0 must lose no digits, or R² would be noise."""
    from tamis.metrics import find

    y, answer = numeric()
    metric = find(name, classes=False)
    scores = fold_scores(metric, y, answer)
    kept = score_interval(metric, in_folds(y, answer), scores, 300, 100)
    summed = score_interval(metric, in_folds(y, answer, keep=False), scores, 300, 100)
    assert tuple(summed) == pytest.approx(tuple(kept), rel=1e-9)
    assert np.mean(scores) in kept


def test_ranks_give_the_area_and_delongs_variance():
    """The interval of an area rests on them, above 5,000 rows on nothing else."""
    rng = np.random.default_rng(1)
    y = (rng.random(60) < 0.3).astype(int)
    p = np.round(rng.random(60) + 0.4 * y, 1) / 2  # with ties
    sums = Tally.of(y, np.column_stack([1 - p, p]), np.arange(60), [0, 1], keep=False).sums
    area = sk.roc_auc_score(y, p)
    assert sums.areas == pytest.approx(area)
    own, other = p[y == 1], p[y == 0]
    wins = (own[:, None] > other) + (own[:, None] == other) / 2
    delong = ((wins.mean(axis=1) - area) ** 2).mean() / len(own) + ((wins.mean(axis=0) - area) ** 2).mean() / len(other)
    influence = sums.values["ranks"] - area * sums.values["shares"]
    assert (influence**2).sum() == pytest.approx(delong, rel=1e-5)
    assert influence.sum() == pytest.approx(0, abs=1e-6)


def test_average_precision_of_a_histogram_is_near_that_of_the_rows():
    """Bins finer towards 0 and 1 must hold what a ranking of rare positives needs."""
    rng = np.random.default_rng(0)
    y = (rng.random(4000) < 0.05).astype(int)
    p = 1 / (1 + np.exp(-(rng.normal(size=4000) + 2 * y - 4)))
    answer, metric = np.column_stack([1 - p, p]), METRICS["average_precision"]
    scores = fold_scores(metric, y, answer)
    kept = score_interval(metric, in_folds(y, answer, [0, 1]), scores, 3000, 1000)
    summed = score_interval(
        metric, in_folds(y, answer, [0, 1], keep=False, units=np.arange(4000) % 500), scores, 3000, 1000
    )
    assert tuple(summed) == pytest.approx(tuple(kept), abs=0.02)


def test_the_sum_of_folds_is_the_tally_of_all_rows():
    """Folds that do not add up would give a confusion matrix of other rows."""
    y, answer = classified()
    units = np.arange(len(y)) % 50
    parts = in_folds(y, answer, range(3), keep=False, units=units)
    whole = Tally.of(y, answer, units, range(3), keep=False)
    added = parts[0] + parts[1] + parts[2] + parts[3]
    for name in ("rows", "truth", "hit"):
        assert np.array_equal(added.sums.values[name], whole.sums.values[name])
    assert added.sums.values["brier"] == pytest.approx(whole.sums.values["brier"], rel=1e-12)
    for one, other in zip(added.sums.histograms, whole.sums.histograms):
        assert np.array_equal(one[1:].sum(axis=1), other[1:].sum(axis=1))
    assert np.array_equal(confusion([added]), sk.confusion_matrix(y, answer.argmax(axis=1)))
    with pytest.raises(ParameterError, match="different problems"):
        whole + Tally.of([1.0, 2.0], [1.0, 2.0], [0, 1])


def test_moments_of_folds_are_those_of_all_rows():
    """The target's mean differs between folds; its variance over all must be exact."""
    y, answer = numeric()
    sums = together(in_folds(y, answer, keep=False, units=np.arange(len(y)) % 7))
    n, first, second = (sums.values[name].sum() for name in ("rows", "y", "y2"))
    assert second / n - (first / n) ** 2 == pytest.approx(y.var(), rel=1e-9)
    assert sums.values["mse"].sum() / n == pytest.approx(np.mean((y - answer) ** 2), rel=1e-12)


@pytest.mark.parametrize("keep", [True, False])
@pytest.mark.parametrize("kind", ["classes", "numbers", "labels", "decision"])
def test_a_tally_comes_back_from_its_file_bit_for_bit(kind, keep):
    """A resumed study must give the same bytes as one that was not stopped."""
    y, answer = numeric() if kind == "numbers" else classified(k=2)
    labels = None if kind == "numbers" else ["no", "yes"]
    given = {"labels": answer.argmax(axis=1), "decision": answer[:, 1]} if kind != "numbers" else {}
    answered = kind if kind in given else None
    tally = Tally.of(y, given.get(kind, answer), np.arange(400) % 40, labels, answered=answered, repeat=2, keep=keep)
    told = json.dumps(tally.to_dict())
    again = Tally.from_dict(json.loads(told))
    assert json.dumps(again.to_dict()) == told
    assert (again.labels, again.repeat, again.answered) == (tally.labels, 2, tally.answered)
    name = {"classes": "log_loss", "numbers": "mse", "labels": "matthews", "decision": "roc_auc"}[kind]
    first, second = (score_interval(METRICS[name], [t], [np.nan], 400, 400) for t in (tally, again))
    assert first == second
    assert np.isfinite(first.low)


@pytest.mark.parametrize(("k", "most"), [(2, 100_000), (26, 1_000_000)])
def test_a_tally_of_many_rows_stays_small(k, most):
    """The journal of ten million rows must not outgrow the results."""
    y, answer = classified(n=60_000, k=k)
    told = json.dumps(Tally.of(y, answer, np.arange(60_000) % 1000, range(k), keep=False).to_dict())
    assert len(told) < most


def test_a_tally_of_many_numbers_stays_small():
    """The same for numbers."""
    y, answer = numeric(n=60_000)
    told = json.dumps(Tally.of(y, answer, np.arange(60_000) % 1000, keep=False).to_dict())
    assert len(told) < 100_000


def test_curves_of_rows_are_exact_and_curves_of_sums_are_near():
    """The pictures of a large study must be those of its rows."""
    y, answer = classified(k=2)
    kept, summed = (in_folds(y, answer, ["a", "b"], keep=keep) for keep in (True, False))
    false, true, threshold = sk.roc_curve(y, answer[:, 1], drop_intermediate=False)
    curve = roc(kept)
    assert np.allclose(curve["false_positive"], false)
    assert np.allclose(curve["true_positive"], true)
    assert np.allclose(curve["threshold"], threshold)
    for positive in (0, 1):
        area = sk.roc_auc_score(y == positive, answer[:, positive])
        for tallies, error in ((kept, 1e-12), (summed, 1e-3)):
            curve = roc(tallies, positive)
            assert np.trapezoid(curve["true_positive"], curve["false_positive"]) == pytest.approx(area, abs=error)
            assert (np.diff(curve["false_positive"]) >= 0).all()
        exact, near = calibration(kept, positive), calibration(summed, positive)
        assert np.array_equal(exact["rows"], near["rows"])
        assert exact["share"] == pytest.approx(near["share"])
        assert exact["predicted"] == pytest.approx(near["predicted"], abs=1e-6)


@pytest.mark.parametrize("share", [0.5, 0.03])
@pytest.mark.parametrize("middle", [0.2, 0.04])
def test_curves_of_a_large_table_are_those_of_its_rows(share, middle):
    """All probabilities between 0.01 and 0.1: an area of 0.743 would be drawn as ten stairs that touch the diagonal."""
    rng = np.random.default_rng(3)
    y = (rng.random(40_000) < share).astype(int)
    logit = np.log(middle / (1 - middle)) + 0.3 * (rng.normal(size=len(y)) + 0.92 * y)
    p = 1 / (1 + np.exp(-logit))
    parts = np.array_split(np.arange(len(y)), 5)
    folds = [Tally.of(y[at], np.column_stack([1 - p[at], p[at]]), at % 1000, ["no", "yes"], keep=False) for at in parts]
    curve = roc(folds)
    false, true, _ = sk.roc_curve(y, p, drop_intermediate=False)
    # each point of the curve is compared with the exact one at the same false positive rate, and back
    assert np.abs(np.interp(curve["false_positive"], false, true) - curve["true_positive"]).max() < 0.006
    assert np.abs(np.interp(false, curve["false_positive"], curve["true_positive"]) - true).max() < 0.006
    area = sk.roc_auc_score(y, p)
    assert area == pytest.approx(0.743, abs=0.02)
    assert np.trapezoid(curve["true_positive"], curve["false_positive"]) == pytest.approx(area, abs=1e-3)
    stairs = np.sum(np.diff(curve["false_positive"]) * curve["true_positive"][1:])
    assert stairs == pytest.approx(area, abs=5e-3)  # drawn as steps, too
    # precision against recall
    own, other = y.sum(), (y == 0).sum()
    n_true, n_false = curve["true_positive"][1:] * own, curve["false_positive"][1:] * other
    precision = n_true / (n_true + n_false)
    area = np.trapezoid(np.r_[precision[0], precision], np.r_[0, curve["true_positive"][1:]])
    assert area == pytest.approx(sk.average_precision_score(y, p), abs=1e-3)
    # thresholds of a slider: rows that reach a hundredth
    for step in (0.01, 0.05, 0.3):
        at = int(np.flatnonzero(curve["threshold"] >= step - 1e-12)[-1])
        assert curve["true_positive"][at] * own == pytest.approx((p[y == 1] >= step).sum())


def test_a_calibration_curve_is_that_of_scikit_learn():
    """Bins, shares and means as everybody draws them."""
    from sklearn.calibration import calibration_curve

    y, answer = classified(k=2)
    share, predicted = calibration_curve(y, answer[:, 1], n_bins=10)
    found = calibration([Tally.of(y, answer, np.arange(len(y)), [0, 1])])
    assert found["share"] == pytest.approx(share)
    assert found["predicted"] == pytest.approx(predicted)
    assert found["rows"].sum() == len(y)


def test_repeats_of_the_folds_add_no_rows():
    """Three repeats are the same rows three times."""
    y, answer = classified()
    once = in_folds(y, answer, range(3))
    thrice = [t for repeat in range(3) for t in in_folds(y, answer, range(3), repeat=repeat)]
    assert np.array_equal(confusion(once), confusion(thrice))
    for name in CLASS_METRICS:
        scores = fold_scores(METRICS[name], y, answer)
        one = score_interval(METRICS[name], once, scores, 300, 100)
        three = score_interval(METRICS[name], thrice, scores * 3, 300, 100)
        assert tuple(three) == pytest.approx(tuple(one), rel=1e-6), name


def test_classes_that_could_not_be_learned_are_wrong_and_have_no_probability():
    """A class seen in no training row counts against labels, and would make a log loss infinite."""
    y, answer = np.array([0, 1, 0, 2]), np.array([[0.8, 0.2, 0], [0.3, 0.7, 0], [0.6, 0.4, 0], [0.5, 0.5, 0]])
    for keep in (True, False):
        tally = Tally.of(y, answer, range(4), ["a", "b", "c"], learned=y != 2, keep=keep)
        sums = together([tally])
        assert sums.values["hit"].sum() == 3
        assert sums.values["rows"].sum() == 4
        assert sums.learned.sum() == 3
        assert sums.values["log_loss"].sum() == pytest.approx(-np.log([0.8, 0.7, 0.6]).sum())
        assert confusion([tally]).sum() == 4
    both = Tally.of([0, 1], [[1, 0, 0], [0, 1, 0]], [4, 5], ["a", "b", "c"], keep=False) + tally
    assert both.sums.learned.sum() == 5


def test_the_mean_cost_is_summed_when_asked_for():
    """Costs are quoted with an interval above 5,000 rows too."""
    y, answer = classified(k=2)
    cost = LossMatrix.of([[0, 10], [1, 0]], [0, 1]).metric
    kept = in_folds(y, answer, [0, 1])
    summed = in_folds(y, answer, [0, 1], keep=False, means=[cost])
    scores = fold_scores(cost, y, answer)
    assert tuple(score_interval(cost, summed, scores, 300, 100)) == pytest.approx(
        tuple(score_interval(cost, kept, scores, 300, 100))
    )
    without = score_interval(cost, in_folds(y, answer, [0, 1], keep=False), scores, 300, 100)
    assert np.isnan(without.low)
    assert "cost is not among the sums" in without.note


def test_what_has_no_curve_says_so():
    """A picture of something else would be worse than none."""
    labels = Tally.of([0, 1], [0, 1], [0, 1], ["a", "b"])
    numbers = Tally.of([0.0, 1.0], [0.0, 1.0], [0, 1])
    with pytest.raises(ParameterError, match="needs probabilities"):
        roc([labels])
    with pytest.raises(ParameterError, match="no confusion matrix of numbers"):
        confusion([numbers])
    with pytest.raises(ParameterError, match="positive=2, but there are 2 classes"):
        roc([Tally.of([0, 1], [[1, 0], [0, 1]], [0, 1], ["a", "b"])], 2)
    with pytest.raises(ParameterError, match="3 answers for 2 rows"):
        Tally.of([0.0, 1.0], [0.0, 1.0, 2.0], [0, 1])
    with pytest.raises(ParameterError, match="answered='words' is not known"):
        Tally.of([0, 1], [0, 1], [0, 1], ["a", "b"], answered="words")


def test_bins_of_a_probability_hold_hundredths_and_are_finer_at_the_ends():
    """Calibration is drawn in tenths, a slider moves by hundredths; rare classes lie below a hundredth."""
    p = np.random.default_rng(0).beta(0.2, 20, size=50_000)
    mean, others, own = binned_scores(p, np.ones(len(p)), np.zeros(len(p)))
    assert others.sum() == len(p)
    assert own.sum() == 0
    assert (mean < 0.001).sum() > 50
    assert others[0] < len(p) / 2000
    assert others[-1] < len(p) / 2000
    for edge in (0.01, 0.02, 0.1):
        assert others[mean >= edge].sum() == (p >= edge).sum()
