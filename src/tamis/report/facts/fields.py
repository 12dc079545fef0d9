"""The same study in the words of a field: rows by class and odds ratios for a clinic, Gini, KS and lift for a bank."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tamis.report import show
from tamis.report.facts.model import term_name
from tamis.report.facts.picture.formula import coefficient, column_step, odds_words
from tamis.report.predictions import rates
from tamis.report.table import Cell, Head, ReportTable, cell
from tamis.results.results import Results

#: Median and quartiles describe a column whose mean lies farther from its median than this share of its deviation.
SKEWED = 0.25

#: Shares of rows in the tables of lift and approval.
TENTHS = tuple(k / 10 for k in range(1, 11))


def fields(results: Results) -> dict[str, Any]:
    """Blocks of the report: `clinic` and `bank`, None where they do not apply."""
    first, odds = _table_one(results), _odds_ratios(results)
    clinic = {"table_one": first, "odds": odds} if first or odds else None
    return {"clinic": clinic, "bank": _bank(results)}


# -- clinic ---------------------------------------------------------------------------------------------------------
def _table_one(results: Results) -> dict[str, Any] | None:
    """Rows by class: mean and deviation, or median and quartiles, of numbers; counts and shares of levels."""
    findings = results.findings
    facts = findings.get("table_one")
    if not facts:
        return None
    p_of = dict(zip(findings["columns"]["name"], findings["columns"]["p_value"]))
    heads = (
        Head("column"),
        Head(f"all rows (n = {facts['n']:,})", number=True),
        *(
            Head(f"{show.short(label, 30)} (n = {rows:,})", number=True)
            for label, rows in zip(facts["classes"], facts["rows"])
        ),
        Head("missing", number=True),
        Head("p, adjusted", number=True, title="of a test of the column alone against the target, for all columns"),
    )
    rows = [line for column in facts["columns"] for line in _lines(column, facts, p_of.get(column["name"]))]
    left = f" {show.count(facts['left'], 'further column')} are not listed." if facts["left"] else ""
    return {
        "table": ReportTable("table-one", "Table 1: training rows by class", heads, rows),
        "sentence": "Numbers: mean (standard deviation), or median [quartiles] where the mean lies more than a quarter "
        f"of a standard deviation from the median. Levels: rows (share of rows with a value).{left}",
    }


def _lines(column: dict[str, Any], facts: dict[str, Any], p_value: float | None) -> list[list[Cell]]:
    """The lines of a column: one of a number, one a level of a category."""
    name, n = show.name(column["name"]), facts["n"]
    tested = cell("–", 2) if p_value is None else cell(show.p_value(p_value).removeprefix("= "), p_value)
    if "numbers" in column:
        known = column["numbers"][0]
        by_median = is_skewed(known)
        cells = [_of_number(numbers, by_median, column["name"]) for numbers in column["numbers"]]
        unit = "median [quartiles]" if by_median else "mean (SD)"
        return [[cell(f"{name}, {unit}", name=True), *cells, _missing(n - known[0], n), tested]]
    sums = [sum(counts) for counts in column["counts"]]
    words = [show.short(level, 60) for level in column["levels"]]
    words += [f"{column['others']:,} others"] * bool(column["others"])
    lines = []
    for k, word in enumerate(words):
        cells = [_of_level(counts[k], total) for counts, total in zip(column["counts"], sums)]
        last = [_missing(n - sums[0], n), tested] if k == 0 else [cell(""), cell("")]
        lines.append([cell(f"{name} = {word}", name=True), *cells, *last])
    return lines


def is_skewed(numbers: list[Any]) -> bool:
    """Whether the mean lies far from the median.

    >>> is_skewed([4, 3.0, 2.16, 1.75, 2.5, 3.75]), is_skewed([4, 3.0, 1.9, 1.75, 2.5, 3.75])
    (False, True)
    """
    _, mean, deviation, _, median, _ = numbers
    return bool(deviation) and abs(mean - median) > SKEWED * deviation


def _of_number(numbers: list[Any], by_median: bool, name: str) -> Cell:
    def words(value: float) -> str:
        return show.moment(value, name) or _digits(value)

    n, mean, deviation, low, median, high = numbers
    if not n:
        return cell("–", -math.inf)
    if by_median:
        return cell(f"{words(median)} [{words(low)}–{words(high)}]", median)
    return cell(f"{words(mean)} ({_digits(deviation) if deviation is not None else '–'})", mean)


def _digits(value: float) -> str:
    return coefficient(float(f"{value:.3g}") if abs(value) < 1000 else value)


def _of_level(count: int, total: int) -> Cell:
    return cell(f"{count:,} ({show.share(count / total)})", count / total) if total else cell("–", -1)


def _missing(count: int, n: int) -> Cell:
    return cell(f"{count:,} ({show.share(count / n)})", count) if count else cell("0", 0)


def _odds_ratios(results: Results) -> dict[str, Any] | None:
    """Odds ratios of a formula of two classes, with their spread over the folds."""
    findings = results.findings
    readable, terms = findings.get("readable") or {}, findings.get("terms") or {}
    final = terms.get("final")
    if readable.get("kind") != "linear" or readable.get("link") != "logistic" or not final or len(final["coef"]) != 1:
        return None
    folds = [fold for fold in terms["folds"] if fold and len(fold["coef"]) == 1]
    columns = {column["name"]: column for column in readable["columns"]}
    rows = []
    for j, name in enumerate(final["names"]):
        step, value = _step(columns.get(name)), final["coef"][0][j]
        spread = [fold["coef"][0][fold["names"].index(name)] for fold in folds if name in fold["names"]]
        per = "" if step is None else coefficient(step)
        ends = [odds_words(bound * (step or 1.0)) for bound in (min(spread), max(spread))] if spread else None
        rows.append(
            [
                cell(term_name(name, results), name=True),
                cell(per),
                cell(odds_words(value * (step or 1.0)), value),
                cell("–" if ends is None else f"{ends[0]}–{ends[1]}"),
            ]
        )
    label = show.short(readable["labels"][readable["classes"][-1]], 40)
    heads = (
        Head("term"),
        Head("per", number=True, title="units of the column; empty for a level"),
        Head(f"odds ratio of {label}", number=True),
        Head("range over folds", number=True),
    )
    return {
        "table": ReportTable("odds-ratios", "Odds ratios of the formula", heads, rows),
        "sentence": "The odds are multiplied by this much per step of the column, all others held equal; 1 changes "
        "nothing. The range is that of the models of the folds: after a selection of columns a confidence interval "
        "would be too narrow. Shrinkage draws ratios towards 1. They are associations, not effects.",
    }


def _step(column: dict[str, Any] | None) -> float | None:
    """A round step of a column of numbers; None of a level."""
    if column is None or column["levels"] is not None:
        return None
    return column_step(column)


# -- bank -----------------------------------------------------------------------------------------------------------
def _bank(results: Results) -> dict[str, Any] | None:
    """Gini, KS, tenths by falling probability, and what approving the rest would let in."""
    labels = results.data.classes
    counted = "roc" in (results.comparison.diagnostics or {})
    if len(labels) != 2 or results.comparison.chosen == "baseline" or not (results.predictions or counted):
        return None
    curve, rows = rates(results), [row["rows"] for row in labels]
    facts, label = gains(curve, rows), show.short(labels[1]["label"], 40)
    first = facts["tenths"][0]
    return {
        "sentence": f"Gini {show.number(facts['gini'])} (twice the area under the ROC curve, minus 1). "
        f"KS {show.number(facts['ks'])}, the largest distance between the shares of {label} and of the others, at a "
        f"probability of {show.number(facts['ks_at'])}. The tenth of the rows with the highest probabilities holds "
        f"{show.share(first['captured'])} of {label}: a lift of {show.number(first['lift'], 2)}.",
        "tenths": _tenths(facts["tenths"], label),
        "approval": _approval(facts["approval"], label),
    }


def gains(curve: dict[str, np.ndarray], rows: list[int]) -> dict[str, Any]:
    """Gini, KS, lift and approval from a ROC curve; equal probabilities are shared out evenly.

    Parameters
    ----------
    curve : false and true positive rates by falling threshold.
    rows : of the other class, and of the class that is meant.

    >>> curve = {"false_positive": [0, 0, 0.5, 1], "true_positive": [0, 1, 1, 1], "threshold": [2, 0.9, 0.5, 0.1]}
    >>> facts = gains({name: np.array(values, float) for name, values in curve.items()}, [9, 1])
    >>> facts["gini"], facts["ks"], facts["ks_at"], facts["tenths"][0]["lift"]
    (1.0, 1.0, 0.9, 10.0)
    """
    false, true = curve["false_positive"], curve["true_positive"]
    share = rows[1] / sum(rows)
    reached = false * (1 - share) + true * share
    gap = int(np.argmax(true - false))
    captured = np.interp((0.0, *TENTHS), reached, true)
    rest = 1 - np.interp([1 - tenth for tenth in TENTHS], reached, true)
    return {
        "gini": float(2 * np.trapezoid(true, false) - 1),
        "ks": float(true[gap] - false[gap]),
        "ks_at": float(min(max(curve["threshold"][gap], 0.0), 1.0)),
        "tenths": [
            {
                "rows": tenth,
                "rate": float((captured[k + 1] - captured[k]) * share * 10),
                "captured": float(captured[k + 1]),
                "lift": float(captured[k + 1] / tenth),
            }
            for k, tenth in enumerate(TENTHS)
        ],
        "approval": [
            {"approved": tenth, "rate": float(rest[k] * share / tenth), "let_in": float(rest[k])}
            for k, tenth in enumerate(TENTHS)
        ],
    }


def _tenths(tenths: list[dict[str, float]], label: str) -> ReportTable:
    heads = (
        Head("tenth", number=True, title="rows of the highest probabilities first"),
        Head(label, number=True, bar=True, title=f"share of {label} in this tenth"),
        Head("captured", number=True, bar=True, title=f"share of all {label} in the tenths so far"),
        Head("lift", number=True, title=f"times as many {label} so far as among rows drawn at random"),
    )
    rows = [
        [
            cell(f"{100 * tenth['rows'] - 10:.0f}–{100 * tenth['rows']:.0f}%", tenth["rows"]),
            cell(show.share(tenth["rate"]), tenth["rate"]),
            cell(show.share(tenth["captured"]), tenth["captured"]),
            cell(show.number(tenth["lift"], 2), tenth["lift"]),
        ]
        for tenth in tenths
    ]
    return ReportTable(
        "deciles",
        f"Held-out rows in tenths by falling probability of {label}: rate, captured so far, lift so far",
        heads,
        rows,
    )


def _approval(approval: list[dict[str, float]], label: str) -> ReportTable:
    heads = (
        Head("approved", number=True, title="share of rows, those of the lowest probabilities"),
        Head(label, number=True, bar=True, title=f"share of {label} among the approved"),
        Head("let in", number=True, bar=True, title=f"share of all {label} that is approved"),
    )
    rows = [
        [
            cell(show.share(one["approved"]), one["approved"]),
            cell(show.share(one["rate"]), one["rate"]),
            cell(show.share(one["let_in"]), one["let_in"]),
        ]
        for one in approval
    ]
    return ReportTable("approval", f"Approval rate, and {label} among the approved", heads, rows)
