"""The main job: lock, compare procedures in nested folds, choose the simplest good one, refit, say what to expect."""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

import tamis
from tamis import engine
from tamis.engine import Task
from tamis.errors import StudyError, UnwritableError
from tamis.evaluate.loss import LossMatrix, metric_for, plain
from tamis.evaluate.metrics import Metric
from tamis.lock import LOCK_FILE, PREDICTED, Ledger, Lock
from tamis.saved import mapping, part, reading, text, whole, write_whole
from tamis.study import files
from tamis.study.fold import Fold, Rules, find_leaks, judge, outer_folds, refit
from tamis.study.journal import Journal
from tamis.study.judging import headline
from tamis.study.model import Model, predictions_csv
from tamis.study.opening import open_lock
from tamis.study.place import place_of
from tamis.study.problem import Problem
from tamis.study.procedures import Fitted, chosen
from tamis.study.results import assemble, compare, refuse_damaged, unfinished
from tamis.study.settings import Settings
from tamis.study.source import fetch_source, is_cut, plain_types, written_source
from tamis.table import Raw, Table, fetch, table_of

#: Below this many learnable rows the outer folds are repeated, for one arrangement of few rows is a lottery.
FEW_ROWS, REPEATS = 1_000, 3

Progress = Callable[[int, int, str], None]


