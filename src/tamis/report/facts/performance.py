"""Predictions of rows not seen, against the truth: confusion, thresholds and their costs, sizes of mistakes."""

from __future__ import annotations

from typing import Any

import numpy as np

from tamis.metrics.intervals.conformal import conformal_radii
from tamis.report import show
from tamis.report.predictions import OutOfFold, out_of_fold
from tamis.report.table import Head, ReportTable, cell
from tamis.results.results import Results

#: Up to this many classes the whole square of truth and prediction can be read.
MOST_SQUARE = 12

#: What is said of results that hold no answers of single models.
AVERAGED = (
    " These answers are averaged over the repeats of the folds; those of one model, as the one delivered is, are "
    "somewhat worse. A new run of the study keeps them."
)

#: Thresholds of a probability that a slider offers: 0, 0.01, …, 1.
STEPS = 100


def performance(results: Results) -> dict[str, Any]:
    """Confusion or mistakes class by class, what each threshold gives, how large mistakes of numbers are."""
    by_cost = _costs(results) is not None
    return {**predictions(results), "threshold": threshold(results), "errors": errors(results), "by_cost": by_cost}


def _costs(results: Results) -> Any:
    """The costs by which answers are chosen: those of the study, or of a threshold that a person set."""
    from tamis.metrics.loss_matrix import LossMatrix

    loss, labels = results.settings.get("loss"), [row["label"] for row in results.data.classes]
    chosen = results.threshold
    if chosen is not None:
        return LossMatrix.of_threshold(chosen["value"], labels)
    return None if loss is None else LossMatrix.of(loss, labels)


def threshold(results: Results) -> dict[str, Any] | None:
    """For two classes: rows of each whose probability of the second reaches each of 101 thresholds."""
    labels, held_out = results.data.classes, out_of_fold(results)
    if len(labels) != 2 or results.comparison.chosen == "baseline":
        return None
    steps, costs = np.arange(STEPS + 1) / STEPS, _costs(results)
    own = 0.5 if costs is None else costs.threshold
    if held_out is not None:
        above, total = _above(held_out, steps)
    else:
        judged = results.comparison.diagnostics or {}
        if "roc" not in judged:
            return None
        total = [round(sum(line)) for line in judged["confusion"]]
        curve = {key: np.array(values) for key, values in judged["roc"].items()}
        at = [int(np.flatnonzero(curve["threshold"] >= step - 1e-12)[-1]) for step in steps]  # thresholds fall
        above = [np.round(curve[key][at] * n) for key, n in zip(("false_positive", "true_positive"), total)]
    return {
        "labels": [show.short(row["label"], 40) for row in labels],
        "start": 50 if own is None else round(STEPS * own),
        "by_person": results.threshold is not None,
        "data": {
            "false": [int(n) for n in above[0]],
            "true": [int(n) for n in above[1]],
            "negatives": int(total[0]),
            "positives": int(total[1]),
        },
    }


def _above(held_out: OutOfFold, steps: np.ndarray) -> tuple[list[np.ndarray], list[int]]:
    """Rows of each class whose probability of the second reaches each step, the mean of the repeats; and all rows."""
    above, total = [], []
    for code in (0, 1):
        rows_of_class = np.flatnonzero(held_out.truth == code)
        order = rows_of_class[np.argsort(held_out.answers[rows_of_class, 1], kind="stable")]
        below = np.append(0.0, np.cumsum(held_out.weight[order]))
        reach = below[-1] - below[np.searchsorted(held_out.answers[order, 1], steps - 1e-12)]
        above.append(np.ceil(reach - 0.5 - 1e-9))  # a half goes to the first class, as in the square
        total.append(round(below[-1]))
    return above, total


def errors(results: Results) -> dict[str, Any] | None:
    """For numbers: how far from the truth predictions of rows not seen lay, as shares of rows."""
    if results.data.classes:
        return None
    facts, averaged = _error_facts(results)
    if facts is None:
        return None
    heads = (Head("share of rows"), Head("within", number=True))
    rows = [
        [
            cell(show.share(radius["fraction"]), radius["fraction"]),
            cell(f"± {show.number(radius['radius'])}", radius["radius"]),
        ]
        for radius in facts["radii"]
    ]
    return {
        "table": ReportTable("reach", "How far predictions lie from the truth", heads, rows),
        "sentence": (
            f"Predictions of held-out rows miss by {show.number(facts['miss'])} on average; on the whole they are too "
            f"{'low' if facts['mean'] > 0 else 'high'} by {show.number(abs(facts['mean']))}. An interval of the width "
            "below around a prediction held at least that share of the held-out rows; it is as wide for every row."
            f"{AVERAGED if averaged else ''}"
        ),
    }


