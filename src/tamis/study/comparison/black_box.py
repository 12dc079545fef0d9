"""The price of readability: a black box judged in the same outer folds, beside the procedure that is quoted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tamis.evaluate.cross_validate import Fold
from tamis.metrics.intervals.paired import difference
from tamis.study.comparison.figures import by_unit, excess, figures, score
from tamis.study.fold import FoldRules
from tamis.study.problem import StudyProblem
from tamis.study.procedures import Procedure

#: Level of the two one-sided tests that say which of the two is better.
LEVEL = 0.05


def black_box_facts(
    problem: StudyProblem,
    rules: FoldRules,
    procedure: Procedure,
    folds: Sequence[Fold],
    quoted: list[dict[str, Any]],
    judged: list[dict[str, Any]],
    p_value: float,
    guessed: float | None = None,
) -> dict[str, Any]:
    """The black box's score, and what the quoted procedure gives up against it in the same folds.

    Parameters
    ----------
    procedure : the black box.
    folds : all outer folds.
    quoted : in each of them, what was kept of the procedure whose score is quoted.
    judged : the same of the black box.
    p_value : that it is no better than the baseline, after Holm.
    guessed : the baseline's score as it is quoted, where the baseline is what is quoted.
    """
    rows = by_unit(problem, folds, quoted, "rows")
    ours, theirs = (by_unit(problem, folds, results, "loss") for results in (quoted, judged))
    gap, back = difference(ours, theirs, rows), difference(theirs, ours, rows)
    found = figures(problem, rules, folds, judged)
    beside = score(problem, rules, folds, quoted) if guessed is None else guessed
    return {
        "name": procedure.name,
        "words": procedure.words,
        **found,
        "folds": len(folds),
        "beside": beside,
        "cost": excess(rules.metric, found["score"], beside),
        "loss": float(theirs.sum() / rows.sum()),
        "difference": gap.mean,
        "standard_error": gap.error,
        "better": "black box" if gap.p_value <= LEVEL else "quoted" if back.p_value <= LEVEL else "neither",
        "p_value": p_value,
    }
