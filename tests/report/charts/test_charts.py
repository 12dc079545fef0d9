"""The charts as Bokeh figures."""

from __future__ import annotations

import json

import numpy as np
import pytest

from tamis.report import charts, show
from tamis.report.charts.drawn import charts as listed


def data(figure, place=0):
    return figure.renderers[place].data_source.data


ALWAYS = {"procedures", "stability", "frontier"}


def _placed(results):
    """The charts that the page's own templates place, of those drawn; others may be added by a file."""
    return {name for name in charts.drawn(results) if listed()[name].has_place}


def test_charts_suit_the_kind_of_study(made):
    """A chart would be missing, or drawn for a task it makes no sense for."""
    two = {"roc", "precision_recall", "reliability"}
    assert _placed(made.study()) == ALWAYS | two
    assert _placed(made.study(labels=("a", "b", "c"))) == ALWAYS | {"reliability"}
    assert _placed(made.study(labels=(), metric="rmse")) == ALWAYS | {"predicted", "residuals"}
    assert _placed(made.lasso(made.study())) == ALWAYS | two | {"path"}
    assert _placed(made.stopped()) == set()
    without = {**made.study(), "predictions": None, "stability": []}
    assert _placed(without) == {"procedures", "frontier"}
    judged = {
        "confusion": [[8, 2], [1, 9]],
        "roc": {"false_positive": [0, 0.2, 1], "true_positive": [0, 0.9, 1], "threshold": [1, 0.5, 0]},
        "calibration": {"predicted": [0.2, 0.8], "share": [0.1, 0.9], "rows": [10, 10]},
    }
    counted = {**without, "comparison": {**without["comparison"], "diagnostics": judged}}
    assert _placed(counted) == {"procedures", "frontier"} | two


def test_every_chart_has_one_copy_of_each_glyph(made):
    """Pale and muted copies, which no tool shows, and a source for each glyph take as long as the rest of a page."""
    for figure in charts.drawn(made.lasso(made.study())).values():
        for renderer in figure.renderers:
            assert {renderer.nonselection_glyph, renderer.selection_glyph, renderer.muted_glyph} == {"auto"}
    procedures = charts.procedures(made.study())
    assert len({renderer.data_source.id for renderer in procedures.renderers}) == 2  # procedures, and their folds


def test_the_frontier_stands_at_mean_columns_and_nested_scores(made):
    """A procedure would seem to use fewer columns, or to score better, than it does."""
    results = made.study()
    found = data(charts.frontier(results))
    listed = results["comparison"]["procedures"]
    assert found["columns"] == [float(np.mean(row["columns"])) for row in listed]
    assert found["score"] == [row["score"] for row in listed]


def test_lines_follow_a_procedure_held_to_few_columns_and_end_at_the_procedure_itself(made):
    """A line would show other scores than results.json, or scores inside training parts as if they were of new rows."""
    results = made.study()
    figure = charts.frontier(results)
    lines = [one for one in figure.renderers if type(one.glyph).__name__ == "Line"]
    assert len(lines) == len(results["paths"])
    own = {row["name"]: row for row in results["comparison"]["procedures"]}
    for line, path in zip(lines, results["paths"]):
        found, points = line.data_source.data, path["points"]
        ends = [] if path["rows"] == "inner" else [own[path["procedure"]]]
        assert found["columns"] == [p["columns"] for p in points] + [float(np.mean(row["columns"])) for row in ends]
        assert found["score"] == [p["score"] for p in points] + [row["score"] for row in ends]
        assert (line.glyph.line_dash == [6]) == (path["rows"] == "inner")
    assert len(data(charts.frontier({**results, "paths": []}))["score"]) == 4


def test_names_at_the_frontier_do_not_cover_each_other(made):
    """A forest and a booster of as many columns and nearly the same score could not be told apart."""
    results = made.study()
    results["frontier"] = [
        {
            "procedure": name,
            "columns": columns,
            "score": score,
            "interval": None,
            "loss": 0.1,
            "chosen": name == "forest",
        }
        for name, columns, score in (("tree", 2.0, 0.5), ("lasso", 10.0, 0.81), ("forest", 10.0, 0.84), ("b", 9, 0.83))
    ]
    results["paths"] = []
    figure = charts.frontier(results)
    found, (low, high) = data(figure), (figure.y_range.start, figure.y_range.end)
    places = [230 * (y - low) / (high - low) + drop for y, drop in zip(found["score"], found["drop"])]
    assert found["drop"][0] == found["drop"][2] == -19
    assert places[2] - places[3] >= 12
    assert places[3] - places[1] >= 12
    assert min(places) > 0


