"""What trees of a study split by."""

from __future__ import annotations

from tamis.task import COUNT


def split_criterion(task: str) -> str:
    """What splits of numbers are compared by."""
    return "poisson" if task == COUNT else "squared_error"
