"""The answer of a study as sentences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

#: Columns named in the sentence; the report lists the others.
MOST_NAMED = 12

#: Metrics whose names do not read well in a sentence.
SPOKEN = {"cost": "mean cost", "r2": "R²", "roc_auc": "area under the ROC curve", "rmse": "root mean squared error"}


def answer(facts: dict[str, Any]) -> str:
    """The answer in words, from the facts of results.json.

    >>> answer({"selected": ["age", "bmi"], "n_columns": 8, "metric": "accuracy", "score": 0.95,
    ...         "interval": [0.92, 0.97], "baseline": 0.63, "task": "classes", "beats_baseline": True})
    '2 of 8 columns carry the signal: age, bmi. Expected accuracy on new rows 0.95 (95% interval 0.92–0.97); always \
guessing the majority gives 0.63.'
    """
    guess = "always guessing the majority" if facts["task"] == "classes" else "always guessing the mean"
    if facts["metric"] == "cost":
        guess = "the cheapest answer for all"
    low, high = facts["interval"]
    expected = (
        f"Expected {_spoken(facts['metric'])} on new rows {_two(facts['score'])} "
        f"(95% interval {_two(low)}–{_two(high)}); "
        f"{guess} gives {_two(facts['baseline'])}."
    )
    if not facts["beats_baseline"]:
        return (
            f"No column carries a signal that can be told from chance among {facts['n_columns']:,} columns. {expected}"
        )
    return f"{_columns(facts['selected'], facts['n_columns'])} {expected}"


def _columns(names: Sequence[str], total: int) -> str:
    verb = "carries" if len(names) == 1 else "carry"
    shown = ", ".join(names[:MOST_NAMED])
    more = f" and {len(names) - MOST_NAMED:,} more" if len(names) > MOST_NAMED else ""
    plural = "column" if total == 1 else "columns"
    return f"{len(names):,} of {total:,} {plural} {verb} the signal: {shown}{more}."


def _spoken(metric: str) -> str:
    return SPOKEN.get(metric, metric.replace("_", " "))


def _two(value: float) -> str:
    """Two decimals, or four significant digits for sizes that two decimals would not fit; no minus before a zero.

    >>> _two(-0.002), _two(12345.6)
    ('0.00', '12,346')
    """
    return f"{value:z.2f}" if abs(value) < 10 else f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"
