"""Splits of model trees: chosen by what linear models fit on either side."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tamis import TreeRegressor, _core


def turning(n: int = 500, noise: float = 0.1, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, 5))
    return X, np.where(X[:, 1] > 0, 3.0, -3.0) * X[:, 2] + noise * random.normal(size=n)


@pytest.mark.parametrize("settings", [{"max_depth": 1}, {"prune": "cv"}, {"max_leaf_nodes": 2}])
def test_a_column_that_turns_a_slope_round_is_found_with_one_split(settings):
    """Neither column says anything by itself: by means the split is arbitrary, and the slopes cancel out."""
    X, y = turning()
    tree = TreeRegressor(leaf="linear", **settings).fit(X, y)
    assert tree.get_n_leaves() == 2
    assert tree.tree_.feature[0] == 1
    assert abs(tree.tree_.threshold[0]) < 0.02
    fresh, truth = turning(1000, 0.0, seed=1)
    assert tree.score(fresh, truth) > 0.99


@pytest.mark.parametrize("n", [300, 20_000])
def test_the_cut_is_exact_however_many_values_there_are(n):
    """Of 64 bins only, the cut would lie up to a bin's width off."""
    X, y = turning(n, 0.01)
    tree = TreeRegressor(leaf="linear", max_depth=1).fit(X, y)
    below, above = X[X[:, 1] <= 0, 1].max(), X[X[:, 1] > 0, 1].min()
    assert below <= tree.tree_.threshold[0] <= above


def test_a_category_that_changes_a_slope_is_found():
    """Levels would be told apart by their means alone."""
    random = np.random.default_rng(2)
    x, sex = random.normal(size=400), random.choice(["f", "m"], 400)
    frame = pd.DataFrame({"a": random.normal(size=400), "sex": pd.Categorical(sex), "x": x})
    tree = TreeRegressor(leaf="linear", prune="cv").fit(frame, np.where(sex == "f", 2.0, -2.0) * x)
    assert tree.tree_.names[tree.tree_.feature[0]] == "sex"
    assert tree.score(frame, np.where(sex == "f", 2.0, -2.0) * x) > 0.99


def test_the_gain_of_a_split_is_that_of_lines_fitted_on_both_sides():
    """The kernel's sums would be of other rows, or its best split not the best: every split is fitted anew here."""
    random = np.random.default_rng(3)
    n, codes = 60, random.integers(0, 6, size=(3, 60)).astype(np.uint8)
    codes[2, :7] = 255
    X, weight = random.normal(size=(n, 2)), random.integers(1, 4, n).astype(float)
    r = np.where(codes[1] > 2, 1.0, -1.0) * X[:, 1] + 0.2 * random.normal(size=n)

    def cost(rows: np.ndarray) -> float:
        w, found = weight[rows], []
        total = w.sum()
        for design in ([], [0], [1]):
            Z = np.column_stack([np.ones(len(rows)), X[rows][:, design]])
            fit, *_ = np.linalg.lstsq(Z * np.sqrt(w)[:, None], r[rows] * np.sqrt(w), rcond=None)
            p = 1 + len(design)
            found.append(float(w @ (r[rows] - Z @ fit) ** 2) * (total + p) / (total - p))
        return min(found)

    gains, goes_left = _core.linear_splits(codes, np.zeros(3, bool), np.arange(n), X, r, weight, 3.0, 5.0)
    for j in range(3):
        there = np.flatnonzero(codes[j] != 255)
        best, best_cut = 0.0, 0
        for cut in range(1, 6):
            left = codes[j, there] < cut
            sides = there[left], there[~left]
            if min(map(len, sides)) >= 3 and min(weight[side].sum() for side in sides) >= 5:
                gain = cost(there) - cost(sides[0]) - cost(sides[1])
                best, best_cut = max((best, best_cut), (gain, cut))
        assert gains[j] == pytest.approx(best)
        assert np.flatnonzero(goes_left[j]).tolist() == list(range(best_cut))


def test_answers_stay_near_the_targets_of_their_leaf():
    """A line would be followed to places where no row was: one wild answer outweighs all that the tree explains."""
    random = np.random.default_rng(4)
    X = random.normal(size=(200, 2))
    y = X[:, 0] + np.where(X[:, 1] > 0, 5.0, 0.0)
    tree = TreeRegressor(leaf="linear", max_depth=1).fit(X, y)
    wild = tree.predict(np.array([[1e6, 1.0], [-1e6, -1.0]]))
    assert y.min() - 0.1 * np.ptp(y) <= wild.min() <= wild.max() <= y.max() + 0.1 * np.ptp(y)
    again = TreeRegressor.from_dict(tree.to_dict())
    assert np.array_equal(again.predict(X), tree.predict(X))


def test_holes_go_where_surrogates_send_them():
    """A row without the value of the split would be lost, or always follow the majority."""
    X, y = turning(600)
    twin = np.column_stack([X, X[:, 1] + 0.01 * np.random.default_rng(5).normal(size=600)])
    twin[::5, 1] = np.nan
    tree = TreeRegressor(leaf="linear", max_depth=1).fit(twin, y)
    assert tree.score(twin[::5], y[::5]) > 0.8


def test_without_numeric_columns_leaves_are_means():
    """There would be nothing to divide by."""
    frame = pd.DataFrame({"a": pd.Categorical(list("xyz") * 20)})
    tree = TreeRegressor(leaf="linear").fit(frame, [1.0, 1.0, 4.0] * 20)
    assert tree.predict(frame[:3]) == pytest.approx([1.0, 1.0, 4.0], abs=0.7)  # smoothed towards the root
