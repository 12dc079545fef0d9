"""The charts of a study as Bokeh figures: the same in a notebook and in the report.

Every function takes the results of a study (`study.results_`, or results.json) and gives a figure. Names of columns and
classes are plain text wherever they stand: never read as HTML, nor as formulas.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tamis.metrics import roc as roc_curve
from tamis.report import show

Results = dict[str, Any]
Figure = Any  # bokeh.plotting.figure, which is imported only when a chart is drawn

BLUE, ORANGE, GREY, INK, GRID = "#2f6fbb", "#c2620a", "#8a8f98", "#3c434d", "#e3e6ea"
FONT = "system-ui, sans-serif"

#: Points of a curve; more cannot be told apart on a screen.
MOST_POINTS = 400


def procedures(results: Results) -> Figure:
    """Each procedure's nested score with its 95% interval, its training score, and the baseline as a line."""
    listed = results["comparison"]["procedures"][::-1]
    chosen, metric = results["comparison"]["chosen"], show.metric(results["answer"]["metric"])
    source = {
        "y": list(range(len(listed))),
        "name": [row["name"] + (" (chosen)" if row["name"] == chosen else "") for row in listed],
        "nested": [row["nested"] for row in listed],
        "train": [row["train"] for row in listed],
        "low": [(row["interval"] or [row["nested"]])[0] for row in listed],
        "high": [(row["interval"] or [row["nested"]])[-1] for row in listed],
        "said": [f"{show.number(row['nested'])} ({show.interval(row['interval'])})" for row in listed],
        "trained": [show.number(row["train"]) for row in listed],
        "color": [ORANGE if row["name"] == chosen else BLUE for row in listed],
    }
    figure = _figure(height=90 + 42 * len(listed), x_axis_label=metric)
    figure.segment("low", "y", "high", "y", source=source, line_width=6, line_alpha=0.35, line_color="color")
    _dashed(figure, results["answer"]["baseline"])
    trained = figure.scatter("train", "y", source=source, size=9, fill_alpha=0, line_width=1.5, line_color=GREY)
    nested = figure.scatter("nested", "y", source=source, size=11, color="color")
    _legend(figure, [("nested, with 95% interval", nested), ("train", trained)])
    _named(figure.yaxis[0], source["name"])
    _hover(figure, [nested], [("procedure", "@name"), ("nested", "@said"), ("train", "@trained")])
    _pad(figure.y_range, len(listed))
    return figure


def folds(results: Results) -> Figure:
    """Every fold's score of every procedure: how much luck there is in one split."""
    listed = results["comparison"]["procedures"][::-1]
    chosen, metric = results["comparison"]["chosen"], show.metric(results["answer"]["metric"])
    names = [fold["name"] for fold in results["folds"]]
    points = [
        (place, row, i)
        for place, row in enumerate(listed)
        for i, value in enumerate(row["scores"])
        if value is not None
    ]
    spread = [0.28 * ((i * 0.618034) % 1 - 0.5) for _, _, i in points]  # golden steps: neighbours do not overlap
    source = {
        "y": [place + offset for (place, _, _), offset in zip(points, spread)],
        "score": [row["scores"][i] for _, row, i in points],
        "said": [show.number(row["scores"][i]) for _, row, i in points],
        "fold": [names[i] for _, _, i in points],
        "color": [ORANGE if row["name"] == chosen else BLUE for _, row, _ in points],
    }
    figure = _figure(height=80 + 42 * len(listed), x_axis_label=f"{metric}, one point a fold")
    _dashed(figure, results["answer"]["baseline"])
    dots = figure.scatter("score", "y", source=source, size=7, alpha=0.6, color="color")
    _named(figure.yaxis[0], [row["name"] for row in listed])
    _hover(figure, [dots], [("fold", "@fold"), ("score", "@said")])
    _pad(figure.y_range, len(listed))
    return figure


def stability(results: Results, most: int = show.MOST_BARS) -> Figure:
    """The share of folds in which the chosen procedure used each column, most often first."""
    listed = results["stability"][:most][::-1]
    source = {
        "y": list(range(len(listed))),
        "share": [100 * row["share"] for row in listed],
        "name": [show.short(row["name"], 80) for row in listed],
        "said": [show.share(row["share"]) for row in listed],
        "color": [ORANGE if row["selected"] else BLUE for row in listed],
    }
    figure = _figure(height=70 + 22 * len(listed), x_axis_label="per cent of folds", x_range=(0, 103))
    bars = figure.hbar(y="y", right="share", height=0.7, source=source, color="color", line_color=None)
    _named(figure.yaxis[0], [row["name"] for row in listed])
    _hover(figure, [bars], [("column", "@name"), ("share of folds", "@said")])
    _pad(figure.y_range, len(listed))
    return figure


