"""The charts of one study as methods: `study.plot.frontier()` is a Bokeh figure."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from tamis.check import nearest
from tamis.errors import StudyError
from tamis.report.charts.chart import Chart
from tamis.report.charts.decision_curve import decision_curve
from tamis.report.charts.drawn import charts
from tamis.report.charts.frame import Figure
from tamis.report.charts.path import path
from tamis.report.charts.performance import precision_recall, predicted, reliability, residuals, roc
from tamis.report.charts.procedures import folds, procedures
from tamis.report.charts.selection import frontier, stability
from tamis.results.results import Results


class Plots:
    """The charts of a study.

    Parameters
    ----------
    results : as in results.json.
    """

    def __init__(self, results: Results | dict[str, Any]) -> None:
        self._results = results if isinstance(results, Results) else Results.from_dict(results)

    def frontier(self) -> Figure:
        """Score against number of columns over all procedures, the choice marked."""
        return frontier(self._results)

    def stability(self) -> Figure:
        """The share of folds in which each column was used."""
        return stability(self._results)

    def procedures(self) -> Figure:
        """Each procedure's score on rows not seen, with its interval."""
        return procedures(self._results)

    def folds(self) -> Figure:
        """Every fold's score of every procedure."""
        return folds(self._results)

    def path(self) -> Figure:
        """Coefficients of a linear model of a number or two classes along its path of penalties."""
        if not self._results.findings.get("path"):
            chosen, n = self._results.comparison.chosen, len(self._results.data.classes)
            of = f" of {n} classes" if n > 2 else ""
            raise StudyError(
                f"no path of penalties is kept of the chosen procedure {chosen!r}{of}; one is of lasso, ridge, "
                "elastic-net and svm, where the target is a number or one of two classes; plot frontier()"
            )
        return path(self._results)

    def roc(self) -> Figure:
        """The ROC curve of two classes, from predictions of rows not seen."""
        self._needs_two("a ROC curve")
        return roc(self._results)

    def precision_recall(self) -> Figure:
        """Precision against recall of the second of two classes, from predictions of rows not seen."""
        self._needs_two("a precision–recall curve")
        return precision_recall(self._results)

    def reliability(self) -> Figure:
        """How often answers came true against how sure the model was."""
        if not self._results.data.classes:
            raise StudyError("the target is a number, so there are no probabilities; plot residuals()")
        return reliability(self._results)

    def decision_curve(self) -> Figure:
        """Net benefit of acting on the predictions of two classes, beside acting on all rows and on none."""
        self._needs_two("a decision curve")
        if not (self._results.validity or {}).get("net_benefit"):
            raise StudyError("this study has no decision curve: it chose no model, or is of an earlier version")
        return decision_curve(self._results)

    def predicted(self) -> Figure:
        """Predictions of a number against the truth, for rows not seen."""
        self._needs_numbers()
        return predicted(self._results)

    def residuals(self) -> Figure:
        """Truth minus prediction against the prediction, for rows not seen."""
        self._needs_numbers()
        return residuals(self._results)

    def __getattr__(self, name: str) -> Callable[[], Figure]:
        """The chart of a name that has no method of its own."""
        chart = charts().get(name)
        if chart is None:
            raise AttributeError(f"a study has no chart {name!r}{nearest(name, charts())}")
        return partial(self._drawn, chart)

    def _drawn(self, chart: Chart) -> Figure:
        if not chart.is_drawn(self._results):
            raise StudyError(f"this study lacks what the chart {chart.name!r} shows; plot procedures()")
        return chart.draw(self._results)

    def _needs_two(self, what: str) -> None:
        n = len(self._results.data.classes)
        if n != 2:
            target = "a number" if n == 0 else f"one of {n} classes"
            raise StudyError(f"the target is {target}, and {what} needs two classes; plot procedures()")

    def _needs_numbers(self) -> None:
        if self._results.data.classes:
            raise StudyError("the target is a class, so there are no residuals; plot reliability()")
        if self._results.predictions is None:
            raise StudyError("there were too many rows to keep every prediction; plot procedures()")
