"""A procedure held to few columns: those that contribute most to it on the training rows, and nothing else."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils.metaestimators import available_if

from tamis.check import count
from tamis.errors import ParameterError
from tamis.study.procedure.columns import Columns
from tamis.study.procedure.contribution import importances
from tamis.study.procedure.transformed import Transformed
from tamis.table import Table
from tamis.table.interface.takes_table import TakesTable, takes_table


def _gives_shares(few: FewColumns) -> bool:
    return hasattr(few.model, "predict_proba")


class FewColumns(TakesTable, BaseEstimator):
    """A model of Tamis on at most k columns.

    It is fitted on all columns; where it uses more than k, it is fitted again, its tuning included, on the k that
    contribute most (as `feature_importances_`; ties by name). Both fits see the training rows alone.

    Parameters
    ----------
    model : an unfitted model that takes a Table and tells what each column contributes.
    k : columns at most.

    Attributes
    ----------
    selected_columns_ : the columns that are used.
    fitted_ : the fitted model; behind the chosen columns where there were too many.
    """

    def __init__(self, model: Any, k: int = 5) -> None:
        self.model = model
        self.k = k

    def fit(self, X: Any, y: Any) -> FewColumns:
        """Fit, and where too many columns are used, fit again on the k that contribute most."""
        from tamis.study.procedure.fitted import FittedProcedure

        k, X = count("k", self.k), X if isinstance(X, Table) else Table.of(X)
        first = clone(self.model).fit(X, y)
        used = FittedProcedure("", first, tuple(X.names)).columns
        if len(used) > k:
            weight = importances(first)
            kept = sorted(sorted(used, key=lambda name: (-weight.get(name, 0.0), name))[:k])
            places = np.sort([X.index(name) for name in kept])
            part = X.select(places.tolist())
            columns = Columns(X.n_columns, places, list(X.names))
            self.fitted_: Any = Transformed([("columns", columns), ("model", clone(self.model).fit(part, y))])
        else:
            self.fitted_ = first
        if hasattr(first, "classes_"):
            self.classes_ = first.classes_
        self.selected_columns_ = FittedProcedure("", self.fitted_, tuple(X.names)).columns
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The class or number of every row."""
        return np.asarray(self.fitted_.predict(X))

    @available_if(_gives_shares)
    def predict_proba(self, X: Any) -> np.ndarray:
        """The probability of every class."""
        return np.asarray(self.fitted_.predict_proba(X))


def held_to(model: Any, k: int, name: str) -> FewColumns:
    """A procedure's model on at most k columns; of a pipeline, or a model of others, nobody knows what contributes."""
    if not takes_table(model) or isinstance(model, Transformed):
        raise ParameterError(
            f"columns={k} does not go with the procedure {name!r}: what its columns contribute is not known; "
            "give procedure= alone"
        )
    return FewColumns(model, k)
