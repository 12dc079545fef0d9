"""The frontier: score against number of columns over all procedures, the choice marked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np


def frontier(rows: Sequence[dict[str, Any]], chosen: str) -> list[dict[str, Any]]:
    """One point a procedure, fewest columns first: what it scores in the outer folds, and on how many columns.

    Parameters
    ----------
    rows : figures of procedures, as in `comparison.procedures`.
    chosen : the name of the procedure taken.

    Returns
    -------
    Of each its name as `procedure`, the mean number of `columns` over folds, `score`, `interval` and `loss` in the
    outer folds, whether it is `chosen`, and whether it is `efficient`: none with as few columns loses less.
    """
    points = [
        {
            "procedure": row["name"],
            "columns": float(np.mean(row["columns"])),
            "score": row["nested"],
            "interval": row["interval"],
            "loss": row["loss"],
            "chosen": row["name"] == chosen,
        }
        for row in rows
    ]
    points.sort(key=lambda point: (point["columns"], point["loss"]))
    least = np.inf
    for point in points:
        point["efficient"] = bool(point["loss"] < least)
        least = min(least, point["loss"])
    return points
