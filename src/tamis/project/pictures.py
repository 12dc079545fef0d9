"""Bokeh figures of projections: the spectrum and its cut, the rows among the components, what carries them."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from tamis import check
from tamis.errors import ParameterError, TableError
from tamis.figure import figure_class
from tamis.table import Table, eager, is_class_target, same_length
from tamis.table.like import TableLike

BLUE, ORANGE, GREY = "#30638e", "#d1495b", "#7d8597"
COLOURS = (BLUE, ORANGE, "#edae49", "#00798c", "#6a4c93", "#8ac926", "#7d5a50", "#577590", "#f3722c", "#43aa8b")
_MOST = 2_000  # points that a page draws at once


def spectrum_figure(model: BaseEstimator, **options: Any) -> Any:
    """Variances of the components, largest first, and where they are cut; the share held so far beside them."""
    from bokeh.models import LinearAxis, Range1d, Span

    spectrum = np.asarray(model.spectrum_)
    n_components = int(getattr(model, "n_components_", len(spectrum)))
    total = float(getattr(model, "total_variance_", spectrum.sum()))
    ranks = np.arange(1, len(spectrum) + 1)
    plot = figure_class()(
        title=f"{n_components} of {len(spectrum)} components hold {spectrum[:n_components].sum() / total:.1%} of "
        "the variance",
        x_axis_label="component",
        y_axis_label="variance",
        **{"width": 600, "height": 320, "toolbar_location": None, **options},
    )
    colours = [BLUE if k < n_components else GREY for k in range(len(spectrum))]
    plot.vbar(ranks, top=spectrum, width=0.8, color=colours)
    plot.y_range = Range1d(0, float(spectrum[0]) * 1.05)
    plot.extra_y_ranges = {"share": Range1d(0, 1.05)}
    plot.add_layout(LinearAxis(y_range_name="share", axis_label="share held"), "right")
    plot.line(ranks, np.cumsum(spectrum) / total, y_range_name="share", color=ORANGE, line_width=2)
    if n_components < len(spectrum):
        plot.add_layout(Span(location=n_components + 0.5, dimension="height", line_color=ORANGE, line_dash="dashed"))
    return plot


def scores_figure(
    model: BaseEstimator, X: TableLike, y: Any = None, *, components: Sequence[int] = (0, 1), **options: Any
) -> Any:
    """The rows by two of their scores, coloured by a target: classes by colours, numbers by a scale.

    Of more than 2,000 rows every k-th is drawn.
    """

    scores = np.asarray(Table.of(eager(model.transform(X))).numbers())
    first, second = _two(components, scores.shape[1])
    names = list(model.get_feature_names_out())
    plot = figure_class()(
        title="rows among the components",
        x_axis_label=str(names[first]),
        y_axis_label=str(names[second]),
        **{"width": 600, "height": 480, "toolbar_location": None, **options},
    )
    if y is not None:
        same_length(scores, y)
    _draw_points(plot, scores[:, [first, second]], y)
    return plot


def points_figure(points: np.ndarray, y: Any = None, *, title: str = "", **options: Any) -> Any:
    """Points in the plane, coloured by classes or numbers."""

    plot = figure_class()(title=title, **{"width": 600, "height": 480, "toolbar_location": None, **options})
    _draw_points(plot, points, y)
    return plot


def _draw_points(plot: Any, points: np.ndarray, y: ArrayLike) -> None:
    step = max(1, -(-len(points) // _MOST))
    sample = np.arange(0, len(points), step)
    points = points[sample]
    if y is None:
        plot.scatter(points[:, 0], points[:, 1], color=BLUE, alpha=0.6, size=5)
    elif is_class_target(y):
        _by_class(plot, points, np.asarray(y)[sample])
    else:
        _by_number(plot, points, np.asarray(y, dtype=np.float64)[sample])


def loadings_figure(model: BaseEstimator, *, component: int = 0, most: int = 20, **options: Any) -> Any:
    """Loadings of one component, largest first; those that carry 90% of it in colour."""
    from bokeh.models import FixedTicker, PlainText

    components = getattr(model, "components_", None)
    if components is None:
        raise ParameterError(f"{type(model).__name__} has no loadings: its components are no directions of columns")
    k = check.count("component", component, low=0, high=len(components) - 1, of="components from 0")
    names, line = list(model.encoding_.columns), components[k]
    carriers = set(model.carriers()[k])
    order = np.argsort(-np.abs(line), kind="stable")[: check.count("most", most)][::-1]
    component_name = (
        str(model.get_feature_names_out()[k]) if len(model.get_feature_names_out()) > k else f"component {k}"
    )
    plot = figure_class()(
        title=f"what carries {component_name}",
        x_axis_label="loading",
        **{"width": 600, "height": max(160, 60 + 20 * len(order)), "toolbar_location": None, **options},
    )
    colours = [BLUE if names[j] in carriers else GREY for j in order]
    plot.hbar(y=np.arange(len(order)), right=line[order], height=0.7, color=colours)
    plot.yaxis[0].ticker = FixedTicker(ticks=list(range(len(order))))
    plot.yaxis[0].major_label_overrides = {i: PlainText(text=names[j]) for i, j in enumerate(order)}  # no formulas
    return plot


def _two(components: Sequence[int], n_components: int) -> tuple[int, int]:
    if n_components < 2:
        raise ParameterError("there is one component, and a picture of the rows needs two; give n_components=2")
    if len(components) != 2:
        raise ParameterError(f"components={tuple(components)!r} are not two; give two positions from 0")
    first, second = (check.count("components", int(k), low=0, high=n_components - 1) for k in components)
    return first, second


def _by_class(plot: Any, points: np.ndarray, y: np.ndarray) -> None:
    labels = sorted({str(label) for label in y})
    if len(labels) > len(COLOURS):
        raise TableError(
            f"the target has {len(labels)} classes, and only {len(COLOURS)} colours tell apart; group them"
        )
    names = np.array([str(label) for label in y])
    for label, colour in zip(labels, COLOURS):
        rows = points[names == label]
        plot.scatter(rows[:, 0], rows[:, 1], color=colour, alpha=0.6, size=5, legend_label=label)
    plot.legend.click_policy = "hide"


def _by_number(plot: Any, points: np.ndarray, y: np.ndarray) -> None:
    from bokeh.models import ColorBar
    from bokeh.plotting import ColumnDataSource
    from bokeh.transform import linear_cmap

    source = ColumnDataSource({"a": points[:, 0], "b": points[:, 1], "target": y})
    scale = linear_cmap("target", "Viridis256", float(y.min()), float(y.max()))
    plot.scatter("a", "b", source=source, color=scale, alpha=0.7, size=5)
    plot.add_layout(ColorBar(color_mapper=scale["transform"], width=10), "right")
