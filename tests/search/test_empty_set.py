"""The empty set as a candidate, and a score that ends the search."""

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import KFold
from sklearn.naive_bayes import GaussianNB

from tamis.errors import KindError, ParameterError
from tamis.search import SubsetSelector

RNG = np.random.default_rng(3)
X = RNG.normal(size=(60, 4))
NOISE = RNG.normal(size=60)
FOLDS = list(KFold(5).split(X))


def test_no_column_is_valued_as_the_mean_of_the_training_rows():
    """The empty set would be valued in other folds, or by another score than the others."""
    selector = SubsetSelector(LinearRegression(), k=0, cv=FOLDS, scoring="mse").fit(X, NOISE)
    known = -np.mean([((NOISE[test] - NOISE[train].mean()) ** 2).mean() for train, test in FOLDS])
    assert selector.score_ == pytest.approx(known)
    assert selector.selected_ == []
    assert not selector.get_support().any()


@pytest.mark.parametrize("search", ["forward", "backward", "exhaustive", "hill-climbing"])
def test_noise_leaves_the_empty_set_and_signal_does_not(search):
    """A search from 0 columns on would still have to take one."""
    y = (X[:, 0] > 0).astype(int)
    labels = RNG.permutation(y)
    model = GaussianNB()
    signal = SubsetSelector(model, search=search, k=(0, 4)).fit(X, y)
    assert 0 in signal.selected_
    noise = SubsetSelector(LinearRegression(), search=search, k=(0, 4), cv=FOLDS, rule="1se").fit(X, NOISE)
    assert noise.selected_ == []
    assert SubsetSelector(model, search=search, k=(0, 4)).fit(X, labels).history_.best[0].score == pytest.approx(
        max(labels.mean(), 1 - labels.mean()), abs=0.1
    )


def test_a_score_that_is_good_enough_ends_the_search():
    """The search would go on to a better set, or stop below the threshold."""
    y = X[:, 1] + X[:, 2] + 0.05 * NOISE
    selector = SubsetSelector(LinearRegression(), stop_score=0.2).fit(X, y)
    assert selector.stopped_ == "stop_score"
    assert selector.score_ >= 0.2
    assert len(selector.selected_) == 1
    assert selector.reproducible_
    full = SubsetSelector(LinearRegression(), stop_score=2.0).fit(X, y)
    assert full.stopped_ is None
    with pytest.raises(KindError, match="stop_score='high' must be a number"):
        SubsetSelector(LinearRegression(), stop_score="high").fit(X, y)


def test_fixed_columns_and_size_0_do_not_go_together():
    """A fixed column would be left out by k=0."""
    with pytest.raises(ParameterError, match="k=0"):
        SubsetSelector(LinearRegression(), k=0, fixed=[1]).fit(X, NOISE)
