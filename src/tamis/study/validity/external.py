"""External validation: the finished model, as it is, on the rows of another table whose target is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import norm

from tamis.errors import TableError
from tamis.metrics import Metric, score
from tamis.metrics.intervals.interval import score_interval
from tamis.metrics.intervals.tally import Tally
from tamis.study.claims.price import spoken
from tamis.study.model import Model
from tamis.study.validity.calibration import calibration_facts, calibration_words
from tamis.study.validity.decision import decision_facts
from tamis.study.validity.drift import drift_facts, drift_words
from tamis.study.validity.judged import JudgedRows
from tamis.table import Table
from tamis.wording import span

#: Level of the test against the study's own estimate, and half the width of a 95% interval in standard errors.
LEVEL, REACH = 0.05, float(norm.ppf(0.975))


@dataclass(frozen=True, eq=False)
class Target:
    """The target of a new table.

    Attributes
    ----------
    y : codes of the model's classes, or numbers, of the rows that can be judged.
    usable : mask of these rows.
    exposure : of rates, how long or how much each of these rows was observed.
    without, unknown : rows without a value, and with a class that the model does not know (or that is no number).
    """

    y: np.ndarray
    usable: np.ndarray
    without: int
    unknown: int
    exposure: np.ndarray | None = None


def target_of(texts: Sequence[str], model: Model, exposures: np.ndarray | None = None) -> Target:
    """The target as codes or numbers, from its texts."""
    words = [word.strip() for word in texts]
    if model.labels:
        codes = {_canonical(str(label)): code for code, label in enumerate(model.labels)}
        values = np.array([codes.get(_canonical(word), -1) for word in words], dtype=np.int64)
        usable = values >= 0
    else:
        values = np.array([_number(word) for word in words])
        usable = np.isfinite(values)
    without = sum(not word for word in words)
    unknown = int((~usable).sum()) - without
    if not usable.any():
        raise TableError(
            f"no row of column {model.target!r} has a target that the model knows ({without:,} are empty, {unknown:,} "
            "hold something else); give the table with its outcome"
        )
    return Target(values[usable], usable, without, unknown, None if exposures is None else exposures[usable])


def validation_facts(
    model: Model, metric: Metric, ready: Table, target: Target, answer: dict[str, Any]
) -> dict[str, Any]:
    """Score, calibration, net benefit and drift of the model on these rows; `answer` is that of the study."""
    rows = ready.take(np.flatnonzero(target.usable))
    answers = model.fitted.answers(rows, len(model.labels))
    answers = answers if target.exposure is None else answers * target.exposure
    judged = JudgedRows.of_rows(target.y, answers)
    scored = _scored(metric, model, target.y, answers)
    calibrations = calibration_facts(judged, model.labels)
    facts = {
        "rows": len(target.y),
        "without_target": target.without,
        "unknown_target": target.unknown,
        "metric": metric.name,
        **scored,
        "expected": {"score": answer["score"], "interval": answer["interval"]},
        "p_value": _p_value(scored, answer),
        "calibration": calibrations,
        "net_benefit": decision_facts(judged, model.labels),
        "drift": drift_facts(model.training, rows),
    }
    return {**facts, "words": validation_words(facts, spoken(metric.name))}


def validation_words(facts: dict[str, Any], metric: str) -> list[str]:
    """The result in sentences.

    >>> facts = {"rows": 412, "score": 0.71, "interval": [0.66, 0.75], "p_value": 0.002, "calibration": [], "drift": [],
    ...          "expected": {"score": 0.82, "interval": [0.75, 0.87]}, "without_target": 0, "unknown_target": 0}
    >>> validation_words(facts, "accuracy")[0]
    'On 412 rows of this table accuracy is 0.71 (95% interval 0.66–0.75); the study expected 0.82 (0.75–0.87). The \
difference is beyond chance (p = 0.002).'
    """
    if facts["score"] is None:
        return [f"{metric} has no value on these {facts['rows']:,} rows."]
    first = f"On {facts['rows']:,} rows of this table {metric} is {_with_interval(facts['score'], facts['interval'])}"
    expected = facts["expected"]
    if expected["score"] is not None:
        first += f"; the study expected {_with_interval(expected['score'], expected['interval'], '')}"
    sentences = [f"{first}."]
    if facts["p_value"] is not None:
        is_different = facts["p_value"] <= LEVEL
        what = "is beyond chance" if is_different else "is not distinguishable from chance"
        sentences[0] += f" The difference {what} (p = {facts['p_value']:.2g})."
    if len(facts["calibration"]) == 1:
        sentences.append(calibration_words(facts["calibration"][0], facts["rows"]))
    left = facts["without_target"] + facts["unknown_target"]
    if left:
        sentences.append(
            f"{left:,} rows were not judged: {facts['without_target']:,} without a target, {facts['unknown_target']:,} "
            "with a target that the model does not know."
        )
    return [*sentences, *drift_words(facts["drift"], facts["rows"])]


def _with_interval(value: float, interval: Any, words: str = "95% interval ") -> str:
    ends = "" if interval is None else f" ({words}{span(f'{interval[0]:.2f}', f'{interval[1]:.2f}')})"
    return f"{value:.2f}{ends}"


def _scored(metric: Metric, model: Model, y: np.ndarray, answers: np.ndarray) -> dict[str, Any]:
    """The score of one model on rows of which it learned nothing, with its interval."""
    labels = model.labels or None
    predictions = answers
    if labels is not None and metric.needs == "labels":
        predictions = answers.argmax(axis=1) if model.loss is None else model.loss.answers(answers)
    value = score(metric, y, predictions, labels=None if labels is None else np.arange(len(labels)))
    if value is None or not np.isfinite(value):
        return {"score": None, "interval": None}
    decided = None if model.loss is None else model.loss.answers(answers)
    tally = Tally.of(y, answers, np.arange(len(y)), labels, decided=decided, means=(metric,))
    bound = score_interval(metric, [tally], [value], np.inf, len(y))
    return {"score": float(value), "interval": None if bound.note else [float(bound.low), float(bound.high)]}


def _p_value(scored: dict[str, Any], answer: dict[str, Any]) -> float | None:
    """Two-sided, of the difference to the study's estimate, from the widths of both intervals."""
    if scored["interval"] is None or answer["interval"] is None or answer["score"] is None:
        return None
    errors = [(high - low) / (2 * REACH) for low, high in (scored["interval"], answer["interval"])]
    error = float(np.hypot(*errors))
    return float(2 * norm.sf(abs(scored["score"] - answer["score"]) / error)) if error > 0 else None


def _canonical(word: str) -> str:
    """Numbers that are written differently are one class: 1, 1.0."""
    value = _number(word)
    return f"{value:g}" if np.isfinite(value) else word.strip()


def _number(word: str) -> float:
    try:
        return float(word)
    except ValueError:
        return float("nan")
