"""Groups of columns that tell nearly the same: whichever of them the model took, another might have been taken."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tamis.score.interchangeable import clusters_of
from tamis.study.problem import StudyProblem

#: Every two columns of a group correlate at least so much, in absolute value.
LEAST = 0.9

#: Columns that are looked at, at most: those of the model first, then those that correlate most with them.
MOST = 400


def interchangeable(problem: StudyProblem, selected: Sequence[str]) -> list[dict[str, Any]]:
    """Groups of two columns or more with one of the model among them, in the order of the model's columns.

    Each holds `columns` (those of the model first, then by correlation with the first), `used` (how many the model
    uses) and `least` (the smallest absolute correlation between two of them). Categories stand alone.
    """
    table = problem.X
    numeric = np.array([not head.is_categorical for head in table.heads])
    place = {name: j for j, name in enumerate(table.names)}
    chosen = [place[name] for name in selected if numeric[place[name]]]
    if not chosen:
        return []
    candidates = np.flatnonzero(numeric)
    Z = _standard(np.column_stack([table.column(int(j)).values for j in candidates]))
    at = {int(j): k for k, j in enumerate(candidates)}
    alike = np.abs(Z[:, [at[j] for j in chosen[:MOST]]].T @ Z)
    best = alike.max(axis=0)
    best[[at[j] for j in chosen]] = 2.0  # they come first
    near = np.flatnonzero(best >= LEAST)
    near = near[np.argsort(-best[near], kind="stable")][:MOST]
    wanted, rank = set(chosen), {j: k for k, j in enumerate(chosen)}
    groups = []
    for cluster in clusters_of(table, np.sort(candidates[near]), LEAST):
        inside = [int(j) for j in cluster]
        used = sorted((j for j in inside if j in wanted), key=rank.__getitem__)
        if len(inside) < 2 or not used:
            continue
        first = Z[:, at[used[0]]]
        rest = sorted((j for j in inside if j not in wanted), key=lambda j: (-abs(first @ Z[:, at[j]]), table.names[j]))
        part = Z[:, [at[j] for j in inside]]
        groups.append((rank[used[0]], used, rest, float(np.abs(part.T @ part).min())))
    return [
        {"columns": [table.names[j] for j in [*used, *rest]], "used": len(used), "least": least}
        for _, used, rest, least in sorted(groups, key=lambda group: group[0])
    ]


def _standard(values: np.ndarray) -> np.ndarray:
    """Columns about their mean and of length 1, missing values at the mean; 0 where a column does not vary."""
    known = ~np.isnan(values)
    mean = np.divide(np.where(known, values, 0.0).sum(axis=0), np.maximum(known.sum(axis=0), 1))
    centred = np.where(known, values - mean, 0.0)
    length = np.sqrt((centred**2).sum(axis=0))
    return np.divide(centred, length, out=np.zeros_like(centred), where=length > 0)
