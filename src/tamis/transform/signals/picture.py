"""A picture of signals before and after a transform."""

from typing import Any

import numpy as np

from tamis import check
from tamis.errors import ParameterError
from tamis.figure import figure_class
from tamis.table import Table
from tamis.table.like import TableLike
from tamis.transform.signals.base import SignalTransform

BLUE, ORANGE, GREY = "#30638e", "#d1495b", "#7d8597"


def before_and_after(transform: SignalTransform, X: TableLike, *, row: int = 0, block: str | None = None) -> Any:
    """One signal before and after a fitted transform of as many positions, as a Bokeh figure.

    Where the transform subtracts a baseline, the baseline is drawn, too.

    >>> from tamis.transform.signals import Smooth
    >>> X = [[0.0, 3.0, 1.0, 4.0, 2.0]]
    >>> before_and_after(Smooth().fit(X), X).title.text
    'Smooth: signal, row 0'
    """

    name = check.one_of("block", next(iter(transform.blocks_)) if block is None else block, transform.blocks_)
    before, after = _signals(transform, X, row, name)
    kind = type(transform).__name__
    plot = figure_class()(
        width=720, height=320, title=f"{kind}: {name}, row {row}", x_axis_label="position", y_axis_label="value"
    )
    at = np.arange(len(before))
    plot.line(at, before, color=GREY, line_width=1.5, legend_label="before")
    if kind == "Baseline":
        plot.line(at, before - after, color=ORANGE, line_width=2, line_dash="dashed", legend_label="baseline")
    plot.line(at, after, color=BLUE, line_width=2, legend_label="after")
    plot.legend.click_policy = "hide"
    return plot


def _signals(transform: SignalTransform, X: TableLike, row: int, name: str) -> tuple[np.ndarray, np.ndarray]:
    """A row of a block, before and after."""
    kind = type(transform).__name__
    if not transform.one_to_one:
        raise ParameterError(f"{kind} makes other columns than it takes; give a transform that keeps positions")
    table = Table.of(X)
    table_row = table.take([check.count("row", row, low=0, high=table.n_rows - 1)])
    columns = transform.blocks_[name].tolist()
    after = Table.of(transform.transform(table_row))
    return table_row.select(columns).numbers()[0], after.select(columns).numbers()[0]
