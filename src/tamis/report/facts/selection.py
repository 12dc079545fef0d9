"""Which columns, how sure: frequency over folds, interchangeable groups, pairs that act together."""

from __future__ import annotations

from math import floor
from typing import Any

from tamis.report import show
from tamis.report.table import Head, ReportTable, cell
from tamis.results.results import ColumnStability, Results

#: Members of an interchangeable group that are named, at most.
MOST_NAMED = 8


def selection(results: Results) -> dict[str, Any]:
    """How often each column was used, how alike the folds' lists are, what could stand for what, what acts together."""
    listed, folds = results.stability, len(results.folds)
    heads = (
        Head("column"),
        Head("share of folds", number=True, bar=True),
        Head("in the final model"),
        Head("sure", title="Explains the target beyond the other columns of the model, more than chance does."),
    )
    sure = {row["name"]: row for row in results.findings.get("support") or ()}
    rows = [
        [
            cell(show.name(row.name), name=True),
            cell(show.share(row.fraction), row.fraction),
            cell("yes" if row.selected else "no", css="good" if row.selected else ""),
            cell(_sure(sure.get(row.name))),
        ]
        for row in listed
    ]
    findings = results.findings
    return {
        "sentence": _used(listed, folds),
        "index": _index(findings.get("stability"), folds) + _false(findings.get("expected_false")),
        "table": ReportTable("stability", "Share of folds that used each column", heads, rows),
        "groups": _groups(findings.get("interchangeable") or []),
        "pairs": _pairs(findings.get("interactions")),
        "frontier": _frontier(results),
        "paths": _paths(results),
    }


def _used(listed: list[ColumnStability], folds: int) -> str:
    if not listed:
        return "The chosen procedure used no column in any fold."
    always = sum(row.fraction == 1 for row in listed)
    if always == len(listed):
        what = "one column" if always == 1 else f"{show.number_word(always)} columns"
        return f"The chosen procedure used the same {what} in each of {show.count(folds, 'fold')}.{_shown(listed)}"
    return (
        f"Over {show.count(folds, 'fold')} the chosen procedure used {show.count(len(listed), 'different column')}; "
        f"{show.number_word(always)} of them in every fold. A column that few folds used may owe its place to "
        f"chance.{_shown(listed)}"
    )


def _shown(listed: list[ColumnStability]) -> str:
    return f" The chart shows the first {show.MOST_BARS}." if len(listed) > show.MOST_BARS else ""


def _sure(row: dict[str, Any] | None) -> str:
    """Whether a column of the model is sure, with the reason where it is not."""
    return "" if row is None else "yes" if row["supported"] else show.name(row["reason"])


def _index(stability: dict[str, Any] | None, folds: int) -> str:
    """Nogueira's index in words, with what its interval leaves out."""
    if not stability:
        return ""
    if stability["index"] is None:
        return "How alike the folds' lists are has no number here: each fold used all columns, or none."
    sure = f" (95% interval {show.interval(stability['interval'], 2)})" if stability["interval"] else ""
    size = show.count(stability["max_columns"], "column")
    if stability["min_columns"] != stability["max_columns"]:
        size = f"{stability['min_columns']:,} to {size}"
    return (
        f"Stability of the selection, after Nogueira: {show.number(stability['index'], 2)}{sure}; 1 would be the "
        "same list "
        f"in every fold, 0 lists as if drawn blindly. The lists have {size}. Folds share most of their rows; "
        "lists from wholly new rows would likely agree less."
    )


def _false(bound: float | None) -> str:
    """The selector's own bound on columns that chance alone brought in, where it gives one."""
    return (
        ""
        if bound is None
        else f" By its selector's bound, on average at most {show.number(bound, 1)} columns owe their place to chance."
    )


def _groups(groups: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Groups of columns that tell nearly the same: names, how many more there are, and what to make of it."""
    groups_facts = []
    for group in groups:
        names, used = group["columns"], group["used"]
        listed = [
            {"text": show.short(name, 60), "whole": show.name(name), "used": index < used}
            for index, name in enumerate(names[:MOST_NAMED])
        ]
        more = len(names) - len(listed)
        min_correlation = f"{floor(100 * group['least'] + 1e-9) / 100:.2f}"  # rounded down: a bound from below
        takes = "the model uses one" if used == 1 else f"the model uses {used:,}"
        groups_facts.append(
            {
                "names": listed,
                "more": f"and {more:,} more" if more else "",
                "words": f"every two correlate by {min_correlation} or more in size; {takes} of {len(names):,}",
            }
        )
    return groups_facts


def _pairs(tests: dict[str, Any] | None) -> dict[str, Any] | None:
    if not tests:
        return None
    looked = (
        f"Pairs of {show.count(tests['columns'], 'column')} were tested on {show.count(tests['rows'], 'row')}, against "
        f"a sum of one curve per column. P-values are adjusted for all pairs ({tests['draws']} draws)."
    )
    heads = (
        Head("column"),
        Head("with"),
        Head("share", number=True, title="Share of the variance left by the sum of curves that the pair explains."),
        Head("p", number=True),
    )
    rows = [
        [
            cell(show.name(pair["first"]), name=True),
            cell(show.name(pair["second"]), name=True),
            cell(show.share(pair["share"]), pair["share"]),
            cell(show.p_value(pair["p_value"]).removeprefix("= "), pair["p_value"]),
        ]
        for pair in tests["pairs"]
    ]
    caption = "Pairs whose effect is no sum of one effect each"
    return {
        "sentence": f"No pair acts together beyond chance. {looked}" if not rows else looked,
        "table": ReportTable("pairs", caption, heads, rows) if rows else None,
    }


def _frontier(results: Results) -> str:
    """What the chart of score against columns says of the choice."""
    listed = results.comparison.procedures
    if len(listed) < 2:
        return ""
    has_restricted = any(path.rows == "outer" for path in results.paths)
    inside = any(path.rows == "inner" for path in results.paths)
    return (
        "Every procedure by the columns that it used (mean over folds) and its score on held-out rows; further left "
        "is cheaper to use. The chosen one is orange."
        + has_restricted * f" {_HELD}"
        + inside * f" {_INSIDE}"
        + (has_restricted or inside) * f" {_TAKE}"
    )


_HELD = (
    "A line follows a procedure held to fewer columns: those that contribute most to it in each training fold, scored "
    "on held-out rows, in the folds of the first repeat."
)
_INSIDE = (
    "A dashed line follows the halving of a forest's columns, one step of it perhaps half of a halving (0.71 of the "
    "columns): forests of one half of a training part, judged on its other half, so of fewer rows than the points."
)
_TAKE = "The command tamis choose takes such a model with --columns, and quotes its own score in all outer folds."

#: What a path is judged on.
_ROWS = {"outer": "held-out rows", "inner": "inside training folds"}


def _paths(results: Results) -> ReportTable | None:
    """The points along every procedure as a table."""
    heads = (
        Head("procedure"),
        Head("at most", number=True, title="columns that the procedure is held to"),
        Head("used", number=True, title="columns used, mean over folds"),
        Head(show.metric(results.answer.metric), number=True),
        Head("judged on"),
    )
    rows = [
        [
            cell(show.name(path.procedure), name=True),
            cell(f"{point.max_columns:,}", point.max_columns),
            cell(show.number(point.columns, 1), point.columns),
            cell(show.number(point.score), point.score),
            cell(_ROWS[path.rows]),
        ]
        for path in results.paths
        for point in path.points
    ]
    return ReportTable("paths", "Scores of procedures held to fewer columns", heads, rows) if rows else None
