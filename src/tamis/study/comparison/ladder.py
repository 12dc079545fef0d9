"""The ladder: the best readable model with 1, 2, 3, … columns, and the best black box, each with its nested score."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tamis.evaluate.cross_validate import Fold
from tamis.metrics.intervals.paired import difference
from tamis.results.comparison import Rung
from tamis.results.fold import FoldRecord, Judgements
from tamis.study.comparison.black_box import best_records
from tamis.study.comparison.figures import by_unit, figures
from tamis.study.comparison.race import picked_inside
from tamis.study.fold import FoldRules
from tamis.study.problem import StudyProblem
from tamis.study.procedures import label

if TYPE_CHECKING:
    from tamis.study.comparison.compare import Compared

#: Level of the test that a rung is better than the best one below it.
LEVEL = 0.05


def rung_records(names: Sequence[str], judged: Judgements, n_folds: int) -> list[FoldRecord]:
    """In each fold, what was kept of the kind of least inner loss: its held-out rows had no part in the choice."""
    if len(names) == 1:
        return judged[names[0]]
    return [judged[names[picked_inside("best", names, judged, i)]][i] for i in range(n_folds)]


def ladder(
    problem: StudyProblem,
    rules: FoldRules,
    which: Compared,
    folds: Sequence[Fold],
    judged: Judgements,
    chosen: str,
) -> list[Rung]:
    """One rung per number of columns, fewest first; the last is the best black box. Empty without sized procedures.

    In each fold, the kind of model of a rung is the one of least inner loss in the training rows: its held-out rows
    give the rung's score. `procedure` is the kind of least outer loss, of which the rung's model is fitted.

    Returns
    -------
    Of each rung `columns`, `procedure`, its `label` in charts, `score`, `interval`, `loss`, `p_value` (that it is no
    better than the best rung below, by the loss, paired by unit), `better`, `chosen` and `black_box`; of readable ones
    also `difference`, by which its loss exceeds that of the best of them, and its `standard_error`.
    """
    sized = [procedure.name for procedure in which.procedures if procedure.by_size]
    if not sized:
        return []
    rungs: list[Rung] = []
    rows, loss_sums = by_unit(problem, folds, judged["baseline"], "rows"), []
    below = judged["baseline"]
    for size in which.sizes:
        names = [f"{name}[{size}]" for name in sized]
        records = rung_records(names, judged, len(folds))
        best = min(names, key=lambda name: float(by_unit(problem, folds, judged[name], "loss").sum()))
        values = _figures(problem, rules, folds, records, below)
        kind = best.partition("[")[0]
        is_chosen = best == chosen
        rung = Rung(columns=size, procedure=kind, chosen=is_chosen, black_box=False, label=label(kind), **values)
        rungs.append(rung)
        loss_sums.append(by_unit(problem, folds, records, "loss"))
        below = records if rung.better else below
    least = min(loss_sums, key=lambda sums: float(sums.sum()))
    for rung, sums in zip(rungs, loss_sums):
        behind = difference(sums, least, rows)
        rung.difference, rung.standard_error = behind.mean, behind.error
    _mark(rungs, chosen)
    if which.references:
        box, records = best_records(which.references, judged)
        values = _figures(problem, rules, folds, records, below)
        rung = Rung(
            columns=problem.table.n_columns,
            procedure=box.name,
            chosen=box.name == chosen,
            black_box=True,
            label=label(box.name),
            selected=[],
            words=box.words,
            readable="no",
            **values,
        )
        rungs.append(rung)
    return rungs


def _figures(
    problem: StudyProblem,
    rules: FoldRules,
    folds: Sequence[Fold],
    records: list[FoldRecord],
    below: list[FoldRecord],
) -> dict[str, Any]:
    rows = by_unit(problem, folds, records, "rows")
    loss_sums, loss_sums_below = (by_unit(problem, folds, fold_records, "loss") for fold_records in (records, below))
    values, p_value = figures(problem, rules, folds, records), difference(loss_sums_below, loss_sums, rows).p_value
    return {
        "score": values["score"],
        "interval": values["interval"],
        "loss": float(loss_sums.sum() / rows.sum()),
        "p_value": p_value,
        "better": bool(p_value <= LEVEL),
    }


def _mark(rungs: list[Rung], chosen: str) -> None:
    """Where the model taken is of another kind than that of its rung, it stands there instead."""
    name, _, size = chosen.partition("[")
    for rung in rungs:
        if size == f"{rung.columns}]" and not rung.chosen:
            rung.procedure, rung.label, rung.chosen = name, label(name), True
