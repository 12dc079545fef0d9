"""Score and calibration in subgroups of rows, and which of them differ beyond chance."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from scipy.stats import norm

from tamis.errors import ParameterError
from tamis.metrics import Metric
from tamis.metrics.intervals.interval import score_interval
from tamis.metrics.intervals.tally import Tally
from tamis.study.claims.scoring import value
from tamis.study.problem import StudyProblem
from tamis.study.validity.judged import JudgedRows
from tamis.table import Column

#: A column of at most so many levels forms subgroups where none are named.
MAX_LEVELS = 6

#: Rows of a subgroup, and rows of the rarest class in it, below which nothing is said of it.
MIN_ROWS, MIN_EVENTS = 20, 5

#: Level of the tests, over all subgroups together.
LEVEL = 0.05

#: Half the width of a 95% interval in standard errors.
REACH = float(norm.ppf(0.975))


def subgroup_facts(
    problem: StudyProblem, metric: Metric, judged: JudgedRows | None, named: Sequence[str] | None
) -> dict[str, Any] | None:
    """Rows, score and calibration of each level of each column, with intervals.

    A subgroup is compared with all other rows: by the score, and by predicted against observed. p-values are adjusted
    by Holm's method over all comparisons; a subgroup differs where its adjusted p-value is at most 0.05.

    Parameters
    ----------
    named : columns to form subgroups by; None takes every column of 2 to 6 different values.
    judged : held-out predictions; None where they were too many to keep, and there are no facts.
    """
    if judged is None:
        return None
    every = [
        _record(problem, metric, judged, column.name, level, mask)
        for column in _columns(problem, named)
        for level, mask in _levels(column, problem.rows[judged.row])
    ]
    records = [record for record in every if record is not None]
    adjusted = holm([p for record in records for p in (record["score_p_value"], record["bias_p_value"])])
    for k, record in enumerate(records):
        record["score_p_value"], record["bias_p_value"] = adjusted[2 * k], adjusted[2 * k + 1]
        record["differs"] = [
            name for name in ("score", "bias") if (p := record[f"{name}_p_value"]) is not None and p <= LEVEL
        ]
    return {"metric": metric.name, "min_rows": MIN_ROWS, "min_events": MIN_EVENTS, "records": records}


def subgroup_words(facts: dict[str, Any]) -> list[str]:
    """A sentence for each subgroup that differs; one that none does, where there are any.

    >>> subgroup_words({"records": [], "metric": "accuracy"})
    []
    """
    sentences = [_difference(record, facts["metric"]) for record in facts["records"] if record["differs"]]
    if facts["records"] and not sentences:
        return ["No subgroup differs measurably from the other rows, in score or in calibration."]
    return sentences


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Holm's adjusted p-values; None stays None and does not count.

    >>> holm([0.01, None, 0.04, 0.03])
    [0.03, None, 0.06, 0.06]
    """
    finite = sorted((p, i) for i, p in enumerate(p_values) if p is not None)
    adjusted: list[float | None] = [None] * len(p_values)
    largest = 0.0
    for rank, (p, i) in enumerate(finite):
        largest = max(largest, min(1.0, (len(finite) - rank) * p))
        adjusted[i] = largest
    return adjusted


def _columns(problem: StudyProblem, named: Sequence[str] | None) -> list[Column]:
    """The columns that form subgroups."""
    column_of = {column.name: column for column in problem.as_read.columns} if problem.as_read is not None else {}
    column_of |= {column.name: column for column in problem.table.columns}
    if named is None:
        return [column for column in problem.table.columns if 2 <= len(np.unique(_codes(column))) <= MAX_LEVELS]
    for name in named:
        if name not in column_of:
            raise ParameterError(
                f"subgroups names {name!r}, which is no column of the table; give {', '.join(column_of)}"
            )
    return [column_of[name] for name in named]


def _codes(column: Column) -> np.ndarray:
    """Codes of the levels that occur."""
    return np.asarray(column.values[~column.missing])


