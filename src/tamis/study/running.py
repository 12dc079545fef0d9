"""A study at work: its tasks in their order, each written to the journal when it is done."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from importlib.util import find_spec
from time import monotonic
from typing import Any

import numpy as np

from tamis import engine
from tamis.engine import Task
from tamis.errors import StudyError
from tamis.evaluate.cross_validate import Beside, Fold, Stopped, cross_validate, task_name, weight_names
from tamis.results.comparison import Comparison, Rung
from tamis.results.fold import FoldFindings, FoldRecord, Judgements, SizedRecord, fold_record
from tamis.study.claims.association import Association, association
from tamis.study.comparison.compare import Compared, Contest, unused_columns
from tamis.study.comparison.dominant import dominant
from tamis.study.comparison.figures import by_unit
from tamis.study.comparison.person import CHOICE, Wish, held_candidates, of_least_loss, rung_of
from tamis.study.comparison.race import raced
from tamis.study.disk.journal import Journal
from tamis.study.findings.findings import findings
from tamis.study.findings.learning import forecast_facts, learning, whole_curve
from tamis.study.finished import FinishedRun
from tamis.study.fold import (
    FoldRules,
    find_leaks,
    fold_findings,
    full_record,
    outer_folds,
    reference_record,
    refit,
    refitted,
    rung_models,
)
from tamis.study.problem import StudyProblem
from tamis.study.procedures import MAX_COLUMNS, MAX_WIDE_COLUMNS, Procedure
from tamis.study.procedures.models.facts import facts_of
from tamis.study.procedures.models.fitted import FittedProcedure
from tamis.study.procedures.models.readability import readability
from tamis.study.procedures.models.sized import sizes_up_to
from tamis.study.procedures.models.sized.records import records_by_size
from tamis.study.requested import (
    black_boxes,
    candidates,
    chosen,
    left_out,
    references,
)
from tamis.study.settings import Settings
from tamis.table.interface.takes_table import takes_table
from tamis.task import COUNT

#: Folds that a partial answer needs.
FEWEST_FOLDS = 2

Progress = Callable[[int, int, str], None]


@dataclass(frozen=True, eq=False)
class Run:
    """One run of a study.

    Attributes
    ----------
    settings, problem, rules : what is asked, of which table, and how folds are judged.
    journal : what it holds is not done again.
    n_jobs : tasks side by side.
    progress : called as steps begin and tasks finish. end : when no further fold is begun, by the monotonic clock.
    null : shuffled targets on which the whole job is done, too.
    """

    settings: Settings
    problem: StudyProblem
    rules: FoldRules
    journal: Journal
    n_jobs: int | None = None
    progress: Progress | None = None
    end: float = np.inf
    null: int = 0

    @cached_property
    def procedures(self) -> tuple[Procedure, ...]:
        """The procedures asked for, or those that the shape of the table calls for."""
        return procedures_of(self.settings, self.problem)

    @cached_property
    def references(self) -> tuple[Procedure, ...]:
        """Black boxes that are judged beside the procedures."""
        return references_of(self.settings, self.problem, self.procedures)

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """Numbers of columns that readable models are fitted with."""
        return sizes_up_to(max_columns(self.settings, self.problem), self.problem.table.n_columns)

    @cached_property
    def candidates(self) -> tuple[Procedure, ...]:
        """What is chosen among, simplest first."""
        return candidates(self.procedures, self.problem.table.n_columns, self.sizes[-1])

    @cached_property
    def folds(self) -> list[Fold]:
        """All outer folds."""
        return outer_folds(self.problem, self.problem.plan.folds, self.problem.plan.repeats, self.settings.seed)

    @cached_property
    def association(self) -> Association:
        """Every column alone against the target: one test for answer, claim and report."""
        return association(self.problem, self.n_jobs)

    @property
    def n_tasks(self) -> int:
        """Procedures and the black box in folds, leaks, last fit, its curve and column, nulls."""
        return len(self.folds) * (len(self.procedures) + len(self.references) + 1) + 5 + self.null

    def finish(self) -> FinishedRun | None:
        """Do what is left; None where too few folds are finished for any answer."""
        self._say("leaks")
        refuse_without_pandas(self.procedures, self.problem.task)
        self._do(Task("leaks", find_leaks, (self.problem,)))
        self._say("procedures in folds")
        judged, folds = self.judged()
        if len(folds) < FEWEST_FOLDS:
            return None
        if self.references:
            self._say("black boxes in folds")
        references, waiting = self.judged_references(folds)
        judged |= {procedure.name: records for procedure, records in references}
        restricted, person = self._wished(folds, judged)
        black_boxes = self.references if references else ()
        which = Compared(self.procedures, self.candidates, black_boxes, restricted, person, self.sizes)
        contest = Contest(self.problem, self.rules, self.settings.prefer, which, folds, judged, self.association)
        all_candidates = (*self.candidates, *self.procedures, *self.references, *(kept for kept, _ in restricted))
        winner = next(procedure for procedure in all_candidates if procedure.name == contest.chosen)
        done, fitted, curve = self._refit(winner, folds)
        comparison = unused_columns(contest.comparison, done["contributions"])
        ladder, frontier, paths = contest.ladder(), contest.frontier(), contest.paths()
        self._say("effects and interactions of columns")
        judged |= {procedure.name: records for procedure, records in restricted}
        judged[winner.name] = self._with_findings(winner, folds, judged[winner.name])
        ladder = self._with_models(ladder)
        for rung in ladder:  # the model taken is the one that is kept
            if rung.chosen and not rung.black_box:
                rung.selected, rung.words = list(done["contributions"]), facts_of(fitted.model).words()
                rung.readable = rung.readable or readability(fitted.model)
        return FinishedRun(
            folds=folds,
            n_folds=len(self.folds),
            waiting=waiting,
            comparison=comparison,
            ladder=ladder,
            frontier=frontier,
            paths=paths,
            judged=judged,
            fitted=fitted,
            contributions=done["contributions"],
            joint=done.get("joint", []),
            dominant=self._dominant(comparison, folds, judged, list(done["contributions"])),
            leaks=self.journal.done["leaks"],
            findings=self._findings(winner, comparison, curve, folds, judged, done, fitted),
            tried=[procedure.name for procedure in self.procedures[1:]],
            black_boxes=[procedure.name for procedure, _ in references],
            monotone=directions_of(self.settings, self.problem),
            null=self._null(comparison.score) if self.null and len(folds) == len(self.folds) else None,
        )

    def _refit(self, winner: Procedure, folds: list[Fold]) -> tuple[dict[str, Any], FittedProcedure, dict[str, Any]]:
        """What the journal holds of the last fit, the fitted procedure, and its learning curve."""
        last = Task(f"refit {winner.name}", refit, (self.problem, self.rules, winner))
        curve = Task(f"learning {winner.name}", learning, (self.problem, self.rules, winner, folds))
        self._say(f"final fit and learning curve of the {winner.name}")
        self._do(last, curve)
        done = self.journal.done[last.name]
        fitted = FittedProcedure.from_dict(done, self.problem.names)
        if fitted.model is None:  # the journal cannot hold it
            fitted = refitted(self.problem, self.rules, winner, seed=last.seed(self.settings.seed))
        return done, fitted, self.journal.done[curve.name]

    def _dominant(
        self, comparison: Comparison, folds: list[Fold], judged: Judgements, columns: list[str]
    ) -> dict[str, Any] | None:
        """The column that alone reaches what the quoted procedure does."""
        chosen_name = comparison.chosen
        names = [chosen_name] * len(folds) if comparison.quotes_one else comparison.chosen_in_folds
        quoted = [judged[name][i] for i, name in enumerate(names)]
        arguments = (self.problem, self.rules, columns, folds, judged["baseline"], quoted)
        task = Task(f"dominant {chosen_name}", dominant, arguments)
        self._do(task)
        dominant_facts: dict[str, Any] | None = self.journal.done[task.name]
        return dominant_facts

    def _say(self, name: str) -> None:
        """Tell whoever watches the step that begins, or the task that is finished."""
        if self.progress:
            self.progress(len(self.journal.done), self.n_tasks, name)

    def _do(self, *tasks: Task) -> None:
        left = [task for task in tasks if task.name not in self.journal.done]
        for task, result in engine.run(left, seed=self.settings.seed, n_jobs=self.n_jobs):
            self.journal.add(task.name, task.seed(self.settings.seed), result)
            self._say(task.name)

    def _cross_validated(
        self,
        models: dict[str, Any],
        folds: list[Fold],
        keep: Any,
        concurrent: Sequence[Beside] = (),
        *,
        stops: bool = True,
    ) -> dict[str, list[FoldRecord | SizedRecord]]:
        records = cross_validate(
            self.problem,
            models,
            folds,
            partial(keep, rules=self.rules),
            seed=self.settings.seed,
            inner=self.rules.inner,
            n_jobs=self.n_jobs,
            journal=self.journal,
            finished=self._say,
            stop=(lambda: monotonic() > self.end) if stops else None,
            concurrent=concurrent,
        )
        return {name: [fold_record(record) for record in each] for name, each in records.items()}

    def judged(self) -> tuple[Judgements, list[Fold]]:
        """What was kept of every procedure in the folds that are finished, and these folds.

        Where time is limited, a few folds are finished before others are begun.
        """
        names = [procedure.name for procedure in self.procedures]
        some = len(self.folds) if np.isinf(self.end) else engine.workers(self.n_jobs)
        fold_blocks = [self.folds[at : at + some] for at in range(0, len(self.folds), some)]
        procedures_and_task = (self.procedures, self.problem.task)
        order, concurrent = (
            [record.name for record in self.candidates],
            self._concurrent if len(fold_blocks) == 1 else (),
        )
        try:
            blocks = [
                raced(self._cross_validated, *procedures_and_task, block, self.settings.prefer, order, concurrent)
                for block in fold_blocks
            ]
            judged = {name: [record for block in blocks for record in block[name]] for name in names}
            return records_by_size(judged, self.sizes), self.folds
        except Stopped:
            done = self.journal.done
            folds = [fold for fold in self.folds if all(task_name(fold, name) in done for name in names)]
            judged = {name: [fold_record(done[task_name(fold, name)]) for fold in folds] for name in names}
            return records_by_size(judged, self.sizes), folds

    @property
    def _concurrent(self) -> list[Beside]:
        """The black boxes, to be judged while the last procedures of the race are."""
        keep, task = partial(reference_record, rules=self.rules), self.problem.task
        return [Beside(reference.name, reference.make(task), self.folds, keep) for reference in self.references]

    def judged_references(self, folds: list[Fold]) -> tuple[list[tuple[Procedure, list[FoldRecord]]], bool]:
        """What was kept of the black boxes; and whether any is still waited for."""
        models = {reference.name: reference.make(self.problem.task) for reference in self.references}
        try:
            records = self._cross_validated(models, folds, reference_record)
            judged = records_by_size(records, ())
            return [(reference, judged[reference.name]) for reference in self.references], False
        except Stopped:
            return [], True

    def _with_findings(self, winner: Procedure, folds: list[Fold], records: list[FoldRecord]) -> list[FoldRecord]:
        """Records of the chosen procedure with effects and terms of each fold's model."""
        if all(record.findings is not None for record in records):
            return records
        names = [task_name(fold, f"effects of {winner.name}") for fold in folds]
        given = (self.problem, self.rules, winner)
        self._do(*(Task(name, fold_findings, (*given, fold), f"fold {fold.index}") for name, fold in zip(names, folds)))
        effects = [FoldFindings.from_dict(self.journal.done[name]) for name in names]
        return [replace(record, findings=each) for record, each in zip(records, effects)]

    def _with_models(self, rungs: list[Rung]) -> list[Rung]:
        """The rungs with the columns and words of their models, fitted on all rows that may be learned from."""
        procedure_of = {procedure.name: procedure for procedure in self.candidates}
        # what a person holds to few columns is no candidate: its model is the one that is kept
        fitted = [rung for rung in rungs if f"{rung.procedure}[{rung.columns}]" in procedure_of and not rung.black_box]
        smallest: dict[str, int] = {}
        for rung in fitted:
            smallest.setdefault(rung.procedure, rung.columns)
        tasks = {}
        for name, size in smallest.items():
            arguments = (self.problem, self.rules, procedure_of[f"{name}[{size}]"])
            tasks[name] = Task(f"rungs of {name}[{size}]", rung_models, arguments)
        self._do(*tasks.values())
        models = {name: self.journal.done[task.name] for name, task in tasks.items()}
        return [
            rung if rung.black_box else replace(rung, **models.get(rung.procedure, {}).get(str(rung.columns), {}))
            for rung in rungs
        ]

    def _wished(
        self, folds: list[Fold], judged: Judgements
    ) -> tuple[list[tuple[Procedure, list[FoldRecord]]], str | None]:
        """Procedures that a person asked to hold to few columns, judged in the outer folds; and the name of the choice.

        A partial study has no person's choice: what it would be made from is not finished.
        """
        wish = Wish.from_dict(self.journal.done.get(CHOICE))
        if wish is None or len(folds) < len(self.folds):
            return [], None
        if (name := rung_of(wish, self.procedures, self.sizes, judged, partial(self._outer_loss, folds))) is not None:
            return [], name
        options = held_candidates(wish, (*self.procedures, *self.references), judged, self.problem.task)
        if wish.columns is None:
            return [], options[0][0].name
        to_judge = {
            procedure.name: procedure.make(self.problem.task) for procedure, is_judged in options if not is_judged
        }
        new_records = records_by_size(self._cross_validated(to_judge, folds, full_record, stops=False), ())
        restricted = [
            (procedure, judged[procedure.name.rpartition("[")[0]] if is_judged else new_records[procedure.name])
            for procedure, is_judged in options
        ]
        best = of_least_loss(restricted, partial(self._outer_loss, folds))
        return restricted, restricted[best][0].name

    def _outer_loss(self, folds: list[Fold], records: list[FoldRecord]) -> float:
        return float(by_unit(self.problem, folds, records, "loss").sum())

    def _findings(
        self,
        winner: Procedure,
        comparison: Comparison,
        curve: dict[str, Any],
        folds: list[Fold],
        judged: Judgements,
        done: dict[str, Any],
        fitted: FittedProcedure,
    ) -> dict[str, Any]:
        """What is known of columns and of the model, for the report."""
        of_refit, order = done["findings"], list(done["contributions"])
        whole = whole_curve(curve, self.problem, self.rules, folds, judged[winner.name])
        whole["forecast"] = forecast_facts(whole, self.problem, self.rules, comparison)
        of_refit["learning"] = whole
        return findings(self.problem, judged, winner.name, order, of_refit, fitted.model, self.association, self.n_jobs)

    def _null(self, score: float | None) -> dict[str, Any] | None:
        """What the whole procedure scores on shuffled targets."""
        from tamis.study.findings.null import null_facts, null_score

        shared_arguments = (
            self.problem,
            self.rules,
            self.procedures,
            self.candidates,
            self.sizes,
            self.settings.prefer,
        )
        tasks = [Task(f"null {k}", null_score, (*shared_arguments, k)) for k in range(self.null)]
        self._say("shuffled targets")
        self._do(*tasks)
        return null_facts(score, [self.journal.done[task.name] for task in tasks], self.rules.metric)


