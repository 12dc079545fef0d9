"""consistency and cfs: the worth of a set of columns, by hand."""

import numpy as np
import pandas as pd
import pytest

from tamis.errors import TableError
from tamis.score import cfs, consistency, symmetric_uncertainty
from tamis.score.sets.cfs import correlations, merit


def slow_consistency(frame, y):
    patterns = {}
    for row, label in zip(frame.to_numpy().tolist(), y):
        patterns.setdefault(tuple(row), []).append(label)
    return sum(max(map(labels.count, labels)) for labels in patterns.values()) / len(y)


def test_consistency_counts_the_majority_of_each_pattern():
    """Rows that agree in all columns and differ in class would not be counted once each."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.integers(0, 3, size=(80, 3)))
    y = rng.integers(0, 3, 80)
    assert consistency(frame, y) == pytest.approx(slow_consistency(frame, y))
    w = rng.integers(0, 3, 80)
    copies = frame.loc[np.repeat(np.arange(80), w)].reset_index(drop=True)
    assert consistency(frame, y, sample_weight=w) == pytest.approx(slow_consistency(copies, np.repeat(y, w)))


def test_xor_is_settled_together_and_by_no_column_alone():
    """A set that settles the class only together would not be worth 1."""
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 5)
    y = X[:, 0] ^ X[:, 1]
    assert [consistency(X, y), consistency(X[:, :1], y), consistency(X[:, 1:], y)] == [1.0, 0.5, 0.5]


def test_many_columns_do_not_overflow():
    """Patterns of many columns would be numbered beyond 64 bits and collide."""
    rng = np.random.default_rng(1)
    X = rng.integers(0, 9, size=(60, 200))
    X[30:] = X[:30]
    assert consistency(X, [0] * 30 + [1] * 30) == 0.5


def test_cfs_is_halls_merit():
    """Merit would not be k r̄(xy) / √(k + k(k − 1) r̄(xx)) with symmetric uncertainties."""
    rng = np.random.default_rng(2)
    y = rng.integers(0, 2, 150)
    X = np.column_stack([y ^ (rng.random(150) < p) for p in (0.1, 0.3, 0.5)])
    with_target = symmetric_uncertainty(X, y)
    among = [symmetric_uncertainty(X, X[:, j])[i] for i in range(3) for j in range(i)]
    k = 3
    expected = k * with_target.mean() / np.sqrt(k + k * (k - 1) * np.mean(among))
    assert cfs(X, y) == pytest.approx(expected)
    assert merit(*correlations(X, y), [0]) == pytest.approx(with_target[0])
    assert merit(*correlations(X, y), []) == 0


def test_a_copy_lowers_and_a_new_source_raises_the_merit():
    """Redundant columns would look as good as ones that add something."""
    rng = np.random.default_rng(3)
    a, b = rng.integers(0, 2, size=(2, 4000))
    y = 2 * a + b
    noise = rng.integers(0, 2, 4000)
    one = cfs(a[:, None], y)
    assert cfs(np.column_stack([a, a]), y) == pytest.approx(one)
    assert cfs(np.column_stack([a, b]), y) > one + 0.1
    assert cfs(np.column_stack([a, noise]), y) < one


def test_a_target_of_another_length_is_refused():
    """Rows and classes would be paired wrongly."""
    for function in (cfs, consistency):
        with pytest.raises(ValueError, match="inconsistent numbers of samples"):
            function(np.zeros((4, 1)), [0, 1])
        with pytest.raises(TableError, match="the target y is None"):
            function(np.zeros((4, 1)), None)
