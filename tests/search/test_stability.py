"""Stability selection: frequencies, bounds, the lasso's path, interchangeable columns."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectKBest, f_regression
from sklearn.linear_model import Lasso, lasso_path

from tamis import RankSelector, StabilitySelector, SubsetSelector
from tamis.errors import KindError, ParameterError, TamisWarning
from tamis.search.resampling.lasso import lasso_of
from tamis.search.resampling.resamples import agreement, expected_false, resamples, threshold_for


@pytest.fixture
def data():
    random = np.random.default_rng(0)
    X = random.normal(size=(100, 30))
    return X, 2 * (X[:, 2] - X[:, 7] + X[:, 11]) + random.normal(size=100)


def test_complementary_halves_are_disjoint_and_balanced():
    """A pair would share rows, and the bound of Shah and Samworth not hold."""
    classes = np.array([0] * 31 + [1] * 10)
    drawn = resamples("complementary", 41, 10, seed=1, classes=classes)
    assert len(drawn) == 10
    for first, second in zip(drawn[::2], drawn[1::2]):
        assert not set(first) & set(second)
        assert len(first) == len(second) == 20
        assert abs(classes[first].sum() - classes[second].sum()) <= 1


def test_frequencies_are_those_of_a_plain_loop(data):
    """What is called a frequency would not be one."""
    X, y = data
    found = StabilitySelector(SelectKBest(f_regression, k=4), n_resamples=12).fit(X, y)
    masks = [
        SelectKBest(f_regression, k=4).fit(X[r], y[r]).get_support() for r in resamples("complementary", 100, 12, 0)
    ]
    np.testing.assert_array_equal(found.selections_, masks)
    np.testing.assert_allclose(found.frequency_, np.mean(masks, axis=0))
    assert found.selected_ == [2, 7, 11]


def test_a_lasso_chooses_what_scikit_learns_chooses(data):
    """The fast path would be the path of another model."""
    X, y = data
    drawn = resamples("complementary", 100, 6, seed=0)
    one = StabilitySelector(Lasso(alpha=0.2), n_resamples=6).fit(X, y)
    plain = [Lasso(alpha=0.2, tol=1e-10).fit(X[r], y[r]).coef_ != 0 for r in drawn]
    np.testing.assert_array_equal(one.selections_, plain)
    path = StabilitySelector(Lasso(alpha=0.1), n_resamples=6, alphas=12).fit(X, y)
    expected = np.zeros((12, 30))
    for r in drawn:
        _, coef, _ = lasso_path(X[r] - X[r].mean(axis=0), y[r] - y[r].mean(), alphas=path.alphas_, tol=1e-10)
        expected += (coef != 0).T / 6
    np.testing.assert_allclose(path.frequency_path_, expected)
    np.testing.assert_allclose(path.frequency_, expected.max(axis=0))


def test_bounds_are_the_published_ones():
    """The promise about false columns would be another than the papers'."""
    assert expected_false(0.9, 10, 1000, 100, pairs=False) == pytest.approx(100 / (0.8 * 1000))
    # Shah and Samworth, theorem 2, with B = 50 pairs
    assert expected_false(0.7, 10, 1000, 100, pairs=True) == pytest.approx(0.1 / (2 * (0.4 - 0.01)))
    assert expected_false(0.9, 10, 1000, 100, pairs=True) == pytest.approx(0.1 * 4 * 0.11 / 1.02)
    assert expected_false(0.5, 10, 1000, 100, pairs=False) == np.inf
    tau = threshold_for(0.1, 10, 1000, 100, pairs=True)
    assert expected_false(tau, 10, 1000, 100, pairs=True) <= 0.1
    assert expected_false(tau - 0.01, 10, 1000, 100, pairs=True) > 0.1


def test_a_bound_wanted_sets_the_threshold(data):
    """The number of false columns asked for would have no effect."""
    X, y = data
    found = StabilitySelector(SelectKBest(f_regression, k=3), expected_false=0.2).fit(X, y)
    assert found.expected_false_ <= 0.2 * (1 + 1e-9)
    assert found.threshold_ > 0.6
    with pytest.raises(ParameterError, match="cannot be reached"):
        StabilitySelector(SelectKBest(f_regression, k=20), expected_false=0.001).fit(X, y)


def test_nogueiras_index_is_one_for_equal_sets_and_near_zero_for_chance():
    """Stability would not be comparable between selectors."""
    same = np.tile(np.arange(20) < 4, (10, 1))
    assert agreement(same) == (1.0, (1.0, 1.0))
    random = np.random.default_rng(0)
    blind = np.array([random.permutation(np.arange(20) < 4) for _ in range(400)])
    value, (low, high) = agreement(blind)
    assert abs(value) < 0.02
    assert low < value < high
    # by hand: d = 2, sets {0}, {0}, {1}: p = (2/3, 1/3), s² = 3/2 · 2/9 = 1/3, k̄/d = 1/2
    assert agreement(np.array([[1, 0], [1, 0], [0, 1]]))[0] == pytest.approx(1 - (1 / 3) / (1 / 4))


