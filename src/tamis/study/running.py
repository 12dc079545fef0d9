"""A study at work: its tasks in their order, each written to the journal when it is done."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from importlib.util import find_spec
from time import monotonic
from typing import Any

import numpy as np

from tamis import engine
from tamis.engine import Task
from tamis.errors import StudyError
from tamis.evaluate.cross_validate import Beside, Fold, Stopped, cross_validate, task_name
from tamis.study.claims.association import Association, association
from tamis.study.comparison.compare import compare, unused_columns
from tamis.study.comparison.dominant import dominant
from tamis.study.comparison.figures import by_unit
from tamis.study.comparison.person import CHOICE, Wish, candidates, of_least_loss
from tamis.study.comparison.race import Judgements, raced
from tamis.study.disk.journal import Journal
from tamis.study.findings.findings import findings
from tamis.study.findings.learning import learning, whole_curve
from tamis.study.fold import FoldRules, find_leaks, kept_few, kept_outside, outer_folds, refit, refitted
from tamis.study.problem import StudyProblem
from tamis.study.procedure.fitted import FittedProcedure
from tamis.study.procedure.readability import readability
from tamis.study.procedures import BLACK_BOX, Procedure, chosen
from tamis.study.settings import Settings
from tamis.table.interface.takes_table import takes_table

#: Folds that a partial answer needs.
FEWEST_FOLDS = 2

Progress = Callable[[int, int, str], None]


@dataclass(frozen=True, eq=False)
class Found:
    """What a run found out.

    Attributes
    ----------
    folds : the outer folds that are finished.
    compared : the comparison, as results.json has it.
    judged : procedure -> what was kept of it in each fold.
    fitted : the chosen procedure, fitted on all rows that may be learned from.
    final : leaks, contributions, findings and what else is found once.
    """

    folds: list[Fold]
    compared: dict[str, Any]
    judged: Judgements
    fitted: FittedProcedure
    final: dict[str, Any]


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
    def folds(self) -> list[Fold]:
        """All outer folds."""
        return outer_folds(self.problem, self.problem.plan.folds, self.problem.plan.repeats, self.settings.seed)

    @cached_property
    def association(self) -> Association:
        """Every column alone against the target: one test for answer, claim and report."""
        return association(self.problem, self.n_jobs)

    @property
    def has_reference(self) -> bool:
        """Whether a black box is judged beside the procedures, being none of them."""
        return self.settings.black_box and BLACK_BOX.name not in [procedure.name for procedure in self.procedures]

    @property
    def n_tasks(self) -> int:
        """Procedures and the black box in folds, leaks, last fit, its curve and column, nulls."""
        return len(self.folds) * (len(self.procedures) + self.has_reference) + 4 + self.null

    def finish(self) -> Found | None:
        """Do what is left; None where too few folds are finished for any answer."""
        self._say("leaks")
        refuse_without_pandas(self.procedures, self.problem.task)
        self._do(Task("leaks", find_leaks, (self.problem,)))
        self._say("procedures in folds")
        judged, folds = self._judged()
        if len(folds) < FEWEST_FOLDS:
            return None
        if self.has_reference:
            self._say("black box in folds")
        reference, waiting = self._reference(folds)
        few, person = self._wished(folds, judged)
        settings, problem, procedures = self.settings, self.problem, self.procedures
        compared = compare(
            problem, self.rules, settings.prefer, procedures, folds, judged, self.association, reference, few, person
        )
        winner = next(p for p in (*procedures, *(one for one, _ in few)) if p.name == compared["chosen"])
        last = Task(f"refit {winner.name}", refit, (problem, self.rules, winner))
        curve = Task(f"learning {winner.name}", learning, (problem, self.rules, winner, folds))
        self._say(f"final fit and learning curve of the {winner.name}")
        self._do(last, curve)
        done = self.journal.done[last.name]
        compared |= unused_columns(compared, done["contributions"])
        fitted = FittedProcedure.from_dict(done, problem.names)
        if fitted.model is None:  # the journal cannot hold it
            fitted = refitted(problem, self.rules, winner, seed=last.seed(settings.seed))
        self._say("effects and interactions of columns")
        judged |= {one.name: held for one, held in few}
        final = {
            "leaks": self.journal.done["leaks"],
            "dominant": self._dominant(compared, folds, judged, list(done["contributions"])),
            "contributions": done["contributions"],
            "joint": done.get("joint", []),
            "finished": {"folds": len(folds), "of": len(self.folds)},
            "waiting": waiting,
            "readable": readability(fitted.model),
            "tried": [procedure.name for procedure in procedures[1:]],
            "findings": self._findings(winner, curve, folds, judged, done, fitted),
        }
        if self.null and len(folds) == len(self.folds):
            final["null"] = self._null(compared["score"])
        return Found(folds, compared, judged, fitted, final)

    def _dominant(
        self, compared: dict[str, Any], folds: list[Fold], judged: Judgements, columns: list[str]
    ) -> dict[str, Any] | None:
        """The column that alone reaches what the quoted procedure does."""
        taken = compared["chosen"]
        is_whole = compared["chosen_by"] == "rule" and taken != "baseline"  # the choice between procedures is quoted
        names = compared["chosen_in_folds"] if is_whole else [taken] * len(folds)
        quoted = [judged[name][i] for i, name in enumerate(names)]
        task = Task(
            f"dominant {taken}", dominant, (self.problem, self.rules, columns, folds, judged["baseline"], quoted)
        )
        self._do(task)
        found: dict[str, Any] | None = self.journal.done[task.name]
        return found

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
        self, made: dict[str, Any], folds: list[Fold], keep: Any, beside: Beside | None = None, *, stops: bool = True
    ) -> dict[str, list[dict[str, Any]]]:
        return cross_validate(
            self.problem,
            made,
            folds,
            partial(keep, rules=self.rules),
            seed=self.settings.seed,
            inner=self.rules.inner,
            n_jobs=self.n_jobs,
            journal=self.journal,
            finished=self._say,
            stop=(lambda: monotonic() > self.end) if stops else None,
            beside=beside,
        )

    def _judged(self) -> tuple[Judgements, list[Fold]]:
        """What was kept of every procedure in the folds that are finished, and these folds.

        Where time is limited, a few folds are finished before others are begun.
        """
        names = [procedure.name for procedure in self.procedures]
        some = len(self.folds) if np.isinf(self.end) else engine.workers(self.n_jobs)
        parts = [self.folds[at : at + some] for at in range(0, len(self.folds), some)]
        given = (self.procedures, self.problem.task)
        beside = self._boxed if self.has_reference and len(parts) == 1 else None
        try:
            found = [raced(self._cross_validated, *given, part, self.settings.prefer, beside) for part in parts]
            return {name: [one for part in found for one in part[name]] for name in names}, self.folds
        except Stopped:
            done = self.journal.done
            folds = [fold for fold in self.folds if all(task_name(fold, name) in done for name in names)]
            return {name: [done[task_name(fold, name)] for fold in folds] for name in names}, folds

    @property
    def _boxed(self) -> Beside:
        """The black box, to be judged while the last procedures of the race are."""
        model, keep = BLACK_BOX.make(self.problem.task), partial(kept_outside, rules=self.rules)
        return Beside(BLACK_BOX.name, model, self.folds, keep)

    def _reference(self, folds: list[Fold]) -> tuple[tuple[Procedure, list[dict[str, Any]]] | None, bool]:
        """What was kept of the black box, if one is judged; and whether it is still waited for."""
        if not self.has_reference:
            return None, False
        made = {BLACK_BOX.name: BLACK_BOX.make(self.problem.task)}
        try:
            return (BLACK_BOX, self._cross_validated(made, folds, kept_outside)[BLACK_BOX.name]), False
        except Stopped:
            return None, True

    def _wished(
        self, folds: list[Fold], judged: Judgements
    ) -> tuple[list[tuple[Procedure, list[dict[str, Any]]]], str | None]:
        """Procedures that a person asked to hold to few columns, judged in the outer folds; and the name of the choice.

        A partial study has no person's choice: what it would be made from is not finished.
        """
        wish = Wish.from_dict(self.journal.done.get(CHOICE))
        if wish is None or len(folds) < len(self.folds):
            return [], None
        options = candidates(wish, self.procedures, judged, self.problem.task)
        if wish.columns is None:
            return [], options[0][0].name
        anew = {one.name: one.make(self.problem.task) for one, known in options if not known}
        found = self._cross_validated(anew, folds, kept_few, stops=False)
        few = [(one, judged[one.name.rpartition("[")[0]] if known else found[one.name]) for one, known in options]
        place = of_least_loss(few, lambda held: float(by_unit(self.problem, folds, held, "loss").sum()))
        return few, few[place][0].name

    def _findings(
        self,
        winner: Procedure,
        curve: Task,
        folds: list[Fold],
        judged: Judgements,
        done: dict[str, Any],
        fitted: FittedProcedure,
    ) -> dict[str, Any]:
        """What is known of columns and of the model, for the report."""
        of_refit, order = done["findings"], list(done["contributions"])
        of_refit["learning"] = whole_curve(
            self.journal.done[curve.name], self.problem, self.rules, folds, judged[winner.name]
        )
        return findings(self.problem, judged, winner.name, order, of_refit, fitted.model, self.association, self.n_jobs)

    def _null(self, score: float | None) -> dict[str, Any] | None:
        """What the whole way of working scores on shuffled targets."""
        from tamis.study.findings.null import null_facts, null_score

        given = (self.problem, self.rules, self.procedures, self.settings.prefer)
        tasks = [Task(f"null {k}", null_score, (*given, k)) for k in range(self.null)]
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
    shape = (len(problem.y), problem.table.n_columns)
    return chosen(settings.procedures, settings.transform, shape, problem.groups is None and problem.time is None)
