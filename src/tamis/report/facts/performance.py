"""Predictions of rows not seen, against the truth: confusion, thresholds and their costs, sizes of mistakes."""

from __future__ import annotations

from typing import Any

import numpy as np

from tamis.report import show
from tamis.report.table import Head, ReportTable, cell

#: Up to this many classes the whole square of truth and prediction can be read.
MOST_SQUARE = 12


#: Thresholds of a probability that a slider offers: 0, 0.01, …, 1.
STEPS = 100


def performance(results: dict[str, Any]) -> dict[str, Any]:
    """Confusion or mistakes class by class, what each threshold gives, how large mistakes of numbers are."""
    by_cost = results["settings"].get("loss") is not None
    return {**predictions(results), "threshold": threshold(results), "errors": errors(results), "by_cost": by_cost}


def threshold(results: dict[str, Any]) -> dict[str, Any] | None:
    """For two classes: rows of each whose probability of the second reaches each of 101 thresholds."""
    labels, kept = results["data"]["classes"], results["predictions"]
    if len(labels) != 2 or results["comparison"]["chosen"] == "baseline":
        return None
    steps = np.arange(STEPS + 1) / STEPS
    if kept is not None:
        truth, sure = np.array(kept["truth"]), np.array(kept["answers"])[:, 1]
        sides = [np.sort(sure[truth == code]) for code in (0, 1)]
        above = [len(side) - np.searchsorted(side, steps - 1e-12) for side in sides]
        total = [len(side) for side in sides]
    else:
        judged = results["comparison"]["judged"] or {}
        if "roc" not in judged:
            return None
        total = [round(sum(line)) for line in judged["confusion"]]
        curve = {key: np.array(values) for key, values in judged["roc"].items()}
        at = [int(np.flatnonzero(curve["threshold"] >= step - 1e-12)[-1]) for step in steps]  # thresholds fall
        above = [np.round(curve[key][at] * n) for key, n in zip(("false_positive", "true_positive"), total)]
    return {
        "labels": [show.short(row["label"], 40) for row in labels],
        "data": {
            "false": [int(n) for n in above[0]],
            "true": [int(n) for n in above[1]],
            "negatives": int(total[0]),
            "positives": int(total[1]),
        },
    }


def errors(results: dict[str, Any]) -> dict[str, Any] | None:
    """For numbers: how far from the truth predictions of rows not seen lay, as shares of rows."""
    kept = results["predictions"]
    if results["data"]["classes"] or kept is None:
        return None
    residual = np.array(kept["truth"]) - np.array(kept["answers"])
    size = np.sort(np.abs(residual))
    heads = (Head("share of rows"), Head("within", number=True))
    # the smallest reach that holds a new row with this chance, were it drawn like these (split conformal)
    places = [(share, int(np.ceil((len(size) + 1) * share)) - 1) for share in (0.5, 0.8, 0.9, 0.95)]
    rows = [
        [cell(show.share(share), share), cell(f"± {show.number(float(size[at]))}", float(size[at]))]
        for share, at in places
        if at < len(size)
    ]
    bias = float(residual.mean())
    return {
        "table": ReportTable("reach", "How far predictions lie from the truth", heads, rows),
        "sentence": (
            f"Predictions of rows not seen miss by {show.number(float(size.mean()))} on average; on the whole they are "
            f"too {'low' if bias > 0 else 'high'} by {show.number(abs(bias))}. An interval of the width below around a "
            "prediction held at least that share of the rows not seen; it is as wide for every row."
        ),
    }


def predictions(results: dict[str, Any]) -> dict[str, Any]:
    """Out-of-fold answers of the chosen procedure: `confusion` for few classes, `by_class` for many."""
    kept, labels = results["predictions"], [show.name(row["label"]) for row in results["data"]["classes"]]
    if kept is None:
        said = "There are too many rows to keep every prediction of the folds; counts of them are."
        return _shown(said, results["comparison"]["judged"]["confusion"] if labels else None, labels)
    repeated = sum(fold["test"] for fold in results["folds"]) > len(kept["truth"])
    said = (
        f"Each of {show.count(len(kept['truth']), 'row')} was predicted by a model that had not seen it"
        f"{', several times; the mean is shown' if repeated else ''}."
    )
    if not labels:
        return _shown(said, None, labels)
    counts = _counts(kept, [row["label"] for row in results["data"]["classes"]], results["settings"].get("loss"))
    if results["settings"].get("loss") is not None:
        said += " The prediction is the answer of least expected cost."
    return _shown(said, counts, labels)


def _shown(said: str, counts: list[list[Any]] | None, labels: list[str]) -> dict[str, Any]:
    if counts is None:
        return {"sentence": said, "confusion": None, "by_class": None}
    whole = [[round(n) for n in line] for line in counts]
    few = len(labels) <= MOST_SQUARE
    return {
        "sentence": said,
        "confusion": _square(whole, labels) if few else None,
        "by_class": None if few else _by_class(whole, labels),
    }


def _counts(kept: dict[str, Any], labels: list[Any], loss: Any) -> list[list[int]]:
    from tamis.metrics import confusion
    from tamis.metrics.loss_matrix import LossMatrix

    answers = np.array(kept["answers"])
    predicted = answers.argmax(axis=1) if loss is None else LossMatrix.of(loss, labels).answers(answers)
    counts: list[list[int]] = confusion(kept["truth"], predicted, list(range(len(labels)))).tolist()
    return counts


def _square(counts: list[list[int]], labels: list[str]) -> dict[str, Any]:
    return {"heads": labels, "rows": [_line(code, line, labels[code]) for code, line in enumerate(counts)]}


def _line(code: int, line: list[int], label: str) -> dict[str, Any]:
    total = sum(line)
    cells = [
        {
            "text": f"{n:,}",
            "share": show.share(n / total) if total else "–",
            "depth": round(n / total, 3) if total else 0,
            "right": place == code,
        }
        for place, n in enumerate(line)
    ]
    return {"label": label, "cells": cells, "total": f"{total:,}"}


def _by_class(counts: list[list[int]], labels: list[str]) -> ReportTable:
    heads = (Head("class"), Head("rows", number=True), Head("right", number=True), Head("most often taken for"))
    rows = []
    for code, line in enumerate(counts):
        total = sum(line)
        others = [(n, -place) for place, n in enumerate(line) if place != code and n]
        wrong, place = max(others, default=(0, 0))
        rows.append(
            [
                cell(labels[code], name=True),
                cell(f"{total:,}", total),
                cell(show.share(line[code] / total) if total else "–", line[code] / total if total else -1),
                cell(labels[-place] if wrong else "", name=True),
            ]
        )
    return ReportTable("by-class", "Right answers, class by class", heads, rows)