def test_precision_and_recall_of_a_hand_counted_table(made):
    """The curve would belong to other thresholds than it says."""
    results = made.study()
    results["data"]["classes"] = [{"label": "no", "rows": 2}, {"label": "yes", "rows": 2}]
    results["predictions"] = {"truth": [0, 1, 0, 1], "answers": [[0.9, 0.1], [0.6, 0.4], [0.5, 0.5], [0.2, 0.8]]}
    curve = data(charts.precision_recall(results), 1)
    points = set(zip(np.round(curve["recall"], 3), np.round(curve["precision"], 3)))
    assert {(0.5, 1.0), (0.5, 0.5), (1.0, 0.667), (1.0, 0.5)} <= points


def test_residuals_are_truth_minus_prediction(made):
    """Predictions that are too low would look too high."""
    results = made.study(labels=(), metric="rmse")
    results["predictions"] = {"truth": [1.0, 2.0, 4.0], "answers": [0.5, 2.0, 5.0]}
    assert data(charts.residuals(results))["residual"].tolist() == [0.5, 0.0, -1.0]


def test_procedures_carry_the_figures_of_the_results(made):
    """The chart would show other scores than the table."""
    results = made.study()
    figure = charts.procedures(results)
    listed = results["comparison"]["procedures"][::-1]
    assert data(figure)["nested"] == [row["score"] for row in listed]
    assert data(figure)["low"] == [row["interval"][0] for row in listed]
    (line,) = [part for part in figure.center if type(part).__name__ == "Span"]
    assert line.location == results["answer"]["baseline"]


def test_the_roc_curve_of_a_perfect_and_a_useless_model(made):
    """Right answers would not lie in the upper left corner, or blind ones not on the diagonal."""
    results = made.study()
    results["predictions"] = {"truth": [0, 0, 1, 1], "answers": [[0.9, 0.1], [0.8, 0.2], [0.3, 0.7], [0.1, 0.9]]}
    curve = data(charts.roc(results), 1)
    assert [0.0, 1.0] in np.column_stack([curve["false"], curve["true"]]).tolist()
    results["predictions"]["answers"] = [[0.5, 0.5]] * 4
    curve = data(charts.roc(results), 1)
    assert np.column_stack([curve["false"], curve["true"]]).tolist() == [[0, 0], [1, 1]]


def test_a_thinned_roc_curve_keeps_its_area(made):
    """A long curve would be thinned into another one."""
    results = made.study(learned=5000)
    curve = data(charts.roc(results), 1)
    assert len(curve["false"]) <= charts.MOST_POINTS
    truth, sure = np.array(results["predictions"]["truth"]), np.array(results["predictions"]["answers"])[:, 1]
    pairs = sure[truth == 1][:, None] - sure[truth == 0]
    area = np.mean(pairs > 0) + np.mean(pairs == 0) / 2
    assert np.trapezoid(curve["true"], curve["false"]) == pytest.approx(area, abs=2e-3)


def test_reliability_of_honest_probabilities_lies_on_the_diagonal(made):
    """Probabilities that come true as often as they say would look wrong."""
    random = np.random.default_rng(0)
    sure = random.random(20_000)
    results = made.study()
    answers = np.column_stack([1 - sure, sure]).tolist()
    results["predictions"] = {"truth": (random.random(20_000) < sure).astype(int).tolist(), "answers": answers}
    points = data(charts.reliability(results), 1)
    np.testing.assert_allclose(points["right"], points["sure"], atol=0.035)
    assert sum(points["rows"]) == 20_000


def test_more_columns_than_can_be_read_are_not_drawn(made):
    """Three hundred bars would be drawn one on the other."""
    figure = charts.stability(made.study([f"c{i}" for i in range(300)]))
    assert len(data(figure)["y"]) == show.MOST_BARS
    assert data(figure)["share"][-1] == 100


def test_names_are_plain_text_for_bokeh(made):
    """Bokeh would read a name between dollar signs as a formula, and fetch what it needs to set it."""
    from bokeh.embed import json_item
    from bokeh.models import PlainText

    results = made.study(["$$x$$", "b", "c", "d"], labels=("$$no$$", "$$yes$$"))
    results["data"]["target"] = "$$y$$"
    for name, figure in charts.drawn(results).items():
        for axis in figure.axis:
            shown = [axis.axis_label, *axis.major_label_overrides.values()]
            assert all(text is None or isinstance(text, PlainText) for text in shown), name
        assert json.dumps(json_item(figure))
