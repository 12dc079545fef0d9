"""A table as a picture: values by colour, similar rows and columns side by side."""

from __future__ import annotations

from typing import Any

import numpy as np

from tamis.errors import TableError
from tamis.project.table_map import standardized
from tamis.report.charts.frame import framed, named
from tamis.table import Table, eager, is_class_target, same_length

__all__ = ["heatmap"]

MAX_CELLS = 400_000  # rectangles that a page still draws quickly
BOUND = 3.0  # standard deviations at which colours end
COLOURS = ("#2166ac", "#4393c3", "#92c5de", "#d1e5f0", "#f7f7f7", "#fddbc7", "#f4a582", "#d6604d", "#b2182b")


def heatmap(X: Any, y: Any = None, *, cluster: bool = True, title: str | None = None, **options: Any) -> Any:
    """Standardised values of a table as colours, rows and columns in the order of hierarchical clustering.

    Blue is below the column's mean, red above, and colours end at three standard deviations. A picture of columns that
    were chosen by the target shows the choice, not the table: the ten columns of 10,000 that differ most between two
    classes show two clusters though all are noise.

    Parameters
    ----------
    X : table of any kind; categories become indicators, missing values are drawn as means.
    y : one value a row, written at the left; classes are drawn in blocks of their own when `cluster` is False.
    cluster : whether rows and columns are put in the order of Ward's clustering.
    title : above the picture.
    **options : of the Bokeh figure.

    Returns
    -------
    a Bokeh figure; its attribute `tags` holds the order of the rows and of the columns.

    >>> drawn = heatmap([[0.0, 1.0], [5.0, 1.5], [0.1, 1.0], [5.1, 1.4]])
    >>> drawn.tags[0]["rows"]
    [0, 2, 1, 3]
    """
    X = np.asarray(X) if isinstance(X, (list, tuple)) else eager(X)
    table, Z = Table.of(X), standardized(X)
    if Z.size > MAX_CELLS:
        raise TableError(f"a picture of {Z.shape[0]:,} × {Z.shape[1]:,} cells is too large; give a sample of the rows")
    if y is not None:
        same_length(table, y)
    names = list(table.names) if Z.shape[1] == table.n_columns else [f"column {j + 1}" for j in range(Z.shape[1])]
    rows, columns = _order(Z, y, cluster), _order(Z.T, None, cluster)
    return _drawn(Z[np.ix_(rows, columns)], rows, columns, names, y, title, options)


def _order(Z: np.ndarray, y: Any, cluster: bool) -> np.ndarray:
    if cluster and len(Z) > 2:
        from scipy.cluster.hierarchy import leaves_list, linkage

        return np.asarray(leaves_list(linkage(Z, "ward")))
    if y is not None and is_class_target(y):
        return np.argsort(np.unique(np.asarray(y).astype(str), return_inverse=True)[1], kind="stable")
    return np.arange(len(Z))


def _drawn(
    Z: np.ndarray, rows: np.ndarray, columns: np.ndarray, names: list[str], y: Any, title: str | None, options: Any
) -> Any:
    from bokeh.models import LinearColorMapper

    plot = framed(
        x_axis_label="column",
        y_axis_label="row",
        title="Heat map: standardised values" if title is None else title,
        x_range=(-0.5, Z.shape[1] - 0.5),
        y_range=(len(Z) - 0.5, -0.5),
        **{"width": 640, "height": 420, "sizing_mode": "fixed", **options},
    )
    mapper = LinearColorMapper(palette=COLOURS, low=-BOUND, high=BOUND)
    plot.image([np.clip(Z, -BOUND, BOUND)], x=-0.5, y=-0.5, dw=Z.shape[1], dh=len(Z), color_mapper=mapper)
    if Z.shape[1] <= 40:
        named(plot.xaxis[0], [names[j] for j in columns])
        plot.xaxis[0].major_label_orientation = 0.8
    if y is not None and len(Z) <= 80:
        named(plot.yaxis[0], [str(value) for value in np.asarray(y)[rows]])
    plot.tags = [{"rows": rows.tolist(), "columns": [names[j] for j in columns]}]
    return plot
