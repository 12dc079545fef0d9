"""A procedure behind the transforms that a study was asked for: both learn from the same training rows."""

from __future__ import annotations

from typing import Any

from sklearn.pipeline import Pipeline
from sklearn.utils.metaestimators import available_if

from tamis.table.interface.takes_table import TakesTable
from tamis.transform import Transforms


def _gives_intervals(pipeline: Any) -> bool:
    return hasattr(pipeline.steps[-1][1], "predict_interval")


class Transformed(TakesTable, Pipeline):
    """A pipeline of `Transforms` and a model of Tamis; it takes a Table, and names, kinds and levels reach the model.

    Attributes
    ----------
    selected_columns_ : columns of the table that the model uses; all, where it uses a column that was made of others.
    chosen_parameters_ : those of the model, as parameters of the pipeline.
    """

    @classmethod
    def of(cls, transform: str, model: Any) -> Transformed:
        """The procedure of a line of words and a model."""
        return cls([("transform", Transforms(transform)), ("model", model)])

    @property
    def selected_columns_(self) -> tuple[str, ...]:
        """Columns of the table that the model uses."""
        from tamis.study.procedures.models.fitted import FittedProcedure

        transforms, model = self.steps[0][1], self.steps[-1][1]
        input_names = [str(name) for name in transforms.feature_names_in_]
        output_names = tuple(str(name) for name in transforms.get_feature_names_out())
        used = FittedProcedure("", model, output_names).columns
        return tuple(used) if set(used) <= set(input_names) else tuple(sorted(input_names))

    @property
    def chosen_parameters_(self) -> dict[str, Any]:
        """What the model chose, for clones that are only judged."""
        parameters = getattr(self.steps[-1][1], "chosen_parameters_", {})
        return {f"model__{name}": value for name, value in parameters.items()}

    @available_if(_gives_intervals)
    def predict_interval(self, X: Any, coverage: float = 0.95) -> Any:
        """Ends of an interval that holds a new number with the probability `coverage`."""
        return self.steps[-1][1].predict_interval(self.steps[0][1].transform(X), coverage)
