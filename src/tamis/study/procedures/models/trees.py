"""What trees of a study split by."""

from __future__ import annotations

from typing import Any

from tamis.task import COUNT, ORDINAL


def split_criterion(task: str) -> str:
    """What splits of numbers are compared by."""
    return "poisson" if task == COUNT else "squared_error"


def class_criterion(task: str) -> dict[str, Any]:
    """What splits and pruning of classes are compared by: of ordered ones the ranked probability score."""
    return {"criterion": "ordinal"} if task == ORDINAL else {"prune_by": "log_loss"}
