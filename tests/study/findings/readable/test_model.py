"""What a page needs to compute a model must give the model's own answers."""

from __future__ import annotations

import numpy as np
import pytest

import tamis
from tamis.additive import AdditiveClassifier, AdditiveRegressor
from tamis.linear import LinearClassifier, LinearRegressor, ScoreCard, ScoreCardRegressor
from tamis.study.findings.readable import readable
from tamis.study.procedures.models.columns import Columns
from tamis.study.procedures.models.transformed import Transformed
from tamis.tree import TreeClassifier, TreeRegressor


@pytest.fixture
def columns():
    random = np.random.default_rng(0)
    return {
        "a": random.normal(size=300),
        "b": random.integers(0, 5, 300).astype(float),
        "c": np.array(["u", "v", "w"], dtype=object)[random.integers(0, 3, 300)],
    }


def problem_of(folder, columns, y, **settings):
    return tamis.Study({**columns, "y": y}, target="y", folder=folder, lock=0, **settings).problem


def bin_of(found, axis, row):
    """The bin of a value: how many edges lie below it, or that of its level; of a missing value the last."""
    value, levels = row[axis["column"]], found["columns"][axis["column"]]["levels"]
    if np.isnan(value) or (levels and value < 0):
        return axis["n_bins"]
    return axis["bins"][levels[int(value)]] if levels else int(np.sum(np.array(axis["edges"]) < value))


def holds(found, statement, row):
    value, levels = row[statement["column"]], found["columns"][statement["column"]]["levels"]
    is_missing = bool(np.isnan(value) or (levels and value < 0))
    return {
        "above": lambda: value > statement["value"],
        "at most": lambda: value <= statement["value"],
        "is": lambda: not is_missing and levels[int(value)] == statement["value"],
        "missing": lambda: is_missing,
    }[statement["test"]]()


def sums(found, row):
    eta = np.array(found["intercept"])
    for term in found.get("terms", ()):
        column = found["columns"][term["column"]]
        value = row[term["column"]]
        x = value if term["level"] is None else float(column["levels"][int(value)] == term["level"])
        eta = eta + np.array(term["coef"]) * x
    for term in [*found.get("curves", ()), *found.get("pairs", ())]:
        heights = term["heights"]
        for axis in term["axes"]:
            heights = heights[bin_of(found, axis, row)]
        eta = eta + np.array(heights)
    for statement in found.get("statements", ()):
        eta = eta + found["slope"] * statement["points"] * holds(found, statement, row)
    return eta


def by_hand(found, row):
    """The answer that the page's script gives."""
    if found["kind"] != "tree":
        eta = sums(found, row)
        if found["link"] == "identity":
            return eta
        if found["link"] == "logistic":
            return np.array([1 / (1 + np.exp(eta[0])), 1 / (1 + np.exp(-eta[0]))])
        return np.exp(eta) / np.exp(eta).sum()
    node = found["nodes"][0]
    while "children" in node:
        value = row[node["column"]]
        if "sides" in node:
            side = node["sides"].get(found["columns"][node["column"]]["levels"][int(value)], node["default"])
        else:
            side = 0 if node["threshold"] is None or value <= node["threshold"] else 1
        node = found["nodes"][node["children"][side]]
    return np.array(node["value"])


@pytest.mark.parametrize("kind", ["two", "three", "numbers"])
@pytest.mark.parametrize("family", ["tree", "linear"])
def test_the_page_computes_what_the_model_answers(columns, tmp_path, kind, family):
    """The sliders of a report would answer for another model than the one that was fitted."""
    score = columns["a"] + (columns["c"] == "v") + 0.3 * columns["b"]
    if kind == "numbers":
        problem = problem_of(tmp_path, columns, score, task="regression")
        model = TreeRegressor(max_depth=4) if family == "tree" else LinearRegressor("ridge", alpha=0.01)
    else:
        cuts = [0.8] if kind == "two" else [0.3, 1.3]
        problem = problem_of(tmp_path, columns, np.array(["x", "y", "z"], dtype=object)[np.digitize(score, cuts)])
        model = TreeClassifier(max_depth=4) if family == "tree" else LinearClassifier("ridge", alpha=0.01)
    model.fit(problem.X, problem.y)
    order = list(problem.X.names)
    found = readable(model, problem, order)
    assert found is not None
    answers = model.predict(problem.X)[:, None] if kind == "numbers" else model.predict_proba(problem.X)
    rows = np.column_stack([problem.X.column(name).values for name in order])
    for i in range(0, 300, 7):
        np.testing.assert_allclose(by_hand(found, rows[i]), answers[i], rtol=1e-9)


