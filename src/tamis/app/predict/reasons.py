r"""The answer to one row, and what each of its values does to it.

A value's reason is the answer beside the answer without it, :math:`f(x) - f(x \text{ with } x_j \text{ missing})`: of a
class its probability, of a number the number itself. What a missing value means is the model's own: its mean in a
linear model, a surrogate in a tree.
"""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import numpy as np

from tamis.app.predict.form import origin_of
from tamis.errors import TableError
from tamis.report import show
from tamis.study.model import Model
from tamis.study.prediction.answers import predictions_csv, remarks
from tamis.table import fetch, table_of
from tamis.task import predicts_classes

#: Letters of a value.
MOST_LETTERS = 200

#: Differences smaller than this share of the largest, or of one, are none.
LEAST = 1e-6


def answer_with_reasons(study: Path, values: dict[str, str]) -> dict[str, Any]:
    """The answer to a row given as texts by column, an empty one missing; and the reasons, largest first."""
    model = Model.read(study)
    used = {origin_of(model, name) for name in model.fitted.columns}
    row = {name: values.get(name, "").strip()[:MOST_LETTERS] for name in used}
    filled = [name for name, text in sorted(row.items()) if text]
    columns = {name: [text or None, *((text or None) if name != left_out else None for left_out in filled)]
               for name, text in row.items()}  # fmt: skip
    table = table_of(fetch(columns, types=model.types), like=model.types) if columns else None
    if table is None:
        raise TableError("the model looks at no column, so that there is nothing to give")
    rows = list(csv.DictReader(io.StringIO(predictions_csv(model, table))))
    ready = model.aligned(table)
    if predicts_classes(model.task):
        shares = model.fitted.probabilities(ready, len(model.labels))
        answer = list(model.labels).index(model.decide(shares[:1])[0])
        level, answer_text = shares[:, answer], show.short(model.labels[answer], 60)
        classes = [[show.short(label, 60), float(share)] for label, share in zip(model.labels, shares[0])]
    else:
        level = model.fitted.numbers(ready)
        answer_text, classes = show.number(float(level[0])), []
    first = rows[0]
    return {
        "answer": answer_text,
        "target": show.short(model.predicted, 60),
        "task": model.task,
        "classes": classes,
        "low": _written(first.get("low")),
        "high": _written(first.get("high")),
        "notes": [text for text in (first.get("note", ""), first.get("unlike", "")) if text],
        "remarks": list(remarks(model)),
        "reasons": _reasons(model, filled, row, level),
        "missing": [show.short(name, 60) for name in sorted(used) if not row[name]],
    }


def _reasons(model: Model, filled: list[str], row: dict[str, str], level: np.ndarray) -> list[dict[str, Any]]:
    gaps = level[0] - level[1:]
    scale = max(1.0 if predicts_classes(model.task) else 0.0, float(np.abs(gaps).max(initial=0.0)))
    reasons = []
    for k in sorted(range(len(filled)), key=lambda k: (-abs(gaps[k]), filled[k])):
        none = abs(gaps[k]) <= LEAST * scale
        reasons.append(
            {
                "name": show.short(filled[k], 60),
                "value": show.short(row[filled[k]], 40),
                "without": show.number(float(level[k + 1])),
                "gap": 0.0 if none else float(gaps[k]),
                "shown": "no difference" if none else show.signed(float(gaps[k])),
                "share": 0.0 if none or not scale else float(abs(gaps[k]) / np.abs(gaps).max()),
            }
        )
    return reasons


def _written(text: str | None) -> str:
    return "" if text is None else show.number(float(text))
