"""A fitted procedure: what it predicts, which columns it uses, and itself as plain values where that can be."""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from tamis import transform
from tamis.errors import DamagedError, StudyError
from tamis.evaluate.fold.inner_score import selected
from tamis.saved import mapping, read_entry, text
from tamis.study.procedures.models.columns import Columns
from tamis.study.procedures.models.facts import facts_of
from tamis.study.procedures.models.recipe import recipe
from tamis.study.procedures.models.transformed import Transformed
from tamis.table import Table
from tamis.table.interface.selector import TableSelector
from tamis.table.interface.takes_table import takes_table

#: Every model a study can save, and where it lives. Transforms carry their room, for a signal has a baseline, too.
MODELS = {
    "AdditiveClassifier": "tamis.additive",
    "AdditiveRegressor": "tamis.additive",
    "Baseline": "tamis.evaluate.baseline",
    "Boosting": "tamis.study.procedures.models.boosting",
    "Columns": "tamis.study.procedures.models.columns",
    "LinearClassifier": "tamis.linear",
    "LinearRegressor": "tamis.linear",
    "FactorAnalysis": "tamis.project",
    "KernelPCA": "tamis.project",
    "MDS": "tamis.project",
    "MirrorSelector": "tamis.search",
    "PCA": "tamis.project",
    "ScoreCard": "tamis.linear",
    "ScoreCardRegressor": "tamis.linear",
    "ProjectionPursuit": "tamis.project",
    "SVD": "tamis.project",
    "TreeClassifier": "tamis.tree",
    "TreeRegressor": "tamis.tree",
    **{f"transform.{name}": "tamis.transform" for name in transform.__all__},
}


@dataclass(frozen=True)
class FittedProcedure:
    """A fitted procedure.

    Attributes
    ----------
    procedure : its name.
    model : the fitted model; None where only its recipe was kept.
    names : of the columns it was given.
    recipe : what it is made of, for a model that cannot be kept as plain values.
    written : the plain values it was read from, which need not be made again: a forest is packed for seconds.
    """

    procedure: str
    model: Any
    names: tuple[str, ...] = ()
    recipe: Any = None
    written: dict[str, Any] | None = field(default=None, compare=False, repr=False)

    @property
    def is_kept(self) -> bool:
        """Whether the model can be written down as plain values."""
        return can_be_kept(self.model)

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns the model uses, in the order of names."""
        selected_names = facts_of(self.model).columns()
        if selected_names is None:
            selected_names = selected(self._checked_model(), self.names)
            input_names = set(self.names)  # a pipeline may make columns of its own: then all that it was given are used
            selected_names = (
                self.names if selected_names is None or not set(selected_names) <= input_names else selected_names
            )
        return tuple(sorted(str(name) for name in selected_names))

    def answers(self, table: Table, n_labels: int) -> np.ndarray:
        """Predicted numbers, or probabilities of every class where there are any."""
        return self.probabilities(table, n_labels) if n_labels else self.numbers(table)

    def numbers(self, table: Table) -> np.ndarray:
        """Predicted numbers."""
        return np.asarray(self._checked_model().predict(self._input_of_model(table)), dtype=np.float64).reshape(
            table.n_rows
        )

    @property
    def has_interval(self) -> bool:
        """Whether the model has intervals of its own for the numbers it predicts."""
        return takes_table(self.model) and hasattr(self.model, "predict_interval")

    def interval(self, table: Table, coverage: float) -> np.ndarray | None:
        """Ends of an interval for each row's number (rows × 2), of a model that has them; None of another."""
        ends = self._checked_model().predict_interval(table, coverage) if self.has_interval else None
        return None if ends is None else np.asarray(ends, dtype=np.float64)

    def probabilities(self, table: Table, n_labels: int) -> np.ndarray:
        """Probability of every class of the study; 0 for a class that the training rows lacked."""
        model, X = self._checked_model(), self._input_of_model(table)
        if not hasattr(model, "predict_proba"):
            return (np.asarray(model.predict(X)).reshape(-1, 1) == np.arange(n_labels)).astype(np.float64)
        out = np.zeros((table.n_rows, n_labels))
        out[:, np.asarray(model.classes_, dtype=np.int64)] = model.predict_proba(X)
        return out

    def _input_of_model(self, table: Table) -> Any:
        return table if takes_table(self.model) else table.to_pandas()

    def _checked_model(self) -> Any:
        if self.model is None:
            raise StudyError(
                f"the model of {self.procedure!r} is not kept in the folder, for it is not of Tamis alone; run the "
                "study again with the same procedures: only the last fit is repeated"
            )
        return self.model

    def to_dict(self) -> dict[str, Any]:
        """Plain values that `from_dict` takes back; of a model of others its recipe alone."""
        if self.model is None or not self.is_kept:
            recipe_text = recipe(self.model) if self.model is not None else self.recipe
            return {"procedure": self.procedure, "model": None, "names": list(self.names), "recipe": recipe_text}
        return {"procedure": self.procedure, **(self.written or _state(self.model))}

    @classmethod
    def from_dict(cls, facts: dict[str, Any], names: tuple[str, ...] = ()) -> FittedProcedure:
        """The fitted procedure that `to_dict` described; only Tamis's own types are ever imported."""
        name = text("procedure", read_entry(facts, "procedure"))
        if read_entry(facts, "model") is None:
            return cls(name, None, names, read_entry(facts, "recipe"))
        written: dict[str, Any] = {key: facts[key] for key in ("model", "state", "steps") if key in facts}
        return cls(name, _from_state(facts), names, written=written)


def _name(model: Any) -> str:
    """What a model is called in `MODELS`; its own name where it is none of them."""
    name = type(model).__name__
    return f"transform.{name}" if getattr(transform, name, None) is type(model) else name


def _is_listed(model: Any) -> bool:
    name = _name(model)
    return name in MODELS and type(model) is _class(name)


def _class(name: str) -> Any:
    """The class of a name in `MODELS`; only the package of that model is imported."""
    return getattr(import_module(MODELS[name]), name.rpartition(".")[2])


def can_be_kept(model: Any) -> bool:
    """Whether a model can be written down as plain values."""
    if type(model) in (Pipeline, Transformed):
        return all(isinstance(step, str) or can_be_kept(step) for _, step in model.steps)
    return takes_table(model) and (_is_listed(model) or isinstance(model, TableSelector))


def _state(model: Any) -> dict[str, Any]:
    if not _is_listed(model) and isinstance(model, TableSelector):
        model = Columns.of(model)
    if type(model) in (Pipeline, Transformed):
        steps = [{"name": name, **_state(step)} for name, step in model.steps if not isinstance(step, str)]
        return {"model": type(model).__name__, "steps": steps}
    return {"model": _name(model), "state": model.to_dict()}


def _from_state(facts: dict[str, Any]) -> Any:
    if facts["model"] in ("Pipeline", "Transformed"):
        steps = [mapping("a step", step) for step in read_entry(facts, "steps")]
        kind = Pipeline if facts["model"] == "Pipeline" else Transformed
        return kind([(text("the name of a step", read_entry(step, "name")), _from_state(step)) for step in steps])
    name = facts["model"]
    if not isinstance(name, str) or name not in MODELS:
        raise DamagedError(f"its model {str(name)[:40]!r} is not known")
    return _class(name).from_dict(read_entry(facts, "state"))
