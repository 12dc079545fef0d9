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
    return [_of_column(seen, training.rows, ready) for seen in training.columns]


def drift_words(facts: list[dict[str, Any]], n_rows: int) -> list[str]:
    """A sentence for each column that differs.

    >>> drift_words([{"column": "age", "below": 0, "above": 3, "low": 20.0, "high": 80.0, "new_level": 0,
    ...               "missing": 0.0, "missing_in_training": 0.0}], 50)
    ['age: 3 of 50 rows are outside the training range 20 to 80.']
    """
    sentences = []
    for one in facts:
        outside = one["below"] + one["above"]
        if outside:
            ends = f"{one['low']:.6g} to {one['high']:.6g}"
            sentences.append(f"{one['column']}: {outside:,} of {n_rows:,} rows are outside the training range {ends}.")
        if one["new_level"]:
            sentences.append(f"{one['column']}: {one['new_level']:,} of {n_rows:,} rows have a level not in training.")
        if abs(one["missing"] - one["missing_in_training"]) > MISSING_SHIFT:
            sentences.append(
                f"{one['column']}: {one['missing']:.0%} of the rows are missing, in training "
                f"{one['missing_in_training']:.0%}."
            )
    return sentences


def _of_column(seen: Any, n_training: int, ready: Table) -> dict[str, Any]:
    column = ready.column(seen.name)
    is_missing = column.missing
    below = above = 0
    if seen.low is not None and not column.is_categorical:
        with np.errstate(invalid="ignore"):
            below, above = int((column.values < seen.low).sum()), int((column.values > seen.high).sum())
    return {
        "column": seen.name,
        "low": seen.low,
        "high": seen.high,
        "below": below,
        "above": above,
        "new_level": int((column.values == UNSEEN).sum()) if column.is_categorical else 0,
        "missing": float(is_missing.mean()) if len(is_missing) else 0.0,
        "missing_in_training": seen.missing / n_training if n_training else 0.0,
    }
