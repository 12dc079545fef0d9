"""What scikit-learn asks of every estimator."""

import pytest
from tests.contract.checks import assert_every_check_passes

from tamis.additive import AdditiveClassifier, AdditiveRegressor

SETTINGS = [
    AdditiveClassifier(),
    AdditiveClassifier(max_columns=2, max_pairs=2, class_weight="balanced", n_jobs=2),
    AdditiveClassifier(max_bins=8, n_bags=3, min_samples_leaf=5, learning_rate=0.5),
    AdditiveRegressor(),
    AdditiveRegressor(max_columns=1, n_bags=2, max_cycles=20),
    AdditiveRegressor(max_pairs=3, n_jobs=2),
    AdditiveRegressor(loss="poisson"),
]


@pytest.mark.parametrize("estimator", SETTINGS, ids=repr)
def test_every_estimator_check_passes(estimator):
    """If this fails, additive models break in pipelines, searches or clones that work with any other estimator."""
    assert_every_check_passes(estimator)