def classes(results: Results, most: int = show.MOST_BARS) -> Figure:
    """How many of the rows learned from each class has."""
    frequent = sorted(results["data"]["classes"], key=lambda row: -row["rows"])
    listed = (results["data"]["classes"] if len(frequent) <= most else frequent[:most])[::-1]
    total = sum(row["rows"] for row in results["data"]["classes"])
    source = {
        "y": list(range(len(listed))),
        "rows": [row["rows"] for row in listed],
        "name": [show.short(row["label"], 80) for row in listed],
        "said": [f"{row['rows']:,} ({show.share(row['rows'] / total)})" for row in listed],
    }
    figure = _figure(height=70 + 30 * len(listed), x_axis_label="rows", x_range=(0, 1.03 * max(source["rows"])))
    bars = figure.hbar(y="y", right="rows", height=0.6, source=source, color=BLUE, line_color=None)
    _named(figure.yaxis[0], [row["label"] for row in listed])
    _hover(figure, [bars], [("class", "@name"), ("rows", "@said")])
    _pad(figure.y_range, len(listed))
    return figure


def roc(results: Results) -> Figure:
    """The ROC curve of two classes, from the out-of-fold probabilities of the chosen procedure."""
    labels = [row["label"] for row in results["data"]["classes"]]
    kept = results["predictions"]
    if kept is None:
        curve = {name: np.array(values) for name, values in results["comparison"]["judged"]["roc"].items()}
    else:
        curve = roc_curve(np.array(kept["truth"]), np.array(kept["answers"])[:, 1], np.array([0, 1]))
    at = _corners(curve["false_positive"], curve["true_positive"])
    threshold = np.clip(curve["threshold"][at], 0, 1)
    source = {
        "false": curve["false_positive"][at],
        "true": curve["true_positive"][at],
        "said": [show.number(float(value)) for value in threshold],
    }
    figure = _figure(
        height=320,
        x_axis_label="false positive rate",
        y_axis_label=f"true positive rate ({show.short(labels[1], 24)})",
        x_range=(-0.02, 1.02),
        y_range=(-0.02, 1.02),
    )
    figure.line([0, 1], [0, 1], line_dash="dashed", color=GREY)
    figure.step("false", "true", source=source, mode="after", line_width=2.5, color=BLUE)
    dots = figure.scatter("false", "true", source=source, size=8, alpha=0)
    _hover(
        figure,
        [dots],
        [("from a probability of", "@said"), ("true positives", "@true{0.000}"), ("false positives", "@false{0.000}")],
    )
    return figure


def reliability(results: Results, bins: int = 10) -> Figure:
    """How often answers came true against how sure the model was; on the diagonal it can be trusted."""
    two = len(results["data"]["classes"]) == 2
    label = show.short(results["data"]["classes"][1]["label"], 24) if two else "the answer"
    source = _calibration(results, bins)
    figure = _figure(
        height=320,
        x_axis_label=f"predicted probability of {label}",
        y_axis_label="observed share",
        x_range=(-0.02, 1.02),
        y_range=(-0.02, 1.02),
    )
    figure.line([0, 1], [0, 1], line_dash="dashed", color=GREY)
    figure.line("sure", "right", source=source, line_width=1.5, color=BLUE)
    dots = figure.scatter("sure", "right", source=source, size=9, color=BLUE)
    _hover(figure, [dots], [("predicted", "@sure{0.000}"), ("observed", "@right{0.000}"), ("rows", "@rows")])
    return figure


def _calibration(results: Results, bins: int) -> dict[str, list[float]]:
    """Predicted probability, observed share and rows, of bins of as many rows; of equal width where rows are many."""
    kept = results["predictions"]
    if kept is None:
        found = results["comparison"]["judged"]["calibration"]
        return {"sure": found["predicted"], "right": found["share"], "rows": found["rows"]}
    truth, answers = np.array(kept["truth"]), np.array(kept["answers"])
    two = answers.shape[1] == 2
    sure = answers[:, 1] if two else answers.max(axis=1)
    right = truth == 1 if two else answers.argmax(axis=1) == truth
    order = np.argsort(sure, kind="stable")
    parts = [part for part in np.array_split(order, min(bins, len(order))) if len(part)]
    return {
        "sure": [float(sure[part].mean()) for part in parts],
        "right": [float(right[part].mean()) for part in parts],
        "rows": [len(part) for part in parts],
    }


