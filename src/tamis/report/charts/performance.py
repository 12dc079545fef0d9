"""Predictions of rows not seen: ROC and precision–recall curves, reliability, predicted against actual, residuals."""

from __future__ import annotations

import numpy as np

from tamis.report import show
from tamis.report.charts.chart import Chart, of_results
from tamis.report.charts.frame import BLUE, GREY, ORANGE, Figure, diagonal, framed, hover, mark, named, pad, sourced
from tamis.report.predictions import OutOfFold, out_of_fold, rates
from tamis.results.results import Results

#: Points of a curve; more cannot be told apart on a screen.
MOST_POINTS = 400


@of_results
def classes(results: Results, most: int = show.MOST_BARS) -> Figure:
    """How many of the rows learned from each class has."""
    frequent = sorted(results.data.classes, key=lambda row: -row["rows"])
    listed = (results.data.classes if len(frequent) <= most else frequent[:most])[::-1]
    total = sum(row["rows"] for row in results.data.classes)
    source = {
        "y": list(range(len(listed))),
        "rows": [row["rows"] for row in listed],
        "name": [show.short(row["label"], 80) for row in listed],
        "said": [f"{row['rows']:,} ({show.share(row['rows'] / total)})" for row in listed],
    }
    figure = framed(height=70 + 30 * len(listed), x_axis_label="rows", x_range=(0, 1.03 * max(source["rows"])))
    bars = mark(figure, "HBar", source, y="y", right="rows", height=0.6, color=BLUE, line_color=None)
    named(figure.yaxis[0], [row["label"] for row in listed])
    hover(figure, [bars], [("class", "@name"), ("rows", "@said")])
    pad(figure.y_range, len(listed))
    return figure


@of_results
def roc(results: Results) -> Figure:
    """The ROC curve of two classes, from the out-of-fold probabilities of the chosen procedure."""
    labels = [row["label"] for row in results.data.classes]
    curve = rates(results)
    at = _corners(curve["false_positive"], curve["true_positive"])
    threshold = np.clip(curve["threshold"][at], 0, 1)
    source = {
        "false": curve["false_positive"][at],
        "true": curve["true_positive"][at],
        "said": [show.number(float(value)) for value in threshold],
    }
    figure = framed(
        height=320,
        x_axis_label="false positive rate",
        y_axis_label=f"true positive rate ({show.short(labels[1], 24)})",
        x_range=(-0.02, 1.02),
        y_range=(-0.02, 1.02),
    )
    diagonal(figure, 0, 1)
    drawn, axes = sourced(source), {"x": "false", "y": "true"}
    mark(figure, "Step", drawn, **axes, mode="after", line_width=2.5, color=BLUE)
    dots = mark(figure, "Scatter", drawn, **axes, size=8, alpha=0)
    hover(
        figure,
        [dots],
        [("from a probability of", "@said"), ("true positives", "@true{0.000}"), ("false positives", "@false{0.000}")],
    )
    half = _at_half(curve)
    _now(figure, "roc-now", curve["false_positive"][half], curve["true_positive"][half])
    return figure


@of_results
def precision_recall(results: Results) -> Figure:
    """Precision against recall of the second of two classes; the dashed line is its share, what guessing gives."""
    curve, rows = rates(results), [row["rows"] for row in results.data.classes]
    true, false = curve["true_positive"] * rows[1], curve["false_positive"] * rows[0]
    some = true + false > 0
    precision = np.divide(true, true + false, out=np.ones(len(true)), where=some)
    at = np.flatnonzero(some)
    at = at[np.unique(np.linspace(0, len(at) - 1, min(MOST_POINTS, len(at))).round().astype(np.int64))]
    source = {
        "recall": curve["true_positive"][at],
        "precision": precision[at],
        "said": [show.number(float(value)) for value in np.clip(curve["threshold"][at], 0, 1)],
    }
    figure = framed(
        height=320,
        x_axis_label=f"recall of {show.short(results.data.classes[1]['label'], 24)}",
        y_axis_label="precision",
        x_range=(-0.02, 1.02),
        y_range=(-0.02, 1.04),
    )
    guess = {"x": [0, 1], "y": [rows[1] / max(sum(rows), 1)] * 2}
    mark(figure, "Line", guess, x="x", y="y", line_dash="dashed", color=GREY)
    drawn, axes = sourced(source), {"x": "recall", "y": "precision"}
    mark(figure, "Line", drawn, **axes, line_width=2.5, color=BLUE)
    dots = mark(figure, "Scatter", drawn, **axes, size=8, alpha=0)
    lines = [("from a probability of", "@said"), ("recall", "@recall{0.000}"), ("precision", "@precision{0.000}")]
    hover(figure, [dots], lines)
    half = _at_half(curve)
    _now(figure, "pr-now", curve["true_positive"][half], precision[half])
    return figure


