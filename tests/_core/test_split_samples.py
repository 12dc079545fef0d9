"""Splits looked for among a part of a node's rows."""

from __future__ import annotations

import numpy as np
import pytest

from tamis import ForestClassifier, ForestRegressor
from tamis.errors import ParameterError


def table(n: int = 3000) -> tuple[np.ndarray, np.ndarray]:
    X = np.random.default_rng(0).normal(size=(n, 6))
    return X, X[:, 0] * X[:, 1] + X[:, 2]


def test_as_many_rows_as_there_are_change_nothing():
    """A forest would depend on a limit that is never met."""
    X, y = table(400)
    plain, limited = (ForestRegressor(10, max_split_samples=most).fit(X, y) for most in (None, 400))
    assert np.array_equal(plain.predict(X), limited.predict(X))


@pytest.mark.parametrize("kind", [ForestClassifier, ForestRegressor])
@pytest.mark.parametrize("settings", [{}, {"thresholds": "random"}, {"splits": "oblique"}])
def test_leaves_keep_their_size_and_threads_do_not_matter(kind, settings):
    """Sides are counted among the rows looked at; those of the whole node could be too small."""
    X, y = table()
    y = np.digitize(y, [-1.0, 0.0, 1.0]) if kind is ForestClassifier else y
    same = {"bootstrap": False, "oob_score": False, "min_samples_leaf": 7, "max_split_samples": 50, **settings}
    one, two = (kind(4, n_jobs=jobs, **same).fit(X, y) for jobs in (1, 2))
    for leaf in one.apply(X).T:
        assert np.unique(leaf, return_counts=True)[1].min() >= 7
    assert np.array_equal(one.predict(X), two.predict(X))


def test_rows_that_show_nothing_are_not_the_last_word():
    """One row in 500 is of another class: most parts are pure, and the node would become a leaf."""
    X, _ = table()
    y = (np.arange(3000) % 500 == 0).astype(int)
    forest = ForestClassifier(3, bootstrap=False, oob_score=False, max_split_samples=16).fit(X, y)
    assert np.array_equal(forest.predict(X), y)


def test_a_column_that_is_constant_among_few_rows_is_looked_at_again():
    """A column would be taken for constant in the whole subtree."""
    rng = np.random.default_rng(1)
    X = np.column_stack([rng.random(3000) < 0.02, rng.integers(2, size=3000)]).astype(float)
    y = 10 * X[:, 0] + X[:, 1]
    forest = ForestRegressor(3, bootstrap=False, oob_score=False, max_features=None, max_split_samples=16).fit(X, y)
    assert np.allclose(forest.predict(X), y)


def test_few_rows_are_refused():
    """A split among two rows is none."""
    X, y = table(50)
    with pytest.raises(ParameterError, match="max_split_samples"):
        ForestRegressor(2, max_split_samples=2).fit(X, y)
