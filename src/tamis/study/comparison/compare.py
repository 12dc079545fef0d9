"""Each procedure's figures, what they show against the baseline, the one chosen, and the score of choosing so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from tamis.evaluate.cross_validate import Fold
from tamis.metrics.intervals.curves import calibration, confusion, roc
from tamis.metrics.intervals.paired import difference
from tamis.metrics.intervals.tally import Tally
from tamis.results.comparison import ColumnPath, Comparison, FrontierPoint, Rung
from tamis.results.fold import FoldRecord, Judgements
from tamis.results.procedure import ProcedureRecord
from tamis.study.choose import RungLosses, choose_by_rung, rungs_of
from tamis.study.claims.association import Association
from tamis.study.claims.claim import CHANCE, Claim, claim, level_of
from tamis.study.claims.held_out import HeldOut
from tamis.study.claims.scoring import majority_share
from tamis.study.comparison.black_box import best_black_box
from tamis.study.comparison.figures import by_unit, excess, figures, first_folds, mean, recalls, score
from tamis.study.comparison.frontier import frontier, paths
from tamis.study.comparison.ladder import ladder, rung_records
from tamis.study.comparison.naive import naive_forecasts
from tamis.study.comparison.race import picked_inside, race_facts
from tamis.study.fold import FoldRules, tally_of
from tamis.study.prediction.residuals import error_facts
from tamis.study.problem import StudyProblem
from tamis.study.procedures import Procedure

#: A procedure, and what was kept of it in folds.
Kept = tuple[Procedure, list[FoldRecord]]


#: What the comparison takes from the claim as it is.
_CLAIMED = ("signal", "by_black_box_alone", "by_columns_alone", "by_bound_alone", "p_value")


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


@dataclass(frozen=True, eq=False)
class Contest:
    """Procedures judged in the same outer folds: their figures, what they show, and the choice between them.

    Procedures are compared by the proper loss of held-out rows, paired by unit; the metric is only quoted. Black boxes
    are judged in the same folds and never chosen, but what they show is not denied. Where a person chose a procedure by
    name, its own figures are quoted; what may be claimed, and the score of the rule's choice, stay as they are.

    Attributes
    ----------
    problem, rules : what is predicted, and how folds are judged.
    prefer : the rule of choice.
    which : the procedures.
    folds : the outer folds.
    judged : procedure -> its records in them.
    association : every column alone against the target.
    """

    problem: StudyProblem
    rules: FoldRules
    prefer: str
    which: Compared
    folds: Sequence[Fold]
    judged: Judgements
    association: Association

    @cached_property
    def comparison(self) -> Comparison:
        """The facts for results.json."""
        which, claimed, of_choice = self.which, self._claim, self._figures_of_choice
        listed, named = self._listed, (self.chosen, self._best, self._by_rule)
        inner_score = mean([record.inner_score for record in self._picked])
        return Comparison(
            procedures=[*listed, *(row for row in self._on_request if row.name in named)],
            loss=self.rules.loss,
            prefer=self.prefer,
            chosen=self.chosen,
            chosen_by="person" if which.person else "rule",
            by_rule=self._by_rule,
            by_metric=bool(self._index) and self._metric_sums is not None and self._index != self._choice(None),
            best=self._best,
            **{name: getattr(claimed, name) for name in _CLAIMED},
            tentative=claimed.is_tentative,
            by_ranks=[row.name for row, by_ranks in zip(listed, claimed.by_ranks) if by_ranks],
            above_chance=_above_chance(self.rules.metric.name, listed) if claimed.signal == "none" else None,
            association=self.association.to_dict(),
            alpha=level_of(self.association),
            metric_correlation=self._metric_correlation(),
            gain_p_value=self._held_out_of(self._quoted if which.person else self._picked).gain_p_value(self._baseline),
            naive=self._naive_facts(),
            **{name: of_choice[name] for name in ("score", "interval", "interval_note", "scores")},
            inner_score=inner_score,
            optimism=excess(self.rules.metric, inner_score, of_choice["score"]),
            chosen_in_folds=self._picked_names,
            n_unlearned=sum(record.n_unlearned for record in self._picked),
            recalls=self._recalls(),
            diagnostics=self._diagnostics(),
            black_box=best_black_box(
                self.problem,
                self.rules,
                which.references,
                self.folds,
                self._quoted,
                self.judged,
                list(zip(claimed.black_boxes, claimed.by_ranks[len(listed) :])),
                listed[0].score if self.chosen == self._names[0] else None,
            ),
        )

    def ladder(self) -> list[Rung]:
        """The best readable model of each number of columns, and the best black box."""
        return ladder(self.problem, self.rules, self.which, self.folds, self.judged, self.chosen)

    def frontier(self) -> list[FrontierPoint]:
        """Score against number of columns over all procedures."""
        return frontier([*self._listed, *self._on_request], self.chosen)

    def paths(self) -> list[ColumnPath]:
        """Scores along procedures held to few columns, in the folds of the first repeat."""
        n_first = len(first_folds(self.folds))
        spreads = None  # squares about the mean of the training rows are what the baseline loses
        if self.rules.metric.base == "r2" and not self.rules.metric.negated:
            spreads = [sum(record.losses.loss) for record in self.judged["baseline"][:n_first]]
        return paths({name: records[:n_first] for name, records in self.judged.items()}, spreads)

    @property
    def chosen(self) -> str:
        """The name of the procedure taken."""
        return self.which.person or self._by_rule

    @property
    def _names(self) -> list[str]:
        return [procedure.name for procedure in self.which.candidates]

    @cached_property
    def _picked_names(self) -> list[str]:
        """In each fold, the candidate that its training part alone would have chosen."""
        names = self._names
        return [names[picked_inside(self.prefer, names, self.judged, i)] for i in range(len(self.folds))]

    @cached_property
    def _picked(self) -> list[FoldRecord]:
        return [self.judged[name][i] for i, name in enumerate(self._picked_names)]

    def _records_of(self, name: str) -> list[FoldRecord]:
        restricted = {procedure.name: records for procedure, records in self.which.restricted}
        return restricted[name] if name in restricted else self.judged[name]

    @cached_property
    def _quoted(self) -> list[FoldRecord]:
        """What the quoted score is of: the choice made in every fold, or a single procedure."""
        return self._picked if self._index and self.which.person is None else self._records_of(self.chosen)

    def _held_out_of(self, records: list[FoldRecord]) -> HeldOut:
        return HeldOut.of(self.problem, self.folds, records)

    @cached_property
    def _held_out(self) -> dict[str, HeldOut]:
        names = dict.fromkeys(procedure.name for procedure in (*self.which.procedures, *self.which.candidates))
        return {name: self._held_out_of(self.judged[name]) for name in names}

    @property
    def _losses(self) -> list[np.ndarray]:
        """Of each candidate, losses by unit."""
        return [self._held_out[name].losses for name in self._names]

    def _sums(self, records: list[FoldRecord], kind: str = "loss") -> np.ndarray:
        return by_unit(self.problem, self.folds, records, kind)

    @cached_property
    def _naive(self) -> tuple[str, list[FoldRecord]]:
        """The baseline, or the naive forecast that loses less than it."""
        name = self._names[0]
        naive = {name: self.judged[name], **naive_forecasts(self.problem, self.rules, self.folds)}
        return min(naive.items(), key=lambda item: float(self._sums(item[1]).sum()))

    def _naive_facts(self) -> dict[str, Any] | None:
        name, records = self._naive
        is_baseline = name == self._names[0]
        return None if is_baseline else {"name": name, "score": score(self.problem, self.rules, self.folds, records)}

    @cached_property
    def _baseline(self) -> HeldOut:
        return self._held_out_of(self._naive[1])

    @cached_property
    def _figures_of_choice(self) -> dict[str, Any]:
        return figures(self.problem, self.rules, self.folds, self._picked)

    @cached_property
    def _claim(self) -> Claim:
        """What may be claimed."""
        tested = [self._held_out[procedure.name] for procedure in self.which.procedures[1:]]
        boxes = [self._held_out_of(self.judged[procedure.name]) for procedure in self.which.references]
        alpha = level_of(self.association)
        claimed = claim(self._baseline, tested, self._held_out_of(self._picked), boxes, alpha)
        claimed = claimed.with_association(self.association)
        return claimed.bounded(self.rules.metric.name, self._figures_of_choice["interval"]).hedged(self.association)

    @cached_property
    def _metric_sums(self) -> list[np.ndarray] | None:
        """Of each candidate, losses whose mean the quoted metric is, by unit; None where it has none in some fold."""
        if any(record.losses.quoted is None for name in self._names for record in self.judged[name]):
            return None
        return [self._sums(self.judged[name], "quoted") for name in self._names]

    @cached_property
    def _rungs(self) -> RungLosses:
        """What every rung lost in the outer folds, its kind chosen by the training rows of each."""
        names = self._names
        each = [rung_records([names[i] for i in rung], self.judged, len(self.folds)) for rung in rungs_of(names)]
        quoted = None if self._metric_sums is None else [self._sums(records, "quoted") for records in each]
        return RungLosses([self._sums(records) for records in each], quoted)

    def _choice(self, metric_sums: list[np.ndarray] | None) -> int:
        """The choice by the outer losses, once there is a signal: then it is not the baseline.

        Where no procedure shows the signal, but a black box or columns alone do, the baseline may be as good as any.
        """
        rungs = self._rungs if metric_sums is not None else replace(self._rungs, quoted=None)
        rows = self._held_out[self._names[0]].rows
        index = choose_by_rung(self._names, self._losses, rows, self.prefer, metric_sums, rungs)
        return (
            index
            if index or self._claim.by_no_procedure
            else 1 + int(np.argmin([sums.sum() for sums in self._losses[1:]]))
        )

    @cached_property
    def _index(self) -> int:
        """The candidate that the rule takes."""
        return 0 if self._claim.signal == "none" else self._choice(self._metric_sums)

    @property
    def _by_rule(self) -> str:
        return self._names[self._index]

    @cached_property
    def _best(self) -> str:
        """The candidate of least loss."""
        return self._names[int(np.argmin([sums.sum() for sums in self._losses]))]

    def _metric_correlation(self) -> float:
        """Correlation, over units, of the gain by the loss that is tested and by the metric that is quoted.

        1 where the metric is the loss, or has none of its own.
        """
        if self._metric_sums is None:
            return 1.0
        gains = (
            self._losses[0] - self._sums(self._picked),
            self._metric_sums[0] - self._sums(self._picked, "quoted"),
        )
        if min(float(gain.std()) for gain in gains) == 0:
            return 0.0
        return float(np.clip(np.corrcoef(*gains)[0, 1], 0.0, 1.0))

    @cached_property
    def _listed(self) -> list[ProcedureRecord]:
        """The rows of the procedures that are tested, the baseline first."""
        return [
            self._row(procedure, self.judged[procedure.name], p_value)
            for procedure, p_value in zip(self.which.procedures, self._claim.p_values)
        ]

    @cached_property
    def _on_request(self) -> list[ProcedureRecord]:
        """Rows of procedures held to few columns, of readable models of one size, and of a black box that was chosen.

        Their p-values are Bonferroni's: they were added when the others had been seen, whose p-values stay.
        """
        listed = {procedure.name for procedure in (*self.which.procedures, *(p for p, _ in self.which.restricted))}
        others = [
            (procedure, self.judged[procedure.name])
            for procedure in (*self.which.candidates, *self.which.references)
            if procedure.name in (self.chosen, self._best, self._by_rule) and procedure.name not in listed
        ]
        n_tests, rows = len(self.which.procedures), []
        for procedure, records in (*self.which.restricted, *others):
            p_value = self._held_out_of(records).gain_p_value(self._baseline, proper=True)
            rows.append(self._row(procedure, records, min(1.0, p_value * n_tests)))
        return rows

    def _row(self, procedure: Procedure, records: list[FoldRecord], p_value: float) -> ProcedureRecord:
        values = figures(self.problem, self.rules, self.folds, records)
        train, held_out_score = mean([record.train_score for record in records]), values.pop("score")
        if procedure.name == "baseline" and (guessed := self._guessed_fraction()) is not None:
            held_out_score = guessed if self.rules.metric.base == "accuracy" else held_out_score
            held_out_score = 1 - guessed if self.rules.metric.base == "error" else held_out_score
            if values["interval"] is not None and held_out_score is not None:
                low, high = values["interval"]
                values["interval"] = [min(low, held_out_score), max(high, held_out_score)]
            values["metrics"]["accuracy"] = guessed
        losses, rows = self._sums(records), self._held_out[self._names[0]].rows
        behind = difference(losses, self._held_out[self._best].losses, rows)
        baseline, total = float(self._losses[0].sum()), float(losses.sum())
        return ProcedureRecord(
            name=procedure.name,
            words=procedure.words + _not_fitted_further(records),
            train_score=train,
            score=held_out_score,
            gap=excess(self.rules.metric, train, held_out_score),
            **values,
            columns=[record.n_columns for record in records],
            race=race_facts(records),
            loss=total / float(rows.sum()),
            gain=(baseline - total) / baseline if baseline > 0 else 0.0,
            difference=behind.mean,
            standard_error=behind.error,
            p_value=p_value,
        )

    def _guessed_fraction(self) -> float | None:
        """What guessing the majority gets on new rows where its being the majority may be chance; None otherwise."""
        if not self.problem.labels or self.rules.costs is not None:
            return None
        return majority_share(np.bincount(self.problem.y, minlength=len(self.problem.labels)))

    def _tallies(self, records: list[FoldRecord]) -> list[Tally]:
        return [tally_of(self.problem, self.rules, fold, record) for fold, record in zip(self.folds, records)]

    def _recalls(self) -> list[dict[str, Any]] | None:
        """Of each class its held-out recall, and how many rows that is of; None for numbers."""
        labels = self.problem.labels
        if not labels:
            return None
        rows = np.bincount(self.problem.y, minlength=len(labels)).tolist()
        each = zip(labels, recalls(self._tallies(self._quoted)), rows)
        return [{"label": label, "recall": recall, "rows": n} for label, recall, n in each]

    def _diagnostics(self) -> dict[str, Any]:
        """Confusion matrix and, for two classes, ROC and calibration curves of the choice; of numbers, the errors."""
        records = self._records_of(self.chosen)
        if not self.problem.labels:
            return {"errors": error_facts(self.problem.y, self.folds, records)}
        tallies = self._tallies(records)
        curves: dict[str, Any] = {"confusion": confusion(tallies).tolist()}
        if records[0].tally is not None and len(self.problem.labels) == 2:  # else the rows themselves are there
            curve, bins = roc(tallies, 1), calibration(tallies, 1)
            curves["roc"] = {name: np.clip(values, 0, 1).tolist() for name, values in curve.items()}
            curves["calibration"] = {name: values.tolist() for name, values in bins.items()}
        return curves


def unused_columns(comparison: Comparison, contributions: dict[str, float]) -> Comparison:
    """The comparison where the refitted model uses no column: then nothing was captured by it."""
    is_claimed = comparison.signal == "captured" or comparison.tentative
    if not is_claimed or contributions or comparison.is_by_person:
        return comparison
    return replace(comparison, no_column=True, signal="uncaptured")


def _above_chance(metric: str, listed: list[ProcedureRecord]) -> dict[str, Any] | None:
    """The procedure of the best ranking, where its own interval excludes chance."""
    ranked = [row for row in listed[1:] if metric == "roc_auc" and row.interval and row.interval[0] > CHANCE]
    best = max(ranked, key=lambda row: row.score or 0.0, default=None)
    return None if best is None else {"name": best.name, "score": best.score, "interval": best.interval}


def _not_fitted_further(records: list[FoldRecord]) -> str:
    n_out = race_facts(records)["eliminated"]
    if not n_out:
        return ""
    return f"; could not win in {n_out} of {len(records)} training parts, and was not fitted further there"
