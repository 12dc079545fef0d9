"""Columns: how often each was used, and score against how many, over procedures and along each of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from tamis.report import show
from tamis.report.charts.chart import Chart, of_results
from tamis.report.charts.frame import BLUE, GREY, ORANGE, Figure, framed, hover, legend, mark, named, pad, sourced
from tamis.results.comparison import FrontierPoint, PathPoint
from tamis.results.results import Results

#: What the lines of the frontier are.
HELD, INSIDE = "held to fewer columns", "inside training parts"

#: Pixels: the height that scores are drawn in, about; how far under its point a name stands; and a line of text.
PLOTTED, UNDER, LINE = 230, 19, 13


@of_results
def stability(results: Results, most: int = show.MOST_BARS) -> Figure:
    """The share of folds in which the chosen procedure used each column, most often first."""
    listed = results.stability[:most][::-1]
    source = {
        "y": list(range(len(listed))),
        "share": [100 * row.fraction for row in listed],
        "name": [show.short(row.name, 80) for row in listed],
        "said": [show.share(row.fraction) for row in listed],
        "color": [ORANGE if row.selected else BLUE for row in listed],
    }
    figure = framed(height=70 + 22 * len(listed), x_axis_label="per cent of folds", x_range=(0, 103))
    bars = mark(figure, "HBar", source, y="y", right="share", height=0.7, color="color", line_color=None)
    named(figure.yaxis[0], [row.name for row in listed])
    hover(figure, [bars], [("column", "@name"), ("share of folds", "@said")])
    pad(figure.y_range, len(listed))
    return figure


@of_results
def frontier(results: Results) -> Figure:
    """Score against number of columns, a point a procedure with its 95% interval; the chosen one is orange.

    A line leads from a procedure held to few columns to the procedure as it is. It is dashed, and ends by itself, where
    the scores are of rows inside training parts.
    """
    metric, points = show.metric(results.answer.metric), _points(results)
    if not points:  # the metric has no value in any fold
        return framed(height=320, x_axis_label="columns used, mean over folds", y_axis_label=metric)
    mean = [point.columns for point in points]
    source: dict[str, list[Any]] = {
        "columns": mean,
        "score": [point.score for point in points],
        "low": [point.ends[0] for point in points],
        "high": [point.ends[1] for point in points],
        "name": [show.short(point.procedure, 30) for point in points],
        "said": [f"{show.number(point.score)} ({show.interval(point.interval)})" for point in points],
        "used": [show.number(value, 1) for value in mean],
        "color": [ORANGE if point.chosen else BLUE for point in points],
    }
    bottom, top = _ends(results, source)
    source["drop"] = _drops(source, bottom, top)
    figure = framed(height=320, x_axis_label="columns used, mean over folds", y_axis_label=metric)
    drawn, ends = sourced(source), {"x0": "columns", "y0": "low", "x1": "columns", "y1": "high"}
    mark(figure, "Segment", drawn, **ends, line_width=4, line_alpha=0.3, line_color="color")
    dots = mark(figure, "Scatter", drawn, x="columns", y="score", size=11, color="color")
    figure.y_range.start, figure.y_range.end = bottom, top
    _words(figure, source, max(mean))
    _black_box(figure, results)
    _along(figure, results, points)
    hover(figure, [dots], [("procedure", "@name"), (metric, "@said"), ("columns", "@used")])
    reach = max(*mean, *(point.columns for path in results.paths for point in path.points), 1.0)
    figure.x_range.start, figure.x_range.end = -0.06 * reach, 1.12 * reach
    return figure


def _points(results: Results) -> list[FrontierPoint]:
    return [point for point in results.frontier if point.score is not None]


def _along(figure: Figure, results: Results, points: list[FrontierPoint]) -> None:
    """A line along each procedure that was held to few columns."""
    point_of = {point.procedure: point for point in points}
    metric, dots = show.metric(results.answer.metric), []
    lines: dict[str, Any] = {}
    for path in results.paths:
        inner, name = path.rows == "inner", path.procedure
        along = [point for point in path.points if point.score is not None]
        ends = [point_of[name]] if name in point_of and not inner else []
        both: list[PathPoint | FrontierPoint] = [*along, *ends]
        source = {
            "columns": [point.columns for point in both],
            "score": [point.score for point in both],
            "said": [show.number(point.score) for point in both],
            "name": [show.short(name, 30)] * len(both),
            "most": [f"at most {point.max_columns:,}" for point in along] + ["as it is"] * len(ends),
        }
        color = GREY if inner else ORANGE if ends and ends[0].chosen else BLUE
        drawn, at, dash = sourced(source), {"x": "columns", "y": "score"}, "dashed" if inner else "solid"
        line = mark(figure, "Line", drawn, **at, line_width=1.5, color=color, line_dash=dash)
        dots.append(mark(figure, "Scatter", drawn, **at, size=5, color=color))
        lines.setdefault(INSIDE if inner else HELD, line)
    if dots:
        hover(figure, dots, [("procedure", "@name"), (metric, "@said"), ("columns", "@most")])
        legend(figure, list(lines.items()))


def _ends(results: Results, source: dict[str, list[Any]]) -> tuple[float, float]:
    """The ends of the axis of scores, with room for a name under the lowest point."""
    along = [point.score for path in results.paths for point in path.points]
    scores = [score for score in (*source["low"], *source["high"], *along) if score is not None]
    black_box = results.comparison.black_box
    if black_box and black_box.score is not None:
        scores.append(black_box.score)
    low, high = min(scores), max(scores)
    room = high - low or max(abs(high), 1.0)
    return low - 0.14 * room, high + 0.06 * room


def _drops(source: dict[str, list[Any]], bottom: float, top: float) -> list[int]:
    """How many pixels under its point each name stands: under another name where the two would overlap."""
    columns, scores = np.array(source["columns"]), np.array(source["score"], dtype=np.float64)
    near, height = 0.25 * max(float(columns.max()), 1.0), (scores - bottom) / (top - bottom) * PLOTTED
    heights = height - UNDER
    done: list[int] = []
    for k in np.argsort(-height, kind="stable").tolist():
        for neighbour in sorted(done, key=lambda index: -heights[index]):
            if abs(columns[k] - columns[neighbour]) < near and abs(heights[k] - heights[neighbour]) < LINE:
                heights[k] = heights[neighbour] - LINE
        done.append(k)
    return [round(value) for value in (heights - height).tolist()]


def _words(figure: Figure, source: dict[str, list[Any]], max_columns: float) -> None:
    """The procedures' names beside their points: to the left of those at the right end, where there is no room."""
    from bokeh.models import LabelSet
    from bokeh.models.sources import ColumnDataSource

    for side in ("left", "right"):
        indices = [k for k, x in enumerate(source["columns"]) if (x > 0.75 * max_columns) == (side == "right")]
        side_labels = ColumnDataSource({key: [values[k] for k in indices] for key, values in source.items()})
        labels = LabelSet(
            x="columns",
            y="score",
            text="name",
            source=side_labels,
            x_offset=9 if side == "left" else -9,
            y_offset="drop",
            text_align=side,
            text_font_size="12px",
            text_color="#3c434d",
        )
        figure.add_layout(labels)


def _black_box(figure: Figure, results: Results) -> None:
    """The black box as a dashed line: it uses whatever columns it likes."""
    from bokeh.models import Span

    black_box = results.comparison.black_box
    if black_box and black_box.score is not None:
        figure.add_layout(
            Span(location=black_box.score, dimension="width", line_dash="dotted", line_color=GREY, line_width=2)
        )


def _has_frontier(results: Results) -> bool:
    compared = results.comparison.procedures
    return not results.ladder and len(compared) > 1 and any(row.score is not None for row in compared)


CHARTS = (
    Chart(
        "stability",
        stability,
        "Share of folds in which each column was used; those of the final model are orange.",
        lambda results: bool(results.stability),
        "selection",
        has_place=True,
        order=2,
    ),
    Chart(
        "frontier",
        frontier,
        "Score on held-out rows against the number of columns used, with 95% intervals; the chosen one is orange. "
        "Lines follow a procedure held to fewer columns, dashed ones inside training folds; a dotted level line is a "
        "black box.",
        _has_frontier,
        "selection",
        has_place=True,
        order=3,
    ),
)
