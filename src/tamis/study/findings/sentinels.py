"""Numbers that may stand for "not measured" (999 among blood pressures), and what they hide."""

from __future__ import annotations

from typing import Any

import numpy as np

from tamis.study.problem import StudyProblem


def sentinels_of(problem: StudyProblem) -> list[dict[str, Any]]:
    """Columns with such a number: how many training rows hold it, and the variance shared with the target.

    `shared` counts the number as a value, `shared_without` leaves its rows out: r² for numbers, the correlation ratio
    (variance between classes over variance) for classes.
    """
    facts = []
    for decision in problem.decisions:
        if decision.sentinel is None or not decision.used or decision.name not in problem.table.names:
            continue
        values = problem.X.column(problem.X.index(decision.name)).values
        present = ~np.isnan(values)
        is_regular = present & (values != decision.sentinel)
        if not 0 < np.count_nonzero(is_regular) < np.count_nonzero(present):
            continue
        facts.append(
            {
                "name": decision.name,
                "value": decision.sentinel,
                "rows": int(np.count_nonzero(present & ~is_regular)),
                "range": [float(values[is_regular].min()), float(values[is_regular].max())],
                "shared": _shared_variance(values[present], problem.rates[present], bool(problem.labels)),
                "shared_without": _shared_variance(values[is_regular], problem.rates[is_regular], bool(problem.labels)),
            }
        )
    return facts


def _shared_variance(values: np.ndarray, y: np.ndarray, is_class: bool) -> float:
    """The share of a column's variance that goes with the target."""
    deviations = values - values.mean()
    total = float(deviations @ deviations)
    if total == 0 or len(np.unique(y)) < 2:
        return 0.0
    if not is_class:
        centred = y - y.mean()
        return float((deviations @ centred) ** 2 / (total * (centred @ centred)))
    between = sum(deviations[y == label].sum() ** 2 / np.count_nonzero(y == label) for label in np.unique(y))
    return float(between / total)
