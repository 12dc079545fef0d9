"""
The curse of dimensionality
===========================

A thousand rows fill a line and are lost in a cube of twenty sides. Three things happen as columns are added that
have nothing to say: the nearest row is hardly nearer than the farthest; a box that holds a tenth of the rows spans
almost the whole range of every column; and one neighbour, which answered well in two dimensions, guesses.

This is why choosing columns is worth the trouble even for methods that could use them all.
"""

import numpy as np
from bokeh.plotting import figure, show
from scipy.spatial.distance import cdist
from sklearn.neighbors import KNeighborsClassifier

rng = np.random.default_rng(0)
dimensions = [1, 2, 3, 5, 10, 20, 50, 100]
contrast, side, accuracy = [], [], []
for d in dimensions:
    rows, fresh = rng.uniform(size=(1_000, d)), rng.uniform(size=(500, d))
    distances = cdist(fresh, rows)
    contrast.append(float(np.mean(distances.min(axis=1) / distances.max(axis=1))))
    side.append(0.1 ** (1 / d))  # of a cube that holds a tenth of the unit cube
    model = KNeighborsClassifier(1).fit(rows, rows[:, 0] > 0.5)
    accuracy.append(model.score(fresh, fresh[:, 0] > 0.5))
print(f"1-NN: {accuracy[0]:.2f} with one column, {accuracy[-1]:.2f} with 99 columns of noise beside it")

assert contrast[0] < 0.01
assert contrast[-1] > 0.6
assert accuracy[0] > 0.98
assert accuracy[-1] < 0.65

chart = figure(
    title="1,000 rows in d dimensions; only the first column matters",
    x_axis_label="dimensions",
    y_axis_label="share",
    x_axis_type="log",
    y_range=(0, 1.05),
    width=760,
    height=420,
)
lines = {
    "nearest distance / farthest distance": (contrast, "#c2620a"),
    "side of a cube that holds a tenth of the rows": (side, "#3d8b5f"),
    "accuracy of the nearest neighbour": (accuracy, "#2f6fbb"),
}
for name, (values, colour) in lines.items():
    chart.line(dimensions, values, color=colour, line_width=3, legend_label=name)
    chart.scatter(dimensions, values, color=colour, size=8)
chart.add_layout(chart.legend[0], "below")
show(chart)
