"""Charts as methods of a study, a tree and a linear model."""

from __future__ import annotations

import numpy as np
import pytest
from bokeh.plotting import figure

from tamis.errors import ParameterError, StudyError
from tamis.linear import LinearClassifier, LinearRegressor
from tamis.report.charts.plots import Plots
from tamis.tree import TreeClassifier


def test_every_chart_is_a_method_and_a_wrong_one_says_which_to_take(made):
    """`study.plot` would lack a chart of the report, or draw nonsense for another kind of target."""
    two, numbers = Plots(made.lasso(made.study())), Plots(made.study(labels=(), metric="rmse"))
    for name in ("frontier", "stability", "procedures", "folds", "path", "roc", "precision_recall", "reliability"):
        assert isinstance(getattr(two, name)(), figure)
    for name in ("predicted", "residuals"):
        assert isinstance(getattr(numbers, name)(), figure)
    with pytest.raises(StudyError, match=r"a ROC curve needs two classes; plot procedures\(\)"):
        numbers.roc()
    with pytest.raises(StudyError, match=r"no residuals; plot reliability\(\)"):
        two.residuals()
    with pytest.raises(StudyError, match="no path of penalties is kept of the chosen procedure 'tree'; one is"):
        numbers.path()


def test_a_ridge_of_several_classes_is_told_why_it_has_no_path(made):
    """A ridge is a linear model: that only these have a path is no reason."""
    results = made.study(labels=("a", "b", "c"))
    results["comparison"]["chosen"] = "ridge"
    words = "'ridge' of 3 classes; one is of lasso, ridge, .* where the target is a number or one of two classes"
    with pytest.raises(StudyError, match=words):
        Plots(results).path()


def test_a_path_without_terms_is_drawn_without_lines(made):
    """Where folds chose the step without columns, the report ended in an error of NumPy."""
    results = made.lasso(made.study())
    results["findings"]["path"].update(names=[], terms=[], left=0)
    assert list(Plots(results).path().renderers[0].data_source.data["y"]) == []


def test_the_lines_of_a_path_carry_their_names(made):
    """A path in print would be a bundle of lines that nobody can tell apart, or names that hide each other."""
    results = made.lasso(made.study())
    results["findings"]["path"]["terms"] = [[0.0, 0.5, 1.0 + 0.001 * k] for k in range(4)]
    figure = Plots(results).path()
    labels = next(note for note in figure.center if type(note).__name__ == "LabelSet").source.data
    assert sorted(labels["name"]) == sorted(results["findings"]["path"]["names"])
    pixels = 270 / (1.003 * 1.1)
    heights = sorted(y * pixels + offset for y, offset in zip(labels["y"], labels["offset"]))
    assert min(np.diff(heights)) >= 13.9
    assert figure.x_range.end > labels["x"][0]


def test_the_frontier_of_the_results_is_drawn_as_it_is(made):
    """A point that a person added would be missing from the chart."""
    results = made.study()
    results["frontier"] = [
        {"procedure": "stump", "columns": 1.0, "score": 0.8, "interval": [0.7, 0.9], "loss": 0.2, "chosen": False},
        {"procedure": "lasso[5]", "columns": 5.0, "score": 0.9, "interval": None, "loss": 0.1, "chosen": True},
    ]
    found = Plots(results).frontier().renderers[0].data_source.data
    assert found["columns"] == [1.0, 5.0]
    assert found["name"] == ["stump", "lasso[5]"]


def test_a_tree_is_drawn_with_every_node_at_its_depth():
    """A node would be missing, or hang at the wrong place."""
    random = np.random.default_rng(0)
    X = random.normal(size=(200, 3))
    model = TreeClassifier(max_depth=3).fit(X, X[:, 0] * X[:, 1] > 0)
    plot = model.plot(width=500)
    points = plot.renderers[1].data_source.data
    assert len(points["x"]) == model.tree_.n_nodes
    assert sorted(points["x"]) == sorted(model.tree_.depth.tolist())
    assert points["way"][0] == "all rows"
    assert plot.width == 500
    replies = plot.center[-2].source.data["reply"]
    assert sorted(replies) == sorted(way for way in points["way"] if way != "all rows")
    assert all("≤" in reply or ">" in reply for reply in replies)


def test_a_path_is_drawn_as_it_was_followed():
    """The lines would not be the coefficients of the path."""
    random = np.random.default_rng(0)
    X = random.normal(size=(150, 5))
    y = 2 * X[:, 3] - X[:, 1] + 0.1 * random.normal(size=150)
    model = LinearRegressor("lasso").fit(X, y)
    lines = model.plot_path().renderers[0].data_source.data
    assert lines["name"][:2] == ["x3", "x1"]
    np.testing.assert_allclose(lines["y"][0], model.path_.coef[:, 3, 0])
    assert LinearClassifier("lasso").fit(X, y > 0).plot_path(top=1).renderers
    with pytest.raises(ParameterError, match="the model has no path; fit it with alpha='cv'"):
        LinearRegressor("ridge", alpha=1.0).fit(X, y).plot_path()
