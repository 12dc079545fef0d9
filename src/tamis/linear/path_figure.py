"""The path of a linear model as a Bokeh figure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tamis.errors import ParameterError
from tamis.figure import figure_class

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


COLOURS = ("#2f6fbb", "#c2620a", "#3d8b5f", "#8659b5", "#b03a6f", "#5f7f8c", "#a3861c", "#4a4f9c", "#7a5230", "#2b9aa0")


def path_figure(model: BaseEstimator, top: int = 20, **options: Any) -> Any:
    """Coefficients, in the units of their columns, against -log10 of the penalty; for best subsets, against their size.

    Only the `top` columns that contribute most to the chosen model are drawn; the dashed line is that model. Of several
    classes the last one's coefficients are drawn.
    """
    from bokeh.models import HoverTool, Span

    path = getattr(model, "path_", None)
    coef = getattr(path, "coef", None)
    if path is None or coef is None:
        raise ParameterError("the model has no path; fit it with alpha='cv' (or k='cv' for best subsets), then plot it")
    lines, final = np.asarray(coef)[:, :, -1], np.atleast_2d(model.coef_)[-1]
    alphas = np.asarray(path.alphas, dtype=np.float64)
    falls = bool(model.penalty != "subset")
    xs = -np.log10(np.maximum(alphas, 1e-300)) if falls else alphas
    weight = getattr(model, "feature_importances_", None)
    size = np.abs(final) if weight is None else np.asarray(weight)[model.inputs_.encoding.groups]
    shown = np.argsort(-size, kind="stable")[: min(top, int((lines != 0).any(axis=0).sum()))]
    plot = figure_class()(
        x_axis_label="−log10 of the penalty" if falls else "columns",
        y_axis_label="coefficient",
        **{"width": 700, "height": 400, "toolbar_location": None, **options},
    )
    source = {
        "x": [xs.tolist()] * len(shown),
        "y": [lines[:, j].tolist() for j in shown],
        "name": [str(model.coef_names_[j]) for j in shown],
        "color": [COLOURS[k % len(COLOURS)] for k in range(len(shown))],
    }
    drawn = plot.multi_line("x", "y", source=source, line_width=2, color="color")
    plot.add_tools(HoverTool(renderers=[drawn], tooltips=[("term", "@name")]))
    chosen = len(model.selected_columns_) if not falls else -float(np.log10(max(model.alpha_ or 1e-300, 1e-300)))
    plot.add_layout(Span(location=chosen, dimension="height", line_dash="dashed", line_color="#8a8f98", line_width=2))
    return plot
