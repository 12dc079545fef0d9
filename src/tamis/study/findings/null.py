"""What the whole procedure scores where there is nothing to find: the same study on shuffled targets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from tamis.evaluate.chance.p_value import shuffle_p_value
from tamis.evaluate.chance.shuffle import permuted
from tamis.evaluate.cross_validate import Beside, Fold, cross_validate
from tamis.metrics import Metric
from tamis.study.comparison.figures import score
from tamis.study.comparison.race import Raced, picked_inside, raced
from tamis.study.fold import FoldRules, outer_folds
from tamis.study.problem import StudyProblem
from tamis.study.procedures import Procedure
from tamis.study.procedures.models.sized.records import records_by_size


def null_score(
    problem: StudyProblem,
    rules: FoldRules,
    procedures: Sequence[Procedure],
    candidates: Sequence[Procedure],
    sizes: Sequence[int],
    prefer: str,
    number: int,
    *,
    seed: int,
) -> float | None:
    """The score of the whole procedure on a shuffled target, in as many repeats of the outer folds as on its own.

    In every fold each procedure learns and chooses its columns and strength, the training part alone chooses between
    procedures, and the one chosen is judged: the same as on the target itself.
    """
    shuffled = _shuffled(problem, seed, number)
    folds = outer_folds(shuffled, problem.plan.folds, problem.plan.repeats, seed)
    names = [procedure.name for procedure in candidates]

    def judge(models: dict[str, Any], some: list[Fold], keep: Any, concurrent: Sequence[Beside]) -> Raced:
        return cross_validate(
            shuffled, models, some, partial(keep, rules=rules), seed=seed, inner=rules.inner, concurrent=concurrent
        )

    judged = records_by_size(raced(judge, procedures, problem.task, folds, prefer, names), sizes)
    return score(
        shuffled,
        rules,
        folds,
        [judged[names[picked_inside(prefer, names, judged, i)]][i] for i in range(len(folds))],
    )


def _shuffled(problem: StudyProblem, seed: int, number: int) -> StudyProblem:
    """The problem with the target of another row for every row; a count goes with its exposure."""
    if problem.exposure is None:
        return replace(problem, y=permuted(problem.y, seed, number, problem.groups, problem.time))
    rows = permuted(np.arange(len(problem.y), dtype=np.float64), seed, number, problem.groups, problem.time)
    order = rows.astype(np.int64)
    return replace(problem, y=problem.y[order], exposure=problem.exposure[order])


def null_facts(score: float | None, scores: Sequence[float | None], metric: Metric) -> dict[str, Any] | None:
    """The scores on shuffled targets beside the one found, and p = (1 + hits) / (1 + shuffles); None without any.

    >>> from tamis.metrics import default
    >>> null_facts(0.9, [0.5, 0.6, 0.4], default(True))["p_value"]
    0.25
    """
    finite = [null_value for null_value in scores if null_value is not None]
    if score is None or not finite:
        return None
    return {
        "permutations": len(finite),
        "score": score,
        "mean": float(np.mean(finite)),
        "scores": finite,
        "p_value": shuffle_p_value(metric, np.array(finite), score),
    }
