"""Rankings under weights: against counting pairs, and scikit-learn."""

import numpy as np
import pytest
from scipy.stats import rankdata
from sklearn.metrics import average_precision_score, roc_auc_score

from tamis.metrics.ranking import auc, average_precision


def table(seed, digits):
    rng = np.random.default_rng(seed)
    positive = rng.random(60) < 0.3
    decision = (rng.normal(size=60) + positive).round(digits)
    return positive, decision, rng.integers(0, 4, size=(5, 60)).astype(float)


@pytest.mark.parametrize("digits", [0, 1, 8])
def test_auc_counts_pairs(digits):
    """Ties, or rows drawn several times, would be counted wrongly."""
    positive, decision, weights = table(0, digits)
    for weight, found in zip(weights, auc(positive, decision, weights)):
        rows = np.repeat(np.arange(60), weight.astype(int))
        up, down = decision[rows][positive[rows]][:, None], decision[rows][~positive[rows]][None, :]
        assert found == ((up > down).sum() + (up == down).sum() / 2) / (up.size * down.size)


@pytest.mark.parametrize("digits", [0, 1, 8])
def test_auc_of_unit_weights_has_the_bits_of_the_rank_formula(digits):
    """Scores of studies would change in their last digit."""
    positive, decision, _ = table(1, digits)
    n, m = len(positive), int(positive.sum())
    ranks = float((rankdata(decision)[positive].sum() - m * (m + 1) / 2) / (m * (n - m)))
    assert auc(positive, decision, np.ones((1, n)))[0] == ranks


def test_both_agree_with_scikit_learn_under_weights():
    """Intervals would be about another score than the one that is reported."""
    positive, decision, weights = table(2, 1)
    for k, weight in enumerate(weights):
        assert auc(positive, decision, weights)[k] == pytest.approx(
            roc_auc_score(positive, decision, sample_weight=weight)
        )
        assert average_precision(positive, decision, weights)[k] == pytest.approx(
            average_precision_score(positive, decision, sample_weight=weight)
        )