def _error_facts(results: Results) -> tuple[dict[str, Any] | None, bool]:
    """The mean error, the conformal radii and the mean miss; and whether they are of answers averaged over the repeats.

    The miss is the mean absolute error that stands among the other metrics, wherever these errors are the same.
    """
    facts, chosen = (results.comparison.diagnostics or {}).get("errors"), results.comparison.chosen
    if facts is not None:
        metrics = results.comparison.procedure(chosen).metrics
        return {**facts, "miss": metrics["mae"]}, False
    held_out = out_of_fold(results)
    if held_out is None:
        return None, False
    residual = held_out.truth - held_out.answers
    size = np.abs(residual)
    of_rows = {
        "mean": float(residual.mean()),
        "radii": conformal_radii(size, len(held_out.first)),
        "miss": float(size.mean()),
    }
    return of_rows, held_out.averaged


def predictions(results: Results) -> dict[str, Any]:
    """Out-of-fold answers of the chosen procedure: `confusion` for few classes, `by_class` for many."""
    held_out, labels = out_of_fold(results), [show.name(row["label"]) for row in results.data.classes]
    if held_out is None:
        sentence = "There are too many rows to keep every prediction of the folds; counts of them are."
        return _facts(sentence, (results.comparison.diagnostics or {})["confusion"] if labels else None, labels)
    sentence = _sentence(held_out, bool(labels))
    if not labels:
        return _facts(sentence, None, labels)
    costs, chosen = _costs(results), results.threshold
    counts = _counts(held_out, len(labels), costs)
    if chosen is not None:
        label, value = show.short(chosen["label"], 40), show.number(chosen["value"])
        sentence += f" {label} is predicted from a probability of {value} on, a threshold that was set after the study."
    elif costs is not None:
        sentence += " The prediction is the answer of least expected cost."
    return _facts(sentence, counts, labels)


def _sentence(held_out: OutOfFold, of_classes: bool) -> str:
    """How often rows were predicted, and what of it is shown."""
    rows = show.count(len(held_out.first), "row")
    if held_out.averaged:
        return f"Each of {rows} was predicted several times, by models that had not seen it.{AVERAGED}"
    if held_out.max_times == 1:
        return f"Each of {rows} was predicted by a model that had not seen it."
    times = f"{'up to ' if held_out.fewest < held_out.max_times else ''}{held_out.max_times:,} times"
    basis = "counts are means over the repeats" if of_classes else "the charts show the first of each row"
    return (
        f"Each of {rows} was predicted {times}, by models that had not seen it; every prediction counts by itself, and "
        f"{basis}."
    )


def _facts(sentence: str, counts: list[list[Any]] | None, labels: list[str]) -> dict[str, Any]:
    if counts is None:
        return {"sentence": sentence, "confusion": None, "by_class": None}
    is_square = len(labels) <= MOST_SQUARE
    return {
        "sentence": sentence,
        "confusion": _square(counts, labels) if is_square else None,
        "by_class": None if is_square else _by_class(counts, labels),
    }


def _counts(held_out: OutOfFold, n_classes: int, costs: Any) -> list[list[float]]:
    """Truth × answer, rows that were predicted several times counted once."""
    predicted = held_out.answers.argmax(axis=1) if costs is None else costs.answers(held_out.answers)
    counts = np.zeros((n_classes, n_classes))
    np.add.at(counts, (held_out.truth, predicted), held_out.weight)
    return counts.tolist()


def _rounded(line: list[float]) -> list[int]:
    """Counts as whole numbers that add up to the rounded sum: the largest fractions are rounded up, first ones first.

    >>> _rounded([1.5, 2.5]), _rounded([0.333, 0.333, 1.334])
    ([2, 2], [0, 0, 2])
    """
    low = np.floor(np.array(line) + 1e-9)
    up = np.argsort(-np.round(np.array(line) - low, 6), kind="stable")[: round(sum(line)) - int(low.sum())]
    low[up] += 1
    return [int(n) for n in low]


def _square(counts: list[list[float]], labels: list[str]) -> dict[str, Any]:
    return {"heads": labels, "rows": [_line(code, line, labels[code]) for code, line in enumerate(counts)]}


def _line(code: int, line: list[float], label: str) -> dict[str, Any]:
    total = sum(line)
    cells = [
        {
            "text": f"{rounded:,}",
            "share": show.share(n / total) if total else "–",
            "depth": round(n / total, 3) if total else 0,
            "right": column == code,
        }
        for column, (n, rounded) in enumerate(zip(line, _rounded(line)))
    ]
    return {"label": label, "cells": cells, "total": f"{round(total):,}"}


def _by_class(counts: list[list[float]], labels: list[str]) -> ReportTable:
    heads = (Head("class"), Head("rows", number=True), Head("right", number=True), Head("most often taken for"))
    rows = []
    for code, line in enumerate(counts):
        total = sum(line)
        wrong_counts = [(n, -column) for column, n in enumerate(line) if column != code and n]
        wrong, column = max(wrong_counts, default=(0.0, 0))
        rows.append(
            [
                cell(labels[code], name=True),
                cell(f"{round(total):,}", total),
                cell(show.share(line[code] / total) if total else "–", line[code] / total if total else -1),
                cell(labels[-column] if wrong else "", name=True),
            ]
        )
    return ReportTable("by-class", "Right answers, class by class", heads, rows)
