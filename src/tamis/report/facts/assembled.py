"""All facts of a report, in the order of the page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tamis.report import show
from tamis.report.facts.answer import answer
from tamis.report.facts.cards import cards
from tamis.report.facts.columns import columns, data
from tamis.report.facts.fields import fields
from tamis.report.facts.lock import lock_facts
from tamis.report.facts.model import model
from tamis.report.facts.performance import performance
from tamis.report.facts.picture import ladder
from tamis.report.facts.procedures import metric_of, optimism, procedures
from tamis.report.facts.selection import selection
from tamis.report.facts.sheet import leakage, reproduce
from tamis.report.facts.validity import validity
from tamis.report.facts.warnings import warnings
from tamis.report.table import Head, ReportTable, cell
from tamis.results.results import AnyResults, PartialResults, Results, results_of


def facts(
    plain: dict[str, Any] | AnyResults, plan: dict[str, Any], openings: Sequence[dict[str, Any]] = ()
) -> dict[str, Any]:
    """Everything the page shows, as text.

    Parameters
    ----------
    plain : as in results.json, finished or partial.
    plan : as in plan.json: the source and the settings.
    openings : lines of the ledger, oldest first.
    """
    results = results_of(plain)
    shared = {
        "title": f"{show.name(results.data.target)} · Tamis report",
        "target": show.name(results.data.target),
        "metric": show.metric(metric_of(results).name),
        "data": data(results, plan),
        "lock": lock_facts(results, openings),
        "columns": columns(results),
        "reproduce": reproduce(results, plan),
    }
    if not isinstance(results, Results):
        return {**shared, "partial": _partial(results)}
    return {
        **shared,
        "partial": None,
        "answer": answer(results, openings),
        "ladder": ladder(results),
        "warnings": warnings(results, openings),
        "cards": cards(results),
        "selection": selection(results),
        "procedures": procedures(results),
        "optimism": optimism(results),
        "model": model(results),
        "performance": performance(results),
        "validity": validity(results),
        "fields": fields(results),
        "leakage": leakage(results, openings),
    }


def _partial(results: PartialResults) -> dict[str, Any]:
    """What is known of a study that was stopped."""
    done = results.finished
    heads = (Head("procedure"), Head("folds so far", number=True), Head("nested so far", number=True))
    rows = [
        [
            cell(show.name(row["name"])),
            cell(f"{row['folds']:,}", row["folds"]),
            cell(show.number(row["score"]), row["score"]),
        ]
        for row in results.so_far
    ]
    return {
        "banner": f"PARTIAL: {done['tasks']:,} of {done['of']:,} tasks finished",
        "sentence": "The run was stopped. Nothing is chosen yet and no score is promised; the same command resumes it.",
        "table": ReportTable("partial", "Nested scores so far", heads, rows) if rows else None,
    }
