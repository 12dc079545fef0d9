"""What a chart of the report is: a function, its caption, when it is drawn, and where it stands."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any, Concatenate, ParamSpec

from tamis.report.charts.frame import Figure
from tamis.results.results import Results

P = ParamSpec("P")


def of_results(draw: Callable[Concatenate[Results, P], Figure]) -> Callable[..., Figure]:
    """A chart of results, be they a record or the plain values of `study.results_`."""

    @wraps(draw)
    def figure(results: Results | dict[str, Any], *args: P.args, **kwargs: P.kwargs) -> Figure:
        record = results if isinstance(results, Results) else Results.from_dict(results)
        return draw(record, *args, **kwargs)

    return figure


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
    draw: Callable[..., Figure]
    caption: str
    is_drawn: Callable[[Results], bool]
    section: str
    has_place: bool = False
    order: int = 100
