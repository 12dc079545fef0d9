"""Several targets of one table: a study of each, in a folder of its own, and what they have in common."""

from __future__ import annotations

import os
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from tamis.check import one_name
from tamis.errors import ParameterError, StudyError
from tamis.saved import write_whole
from tamis.study.disk import files
from tamis.study.settings import names_given
from tamis.table.like import TableLike

if TYPE_CHECKING:
    from tamis.study.study import Study

#: Characters of a target's name in the name of its folder.
MOST_SHOWN = 40


class TargetStudies:
    """One study a target; no target is a column of another's study.

    Each target has its own task, model and score, as with scikit-learn's MultiOutputRegressor or a benchmark of several
    tasks in mlr3: a single model of all targets would have to be compared by a sum of losses in different units. What
    the models have in common is said beside: `common_`, the columns that all of them use.

    Parameters
    ----------
    studies : target -> its study.
    folder : holds a folder a target, results.json with all answers, and report.html with links to the reports.

    Attributes
    ----------
    studies : target -> Study.
    selected_ : target -> names of the columns its model uses, largest contribution first.
    common_ : columns that all models use, in the order of the first.
    score_ : target -> expected score.
    answer_ : the answers in words.
    results_ : as in results.json.
    """

    def __init__(self, studies: dict[str, Study], folder: Path) -> None:
        self.studies, self.folder = studies, folder

    @classmethod
    def of(cls, kind: type[Study], targets: list[str], params: dict[str, Any]) -> TargetStudies:
        """The studies of targets, made with what is given for all of them; `task` may be a dict target -> task."""
        folder, drop = Path(params.pop("folder", "study")), tuple(names_given(params.pop("drop", None) or ()))
        tasks, types = params.pop("task", None), params.pop("types", None)
        studies: dict[str, Study] = {}
        for number, target in enumerate(targets):
            other_targets = tuple(candidate for candidate in targets if candidate != target)
            task = tasks.get(target) if isinstance(tasks, dict) else tasks
            study_params = {**params, "task": task, "types": types, "drop": (*drop, *other_targets)}
            study_params.pop("target", None)
            studies[target] = kind(target=target, folder=folder / _folder_name(number, target), **study_params)
        return cls(studies, folder)

    def run(self, **options: Any) -> TargetStudies:
        """Do the whole job for every target, one after the other; options are those of `Study.run`."""
        for study in self.studies.values():
            study.run(**options)
        files.write_results(self.folder, self.results_)
        self.report()
        return self

    @property
    def selected_(self) -> dict[str, list[str]]:
        return {target: study.selected_ for target, study in self.studies.items()}

    @property
    def score_(self) -> dict[str, float]:
        return {target: study.score_ for target, study in self.studies.items()}

    @property
    def common_(self) -> list[str]:
        first, *selected_sets = self.selected_.values()
        return [name for name in first if all(name in selected for selected in selected_sets)]

    @property
    def answer_(self) -> str:
        words = [f"{target}: {study.answer_}" for target, study in self.studies.items()]
        shared = ", ".join(self.common_)
        words.append(f"Columns that all models use: {shared}." if shared else "No column is used by all models.")
        return "\n".join(words)

    @property
    def results_(self) -> dict[str, Any]:
        return {
            "targets": [
                {"target": target, "folder": study.folder.name, "answer": study.results_["answer"]}
                for target, study in self.studies.items()
            ],
            "common": self.common_,
        }

    def predict(self, X: TableLike) -> dict[str, Any]:
        """The predictions of every target's model: target -> array."""
        return {target: study.predict(X) for target, study in self.studies.items()}

    def open(self, source: Any = None) -> dict[str, dict[str, Any]]:
        """Score every model on the rows set aside, once."""
        return {target: study.open(source) for target, study in self.studies.items()}

    def report(self, path: str | os.PathLike[str] | None = None) -> Path:
        """One page with the answers and a link to the report of every target."""
        report_path = Path(path) if path is not None else self.folder / files.REPORT_FILE
        sections = [
            f'<h2><a href="{quote(study.folder.name)}/{files.REPORT_FILE}">{escape(target)}</a></h2>'
            f"<p>{escape(study.answer_)}</p>"
            for target, study in self.studies.items()
        ]
        shared = escape(", ".join(self.common_)) or "none"
        head = '<!doctype html><html lang="en"><meta charset="utf-8"><title>Tamis: several targets</title>'
        body = f"<h1>{len(sections)} targets</h1>{''.join(sections)}<p>Columns that all models use: {shared}.</p>"
        write_whole(report_path, f"{head}<body>{body}</body></html>\n")
        return report_path

    def __repr__(self) -> str:
        return f"TargetStudies of {', '.join(map(repr, self.studies))} in {str(self.folder)!r}"


def targets_given(target: Any) -> list[str] | None:
    """The names of several targets; None where one is given, or none.

    >>> targets_given(["a", "b"]), targets_given("a"), targets_given(["a"])
    (['a', 'b'], None, ['a'])
    """
    one_name("target", target, "call Study().fit(X, y) with the values, or give a table that holds them")
    if target is None or isinstance(target, str) or not isinstance(target, (list, tuple)):
        return None
    names = list(target)
    if not names or not all(isinstance(name, str) for name in names):
        raise ParameterError(f"target={target!r} is no list of names; give the names of columns of the table")
    if len(set(names)) < len(names):
        raise ParameterError(f"target={target!r} names a column twice; give each once")
    return names


def refuse_without_table(source: Any) -> None:
    """Raise for several targets of a study that is fitted as an estimator."""
    if source is None:
        raise StudyError("several targets need a table: Study(table, target=[…]); fit(X, y) takes one target")


def _folder_name(number: int, target: str) -> str:
    """A name for the folder of a target that every file system takes.

    >>> _folder_name(0, "blood pressure / mmHg")
    '1-blood_pressure___mmHg'
    """
    safe_name = "".join(letter if letter.isalnum() or letter in "-_" else "_" for letter in target[:MOST_SHOWN])
    return f"{number + 1}-{safe_name}"
