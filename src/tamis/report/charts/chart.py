"""What a chart of the report is: a function, its caption, when it is drawn, and where it stands."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tamis.report.charts.frame import Figure

Results = dict[str, Any]


@dataclass(frozen=True)
class Chart:
    """A chart.

    Attributes
    ----------
    name : str
        The word it is asked for by: `study.plot.<name>()`, and the name of its file in `tamis figures`.
    draw : callable
        f(results) -> Figure.
    caption : str
        What is seen, in a sentence; screen readers read it, too.
    is_drawn : callable
        f(results) -> bool: whether these results hold what the chart needs.
    section : "procedures", "selection", "performance" or "validity"
        The section of the report that it ends, unless the template gives it a place.
    has_place : bool, default=False
        Whether the template of the section names the chart.
    order : int, default=100
        Charts are drawn in this order; of equals, by name.
    """

    name: str
    draw: Callable[[Results], Figure]
    caption: str
    is_drawn: Callable[[Results], bool]
    section: str
    has_place: bool = False
    order: int = 100
