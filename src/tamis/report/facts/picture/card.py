"""A score card to print: statements with their points, and what each total means."""

from __future__ import annotations

from typing import Any

from tamis.report import show
from tamis.report.facts.picture.formula import coefficient


def card(readable: dict[str, Any], target: str) -> dict[str, Any]:
    """Statements and points, the largest first; totals with the risk or the expected value and their training rows."""
    risk, classes = readable["risk"], readable["classes"]
    what = show.short(target, 40) if classes is None else f"risk of {show.short(readable['labels'][classes[-1]], 40)}"
    lines = [
        {
            "words": show.short(statement["words"], 80),
            "whole": show.name(statement["words"]),
            "points": f"{statement['points']:+d}".replace("-", "\u2212"),
        }
        for statement in readable["statements"]
    ]
    totals = [
        {
            "total": f"{total:,}".replace("-", "\u2212"),
            "value": coefficient(value) if classes is None else f"{100 * value:.0f}%",
            "share": _share(value, risk["prediction"], classes is None),
            "rows": show.count(rows, "row"),
        }
        for total, value, rows in zip(risk["total"], risk["prediction"], risk["n_rows"])
    ]
    return {"lines": lines, "totals": totals, "what": what}


def _share(value: float, values: list[float], is_number: bool) -> float:
    """How much of a box is filled: the risk, or the place between the smallest and the largest value."""
    if not is_number:
        return round(value, 4)
    low, high = min(values), max(values)
    return round((value - low) / (high - low), 4) if high > low else 0.5
