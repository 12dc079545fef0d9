"""P-values by permuted targets: counted exactly, uniform under chance, the view made once."""

import numpy as np
import pytest
from scipy.stats import false_discovery_control, kstest

from tamis import RankSelector, score
from tamis.engine import generator
from tamis.score import benjamini_hochberg
from tamis.score.permutation import permutation_pvalues


def test_pvalues_count_the_permutations_that_score_as_high():
    """(1 + hits) / (1 + permutations) would be miscounted, or ties with the data not counted as hits."""
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, size=(30, 4)), rng.integers(0, 2, 30)
    selector = RankSelector("mutual_information", n_permutations=70, random_state=3).fit(X, y)
    seed = int(np.random.RandomState(3).randint(2**31))
    orders = [generator(seed, "permutation", p).permutation(30) for p in range(70)]
    null = np.array([score.mutual_information(X, y[order]) for order in orders])
    hits = (null >= selector.scores_ - 1e-12).sum(axis=0)
    assert selector.pvalues_.tolist() == ((1 + hits) / 71).tolist()


@pytest.mark.parametrize("criteria", [1, 2])
def test_equal_scores_count_as_hits_in_spite_of_rounding(criteria):
    """A permutation that scores the same would be lost to the last bit."""
    observed = np.array([[0.1 + 0.2, 0.0]] * criteria)
    found = permutation_pvalues(observed, lambda orders: np.array([[[0.3, 0.0]] * len(orders)] * criteria), 5, 9)
    assert found.tolist() == [1.0, 1.0]


def test_benjamini_hochberg_is_scipys():
    """The adjustment for many columns would be wrong."""
    p = np.random.default_rng(1).random(50) ** 2
    assert benjamini_hochberg(p) == pytest.approx(false_discovery_control(p))


def test_the_view_is_made_once(monkeypatch):
    """Every permutation would bin the table again."""
    from tamis.score.criteria.mutual_information import MutualInformation

    made = []
    view = MutualInformation.view
    monkeypatch.setattr(MutualInformation, "view", lambda *args: (made.append(1), view(*args))[1])
    rng = np.random.default_rng(2)
    RankSelector(n_permutations=100).fit(rng.normal(size=(50, 3)), rng.integers(0, 2, 50))
    assert len(made) == 1


@pytest.mark.parametrize("name", ["mutual_information", "anova", "chi2", "gini", "symmetric_uncertainty"])
def test_noise_has_uniform_pvalues(name):
    """P-values of 1,000 columns of pure noise would pile up somewhere (Kolmogorov–Smirnov)."""
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(200, 1000)), rng.integers(0, 3, 200)
    pvalues = RankSelector(name, n_permutations=500, n_jobs=2).fit(X, y).pvalues_
    assert kstest(pvalues, "uniform").pvalue > 0.01


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("pearson", "numbers"),
        ("gain_ratio", "classes"),
        ("mutual_information", "numbers"),
        ("anova", "numbers"),
        (["anova", "gini"], "classes"),
    ],
)
def test_noise_has_uniform_pvalues_by_other_scores_and_targets(name, kind):
    """P-values of 1,000 columns of pure noise would pile up somewhere (Kolmogorov–Smirnov)."""
    rng = np.random.default_rng(5)
    y = rng.integers(0, 3, 200) if kind == "classes" else rng.normal(size=200)
    pvalues = RankSelector(name, n_permutations=1000, n_jobs=2).fit(rng.normal(size=(200, 1000)), y).pvalues_
    assert kstest(pvalues, "uniform").pvalue > 0.01


@pytest.mark.nightly
@pytest.mark.parametrize("kind", ["classes", "numbers"])
def test_noise_has_uniform_pvalues_by_relief(kind):
    """P-values of 1,000 columns of noise would pile up somewhere; tables of ten columns, for neighbours are shared."""
    pvalues = []
    for seed in range(100):
        rng = np.random.default_rng(seed)
        y = rng.integers(0, 2, 60) if kind == "classes" else rng.normal(size=60)
        selector = RankSelector("relief", n_permutations=200, random_state=seed)
        pvalues.extend(selector.fit(rng.normal(size=(60, 10)), y).pvalues_)
    assert kstest(pvalues, "uniform").pvalue > 0.01


@pytest.mark.nightly
def test_few_kept_columns_are_false():
    """More than a share alpha of the columns kept would be noise, on average."""
    false = []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        y = rng.integers(0, 2, 150)
        X = rng.normal(size=(150, 60))
        X[:, :15] += 0.8 * y[:, None]
        kept = RankSelector("anova", alpha=0.2, n_permutations=500).fit(X, y).get_support()
        false.append(kept[15:].sum() / max(kept.sum(), 1))
        assert kept[:15].sum() >= 10
    assert np.mean(false) < 0.2
