"""A run in the core: trees as plain Python grows them, the same whatever the search and the number of threads."""

from __future__ import annotations

import numpy as np
import pytest

from tamis import _core
from tamis.boosting import BoostingClassifier, BoostingRegressor, fit
from tamis.boosting.data import BoostingData
from tamis.boosting.layout import BoostingLimits, BoostingTarget
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


@pytest.mark.parametrize(("dense", "sorts"), [(1, False), (30, False), (10**6, False), (1, True)])
@pytest.mark.parametrize("holes", [0.0, 0.2])
def test_a_tree_is_that_of_plain_python(monkeypatch, dense, sorts, holes):
    """Histograms that are subtracted, counted anew or never made would give different trees."""
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(120, 4)) * 6)
    X[rng.random(X.shape) < holes] = np.nan
    y = np.nan_to_num(X[:, 0]) * np.nan_to_num(X[:, 1]) + rng.normal(size=120)
    plan = (dense, 0 if sorts else 11, sorts)
    monkeypatch.setattr("tamis.boosting.base.search_plan", lambda table, max_leaves: plan)
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
    one = fit.BIN_BYTES * (int(table.n_values.sum()) + 6) + 1
    for slots in (0, 1, 2, 3):
        monkeypatch.setattr(fit, "BYTES", slots * one)
        np.testing.assert_allclose(BoostingRegressor(10, min_samples_leaf=5).fit(X, y).predict(X), known)


def test_the_number_of_threads_changes_no_bit():
    """Trees of a round share nothing but the gradients; a sum in another order would be another model."""
    rng = np.random.default_rng(0)
    cells = np.empty((2_500, 10), dtype=object)
    cells[:, :9], cells[:, 9] = rng.normal(size=(2_500, 9)), rng.choice(list("abcdef"), size=2_500)
    X, y = Table.of(cells), rng.integers(0, 5, 2_500)
    for classes in (y, y > 2):
        settings = {"max_features": 5, "random_state": 0}
        models = [BoostingClassifier(6, n_jobs=jobs, **settings).fit(X, classes) for jobs in (1, 2, 3)]
        for model in models[1:]:
            assert model.trees_.nodes.tobytes() == models[0].trees_.nodes.tobytes()
            assert model.gain_importance_.tobytes() == models[0].gain_importance_.tobytes()


def _call(**changed):
    """What `_core.boost` takes for six rows of one column."""
    data = BoostingData.of(Table.of(np.arange(6.0)[:, None]), np.ones(6), 255)
    limits = BoostingLimits(3, True, 9, 1.0, 0.0, 1.0, np.inf, 1e-12, 1, 0, 1, 5, False)
    target = BoostingTarget(0, np.array([0.0, 0, 0, 1, 1, 1]), np.ones(6), np.ones(6))
    call = {"table": data.binned, "target": target, "limits": limits, "baseline": np.zeros(1)}
    return {**call, "columns": data.columns, "n_rounds": 1, "n_threads": 1, **changed}


def test_one_split_by_hand():
    """Gradients -1 of three rows gain 3² / 3 - 3² / 6 = 1.5, and a Newton step answers their mean."""
    words, roots, sets, gain = _core.boost(**_call())
    nodes = words.view(fit.NODE)
    assert nodes["left"].tolist() == [1, -1, -1]
    assert nodes["threshold"] == pytest.approx([2.5, 0.0, 1.0])
    assert (roots.tolist(), sets.tolist(), gain.tolist()) == ([0, 3], [], [pytest.approx(1.5)])


@pytest.mark.parametrize(
    "changed",
    [
        {"target": BoostingTarget(4, np.zeros(6), np.ones(6), np.ones(6))},
        {"target": BoostingTarget(0, np.zeros(5), np.ones(6), np.ones(6))},
        {"columns": np.arange(2)},
    ],
)
def test_arrays_that_do_not_belong_together_are_refused(changed):
    """The core would read beyond the end of an array."""
    with pytest.raises(ValueError, match=r"loss|values|columns"):
        _core.boost(**_call(**changed))


def test_bins_are_quantiles_only_where_values_are_too_many():
    """Ten values in four bins: each bin would else have as many rows as it happens to."""
    ranked = BoostingData.of(Table.of(np.repeat(np.arange(10.0), 2)[:, None]), np.ones(20), 4).binned
    assert ranked.n_values.tolist() == [4]
    assert np.bincount(ranked.codes[0]).tolist() == [6, 4, 6, 4]
    assert ranked.low.tolist() == [0.0, 3.0, 5.0, 8.0]
    assert ranked.high.tolist() == [2.0, 4.0, 7.0, 9.0]
    assert BoostingData.of(Table.of(np.arange(4.0)[:, None]), np.ones(4), 4).binned.low.tolist() == [0.0, 1.0, 2.0, 3.0]