def _at_half(curve: dict[str, np.ndarray]) -> int:
    """The point of a threshold of one half: the last that is not below it."""
    return int(np.flatnonzero(curve["threshold"] >= 0.5)[-1]) if (curve["threshold"] >= 0.5).any() else 0


def _now(figure: Figure, name: str, x: float, y: float) -> None:
    """A point that a slider of the page moves."""
    from bokeh.models import ColumnDataSource

    source = ColumnDataSource({"x": [float(x)], "y": [float(y)]}, name=name)
    mark(figure, "Scatter", source, x="x", y="y", size=12, color=ORANGE, line_color="white")


@of_results
def reliability(results: Results, bins: int = 10) -> Figure:
    """How often answers came true against how sure the model was; on the diagonal it can be trusted."""
    two = len(results.data.classes) == 2
    label = show.short(results.data.classes[1]["label"], 24) if two else "the answer"
    source = _calibration(results, bins)
    figure = framed(
        height=320,
        x_axis_label=f"predicted probability of {label}",
        y_axis_label="observed share",
        x_range=(-0.02, 1.02),
        y_range=(-0.02, 1.02),
    )
    diagonal(figure, 0, 1)
    drawn, axes = sourced(source), {"x": "sure", "y": "right"}
    mark(figure, "Line", drawn, **axes, line_width=1.5, color=BLUE)
    dots = mark(figure, "Scatter", drawn, **axes, size=9, color=BLUE)
    hover(figure, [dots], [("predicted", "@sure{0.000}"), ("observed", "@right{0.000}"), ("rows", "@rows")])
    if two:
        _smooth_curve(figure, results)
    return figure


def _smooth_curve(figure: Figure, results: Results) -> None:
    """The smooth calibration curve with its band, where the study has one."""
    records = (results.validity or {}).get("calibration") or []
    curve = records[0]["curve"] if records else None
    if curve is None:
        return
    source = {name: np.array(values) for name, values in curve.items() if values is not None}
    if "low" in source:
        mark(figure, "VArea", source, x="points", y1="low", y2="high", fill_color=ORANGE, fill_alpha=0.18)
    mark(figure, "Line", source, x="points", y="observed", line_width=2, color=ORANGE)


def _calibration(results: Results, bins: int) -> dict[str, list[float]]:
    """Predicted probability, observed share and rows, of bins of as many rows; of equal width where rows are many."""
    held_out = out_of_fold(results)
    if held_out is None:
        counted = (results.comparison.diagnostics or {})["calibration"]
        return {"sure": counted["predicted"], "right": counted["share"], "rows": counted["rows"]}
    truth, answers = held_out.truth, held_out.answers
    two = answers.shape[1] == 2
    sure = answers[:, 1] if two else answers.max(axis=1)
    right = truth == 1 if two else answers.argmax(axis=1) == truth
    order = np.argsort(sure, kind="stable")
    groups = [group for group in np.array_split(order, min(bins, len(order))) if len(group)]
    return {
        "sure": [float(sure[group].mean()) for group in groups],
        "right": [float(right[group].mean()) for group in groups],
        "rows": [round(float(held_out.weight[group].sum()), 1) for group in groups],
    }


@of_results
def predicted(results: Results) -> Figure:
    """Out-of-fold predictions of a number against the truth: of each row the first."""
    from bokeh.models import BasicTickFormatter

    held_out = _predictions(results)
    source = {
        "truth": held_out.truth[held_out.first].astype(np.float32),
        "answer": held_out.answers[held_out.first].astype(np.float32),
    }
    all_values = np.concatenate([source["truth"], source["answer"]])
    low, high = float(all_values.min()), float(all_values.max())
    target = show.short(results.data.target, 30)
    figure = framed(height=380, x_axis_label=f"actual {target}", y_axis_label=f"predicted {target}")
    if not 1e-3 < high - low < 1e9:  # decimals would be all zeros, or too many
        for axis in figure.axis:
            axis.formatter = BasicTickFormatter()
    diagonal(figure, low, high)
    alpha = float(np.clip(60 / np.sqrt(len(held_out.first) + 1) / 4, 0.15, 0.8))
    dots = mark(figure, "Scatter", source, x="truth", y="answer", size=6, alpha=alpha, color=BLUE, line_color=None)
    hover(figure, [dots], [("actual", "@truth{0,0.[000]}"), ("predicted", "@answer{0,0.[000]}")])
    return figure


