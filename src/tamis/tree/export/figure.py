"""A tree as a Bokeh figure: depth from left to right, a line a branch, hover for rows and answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tamis.figure import figure_class
from tamis.tree.export.wording import answer_in_words, condition, question

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


def figure_of(model: BaseEstimator, **options: Any) -> Any:
    """Nodes at (depth, middle of their leaves), the size of a point by its rows; questions stand beside their nodes."""
    from bokeh.models import ColumnDataSource, HoverTool, LabelSet

    tree, notations = model.tree_, getattr(model, "notations_in_", {})
    y = _heights(tree)
    nodes = tree.preorder()
    inner = [int(node) for node in nodes if tree.left[node] >= 0]
    ways = [_way(tree, int(node), notations) for node in nodes]
    source = ColumnDataSource(
        {
            "x": tree.depth[nodes].tolist(),
            "y": [-float(y[node]) for node in nodes],
            "size": (6 + 22 * np.sqrt(tree.n_rows[nodes] / tree.n_rows[0])).tolist(),
            "words": [question(tree, int(n)) if tree.left[n] >= 0 else answer_in_words(model, int(n)) for n in nodes],
            "way": ways,
            "answer": [answer_in_words(model, int(node)) for node in nodes],
            "color": ["#2f6fbb" if tree.left[node] >= 0 else "#c2620a" for node in nodes],
        }
    )
    plot = figure_class()(
        **{
            "width": 900,
            "height": int(np.clip(60 + 34 * tree.n_leaves, 200, 1600)),
            "toolbar_location": None,
            **options,
        }
    )
    plot.segment(
        x0=[int(tree.depth[n]) for n in inner for _ in (0, 1)],
        y0=[-float(y[n]) for n in inner for _ in (0, 1)],
        x1=[int(tree.depth[n]) + 1 for n in inner for _ in (0, 1)],
        y1=[-float(y[int(tree.left[n]) + side]) for n in inner for side in (0, 1)],
        color="#c9ced6",
        line_width=2,
    )
    plot.add_layout(_replies(tree, nodes, ways, y))
    points = plot.scatter("x", "y", source=source, size="size", color="color", line_color="white")
    labels = LabelSet(x="x", y="y", text="words", source=source, x_offset=12, y_offset=-7, text_font_size="12px")
    plot.add_layout(labels)
    plot.add_tools(HoverTool(renderers=[points], tooltips=[("if", "@way"), ("answer", "@answer")]))
    plot.axis.visible = plot.grid.visible = False
    plot.x_range.start, plot.x_range.end = -0.2, tree.max_depth + 1.2
    return plot


def _replies(tree: Any, nodes: np.ndarray, ways: list[str], y: np.ndarray) -> Any:
    """The reply that leads to each node, with its threshold, in the middle of its branch."""
    from bokeh.models import ColumnDataSource, LabelSet

    below = [(int(node), way) for node, way in zip(nodes, ways) if tree.parent[node] >= 0]
    source = ColumnDataSource(
        {
            "x": [float(tree.depth[node]) - 0.5 for node, _ in below],
            "y": [-float(y[node] + y[tree.parent[node]]) / 2 for node, _ in below],
            "reply": [way for _, way in below],
        }
    )
    look = {"text_font_size": "11px", "text_color": "#59626e", "text_align": "center"}
    return LabelSet(x="x", y="y", text="reply", source=source, y_offset=3, **look)


def _heights(tree: Any) -> np.ndarray:
    """Leaves one under the other in the order of reading, every other node in the middle of its children."""
    y = np.zeros(tree.n_nodes)
    order = tree.preorder()
    leaves = [node for node in order if tree.left[node] < 0]
    y[leaves] = np.arange(len(leaves))
    for node in order[::-1]:
        if tree.left[node] >= 0:
            y[node] = (y[tree.left[node]] + y[tree.left[node] + 1]) / 2
    return y


def _way(tree: Any, node: int, notations: Any) -> str:
    """The reply that leads to a node."""
    parent = int(tree.parent[node])
    return "all rows" if parent < 0 else condition(tree, parent, node - int(tree.left[parent]), notations)
