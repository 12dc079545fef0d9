"""Arrays of any memory layout are taken, whoever hands them in."""

import numpy as np
import pandas as pd
import pytest

from tamis import TreeClassifier, TreeRegressor
from tamis.boosting import BoostingClassifier, BoostingRegressor


def frozen(values):
    values = np.array(values)
    values.flags.writeable = False
    return values


@pytest.mark.parametrize("kind", [TreeClassifier, TreeRegressor, BoostingClassifier, BoostingRegressor])
def test_read_only_arrays_and_frames_give_the_same_model(kind):
    """If this fails, read-only input (pandas, memory maps) is refused by the core, or read in another order."""
    rng = np.random.default_rng(0)
    X, weight = rng.normal(size=(60, 3)), rng.uniform(size=60)
    is_classifier = kind in (TreeClassifier, BoostingClassifier)
    y = np.round(X[:, 0]) if is_classifier else X[:, 0].copy()
    model = kind(n_estimators=5) if "n_estimators" in kind().get_params() else kind()

    def predictions(X, y, weight):
        model.fit(X, y, sample_weight=weight)
        return model.predict_proba(X) if is_classifier else model.predict(X)

    expected = predictions(X, y, weight)
    assert np.array_equal(predictions(frozen(X), frozen(y), frozen(weight)), expected)
    assert np.array_equal(predictions(np.asfortranarray(X), y, weight), expected)
    assert np.array_equal(predictions(X[::-1][::-1], y[::-1][::-1], weight[::-1][::-1]), expected)
    assert np.array_equal(predictions(pd.DataFrame(X), pd.Series(y), pd.Series(weight)), expected)
