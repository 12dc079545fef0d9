"""The chosen model as one JSON file: everything needed to predict from a new table, and nothing that can run code."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import tamis
from tamis.check import one_of
from tamis.errors import DamagedError, StudyError, TableError
from tamis.metrics.loss_matrix import LossMatrix
from tamis.saved import (
    REFUSALS,
    checksum,
    indented,
    levels,
    mapping,
    numbers,
    read_entry,
    reading,
    refuse_outside,
    text,
    texts,
    write_whole,
)
from tamis.study.disk.files import CHECK, MODEL_FILE, REBUILT, read_json
from tamis.study.prediction.residuals import Residuals
from tamis.study.prediction.training import Training
from tamis.study.procedures.models.fitted import FittedProcedure
from tamis.study.procedures.models.transformed import Transformed
from tamis.study.source import exposure_of, refuse_unknown
from tamis.table import Column, Raw, Table, fetch, table_of
from tamis.table.column import KINDS, UNSEEN
from tamis.table.types import types_of
from tamis.task import predicts_classes, predicts_numbers, read_task


@dataclass(frozen=True, eq=False)
class Model:
    """A fitted procedure with the columns it was fitted on.

    Attributes
    ----------
    task, target, labels : what is predicted.
    columns : name, kind and levels of every column the procedure was fitted on, in the order of names.
    types : how the columns of the source are to be read, as in `tamis.read(…, like=types)`.
    fitted : the procedure.
    loss : what each kind of mistake costs, when answers are to be those of least expected cost.
    training : what is remembered of the training rows; None in a file that an earlier Tamis wrote.
    residuals : for numbers, the errors on rows not seen in the study's folds, where they were kept.
    exposure : of rates, the column that says how long or how much a row was observed.
    """

    task: str
    target: str
    labels: tuple[Any, ...]
    columns: tuple[dict[str, Any], ...]
    types: dict[str, Any]
    fitted: FittedProcedure
    loss: LossMatrix | None = None
    training: Training | None = None
    residuals: Residuals | None = None
    exposure: str | None = None

    @classmethod
    def of(
        cls,
        table: Table,
        task: str,
        target: str,
        labels: tuple[Any, ...],
        fitted: FittedProcedure,
        loss: LossMatrix | None = None,
        residuals: Residuals | None = None,
        used: Sequence[str] | None = None,
    ) -> Model:
        """Remember what a procedure was fitted on; `used` names its columns, largest contribution first."""
        columns = tuple(
            {"name": c.name, "kind": c.kind, "levels": None if c.levels is None else list(c.levels)}
            for c in table.columns
        )
        types_of_table = table.types  # once: it is made again at every call
        types = {
            name: types_of_table[name]
            for name in sorted({column.origin for column in table.columns} & set(types_of_table))
        }
        training = Training.of(table, fitted.columns if used is None else used)
        return cls(task, target, labels, columns, types, fitted, loss, training, residuals)

    @property
    def predicted(self) -> str:
        """What predictions are of: the target, or its rate."""
        return self.target if self.exposure is None else f"{self.target} per unit of {self.exposure}"

    def exposures(self, raw: Raw) -> np.ndarray | None:
        """The exposure of every row of a source; None where it has none, or the model needs none."""
        if self.exposure is None or self.exposure not in raw.origins:
            return None
        return exposure_of(raw, self.exposure, {})

    def needed_exposures(self, raw: Raw) -> np.ndarray | None:
        """The same for a table whose counts are judged, which must have the column."""
        if self.exposure is not None:
            refuse_unknown(raw, [self.exposure])
        return self.exposures(raw)

    def predict(self, table: Any) -> np.ndarray:
        """The predicted label, number or rate of every row of a table, a frame or whatever `tamis.read` takes."""
        ready = self.aligned(table)
        if predicts_numbers(self.task):
            return self.fitted.numbers(ready)
        return self.decide(self.fitted.probabilities(ready, len(self.labels)))

    def decide(self, probabilities: np.ndarray) -> np.ndarray:
        """The label of every row: the most probable, or the one of least expected cost."""
        codes = probabilities.argmax(axis=1) if self.loss is None else self.loss.answers(probabilities)
        return np.asarray(np.array(self.labels, dtype=object)[codes])

    @property
    def threshold(self) -> float | None:
        """Of two classes, the probability from which on the second is predicted; None where there is no such number."""
        if len(self.labels) != 2:
            return None
        return 0.5 if self.loss is None else self.loss.threshold

    @property
    def decision(self) -> str:
        """How a class is chosen by its probability, in a sentence; nothing for numbers."""
        if not self.labels:
            return ""
        if self.threshold is not None:
            return f"Decision threshold: a probability of {self.threshold:.4g} for {self.labels[1]}."
        return f"The {'most probable class' if self.loss is None else 'class of least expected cost'} is predicted."

    def predict_proba(self, table: Any) -> np.ndarray:
        """Probability of every class, in the order of `labels`."""
        if predicts_numbers(self.task):
            raise StudyError(f"the target {self.target!r} is a number, so there are no probabilities; use predict")
        return self.fitted.probabilities(self.aligned(table), len(self.labels))

    def to_text(self) -> str:
        """The model in words, its classes by their labels."""
        model = self.fitted.model
        before = "" if self.exposure is None else f"{self.predicted}:\n"
        if isinstance(model, Transformed):
            first, model = model.steps[0][1], model.steps[-1][1]
            before += f"after {first.parts}:\n" if hasattr(first, "parts") else ""
            used, reasons = set(self.fitted.columns), getattr(first, "reasons_", {})
            before += "".join(f"{why}\n" for name, why in reasons.items() if name in used)
        if not hasattr(model, "to_text"):
            return before + repr(model)
        if predicts_classes(self.task):
            model = copy(model)
            model.classes_ = np.array([str(self.labels[code]) for code in model.classes_], dtype=object)
        words = str(model.to_text())
        if not self.labels and words.startswith("target = "):  # a formula, which does not know the name
            words = self.target + words.removeprefix("target")
        return before + words

    def aligned(self, table: Any) -> Table:
        """The columns of fit from a new table: by name, kinds and levels as in fit; unused ones may be absent."""
        if not isinstance(table, Table):
            table = table_of(fetch(table, types=self.types), like=self.types)
        used = set(self.fitted.columns)
        absent = [facts["name"] for facts in self.columns if facts["name"] not in table.names]
        absent_used = [name for name in absent if name in used]
        if absent_used:
            raise TableError(f"the table lacks the column {absent_used[0]!r}, which the model uses; add it")
        return Table([_aligned(facts, table) for facts in self.columns], n_rows=table.n_rows)

    def unseen(self, ready: Table) -> dict[str, np.ndarray]:
        """Columns the model uses that hold levels it never saw, in a table of `aligned`: a mask of the rows of each."""
        used = set(self.fitted.columns)
        masks = {c.name: c.values == UNSEEN for c in ready.columns if c.is_categorical and c.name in used}
        return {name: mask for name, mask in masks.items() if mask.any()}

    def to_dict(self) -> dict[str, Any]:
        """The whole model as plain values."""
        return {
            "tamis": tamis.__version__,
            "task": self.task,
            "target": self.target,
            "labels": list(self.labels),
            "columns": list(self.columns),
            "types": self.types,
            "loss": None if self.loss is None else self.loss.matrix.tolist(),
            "training": None if self.training is None else self.training.to_dict(),
            "residuals": None if self.residuals is None else self.residuals.to_dict(),
            **({} if self.exposure is None else {"exposure": self.exposure}),
            **self.fitted.to_dict(),
        }

    @classmethod
    def from_dict(cls, facts: dict[str, Any]) -> Model:
        """The model that `to_dict` described; every part is checked, for a file may be damaged."""
        task, target = read_task(read_entry(facts, "task")), text("target", read_entry(facts, "target"))
        labels = levels("labels", read_entry(facts, "labels"))
        if (predicts_classes(task)) != (len(labels) > 0):
            raise DamagedError(f"it holds {len(labels)} labels for a target of {task}")
        entries = read_entry(facts, "columns")
        columns = tuple(_facts_of(mapping("a column", column)) for column in entries)
        texts("columns", [column["name"] for column in columns])
        types = mapping("types", read_entry(facts, "types"))
        types_of(types)
        fitted = FittedProcedure.from_dict(facts, tuple(column["name"] for column in columns))
        _refuse_misfit(fitted, task, len(labels), [column["name"] for column in columns])
        loss = None if read_entry(facts, "loss") is None else LossMatrix.of(facts["loss"], labels)
        names, stored = [column["name"] for column in columns], facts.get("training")
        training = None if stored is None else Training.from_dict(mapping("training", stored), names)
        stored = facts.get("residuals")
        residuals = None if stored is None else Residuals.from_dict(mapping("residuals", stored))
        exposure = None if facts.get("exposure") is None else text("exposure", facts["exposure"])
        return cls(task, target, labels, columns, types, fitted, loss, training, residuals, exposure)

    def write(self, folder: Path) -> None:
        """Save as model.json; floats keep every bit."""
        facts = self.to_dict()
        write_whole(folder / MODEL_FILE, indented({**facts, CHECK: checksum(facts)}) + "\n")

    @classmethod
    def read(cls, folder: Path) -> Model:
        """Load model.json of a study folder."""
        facts = read_json(folder, MODEL_FILE, "finish the study with run() first")
        check = facts.pop(CHECK, None)  # files of earlier versions have none
        is_whole = check is not None and check == checksum(facts)
        with reading(f"{MODEL_FILE} of {str(folder)!r}", REBUILT, StudyError, is_whole=is_whole):
            if check is not None and not is_whole:
                cls._refuse_changed(facts)
            return cls.from_dict(facts)

    @classmethod
    def _refuse_changed(cls, facts: dict[str, Any]) -> None:
        """Raise for values that a checksum shows to be changed: what is wrong with them, where that is known."""
        try:
            cls.from_dict(facts)
        except REFUSALS:
            raise
        except Exception:  # changed values can raise anything
            pass
        raise DamagedError("its checksum does not fit")


def _facts_of(facts: dict[str, Any]) -> dict[str, Any]:
    """Name, kind and levels of a column."""
    name, kind = (
        text("the name of a column", read_entry(facts, "name")),
        one_of("kind", read_entry(facts, "kind"), KINDS),
    )
    stored_levels = read_entry(facts, "levels")
    if kind == "categorical" and stored_levels is None:
        raise DamagedError(f"the column {name!r} has no levels")
    return {
        **facts,
        "kind": kind,
        "levels": None if stored_levels is None else list(levels(f"levels of {name!r}", stored_levels)),
    }


def _refuse_misfit(fitted: FittedProcedure, task: str, n_labels: int, names: list[str]) -> None:
    """Raise unless a procedure answers with the study's classes, or with numbers, from the study's columns."""
    if fitted.model is None:
        return
    model_classes = getattr(fitted.model, "classes_", None)
    if (model_classes is None) != (predicts_numbers(task)):
        raise DamagedError(f"its model {type(fitted.model).__name__} does not answer with {task}")
    if model_classes is not None:
        refuse_outside(
            "the classes of its model", numbers("the classes of its model", model_classes, np.int64), 0, n_labels - 1
        )
    model_names = getattr(fitted.model, "feature_names_in_", None)
    if (model_names is not None and list(model_names) != names) or not set(fitted.columns) <= set(names):
        raise DamagedError("its model uses other columns than it lists")


def _aligned(facts: dict[str, Any], table: Table) -> Column:
    name, kind, levels = facts["name"], facts["kind"], facts["levels"]
    coded = kind == "categorical"
    if name not in table.names:
        values = np.full(table.n_rows, -1, dtype=np.int32) if coded else np.full(table.n_rows, np.nan)
        return Column(name, kind, values, None if levels is None else tuple(levels))
    column = table.column(name)
    if coded != column.is_categorical:
        was, now = ("categories", "numbers") if coded else ("numbers", "categories")
        raise TableError(f"column {name!r} held {was} when the model was fitted and holds {now} now; give it as it was")
    return column.recode(levels) if coded else Column(name, kind, column.values, column.levels)
