"""Predictions as CSV, each with what it is worth: probabilities or an interval, and whether its row is a usual one."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tamis.check import number
from tamis.study.disk.csv_cell import safe_cell
from tamis.table import Table
from tamis.task import predicts_classes, predicts_numbers
from tamis.wording import first_few

if TYPE_CHECKING:
    from tamis.study.model import Model

#: Of the intervals beside predicted numbers.
COVERAGE = 0.95


def predictions_csv(
    model: Model,
    table: Table,
    ids: tuple[str, Sequence[Any]] | None = None,
    coverage: float = COVERAGE,
    first: int = 0,
    exposures: np.ndarray | None = None,
) -> str:
    """Predictions as CSV, one line a row; without names where rows come before the `first`.

    Of counts with exposures the prediction is the rate; with the `exposures` of the rows, their expected counts stand
    beside it.

    Columns: "row", counted from 1; the identifier, where one is given (its name and values); the prediction; the
    probability of each class, or, where the model has an interval of its own for numbers, "low" and "high"; "note",
    which says what about a row the model never saw; for numbers of another model, "low" and "high" by the study's
    errors; "unlike", which says in which way a row is unlike the training rows, and is empty for a usual one.
    """
    number("coverage", coverage, low=0, high=1, open_low=True, open_high=True)
    ready = model.aligned(table)
    answers, heads = _answers(model, ready, coverage)
    if exposures is not None:
        heads = [*heads, f"expected {model.target}"]
        answers = [[*cells, repr(float(cells[0]) * float(e))] for cells, e in zip(answers, exposures)]
    after, more = _appended(model, ready, answers, coverage)
    named = [] if ids is None else [ids[0]]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    if not first:
        line = ["row", *map(safe_cell, named), safe_cell(model.predicted), *map(safe_cell, heads), "note", *after]
        writer.writerow(line)
    notes = _notes(model, ready)
    for i, cells in enumerate(answers):
        id_cells = [] if ids is None else [safe_cell(ids[1][i])]
        writer.writerow([first + i + 1, *id_cells, *cells, safe_cell(notes.get(i, "")), *(cells[i] for cells in more)])
    return text.getvalue()


def remarks(model: Model, coverage: float = COVERAGE) -> tuple[str, ...]:
    """Where the intervals and the flags come from, or why there are none: a sentence each."""
    sentences = []
    if predicts_numbers(model.task):
        sentences.append(_of_interval(model, coverage))
    if model.training is None:
        sentences.append("model.json is of an earlier Tamis, which kept nothing of the training rows: none are flagged")
    return tuple(sentences)


def remarks_on_csv(model: Model, coverage: float = COVERAGE) -> tuple[str, ...]:
    """The same, and which labels are not written as the table has them."""
    changed = [safe_cell(label) for label in model.labels if safe_cell(label) != label]
    if not changed:
        return remarks(model, coverage)
    sentence = f"labels that a spreadsheet would compute have an apostrophe in front: {first_few(changed, 3)}"
    return (*remarks(model, coverage), f"{sentence}; study.predict gives them without")


def _of_interval(model: Model, coverage: float) -> str:
    sentence = f"low and high hold a new answer with probability {coverage:g}"
    if model.fitted.has_interval:
        return f"{sentence}, by the model's own intervals"
    if model.exposure is not None:
        return f"each rate is per unit of {model.exposure}; no intervals: a count's distance depends on its exposure"
    if model.residuals is None:
        return "there are no intervals: the study's errors on held-out rows were not kept"
    rows, max_coverage = model.residuals.rows, model.residuals.max_coverage()
    if coverage > max_coverage:
        probability = f"{max_coverage:.3g}, not {coverage:g}"
        sentence = f"low and high hold a new answer with probability {probability} for want of rows"
    return f"{sentence}, by the errors of {rows:,} rows that were not seen in the study's folds"


def _answers(model: Model, ready: Table, coverage: float) -> tuple[list[list[Any]], list[str]]:
    """The cells of every row's answer, and the names of those behind the prediction."""
    if predicts_classes(model.task):
        shares = model.fitted.probabilities(ready, len(model.labels))
        rows = zip(model.decide(shares), shares)
        heads = [f"p({label})" for label in model.labels]
        return [[safe_cell(label), *(repr(float(share)) for share in row)] for label, row in rows], heads
    columns = [model.fitted.numbers(ready)[:, None]]
    ends = model.fitted.interval(ready, coverage)
    if ends is not None:
        columns.append(ends)
    return [[repr(float(value)) for value in row] for row in np.hstack(columns)], [] if ends is None else [
        "low",
        "high",
    ]


def _appended(
    model: Model, ready: Table, answers: list[list[Any]], coverage: float
) -> tuple[list[str], list[list[Any]]]:
    """Names and cells, column by column, of what stands behind the note."""
    names: list[str] = []
    columns: list[list[Any]] = []
    if predicts_numbers(model.task) and not model.fitted.has_interval and model.residuals is not None:
        middle = np.array([float(cells[0]) for cells in answers])
        ends = model.residuals.interval(middle, coverage)
        names += ["low", "high"]
        columns += [[repr(float(value)) for value in side] for side in ends.T]
    if model.training is not None:
        unlike = model.training.unlike(ready)
        names.append("unlike")
        columns.append([safe_cell(unlike.get(row, "")) for row in range(ready.n_rows)])
    return names, columns


def _notes(model: Model, ready: Table) -> dict[int, str]:
    """Row -> what the model never saw there."""
    notes: dict[int, list[str]] = {}
    for name, mask in model.unseen(ready).items():
        for row in np.flatnonzero(mask).tolist():
            notes.setdefault(row, []).append(f"unseen level of {name}")
    return {row: "; ".join(phrases) for row, phrases in notes.items()}
