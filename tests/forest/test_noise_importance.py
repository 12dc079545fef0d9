"""The importance of columns that say nothing."""

import numpy as np
import pytest

import tamis


@pytest.mark.parametrize("kind", ["two classes", "four classes", "numbers", "some signal"])
def test_columns_of_noise_have_no_importance_on_average(kind):
    """An importance whose zero is not zero cannot tell noise from a signal: rows drawn twice must not shift it."""
    random = np.random.default_rng(5)
    X = random.normal(size=(400, 60))
    if kind == "numbers":
        forest, y = tamis.ForestRegressor(150, progress=False), random.normal(size=400)
    else:
        forest = tamis.ForestClassifier(150, progress=False)
        y = random.integers(0, 4 if kind == "four classes" else 2, size=400)
    noise = np.arange(60)
    if kind == "some signal":
        y, noise = (X[:, 0] + X[:, 1] + random.normal(size=400) > 0).astype(int), noise[2:]
    importance = forest.fit(X, y).impurity_importance_[noise]
    assert abs(importance.mean()) < 3.5 * importance.std(ddof=1) / np.sqrt(len(noise))
