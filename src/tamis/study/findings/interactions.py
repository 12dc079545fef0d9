"""Pairs of columns that tell more together than both alone, beyond what chance gives its best pair."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tamis.engine import generator
from tamis.score.criteria.interaction import top_pairs
from tamis.study.problem import StudyProblem

#: Columns and rows that are looked at, at most; pairs grow with the square of the columns.
MOST_COLUMNS, MOST_ROWS = 40, 2_000

#: Permuted targets, and the chance that a pair is named where none has any interaction.
PERMUTATIONS, ALPHA = 39, 0.05

#: Pairs named, at most.
MOST_PAIRS = 10


def interactions(problem: StudyProblem, order: Sequence[str], n_jobs: int | None = None) -> dict[str, Any]:
    """The pairs that pass, and how much was looked at.

    Parameters
    ----------
    order : columns, those to look at first in front: the model's, then the strongest alone.
    """
    names = sorted(order[:MOST_COLUMNS])
    rows = np.arange(len(problem.y))
    if len(rows) > MOST_ROWS:
        rows = np.sort(generator(0, "rows of interactions").permutation(rows)[:MOST_ROWS])
    found = {"columns": len(names), "rows": len(rows), "permutations": PERMUTATIONS, "alpha": ALPHA}
    if len(names) < 2 or len(np.unique(problem.y[rows])) < 2:
        return {**found, "pairs": []}
    table = problem.X.take(rows).select(names)
    pairs = top_pairs(table, problem.y[rows], top=MOST_PAIRS, alpha=ALPHA, n_permutations=PERMUTATIONS, n_jobs=n_jobs)
    listed = [{"first": a, "second": b, "information": gain, "p_value": p} for a, b, gain, p in pairs]
    return {**found, "pairs": listed}
