"""The frontier: score against number of columns over all procedures, the choice marked; and along each of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from tamis.results.comparison import ColumnPath, FrontierPoint, PathPoint
from tamis.results.fold import FoldRecord, HalvedRecord, RestrictedRecord
from tamis.results.procedure import ProcedureRecord
from tamis.study.comparison.figures import mean
from tamis.study.procedures.models.few_columns import SIZES

#: Numbers of columns at which the halving of a forest's columns is shown.
HALVED_SIZES = (*SIZES, 50, 100, 200, 500, 1_000)


def frontier(rows: Sequence[ProcedureRecord], chosen: str) -> list[FrontierPoint]:
    """One point a procedure, fewest columns first: what it scores in the outer folds, and on how many columns.

    Parameters
    ----------
    rows : figures of procedures, as in `comparison.procedures`.
    chosen : the name of the procedure taken.

    Returns
    -------
    Of each its name as `procedure`, the mean number of `columns` over folds, `score`, `interval` and `loss` in the
    outer folds, whether it is `chosen`, and whether it is `efficient`: none with as few columns loses less.
    """
    points = [
        FrontierPoint(row.name, float(np.mean(row.columns)), row.score, row.interval, row.loss, row.name == chosen)
        for row in rows
    ]
    points.sort(key=lambda point: (point.columns, point.loss))
    lowest_loss = np.inf
    for point in points:
        point.efficient = bool(point.loss < lowest_loss)
        lowest_loss = min(lowest_loss, point.loss)
    return points


def paths(judged: Mapping[str, Sequence[FoldRecord]], spreads: Sequence[float] | None = None) -> list[ColumnPath]:
    """Score against number of columns along each procedure that can be held to few at little cost.

    Parameters
    ----------
    judged : procedure -> what was kept of it in each outer fold of the first repeat.
    spreads : of each fold, squares of the target about the mean of the training rows: R² is pooled by them. None for
        another metric, whose fold scores are averaged.

    Returns
    -------
    Of each its name as `procedure`, `rows` and `points`, fewest columns first: `max_columns` (that it was held to,
    one of the fixed `SIZES`), `columns` (mean of those used), `score` and `loss`. Where `rows` is "outer", each fold's
    training part chose the columns, and its held-out rows give the score: what `choose(procedure, columns=max_columns)`
    quotes where folds are drawn once. A fold that uses no more than `max_columns` counts with the procedure as it is.
    Where `rows` is "inner", the score is that of forests of half of a training part on its other half, without a loss.
    """
    lines = []
    for name, folds in judged.items():
        if points := _held_points(folds, spreads):
            lines.append(ColumnPath(name, "outer", points))
        elif points := _halved_points(folds):
            lines.append(ColumnPath(name, "inner", points))
    return lines


def _held_points(folds: Sequence[FoldRecord], spreads: Sequence[float] | None) -> list[PathPoint]:
    """A point for each size that some fold was held to; none unless every fold that uses more was."""
    points = []
    for k in SIZES:
        each = [_at(fold, k) for fold in folds]
        records = [record for record in each if record is not None]
        if len(records) < len(each) or all(fold.n_columns <= k for fold in folds):
            break
        total = float(sum(record.loss for record in records))
        pooled = None if spreads is None or sum(spreads) <= 0 else 1 - total / sum(spreads)
        points.append(
            PathPoint(
                k,
                columns=float(np.mean([record.columns for record in records])),
                score=mean([record.score for record in records]) if spreads is None else pooled,
                loss=total / sum(sum(fold.losses.rows) for fold in folds),
            )
        )
    return points


def _at(fold: FoldRecord, k: int) -> RestrictedRecord | None:
    """A fold's procedure held to k columns; as it is, where it uses no more; None where it was not held."""
    if fold.n_columns <= k:
        return RestrictedRecord(k, fold.n_columns, fold.score, sum(fold.losses.loss))
    return next((record for record in fold.restricted or () if record.max_columns == k), None)


def _halved_points(folds: Sequence[FoldRecord]) -> list[PathPoint]:
    """A point for each size that every fold's columns were halved to, or had to begin with."""
    listed: list[list[HalvedRecord]] = [fold.halved or [] for fold in folds]
    if not all(len(steps) > 1 for steps in listed):
        return []
    points: list[PathPoint] = []
    for k in HALVED_SIZES:
        each = [next((step for step in steps if step.columns <= k), None) for steps in listed]
        records = [step for step in each if step is not None]
        if len(records) < len(each):
            continue
        used, score = float(np.mean([step.columns for step in records])), mean([step.inner_score for step in records])
        if not points or used > points[-1].columns:
            points.append(PathPoint(k, used, score, None))
        if all(step is steps[0] for step, steps in zip(records, listed)):
            break
    return points if len(points) > 1 else []
