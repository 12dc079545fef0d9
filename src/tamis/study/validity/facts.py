"""Calibration, net benefit and subgroups of the chosen procedure's held-out predictions, for results.json."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tamis.evaluate.cross_validate import Fold
from tamis.results.fold import FoldRecord
from tamis.study.fold import FoldRules, tally_of
from tamis.study.problem import StudyProblem
from tamis.study.validity.calibration import calibration_facts, calibration_words
from tamis.study.validity.decision import decision_facts, decision_words
from tamis.study.validity.judged import JudgedRows
from tamis.study.validity.subgroups import subgroup_facts, subgroup_words


def validity_facts(
    problem: StudyProblem,
    rules: FoldRules,
    folds: Sequence[Fold],
    records: Sequence[FoldRecord],
    subgroups: Sequence[str] | None,
) -> dict[str, Any]:
    """Everything, with its sentences in `words`."""
    judged, labels = JudgedRows.of(problem, folds, records), problem.labels
    sums = judged is None and bool(labels) and all(record.tally is not None for record in records)
    tallies = [tally_of(problem, rules, fold, record) for fold, record in zip(folds, records)] if sums else []
    has_rows = judged is not None or bool(tallies)
    calibrations = calibration_facts(judged, labels, tallies) if has_rows else []
    decision = decision_facts(judged, labels, tallies) if has_rows else None
    groups = subgroup_facts(problem, rules.metric, judged, subgroups)
    words = [calibration_words(record, len(problem.y)) for record in calibrations[:1] if len(labels) <= 2]
    words += [] if decision is None else [decision_words(decision)]
    words += [] if groups is None else subgroup_words(groups)
    return {"calibration": calibrations, "net_benefit": decision, "subgroups": groups, "words": words}
