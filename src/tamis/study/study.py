"""The main job: lock, compare procedures in nested folds, choose the simplest good one, refit, say what to expect."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import fields, replace
from html import escape
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryDirectory, TemporaryFile
from time import monotonic
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from sklearn.utils import ClassifierTags, RegressorTags
from sklearn.utils.metaestimators import available_if

import tamis
from tamis import check, engine
from tamis.check import count, number, one_of
from tamis.errors import ParameterError, StudyError, UnwritableError
from tamis.lock import LOCK_FILE, PREDICTED, Ledger, Lock
from tamis.metrics import default, is_spent, score
from tamis.metrics.loss_matrix import LossMatrix, plain
from tamis.saved import replacing, sync, write_whole
from tamis.study.claims.sentences import rows_used
from tamis.study.comparison.person import CHOICE, THRESHOLD, Wish
from tamis.study.disk import files
from tamis.study.disk.journal import Journal, identity_of
from tamis.study.disk.opening import draft_opening, opening_facts
from tamis.study.disk.sibling_studies import place_of
from tamis.study.estimator import TARGET, original, refuse_width, source_of
from tamis.study.finished import FinishedRun
from tamis.study.fold import FoldRules
from tamis.study.model import Model
from tamis.study.prediction.answers import COVERAGE, predictions_csv, remarks_on_csv
from tamis.study.prediction.residuals import of_folds
from tamis.study.problem import StudyProblem
from tamis.study.published import Published
from tamis.study.requested import chosen
from tamis.study.results import assemble, unfinished
from tamis.study.running import Progress, Run, all_procedures
from tamis.study.settings import Settings, directions_given, names_given, procedures_given
from tamis.study.source import fetch_source, is_cut, plain_types, texts_of, written_source
from tamis.study.target.several import TargetStudies, refuse_without_table, targets_given
from tamis.study.validity.facts import validity_facts
from tamis.table import Raw, Table, fetch, table_of
from tamis.table.interface.takes_table import TakesTable
from tamis.table.interface.target import codes_among
from tamis.table.like import TableLike
from tamis.task import CLASSIFICATION, ORDINAL, predicts_classes, predicts_numbers


class Study(TakesTable, BaseEstimator):
    """A table, a target, and everything that is found out about them, kept in a folder.

    Made without a source it is a scikit-learn estimator: `fit(X, y)` does the whole job on these rows in a temporary
    folder that is removed afterwards, so that `cross_val_score(Study(), X, y)` judges the procedure itself. The
    share `lock` of the rows it is given stays locked there, too; give lock=0 to learn from all of them.

    Parameters
    ----------
    source : path, database URL, frame or array: whatever `tamis.read` takes; None for `fit(X, y)`.
    target : name of the column to predict; with `fit(X, y)`, what to call y. A list of names makes one study of each
        target, in a folder of its own, none of them a column of another (see `TargetStudies`).
    folder : where journal, lock, results, model and report are kept.
    seed : fixes every random choice.
    types, query : how to read the source, as in `tamis.read`.
    n_jobs : threads; the answer has the same bytes for any number.
    **settings : what else `Settings` takes: task, scoring, loss, prefer, rare, lock, folds, repeats, inner, groups,
        time, exposure, drop, procedures, transform, black_box, rows, columns, subgroups, monotone, missing, sheet,
        header, positive; `loss` is what `LossMatrix.of` takes.

    Attributes
    ----------
    selected_ : names of the columns the final model uses, largest contribution first.
    score_, interval_ : expected score on new rows, from nested folds, and its 95% interval.
    model_ : the final model; `predict` and `predict_proba` take any table or frame.
    classes_ : after `fit(X, y)`, the classes of y, sorted or in their order; none for numbers.
    locked_rows_ : positions of the locked rows in the source.
    results_ : all facts, as in results.json.
    note_ : what to know about the last prediction: that its table holds the locked rows, how many rows of which column
        have a level that the model never saw; mostly nothing.
    remarks_ : after `predictions_csv`, where intervals and the flags of unlike rows come from, or why there are none;
        which labels are not written as the table has them.

    >>> import tempfile
    >>> import numpy as np, tamis
    >>> b = np.random.default_rng(0).normal(size=120)
    >>> rows = {"a": np.cos(50 * b), "b": b, "y": np.where(b > 0, "yes", "no")}
    >>> few = {"procedures": ["stump"], "folds": 3, "repeats": 1, "black_box": False}
    >>> study = tamis.Study(rows, target="y", folder=tempfile.mkdtemp() + "/study", **few).run()
    >>> study.selected_, len(study.locked_rows_), bool(study.score_ > 0.9)
    (['b'], 24, True)
    >>> study.open()["independent"]
    True
    >>> tamis.load(study.folder).selected_
    ['b']
    >>> tamis.compare(study.folder, study.folder).common
    ('b',)
    """

    model_: Model
    results_: dict[str, Any] = MappingProxyType({})  # type: ignore[assignment]
    note_ = ""
    remarks_: tuple[str, ...] = ()

    def __new__(cls, source: Any = None, **given: Any) -> Any:
        """A study; of several targets, one study each (`TargetStudies`)."""
        targets = targets_given(given.get("target"))
        if targets is None or len(targets) == 1:
            return super().__new__(cls)
        refuse_without_table(source)
        return TargetStudies.of(cls, targets, {**given, "source": source, "target": None})

    def __init__(
        self,
        source: Any = None,
        *,
        target: str | list[str] | None = None,
        folder: str | os.PathLike[str] = "study",
        seed: int = 0,
        types: Any = None,
        query: str | None = None,
        n_jobs: int | None = None,
        **settings: Any,
    ) -> None:
        if isinstance(target, (list, tuple)):  # several are `TargetStudies`
            (target,) = target
        named = {"source": source, "target": target, "folder": folder, "seed": seed, "types": types, "query": query}
        self._given = {**named, "n_jobs": n_jobs, **settings}
        self.source, self.query, self.n_jobs = source, query, n_jobs
        self._settings: Settings | None = None
        self._problem: StudyProblem | None = None
        self._drawn: tuple[int, int] | None = None
        self._place: dict[str, int] = {}
        self._loaded = self._cut = False
        self._is_whole = True
        self._kept = True

    @property
    def folder(self) -> Path:
        """Where the study is kept."""
        return Path(self._given["folder"])

    @property
    def settings(self) -> Settings:
        """What the study was made with, checked when it is first needed, as scikit-learn asks of estimators."""
        if self._settings is None:
            named = ("source", "target", "folder", "seed", "types", "query", "n_jobs")
            more = {name: value for name, value in self._given.items() if name not in named}
            target, seed, types = (self._given[name] for name in ("target", "seed", "types"))
            if target is None and self._given["source"] is not None:
                raise ParameterError("the target is not named; give target=, the name of the column to predict")
            plainly_by_name = {
                "drop": names_given,
                "subgroups": names_given,
                "monotone": directions_given,
                "procedures": procedures_given,
                "loss": plain,
            }
            for name, plainly in plainly_by_name.items():
                if more.get(name) is not None:
                    more[name] = plainly(more[name])
            settings = Settings(target=target or TARGET, seed=seed, types=plain_types(types), **more)
            chosen(settings.procedures, settings.transform, monotone=settings.monotone)
            engine.workers(self.n_jobs)
            self._settings = settings
        return self._settings

    @property
    def problem(self) -> StudyProblem:
        """Features, lock and the unlocked rows' target; the source is read once."""
        if self._problem is None:
            if self.source is None:
                raise StudyError("the study has no table; give one, as in Study(table, target=…), or call fit(X, y)")
            raw = self._fetched()
            self._drawn = (raw.n_rows, raw.drawn_from) if raw.drawn_from else None
            self._problem = StudyProblem.of(raw, self.settings)
            self._settings = _with_named_costs(self.settings, self._problem)
            _check_directions(self._settings, self._problem)
        return self._problem

    def _fetched(self) -> Raw:
        """The cells of the source, read again."""
        return fetch_source(self.source, self.settings, self.query)

    @property
    def decisions(self) -> Any:
        """How every column was read, and why: from the unlocked rows alone."""
        return self.problem.decisions

    @property
    def remarks(self) -> tuple[str, ...]:
        """What to know of the reading of the source: which sheet, which rows hold the names, how many rows are used."""
        remarks = self.problem.remarks
        return remarks if self._drawn is None else (*remarks, rows_used(*self._drawn))

    def run(
        self, *, fresh: bool = False, budget: float | None = None, null: int = 0, progress: Progress | None = None
    ) -> Study:
        """Do the whole job, or what is left of it; the folder then holds the answer.

        Parameters
        ----------
        fresh : start over when the folder holds another study.
        budget : seconds after which no further fold is begun; the answer is then one of the folds that are finished,
            marked as partial, and the next run goes on from there.
        null : shuffled targets on which the whole job is done, too, so that the report can say what chance scores.
        progress : called with (finished tasks, all tasks, name) as steps begin (what may take long is named before it
            is done) and as tasks finish.
        """
        count("null", null, low=0)
        end = np.inf if budget is None else monotonic() + number("budget", budget, low=0)
        problem, rules = self.problem, FoldRules.of(self.settings, self.problem)
        if self.folder.exists() and not self.folder.is_dir():
            raise StudyError(f"the study folder {str(self.folder)!r} is a file; give another folder")
        files.refuse_foreign(self.folder)
        settings = self.settings.to_dict()
        identity = self._identity()
        with files.hold(self.folder):
            self._place = place_of(self.folder, problem.lock.data, settings)
            if fresh:
                files.clear(self.folder)
            with Journal(self.folder, identity) as journal:
                problem.lock.write(self.folder)
                write_whole(self.folder / files.PLAN_FILE, files.as_json(self._plan()))
                run = Run(self.settings, problem, rules, journal, self.n_jobs, progress, end, null)
                try:
                    self._finish(run)
                except KeyboardInterrupt:
                    self._leave_partial(run)
                    raise
        return self

    def _identity(self) -> dict[str, Any]:
        """What tells this study from another in its folder."""
        return {"data": self.problem.digest, "settings": self.settings.identity(), "version": tamis.__version__}

    def fit(self, X: TableLike, y: ArrayLike) -> Study:
        """Do the whole job on these rows, in a temporary folder that is removed afterwards; only without a source."""
        if self._given["source"] is not None:
            raise StudyError("the study has a table of its own; call run(), or make one without a table: Study()")
        source, target = source_of(X, y, self._given["target"], self.settings.task)
        with TemporaryDirectory(prefix="tamis-") as folder:
            inner = Study(**self._given | {"source": source, "target": target, "folder": Path(folder) / "study"})
            inner._kept = False
            inner.run()
        self.results_, self._kept = inner.results_, False
        self.model_: Model = inner.model_
        self.note_ = ""
        self.__dict__.pop("classes_", None)
        if predicts_classes(self.model_.task):
            self.classes_ = np.unique(np.asarray(y).ravel())
        if self.model_.task == ORDINAL:
            self.classes_ = original(np.array(self.model_.labels, dtype=object), self.classes_)
        self.n_features_in_ = source.num_columns - 1
        return self

    def score(self, X: TableLike, y: ArrayLike) -> float:
        """Accuracy of the predicted classes, or R² of the predicted numbers (of rates, of the expected counts)."""
        if "model_" not in vars(self):
            raise self._not_run()
        predictions, model = self.predict(X), self.model_
        if model.exposure is not None:
            predictions = predictions * model.needed_exposures(fetch(X, types=model.types))
        return score(default(predicts_classes(model.task)), np.asarray(y).ravel(), predictions)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """What the study was made with."""
        return dict(self._given)

    def set_params(self, **params: Any) -> Study:
        """Change what the study was made with; what was found out is forgotten."""
        allowed = {*self._given, *(field.name for field in fields(Settings))}
        for name in params:
            one_of("parameter", name, sorted(allowed))
        all_params = self._given | params
        self.__dict__.clear()
        self.__init__(**all_params)  # type: ignore[misc]
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        task = self._task()
        tags.estimator_type = None if task is None else "classifier" if predicts_classes(task) else "regressor"
        tags.target_tags.required = True
        tags.input_tags.allow_nan = tags.input_tags.categorical = True
        tags.input_tags.sparse = tags.input_tags.string = True
        tags.classifier_tags = None if tags.estimator_type == "regressor" else ClassifierTags()
        tags.regressor_tags = None if tags.estimator_type == "classifier" else RegressorTags()
        return tags

    def _task(self) -> str | None:
        """The task, as far as it is known."""
        return self.model_.task if "model_" in vars(self) else self.settings.task

    def _gives_probabilities(self) -> bool:
        """Whether scikit-learn may ask for probabilities; a study of a table says itself why it has none."""
        return self._loaded or self._given["source"] is not None or not predicts_numbers(self._task() or CLASSIFICATION)

    def __sklearn_is_fitted__(self) -> bool:
        return bool(self.results_)

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        what = f"Study of {self.settings.target!r}"
        return f"{what}: {self.answer_}" if self.results_ else f"{what}, not run yet"

    def _repr_html_(self) -> str:
        """The answer, for a notebook."""
        if not self.results_:
            return f"<p>{escape(repr(self))}</p>"
        columns = ", ".join(f"<code>{escape(name)}</code>" for name in self.selected_) or "none"
        report = self.folder / files.REPORT_FILE
        report_line = f"<br>Report: <code>{escape(str(report))}</code>" if self._kept else ""
        return f"<p><b>{escape(self.answer_)}</b><br>Columns: {columns}{report_line}</p>"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        """The answer for a notebook, where scikit-learn would draw an estimator."""
        return {"text/plain": repr(self), "text/html": self._repr_html_()}

    def __dir__(self) -> list[str]:
        """All names, without asking for their values: some read the table."""
        return sorted(object.__dir__(self))

    def _finish(self, run: Run) -> None:
        """Do what is left, and write what is found.

        One BLAS thread: the matrices are small, so two threads mostly wait for each other, and the bits would hang on
        the number of cores.
        """
        with engine.one_blas_thread():
            finished = run.finish()
            if finished is None:
                self._leave_partial(run)
            else:
                self._settle(run, finished)

    def choose(self, procedure: str | None = None, *, columns: int | None = None, source: Any = None) -> Study:
        """Take another rung of the ladder, or a black box, than the rule does; write down that a person chose.

        The score that is quoted is then the procedure's own in the outer folds, not that of the rule. With neither a
        procedure nor a number of columns the choice goes back to the rule.

        Parameters
        ----------
        procedure : by name, black boxes included; with `columns` alone, the kind of least outer loss.
        columns : at most so many. Readable models of every size were judged already, so that only the last fit is done.
            A procedure that was given by name is fitted again in the outer folds, on the columns that contribute most
            in each training part.
        source : the table again, where `open` would ask for it.
        """
        self._ready(source, "choose")
        if self.results_["partial"]:
            raise StudyError("the study is partial; finish it with run() first, then choose")
        problem, rules = self.problem, FoldRules.of(self.settings, self.problem)
        names = [procedure.name for procedure in all_procedures(self.settings, problem)]
        wish = Wish.of(procedure, columns, names, problem.table.n_columns)
        identity = self._identity()
        with files.hold(self.folder), Journal(self.folder, identity) as journal:
            before = journal.done.get(CHOICE)
            journal.add(CHOICE, 0, None if wish == Wish() else wish.to_dict())
            try:
                self._finish(Run(self.settings, problem, rules, journal, self.n_jobs))
            except Exception:
                journal.add(CHOICE, 0, before)  # a choice that could not be made leaves the study as it was
                raise
        return self

    def set_threshold(self, threshold: float | None) -> Study:
        """Predict the second class from another probability on: in `predict`, in every export, in the report.

        A person's threshold is written down in the journal, model.json and results.json, and holds through `run()` and
        `choose()` until another one, None or `run(fresh=True)`; the score that is quoted stays that of the study.

        Parameters
        ----------
        threshold : between 0 and 1; the study's own is 0.5, or what `loss` makes of it.
        """
        self._result_of("answer")
        decided = self._decided_by(threshold, self.results_["settings"].get("loss"), self.model_.labels)
        if not self._kept:
            self._follow(threshold, decided)
            return self
        with files.hold(self.folder):
            self._refuse_other()
            if identity := identity_of(self.folder):
                with Journal(self.folder, identity) as journal:
                    journal.add(THRESHOLD, 0, None if threshold is None else float(threshold))
            self._follow(threshold, decided)
            self.model_.write(self.folder)
            files.write_results(self.folder, self.results_)
            self.report()
        return self

    @staticmethod
    def _decided_by(threshold: float | None, loss: Any, labels: Sequence[Any]) -> LossMatrix | None:
        """The costs that decide between classes: those of a person's threshold, or the study's own."""
        if threshold is not None:
            return LossMatrix.of_threshold(threshold, labels)
        return None if loss is None else LossMatrix.of(loss, labels)

    def _follow(self, threshold: float | None, decided: LossMatrix | None) -> None:
        """Put a person's threshold, or none, into the model and the results."""
        self.model_ = replace(self.model_, loss=decided)
        self.results_ = {name: value for name, value in self.results_.items() if name != "threshold"}
        if threshold is not None:
            self.results_["threshold"] = {"value": float(threshold), "label": str(self.model_.labels[1])}

    def _settle(self, run: Run, finished: FinishedRun) -> None:
        """Write everything a finished study leaves behind."""
        settings, problem, records = self.settings, run.problem, finished.chosen_records
        threshold = run.journal.done.get(THRESHOLD)
        loss = self._decided_by(threshold, settings.loss, problem.labels)
        errors = (
            None
            if problem.labels or settings.exposure is not None  # an error depends on the exposure
            else of_folds(problem.y, finished.folds, records)
        )
        used, labels = list(finished.contributions), problem.labels
        model = Model.of(problem.X, problem.task, settings.target, labels, finished.fitted, loss, errors, used)
        self.model_ = replace(model, exposure=settings.exposure)
        validity = None
        if finished.comparison.chosen != "baseline":
            validity = validity_facts(problem, run.rules, finished.folds, records, settings.subgroups)
        words, metric = self.model_.to_text(), run.rules.metric
        results = assemble(settings, problem, metric, finished, self._decided(), words, validity)
        if self._drawn is not None:
            results.drawn = {"rows": self._drawn[0], "of": self._drawn[1]}
            drawn = rows_used(*self._drawn)
            results.answer.words = f"{results.answer.words} {drawn}"
            results.answer.details = f"{results.answer.details} {drawn}".lstrip()
        self.results_ = results.to_dict()
        self._follow(threshold, loss)
        self.model_.write(self.folder)
        write_whole(self.folder / files.SELECTED_FILE, files.selected_csv(results.stability))
        files.write_results(self.folder, self.results_)
        if self._kept:
            self.report()

    def _leave_partial(self, run: Run) -> None:
        metric, done = run.rules.metric, run.journal.done
        partial = unfinished(self.settings, run.problem, metric, self._decided(), done, run.n_tasks - run.null)
        write_whole(self.folder / files.REPORT_FILE, self._published(partial.to_dict()).page())

    def report(self, path: str | os.PathLike[str] | None = None) -> Path:
        """Write the report, one offline HTML file; to the study's folder unless a path is given."""
        if not self.results_:
            raise StudyError("there is nothing to report yet; call run() first")
        if path is None and not self._kept:
            raise StudyError("a study of fit(X, y) keeps no folder; give the path of the report")
        report_path = Path(path) if path is not None else self.folder / files.REPORT_FILE
        write_whole(report_path, self._published().page())
        return report_path

    def _published(self, results: dict[str, Any] | None = None, *more_looks: dict[str, Any]) -> Published:
        """What is published of these results, or of the study's own, with the looks at its locked rows and more."""
        results = self.results_ if results is None else results
        lock = results["lock"]
        looks = Ledger(self.folder).looks(lock["digest"], lock["data"]) if self._kept else []
        return Published(results, self._plan(), [*looks, *more_looks], self.folder, self._is_whole)

    def cite(self) -> str:
        """A methods paragraph for a paper: what was done and found, every sentence from the results and the ledger."""
        if not self.results_:
            raise StudyError("there is nothing to cite yet; call run() first")
        return self._published().methods()

    def checklist(self, of: str = "tripod-ai", path: str | os.PathLike[str] | None = None) -> str:
        """A reporting checklist, filled as far as the study answers it; the text, or the path that was written.

        Parameters
        ----------
        of : "tripod-ai", "reforms" or "probast".
        path : a file that ends in .html, .docx or .txt.
        """
        self._result_of("answer")
        looks = Ledger(self.folder).looks() if self._kept else []
        return self._published().checklist(of, None if path is None else Path(path), looks)

    def tables(self, folder: str | os.PathLike[str], *, to: str = "csv") -> list[Path]:
        """Write every table of the report: a CSV file each, or one Word document (to="docx"); the paths written."""
        self._result_of("answer")
        return self._published().tables(Path(folder), to)

    def figures(self, folder: str | os.PathLike[str], *, to: str | Sequence[str] | None = None) -> list[Path]:
        """Write every figure of the report to a folder; the paths written. No browser is needed.

        Parameters
        ----------
        to : "svg", "png" or both ("svg,png"); both, where Pillow is installed.
        """
        self._result_of("answer")
        return self._published().figures(Path(folder), to)

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
        self._ready(source, "open")
        with files.hold(self.folder):
            self._refuse_other()
            metric = FoldRules.of(self.settings, self.problem).metric
            opening = draft_opening(self.folder, self.problem, metric, self.model_, self._fetched)
            ledger, report = Ledger(self.folder), self.folder / files.REPORT_FILE
            with replacing(report) as stream:  # what can fail is done before the opening is recorded
                stream.write(self._published(None, opening.as_record()).page())
                sync(stream)
                ledger.write(opening)
        return opening_facts(self.folder, opening)

    def validate(
        self, X: TableLike, *, query: str | None = None, recalibrate: str | None = None, name: str | None = None
    ) -> dict[str, Any]:
        """Judge the final model, as it is, on another table whose target is known; every validation is in the ledger.

        Parameters
        ----------
        X : whatever `tamis.read` takes, with the target.
        recalibrate : "intercept" or "slope": besides, write a model whose predictions are moved to fit this table.
        name : of that model; `recalibrated(name)` reads it. The study's own model stays as it is.

        Returns
        -------
        dict with words, rows, metric, score, interval, expected, p_value, calibration, net_benefit and drift.
        """
        from tamis.study.validity.validate import validated

        self._result_of("answer")
        if not self._kept:
            raise StudyError("a study of fit(X, y) keeps no folder and no ledger; use score(X, y)")
        if (recalibrate is None) != (name is None):
            raise ParameterError("recalibrate and name go together: the name is that of the recalibrated model")
        model, source = self.model_, fetch(X, types=self.model_.types, query=query)
        if recalibrate is not None and model.exposure is not None:
            raise ParameterError("recalibrate is not for rates: give the table without it")
        source_text = str(written_source(X)) if isinstance(X, (str, os.PathLike)) else "a table in memory"
        move = None if recalibrate is None or name is None else (recalibrate, name)
        return validated(self.folder, self.results_, model, source, self._read, source_text, move)

    def recalibrated(self, name: str) -> Model:
        """A model that `validate(…, recalibrate=, name=)` wrote."""
        from tamis.study.validity.validate import read_recalibrated

        return read_recalibrated(self.folder, name)

    def _ready(self, source: Any, verb: str) -> None:
        """Raise unless the table is at hand, or can be read again."""
        self._result_of("answer")
        if not self._kept:
            what = "locked rows; judge it by the rows held out from fit" if verb == "open" else "folder to choose in"
            raise StudyError(f"a study of fit(X, y) keeps no {what}")
        if source is not None:
            self.source, self._problem, self._cut = source, None, False
        if self.source is None:
            call = "open(table)" if verb == "open" else "choose(…, source=table)"
            raise StudyError(f"{str(self.folder)!r} was run on a table in memory or a pipe; give that table: {call}")
        if self._cut:
            raise StudyError(
                f"{str(self.folder)!r} was run on {self.source!r}, whose user, password and options are not kept; "
                "give the whole address again"
            )
        if isinstance(self.settings.scoring, str) and is_spent(self.settings.scoring):
            name = self.settings.scoring
            raise StudyError(f"the study was scored by {name}; give it again, as in tamis.load(folder, scoring=…)")

    def _refuse_other(self) -> None:
        """Raise when the folder was begun anew since this study was run or loaded."""
        now, _ = files.read_results(self.folder, "finish the study with run() first")
        if any(now.get(key) != self.results_[key] for key in ("data", "settings", "lock")):
            raise StudyError(f"the folder {str(self.folder)!r} holds another study by now; load it again")

    def predict(self, X: TableLike, *, query: str | None = None) -> np.ndarray:
        """The predicted class or number of every row of a new table; of counts with exposures the rate."""
        table = self._new(X, query)
        predictions = self.model_.predict(table)
        return original(predictions, self.classes_) if "classes_" in vars(self) else predictions

    @available_if(_gives_probabilities)
    def predict_proba(self, X: TableLike, *, query: str | None = None) -> np.ndarray:
        """The probability of every class, for every row of a new table."""
        table = self._new(X, query)
        shares = self.model_.predict_proba(table)
        if "classes_" not in vars(self):
            return shares
        aligned = np.zeros((len(shares), len(self.classes_)))
        labels = original(np.array(self.model_.labels, dtype=object), self.classes_)
        aligned[:, codes_among(self.classes_, labels)] = shares
        return aligned

    def predictions_csv(
        self, X: TableLike, *, query: str | None = None, id: str | None = None, coverage: float = COVERAGE
    ) -> str:
        """Predictions of a new table as CSV text: rows counted from 1; `id` names a column to keep beside them.

        A row with a level that the model never saw is flagged in the column "note"; `note_` counts such rows. Numbers
        have an interval that holds a new answer with the probability `coverage`, and the column "unlike" says in
        which way a row is unlike the training rows. `remarks_` says where both come from. Before a text that a
        spreadsheet would compute (a label "=A1") stands an apostrophe.
        """
        raw = fetch(X, types=self.model_.types, query=query)
        ids = None if id is None else (id, texts_of(raw, id))  # first: a source is read once
        exposures = self.model_.exposures(raw)
        table = self._read(raw)
        self.remarks_ = remarks_on_csv(self.model_, coverage)
        return predictions_csv(self.model_, table, ids, coverage, exposures=exposures)

    def write_predictions(
        self, X: TableLike, stream: Any, *, id: str | None = None, coverage: float = COVERAGE
    ) -> None:
        """Predictions of a lazy source (several files, a LazyTable) as CSV, part by part, by the engine in use.

        What is written is what `predictions_csv` gives for the same rows in memory.
        """
        from tamis.study.prediction.in_batches import predict_parts

        lock = Lock.read(self.folder) if self._kept and (self.folder / LOCK_FILE).exists() else None
        with self._withheld(stream, lock) as target:
            predicted, names = predict_parts(self.model_, X, target, lock, id, coverage)
            again = (
                0
                if lock is None or predicted.locked is None
                else lock.recognised(predicted.locked, names, predicted.rows)
            )
            look_note = "" if lock is None or not again else self._look(lock, again)
        strange = [
            f"column {name!r}: {n:,} of {predicted.rows:,} rows have a level that the model never saw"
            for name, n in predicted.unseen.items()
        ]
        self.note_ = "; ".join(note for note in (look_note, *strange) if note)
        self.remarks_ = remarks_on_csv(self.model_, coverage)

    def export(self, to: str, path: str | os.PathLike[str] | None = None) -> str | Path:
        """The final model for a place without Tamis: its text, or, with a path, the file that was written.

        Parameters
        ----------
        to : "python" (a file with a function `predict(row)`), "sql" (a SELECT), "html" (a page with a form for a row)
            or "onnx", which has no text, so that a path must be given.
        path : where to write it.
        """
        from tamis.results.answer import Answer
        from tamis.study.claims.expected import expected
        from tamis.study.export.export import export_to

        answer = Answer.from_dict(self._result_of("answer"))
        return export_to(self.model_, to, path, expected(answer))

    @property
    def plot(self) -> Any:
        """The charts of the study as methods that give Bokeh figures: `study.plot.roc().save("roc.svg")`."""
        from tamis.report.charts.plots import Plots

        self._result_of("answer")
        return Plots(self.results_)

    @property
    def selected_(self) -> list[str]:
        return list(self._result_of("answer")["selected"])

    @property
    def score_(self) -> float:
        stored_score = self._result_of("answer")["score"]
        return float("nan") if stored_score is None else float(stored_score)

    @property
    def interval_(self) -> tuple[float, float]:
        low, high = self._result_of("answer")["interval"] or (float("nan"), float("nan"))
        return low, high

    @property
    def answer_(self) -> str:
        return str(self._result_of("answer")["words"])

    @property
    def locked_rows_(self) -> np.ndarray:
        return Lock.read(self.folder).rows if self._problem is None else self.problem.lock.rows

    def _result_of(self, key: str) -> Any:
        if not self.results_:
            raise self._not_run()
        return self.results_[key]

    def _not_run(self) -> Exception:
        """What is wrong where something is asked of a study that has no answer yet."""
        if self._given["source"] is None:
            return NotFittedError("this Study is not fitted yet; call fit(X, y) first")
        return StudyError("the study has not been run yet; call run() first")

    def _new(self, X: TableLike, query: str | None) -> Table:
        if "model_" not in vars(self):
            raise self._not_run()
        if "n_features_in_" in vars(self):
            refuse_width(X, self.n_features_in_, type(self).__name__)
        return self._read(fetch(X, types=self.model_.types, query=query))

    def _read(self, raw: Raw) -> Table:
        """The table as the model takes it; what to know about it goes to `note_`."""
        recognised = self._recognised(raw)
        table = self.model_.aligned(table_of(raw, like=self.model_.types))
        strange = [
            f"column {name!r}: {int(mask.sum()):,} of {len(mask):,} rows have a level that the model never saw"
            for name, mask in self.model_.unseen(table).items()
        ]
        self.note_ = "; ".join(note for note in (recognised, *strange) if note)
        return table

    def _recognised(self, raw: Raw) -> str:
        """What to say, and to write into the ledger, when a table to predict holds the locked rows."""
        if not self._kept or not (self.folder / LOCK_FILE).exists():
            return ""
        lock = Lock.read(self.folder)
        again = lock.again(raw)
        return self._look(lock, again) if again else ""

    def _look(self, lock: Lock, again: int) -> str:
        """Write down that a table with the locked rows is predicted; without a record there is no prediction."""
        note = f"the table holds {again:,} of the locked rows"
        reason = "with its target, their score is known without an opening"
        try:
            Ledger(self.folder).append(lock, PREDICTED, version=tamis.__version__, rows=again, note=note)
        except UnwritableError as error:
            raise StudyError(
                f"{note}; {reason}, and this cannot be recorded: {Ledger(self.folder).path} cannot be written; make it "
                "writable, or leave these rows out"
            ) from error
        with suppress(UnwritableError):  # the report is made again from the ledger at any time
            self.report()
        return f"{note}; {reason}, so the ledger counts this as a look at them"

    @contextmanager
    def _withheld(self, stream: Any, lock: Lock | None) -> Iterator[Any]:
        """A stream that holds everything back until the end where no look could be recorded."""
        try:
            if lock is not None:
                Ledger(self.folder).refuse_unwritable()
        except UnwritableError:
            with TemporaryFile("w+", encoding="utf-8", newline="") as buffer:
                yield buffer
                buffer.seek(0)
                copyfileobj(buffer, stream)
            return
        yield stream

    def _decided(self) -> list[dict[str, Any]]:
        """Decisions in the order of names; of the target only what its unlocked rows say."""
        kind = "categorical" if predicts_classes(self.problem.task) else "numeric"
        decisions = []
        for d in sorted(self.decisions, key=lambda decision: decision.name):
            if d.name == self.settings.target:
                decisions.append({"name": d.name, "kind": kind, "used": True, "reason": "the target"})
                decisions[-1]["note"] = self.problem.task_note
            else:
                decisions.append({"name": d.name, "kind": d.kind, "used": d.used, "reason": d.reason, "note": d.note})
        return decisions

    def _plan(self) -> dict[str, Any]:
        return {
            "source": written_source(self.source),
            "query": self.query,
            "credentials": "not kept" if self._cut or is_cut(self.source) else None,
            "settings": self.settings.to_dict(),
            **self._place,
        }


def _check_directions(settings: Settings, problem: StudyProblem) -> None:
    """Refuse directions of columns that models do not see, of categories, and of more than two classes."""
    table = problem.table
    directions = check.monotone(settings.monotone, table.names, lambda j: table.column(j).is_categorical)
    check.one_answer(directions, n_classes=len(problem.labels))


def _with_named_costs(settings: Settings, problem: StudyProblem) -> Settings:
    """Costs of two classes given as an array, which has the classes in their order, by the names of the classes."""
    if not isinstance(settings.loss, list) or len(problem.given_labels) != 2:
        return settings
    return replace(settings, loss=LossMatrix.of(settings.loss, problem.given_labels).to_dict())
