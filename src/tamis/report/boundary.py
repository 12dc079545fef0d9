"""Where a classifier changes its answer: a picture over any two columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, clone, is_regressor
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from tamis.check import count
from tamis.errors import KindError, ParameterError
from tamis.report import show
from tamis.report.charts.frame import framed, named
from tamis.report.sketch import SEVERAL
from tamis.table import Classes, Column, Table, eager, position, replaced, same_length, take
from tamis.table.like import TableLike

__all__ = ["boundary"]

#: Points that a page draws at once.
_MOST = 2_000
#: How much of its colour a class has where the model is sure, and where it is not.
_SURE, _UNSURE = 0.55, 0.12


def boundary(
    model: BaseEstimator,
    X: TableLike,
    y: ArrayLike,
    *,
    columns: Sequence[int | str] = (0, 1),
    resolution: int = 200,
    title: str | None = None,
    **options: Any,
) -> Any:
    r"""The answers of a classifier over the plane of two columns, and the rows in it, as a Bokeh figure.

    Every point of a grid is answered by :math:`\hat y(x_1, x_2)`; its colour is that of the class, the stronger the
    larger :math:`\max_k \hat p_k(x_1, x_2)` is, where the model has probabilities. A line is drawn where the answer
    changes. Other columns are held at the values of the most typical row, the one nearest to the medians (and most
    frequent levels) of all columns.

    Parameters
    ----------
    model : a classifier of scikit-learn or Tamis, or a pipeline; one that is not fitted is cloned and fitted on X, y
    X : table of any kind: NumPy, pandas, polars, Table
    y : classes of its rows
    columns : names or positions of two columns, the first across; of numbers, booleans, ordinals or categories
    resolution : points of the grid in each direction
    title : above the picture; by default what the model is, and its accuracy on these rows
    **options : of the Bokeh figure, as `width` and `height`

    Returns
    -------
    a Bokeh figure; of more than 2,000 rows every k-th is drawn

    See Also
    --------
    tamis.project.scores_figure : rows among two components.

    Examples
    --------
    >>> from tamis import TreeClassifier
    >>> drawn = boundary(TreeClassifier(max_depth=1), [[0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [3.0, 0.0]], [0, 0, 1, 1])
    >>> drawn.title.text
    'TreeClassifier: accuracy 1.00 on the rows drawn'
    """
    resolution = count("resolution", resolution, low=2, high=1000)
    X = np.asarray(X) if isinstance(X, (list, tuple)) else eager(X)
    if hasattr(_last(model), "__sklearn_tags__") and is_regressor(_last(model)):
        raise KindError(
            f"{type(_last(model)).__name__} predicts numbers, and a boundary lies between classes; give a classifier"
        )
    table, classes = Table.of(X), Classes.of(y)
    same_length(table, y)
    if len(columns) != 2:
        raise ParameterError(f"columns={tuple(columns)!r}: a picture has two; give two names or positions")
    indices = [position(table, "columns", which) for which in columns]
    if indices[0] == indices[1]:
        raise ParameterError(f"columns={tuple(columns)!r} are the same column; give two different ones")
    fitted = _fitted(model, X, y)
    axes = [_axis(table.column(index), resolution) for index in indices]
    codes, sure = _answers(fitted, X, table, indices, axes, classes)
    right = float(np.mean(_codes(fitted.predict(X), classes) == classes.codes))
    caption = f"{type(_last(model)).__name__}: accuracy {right:.2f} on the rows drawn"
    figure = framed(
        x_axis_label=axes[0].name,
        y_axis_label=axes[1].name,
        x_range=axes[0].ends,
        y_range=axes[1].ends,
        title=caption if title is None else title,
        **{"width": 520, "height": 420, "sizing_mode": "fixed", **options},
    )
    _paint(figure, codes, sure, axes)
    _points(figure, table, indices, classes)
    for axis, drawn in zip(axes, (figure.xaxis[0], figure.yaxis[0])):
        if axis.levels is not None:
            named(drawn, axis.levels)
    return figure


class _Axis:
    """Places along one column: `grid` (values of cells), `ends` (of the picture) and the words of its levels."""

    def __init__(self, column: Column, grid: np.ndarray, ends: tuple[float, float]) -> None:
        self.name, self.grid, self.ends = column.name, grid, ends
        self.levels = column.levels if column.kind in ("categorical", "boolean", "ordinal") else None

    def values(self, column: Column, steps: np.ndarray) -> Column:
        """The column of the grid's cells that stand at these places."""
        kind = column.values.dtype
        return Column(column.name, column.kind, self.grid[steps].astype(kind), column.levels, column.source)


def _axis(column: Column, resolution: int) -> _Axis:
    if column.kind == "date":
        raise KindError(f"column {column.name!r} holds dates; give two columns of numbers or categories")
    present = column.values[~column.missing]
    if not len(present):
        raise KindError(f"column {column.name!r} has no value; give two columns of numbers or categories")
    if column.is_categorical:
        return _Axis(column, np.arange(len(column.levels or ())), (-0.5, len(column.levels or ()) - 0.5))
    low, high = float(present.min()), float(present.max())
    margin = 0.06 * (high - low) if high > low else 0.5
    low, high = low - margin, high + margin
    step = (high - low) / resolution
    return _Axis(column, low + step * (np.arange(resolution) + 0.5), (low, high))


def _fitted(model: BaseEstimator, X: TableLike, y: ArrayLike) -> Any:
    if not hasattr(model, "fit"):  # something that predicts, as a saved model
        return model
    try:
        check_is_fitted(model)
    except NotFittedError:
        return clone(model).fit(X, y)
    return model


def _last(model: BaseEstimator) -> Any:
    return model[-1] if hasattr(model, "steps") else model


def _codes(answers: ArrayLike, classes: Classes) -> np.ndarray:
    """Positions of answers among the classes; -1 of a class that no row has."""
    code_of = {label: code for code, label in enumerate(classes.labels.tolist())}
    return np.array([code_of.get(label, -1) for label in np.asarray(answers).tolist()])


def _answers(
    model: BaseEstimator, X: TableLike, table: Table, indices: list[int], axes: list[_Axis], classes: Classes
) -> tuple[np.ndarray, np.ndarray]:
    """Class and largest probability of every cell, rows of cells from bottom to top."""
    shape = len(axes[1].grid), len(axes[0].grid)
    down, across = np.unravel_index(np.arange(shape[0] * shape[1]), shape)
    rows = np.full(shape[0] * shape[1], _typical(table))
    grid_columns = {j: axis.values(table.column(j), at) for j, axis, at in zip(indices, axes, (across, down))}
    cells = replaced(take(X, rows=rows), grid_columns)
    codes = _codes(model.predict(cells), classes).reshape(shape)
    if not hasattr(model, "predict_proba"):
        return codes, np.full(shape, 0.75)
    return codes, np.asarray(model.predict_proba(cells)).max(axis=1).reshape(shape)


def _typical(table: Table) -> int:
    """The row nearest to the medians, in units of the spread of each column; a level that is not the usual one is 1."""
    distance = np.zeros(table.n_rows)
    for column in table.columns:
        is_present = ~column.missing
        if not is_present.any():
            continue
        if column.is_categorical:
            usual = np.bincount(column.values[is_present]).argmax()
            distance += column.values != usual
            continue
        spread = float(np.std(column.values[is_present])) or 1.0
        middle = float(np.median(column.values[is_present]))
        distance += np.where(is_present, np.abs(np.nan_to_num(column.values) - middle) / spread, 1.0)
    return int(np.argmin(distance))


def _paint(figure: Any, codes: np.ndarray, sure: np.ndarray, axes: list[_Axis]) -> None:
    """The answers as an image, and a line between cells that differ."""
    n_classes = max(int(codes.max()) + 1, 2)
    base = 1.0 / n_classes
    strength = _UNSURE + (_SURE - _UNSURE) * np.clip((sure - base) / (1 - base), 0, 1)
    colours = np.array([_rgb(SEVERAL[code % len(SEVERAL)]) for code in range(n_classes)] + [(138, 143, 152)])
    colour = colours[codes]
    image = np.empty((*codes.shape, 4), dtype=np.uint8)
    image[..., :3] = np.round(255 + strength[..., None] * (colour - 255.0))
    image[..., 3] = 255
    (left, right), (bottom, top) = axes[0].ends, axes[1].ends
    figure.image_rgba([image.view(np.uint32)[..., 0]], x=left, y=bottom, dw=right - left, dh=top - bottom)
    wide, high = (right - left) / codes.shape[1], (top - bottom) / codes.shape[0]
    down, across = np.nonzero(codes[:, 1:] != codes[:, :-1])
    x = left + wide * (across + 1)
    figure.segment(x, bottom + high * down, x, bottom + high * (down + 1), color="#3c434d", line_width=1.5)
    down, across = np.nonzero(codes[1:] != codes[:-1])
    y = bottom + high * (down + 1)
    figure.segment(left + wide * across, y, left + wide * (across + 1), y, color="#3c434d", line_width=1.5)


def _points(figure: Any, table: Table, indices: list[int], classes: Classes) -> None:
    from bokeh.models import Legend, LegendItem

    step = max(1, -(-table.n_rows // _MOST))
    is_drawn = np.zeros(table.n_rows, dtype=bool)
    is_drawn[::step] = True
    spots = []
    for column in (table.column(index) for index in indices):
        values = column.values.astype(np.float64)
        values[column.missing] = np.nan
        if column.is_categorical or column.kind in ("boolean", "ordinal"):  # side by side instead of one on another
            values = values + 0.35 * (2 * ((np.arange(len(values)) * 0.618034) % 1) - 1)
        spots.append(values)
    items = []
    for code, label in enumerate(classes.labels.tolist()):
        at = is_drawn & (classes.codes == code)
        colour = SEVERAL[code % len(SEVERAL)]
        drawn = figure.scatter(spots[0][at], spots[1][at], size=6, color=colour, line_color="white", line_width=0.8)
        items.append(LegendItem(label=show.short(str(label), 24), renderers=[drawn]))
    if len(items) <= 10:
        figure.add_layout(
            Legend(items=items, orientation="horizontal", border_line_color=None, padding=0, background_fill_alpha=0),
            "above",
        )


def _rgb(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)