def refuse_without_pandas(procedures: Sequence[Procedure], task: str) -> None:
    """Raise before anything is computed when a procedure takes frames, and pandas is not installed."""
    if find_spec("pandas") is not None:
        return
    for procedure in procedures:
        if not takes_table(procedure.make(task)):
            raise StudyError(
                f"the procedure {procedure.name!r} has steps of scikit-learn, which are given pandas frames; install "
                "pandas, or leave the procedure out"
            )


def procedures_of(settings: Settings, problem: StudyProblem) -> tuple[Procedure, ...]:
    """The procedures asked for, or those that the shape of the table calls for."""
    procedures = chosen(
        settings.procedures,
        settings.transform,
        _shape(problem),
        _is_independent(problem),
        prefer=settings.prefer,
        max_columns=settings.columns,
        monotone=settings.monotone,
    )
    return procedures if problem.exposure is None else _of_rates(procedures, settings)


def _of_rates(procedures: tuple[Procedure, ...], settings: Settings) -> tuple[Procedure, ...]:
    """The procedures that take an exposure; one that was asked for and takes none is refused."""
    ready = tuple(procedure for procedure in procedures if weight_names(procedure.make(COUNT), exposure=True))
    lacking = [procedure.name for procedure in procedures if procedure not in ready]
    if lacking and settings.procedures is not None:
        raise StudyError(
            f"the procedure {lacking[0]!r} takes no exposure; leave it out of procedures, or leave exposure out"
        )
    return ready


