"""Predictions of rows that the model had not seen, against the truth: as a square of classes, or class by class."""

from __future__ import annotations

from typing import Any

import numpy as np

from tamis.report import show
from tamis.report.table import Head, ReportTable, cell

#: Up to this many classes the whole square of truth and prediction can be read.
MOST_SQUARE = 12


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
