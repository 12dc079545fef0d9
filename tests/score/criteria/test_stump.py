"""The stump against every split tried one by one."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import f1_score, roc_auc_score
from sklearn.tree import DecisionTreeRegressor

from tamis.score import stump


def majority(y):
    return np.unique(y, return_counts=True)[1].max(initial=0) if len(y) else 0


def best_threshold(x, y):
    """Every threshold, missing values on either side."""
    best = 0
    missing = np.isnan(x)
    for t in np.append(np.unique(x[~missing]), -np.inf):
        for side in (x <= t, (x <= t) | missing):
            if 0 < side.sum() < len(x):
                best = max(best, majority(y[side]) + majority(y[~side]))
    return best / len(y)


@pytest.mark.parametrize("classes", [2, 4])
def test_numbers_against_every_threshold(classes):
    """A better threshold, direction or side for the missing values would be overlooked."""
    rng = np.random.default_rng(classes)
    X = rng.normal(size=(60, 12)).round(1)
    X[rng.random(X.shape) < 0.15] = np.nan
    y = rng.integers(0, classes, 60)
    assert stump(X, y) == pytest.approx([best_threshold(X[:, j], y) for j in range(12)])


def test_categories_against_every_subset():
    """A better set of levels would be overlooked."""
    rng = np.random.default_rng(0)
    x, y = rng.choice(list("abcde"), 70), rng.integers(0, 3, 70)
    best = 0
    for size in range(1, 5):
        for chosen in combinations("abcde", size):
            side = np.isin(x, chosen)
            best = max(best, majority(y[side]) + majority(y[~side]))
    assert stump(pd.DataFrame({"x": x}), y) == pytest.approx([best / 70])


def test_both_directions_count():
    """A column that falls where the class rises would score worse than its negative."""
    x, y = np.arange(20.0), np.arange(20) >= 7
    assert stump(np.column_stack([x, -x]), y).tolist() == [1.0, 1.0]


def test_weights_are_copies():
    """A row of weight 3 would not count as three rows."""
    rng = np.random.default_rng(1)
    X, y, w = rng.normal(size=(40, 3)), rng.integers(0, 2, 40), rng.integers(0, 4, 40)
    assert stump(X, y, sample_weight=w) == pytest.approx(stump(np.repeat(X, w, axis=0), np.repeat(y, w)))


def test_any_metric_of_the_best_split_against_every_split():
    """A metric other than accuracy would be that of the most accurate split, or of one direction only."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(60, 4)).round(1)
    X[:, 3] = np.nan
    X[rng.random(60) < 0.3, 3] = 1.0
    y = (rng.random(60) < 0.25).astype(int)

    def best(x, value):
        missing = np.isnan(x)
        sides = [m for t in np.unique(x[~missing]) for m in ((x <= t) & ~missing, (x <= t) | missing)]
        return max(value(side) for side in sides if 0 < side.sum() < 60)

    def f1(side):
        return max(f1_score(y, side), f1_score(y, ~side))

    def auc(side):
        shares = np.where(side, y[side].mean(), y[~side].mean())
        return roc_auc_score(y, shares)

    assert stump(X, y, metric="f1") == pytest.approx([best(X[:, j], f1) for j in range(4)])
    assert stump(X, y, metric="roc_auc") == pytest.approx([best(X[:, j], auc) for j in range(4)])
    assert stump(X, y, metric="accuracy")[:3] == pytest.approx(stump(X, y)[:3])
    tree = DecisionTreeRegressor(max_depth=1).fit(X[:, :1], X[:, 1])
    assert stump(X[:, :1], X[:, 1], metric="r2") == pytest.approx([tree.score(X[:, :1], X[:, 1])])


def test_a_metric_of_levels_and_of_a_constant():
    """Levels would be cut in the order of their names; a column that cannot be split would beat losses."""
    frame = pd.DataFrame({"x": list("abcabcabc"), "c": ["k"] * 9})
    y = np.array([1.5, 0, 1.5] * 3)
    assert stump(frame, y, metric="mse").tolist() == pytest.approx([0.0, -y.var()])
    assert stump(frame, y > 0, metric="log_loss")[0] == pytest.approx(0.0, abs=1e-12)
