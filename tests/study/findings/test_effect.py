"""Effects of columns against models whose effects are known."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.pipeline import Pipeline

import tamis
from tamis import ForestClassifier, MirrorSelector
from tamis.linear import LinearRegressor
from tamis.study.findings.effect import effects, grid_of
from tamis.tree import TreeClassifier


def problem_of(folder, columns, y, **settings):
    return tamis.Study({**columns, "y": y}, target="y", folder=folder, lock=0, **settings).problem


def test_the_effect_of_a_term_is_its_coefficient(tmp_path):
    """A linear model's effect would not be a straight line of its slope, centred over the rows."""
    random = np.random.default_rng(0)
    X = {"a": random.exponential(size=400), "b": random.normal(size=400)}
    problem = problem_of(tmp_path, X, 3 * X["a"] - X["b"], task="regression")
    model = LinearRegressor(None).fit(problem.X, problem.y)
    curve = np.array(effects(problem, model, ["a"])["a"][0])
    points = grid_of(problem, "a").points
    np.testing.assert_allclose(np.diff(curve) / np.diff(points), 3, rtol=1e-6)
    assert curve[0] < 0 < curve[-1]


def test_the_effect_leaves_out_what_comes_along_with_a_column(tmp_path):
    """A column that only correlates with the cause would be shown as if it moved the answer."""
    random = np.random.default_rng(0)
    a = random.normal(size=400)
    X = {"a": a, "b": a + 0.01 * random.normal(size=400)}
    problem = problem_of(tmp_path, X, 2 * a, task="regression")
    model = LinearRegressor(None).fit(problem.X, problem.y)
    found = effects(problem, model, ["a", "b"])
    assert np.ptp(found["a"][0]) > 5
    assert np.ptp(found["b"][0]) < 1e-6


def test_a_step_is_where_the_tree_asks_and_categories_have_their_levels(tmp_path):
    """The effect of a threshold would lie elsewhere, or that of a level be another's."""
    random = np.random.default_rng(0)
    a, c = random.random(600), np.array(["u", "v"], dtype=object)[random.integers(0, 2, 600)]
    y = np.array(["no", "yes"], dtype=object)[((a > 0.5) & (c == "v")).astype(int)]
    problem = problem_of(tmp_path, {"a": a, "c": c}, y)
    model = TreeClassifier().fit(problem.X, problem.y)
    found = effects(problem, model, ["a", "c"])
    points, curve = grid_of(problem, "a").points, np.array(found["a"][0])
    jump = int(np.argmax(np.diff(curve)))
    assert points[jump] <= 0.51
    assert points[jump + 1] >= 0.49
    assert np.ptp(curve[: jump + 1]) == pytest.approx(0, abs=1e-9)
    levels = found["c"][0]
    assert levels[1] - levels[0] == pytest.approx(0.5, abs=0.15)


def test_many_columns_are_asked_about_in_few_cells(tmp_path):
    """A wide table would be copied for every column of its model."""
    from tamis.study.findings.effect import CELLS, effect_size

    for d in (1, 30, 500, 6000):
        columns, steps, rows = effect_size(d)
        assert 2 * columns * steps * rows * d <= CELLS or (columns, steps, rows) == (6, 5, 2)


def test_the_effect_in_a_forest_is_that_of_its_shares_before_calibration(tmp_path):
    """Calibrated, a forest is all but sure of rows that it learned from, and every effect would be shown as none."""
    random = np.random.default_rng(0)
    X = {name: random.normal(size=300) for name in "abcdef"}
    y = np.where(sum(X.values()) > 0, "yes", "no").astype(object)
    problem = problem_of(tmp_path, X, y)
    found = {}
    for kind in (None, "temperature"):
        model = MirrorSelector(ForestClassifier(100, calibration=kind), random_state=0).fit(problem.X, problem.y)
        found[kind] = effects(problem, model, list("ab"))
        found[kind, "behind"] = effects(problem, Pipeline([("same", "passthrough"), ("model", model)]), list("ab"))
    assert model.temperature_ < 0.8
    assert model.estimator_.temperature_ == model.temperature_
    assert found[None] == found["temperature"] == found["temperature", "behind"]
