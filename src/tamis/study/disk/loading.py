"""A study from its folder."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from tamis.errors import StudyError
from tamis.metrics import fingerprint, spoken
from tamis.saved import mapping, read_entry, read_integer, reading, text
from tamis.study.disk import files
from tamis.study.disk.journal import identity_of
from tamis.study.model import Model
from tamis.study.procedures.models.recipe import Written
from tamis.study.results import refuse_damaged, refuse_older
from tamis.study.study import Study
from tamis.task import read_task
from tamis.typing import Scoring


def load(folder: str | os.PathLike[str], *, scoring: Scoring = None, procedures: Any = None) -> Study:
    """A study from its folder: its results and model; the table is read again only if `open` asks for it.

    Parameters
    ----------
    folder : what `tamis run` or `Study.run` wrote.
    scoring : the scorer or function the study was scored by, when it was one: only its name is kept.
    procedures : the procedures, when some were given as pipelines: only their recipes are kept.
    """
    study_folder = Path(folder)
    if not study_folder.is_dir():
        raise StudyError(f"there is no study folder {str(folder)!r}; give the folder that run() wrote")
    plan = files.read_json(study_folder, files.PLAN_FILE, "give the folder of a study")
    with reading(f"{files.PLAN_FILE} of {str(folder)!r}", files.REBUILT, StudyError):
        study, stored_scoring = _planned(plan, study_folder, scoring, procedures), plan["settings"]["scoring"]
    if scoring is not None and spoken(scoring) != stored_scoring:
        raise StudyError(f"the study was scored by {stored_scoring}, not by {spoken(scoring)}; give that")
    if scoring is not None and not isinstance(scoring, str):
        _refuse_changed(study_folder, stored_scoring, fingerprint(scoring))
    study.results_, study._is_whole = files.read_results(study_folder, "finish the study with run() first")
    with reading(f"{files.RESULTS_FILE} of {str(folder)!r}", files.REBUILT, StudyError, is_whole=study._is_whole):
        refuse_damaged(study.results_)
        study.results_["answer"]["task"] = read_task(study.results_["answer"]["task"])
    refuse_older(study.results_, study_folder)
    study.model_ = Model.read(study_folder)
    return study


def _refuse_changed(folder: Path, name: str, current: str) -> None:
    """Raise when a scorer or function is not the one that scored the folds, though its name is the same."""
    settings = identity_of(folder).get("settings", {})
    if settings.get("scoring", current) != current:
        raise StudyError(f"the study was scored by a {name} of other code or state; give that, or run the study again")


def _planned(plan: dict[str, Any], folder: Path, scoring: Scoring, procedures: Any) -> Study:
    """The study that plan.json describes, before anything is known of it."""
    for name in ("source", "query"):
        if read_entry(plan, name) is not None:
            text(name, plan[name])
    settings = dict(mapping("settings", read_entry(plan, "settings")))
    types = settings.pop("types")
    if settings.get("task") is not None:
        settings["task"] = read_task(settings["task"])
    if scoring is not None:
        settings["scoring"] = scoring
    stored = settings["procedures"]
    if procedures is not None:
        settings["procedures"] = procedures
    elif isinstance(stored, dict):
        settings["procedures"] = {
            name: Written(written) if isinstance(written, dict) else written for name, written in stored.items()
        }
    study = Study(plan["source"], folder=folder, query=plan["query"], types=types or None, **settings)
    study._place = {name: read_integer(name, plan[name]) for name in ("attempts", "studies_here") if name in plan}
    settings_known = study.settings.to_dict()  # looked at here: what is damaged in the file is said of the file
    if procedures is not None and settings_known["procedures"] != stored:
        raise StudyError(f"the study of {str(folder)!r} compared other procedures; give those it was run with")
    study._loaded, study._cut = True, plan.get("credentials") is not None
    return study