def references_of(settings: Settings, problem: StudyProblem, procedures: Sequence[Procedure]) -> tuple[Procedure, ...]:
    """Black boxes that are judged beside the procedures; with prefer="best" the study's own are among these."""
    if not settings.black_box:
        return ()
    named = [procedure.name for procedure in procedures]
    if settings.procedures is not None:  # beside procedures of the user, boosting alone
        beside = {procedure.name for procedure in black_boxes(with_custom=True)}
        named += [procedure.name for procedure in black_boxes() if procedure.name not in beside]
    return references(settings.transform, _shape(problem), _is_independent(problem), named, settings.monotone)


def all_procedures(settings: Settings, problem: StudyProblem) -> tuple[Procedure, ...]:
    """Everything that a person may choose."""
    procedures = procedures_of(settings, problem)
    return (*procedures, *references_of(settings, problem, procedures))


def directions_of(settings: Settings, problem: StudyProblem) -> dict[str, Any] | None:
    """Directions of columns, the class whose probability has them, and the procedures that could not obey."""
    if settings.monotone is None:
        return None
    return {
        "directions": dict(settings.monotone),
        "label": str(problem.labels[-1]) if problem.labels else None,
        "left_out": list(left_out(settings.procedures, settings.prefer, _shape(problem))),
    }


def max_columns(settings: Settings, problem: StudyProblem) -> int:
    """The largest number of columns of a readable model."""
    n_rows, n_columns = _shape(problem)
    return settings.columns or (MAX_WIDE_COLUMNS if n_columns > n_rows else MAX_COLUMNS)


def _shape(problem: StudyProblem) -> tuple[int, int]:
    return len(problem.y), problem.table.n_columns


def _is_independent(problem: StudyProblem) -> bool:
    return problem.groups is None and problem.time is None
