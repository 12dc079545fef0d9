"""What a page needs to compute a model must give the model's own answers."""

from __future__ import annotations

import numpy as np
import pytest

import tamis
from tamis.linear import LinearClassifier, LinearRegressor
from tamis.study.findings.readable import readable
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


def by_hand(found, row):
    """The answer that the page's script gives."""
    if found["kind"] == "linear":
        eta = np.array(found["intercept"])
        for term in found["terms"]:
            column = found["columns"][term["column"]]
            value = row[term["column"]]
            x = value if term["level"] is None else float(column["levels"][int(value)] == term["level"])
            eta = eta + np.array(term["coef"]) * x
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