def predicted(results: Results) -> Figure:
    """Out-of-fold predictions of a number against the truth."""
    from bokeh.models import BasicTickFormatter

    kept = results["predictions"]
    source = {"truth": np.array(kept["truth"], np.float32), "answer": np.array(kept["answers"], np.float32)}
    both = np.concatenate([source["truth"], source["answer"]])
    low, high = float(both.min()), float(both.max())
    target = show.short(results["data"]["target"], 30)
    figure = _figure(height=380, x_axis_label=f"actual {target}", y_axis_label=f"predicted {target}")
    if not 1e-3 < high - low < 1e9:  # decimals would be all zeros, or too many
        for axis in figure.axis:
            axis.formatter = BasicTickFormatter()
    figure.line([low, high], [low, high], line_dash="dashed", color=GREY)
    alpha = float(np.clip(60 / np.sqrt(len(kept["truth"]) + 1) / 4, 0.15, 0.8))
    dots = figure.scatter("truth", "answer", source=source, size=6, alpha=alpha, color=BLUE, line_color=None)
    _hover(figure, [dots], [("actual", "@truth{0,0.[000]}"), ("predicted", "@answer{0,0.[000]}")])
    return figure


def drawn(results: Results) -> dict[str, Figure]:
    """Every chart that these results allow, by its name."""
    charts: dict[str, Figure] = {}
    labels = results["data"]["classes"]
    if labels:
        charts["classes"] = classes(results)
    if "answer" not in results:
        return charts
    charts["procedures"], charts["folds"] = procedures(results), folds(results)
    if results["stability"]:
        charts["stability"] = stability(results)
    kept = results["predictions"] is not None
    if kept and not labels:
        charts["predicted"] = predicted(results)
    counted = (results["comparison"]["judged"] or {}).keys()
    if labels and (kept or "calibration" in counted):
        charts["reliability"] = reliability(results)
    if len(labels) == 2 and (kept or "roc" in counted):
        charts["roc"] = roc(results)
    return charts


def _figure(*, x_axis_label: str, y_axis_label: str | None = None, **more: Any) -> Figure:
    from bokeh.models import NumeralTickFormatter, PlainText
    from bokeh.plotting import figure

    made = figure(sizing_mode="stretch_width", toolbar_location=None, tools="", min_border_right=14, **more)
    made.xaxis.axis_label = PlainText(text=x_axis_label)
    if y_axis_label:
        made.yaxis.axis_label = PlainText(text=y_axis_label)
    made.background_fill_alpha = made.border_fill_alpha = 0
    made.outline_line_color = None
    made.grid.grid_line_color = GRID
    for axis in made.axis:
        axis.axis_label_text_font = axis.major_label_text_font = FONT
        axis.axis_label_text_font_style = "normal"
        axis.axis_label_text_font_size = axis.major_label_text_font_size = "13px"
        axis.axis_label_text_color = axis.major_label_text_color = INK
        axis.axis_line_color = axis.major_tick_line_color = GRID
        axis.minor_tick_line_color = None
        axis.ticker.desired_num_ticks = 5  # more would overlap on a telephone
        axis.formatter = NumeralTickFormatter(format="0,0.[000000]")
    return made


def _named(axis: Any, names: Sequence[object], most: int = 22) -> None:
    """Name the places 0, 1, … of an axis, as plain text; long names are cut."""
    from bokeh.models import FixedTicker, PlainText

    axis.ticker = FixedTicker(ticks=list(range(len(names))))
    axis.major_label_overrides = {i: PlainText(text=show.short(name, most)) for i, name in enumerate(names)}
    axis.major_tick_line_color = None


def _hover(figure: Figure, renderers: list[Any], lines: list[tuple[str, str]]) -> None:
    from bokeh.models import HoverTool

    figure.add_tools(HoverTool(renderers=renderers, tooltips=lines))


def _legend(figure: Figure, items: list[tuple[str, Any]]) -> None:
    from bokeh.models import Legend, LegendItem

    made = Legend(
        items=[LegendItem(label=words, renderers=[glyph]) for words, glyph in items],
        orientation="horizontal",
        border_line_color=None,
        background_fill_alpha=0,
        padding=0,
        label_text_font=FONT,
        label_text_font_size="13px",
        label_text_color=INK,
    )
    figure.add_layout(made, "above")


def _dashed(figure: Figure, value: float) -> None:
    from bokeh.models import Span

    figure.add_layout(Span(location=value, dimension="height", line_dash="dashed", line_color=GREY, line_width=1.5))


def _pad(y_range: Any, n: int) -> None:
    y_range.start, y_range.end = -0.6, n - 0.4


def _corners(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Places of the points where a curve turns, evenly thinned where they are too many."""
    turn = np.ones(len(x), dtype=bool)
    turn[1:-1] = (np.diff(x)[1:] != 0) & (np.diff(y)[:-1] != 0) | (np.diff(x)[:-1] != 0) & (np.diff(y)[1:] != 0)
    at = np.flatnonzero(turn)
    if len(at) <= MOST_POINTS:
        return at
    return at[np.unique(np.linspace(0, len(at) - 1, MOST_POINTS).round().astype(np.int64))]
