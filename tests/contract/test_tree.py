"""What scikit-learn asks of every estimator."""

import pytest
from tests.contract.checks import assert_every_check_passes

from tamis.tree import TreeClassifier, TreeRegressor

SETTINGS = [
    TreeClassifier(),
    TreeClassifier(criterion="gain_ratio", missing="category", max_leaf_nodes=8),
    TreeClassifier(criterion="entropy", prune="cv", cv=5),
    TreeClassifier(prune="cv", prune_by="brier", cv=5),
    TreeClassifier(prune="cv", prune_by="log_loss", cv=5, rule="min"),
    TreeClassifier(criterion="chi2", prune="chi2"),
    TreeClassifier(prune=0.01, missing="majority"),
    TreeClassifier(splits="oblique", max_depth=3),
    TreeClassifier(leaf="logistic", max_depth=2),
    TreeClassifier(search="optimal", prune="cv", cv=3),
    TreeRegressor(),
    TreeRegressor(prune="cv", cv=5, rule="min"),
    TreeRegressor(criterion="absolute_error"),
    TreeRegressor(criterion="poisson", missing="category"),
    TreeRegressor(leaf="linear", max_depth=2),
    TreeRegressor(splits="oblique", max_depth=3),
    TreeRegressor(search="optimal", max_leaf_nodes=5),
]


@pytest.mark.parametrize("estimator", SETTINGS, ids=repr)
def test_every_estimator_check_passes(estimator):
    """If this fails, the tree breaks in pipelines, searches or clones that work with any other estimator."""
    assert_every_check_passes(estimator)
