"""Each procedure's figures, what they show against the baseline, the one chosen, and the score of choosing so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from tamis.evaluate.cross_validate import Fold
from tamis.metrics.intervals.curves import calibration, confusion, roc
from tamis.metrics.intervals.paired import difference
from tamis.metrics.intervals.tally import Tally
from tamis.results.fold import FoldRecord, Judgements
from tamis.results.procedure import ProcedureRecord
from tamis.study.choose import RungLosses, choose_by_rung, rungs_of
from tamis.study.claims.association import Association
from tamis.study.claims.claim import CHANCE, claim, level_of
from tamis.study.claims.held_out import HeldOut
from tamis.study.claims.scoring import majority_share
from tamis.study.comparison.black_box import best_black_box
from tamis.study.comparison.figures import by_unit, excess, figures, first_folds, mean, recalls, score
from tamis.study.comparison.frontier import frontier, paths
from tamis.study.comparison.ladder import ladder, rung_records
from tamis.study.comparison.naive import naive_forecasts
from tamis.study.comparison.race import picked_inside, raced_facts
from tamis.study.fold import FoldRules, tally_of
from tamis.study.prediction.residuals import error_facts
from tamis.study.problem import StudyProblem
from tamis.study.procedures import Procedure

#: A procedure, and what was kept of it in folds.
Kept = tuple[Procedure, list[FoldRecord]]


@dataclass(frozen=True, eq=False)
class Compared:
    """Which procedures are compared, and how.

    Attributes
    ----------
    procedures : those that are listed and tested, the baseline first.
    candidates : those that are chosen among, simplest first, the baseline first.
    references : black boxes, judged in the same folds.
    restricted : procedures that a person asked to hold to few columns.
    person : the name of a person's choice.
    sizes : numbers of columns of readable models.
    """

    procedures: Sequence[Procedure]
    candidates: Sequence[Procedure]
    references: Sequence[Procedure] = ()
    restricted: Sequence[Kept] = ()
    person: str | None = None
    sizes: Sequence[int] = ()


def compare(
    problem: StudyProblem,
    rules: FoldRules,
    prefer: str,
    which: Compared,
    folds: Sequence[Fold],
    judged: Judgements,
    columns: Association,
) -> dict[str, Any]:
    """Each procedure's figures, what they show against the baseline, the one chosen, and the score of choosing so.

    Procedures are compared by the proper loss of held-out rows, paired by unit; the metric is only quoted. Black boxes
    are judged in the same folds and never chosen, but what they show is not denied. Where a person chose a procedure by
    name, its own figures are quoted; what may be claimed, and the score of the rule's choice, stay as they are.
    """
    metric, procedures, restricted, person = rules.metric, which.procedures, which.restricted, which.person
    names = [procedure.name for procedure in which.candidates]
    picked = [picked_inside(prefer, names, judged, i) for i in range(len(folds))]
    of_picked = [judged[names[p]][i] for i, p in enumerate(picked)]
    held_out = {
        procedure.name: HeldOut.of(problem, folds, judged[procedure.name])
        for procedure in (*procedures, *which.candidates)
    }
    rows, losses = held_out[names[0]].rows, [held_out[name].losses for name in names]
    p_picked_folds = HeldOut.of(problem, folds, of_picked)
    naive = {names[0]: judged[names[0]], **naive_forecasts(problem, rules, folds)}
    rival = min(naive, key=lambda name: float(by_unit(problem, folds, naive[name], "loss").sum()))
    baseline = HeldOut.of(problem, folds, naive[rival])
    boxes = [HeldOut.of(problem, folds, judged[procedure.name]) for procedure in which.references]
    of_choice = figures(problem, rules, folds, of_picked)
    alpha = level_of(columns)
    claimed = claim(
        baseline, [held_out[procedure.name] for procedure in procedures[1:]], p_picked_folds, boxes, alpha
    ).with_association(columns)
    claimed = claimed.bounded(metric.name, of_choice["interval"]).hedged(columns)
    metric_sums, by_none = _metric_sums(problem, folds, names, judged), claimed.by_no_procedure
    rungs = _rung_losses(problem, folds, names, judged, metric_sums is not None)
    choice = partial(_chosen, names, losses, rows, prefer, by_none, rungs)
    index = 0 if claimed.signal == "none" else choice(metric_sums)
    by_metric = bool(index) and metric_sums is not None and index != choice(None)
    whose = {**judged, **{procedure.name: records for procedure, records in restricted}}
    chosen_name = person or names[index]
    quoted = of_picked if index and person is None else whose[chosen_name]
    best = int(np.argmin([sums.sum() for sums in losses]))
    promised = mean([record.inner_score for record in of_picked])
    standing = partial(_standing, losses[0], losses[best], rows)
    listed = [
        _record(
            problem, rules, procedure, judged[procedure.name], folds, standing(held_out[procedure.name].losses), p_value
        )
        for procedure, p_value in zip(procedures, claimed.p_values)
    ]
    rows_on_request = [
        _record(
            problem,
            rules,
            procedure,
            records,
            folds,
            standing(by_unit(problem, folds, records, "loss")),
            _bonferroni(baseline, HeldOut.of(problem, folds, records), len(listed)),
        )
        for procedure, records in (*restricted, *_unlisted(which, (chosen_name, names[best], names[index]), judged))
    ]
    guessed = listed[0].nested if chosen_name == names[0] else None
    box_tests = list(zip(claimed.black_boxes, claimed.by_ranks[len(procedures) :]))
    return {
        "procedures": [
            *(row.to_dict() for row in listed),
            *(row.to_dict() for row in rows_on_request if row.name in (chosen_name, names[best], names[index])),
        ],
        "loss": rules.loss,
        "prefer": prefer,
        "chosen": chosen_name,
        "chosen_by": "person" if person else "rule",
        "by_rule": names[index],
        "by_metric": by_metric,
        "best": names[best],
        "signal": claimed.signal,
        "by_black_box_alone": claimed.by_black_box_alone,
        "by_columns_alone": claimed.by_columns_alone,
        "by_bound_alone": claimed.by_bound_alone,
        "tentative": claimed.is_tentative,
        "by_ranks": [procedure.name for procedure, by_ranks in zip(procedures, claimed.by_ranks) if by_ranks],
        "above_chance": _above_chance(metric.name, listed) if claimed.signal == "none" else None,
        "association": columns.to_dict(),
        "p_value": claimed.p_value,
        "alpha": alpha,
        "shared_luck": _shared_luck(problem, folds, losses[0], metric_sums, of_picked),
        "gain_p_value": (HeldOut.of(problem, folds, whose[chosen_name]) if person else p_picked_folds).gain_p_value(
            baseline
        ),
        "naive": None if rival == names[0] else {"name": rival, "score": score(problem, rules, folds, naive[rival])},
        **{name: of_choice[name] for name in ("score", "interval", "interval_note", "scores")},
        "promised": promised,
        "optimism": excess(metric, promised, of_choice["score"]),
        "chosen_in_folds": [names[p] for p in picked],
        "unlearned": sum(record.n_unlearned for record in of_picked),
        "recalls": _recalls(problem, rules, folds, quoted),
        "judged": _judged(problem, rules, folds, whose[chosen_name]),
        "black_box": best_black_box(problem, rules, which.references, folds, quoted, judged, box_tests, guessed),
        "ladder": ladder(problem, rules, which, folds, judged, chosen_name),
        "frontier": frontier([*listed, *rows_on_request], chosen_name),
        "paths": _paths(rules, folds, judged),
    }


def _unlisted(which: Compared, names: Sequence[str], judged: Judgements) -> list[Kept]:
    """Procedures of these names that are not listed: readable models of one size, or a black box a person chose."""
    listed = {procedure.name for procedure in which.procedures} | {procedure.name for procedure, _ in which.restricted}
    fitted = (*which.candidates, *which.references)
    return [
        (procedure, judged[procedure.name])
        for procedure in fitted
        if procedure.name in names and procedure.name not in listed
    ]


def _paths(rules: FoldRules, folds: Sequence[Fold], judged: Judgements) -> list[dict[str, Any]]:
    """Scores along procedures held to few columns, in the folds of the first repeat."""
    n_first = len(first_folds(folds))
    spreads = None  # squares about the mean of the training rows are what the baseline loses
    if rules.metric.base == "r2" and not rules.metric.negated:
        spreads = [sum(record.losses.loss) for record in judged["baseline"][:n_first]]
    return paths({name: results[:n_first] for name, results in judged.items()}, spreads)


def unused_columns(compared: dict[str, Any], contributions: dict[str, float]) -> dict[str, Any]:
    """Whether the refitted model uses no column, and what may then be claimed: nothing was captured by it."""
    is_claimed = compared["signal"] == "captured" or compared["tentative"]
    no_column = is_claimed and not contributions and compared["chosen_by"] == "rule"
    return {"no_column": no_column, "signal": "uncaptured" if no_column else compared["signal"]}


def _bonferroni(baseline: HeldOut, losses: HeldOut, n_tests: int) -> float:
    """The p-value of a procedure that was added when the others had been seen: theirs are not adjusted again."""
    return min(1.0, losses.gain_p_value(baseline, proper=True) * n_tests)


def _above_chance(metric: str, listed: list[ProcedureRecord]) -> dict[str, Any] | None:
    """The procedure of the best ranking, where its own interval excludes chance."""
    ranked = [row for row in listed[1:] if metric == "roc_auc" and row.interval and row.interval[0] > CHANCE]
    best = max(ranked, key=lambda row: row.nested or 0.0, default=None)
    return None if best is None else {"name": best.name, "score": best.nested, "interval": best.interval}


def _metric_sums(
    problem: StudyProblem, folds: Sequence[Fold], names: Sequence[str], judged: Judgements
) -> list[np.ndarray] | None:
    """Of each procedure, losses whose mean the quoted metric is, by unit; None where it has none in some fold."""
    if any(record.losses.quoted is None for name in names for record in judged[name]):
        return None
    return [by_unit(problem, folds, judged[name], "quoted") for name in names]


def _shared_luck(
    problem: StudyProblem,
    folds: Sequence[Fold],
    baseline: np.ndarray,
    metric_sums: list[np.ndarray] | None,
    picked: list[FoldRecord],
) -> float:
    """Correlation, over units, of the gain by the loss that is tested and by the metric that is quoted.

    1 where the metric is the loss, or has none of its own.
    """
    if metric_sums is None:
        return 1.0
    gains = (
        baseline - by_unit(problem, folds, picked, "loss"),
        metric_sums[0] - by_unit(problem, folds, picked, "quoted"),
    )
    if min(float(gain.std()) for gain in gains) == 0:
        return 0.0
    return float(np.clip(np.corrcoef(*gains)[0, 1], 0.0, 1.0))


def _rung_losses(
    problem: StudyProblem, folds: Sequence[Fold], names: Sequence[str], judged: Judgements, has_metric: bool
) -> RungLosses:
    """What every rung lost in the outer folds, its kind chosen by the training rows of each."""
    records = [rung_records([names[place] for place in rung], judged, len(folds)) for rung in rungs_of(names)]
    losses = [by_unit(problem, folds, of_rung, "loss") for of_rung in records]
    return RungLosses(
        losses, [by_unit(problem, folds, of_rung, "quoted") for of_rung in records] if has_metric else None
    )


def _chosen(
    names: Sequence[str],
    losses: list[np.ndarray],
    rows: np.ndarray,
    prefer: str,
    by_none: bool,
    rungs: RungLosses,
    quoted: list[np.ndarray] | None,
) -> int:
    """The choice by the outer losses, once there is a signal: then it is not the baseline.

    Where no procedure shows the signal, but a black box or columns alone do, the baseline may be as good as any.
    """
    rungs = rungs if quoted is not None else replace(rungs, quoted=None)
    index = choose_by_rung(names, losses, rows, prefer, quoted, rungs)
    return index if index or by_none else 1 + int(np.argmin([sums.sum() for sums in losses[1:]]))


@dataclass(frozen=True)
class Standing:
    """Mean loss, what of the baseline's loss it saves, and the paired difference to the best with its error."""

    loss: float
    gain: float
    difference: float
    standard_error: float


