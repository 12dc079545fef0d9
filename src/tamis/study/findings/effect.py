"""What a model answers as one column changes: accumulated local effects on the same rows for every fold."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tamis.engine import generator
from tamis.evaluate.cross_validate import predicted
from tamis.study.findings.distribution import shown_classes
from tamis.study.problem import StudyProblem
from tamis.table import Column, Table
from tamis.table.interface.takes_table import takes_table

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


#: Columns, steps between the points of a curve, and rows a step, at most.
COLUMNS, STEPS, ROWS = 12, 10, 8

#: Values that a model is asked about, at most: where columns are many, fewer rows, steps and columns are taken.
CELLS = 500_000

#: Rows whose values are exchanged to find the columns that move the answers most, and the fewest that tell anything.
EXCHANGED, FEWEST_EXCHANGED = 50, 10

#: A column by its place, rows of a table, and the values to put there.
Change = tuple[int, slice, np.ndarray]


@dataclass(frozen=True, eq=False)
class Grid:
    """Where a column's effect is computed.

    Attributes
    ----------
    points : values of a number, falling nowhere; codes of a category.
    rows : of each question the row of the problem that is asked about.
    steps : of each question the step (number), or the point (category), that it belongs to.
    mass : how many rows lie in each step, or have each level.
    """

    points: np.ndarray
    rows: np.ndarray
    steps: np.ndarray
    mass: np.ndarray


def effect_size(n_columns: int) -> tuple[int, int, int]:
    """Columns, steps and rows a step, for a table of so many columns.

    >>> effect_size(30), effect_size(6000)
    ((12, 10, 8), (6, 5, 2))
    """
    columns, steps, rows = COLUMNS, STEPS, ROWS
    while 2 * columns * steps * rows * n_columns > CELLS and (rows, steps, columns) != (2, 5, 6):
        if rows > 2:
            rows -= 1
        elif steps > 5:
            steps -= 1
        else:
            columns -= 1
    return columns, steps, rows


def effects(problem: StudyProblem, model: BaseEstimator, names: Sequence[str]) -> dict[str, list[list[float]]]:
    r"""Name -> a curve for each output, at the points of `grid_of`.

    Of a number, accumulated local effects: within each step :math:`(z_{k-1}, z_k]` the mean difference of the answers
    with the column at both ends, for rows that lie there, summed up and centred:

    .. math:: f(z_k) = \sum_{l \le k} \frac{1}{n_l} \sum_{i: x_i \in (z_{l-1}, z_l]}
              \big[\hat y(z_l, x_{i, -j}) - \hat y(z_{l-1}, x_{i, -j})\big] - \text{mean}

    Of a category, the mean answer with every row at that level, less the mean over rows. Outputs are probabilities: of
    the second of two classes, of each class shown of more (of a forest the mean share in its leaves, not calibrated:
    calibrated, it is all but sure of rows that it learned from, and nothing moves); or the predicted number.

    References
    ----------
    D. Apley, J. Zhu (2020), Visualizing the effects of predictor variables in black box supervised learning models,
    JRSS B 82.
    """
    n_columns = effect_size(problem.X.n_columns)[0]
    grids = {name: grid_of(problem, name) for name in names[:n_columns]}
    varied_grids = {name: grid for name, grid in grids.items() if len(grid.points) > 1}
    if not varied_grids:
        return {}
    answers = _answers(problem, model, varied_grids)
    out, at = {}, 0
    for name, grid in varied_grids.items():
        size = 2 * len(grid.rows) if _is_number(problem, name) else len(grid.rows)
        block = answers[at : at + size]
        curve = _accumulated(block, grid) if _is_number(problem, name) else _levels(block, grid)
        out[name] = [[float(value) for value in line] for line in curve.T]
        at += size
    return out


def most_moving(problem: StudyProblem, model: BaseEstimator, names: Sequence[str]) -> list[str]:
    """Names of columns, those first that change the answers most when their values are exchanged between rows.

    For a model that does not say what its columns contribute. It takes as many questions as the effects themselves;
    where columns are too many for that, they stay in the order of names.
    """
    names = sorted(names)
    size = min(EXCHANGED, len(problem.y), CELLS // max(1, len(names) * problem.X.n_columns))
    if len(names) <= effect_size(problem.X.n_columns)[0] or size < FEWEST_EXCHANGED:
        return names
    draw = generator(0, "rows whose values are exchanged")
    rows = np.sort(draw.permutation(len(problem.y))[:size])
    changes: list[Change] = []
    for k, name in enumerate(names, start=1):  # the rows as they are, then once for each column
        values = problem.X.column(name).values[rows]
        changes.append((problem.X.index(name), slice(k * size, (k + 1) * size), np.roll(values, 1)))
    predictions = _questions(problem, model, np.tile(rows, len(names) + 1), changes).reshape(len(names) + 1, -1)
    moved = ((predictions[1:] - predictions[0]) ** 2).sum(axis=1)
    return [names[k] for k in np.argsort(-moved, kind="stable")]


def grid_of(problem: StudyProblem, name: str) -> Grid:
    """Where the effect of a column is computed: decided by the rows learned from, the same for every model."""
    grids = problem.latest.setdefault("effect grids", {})
    if name not in grids:
        grids[name] = _grid(problem, problem.X.column(name))
    return grids[name]  # type: ignore[no-any-return]


def _is_number(problem: StudyProblem, name: str) -> bool:
    return not problem.X.column(name).is_categorical


def _grid(problem: StudyProblem, column: Column) -> Grid:
    _, steps, rows = effect_size(problem.X.n_columns)
    draw = generator(0, "rows of effects", column.name)
    order = draw.permutation(len(column.values))
    values = column.values[order]
    if column.is_categorical:
        counts = np.bincount(values[values >= 0], minlength=len(column.levels or ()))
        codes = np.sort(np.argsort(-counts, kind="stable")[:steps])
        codes = codes[counts[codes] > 0]
        sampled = order[values >= 0][: max(rows, steps * rows // max(len(codes), 1))]
        return Grid(codes, np.tile(sampled, len(codes)), np.repeat(np.arange(len(codes)), len(sampled)), counts[codes])
    is_known = ~np.isnan(values)
    order, values = order[is_known], values[is_known]
    if not len(values):
        return Grid(np.empty(0), np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0))
    points = np.unique(np.quantile(values, np.linspace(0, 1, steps + 1), method="inverted_cdf"))
    step = np.clip(np.searchsorted(points, values, side="left") - 1, 0, max(len(points) - 2, 0))
    rows_of_step = [order[step == k][:rows] for k in range(len(points) - 1)]
    step_of_row = np.repeat(np.arange(len(rows_of_step)), [len(step_rows) for step_rows in rows_of_step])
    mass = np.bincount(step, minlength=max(len(points) - 1, 0))
    return Grid(points, np.concatenate([*rows_of_step, np.empty(0, np.int64)]), step_of_row, mass)


def _answers(problem: StudyProblem, model: BaseEstimator, grids: dict[str, Grid]) -> np.ndarray:
    """The model's answers to all questions, one after the other (questions × outputs)."""
    questions = [_question(problem, name, grid) for name, grid in grids.items()]
    rows = np.concatenate([rows for rows, _ in questions])
    changes: list[Change] = []
    at = 0
    for name, (_, values) in zip(grids, questions):
        changes.append((problem.X.index(name), slice(at, at + len(values)), values))
        at += len(values)
    predictions = _questions(problem, model, rows, changes)
    if not problem.labels:
        return predictions[:, None]
    return predictions[:, [1]] if len(problem.labels) == 2 else predictions[:, shown_classes(problem)]