class Study:
    """A table, a target, and everything that is found out about them, kept in a folder.

    Parameters
    ----------
    source : path, database URL, frame or array: whatever `tamis.read` takes.
    target : name of the column to predict.
    folder : where journal, lock, results, model and report are kept.
    seed : fixes every random choice.
    types, query : how to read the source, as in `tamis.read`.
    n_jobs : threads; the answer has the same bytes for any number.
    **settings : what else `Settings` takes: task, scoring, loss, prefer, rare, lock, folds, repeats, inner, groups,
        time, drop, procedures; `loss` is what `LossMatrix.of` takes.

    Attributes
    ----------
    selected_ : names of the columns the final model uses, largest contribution first.
    score_, interval_ : expected score on new rows, from nested folds, and its 95% interval.
    model_ : the final model; `predict` and `predict_proba` take a table.
    locked_rows_ : positions of the locked rows in the source.
    results_ : all facts, as in results.json.
    note_ : what to know about the last prediction: that its table holds the locked rows; mostly nothing.
    """

    def __init__(
        self,
        source: Any,
        *,
        target: str,
        folder: str | os.PathLike[str] = "study",
        seed: int = 0,
        types: Any = None,
        query: str | None = None,
        n_jobs: int | None = None,
        **settings: Any,
    ) -> None:
        self.source, self.folder, self.query, self.n_jobs = source, Path(folder), query, n_jobs
        for name, plainly in (("drop", tuple), ("procedures", tuple), ("loss", plain)):
            if settings.get(name) is not None:
                settings[name] = plainly(settings[name])
        self.settings = Settings(target=target, seed=seed, types=plain_types(types), **settings)
        chosen(self.settings.procedures)
        engine.workers(n_jobs)
        self._problem: Problem | None = None
        self._place: dict[str, int] = {}
        self.results_: dict[str, Any] = {}
        self._loaded = self._cut = False
        self.note_ = ""

    @property
    def problem(self) -> Problem:
        """Features, lock and the unlocked rows' target; the source is read once."""
        if self._problem is None:
            self._problem = Problem.of(fetch_source(self.source, self.settings, self.query), self.settings)
        return self._problem

    @property
    def decisions(self) -> Any:
        """How every column was read, and why: from the unlocked rows alone."""
        return self.problem.decisions

    def run(self, *, fresh: bool = False, progress: Progress | None = None) -> Study:
        """Do the whole job, or what is left of it; the folder then holds the answer.

        Parameters
        ----------
        fresh : start over when the folder holds another study.
        progress : called with (finished, total, name of the task) as tasks finish.
        """
        problem, rules = self.problem, self._rules()
        if self.folder.exists() and not self.folder.is_dir():
            raise StudyError(f"the study folder {str(self.folder)!r} is a file; give another folder")
        settings = self.settings.to_dict()
        identity = {"data": problem.digest, "settings": settings, "version": tamis.__version__}
        with files.hold(self.folder):
            self._place = place_of(self.folder, problem.lock.data, settings)
            if fresh:
                files.clear(self.folder)
            with Journal(self.folder, identity) as journal:
                problem.lock.write(self.folder)
                write_whole(self.folder / files.PLAN_FILE, files.as_json(self._plan()))
                try:
                    self._finish(problem, rules, journal, progress)
                except KeyboardInterrupt:
                    self._leave_partial(problem, rules.metric, journal)
                    raise
        return self

    def _finish(self, problem: Problem, rules: Rules, journal: Journal, progress: Progress | None) -> None:
        procedures, folds = chosen(self.settings.procedures), self._folds(problem)
        names = {(f.name, p.name): f"{f.name} {p.name}" for f in folds for p in procedures}
        tasks = [Task(names[f.name, p.name], judge, (problem, rules, f, p)) for f in folds for p in procedures]
        total = len(tasks) + 2
        self._do([Task("leaks", find_leaks, (problem,)), *tasks], journal, total, progress)
        judged = {p.name: [journal.done[names[f.name, p.name]] for f in folds] for p in procedures}
        compared = compare(problem, rules, self.settings.prefer, procedures, folds, judged)
        winner = next(p for p in procedures if p.name == compared["chosen"])
        last = f"refit {winner.name}"
        self._do([Task(last, refit, (problem, rules, winner))], journal, total, progress)
        self._settle(problem, rules.metric, folds, compared, judged, journal.done["leaks"], journal.done[last])

    def _do(self, tasks: list[Task], journal: Journal, total: int, progress: Progress | None) -> None:
        todo = [task for task in tasks if task.name not in journal.done]
        if progress:
            progress(len(journal.done), total, "")
        for task, result in engine.run(todo, seed=self.settings.seed, n_jobs=self.n_jobs):
            journal.add(task.name, engine.seed_of(self.settings.seed, task.name), result)
            if progress:
                progress(len(journal.done), total, task.name)

    def _settle(
        self,
        problem: Problem,
        metric: Metric,
        folds: list[Fold],
        compared: Any,
        judged: Any,
        leaks: Any,
        refitted: dict[str, Any],
    ) -> None:
        """Write everything a finished study leaves behind."""
        settings, fitted = self.settings, Fitted.from_dict(refitted)
        table = problem.table.take(problem.rows)
        loss = None if settings.loss is None else LossMatrix.of(settings.loss, problem.labels)
        self.model_ = Model.of(table, problem.task, settings.target, problem.labels, fitted, loss)
        final = {"contributions": refitted["contributions"], "words": self.model_.to_text(), "leaks": leaks}
        self.results_ = assemble(settings, problem, metric, folds, compared, judged, self._decided(), final)
        self.model_.write(self.folder)
        write_whole(self.folder / files.SELECTED_FILE, files.selected_csv(self.results_["stability"]))
        write_whole(self.folder / files.RESULTS_FILE, files.as_json(self.results_))
        self.report()

    def _leave_partial(self, problem: Problem, metric: Metric, journal: Journal) -> None:
        total = len(self._folds(problem)) * len(chosen(self.settings.procedures)) + 2
        facts = unfinished(self.settings, problem, metric, self._decided(), journal.done, total)
        self._report(self.folder / files.REPORT_FILE, facts)

    def report(self, path: str | os.PathLike[str] | None = None) -> Path:
        """Write the report, one offline HTML file; to the study's folder unless a path is given."""
        if not self.results_:
            raise StudyError("there is nothing to report yet; call run() first")
        return self._report(Path(path) if path is not None else self.folder / files.REPORT_FILE, self.results_)

    def _report(self, path: Path, results: dict[str, Any]) -> Path:
        # The report stands above the study and imports it; so it is looked up by name, here only.
        page = import_module("tamis.report").page
        lock = results["lock"]
        looks = Ledger(self.folder).looks(lock["digest"], lock["data"])
        if self._loaded:  # results that came from a file may lack what the page needs
            with reading(
                f"{files.RESULTS_FILE} of {str(self.folder)!r}", "start over with run(fresh=True)", StudyError
            ):
                written = page(results, self._plan(), looks)
        else:
            written = page(results, self._plan(), looks)
        write_whole(path, written)
        return path

    def open(self, source: Any = None) -> dict[str, Any]:
        """Score the final model on the locked rows; every opening is written to the ledger before it is shown.

        Parameters
        ----------
        source : the table again, when the study was run on one in memory, or on a database whose address held a user
            or a password, and loaded from its folder.

        Returns
        -------
        dict with score, interval, openings (how often so far), independent (True the first time), metric, rows, note.
        """
        self._known("answer")
        if source is not None:
            self.source, self._problem, self._cut = source, None, False
        if self.source is None:
            raise StudyError(f"{str(self.folder)!r} was run on a table in memory; give that table: open(table)")
        if self._cut:
            raise StudyError(
                f"{str(self.folder)!r} was run on {self.source!r}, whose user, password and options are not kept; "
                "give the whole address again"
            )
        with files.hold(self.folder):
            self._refuse_other()
            opened = open_lock(self.folder, self.problem, self._metric(), self.model_)
            self.report()
        return opened

    def _refuse_other(self) -> None:
        """Raise when the folder was begun anew since this study was run or loaded."""
        now = files.read_json(self.folder, files.RESULTS_FILE, "finish the study with run() first")
        if any(now.get(part) != self.results_[part] for part in ("data", "settings", "lock")):
            raise StudyError(f"the folder {str(self.folder)!r} holds another study by now; load it again")

    def predict(self, X: Any, *, query: str | None = None) -> np.ndarray:
        """The predicted class or number of every row of a new table."""
        return self.model_.predict(self._new(X, query))

    def predict_proba(self, X: Any, *, query: str | None = None) -> np.ndarray:
        """The probability of every class, for every row of a new table."""
        return self.model_.predict_proba(self._new(X, query))

    def predictions_csv(self, X: Any, *, query: str | None = None) -> str:
        """Predictions of a new table as CSV text."""
        return predictions_csv(self.model_, self._new(X, query))

    @property
    def selected_(self) -> list[str]:
        return list(self._known("answer")["selected"])

    @property
    def score_(self) -> float:
        return float(self._known("answer")["score"])

    @property
    def interval_(self) -> tuple[float, float]:
        low, high = self._known("answer")["interval"] or (float("nan"), float("nan"))
        return low, high

    @property
    def answer_(self) -> str:
        return str(self._known("answer")["words"])

    @property
    def locked_rows_(self) -> np.ndarray:
        return Lock.read(self.folder).rows if self._problem is None else self.problem.lock.rows

    def _known(self, part: str) -> Any:
        if not self.results_:
            raise StudyError("the study has not been run yet; call run() first")
        return self.results_[part]

    def _new(self, X: Any, query: str | None) -> Table:
        raw = fetch(X, types=self.model_.types, query=query)
        self.note_ = self._recognised(raw)
        return table_of(raw, like=self.model_.types)

    def _recognised(self, raw: Raw) -> str:
        """What to say, and to write into the ledger, when a table to predict holds the locked rows."""
        if not (self.folder / LOCK_FILE).exists():
            return ""
        lock = Lock.read(self.folder)
        again = lock.again(raw)
        if not again:
            return ""
        note = f"the table holds {again:,} of the locked rows"
        said = "with its target, their score is known without an opening"
        try:
            Ledger(self.folder).append(lock, PREDICTED, version=tamis.__version__, rows=again, note=note)
            self.report()
        except UnwritableError:
            return f"{note}; {said}, and the ledger cannot be written"
        return f"{note}; {said}, so the ledger counts this as a look at them"

    def _metric(self) -> Metric:
        settings, problem = self.settings, self.problem
        usual = None if settings.loss else headline(problem.task, problem.y, len(problem.labels), settings.folds)
        return metric_for(settings.scoring or usual, settings.loss, problem.labels or None)

    def _rules(self) -> Rules:
        metric, labels = self._metric(), self.problem.labels
        if metric.name == "cost":
            return Rules(metric, "cost", LossMatrix.of(self.settings.loss, labels).matrix, self.settings.inner)
        kind = "squared_error" if not labels else "log_loss" if metric.base == "log_loss" else "brier"
        return Rules(metric, kind, None, self.settings.inner)

    def _folds(self, problem: Problem) -> list[Fold]:
        given = self.settings.repeats
        few = len(problem.y) < FEW_ROWS and problem.time is None
        repeats = given if given is not None else (REPEATS if few else 1)
        return outer_folds(problem, self.settings.folds, repeats, self.settings.seed)

    def _decided(self) -> list[dict[str, Any]]:
        """Decisions in the order of names; of the target only what its unlocked rows say."""
        kind = "categorical" if self.problem.task == "classes" else "numeric"
        found = []
        for d in sorted(self.decisions, key=lambda decision: decision.name):
            if d.name == self.settings.target:
                found.append({"name": d.name, "kind": kind, "used": True, "reason": "the target", "note": ""})
            else:
                found.append({"name": d.name, "kind": d.kind, "used": d.used, "reason": d.reason, "note": d.note})
        return found

    def _plan(self) -> dict[str, Any]:
        return {
            "source": written_source(self.source),
            "query": self.query,
            "credentials": "not kept" if self._cut or is_cut(self.source) else None,
            "settings": self.settings.to_dict(),
            **self._place,
        }


