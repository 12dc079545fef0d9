"""Cells of the CSV files a study writes."""

from __future__ import annotations

from typing import Any


def safe_cell(value: Any) -> Any:
    """A cell that no spreadsheet takes for a formula: text that starts like one gets an apostrophe in front.

    >>> safe_cell("=1+1"), safe_cell("age")
    ("'=1+1", 'age')
    """
    return "'" + value if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r", "\n") else value