def _standing(baseline: np.ndarray, best: np.ndarray, rows: np.ndarray, losses: np.ndarray) -> Standing:
    behind = difference(losses, best, rows)
    base, loss, n = float(baseline.sum()), float(losses.sum()), float(rows.sum())
    return Standing(loss / n, (base - loss) / base if base > 0 else 0.0, behind.mean, behind.error)


def _record(
    problem: StudyProblem,
    rules: FoldRules,
    procedure: Procedure,
    judged: list[FoldRecord],
    folds: Sequence[Fold],
    standing: Standing,
    p_value: float,
) -> ProcedureRecord:
    values, train = figures(problem, rules, folds, judged), mean([record.train_score for record in judged])
    nested = values.pop("score")
    if procedure.name == "baseline" and (share := _guessed_share(problem, rules)) is not None:
        nested = share if rules.metric.base == "accuracy" else nested
        nested = 1 - share if rules.metric.base == "error" else nested
        if values["interval"] is not None and nested is not None:
            values["interval"] = [min(values["interval"][0], nested), max(values["interval"][1], nested)]
        values["metrics"]["accuracy"] = share
    return ProcedureRecord(
        name=procedure.name,
        words=procedure.words + _not_fitted_further(judged),
        train=train,
        nested=nested,
        gap=excess(rules.metric, train, nested),
        **values,
        columns=[record.n_columns for record in judged],
        raced=raced_facts(judged),
        loss=standing.loss,
        gain=standing.gain,
        difference=standing.difference,
        standard_error=standing.standard_error,
        p_value=p_value,
    )


