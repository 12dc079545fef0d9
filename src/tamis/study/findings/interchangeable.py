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
    index_of = {name: j for j, name in enumerate(table.names)}
    chosen = [index_of[name] for name in selected if numeric[index_of[name]]]
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
    selected_set, rank = set(chosen), {j: k for k, j in enumerate(chosen)}
    groups = []
    for cluster in clusters_of(table, np.sort(candidates[near]), LEAST):
        inside = [int(j) for j in cluster]
        used = sorted((j for j in inside if j in selected_set), key=rank.__getitem__)
        if len(inside) < 2 or not used:
            continue
        first = Z[:, at[used[0]]]
        unused = sorted(
            (j for j in inside if j not in selected_set), key=lambda j: (-abs(first @ Z[:, at[j]]), table.names[j])
        )
        block = Z[:, [at[j] for j in inside]]
        groups.append((rank[used[0]], used, unused, float(np.abs(block.T @ block).min())))
    return [
        {"columns": [table.names[j] for j in [*used, *unused]], "used": len(used), "least": min_correlation}
        for _, used, unused, min_correlation in sorted(groups, key=lambda group: group[0])
    ]


def _standard(values: np.ndarray) -> np.ndarray:
    """Columns about their mean and of length 1, missing values at the mean; 0 where a column does not vary."""
    is_known = ~np.isnan(values)
    mean = np.divide(np.where(is_known, values, 0.0).sum(axis=0), np.maximum(is_known.sum(axis=0), 1))
    centred = np.where(is_known, values - mean, 0.0)
    length = np.sqrt((centred**2).sum(axis=0))
    return np.divide(centred, length, out=np.zeros_like(centred), where=length > 0)
