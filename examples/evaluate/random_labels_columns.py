"""
With enough columns, logistic regression separates anything
===========================================================

A hundred coin tosses and columns of random numbers. A plane in d dimensions separates d + 1 points whatever their
labels are, so once there are about as many columns as rows the training accuracy is 1. Cover showed in 1965 that
half as many columns as rows are already enough, more often than not. Held-out rows stay at one half.
"""

import numpy as np
from bokeh.models import Span
from bokeh.plotting import figure, show

from tamis import LinearClassifier
from tamis.evaluate import complexity_curve

rng = np.random.default_rng(0)
X, y = rng.normal(size=(100, 100)), rng.permutation(np.arange(100) % 2)
columns = [1, 2, 5, 10, 20, 30, 40, 60, 100]
lines = {"rows it learned from": [], "rows held out": []}
for d in columns:
    model = LinearClassifier("ridge", alpha=1e-4)
    curve = complexity_curve(lambda _, m=model: m, X[:, :d], y, "columns", [d], repeats=3)
    lines["rows it learned from"].append(curve.train.mean())
    lines["rows held out"].append(curve.validation.mean())
print(f"60 random columns: {lines['rows it learned from'][-2]:.2f} and {lines['rows held out'][-2]:.2f}")

assert lines["rows it learned from"][-1] == 1
assert lines["rows it learned from"][columns.index(60)] == 1
assert np.abs(np.array(lines["rows held out"]) - 0.5).max() < 0.1

chart = figure(
    title="Logistic regression on 100 coin tosses",
    x_axis_label="columns of random numbers",
    y_axis_label="accuracy",
    y_range=(0.3, 1.04),
    width=720,
    height=420,
)
for (name, values), colour in zip(lines.items(), ("#8a8f98", "#2f6fbb")):
    chart.line(columns, values, color=colour, line_width=3, legend_label=name)
    chart.scatter(columns, values, color=colour, size=8)
chart.add_layout(Span(location=0.5, dimension="width", line_dash="dashed", line_color="#c2620a", line_width=2))
chart.legend.location = "center_right"
show(chart)