def _recalls(
    problem: StudyProblem, rules: FoldRules, folds: Sequence[Fold], judged: list[FoldRecord]
) -> list[dict[str, Any]] | None:
    """Of each class its held-out recall, and how many rows that is of; None for numbers."""
    if not problem.labels:
        return None
    shares = recalls([tally_of(problem, rules, fold, result) for fold, result in zip(folds, judged)])
    rows = np.bincount(problem.y, minlength=len(problem.labels)).tolist()
    return [{"label": label, "recall": share, "rows": n} for label, share, n in zip(problem.labels, shares, rows)]


def _guessed_share(problem: StudyProblem, rules: FoldRules) -> float | None:
    """What guessing the majority gets on new rows where its being the majority may be chance; None otherwise."""
    if not problem.labels or rules.costs is not None:
        return None
    return majority_share(np.bincount(problem.y, minlength=len(problem.labels)))


def _not_fitted_further(judged: list[FoldRecord]) -> str:
    out = raced_facts(judged)["out"]
    return f"; could not win in {out} of {len(judged)} training parts, and was not fitted further there" if out else ""


def _judged(
    problem: StudyProblem, rules: FoldRules, folds: Sequence[Fold], judged: list[FoldRecord]
) -> dict[str, Any] | None:
    """Confusion matrix and, for two classes, ROC and calibration curves of a procedure; of numbers, the errors."""
    if not problem.labels:
        return {"errors": error_facts(problem.y, folds, judged)}
    tallies: list[Tally] = [tally_of(problem, rules, fold, result) for fold, result in zip(folds, judged)]
    curves: dict[str, Any] = {"confusion": confusion(tallies).tolist()}
    if judged[0].tally is not None:  # else the rows themselves are there
        codes = [1] if len(problem.labels) == 2 else []
        for code in codes:
            curve, bins = roc(tallies, code), calibration(tallies, code)
            curves["roc"] = {name: np.clip(values, 0, 1).tolist() for name, values in curve.items()}
            curves["calibration"] = {name: values.tolist() for name, values in bins.items()}
    return curves
