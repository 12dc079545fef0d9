"""A formula as a table of its terms: what each unit of a column, or each level, adds."""

from __future__ import annotations

import math
from typing import Any

from tamis.report import show

#: What a sum of terms is of, before its link.
SUMS = {
    "identity": "{target}",
    "exp": "the logarithm of {target}",
    "logistic": "the log odds of {label}",
    "softmax": "the score of each class, before the softmax",
    "cumulative": "a score that is larger for higher classes",
}


def coefficient(value: float) -> str:
    """Four digits, whatever the unit.

    >>> coefficient(-0.00012345), coefficient(28451.7), coefficient(0.0)
    ('−0.0001234', '28,452', '0')
    """
    if value == 0:
        return "0"
    text = f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"
    return text.replace("-", "\u2212", 1) if text.startswith("-") else text


def sum_words(readable: dict[str, Any], target: str) -> str:
    """What the terms add up to.

    >>> sum_words({"link": "logistic", "labels": ["no", "yes"], "classes": [0, 1]}, "ill")
    'the log odds of yes'
    """
    classes = readable["classes"]
    label = show.short(readable["labels"][classes[-1]], 40) if classes else ""
    return SUMS[readable["link"]].format(target=show.short(target, 40), label=label)


def formula(readable: dict[str, Any], target: str) -> dict[str, Any]:
    """Heads and rows of the table, and what they add up to; the largest effect over a column's range comes first."""
    several = len(readable["intercept"]) > 1
    with_odds = readable["link"] in ("logistic", "cumulative")
    labels = [show.short(readable["labels"][code], 24) for code in readable["classes"] or ()]
    rows = []
    for term in sorted(readable["terms"], key=lambda term: -_reach(term, readable)):
        column = readable["columns"][term["column"]]
        rows.append(
            {
                "name": show.short(column["name"], 48),
                "whole": show.name(column["name"]),
                "level": _level(term, column),
                "values": [coefficient(value) for value in term["coef"]],
                "signs": ["" if value == 0 else "up" if value > 0 else "down" for value in term["coef"]],
                "odds": _odds(term, column) if with_odds else "",
                "range": _range(term, column),
            }
        )
    return {
        "of": sum_words(readable, target),
        "heads": labels if several else ["coefficient"],
        "with_odds": with_odds,
        "intercept": [] if "thresholds" in readable else [coefficient(value) for value in readable["intercept"]],
        "thresholds": _thresholds(readable, labels),
        "rows": rows,
    }


def _thresholds(readable: dict[str, Any], labels: list[str]) -> list[str]:
    """How the score splits ordered classes, a sentence per threshold.

    >>> _thresholds({"thresholds": [-1.5]}, ["low", "high"])
    ['log odds of at most low = −1.5 less the score']
    """
    thresholds = readable.get("thresholds", ())
    return [f"log odds of at most {label} = {coefficient(at)} less the score" for label, at in zip(labels, thresholds)]


def _odds(term: dict[str, Any], column: dict[str, Any]) -> str:
    """What the odds are multiplied by: for a level, or for a round step of about a tenth of the column's values."""
    value = term["coef"][0]
    if term["level"] is not None or column["levels"] is not None:
        return f"× {odds_words(value)}"
    step = column_step(column)
    return f"× {odds_words(value * step)} per {coefficient(step)}"


def odds_words(log_odds: float) -> str:
    """An odds ratio of three digits; what is beyond a million either way is only said to be so.

    >>> odds_words(0.5), odds_words(-20.0), odds_words(900.0)
    ('1.65', '<0.000001', '>1,000,000')
    """
    if abs(log_odds) > math.log(1e6):
        return ">1,000,000" if log_odds > 0 else "<0.000001"
    return coefficient(float(f"{math.exp(log_odds):.3g}"))


def round_step(span: float) -> float:
    """1, 2 or 5 times a power of ten, about a tenth of a span.

    >>> round_step(80.0), round_step(0.3), round_step(0.0)
    (10.0, 0.02, 1.0)
    """
    if not span > 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(span / 10))
    return float(f"{min((1, 2, 5, 10), key=lambda factor: abs(math.log(factor * power / (span / 10)))) * power:.3g}")


def column_step(column: dict[str, Any]) -> float:
    """A round step of a column of numbers; a whole one, where its values are whole."""
    step = round_step(column["high"] - column["low"])
    return max(step, 1.0) if column.get("whole") else step


def _level(term: dict[str, Any], column: dict[str, Any]) -> str:
    """The level that a term stands for; of ordered words the coefficient is that of a step."""
    if term["level"] is not None:
        return f"= {show.short(term['level'], 40)}"
    if column["kind"] == "boolean" and column["levels"]:
        return f"= {show.short(column['levels'][-1], 40)}"
    return "(per step)" if column["levels"] else "(per day)" if column["kind"] == "date" else ""


def _range(term: dict[str, Any], column: dict[str, Any]) -> str:
    if term["level"] is not None or column["levels"] is not None:
        return ""
    moments = [show.moment(column[end], column["name"]) for end in ("low", "high")]
    numbers = [coefficient(float(f"{column[end]:.3g}")) for end in ("low", "high")]
    return " to ".join(number if moment is None else moment[:7] for moment, number in zip(moments, numbers))


def _reach(term: dict[str, Any], readable: dict[str, Any]) -> float:
    """How far a term moves the sum over the values of its column."""
    column = readable["columns"][term["column"]]
    span = 1.0
    if term["level"] is None:
        span = len(column["levels"]) - 1.0 if column["levels"] is not None else column["high"] - column["low"]
    return float(max(abs(value) for value in term["coef"]) * span)
