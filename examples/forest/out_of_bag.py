"""
Out of the bag: convergence, and when to stop
=============================================

Each tree leaves out about 37 % of the rows. Answering every row by the trees that left it out gives an error
without a test set, after every tree. The curve starts high, while few trees answer a row, falls, and then only
trembles: further trees win less than the curve's own noise. `stop_when_stable=True` ends there. The error of rows
kept apart is drawn beside: out of the bag promises no more than they keep.
"""

import numpy as np
from bokeh.models import Span
from bokeh.plotting import figure, show
from sklearn.datasets import make_classification

from tamis import ForestClassifier

X, y = make_classification(3_000, 20, n_informative=6, flip_y=0.1, random_state=1)
train, test = slice(0, 1_000), slice(1_000, None)
forest = ForestClassifier(500).fit(X[train], y[train])
stopped = ForestClassifier(500, stop_when_stable=True).fit(X[train], y[train])
kept = len(stopped.oob_curve_)
error = 1 - forest.score(X[test], y[test])
print(f"out of the bag {1 - forest.oob_score_:.3f}, on rows kept apart {error:.3f}; stopped after {kept} trees")
print(f"a tree leaves out {forest.oob_fraction_:.3f} of the rows; (1 − 1/n)ⁿ is {(1 - 1 / 1000) ** 1000:.3f}")

assert abs(forest.oob_fraction_ - np.exp(-1)) < 0.005
assert abs((1 - forest.oob_score_) - error) < 0.03
assert kept < 400
assert abs(stopped.oob_curve_[-1] - forest.oob_curve_[-1]) < 0.01

trees = np.arange(1, 501)
chart = figure(
    title=f"1,000 rows; stable after {kept} trees",
    x_axis_label="trees",
    y_axis_label="share of wrong answers",
    x_axis_type="log",
    width=740,
    height=420,
)
chart.line(trees, forest.oob_curve_, color="#2f6fbb", line_width=2.5, legend_label="out of the bag")
chart.line(
    trees[[0, -1]],
    [error, error],
    color="#3d8b5f",
    line_dash="dashed",
    line_width=2,
    legend_label="2,000 rows kept apart, 500 trees",
)
chart.add_layout(Span(location=kept, dimension="height", line_color="#c2620a", line_dash="dashed", line_width=2))
chart.line([1], [error], color="#c2620a", line_dash="dashed", line_width=2, legend_label="stop_when_stable")
show(chart)