def load(folder: str | os.PathLike[str]) -> Study:
    """A study from its folder: its results and model; the table is read again only if `open` asks for it."""
    place = Path(folder)
    if not place.is_dir():
        raise StudyError(f"there is no study folder {str(folder)!r}; give the folder that run() wrote")
    plan = files.read_json(place, files.PLAN_FILE, "give the folder of a study")
    with reading(f"{files.PLAN_FILE} of {str(folder)!r}", "start over with run(fresh=True)", StudyError):
        study = _planned(plan, place)
    study.results_ = files.read_json(place, files.RESULTS_FILE, "finish the study with run() first")
    with reading(f"{files.RESULTS_FILE} of {str(folder)!r}", "start over with run(fresh=True)", StudyError):
        refuse_damaged(study.results_)
    study.model_ = Model.read(place)
    return study


def _planned(plan: dict[str, Any], folder: Path) -> Study:
    """The study that plan.json describes, before anything is known of it."""
    for name in ("source", "query"):
        if part(plan, name) is not None:
            text(name, plan[name])
    settings = dict(mapping("settings", part(plan, "settings")))
    types = settings.pop("types")
    study = Study(plan["source"], folder=folder, query=plan["query"], types=types or None, **settings)
    study._place = {name: whole(name, plan[name]) for name in ("attempts", "studies_here") if name in plan}
    study._loaded, study._cut = True, plan.get("credentials") is not None
    return study
