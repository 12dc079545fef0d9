"""What each column contributes to a fitted procedure, as shares that add up to 1."""

from __future__ import annotations

from typing import Any

import numpy as np

from tamis.engine import generator
from tamis.evaluate.cross_validate import predicted
from tamis.evaluate.problem import Problem
from tamis.metrics.intervals.paired import row_losses
from tamis.score.interchangeable import clusters_of
from tamis.study.procedures.models.facts import LinearFacts, facts_of
from tamis.study.procedures.models.fitted import FittedProcedure
from tamis.study.procedures.models.transformed import Transformed
from tamis.table import Table
from tamis.table.interface.takes_table import takes_table

#: Columns that correlate so much are given jointly, if together they add less than this share of what each adds.
ALIKE, CANCELLED = 0.9, 0.5

#: Rows that a model of others is asked about, at most.
MOST_ASKED = 5_000


def contributions(fitted: FittedProcedure, problem: Problem) -> dict[str, float]:
    """Share of each column that a model just fitted uses, largest first; ties by name.

    A linear model: the standard deviation, over the training rows, of what the column adds to the linear predictor (of
    several classes: root mean square over them). A tree, a forest or boosting: the share of the improvement it brings.
    Any other model, or a pipeline: how much its loss (Brier, or squared error) on the training rows grows when the
    column is shuffled. Columns of a linear model that correlate and cancel each other share what they add together
    (`joint_contributions`).
    """
    model, names = fitted.model, fitted.columns
    weight = facts_of(model).importances() or _shuffled(fitted, problem)
    shares = {str(name): float(weight.get(name, 0.0)) for name in names}
    for group in joint_contributions(fitted, problem):
        for name in group["columns"]:
            shares[name] *= group["ratio"]
    total = sum(shares.values())
    order = sorted(shares, key=lambda name: (-shares[name], name))
    return {name: shares[name] / total if total > 0 else 1 / len(shares) for name in order}


def joint_contributions(fitted: FittedProcedure, problem: Problem) -> list[dict[str, Any]]:
    r"""Groups of a linear model's columns that correlate by 0.9 or more and cancel each other.

    Two such columns with coefficients of opposite signs add +3 and -2.9 standard deviations to the linear predictor,
    and 0.6 together: neither number means anything alone. Each group holds `columns` and `ratio`, the spread of what
    they add together over the sum of what each adds; groups with a ratio above one half are not given.
    """
    model = fitted.model
    steps = [step for _, step in model.steps] if isinstance(model, Transformed) else [model]
    linear = steps[-1]
    if not isinstance(facts_of(linear), LinearFacts) or not takes_table(model) or not isinstance(problem.X, Table):
        return []
    rows = np.sort(generator(0, "rows of joint contributions").permutation(len(problem.y))[:MOST_ASKED])
    table = problem.X.take(rows)
    for step in steps[:-1]:
        table = step.transform(table)
    if not isinstance(table, Table):
        return []
    encoding, coef = linear.inputs_.encoding, np.atleast_2d(linear.coef_)
    used = [name for name in linear.selected_columns_ if not table.column(name).is_categorical]
    indices = np.array([table.names.index(name) for name in used], dtype=np.int64)
    groups = []
    for cluster in clusters_of(table, indices, ALIKE) if len(used) > 1 else []:
        if len(cluster) < 2:
            continue
        names = [table.names[j] for j in np.sort(cluster)]
        encoded = [np.flatnonzero(encoding.groups == encoding.names.index(name))[0] for name in names]
        values = np.column_stack([table.column(name).values for name in names])
        values = np.where(np.isnan(values), np.nanmean(values, axis=0), values)
        spread = _spread(values[:, None, :] * coef[None, :, encoded])
        together = _spread((values @ coef[:, encoded].T)[:, :, None])[0]
        if together < CANCELLED * spread.sum():
            order = np.argsort(-spread, kind="stable")
            groups.append({"columns": [names[k] for k in order], "ratio": float(together / spread.sum())})
    return groups


def _spread(added: np.ndarray) -> np.ndarray:
    """Standard deviation over rows, root mean square over outputs (rows, outputs, columns)."""
    return np.asarray(np.sqrt(added.var(axis=0).mean(axis=0)))


def _shuffled(fitted: FittedProcedure, problem: Problem) -> dict[str, float]:
    """What shuffling each column that is used adds to the loss."""
    draw = generator(0, "shuffled columns")
    rows = np.sort(draw.permutation(len(problem.y))[:MOST_ASKED])
    frame, kind = problem.model_input(rows, fitted.model), "brier" if problem.of_classes else "squared_error"

    def loss(X: object) -> float:
        predictions = problem.counts(predicted(problem, fitted.model, X), rows)
        return float(row_losses(kind, problem.codes[rows], predictions).mean())

    base, increase = loss(frame), {}
    for name in fitted.columns:
        increase[name] = max(0.0, loss(_mixed(frame, name, draw.permutation(len(rows)))) - base)
    return increase


def _mixed(table: Any, name: str, order: np.ndarray) -> Any:
    """A frame or Table, one of whose columns is in another order."""
    if isinstance(table, Table):
        columns = [column.take(order) if column.name == name else column for column in table.columns]
        return Table(columns, n_rows=table.n_rows)
    mixed = table.copy()
    mixed[name] = table[name].to_numpy()[order]
    mixed[name] = mixed[name].astype(table[name].dtype)
    return mixed
