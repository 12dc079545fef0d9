"""What scikit-learn asks of every estimator."""

import pytest
from tests.contract.checks import assert_every_check_passes

from tamis.boosting import BoostingClassifier, BoostingRegressor

SETTINGS = [
    BoostingClassifier(20),
    BoostingClassifier(10, min_samples_leaf=1, max_leaf_nodes=None, max_depth=3, class_weight="balanced"),
    BoostingClassifier(10, max_bins=8, min_samples_leaf=5, max_features=0.5, n_jobs=2),
    BoostingRegressor(20),
    BoostingRegressor(10, min_samples_leaf=1, l2_regularization=1.0, max_leaf_nodes=4),
    BoostingRegressor(10, min_samples_leaf=3, max_leaf_nodes=None, max_features="sqrt", n_jobs=2),
]


@pytest.mark.parametrize("estimator", SETTINGS, ids=repr)
def test_every_estimator_check_passes(estimator):
    """If this fails, boosting breaks in pipelines, searches or clones that work with any other estimator."""
    assert_every_check_passes(estimator)
