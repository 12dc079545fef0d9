"""Error against complexity, the path of a penalty, and the score against the rows learned from."""

from __future__ import annotations

from typing import Any

import numpy as np

from tamis.report import show
from tamis.report.sketch import SEVERAL, Frame, ticks, written
from tamis.results.results import Results

WIDTH, HEIGHT, LEFT, TOP, BOTTOM = 300, 200, 44, 8, 40

#: What a family grows by, and where its error comes from.
SIZES = {
    "columns": ("columns used", "inner folds"),
    "leaves": ("leaves", "inner folds"),
    "trees": ("trees", "rows out of the bag"),
}


def complexity(results: Results) -> list[dict[str, Any]]:
    """A small picture for each procedure that has sizes to choose from: a line a fold, a mark at the size it chose."""
    curves_of = results.findings.get("complexity") or {}
    return [_family(name, curves) for name, curves in curves_of.items()]


def _family(name: str, curves: list[dict[str, Any]]) -> dict[str, Any]:
    by, where = SIZES[curves[0]["by"]]
    is_forest = curves[0]["by"] == "trees"  # a single tree is no measure for the others: its error is as it comes
    relative = [np.array(curve["error"]) / (1.0 if is_forest else curve["error"][0] or 1.0) for curve in curves]
    low, high = min(float(line.min()) for line in relative), max(float(line.max()) for line in relative)
    first = 0 if curves[0]["by"] == "columns" else 1
    across = (float(np.log1p(first)), max(float(np.log1p(curve["size"][-1])) for curve in curves))
    frame = Frame(
        LEFT, TOP, WIDTH - LEFT - 10, HEIGHT - TOP - BOTTOM, across, (min(low, 0.0) if low < 0.4 else low, high)
    )
    lines, marks = [], []
    for curve, line in zip(curves, relative):
        xs = np.log1p(curve["size"]).tolist()
        lines.append(frame.line(xs, line.tolist()))
        at = int(np.argmin(np.abs(np.array(curve["size"]) - curve["chosen"])))
        marks.append({"x": frame.x(xs[at]), "y": frame.y(float(line[at]))})
    largest = max(curve["size"][-1] for curve in curves)
    sizes = [size for size in (0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 5000) if first <= size <= largest]
    chosen = [curve["chosen"] for curve in curves]
    span = f"{min(chosen):,}" if min(chosen) == max(chosen) else f"{min(chosen):,} to {max(chosen):,}"
    return {
        "name": show.name(name),
        "width": WIDTH,
        "height": HEIGHT,
        "lines": lines,
        "marks": [] if is_forest else marks,
        "xticks": _spaced([{"x": frame.x(float(np.log1p(size))), "text": f"{size:,}"} for size in sizes]),
        "yticks": [{"y": frame.y(value), "text": written(value)} for value in ticks(*frame.up, 4)],
        "by": by,
        "words": f"Error of {where}; one line per fold. All {span} trees are used: if lines are flat, more are no use."
        if is_forest
        else f"Error in {where}, as a share of that of the smallest size; one line per fold. Chosen: {span} {by}.",
    }


def _spaced(marks: list[dict[str, Any]], min_gap: float = 26) -> list[dict[str, Any]]:
    """Those of some marks that do not stand on each other."""
    spaced: list[dict[str, Any]] = []
    for mark in marks:
        if not spaced or mark["x"] - spaced[-1]["x"] >= min_gap:
            spaced.append(mark)
    return spaced


def path(results: Results) -> dict[str, Any] | None:
    """The path of the final linear model for a slider: numbers as they are, for the script; texts for those without."""
    regularization = results.findings.get("path")
    if not regularization:
        return None
    at = regularization["chosen"]
    left = (
        f" {show.count(regularization['left'], 'further term')} of the model are not drawn."
        if regularization["left"]
        else ""
    )
    return {
        "data": {
            "alpha": regularization["alpha"],
            "columns": regularization["columns"],
            "error": regularization["error"],
            "standard_error": regularization["standard_error"],
            "chosen": at,
            "names": [show.short(name, 40) for name in regularization["names"]],
            "terms": regularization["terms"],
            "colors": [SEVERAL[k % len(SEVERAL)] for k in range(len(regularization["names"]))],
        },
        "steps": len(regularization["alpha"]) - 1,
        "chosen": at,
        "sentence": (
            f"The penalty falls from left to right, and columns come in; inner folds chose the step with "
            f"{show.count(regularization['columns'][at], 'column')}. A number's coefficient is shown for one "
            "standard deviation "
            f"of its column.{left}"
        ),
    }


def learning(results: Results) -> dict[str, Any] | None:
    """The score of the chosen procedure against the rows it learned from."""
    curve = results.findings.get("learning")
    if not curve or len(curve["rows"]) < 2:
        return None
    rows, scores, ahead = curve["rows"], curve["scores"], curve.get("forecast") or {}
    means, points = [float(np.mean(line)) for line in scores], ahead.get("points") or {}
    heights = [value for line in (*scores, points.get("low", []), points.get("high", [])) for value in line]
    low, high = min(heights), max(heights)
    reached = points["rows"][-1] if points else rows[-1]
    across = (float(np.log(rows[0])), float(np.log(reached)))
    frame = Frame(LEFT + 10, TOP, 460 - LEFT - 30, HEIGHT - TOP - BOTTOM, across, (low, high))
    xs, further = ([float(np.log(n)) for n in each] for each in (rows, points.get("rows", [])))
    dots = [{"x": frame.x(x), "y": frame.y(value)} for x, line in zip(xs, scores) for value in line]
    metric = show.metric(results.answer.metric)
    steps = ", ".join(f"{show.number(mean)} from {n:,}" for n, mean in zip(rows, means))
    return {
        "width": 460,
        "height": HEIGHT,
        "line": frame.line(xs, means),
        "dots": dots,
        "ahead": frame.line(further, points.get("gain", [])),
        "band": frame.band(further, points["low"], points["high"]) if points else "",
        "forecast": ahead.get("words", ""),
        "xticks": _spaced(
            [
                {"x": frame.x(x), "text": f"{n:,}"}
                for x, n in zip([*xs, *further[-1:]], [*rows, *([reached] * bool(points))])
            ]
        ),
        "yticks": [{"y": frame.y(value), "text": written(value)} for value in ticks(low, high, 4)],
        "words": f"{metric[:1].upper()}{metric[1:]} of {show.procedure(curve['procedure'])} on held-out rows by number "
        f"of training rows: {steps} rows. One point per fold; the line is the mean of "
        f"{show.count(curve['folds'], 'fold')}." + (" Dashed: its continuation, with a 95% band." if points else ""),
    }
