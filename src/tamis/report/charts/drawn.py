"""The charts of a page: those that the results allow.

A chart is found by its file: every module of this folder may hold `CHARTS`, a tuple of `Chart`.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

from tamis.report.charts.chart import Chart
from tamis.report.charts.frame import Figure
from tamis.results.results import AnyResults, Results, results_of

#: Modules of this folder that hold no chart, and need not be imported to know it.
_HELPERS = ("chart", "drawn", "frame", "plots")


@cache
def charts() -> dict[str, Chart]:
    """Every chart by its name, in the order they are drawn."""
    names = [each.name for each in iter_modules([str(Path(__file__).parent)]) if each.name not in _HELPERS]
    listed = [chart for name in names for chart in import_module(f"tamis.report.charts.{name}").CHARTS]
    return {chart.name: chart for chart in sorted(listed, key=lambda chart: (chart.order, chart.name))}


def drawn(plain: dict[str, Any] | AnyResults) -> dict[str, Figure]:
    """Every chart that these results allow, by its name."""
    results = results_of(plain)
    if not isinstance(results, Results):
        return {}
    return {name: chart.draw(results) for name, chart in charts().items() if chart.is_drawn(results)}


def captions() -> dict[str, str]:
    """Name of a chart -> its caption."""
    return {name: chart.caption for name, chart in charts().items()}


def at_the_end(names: Iterable[str]) -> dict[str, list[str]]:
    """Section -> the charts that end it, of those named."""
    ends: dict[str, list[str]] = {}
    for chart in (charts()[name] for name in names):
        if not chart.has_place:
            ends.setdefault(chart.section, []).append(chart.name)
    return ends
