"""Chance for given predictions: against closed forms."""

import numpy as np
import pytest

from tamis.evaluate.chance.answers import Answers, prepared, read_returned, score_of
from tamis.evaluate.chance.reshuffled import reshuffled
from tamis.metrics import METRICS

LABELS = np.array([0, 1])


def mean_of(metric, folds, labels, seeds=300):
    return np.mean([reshuffled(METRICS[metric], folds, labels, seed) for seed in range(seeds)])


def test_classes_have_the_chance_of_their_margins():
    """Agreement by chance is the product of the shares of truth and answers; rankings are at a half."""
    rng = np.random.default_rng(0)
    truth, answer = rng.permutation(np.repeat([0, 1], [30, 10])), rng.permutation(np.repeat([0, 1], [24, 16]))
    one = [Answers(truth, answer)]
    assert mean_of("accuracy", one, LABELS) == pytest.approx(0.75 * 0.6 + 0.25 * 0.4, abs=0.005)
    assert mean_of("balanced_accuracy", one, LABELS) == pytest.approx(0.5, abs=0.01)
    assert mean_of("kappa", one, LABELS) == pytest.approx(0, abs=0.02)
    assert mean_of("matthews", one, LABELS) == pytest.approx(0, abs=0.02)
    assert mean_of("f1", one, LABELS) == pytest.approx(2 * 4 / 26, abs=0.01)  # 4 of 16 answers hit 10 positives
    p = rng.random(40)
    assert mean_of("roc_auc", [Answers(truth, p)], LABELS) == pytest.approx(0.5, abs=0.01)
    assert mean_of("brier", [Answers(truth, p)], LABELS) == pytest.approx(
        0.25 * np.mean((1 - p) ** 2) + 0.75 * np.mean(p**2), abs=0.002
    )


def test_numbers_have_the_chance_of_their_moments():
    """The squared error by chance is the sum of both variances and the squared distance of the means."""
    rng = np.random.default_rng(0)
    truth, answer = rng.normal(2, 1, 30), rng.normal(1, 2, 30)
    expected = truth.var() + answer.var() + (truth.mean() - answer.mean()) ** 2
    assert mean_of("mse", [Answers(truth, answer)], None) == pytest.approx(expected, rel=0.01)
    assert mean_of("r2", [Answers(truth, answer)], None) == pytest.approx(1 - expected / truth.var(), rel=0.02)
    apart = np.abs(truth[:, None] - answer).mean()
    assert mean_of("mae", [Answers(truth, answer)], None) == pytest.approx(apart, rel=0.01)


@pytest.mark.parametrize("name", METRICS)
def test_many_at_once_are_what_one_by_one_gives(name):
    """A faster way to the same chance must give the same chance."""
    metric = METRICS[name]
    rng = np.random.default_rng(0)
    folds = []
    for _ in range(3):
        truth = rng.gamma(2.0, size=12) if metric.task == "regression" else np.r_[0, 1, rng.integers(0, 2, 10)]
        answer = rng.gamma(2.0, size=12) if metric.task == "regression" else rng.integers(0, 2, 12)
        folds.append(Answers(truth, rng.random(12) if metric.needs in ("decision", "probabilities") else answer))
    labels = None if metric.task == "regression" else LABELS
    ready = prepared(metric, folds, labels)
    draw = np.random.default_rng(1)
    plain = [score_of(metric, [(draw.permutation(t), a, k) for t, a, k in ready]) for _ in range(100)]
    assert mean_of(name, folds, labels, 40) == pytest.approx(np.mean(plain), abs=5 * np.std(plain) / np.sqrt(75))


def test_folds_are_reshuffled_each_in_itself():
    """Between folds targets differ in share; mixing them would call a fold's own share a skill."""
    folds = [Answers(np.zeros(5, int), np.zeros(5, int)), Answers(np.ones(5, int), np.ones(5, int))]
    assert reshuffled(METRICS["accuracy"], folds, LABELS, 0) == 1.0
    single = [Answers(np.array([k]), np.array([k])) for k in (0, 0, 1, 1)]
    assert mean_of("accuracy", single, LABELS, 40) == pytest.approx(0.5, abs=0.07)


def test_groups_change_places_as_a_whole():
    """Targets of a group are one target: reshuffled row by row chance would look surer than it is."""
    groups = np.repeat(np.arange(4), 5)
    truth = np.repeat([0, 0, 1, 1], 5)
    fold = Answers(truth, truth, np.arange(20))
    values = [reshuffled(METRICS["accuracy"], [fold], LABELS, seed, groups=groups) for seed in range(200)]
    assert set(np.round(np.array(values) * 20).astype(int)) <= set(range(21))
    assert np.mean(values) == pytest.approx((1 + 4 * 0.5 + 0) / 6, abs=0.03)  # of 6 arrangements 1 agrees, 4 half


def test_a_list_of_pairs_is_folds_and_a_pair_is_one():
    """Two folds of two rows, and a pair of two rows, look alike at first sight."""
    assert len(read_returned(len, [([0, 1], [1, 1]), ([1, 0], [1, 0])])) == 2
    assert len(read_returned(len, ([0, 1], [1, 1]))) == 1
    assert len(read_returned(len, [np.array([0, 1]), np.array([1, 1])])) == 1
    assert read_returned(len, np.float64(0.5)) == 0.5
    assert len(read_returned(len, [([0, 1, 1], [1, 1, 0]), ([1, 0], [1, 0])])) == 2
