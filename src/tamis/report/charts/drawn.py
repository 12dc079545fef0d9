"""The charts of a page: those that the results allow."""

from __future__ import annotations

from typing import Any

from tamis.report.charts.decision_curve import decision_curve
from tamis.report.charts.frame import Figure
from tamis.report.charts.path import path
from tamis.report.charts.performance import precision_recall, predicted, reliability, residuals, roc
from tamis.report.charts.procedures import procedures
from tamis.report.charts.selection import frontier, stability

Results = dict[str, Any]


def drawn(results: Results) -> dict[str, Figure]:
    """Every chart that these results allow, by its name."""
    if "answer" not in results:
        return {}
    charts: dict[str, Figure] = {"procedures": procedures(results)}
    if results["stability"]:
        charts["stability"] = stability(results)
    compared = results["comparison"]["procedures"]
    if not results.get("ladder") and len(compared) > 1 and any(row["nested"] is not None for row in compared):
        charts["frontier"] = frontier(results)
    if (results.get("findings") or {}).get("path"):
        charts["path"] = path(results)
    return {**charts, **_of_predictions(results)}


def _of_predictions(results: Results) -> dict[str, Figure]:
    has_predictions, labels = results["predictions"] is not None, results["data"]["classes"]
    if has_predictions and not labels:
        return {"predicted": predicted(results), "residuals": residuals(results)}
    counted = (results["comparison"]["judged"] or {}).keys()
    charts: dict[str, Figure] = {}
    if len(labels) == 2 and (has_predictions or "roc" in counted):
        charts["roc"], charts["precision_recall"] = roc(results), precision_recall(results)
    if labels and (has_predictions or "calibration" in counted):
        charts["reliability"] = reliability(results)
    if (results.get("validity") or {}).get("net_benefit"):
        charts["decision_curve"] = decision_curve(results)
    return charts
