"""One tree beside one grown in plain Python: many rows and few, with and without histograms kept."""

from __future__ import annotations

import numpy as np
import pytest

from tamis.boosting import fit
from tamis.boosting.data import BoostingData
from tamis.boosting.estimator import BoostingRegressor
from tamis.table import Table


def best_split(X, g, rows, least):
    """(gain, column, threshold, missing left) of squared error, by trying everything."""
    found = (1e-9, -1, 0.0, False)
    for j in range(X.shape[1]):
        there = rows[~np.isnan(X[rows, j])]
        holes = rows[np.isnan(X[rows, j])]
        values = np.unique(X[there, j])
        for cut in values:
            for left_holes in (False, True) if len(holes) else (False,):
                left = there[X[there, j] <= cut]
                left = np.r_[left, holes] if left_holes else left
                right = np.setdiff1d(rows, left)
                if min(len(left), len(right)) < least:
                    continue
                gain = sum(g[part].sum() ** 2 / len(part) for part in (left, right)) - g[rows].sum() ** 2 / len(rows)
                if gain > found[0] * (1 + 1e-9):
                    found = (gain, j, cut, left_holes)
    return found


def plain_tree(X, g, least, n_leaves):
    """Answer of every row by a tree grown best first."""
    leaves = [(np.arange(len(g)), best_split(X, g, np.arange(len(g)), least))]
    while len(leaves) < n_leaves:
        k = int(np.argmax([split[0] if split[1] >= 0 else -1 for _, split in leaves]))
        rows, (_, j, cut, left_holes) = leaves[k]
        if j < 0:
            break
        goes = np.where(np.isnan(X[rows, j]), left_holes, X[rows, j] <= cut)
        parts = [rows[goes], rows[~goes]]
        leaves[k : k + 1] = [(part, best_split(X, g, part, least)) for part in parts]
    out = np.empty(len(g))
    for rows, _ in leaves:
        out[rows] = -g[rows].mean()
    return out


@pytest.mark.parametrize(("dense", "is_sorted"), [(1, False), (30, False), (10**6, False), (1, True)])
@pytest.mark.parametrize("holes", [0.0, 0.2])
def test_a_tree_is_that_of_plain_python(monkeypatch, dense, is_sorted, holes):
    """Histograms that are subtracted, counted anew or never made would give different trees."""
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(120, 4)) * 6)
    X[rng.random(X.shape) < holes] = np.nan
    y = np.nan_to_num(X[:, 0]) * np.nan_to_num(X[:, 1]) + rng.normal(size=120)
    monkeypatch.setattr("tamis.boosting.base.dense_rows", lambda table: dense)
    monkeypatch.setattr(fit, "SORTED", 10**6 if is_sorted else 0)
    model = BoostingRegressor(1, learning_rate=1.0, max_leaf_nodes=9, min_samples_leaf=5).fit(X, y)
    known = y.mean() + plain_tree(X, y.mean() - y, 5, 9)
    np.testing.assert_allclose(model.predict(X), known)


def test_few_histograms_change_no_split(monkeypatch):
    """A table too wide for all histograms of a tree would be learned differently."""
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(600, 6)) * 6)
    y = X[:, 0] * X[:, 1] + rng.normal(size=600)
    known = BoostingRegressor(10, min_samples_leaf=5).fit(X, y).predict(X)
    table = BoostingData.of(Table.of(X), np.ones(600), 255).binned
    one = 8 * fit.LANES * int(table.first[-1]) + 1
    for slots in (0, 1, 2, 3):
        monkeypatch.setattr(fit, "BYTES", slots * one)
        np.testing.assert_allclose(BoostingRegressor(10, min_samples_leaf=5).fit(X, y).predict(X), known)


def test_rounds_in_several_buffers_are_the_same_rounds(monkeypatch):
    """Trees of many leaves come in several calls of the kernel: sets of levels and columns drawn would be others'."""
    rng = np.random.default_rng(0)
    cells = np.empty((300, 3), dtype=object)
    cells[:, 0], cells[:, 1] = rng.normal(size=300), rng.normal(size=300)
    cells[:, 2] = rng.choice(list("abcdef"), size=300)
    X, y = Table.of(cells), cells[:, 0].astype(float) + np.isin(cells[:, 2], ["a", "d"])
    known = BoostingRegressor(9, max_features=2, random_state=0).fit(X, y).predict(X)
    monkeypatch.setattr(fit, "NODES", 50)
    np.testing.assert_array_equal(BoostingRegressor(9, max_features=2, random_state=0).fit(X, y).predict(X), known)
