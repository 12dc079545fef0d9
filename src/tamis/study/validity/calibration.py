"""Calibration of a study's held-out predictions as facts, and in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tamis.metrics.calibration import calibration, number_calibration
from tamis.metrics.intervals.tally import Tally
from tamis.report import show
from tamis.study.validity.judged import Events, JudgedRows

#: Slopes of gross miscalibration: where an interval reaches beyond one of them, nothing is said of calibration.
GROSS = (0.5, 2.0)

#: Rows and rows of the rarer class below which a slope is not worth a sentence.
MIN_ROWS, MIN_EVENTS = 20, 5


def calibration_facts(
    judged: JudgedRows | None, labels: Sequence[Any], tallies: Sequence[Tally] = ()
) -> list[dict[str, Any]]:
    """One record for numbers and for the second of two classes, else one per class against the others.

    Counts of predictions (`tallies`) stand in for rows that were too many to keep; numbers have none then.
    """
    if not labels:
        if judged is None:
            return []
        calibrated = number_calibration(
            judged.truth, judged.predictions, sample_weight=judged.weight, groups=judged.unit
        )
        return [{"label": None, **calibrated.to_dict()}]
    records = []
    for code in event_codes(labels):
        events = Events.of_counts(tallies, code) if judged is None else judged.events(code)
        if events.n_rarer >= MIN_EVENTS and events.n_rows >= MIN_ROWS:
            records.append({"label": labels[code], **_of_events(events)})
    return records


def _of_events(events: Events) -> dict[str, Any]:
    facts = calibration(events.event, events.probability, sample_weight=events.weight, groups=events.unit).to_dict()
    if events.unit is None:  # rows depend on each other in a way that counts do not show
        nowhere = {"low": None, "high": None}
        curve = facts["curve"] and {**facts["curve"], **nowhere}
        facts |= {"intercept_interval": None, "slope_interval": None, "curve": curve}
    return facts


def event_codes(labels: Sequence[Any]) -> list[int]:
    """The classes whose probabilities are judged: of two the second, of more each.

    >>> event_codes(["no", "yes"]), event_codes(["a", "b", "c"])
    ([1], [0, 1, 2])
    """
    return [1] if len(labels) == 2 else list(range(len(labels)))


def calibration_words(record: dict[str, Any], n_rows: int) -> str:
    """One or two sentences on slope and intercept; an interval that holds gross slopes says that nothing can be told.

    >>> calibration_words({"label": "yes", "slope": 0.78, "slope_interval": [0.70, 0.87], "intercept": 0.1,
    ...                    "intercept_interval": [-0.2, 0.4]}, 500)
    'Predicted probabilities of yes are too extreme: calibration slope 0.78 (95% interval 0.70–0.87; 1 is perfect).'
    """
    what = "Predictions" if record["label"] is None else f"Predicted probabilities of {record['label']}"
    if record["slope_interval"] is None:
        if record["slope"] is not None:
            return f"{what}: calibration slope {record['slope']:.2f} (1 is perfect)."
        return f"{what} have no calibration slope: they do not vary, or separate the classes."
    slope, (low, high) = record["slope"], record["slope_interval"]
    numbers = f"calibration slope {show.number(slope, 2)} (95% interval {show.interval((low, high), 2)}; 1 is perfect)"
    if high < 1:
        return f"{what} are too extreme: {numbers}.{_in_the_large(record)}"
    if low > 1:
        return f"{what} are not extreme enough: {numbers}.{_in_the_large(record)}"
    if low < GROSS[0] or high > GROSS[1]:
        return f"Whether {what[0].lower()}{what[1:]} are calibrated cannot be judged from {n_rows:,} rows: {numbers}."
    return f"{what} show no miscalibration in {n_rows:,} rows: {numbers}.{_in_the_large(record)}"


def _in_the_large(record: dict[str, Any]) -> str:
    ends = record["intercept_interval"]
    if ends is None or ends[0] <= 0 <= ends[1]:
        return ""
    return f" On the whole they are too {'high' if record['intercept'] < 0 else 'low'}."