def test_interchangeable_columns_are_named_together(data):
    """Two copies would share the votes and both be missed, or one be named as if it were the only one."""
    X, y = data
    random = np.random.default_rng(3)
    frame = pd.DataFrame(X, columns=[f"g{j}" for j in range(30)])
    frame["g99"] = frame["g2"] + 0.05 * random.normal(size=100)
    frame["g2"] = frame["g2"] + 0.05 * random.normal(size=100)
    found = StabilitySelector(SelectKBest(f_regression, k=3), interchangeable=0.9, threshold=0.7).fit(frame, y)
    together = [str(cluster) for cluster in found.clusters_]
    assert any(text in ("g2 or g99", "g99 or g2") for text in together)
    assert len({"g2", "g99"} & set(found.selected_)) == 1


def test_order_of_columns_and_threads_do_not_matter(data):
    """The same table in another order would have other stable columns."""
    X, y = data
    frame = pd.DataFrame(X[:, :12], columns=[f"c{(7 * j) % 12:02d}" for j in range(12)])
    inner = SubsetSelector("mrmr", k=3)
    one = StabilitySelector(inner, n_resamples=6).fit(frame, y)
    two = StabilitySelector(inner, n_resamples=6, n_jobs=2).fit(frame[sorted(frame)], y)
    assert one.selected_ == two.selected_
    assert dict(zip(one.feature_names_in_, one.frequency_)) == dict(zip(two.feature_names_in_, two.frequency_))


def test_bad_input_gets_a_sentence(data):
    """A user would not learn the way out."""
    X, y = data
    lasso = Lasso(alpha=0.2)
    for options, words in [
        ({"threshold": 0.0}, "threshold=0.0"),
        ({"resample": "thirds"}, "resample='thirds'"),
        ({"n_resamples": 1}, "n_resamples=1"),
        ({"expected_false": 1.0, "resample": "bootstrap"}, "no bound"),
    ]:
        with pytest.raises(ParameterError, match=words):
            StabilitySelector(lasso, **options).fit(X, y)
    with pytest.raises(ParameterError, match="alphas is given"):
        StabilitySelector(SelectKBest(f_regression, k=3), alphas=5).fit(X, y)
    with pytest.raises(KindError, match="cannot be fitted"):
        StabilitySelector(Lasso).fit(X, y)
    with pytest.warns(TamisWarning, match="no column was chosen"):
        StabilitySelector(Lasso(alpha=50.0), n_resamples=4).fit(X, y)
    assert lasso_of(Lasso(positive=True)) is None


class Top(BaseEstimator):
    """The seven columns that correlate most, quickly."""

    def fit(self, X, y):
        centred = X - X.mean(axis=0)
        size = np.abs(centred.T @ (y - y.mean())) / np.sqrt((centred**2).sum(axis=0))
        self.support_ = size >= np.sort(size)[-7]
        return self

    def get_support(self):
        return self.support_


@pytest.mark.nightly
@pytest.mark.filterwarnings("ignore::tamis.errors.TamisWarning")
@pytest.mark.parametrize("resample", ["complementary", "subsample"])
def test_on_pure_noise_the_bound_holds(resample):
    """Over 200 runs on noise, more columns would be kept than the stated bound allows."""
    kept, bounds = [], []
    for seed in range(200):
        random = np.random.default_rng(seed)
        X, y = random.normal(size=(60, 50)), random.normal(size=60)
        found = StabilitySelector(Top(), resample=resample, random_state=seed).fit(X, y)
        kept.append(found.support_.sum())
        bounds.append(found.expected_false_)
    assert np.mean(kept) <= np.mean(bounds)


def test_columns_are_counted_among_the_resamples_that_had_them():
    """A column left out of some resamples would seem unstable, and noise would not reach the selector."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 6))
    y = X[:, 1] + X[:, 3] + 0.5 * rng.normal(size=100)
    stable = StabilitySelector(RankSelector("pearson", k=2), drop=0.5, n_resamples=60).fit(X, y)
    assert (stable.present_.sum(axis=1) == 3).all()
    assert np.allclose(stable.frequency_, stable.selections_.sum(axis=0) / stable.present_.sum(axis=0))
    assert not (stable.selections_ & ~stable.present_).any()
    assert stable.frequency_[1] > 0.9
    assert np.isnan(stable.expected_false_)
    calm = StabilitySelector(RankSelector("pearson", k=2), n_resamples=40).fit(X, y)
    loud = StabilitySelector(RankSelector("pearson", k=2), noise=5.0, n_resamples=40, threshold=0.3).fit(X, y)
    assert calm.stability_ > 0.9 > loud.stability_
    again = StabilitySelector(RankSelector("pearson", k=2), noise=5.0, n_resamples=40, threshold=0.3, n_jobs=2).fit(
        X, y
    )
    assert np.array_equal(again.selections_, loud.selections_)
    with pytest.raises(ParameterError, match="noise and drop do not go with"):
        StabilitySelector(RankSelector("pearson", k=2), drop=0.5, expected_false=1.0).fit(X, y)
