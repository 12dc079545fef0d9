"""Validation of a finished study on another table, kept in its folder and its ledger."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path, PurePath
from typing import Any

import tamis
from tamis.check import one_of
from tamis.errors import ParameterError, StudyError
from tamis.lock import VALIDATED, Ledger, Lock, Look
from tamis.metrics import find, in_words
from tamis.metrics.loss_matrix import metric_for
from tamis.saved import read_entry, reading, write_whole
from tamis.study.disk import files
from tamis.study.model import Model
from tamis.study.source import texts_of
from tamis.study.validity.external import Target, target_of, validation_facts
from tamis.study.validity.recalibration import KINDS, from_dict, recalibrated
from tamis.table import Raw, Table

#: Folders of a study: a validation each, a recalibrated model each.
VALIDATIONS, RECALIBRATED = "validations", "recalibrated"

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


def validated(
    folder: Path,
    results: dict[str, Any],
    model: Model,
    raw: Raw,
    as_model_takes: Callable[[Raw], Table],
    source: str,
    move: tuple[str, str] | None = None,
) -> dict[str, Any]:
    """Judge a study's model on a table whose target is known, and write a recalibrated one where it is asked for.

    Parameters
    ----------
    as_model_takes : the table as the model takes it; what to know about it is noted by the study.
    source : of the table, in words.
    move : kind and name of a recalibrated model.
    """
    texts = texts_of(raw, model.target)
    target = target_of(texts, model, model.needed_exposures(raw))
    again = Lock.read(folder).again(raw)
    ready = as_model_takes(raw)
    facts = validation(folder, results, model, ready, target, texts, source, again)
    if move is None:
        return facts
    kind, name = move
    recalibrated_model(folder, model, ready, target, kind, name)
    return {**facts, "recalibrated": name}


def validation(
    folder: Path,
    results: dict[str, Any],
    model: Model,
    ready: Table,
    target: Target,
    texts: Sequence[str],
    source: str,
    again: int,
) -> dict[str, Any]:
    """Facts of a validation; written to the ledger and to the folder before they are given.

    again : how many of the study's locked rows the table holds.
    """
    settings = results["settings"]
    metric = (
        metric_for(None, settings["loss"], model.labels)
        if settings.get("loss")
        else find(results["answer"]["metric"], classes=bool(model.labels), labels=model.labels or None)
    )
    facts = validation_facts(model, in_words(metric, model.labels), ready, target, results["answer"])
    if again:
        shared = (
            f"The table holds {again:,} of the study's locked rows, so it shares rows with the study: a score on rows "
            "that the model learned from is no validation."
        )
        facts = {**facts, "locked_rows": again, "words": [shared, *facts["words"]]}
    digest = hashlib.sha256("\n".join(texts).encode("utf-8", "surrogatepass")).hexdigest()
    facts = {"source": source, "digest": digest, "when": datetime.now(UTC).isoformat(timespec="seconds"), **facts}
    Ledger(folder).write(
        Look(
            kind=VALIDATED,
            when=facts["when"],
            version=tamis.__version__,
            digest=digest,
            metric=facts["metric"],
            score=facts["score"],
            interval=None if facts["interval"] is None else (facts["interval"][0], facts["interval"][1]),
            rows=facts["rows"],
            note=f"validated on {source if '://' in source else PurePath(source).name}"
            + (", which shares rows with the study" if again else ""),
        )
    )
    validations = folder / VALIDATIONS
    validations.mkdir(exist_ok=True)
    write_whole(validations / f"{digest[:12]}.json", files.as_json(facts))
    return facts


def recalibrated_model(folder: Path, model: Model, ready: Table, target: Target, kind: str, name: str) -> Model:
    """The recalibrated model, written as a model of its own under its name; the study's model stays as it is."""
    one_of("recalibrate", kind, KINDS)
    if not _NAME.fullmatch(name):
        raise ParameterError(f"name={name!r}; give letters, digits, '.', '_' or '-' (at most 64)")
    target_folder = folder / RECALIBRATED / name
    if (target_folder / files.MODEL_FILE).exists():
        raise StudyError(f"{str(folder)!r} has a recalibrated model {name!r} already; give another name")
    rows = ready.take(target.usable.nonzero()[0])
    moved = recalibrated(model, target.y, model.fitted.answers(rows, len(model.labels)), kind)
    target_folder.mkdir(parents=True, exist_ok=True)
    moved.write(target_folder)
    return moved


def read_recalibrated(folder: Path, name: str) -> Model:
    """A recalibrated model of a study by its name."""
    model_folder = folder / RECALIBRATED / name
    if not _NAME.fullmatch(name) or not (model_folder / files.MODEL_FILE).exists():
        names = sorted(path.name for path in (folder / RECALIBRATED).glob("*")) if folder.exists() else []
        has = (
            f"it has {', '.join(names)}" if names else "it has none: `tamis validate … --recalibrate slope --name NAME`"
        )
        raise StudyError(f"{str(folder)!r} has no recalibrated model {name!r}; {has}")
    model = Model.read(model_folder)
    facts = files.read_json(model_folder, files.MODEL_FILE, "validate with recalibrate= again")
    with reading(f"{files.MODEL_FILE} of {str(model_folder)!r}", "; recalibrate again", StudyError):
        read_entry(facts, "recalibration")
        return from_dict(facts, model)
