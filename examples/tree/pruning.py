"""
Pruning: by cross-validation, and by χ²
=======================================

A full tree on rows of which a fifth have a wrong label. Cost-complexity pruning gives a sequence of subtrees, from
the root to the full tree. The error of the rows the tree learned from falls along it to almost nothing; the
cross-validated error has a valley. The one-standard-error rule takes the smallest tree within one standard error of
the least. Pruning by χ² asks at each split whether chance explains it: it needs no folds, keeps a few more splits,
and does as well on new rows.
"""

import numpy as np
from bokeh.models import ColumnDataSource, Span, Whisker
from bokeh.plotting import figure, show

from tamis import TreeClassifier

rng = np.random.default_rng(2)


def draw(n):
    """Two boxes in a square of two columns, beside four columns of noise; a fifth of the labels is wrong."""
    X = rng.uniform(0, 1, (n, 6))
    truth = (X[:, 0] > 0.5) & (X[:, 1] > 0.3) | (X[:, 0] < 0.2)
    return X, np.where(rng.random(n) < 0.2, ~truth, truth).astype(int)


X, y = draw(500)
fresh, truth = draw(20_000)
full, cv, chi2 = (TreeClassifier(prune=prune).fit(X, y) for prune in (None, "cv", "chi2"))
for name, tree in (("full", full), ("cross-validation", cv), ("chi²", chi2)):
    print(f"{name:<17}{tree.get_n_leaves():>4} leaves, accuracy on new rows {tree.score(fresh, truth):.3f}")

assert full.get_n_leaves() > 100
assert cv.get_n_leaves() == 4
assert chi2.get_n_leaves() < 20
assert min(cv.score(fresh, truth), chi2.score(fresh, truth)) > full.score(fresh, truth) + 0.08

table = {name: np.asarray(values) for name, values in cv.cost_complexity_.items()}
source = ColumnDataSource(
    {
        "leaves": table["n_leaves"],
        "risk": table["cv_risk"],
        "low": table["cv_risk"] - table["cv_se"],
        "high": table["cv_risk"] + table["cv_se"],
    }
)
chart = figure(
    title=f"The sequence of subtrees; chosen: {cv.get_n_leaves()} leaves",
    x_axis_label="leaves",
    y_axis_label="errors, relative to the root's",
    x_axis_type="log",
    width=740,
    height=420,
)
chart.line(table["n_leaves"], table["risk"], color="#8a8f98", line_width=3, legend_label="rows it learned from")
chart.line("leaves", "risk", source=source, color="#2f6fbb", line_width=3, legend_label="ten folds")
chart.scatter("leaves", "risk", source=source, color="#2f6fbb", size=7)
chart.add_layout(Whisker(source=source, base="leaves", lower="low", upper="high", line_color="#2f6fbb"))
chart.add_layout(
    Span(location=cv.get_n_leaves(), dimension="height", line_dash="dashed", line_color="#c2620a", line_width=2)
)
chart.legend.location = "bottom_left"
show(chart)