def _levels(column: Column, rows: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    """Each level, in words, with a mask over the predictions; missing values are a level.

    Numbers of more than six values are cut at the thirds of these rows.
    """
    values, missing = column.values[rows], column.missing[rows]
    if column.kind in ("numeric", "date") and len(np.unique(values[~missing])) > MAX_LEVELS:
        low, high = np.quantile(values[~missing], (1 / 3, 2 / 3))
        yield f"up to {low:.4g}", ~missing & (values <= low)
        yield f"above {low:.4g} to {high:.4g}", ~missing & (values > low) & (values <= high)
        yield f"above {high:.4g}", ~missing & (values > high)
        if missing.any():
            yield "(missing)", missing
        return
    for code in np.unique(values[~missing]):
        word = column.levels[int(code)] if column.levels is not None and code >= 0 else None
        if word is None:
            word = f"{code:g}" if column.kind != "boolean" else {0.0: "no", 1.0: "yes"}[float(code)]
        yield str(word), ~missing & (values == code)
    if missing.any():
        yield "(missing)", missing


def _record(
    problem: StudyProblem, metric: Metric, judged: JudgedRows, column: str, level: str, mask: np.ndarray
) -> dict[str, Any] | None:
    """Facts of one subgroup; None where it has too few rows, or all of them."""
    inside, outside = judged.take(mask), judged.take(~mask)
    if not (_is_enough(inside, problem) and _is_enough(outside, problem)):
        return None
    inside_score, outside_score = (_scored(problem, metric, rows) for rows in (inside, outside))
    bias, bias_error = _bias(problem, inside)
    return {
        "column": column,
        "level": level,
        "rows": len(np.unique(inside.row)),
        "score": inside_score["score"],
        "interval": inside_score["interval"],
        "other_score": outside_score["score"],
        "score_p_value": _p_value(inside_score, outside_score),
        "bias": bias,
        "bias_interval": None if bias is None else [bias - REACH * bias_error, bias + REACH * bias_error],
        "bias_p_value": None if bias is None or bias_error <= 0 else float(2 * norm.sf(abs(bias) / bias_error)),
    }


def _is_enough(rows: JudgedRows, problem: StudyProblem) -> bool:
    if rows.weight.sum() < MIN_ROWS - 1e-9:
        return False
    if not problem.labels:
        return True
    per_class = np.bincount(rows.truth, rows.weight, minlength=len(problem.labels))
    return bool(np.sort(per_class)[-2] >= MIN_EVENTS - 1e-9)


def _scored(problem: StudyProblem, metric: Metric, rows: JudgedRows) -> dict[str, Any]:
    """The score of some rows (mean over repeats), its interval, and the standard error that the interval implies."""
    scores, tallies = [], []
    for repeat in np.unique(rows.repeat):
        mask = rows.repeat == repeat
        truth, predictions = rows.truth[mask], rows.predictions[mask]
        learned = np.ones(len(problem.labels), dtype=bool)
        scores.append(value(metric, problem.task, truth, predictions, problem.labels, learned))
        tallies.append(
            Tally.of(
                truth,
                predictions,
                rows.unit[mask],
                problem.labels or None,
                grouped=problem.groups is not None,
                repeat=int(repeat),
                means=(metric,),
            )
        )
    finite = [score for score in scores if score is not None]
    if len(finite) < len(scores):
        return {"score": None, "interval": None, "error": None}
    bound = score_interval(metric, tallies, finite, np.inf, len(np.unique(rows.row)))
    if bound.note:
        return {"score": float(np.mean(finite)), "interval": None, "error": None}
    return {
        "score": float(np.mean(finite)),
        "interval": [float(bound.low), float(bound.high)],
        "error": float(bound.high - bound.low) / (2 * REACH),
    }


def _p_value(inside_score: dict[str, Any], outside_score: dict[str, Any]) -> float | None:
    """Two-sided, from the difference of two scores of different rows and their standard errors."""
    if inside_score["error"] is None or outside_score["error"] is None:
        return None
    error = float(np.hypot(inside_score["error"], outside_score["error"]))
    return float(2 * norm.sf(abs(inside_score["score"] - outside_score["score"]) / error)) if error > 0 else None


def _bias(problem: StudyProblem, rows: JudgedRows) -> tuple[float | None, float]:
    """Mean of observed minus predicted, and its standard error over units; of two classes only, and of numbers."""
    if len(problem.labels) > 2:
        return None, 0.0
    predicted = rows.predictions[:, 1] if problem.labels else rows.predictions
    residual = rows.truth - predicted
    mean = float(np.average(residual, weights=rows.weight))
    sums = np.bincount(rows.unit, rows.weight * (residual - mean))
    n_units = len(sums)
    return mean, float(np.sqrt(sums @ sums * n_units / max(n_units - 1, 1))) / float(rows.weight.sum())


def _difference(record: dict[str, Any], metric: str) -> str:
    """What is different in a subgroup."""
    who = f"{record['column']} = {record['level']} ({record['rows']:,} rows)"
    sentences = []
    if "score" in record["differs"]:
        sentences.append(
            f"{who}: {metric} {record['score']:.2f} against {record['other_score']:.2f} in the other rows "
            f"(adjusted p = {record['score_p_value']:.2g})."
        )
    if "bias" in record["differs"]:
        side = "low" if record["bias"] > 0 else "high"
        sentences.append(
            f"{who}: predictions are too {side} by {abs(record['bias']):.2g} "
            f"(adjusted p = {record['bias_p_value']:.2g})."
        )
    return " ".join(sentences)