@pytest.mark.parametrize("kind", ["two", "three", "numbers"])
@pytest.mark.parametrize("family", ["additive", "card"])
def test_curves_and_cards_compute_what_the_model_answers(columns, tmp_path, kind, family):
    """On rows with missing values, behind a choice of columns: a page would draw another model than the fitted one."""
    if (family, kind) == ("card", "three"):
        pytest.skip("a score card has two classes")
    score = columns["a"] * (columns["b"] - 2) + (columns["c"] == "v")
    columns["a"][::9] = np.nan
    columns["c"][::11] = None
    score = np.where(np.isnan(score), 2.0, score)
    if kind == "numbers":
        problem = problem_of(tmp_path, columns, score, task="regression")
        last = ScoreCardRegressor(cv=None) if family == "card" else AdditiveRegressor(max_pairs=2, n_bags=3)
    else:
        cuts = [0.8] if kind == "two" else [0.3, 1.3]
        problem = problem_of(tmp_path, columns, np.array(["x", "y", "z"], dtype=object)[np.digitize(score, cuts)])
        last = ScoreCard(cv=None) if family == "card" else AdditiveClassifier(max_pairs=2, n_bags=3)
    order = list(problem.X.names)
    model = Transformed([("columns", Columns(len(order), np.arange(len(order)), order)), ("model", last)])
    model.fit(problem.X, problem.y)
    found = readable(model, problem, order)
    assert found["kind"] == family
    answers = model.predict(problem.X)[:, None] if kind == "numbers" else model.predict_proba(problem.X)
    rows = np.column_stack([problem.X.column(name).values for name in order])
    for i in range(0, 300, 7):
        np.testing.assert_allclose(by_hand(found, rows[i]), answers[i], rtol=1e-9)
    if family == "card":
        total = model.steps[-1][1].totals(problem.X)
        assert sum(found["risk"]["n_rows"]) == len(total)
    else:
        assert kind == "three" or found["pairs"]
        steps = [len(curve["heights"]) - 1 for curve in found["curves"]]
        assert steps == [
            curve.n_steps if curve.axis.levels is None else curve.axis.n_values
            for curve in model.steps[-1][1].curves_.values()
        ]


def test_presets_are_middle_values_and_no_row_of_the_table(columns, tmp_path):
    """A report would give away somebody's row, or begin with values that no row has."""
    y = np.array(["x", "y"], dtype=object)[(columns["a"] > 0).astype(int)]
    problem = problem_of(tmp_path, columns, y)
    model = TreeClassifier(max_depth=2).fit(problem.X, problem.y)
    found = readable(model, problem, ["a", "c"])
    assert [preset["of"] for preset in found["presets"]] == ["all rows", "x", "y"]
    assert found["presets"][0]["values"][0] == pytest.approx(np.median(columns["a"]), abs=0.05)
    assert found["presets"][1]["values"][0] < 0 < found["presets"][2]["values"][0]


def test_a_large_tree_is_left_out(columns, tmp_path):
    """A page would hold a thousand nodes that nobody reads."""
    y = np.random.default_rng(1).normal(size=300)
    problem = problem_of(tmp_path, columns, y, task="regression")
    assert readable(TreeRegressor(min_samples_leaf=1).fit(problem.X, problem.y), problem, ["a", "b", "c"]) is None
