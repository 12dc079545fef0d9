"""The path of a penalty: how coefficients come in as it falls."""

from __future__ import annotations

from typing import Any

import numpy as np

from tamis.report import show
from tamis.report.charts.chart import Chart
from tamis.report.charts.frame import GREY, Figure, framed, hover, mark
from tamis.report.sketch import SEVERAL

Results = dict[str, Any]


def path(results: Results) -> Figure:
    """Coefficients of the final model along its path; the line marks the step that inner folds chose."""
    from bokeh.models import Span

    regularization = results["findings"]["path"]
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
    return figure


CHARTS = (
    Chart(
        "path",
        path,
        "Coefficients along the path of the penalty, a line a term; the upright line is the step shown below.",
        lambda results: bool((results.get("findings") or {}).get("path")),
        "procedures",
        has_place=True,
        order=4,
    ),
)
