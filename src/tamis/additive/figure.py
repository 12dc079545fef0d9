"""Curves and pair maps as Bokeh figures."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from tamis import check
from tamis.additive.term import Axis, Curve, PairMap
from tamis.additive.to_table import words
from tamis.errors import ParameterError
from tamis.figure import figure_class

COLOURS = ("#2f6fbb", "#c2620a", "#3d8b5f", "#8659b5", "#b03a6f", "#5f7f8c", "#a3861c", "#4a4f9c", "#7a5230", "#2b9aa0")
N_COLUMNS = 3  # figures side by side


def figures_of(model: BaseEstimator, columns: Iterable[str] | None = None, **options: Any) -> Any:
    """A grid of figures: curves of columns of numbers as steps, of categories as points, maps as coloured cells."""
    from bokeh.layouts import gridplot

    names = None if columns is None else [columns] if isinstance(columns, str) else list(columns)
    for name in names or ():
        if name not in model.selected_columns_:
            hint = check.nearest(name, model.selected_columns_)
            raise ParameterError(f"the model does not use the column {name!r}{hint}; give columns that it uses")
    terms = [term for term in model._terms() if names is None or set(term.columns) <= set(names)]
    if not terms:
        raise ParameterError("the model has no curve to plot: it predicts the same for all rows")
    size = {"width": 300, "height": 240, "toolbar_location": None, **options}
    labels = [str(label) for label in getattr(model, "classes_", ())]
    plots = [
        _curve(term, labels, model, size) if isinstance(term, Curve) else _map(term, model, size) for term in terms
    ]
    return gridplot([plots[k : k + N_COLUMNS] for k in range(0, len(plots), N_COLUMNS)], toolbar_location=None)


def _curve(curve: Curve, labels: list[str], model: BaseEstimator, size: dict[str, Any]) -> Any:

    n, axis = curve.axis.n_values, curve.axis
    heights, spread = (values.reshape(n + 1, -1) for values in (curve.heights, curve.spread))
    is_words = axis.is_categorical or n == 0
    bins = [k for k in range(n + 1) if k < n or curve.weight[n] > 0 or np.any(heights[n])]
    ticks = [_short(words(axis, k, model.notations_in_.get(axis.name))) for k in bins] if is_words else []
    ticks = [f"{tick} ({k})" if ticks.count(tick) > 1 else tick for k, tick in enumerate(ticks)]
    plot = figure_class()(title=axis.name, **({"x_range": ticks} if is_words else {}), **size)
    for k in range(heights.shape[1]):
        colour = COLOURS[k % len(COLOURS)]
        name = {"legend_label": labels[k]} if heights.shape[1] > 1 and k < len(labels) else {}
        if is_words:
            height, error = heights[bins, k], spread[bins, k]
            plot.segment(x0=ticks, x1=ticks, y0=height - 2 * error, y1=height + 2 * error, color=colour)
            plot.scatter(x=ticks, y=height, size=8, color=colour, **name)
            continue
        left, right = _ends(axis)
        low, high = heights[:n, k] - 2 * spread[:n, k], heights[:n, k] + 2 * spread[:n, k]
        plot.quad(left=left, right=right, bottom=low, top=high, fill_color=colour, fill_alpha=0.2, line_color=None)
        ends = np.column_stack([left, right]).ravel()
        plot.line(x=ends, y=np.repeat(heights[:n, k], 2), color=colour, line_width=2, **name)
        if len(bins) > n:  # missing values, beside the others
            at = right[-1] + 0.06 * (right[-1] - left[0] or 1.0)
            plot.scatter(x=[at], y=[heights[n, k]], marker="diamond", size=10, color=colour)
    plot.yaxis.axis_label = "adds"
    return plot


def _map(pair: PairMap, model: BaseEstimator, size: dict[str, Any]) -> Any:
    from bokeh.models import ColorBar, LinearColorMapper
    from bokeh.palettes import RdBu11

    heights = pair.heights if pair.heights.ndim == 2 else pair.heights[:, :, -1]
    (x0, x1), (y0, y1) = (_cells(axis) for axis in pair.axes)
    nx, ny = len(x0), len(y0)
    bound = float(np.abs(heights).max()) or 1.0
    colours = LinearColorMapper(palette=RdBu11[::-1], low=-bound, high=bound)
    plot = figure_class()(title=" × ".join(pair.columns), **size)
    source = {
        "left": np.repeat(x0, ny),
        "right": np.repeat(x1, ny),
        "bottom": np.tile(y0, nx),
        "top": np.tile(y1, nx),
        "height": heights[:nx, :ny].ravel(),
    }
    plot.quad(
        "left",
        "right",
        "bottom",
        "top",
        source=source,
        line_color=None,
        fill_color={"field": "height", "transform": colours},
    )
    plot.add_layout(ColorBar(color_mapper=colours), "right")
    for axis, drawn in zip(pair.axes, (plot.xaxis, plot.yaxis)):
        drawn.axis_label = axis.name
        if axis.is_categorical:
            drawn.ticker = list(range(axis.n_values))
            drawn.major_label_overrides = {k: _short(words(axis, k)) for k in range(axis.n_values)}
    return plot


def _ends(axis: Axis) -> tuple[np.ndarray, np.ndarray]:
    """Both ends of every bin of numbers; the outermost are as wide as a typical one."""
    edges = axis.edges
    if len(edges) == 0:
        return np.array([-0.5]), np.array([0.5])
    margin = float(np.median(np.diff(edges))) if len(edges) > 1 else abs(float(edges[0])) or 1.0
    return np.append(edges[0] - margin, edges), np.append(edges, edges[-1] + margin)


def _cells(axis: Axis) -> tuple[np.ndarray, np.ndarray]:
    if axis.is_categorical:
        return np.arange(axis.n_values) - 0.5, np.arange(axis.n_values) + 0.5
    return _ends(axis)


def _short(text: str) -> str:
    return text if len(text) <= 24 else f"{text[:23]}…"
