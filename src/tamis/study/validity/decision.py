"""Net benefit of a study's held-out probabilities as facts, and in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tamis.metrics.intervals.tally import Tally
from tamis.metrics.net_benefit import net_benefit
from tamis.study.validity.judged import Events, JudgedRows


def decision_facts(
    judged: JudgedRows | None, labels: Sequence[Any], tallies: Sequence[Tally] = ()
) -> dict[str, Any] | None:
    """The decision curve of the second of two classes; None for numbers and for more classes."""
    if len(labels) != 2:
        return None
    events = Events.of_counts(tallies, 1) if judged is None else judged.events(1)
    curve = net_benefit(events.event, events.probability, sample_weight=events.weight, groups=events.unit)
    useful = curve.useful_range()
    facts = {"label": labels[1], **curve.to_dict(), "useful": None if useful is None else list(useful)}
    if events.unit is None:  # rows depend on each other in a way that counts do not show
        facts |= dict.fromkeys(("low", "high", "gain_low", "gain_high", "useful"))
    return facts


def decision_words(facts: dict[str, Any]) -> str:
    """Between which thresholds the model is worth more than acting on everybody or on nobody.

    >>> decision_words({"label": "ill", "useful": [0.1, 0.42]})
    'Between thresholds of 0.10 and 0.42, acting on the predictions has a higher net benefit than acting on all rows \
or on none, beyond chance at each threshold.'
    """
    if facts["useful"] is None:
        if facts["gain_low"] is None:
            return "Net benefit of acting on the predictions, beside acting on all rows and on none."
        return (
            "At no threshold does acting on the predictions have a measurably higher net benefit than acting on all "
            "rows or on none."
        )
    low, high = facts["useful"]
    return (
        f"Between thresholds of {low:.2f} and {high:.2f}, acting on the predictions has a higher net benefit than "
        "acting on all rows or on none, beyond chance at each threshold."
    )