@of_results
def residuals(results: Results) -> Figure:
    """Truth minus prediction against the prediction, of each row the first; lines hold 90% of all predictions."""
    from bokeh.models import BasicTickFormatter, Span

    held_out = _predictions(results)
    every = held_out.truth - held_out.answers
    answer, residual = held_out.answers[held_out.first], every[held_out.first]
    target = show.short(results.data.target, 30)
    figure = framed(height=380, x_axis_label=f"predicted {target}", y_axis_label="actual minus predicted")
    if not 1e-3 < np.ptp(residual) < 1e9:
        for axis in figure.axis:
            axis.formatter = BasicTickFormatter()
    alpha = float(np.clip(60 / np.sqrt(len(answer) + 1) / 4, 0.15, 0.8))
    source = {"answer": answer.astype(np.float32), "residual": residual.astype(np.float32)}
    dots = mark(figure, "Scatter", source, x="answer", y="residual", size=6, alpha=alpha, color=BLUE, line_color=None)
    for value, dash in ((0.0, "dashed"), *((float(q), "dotted") for q in np.quantile(every, (0.05, 0.95)))):
        figure.add_layout(Span(location=value, dimension="width", line_dash=dash, line_color=GREY, line_width=1.5))
    hover(figure, [dots], [("predicted", "@answer{0,0.[000]}"), ("off by", "@residual{0,0.[000]}")])
    return figure


def _predictions(results: Results) -> OutOfFold:
    held_out = out_of_fold(results)
    assert held_out is not None  # `drawn` and `Plots` ask for no chart without them
    return held_out


def _corners(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Places of the points where a curve turns, evenly thinned where they are too many."""
    turn = np.ones(len(x), dtype=bool)
    turn[1:-1] = (np.diff(x)[1:] != 0) & (np.diff(y)[:-1] != 0) | (np.diff(x)[:-1] != 0) & (np.diff(y)[1:] != 0)
    at = np.flatnonzero(turn)
    if len(at) <= MOST_POINTS:
        return at
    return at[np.unique(np.linspace(0, len(at) - 1, MOST_POINTS).round().astype(np.int64))]


def _has_numbers(results: Results) -> bool:
    return results.predictions is not None and not results.data.classes


def _has_counted(results: Results, what: str) -> bool:
    """Whether predictions of classes were kept, or at least this summary of them."""
    has_classes = bool(results.data.classes)
    return has_classes and (results.predictions is not None or what in (results.comparison.diagnostics or {}))


def _is_of_two(results: Results) -> bool:
    return len(results.data.classes) == 2 and _has_counted(results, "roc")


CHARTS = (
    Chart(
        "predicted",
        predicted,
        "Predicted against actual, for held-out rows; the dashed diagonal is perfect.",
        _has_numbers,
        "performance",
        has_place=True,
        order=5,
    ),
    Chart(
        "residuals",
        residuals,
        "Actual minus predicted against predicted, for held-out rows; nine tenths of the predictions lie between the "
        "dotted lines.",
        _has_numbers,
        "performance",
        has_place=True,
        order=6,
    ),
    Chart(
        "roc",
        roc,
        "ROC curve of held-out rows; the dashed diagonal is guessing, a point the threshold set above.",
        _is_of_two,
        "performance",
        has_place=True,
        order=7,
    ),
    Chart(
        "precision_recall",
        precision_recall,
        "Precision against recall of held-out rows; the dashed line is guessing, a point the threshold set above.",
        _is_of_two,
        "performance",
        has_place=True,
        order=8,
    ),
    Chart(
        "reliability",
        reliability,
        "Calibration: observed against predicted probability, in tenths (points) and smoothed (curve, with its 95% "
        "band); the dashed line is perfect.",
        lambda results: _has_counted(results, "calibration"),
        "performance",
        has_place=True,
        order=9,
    ),
)
