"""The small picture of a column: bars of its values, or of its most frequent levels."""

from __future__ import annotations

from typing import Any

import numpy as np

from tamis.report.sketch import Frame
from tamis.table import Column

#: Of the picture, in its own units.
WIDTH, HEIGHT = 120, 32

#: Bars of numbers, and levels of categories that are named.
MOST_BARS, MOST_LEVELS = 20, 4


def picture_of(column: Column) -> dict[str, Any] | None:
    """A histogram as a path, with its ends; or levels with their shares. None where there is no value.

    >>> from tamis.table import categories
    >>> picture_of(categories("kind", ["a", "b", "a", "c"]))
    {'levels': [['a', 0.5], ['b', 0.25], ['c', 0.25]], 'more': 0}
    """
    present = column.values[~column.missing]
    if not len(present):
        return None
    if column.levels is not None:
        return _levels(column, present)
    return _histogram(present)


def _levels(column: Column, present: np.ndarray) -> dict[str, Any]:
    levels = column.levels or ()
    counts = np.bincount(present.astype(np.int64), minlength=len(levels))
    order = range(len(levels)) if column.kind == "ordinal" else np.argsort(-counts, kind="stable").tolist()
    named = [[str(levels[code]), round(float(counts[code] / len(present)), 4)] for code in order if counts[code]]
    return {"levels": named[:MOST_LEVELS], "more": max(0, len(named) - MOST_LEVELS)}


def _histogram(present: np.ndarray) -> dict[str, Any]:
    low, high = float(present.min()), float(present.max())
    different = np.unique(present[:1_000])
    n_bars = min(MOST_BARS, max(2, len(different)))
    heights, edges = np.histogram(present, bins=n_bars, range=(low, high) if high > low else (low - 0.5, low + 0.5))
    frame = Frame(0, 2, WIDTH, HEIGHT - 2, (float(edges[0]), float(edges[-1])), (0.0, float(heights.max())))
    return {"path": frame.stairs(edges.tolist(), heights.tolist()), "ends": [low, high]}