def is_uncalibrated(model: BaseEstimator) -> bool:
    """Whether effects are of a forest's shares before calibration, and not of its answers."""
    steps = getattr(model, "steps", None)
    last = steps[-1][1] if steps else model
    return getattr(getattr(last, "estimator_", last), "calibration", None) is not None


def _uncalibrated(model: BaseEstimator) -> Any:
    """The same model, a forest's shares as they are before calibration."""
    steps = getattr(model, "steps", None)
    if steps:
        last = _uncalibrated(steps[-1][1])
        return model if last is steps[-1][1] else _with(model, steps=[*steps[:-1], (steps[-1][0], last)])
    forest: Any = getattr(model, "estimator_", None)
    if forest is not None:
        plain = _uncalibrated(forest)
        return model if plain is forest else _with(model, estimator_=plain)
    return model if getattr(model, "temperature_", 1.0) == 1.0 else _with(model, temperature_=1.0)


def _with(model: BaseEstimator, **changed: Any) -> Any:
    """A copy of a fitted model with other attributes."""
    changed_model = copy(model)
    for name, value in changed.items():
        setattr(changed_model, name, value)
    return changed_model


def _questions(problem: StudyProblem, model: BaseEstimator, rows: np.ndarray, changes: list[Change]) -> np.ndarray:
    """Answers to rows of the problem in which some values are replaced."""
    table = _changed(problem.X.take(rows), changes)
    return predicted(problem, _uncalibrated(model), table if takes_table(model) else table.to_pandas())


def _question(problem: StudyProblem, name: str, grid: Grid) -> tuple[np.ndarray, np.ndarray]:
    """Rows to ask about, and what to put into the column: the ends of each row's step, or each level."""
    if not _is_number(problem, name):
        return grid.rows, grid.points[grid.steps]
    return np.tile(grid.rows, 2), np.concatenate([grid.points[grid.steps], grid.points[grid.steps + 1]])


def _changed(table: Table, changes: list[Change]) -> Table:
    """The table with some values of some columns replaced; nothing that was worked out of it before holds any more."""
    if table.dense is not None and table.matrix is None:
        block = np.array(table.dense)
        for j, where, values in changes:
            block[where, j] = values
        changed = table._of_block(block)
        changed.views, changed.origin = None, None
        return changed
    columns = list(table.columns)
    for j, where, values in changes:
        all_values = columns[j].values.copy()
        all_values[where] = values
        columns[j] = Column(columns[j].name, columns[j].kind, all_values, columns[j].levels, columns[j].source)
    return Table(columns, n_rows=table.n_rows)


def _accumulated(answers: np.ndarray, grid: Grid) -> np.ndarray:
    """Curve at the points (points × outputs), centred over the rows of the steps."""
    low, high = np.split(answers, 2)
    counts = np.maximum(np.bincount(grid.steps, minlength=len(grid.mass)), 1)
    sums = np.zeros((len(grid.mass), answers.shape[1]))
    np.add.at(sums, grid.steps, high - low)
    curve = np.concatenate([np.zeros((1, answers.shape[1])), np.cumsum(sums / counts[:, None], axis=0)])
    middle = (curve[1:] + curve[:-1]) / 2
    return np.asarray(curve - grid.mass @ middle / grid.mass.sum())


def _levels(answers: np.ndarray, grid: Grid) -> np.ndarray:
    means = answers.reshape(len(grid.points), -1, answers.shape[1]).mean(axis=1)
    return np.asarray(means - grid.mass @ means / grid.mass.sum())
