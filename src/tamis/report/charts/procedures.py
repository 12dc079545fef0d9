"""Procedures side by side: their scores, and how much luck there is in a fold."""

from __future__ import annotations

from typing import Any

from tamis.report import show
from tamis.report.charts.chart import Chart, of_results
from tamis.report.charts.frame import (
    BLUE,
    GREY,
    ORANGE,
    Figure,
    dashed,
    framed,
    hover,
    legend,
    mark,
    named,
    pad,
    sourced,
)
from tamis.results.procedure import ProcedureRecord
from tamis.results.results import Results


@of_results
def procedures(results: Results) -> Figure:
    """Each procedure's nested score with its 95% interval, its training score, and the baseline as a line."""
    listed = results.comparison.procedures[::-1]
    chosen, metric = results.comparison.chosen, show.metric(results.answer.metric)
    source: dict[str, Any] = {
        "y": list(range(len(listed))),
        "name": [show.procedure(row.name) for row in listed],
        "nested": [row.score for row in listed],
        "train": [row.train_score for row in listed],
        "low": [row.ends[0] for row in listed],
        "high": [row.ends[1] for row in listed],
        "said": [f"{show.number(row.score)} ({show.interval(row.interval)})" for row in listed],
        "trained": [show.number(row.train_score) for row in listed],
        "color": [ORANGE if row.name == chosen else BLUE for row in listed],
    }
    figure = framed(height=90 + 42 * len(listed), x_axis_label=metric)
    drawn = sourced(source)
    ends = {"x0": "low", "y0": "y", "x1": "high", "y1": "y"}
    mark(figure, "Segment", drawn, **ends, line_width=6, line_alpha=0.35, line_color="color")
    dashed(figure, results.answer.baseline)
    each = mark(figure, "Scatter", _points(listed), x="score", y="y", size=5, alpha=0.4, color=GREY, line_color=None)
    trained = mark(figure, "Scatter", drawn, x="train", y="y", size=9, fill_alpha=0, line_width=1.5, line_color=GREY)
    nested = mark(figure, "Scatter", drawn, x="nested", y="y", size=11, color="color")
    legend(figure, [("nested, with 95% interval", nested), ("train", trained), ("a fold", each)])
    named(figure.yaxis[0], source["name"])
    hover(figure, [nested], [("procedure", "@name"), ("nested", "@said"), ("train", "@trained")])
    pad(figure.y_range, len(listed))
    return figure


def _points(listed: list[ProcedureRecord]) -> dict[str, list[float]]:
    """The score of every fold, beside the procedure's line: golden steps, so that neighbours do not overlap."""
    points = [(k, i, score) for k, row in enumerate(listed) for i, score in enumerate(row.scores) if score is not None]
    return {
        "y": [k - 0.28 + 0.12 * ((i * 0.618034) % 1 - 0.5) for k, i, _ in points],
        "score": [score for _, _, score in points],
    }


@of_results
def folds(results: Results) -> Figure:
    """Every fold's score of every procedure: how much luck there is in one split."""
    listed = results.comparison.procedures[::-1]
    chosen, metric = results.comparison.chosen, show.metric(results.answer.metric)
    names = [fold["name"] for fold in results.folds]
    points = [
        (index, row, i) for index, row in enumerate(listed) for i, value in enumerate(row.scores) if value is not None
    ]
    spread = [0.28 * ((i * 0.618034) % 1 - 0.5) for _, _, i in points]  # golden steps: neighbours do not overlap
    source = {
        "y": [index + offset for (index, _, _), offset in zip(points, spread)],
        "score": [row.scores[i] for _, row, i in points],
        "said": [show.number(row.scores[i]) for _, row, i in points],
        "fold": [names[i] for _, _, i in points],
        "color": [ORANGE if row.name == chosen else BLUE for _, row, _ in points],
    }
    figure = framed(height=80 + 42 * len(listed), x_axis_label=f"{metric}, one point per fold")
    dashed(figure, results.answer.baseline)
    dots = mark(figure, "Scatter", source, x="score", y="y", size=7, alpha=0.6, color="color")
    named(figure.yaxis[0], [show.procedure(row.name) for row in listed])
    hover(figure, [dots], [("fold", "@fold"), ("score", "@said")])
    pad(figure.y_range, len(listed))
    return figure


CHARTS = (
    Chart(
        "procedures",
        procedures,
        "Nested score of each procedure with its 95% interval, its score on the training rows, and a small point for "
        "each fold; the chosen one is orange, the dashed line the baseline.",
        lambda results: True,
        "procedures",
        has_place=True,
        order=1,
    ),
)
