"""What each column contributes to a fitted procedure, as shares that add up to 1."""

from __future__ import annotations

from typing import Any

import numpy as np

from tamis.engine import generator
from tamis.evaluate.cross_validate import predicted
from tamis.evaluate.problem import Problem
from tamis.metrics.intervals.paired import row_losses
from tamis.study.procedure.boosting import Boosting
from tamis.study.procedure.columns import Columns
from tamis.study.procedure.fitted import FittedProcedure
from tamis.study.procedure.transformed import Transformed
from tamis.table import Table
from tamis.table.interface.takes_table import takes_table
from tamis.transform import Symmetrize

#: Rows that a model of others is asked about, at most.
MOST_ASKED = 5_000


def contributions(fitted: FittedProcedure, problem: Problem) -> dict[str, float]:
    """Share of each column that a model just fitted uses, largest first; ties by name.

    A linear model: the standard deviation, over the training rows, of what the column adds to the linear predictor (of
    several classes: root mean square over them). A tree, a forest or boosting: the share of the improvement it brings.
    Any other model, or a pipeline: how much its loss (Brier, or squared error) on the training rows grows when the
    column is shuffled.
    """
    model, names = fitted.model, fitted.columns
    weight = importances(model) or _shuffled(fitted, problem)
    known = {str(name): float(weight.get(name, 0.0)) for name in names}
    total = sum(known.values())
    order = sorted(known, key=lambda name: (-known[name], name))
    return {name: known[name] / total if total > 0 else 1 / len(known) for name in order}


def importances(model: Any) -> dict[str, float]:
    """Column -> what it brings to a fitted model of Tamis; empty where it does not say."""
    if isinstance(model, Transformed):
        return importances(model.steps[-1][1]) if isinstance(model.steps[0][1], (Columns, Symmetrize)) else {}
    if not takes_table(model):
        return {}
    if hasattr(model, "inputs_"):
        return dict(zip(model.inputs_.encoding.names, model.feature_importances_.tolist()))
    if isinstance(model, Boosting):
        return dict(zip(model.columns_, model.feature_importances_.tolist()))
    if hasattr(getattr(model, "estimator_", None), "feature_importances_"):
        return dict(zip(model.selected_columns_, model.estimator_.feature_importances_.tolist()))
    if hasattr(model, "tree_"):
        return dict(zip(model.tree_.names, model.feature_importances_.tolist()))
    return {}


def _shuffled(fitted: FittedProcedure, problem: Problem) -> dict[str, float]:
    """What shuffling each column that is used adds to the loss."""
    draw = generator(0, "shuffled columns")
    rows = np.sort(draw.permutation(len(problem.y))[:MOST_ASKED])
    frame, kind = problem.shown(rows, fitted.model), "brier" if problem.of_classes else "squared_error"

    def loss(X: object) -> float:
        said = predicted(problem, fitted.model, X)
        return float(row_losses(kind, problem.codes[rows], said).mean())

    base, found = loss(frame), {}
    for name in fitted.columns:
        found[name] = max(0.0, loss(_mixed(frame, name, draw.permutation(len(rows)))) - base)
    return found


def _mixed(table: Any, name: str, order: np.ndarray) -> Any:
    """A frame or Table, one of whose columns is in another order."""
    if isinstance(table, Table):
        columns = [column.take(order) if column.name == name else column for column in table.columns]
        return Table(columns, n_rows=table.n_rows)
    mixed = table.copy()
    mixed[name] = table[name].to_numpy()[order]
    mixed[name] = mixed[name].astype(table[name].dtype)
    return mixed
