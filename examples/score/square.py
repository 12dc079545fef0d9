"""
x² against a noisy copy of y
============================

The first column determines the target completely: y = x². The second is a noisy copy of y. Squared correlation
gives the first nothing, since the parabola rises as much as it falls, and takes the noisy copy. Mutual information,
which does not care for the shape, takes the first; so does Relief.

A criterion answers the question it asks. Correlation asks for a line.
"""

import numpy as np
from bokeh.layouts import row
from bokeh.plotting import figure, show

from tamis import score

rng = np.random.default_rng(0)
x = rng.uniform(-1, 1, 500)
y = x**2
X = np.column_stack([x, y + 0.25 * rng.normal(size=500)])
values = {
    "pearson (r²)": score.pearson(X, y),
    "mutual information (nats)": score.mutual_information(X, y),
    "relief": score.relief(X, y),
}
for name, (first, second) in values.items():
    print(f"{name:<28} x {first:.2f}   noisy copy {second:.2f}")

assert values["pearson (r²)"][0] < 0.02 < 0.5 < values["pearson (r²)"][1]
assert all(first > second for name, (first, second) in values.items() if name != "pearson (r²)")

charts = []
for j, label in enumerate(("x: y is x²", "a noisy copy of y")):
    said = f"r² {values['pearson (r²)'][j]:.2f}, {values['mutual information (nats)'][j]:.2f} nats"
    chart = figure(title=f"{label}: {said}", x_axis_label=label.split(":")[0], y_axis_label="y", width=480, height=380)
    chart.scatter(X[:, j], y, color=("#2f6fbb", "#c2620a")[j], size=5, alpha=0.6)
    charts.append(chart)
show(row(*charts))
