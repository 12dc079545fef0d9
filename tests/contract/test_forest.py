"""What scikit-learn asks of every estimator."""

import pytest
from sklearn.utils.estimator_checks import estimator_checks_generator

from tamis.forest import ForestClassifier, ForestRegressor

SETTINGS = [
    ForestClassifier(10),
    ForestClassifier(10, voting="majority", bootstrap="balanced", class_weight="balanced"),
    ForestClassifier(10, thresholds="random", bootstrap=False, max_features=None),
    ForestClassifier(10, max_samples=0.5, bootstrap=False, min_samples_leaf=2, max_depth=5),
    ForestClassifier(60, n_jobs=2),  # not stop_when_stable: a copy of a row can be left out where its twin was drawn
    ForestRegressor(10),
    ForestRegressor(10, thresholds="random", max_samples=0.7, min_samples_leaf=3, oob_score=False),
    ForestRegressor(10, max_features="log2", min_samples_split=5, n_jobs=2),
    ForestClassifier(10, splits="oblique"),
    ForestRegressor(10, splits="oblique"),
]


@pytest.mark.parametrize("estimator", SETTINGS, ids=repr)
def test_every_estimator_check_passes(estimator):
    """If this fails, the forest breaks in pipelines, searches or clones that work with any other estimator."""
    for instance, check in estimator_checks_generator(estimator):
        try:
            check(instance)
        except Exception as error:
            if type(error).__name__ == "SkipTest":
                continue
            name = getattr(check, "func", check).__name__
            raise AssertionError(f"{name}: {error}") from error
