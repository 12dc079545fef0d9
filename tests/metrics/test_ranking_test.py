"""The ranking test of held-out answers: SciPy's statistics in one fold, and a level that holds over folds in noise."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from tamis.metrics.ranking_test import SHARED_TRAINING, ranking_p_value, ranking_terms


def _z(y, answer, n_classes=0):
    terms, variance = ranking_terms(y, answer, n_classes)
    return terms.sum() / np.sqrt(variance)


def test_in_one_fold_it_is_wilcoxons_test():
    """Two classes would be ranked by something else than Wilcoxon, or ties be counted wrongly."""
    rng = np.random.default_rng(0)
    y, p = rng.integers(0, 2, 50), np.round(rng.random(50), 1)
    expected = stats.mannwhitneyu(
        p[y == 1], p[y == 0], alternative="greater", use_continuity=False, method="asymptotic"
    )
    assert stats.norm.sf(_z(y, np.column_stack([1 - p, p]), 2)) == pytest.approx(expected.pvalue, abs=1e-12)


def test_for_numbers_it_is_spearmans_correlation():
    """Numbers would be ranked by something else than Spearman's correlation."""
    rng = np.random.default_rng(0)
    y, answer = np.round(rng.normal(size=40), 1), np.round(rng.normal(size=40), 1)
    assert _z(y, answer) == pytest.approx(np.sqrt(39) * stats.spearmanr(y, answer).statistic)


def test_the_variance_of_several_classes_is_that_of_shuffled_targets():
    """One class against the rest, added up over classes, would have another spread than is assumed."""
    rng = np.random.default_rng(0)
    y, answer = rng.choice(3, 40, p=[0.6, 0.3, 0.1]), rng.dirichlet([1, 1, 1], 40)
    drawn = np.array([ranking_terms(rng.permutation(y), answer, 3)[0].sum() for _ in range(4000)])
    assert drawn.var() == pytest.approx(ranking_terms(y, answer, 3)[1], rel=0.1)
    assert abs(drawn.mean()) < 4 * drawn.std() / np.sqrt(4000)


def test_answers_that_differ_by_rounding_rank_nothing():
    """A model without columns would be taken for a ranking."""
    y = np.array([0.0, 1.0, 2.0, 3.0])
    assert ranking_terms(y, 5.0 + 1e-14 * y)[1] == 0
    assert ranking_p_value(1.0, 0.0) == 1.0


def _noise_p_value(rng, n, d, best):
    """A linear model, or the best column, learned in five folds of noise and judged in the others."""
    X, y, fold = rng.normal(size=(n, d)), rng.normal(size=n), rng.permutation(np.arange(n) % 5)
    total = variance = 0.0
    for k in range(5):
        train, test = fold != k, fold == k
        weight = X[train].T @ (y[train] - y[train].mean())
        if best:
            weight = np.where(np.arange(d) == np.abs(weight).argmax(), weight, 0.0)
        terms, own = ranking_terms(y[test], X[test] @ weight)
        total, variance = total + terms.sum(), variance + own
    return ranking_p_value(total, variance)


@pytest.mark.parametrize(("n", "d", "best"), [(60, 6, False), (60, 6, True), (100, 60, True)])
def test_the_level_holds_in_noise(n, d, best):
    """Folds share training rows: taken as independent, one table of noise in eight would pass the 5% level."""
    rng = np.random.default_rng(0)
    p = np.array([_noise_p_value(rng, n, d, best) for _ in range(1000)])
    assert (p <= 0.05).mean() <= 0.075
    assert (p <= 0.01).mean() <= 0.02
    assert SHARED_TRAINING == 2
