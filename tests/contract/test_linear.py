"""What every scikit-learn estimator must do, for both linear models and several settings, with no expected failure."""

from __future__ import annotations

import pytest
from tests.contract.checks import assert_every_check_passes

from tamis import LinearClassifier, LinearRegressor
from tamis.linear import ScoreCard, ScoreCardRegressor

SETTINGS = [
    LinearRegressor(n_alphas=20, cv=3),
    LinearRegressor(penalty=None),
    LinearRegressor(relax="cv", n_alphas=10, cv=3),
    LinearRegressor(norm_bound=0.5),
    LinearRegressor("bridge", alpha=0.01),
    LinearRegressor(penalty="ridge", alpha="loo", n_alphas=20),
    LinearRegressor(penalty="ridge", cv=3, n_alphas=20),
    LinearRegressor(penalty="elastic-net", alpha=0.1, missing="mean"),
    LinearRegressor(penalty="subset", cv=3),
    LinearRegressor(loss="huber", cv=3, n_alphas=5),
    LinearRegressor(loss="poisson", alpha=0.01),
    LinearRegressor(penalty="lasso", alpha="bayes", n_draws=50),
    LinearClassifier(loss="hinge", alpha=0.1),
    LinearClassifier(relax="cv", n_alphas=10, cv=3),
    LinearClassifier(cv=3, n_alphas=5),
    LinearClassifier(penalty="ridge", alpha=0.01),
    LinearClassifier(loss="squared_hinge", cv=3, n_alphas=5),
    LinearClassifier(penalty="subset", k=None, alpha=0.02),
    ScoreCard(cv=3),
    ScoreCardRegressor(4, cv=None),
]


@pytest.mark.filterwarnings(
    "ignore::sklearn.exceptions.SkipTestWarning", "ignore::tamis.errors.TamisWarning", "ignore::DeprecationWarning"
)
@pytest.mark.parametrize("estimator", SETTINGS, ids=repr)
def test_estimator_checks(estimator):
    """Clones, pipelines, weights, sparse input, names and error messages must behave as scikit-learn's own do."""
    assert_every_check_passes(estimator)
