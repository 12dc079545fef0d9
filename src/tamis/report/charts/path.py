"""The path of a penalty: how coefficients come in as it falls."""

from __future__ import annotations

from typing import Any

import numpy as np

from tamis.report import show
from tamis.report.charts.chart import Chart, of_results
from tamis.report.charts.frame import GREY, Figure, framed, hover, mark
from tamis.report.sketch import SEVERAL
from tamis.results.results import Results

#: Lines that carry their names at most, pixels of a line of letters, and of the frame that lines are drawn in, about.
MAX_NAMED, LINE, PLOTTED = 15, 14, 270


@of_results
def path(results: Results) -> Figure:
    """Coefficients of the final model along its path; the line marks the step that inner folds chose."""
    from bokeh.models import Span

    regularization = results.findings["path"]
    xs = (-np.log10(np.array(regularization["alpha"]))).tolist()
    figure = framed(
        height=340, x_axis_label="−log₁₀ of the penalty", y_axis_label="coefficient, for one standard deviation"
    )
    source = {
        "x": [xs] * len(regularization["names"]),
        "y": regularization["terms"],
        "name": [show.short(name, 60) for name in regularization["names"]],
        "color": [SEVERAL[k % len(SEVERAL)] for k in range(len(regularization["names"]))],
    }
    lines = mark(figure, "MultiLine", source, xs="x", ys="y", line_width=2, color="color")
    chosen = Span(
        location=xs[regularization["chosen"]], dimension="height", line_color=GREY, line_width=2, name="path-now"
    )
    figure.add_layout(chosen)
    hover(figure, [lines], [("term", "@name")])
    if regularization["names"]:
        _name_lines(figure, xs, source)
    return figure


CHARTS = (
    Chart(
        "path",
        path,
        "Coefficients along the path of the penalty, a line a term; the upright line is the step shown below.",
        lambda results: bool(results.findings.get("path")),
        "procedures",
        has_place=True,
        order=4,
    ),
)


def _name_lines(figure: Figure, xs: list[float], source: dict[str, Any]) -> None:
    """Names at the right ends of the lines that end farthest from 0, one above the other where they would overlap."""
    from bokeh.models import ColumnDataSource, LabelSet

    ends = np.array([line[-1] for line in source["y"]])
    every = np.concatenate([np.asarray(line, dtype=np.float64) for line in source["y"]])
    pixels = PLOTTED / (float(np.ptp(every)) * 1.1 or 1.0)
    largest = np.argsort(-np.abs(ends), kind="stable")[:MAX_NAMED]
    order = largest[np.argsort(ends[largest], kind="stable")]
    heights: list[float] = []
    for height in (ends[order] * pixels).tolist():
        heights.append(max(height, heights[-1] + LINE) if heights else height)
    lift = (np.mean(ends[order]) * pixels - np.mean(heights)) if heights else 0.0  # as far up as down
    named = ColumnDataSource(
        {
            "x": [xs[-1]] * len(order),
            "y": ends[order].tolist(),
            "offset": (np.array(heights) + lift - ends[order] * pixels - 5).tolist(),
            "name": [show.short(source["name"][k], 18) for k in order],
            "color": [source["color"][k] for k in order],
        }
    )
    look = {"text_font_size": "12px", "text_color": "color", "x_offset": 8, "y_offset": "offset"}
    figure.add_layout(LabelSet(x="x", y="y", text="name", source=named, **look))
    reach = xs[-1] - xs[0]
    figure.x_range.start, figure.x_range.end = xs[0] - 0.03 * reach, xs[-1] + 0.25 * reach
