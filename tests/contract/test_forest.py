"""What scikit-learn asks of every estimator."""

import pytest
from tests.contract.checks import assert_every_check_passes

from tamis.forest import ForestClassifier, ForestRegressor

SETTINGS = [
    ForestClassifier(10),
    ForestClassifier(10, voting="majority", bootstrap="balanced", class_weight="balanced"),
    ForestClassifier(10, thresholds="random", bootstrap=False, max_features=None),
    ForestClassifier(10, max_samples=0.5, bootstrap=False, min_samples_leaf=2, max_depth=5),
    ForestClassifier(80, stop_when_stable=True, n_jobs=2),
    ForestClassifier(20, tune=True),
    ForestRegressor(20, tune=True, n_jobs=2),
    ForestRegressor(10),
    ForestRegressor(10, thresholds="random", max_samples=0.7, min_samples_leaf=3, oob_score=False),
    ForestRegressor(80, max_features="log2", min_samples_split=5, stop_when_stable=True),
    ForestClassifier(10, splits="oblique"),
    ForestRegressor(10, splits="oblique"),
]


@pytest.mark.parametrize("estimator", SETTINGS, ids=repr)
def test_every_estimator_check_passes(estimator):
    """If this fails, the forest breaks in pipelines, searches or clones that work with any other estimator."""
    assert_every_check_passes(estimator)
