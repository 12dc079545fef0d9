"""The decision curve: net benefit of acting on predictions, beside acting on all rows and on none."""

from __future__ import annotations

import numpy as np

from tamis.report import show
from tamis.report.charts.chart import Chart, of_results
from tamis.report.charts.frame import BLUE, GREY, ORANGE, Figure, framed, hover, mark, sourced
from tamis.results.results import Results


@of_results
def decision_curve(results: Results) -> Figure:
    """Net benefit against the threshold, with its pointwise 95% band."""
    facts = (results.validity or {})["net_benefit"]
    columns = {name: np.array(facts[name]) for name in ("thresholds", "net_benefit", "treat_all")}
    prevalence = max(float(columns["treat_all"][0]), float(columns["net_benefit"].max()), 0.02)
    columns["treat_all"] = np.maximum(columns["treat_all"], -0.25 * prevalence)
    figure = framed(
        height=320,
        x_axis_label=f"threshold: act from this probability of {show.short(facts['label'], 24)}",
        y_axis_label="net benefit per row",
        x_range=(0, 1),
        y_range=(-0.25 * prevalence, 1.15 * prevalence),
    )
    if facts["low"] is not None:
        band = {"x": columns["thresholds"], "low": np.array(facts["low"]), "high": np.array(facts["high"])}
        mark(figure, "VArea", band, x="x", y1="low", y2="high", fill_color=BLUE, fill_alpha=0.15)
    drawn = sourced(columns)
    mark(figure, "Line", drawn, x="thresholds", y="treat_all", line_width=1.5, color=ORANGE, line_dash="dotted")
    none = {"x": [0, 1], "y": [0, 0]}
    mark(figure, "Line", none, x="x", y="y", line_dash="dashed", color=GREY)
    mark(figure, "Line", drawn, x="thresholds", y="net_benefit", line_width=2.5, color=BLUE)
    dots = mark(figure, "Scatter", drawn, x="thresholds", y="net_benefit", size=8, alpha=0)
    lines = [("threshold", "@thresholds{0.00}"), ("net benefit", "@net_benefit{0.000}"), ("all", "@treat_all{0.000}")]
    hover(figure, [dots], lines)
    return figure


CHARTS = (
    Chart(
        "decision_curve",
        decision_curve,
        "Decision curve: net benefit of acting on the predictions (line, with its 95% band), on all rows (dotted) and "
        "on none (dashed).",
        lambda results: bool((results.validity or {}).get("net_benefit")) and bool(results.data.classes),
        "validity",
        has_place=True,
        order=10,
    ),
)
