"""One column that carries the whole score: what it reaches alone, in the same folds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from tamis.evaluate.cross_validate import Fold, cross_validate
from tamis.results.fold import FoldRecord
from tamis.study.comparison.figures import by_unit, score
from tamis.study.fold import FoldRules, held_out_record
from tamis.study.problem import StudyProblem
from tamis.study.procedures.tree import tree
from tamis.task import CLASSIFICATION, COUNT, ORDINAL, REGRESSION

#: Columns that are tried alone: the first by contribution.
MAX_COLUMNS = 3

#: Of the baseline's loss, what the quoted model must save at least: below it there is no suspicion. One column often
#: has an R² of 0.85 and was known long before (the weight of a car and its price).
MIN_GAIN = {CLASSIFICATION: 0.7, ORDINAL: 0.7, REGRESSION: 0.9, COUNT: 0.9}

#: Of what the quoted model saves, what a column must save alone to be asked about.
MIN_SHARE = 0.95


def dominant(
    problem: StudyProblem,
    rules: FoldRules,
    columns: Sequence[str],
    folds: Sequence[Fold],
    baseline: Sequence[FoldRecord],
    quoted: Sequence[FoldRecord],
    *,
    seed: int,
) -> dict[str, Any] | None:
    """The column that alone saves nearly all of the loss that the quoted model saves; None where there is none.

    A decision tree of each column alone is judged in the same folds. With the losses of the baseline,
    the model and the tree (L₀, L, L₁), the column is told where L is small, L ≤ (1 − `MIN_GAIN`) L₀, and
    L₀ − L₁ ≥ `MIN_SHARE` (L₀ − L).

    Parameters
    ----------
    columns : those of the model, largest contribution first.
    folds : the outer folds.
    baseline, quoted : what was kept of the baseline, and of the procedure whose score is quoted, in each of them.
    """
    at_rest, quoted_loss = (
        float(by_unit(problem, folds, list(records), "loss").sum()) for records in (baseline, quoted)
    )
    if problem.table.n_columns < 2 or at_rest - quoted_loss < MIN_GAIN[problem.task] * at_rest:
        return None
    candidates = []
    for name in columns[:MAX_COLUMNS]:
        single = replace(problem, X=problem.X.select([name]), names=(name,))
        trees = {name: tree(problem.task, n_rows=len(problem.y))}
        records = cross_validate(
            single, trees, folds, partial(held_out_record, rules=rules), seed=seed, inner=rules.inner
        )
        candidates.append((float(by_unit(problem, folds, records[name], "loss").sum()), name, records[name]))
    if not candidates:
        return None
    loss, name, kept_alone = min(candidates, key=lambda candidate: candidate[0])
    share = (at_rest - loss) / (at_rest - quoted_loss)
    if share < MIN_SHARE:
        return None
    return {
        "column": name,
        "score": score(problem, rules, folds, kept_alone),
        "share": float(np.minimum(share, 1.0)),
    }
