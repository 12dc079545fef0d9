"""Parameters that trees and forests share."""

import numpy as np
import pytest
from sklearn.utils.class_weight import compute_class_weight

from tamis.check import class_factors
from tamis.forest import ForestClassifier
from tamis.tree import TreeClassifier


def test_classes_are_balanced_as_scikit_learn_balances_them():
    """If this fails, class_weight means something else here than elsewhere."""
    y = np.array(list("aaabbc"))
    labels, counts = np.unique(y, return_counts=True)
    for given in ("balanced", {"a": 2.0, "b": 1.0, "c": 5.0}, {"b": 3}, {"a": 1, "b": 2, "c": 3, "d": 4}, None):
        theirs = compute_class_weight(given, classes=labels, y=y)
        assert np.allclose(class_factors(given, labels, counts.astype(float)), theirs)


@pytest.mark.parametrize("model", [TreeClassifier(max_depth=4), ForestClassifier(15, max_depth=4)], ids=repr)
def test_balanced_classes_do_not_tell_copies_from_weights(model):
    """If this fails, balancing counts rows and not what they weigh: a row of weight 3 differs from three rows."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 4))
    y = (X[:, 0] + rng.normal(size=150) > 1) * 1
    weight = rng.integers(0, 4, 150) * np.where(y == 1, 3, 1)
    model.set_params(class_weight="balanced")
    weighted = model.fit(X, y, sample_weight=weight).predict_proba(X)
    assert np.allclose(weighted, model.fit(np.repeat(X, weight, axis=0), np.repeat(y, weight)).predict_proba(X))
    assert not np.allclose(weighted, model.set_params(class_weight=None).fit(X, y, weight).predict_proba(X))
