"""
Permutation importance against correlation
==========================================

A column that matters is joined by a copy with more and more noise taken away. The more alike the two are, the less
each seems to matter: permuting one leaves the other to tell. Permuted together they matter as much as ever.
`permutation_importance` therefore names columns that could stand for each other, and says what they are worth
together.
"""

import numpy as np
import pandas as pd
from bokeh.plotting import figure, show

from tamis import ForestRegressor

rng = np.random.default_rng(0)
n = 500
base = rng.normal(size=(n, 6))
y = 2 * base[:, 0] + base[:, 1] + 0.5 * rng.normal(size=n)
correlations = [0.0, 0.5, 0.8, 0.9, 0.95, 0.99]
alone, both = [], []
for r in correlations:
    X = pd.DataFrame(base, columns=["dose", "age", "a", "b", "c", "d"])
    X["dose again"] = r * base[:, 0] + np.sqrt(1 - r**2) * rng.normal(size=n)
    forest = ForestRegressor(200, max_features=3).fit(X, y)
    alone.append(forest.permutation_importance().importance[0])
    pair = forest.permutation_importance(groups=[["dose", "dose again"]])
    both.append(max(pair.importance))
last = forest.permutation_importance()
print(last.to_text())

assert alone[-1] < 0.65 * alone[0]
assert both[-1] > 0.8 * both[0]
assert "dose or dose again" in last.to_text()

chart = figure(
    title="The importance of dose beside a near copy",
    x_axis_label="correlation of dose and its copy",
    y_axis_label="rise of the squared error when permuted",
    width=720,
    height=420,
)
for name, values, colour in (("dose alone", alone, "#c2620a"), ("dose and its copy together", both, "#2f6fbb")):
    chart.line(correlations, values, color=colour, line_width=3, legend_label=name)
    chart.scatter(correlations, values, color=colour, size=8)
chart.y_range.start = 0
chart.legend.location = "bottom_left"
show(chart)
