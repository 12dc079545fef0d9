"""A table for the screen with a bar on every line."""

from collections.abc import Sequence
from typing import Any

import numpy as np

WORDS = ("column", "sign")  # what stands at the left of its column; numbers stand at the right


def with_bars(lines: Sequence[dict[str, Any]], by: str, width: int = 24) -> str:
    """Lines with the same keys as a table, each with a bar: full for the largest value of `by`, none for 0 or below.

    >>> print(with_bars([{"column": "a", "score": 2.0}, {"column": "b", "score": 1.0}], "score", width=4))
    column  score
    a           2  ████
    b           1  ██
    """
    if not lines:
        return ""
    keys = list(lines[0])
    cells = [[_short(line[key]) for key in keys] for line in lines]
    sizes = [max(len(key), *(len(row[i]) for row in cells)) for i, key in enumerate(keys)]
    scores = np.array([line[by] for line in lines], dtype=np.float64)
    low = min(0.0, scores.min()) if scores.max() <= 0 else 0.0  # combined ranks are negative: measure from the worst
    full = max(scores.max() - low, 1e-300)
    text = ["  ".join(_aligned(key, key, size) for key, size in zip(keys, sizes)).rstrip()]
    for row, score in zip(cells, scores):
        bar = "█" * round(width * max(score - low, 0.0) / full)
        text.append(("  ".join(_aligned(k, cell, s) for k, cell, s in zip(keys, row, sizes)) + "  " + bar).rstrip())
    return "\n".join(text)


def _short(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else " ".join(str(value).split())


def _aligned(key: str, cell: str, size: int) -> str:
    return cell.ljust(size) if key in WORDS else cell.rjust(size)
