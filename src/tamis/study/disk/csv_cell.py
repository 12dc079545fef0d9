"""Cells of the CSV files a study writes."""

from __future__ import annotations

import re
from typing import Any

#: Begins like a formula, and is none: signs without anything to compute with ("+", "--", "+/-"), or a signed number.
_NO_FORMULA = re.compile(r"[=+\-@/ ]+|[+-](?:\d+(?:[.,]\d*)?|[.,]\d+)(?:[eE][+-]?\d+)?%?", re.ASCII)


def safe_cell(value: object) -> Any:
    """A cell that no spreadsheet takes for a formula: text that is one to it gets an apostrophe in front.

    >>> safe_cell("=1+1"), safe_cell("-A1"), safe_cell("age"), safe_cell("+"), safe_cell("-0.5")
    ("'=1+1", "'-A1", 'age', '+', '-0.5')
    """
    if not isinstance(value, str) or value[:1] not in ("=", "+", "-", "@", "\t", "\r", "\n"):
        return value
    return value if _NO_FORMULA.fullmatch(value) else "'" + value
