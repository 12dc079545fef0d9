"""The elastic net's share of the absolute penalty, chosen with its strength; a share of rows held out as `cv`."""

from __future__ import annotations

import numpy as np
import pytest

from tamis import LinearClassifier, LinearRegressor
from tamis.errors import ParameterError
from tamis.linear.model import RATIOS
from tamis.split.folds import folds

SHARES = [0.1, 0.5, 1.0]


def table(classes):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(120, 25))
    X[:, 1:8] += 1.5 * X[:, :1]
    eta = X[:, :8].sum(axis=1) + 2 * rng.normal(size=120)
    return X, (eta > 0).astype(int) if classes else eta


@pytest.mark.parametrize("kind", [LinearRegressor, LinearClassifier])
@pytest.mark.parametrize("rule", ["min", "1se"])
def test_the_share_with_the_least_error_over_folds_is_taken(kind, rule):
    """The model would not be the best of those compared, or its path that of another share."""
    X, y = table(kind is LinearClassifier)
    apart = [kind("elastic-net", l1_ratio=share, rule=rule, cv=5).fit(X, y) for share in SHARES]
    best = apart[int(np.argmin([model.path_.cv_mean.min() for model in apart]))]
    model = kind("elastic-net", l1_ratio=SHARES, rule=rule, cv=5).fit(X, y)
    assert model.alpha_ == best.alpha_
    assert model.l1_ratio_ == best.l1_ratio_
    assert np.array_equal(model.coef_, best.coef_)
    assert np.array_equal(model.cv_predictions_, best.cv_predictions_)
    again = kind("elastic-net", alpha=model.alpha_, l1_ratio=model.l1_ratio_).fit(X, y)
    assert np.allclose(again.coef_, model.coef_, atol=1e-8)


def test_rows_have_no_say_in_the_share_they_are_judged_at():
    """Nested predictions would be too good: the fold that holds a row would help to choose its model."""
    X, y = table(False)
    pairs = folds(5, y)
    apart = [LinearRegressor("elastic-net", l1_ratio=share, cv=pairs).fit(X, y) for share in SHARES]
    model = LinearRegressor("elastic-net", l1_ratio=SHARES, cv=pairs).fit(X, y)
    for f, (_, test) in enumerate(pairs):
        others = np.arange(5) != f
        errors = [np.mean(one.path_.fold_errors[others], axis=0).min() for one in apart]  # folds of one size
        assert np.allclose(model.nested_predictions_[test], apart[int(np.argmin(errors))].nested_predictions_[test])
    assert len({tuple(np.round(one.path_.cv_mean, 6)) for one in apart}) == len(SHARES)


def test_cv_compares_a_grid_of_shares():
    """'cv' would be one share in disguise."""
    X, y = table(False)
    model = LinearRegressor("elastic-net", l1_ratio="cv", cv=3, n_alphas=20).fit(X, y)
    listed = LinearRegressor("elastic-net", l1_ratio=list(RATIOS), cv=3, n_alphas=20).fit(X, y)
    assert np.array_equal(model.coef_, listed.coef_)


@pytest.mark.parametrize("kind", [LinearRegressor, LinearClassifier])
def test_a_share_of_rows_may_choose_the_strength(kind):
    """`cv=0.2` means a validation share everywhere else; here it raised."""
    X, y = table(kind is LinearClassifier)
    model = kind(cv=0.2).fit(X, y)
    pairs = folds(0.2, y, classifier=kind is LinearClassifier)
    assert len(pairs) == 1
    assert len(pairs[0][1]) == 24
    assert model.alpha_ == kind(cv=pairs).fit(X, y).alpha_
    assert np.isnan(model.cv_predictions_).sum() == 96 * (2 if kind is LinearClassifier else 1)


def test_what_cannot_be_compared_is_refused():
    """A word or an empty list would fail deep inside; a fixed strength would make the choice meaningless."""
    X, y = table(False)
    for given in ("best", [0.5, 2.0], []):
        with pytest.raises(ParameterError, match="l1_ratio"):
            LinearRegressor("elastic-net", l1_ratio=given).fit(X, y)
    with pytest.raises(ParameterError, match="needs alpha='cv'"):
        LinearRegressor("elastic-net", l1_ratio="cv", alpha=0.1).fit(X, y)
