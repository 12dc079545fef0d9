"""Calibration, net benefit and subgroups for the report: sentences, and the tables behind them."""

from __future__ import annotations

from typing import Any

from tamis.report import show
from tamis.report.table import Cell, Head, ReportTable, cell
from tamis.results.results import Results


def validity(results: Results) -> dict[str, Any] | None:
    """Sentences and tables; None for studies without a model, or of an earlier version."""
    facts = results.validity
    if not facts:
        return None
    return {
        "words": facts["words"],
        "calibration": _calibration(facts["calibration"]),
        "subgroups": _subgroups(facts["subgroups"], results),
    }


def _calibration(records: list[dict[str, Any]]) -> ReportTable | None:
    """Intercept, slope and error of each class; of numbers, one line."""
    if not records:
        return None
    heads = (
        Head("predictions of"),
        Head("intercept", number=True, title="calibration in the large; 0 is perfect"),
        Head("slope", number=True, title="1 is perfect; below 1 predictions are too extreme"),
        Head("calibration error", number=True, title="root mean squared, in tenths of the predictions, bias removed"),
    )
    rows = [
        [
            cell("the target" if record["label"] is None else show.name(record["label"]), name=True),
            _with_interval(record["intercept"], record["intercept_interval"]),
            _with_interval(record["slope"], record["slope_interval"]),
            cell("–", -1) if record["error"] is None else cell(show.number(record["error"]), record["error"]),
        ]
        for record in records
    ]
    return ReportTable("calibration", "Calibration of held-out predictions (95% intervals)", heads, rows)


def _subgroups(facts: dict[str, Any] | None, results: Results) -> ReportTable | None:
    """A line for each subgroup of enough rows."""
    if facts is None or not facts["records"]:
        return None
    metric = show.metric(facts["metric"])
    heads = (
        Head("column"),
        Head("subgroup"),
        Head("rows", number=True),
        Head(metric, number=True),
        Head("other rows", number=True, title=f"{metric} of the rows outside the subgroup"),
        Head("observed less predicted", number=True, title="mean; above 0 predictions are too low"),
        Head("differs", title="beyond chance, adjusted for the number of comparisons"),
    )
    words_of = {"score": metric, "bias": "calibration"}
    rows = [
        [
            cell(show.name(record["column"]), name=True),
            cell(show.name(record["level"]), name=True),
            cell(f"{record['rows']:,}", record["rows"]),
            _with_interval(record["score"], record["interval"]),
            cell("–", -1) if record["other_score"] is None else cell(show.number(record["other_score"])),
            _with_interval(record["bias"], record["bias_interval"]),
            cell(", ".join(words_of[name] for name in record["differs"]) or "no"),
        ]
        for record in facts["records"]
    ]
    return ReportTable("subgroups", "Subgroups of held-out rows (95% intervals)", heads, rows)


def _with_interval(value: float | None, interval: list[float] | None) -> Cell:
    if value is None:
        return cell("–", -1)
    if interval is None:
        return cell(show.number(value), value)
    return cell(f"{show.number(value)} ({show.number(interval[0])} to {show.number(interval[1])})", value)
