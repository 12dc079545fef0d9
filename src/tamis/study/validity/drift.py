"""How the columns of a new table differ from those of the training rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from tamis.study.prediction.training import Training
from tamis.table import Table
from tamis.table.column import UNSEEN

#: Shares of missing values that differ by more than this are worth a line.
MISSING_SHIFT = 0.05


def drift_facts(training: Training | None, ready: Table) -> list[dict[str, Any]]:
    """Of each column of the model: rows out of range, rows with a new level, and missing values before and now."""
    if training is None:
        return []
    return [_of_column(training_column, training.rows, ready) for training_column in training.columns]


def drift_words(facts: list[dict[str, Any]], n_rows: int) -> list[str]:
    """A sentence for each column that differs.

    >>> drift_words([{"column": "age", "below": 0, "above": 3, "low": 20.0, "high": 80.0, "new_level": 0,
    ...               "missing": 0.0, "missing_in_training": 0.0}], 50)
    ['age: 3 of 50 rows are outside the training range 20 to 80.']
    """
    sentences = []
    for record in facts:
        outside = record["below"] + record["above"]
        if outside:
            ends = f"{record['low']:.6g} to {record['high']:.6g}"
            sentences.append(
                f"{record['column']}: {outside:,} of {n_rows:,} rows are outside the training range {ends}."
            )
        if record["new_level"]:
            sentences.append(
                f"{record['column']}: {record['new_level']:,} of {n_rows:,} rows have a level not in training."
            )
        if abs(record["missing"] - record["missing_in_training"]) > MISSING_SHIFT:
            sentences.append(
                f"{record['column']}: {record['missing']:.0%} of the rows are missing, in training "
                f"{record['missing_in_training']:.0%}."
            )
    return sentences


def _of_column(training_column: Any, n_training: int, ready: Table) -> dict[str, Any]:
    column = ready.column(training_column.name)
    is_missing = column.missing
    below = above = 0
    if training_column.low is not None and not column.is_categorical:
        with np.errstate(invalid="ignore"):
            below, above = (
                int((column.values < training_column.low).sum()),
                int((column.values > training_column.high).sum()),
            )
    return {
        "column": training_column.name,
        "low": training_column.low,
        "high": training_column.high,
        "below": below,
        "above": above,
        "new_level": int((column.values == UNSEEN).sum()) if column.is_categorical else 0,
        "missing": float(is_missing.mean()) if len(is_missing) else 0.0,
        "missing_in_training": training_column.missing / n_training if n_training else 0.0,
    }
