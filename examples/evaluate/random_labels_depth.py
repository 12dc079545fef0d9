"""
Trees learn random labels by heart
==================================

Two hundred rows, ten columns, and labels drawn by tossing a coin: there is nothing to learn. The deeper the tree,
the better it does on the rows it has seen, up to no error at all. On rows held out it stays at one half. Training
accuracy measures the size of the tree, not what it knows.
"""

import numpy as np
from bokeh.models import Span
from bokeh.plotting import show

from tamis import TreeClassifier
from tamis.evaluate import complexity_curve

rng = np.random.default_rng(0)
X, y = rng.normal(size=(200, 10)), rng.permutation(np.arange(200) % 2)
curve = complexity_curve(TreeClassifier(), X, y, "max_depth", [1, 2, 3, 4, 6, 8, 10, 12, 16], repeats=3)
train, held_out = curve.train.mean(axis=1), curve.validation.mean(axis=1)
print(f"depth 16: {train[-1]:.2f} on rows it learned, {held_out[-1]:.2f} on rows held out")

assert train[-1] == 1
assert np.abs(held_out - 0.5).max() < 0.08

chart = curve.figure(width=720, height=420)
chart.center = [c for c in chart.center if not isinstance(c, Span)]  # there is no best depth to mark
chart.add_layout(Span(location=0.5, dimension="width", line_dash="dashed", line_color="#c2620a", line_width=2))
chart.title.text = "Trees on 200 coin tosses"
chart.xaxis.axis_label, chart.yaxis.axis_label = "depth of the tree", "accuracy"
chart.legend.location = "top_left"
show(chart)
