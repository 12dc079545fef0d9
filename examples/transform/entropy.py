"""
Cuts by entropy
===============

Where should a number be cut into intervals? Equal widths and equal counts do not know the classes. Cutting by
entropy puts a cut where the classes change, and stops when a further cut is not worth its description (Fayyad and
Irani). On the length of iris petals it makes three intervals, which agree with the three flowers; where a column
tells nothing, it makes none.
"""

import numpy as np
from bokeh.models import Span
from bokeh.plotting import figure, show
from sklearn.datasets import load_iris

from tamis.transform import Discretize

data = load_iris(as_frame=True)
X, y = data.data[["petal length (cm)"]].copy(), data.target_names[data.target]
X["noise"] = np.random.default_rng(0).normal(size=150)
entropy = Discretize("entropy").fit(X, y)
width = Discretize("width", n_bins=3).fit(X)
cuts, equal = entropy.cuts_[0], width.cuts_[0]
print("intervals by entropy:", ", ".join(entropy.intervals_[0]), "- cuts of noise:", len(entropy.cuts_[1]))

assert len(cuts) == 2
assert np.allclose(cuts, [2.45, 4.75], atol=0.11)
assert len(entropy.cuts_[1]) == 0

chart = figure(
    title="Petals of three flowers, cut where the classes change",
    x_axis_label="petal length (cm)",
    y_axis_label="flowers",
    width=740,
    height=400,
)
edges = np.arange(0.9, 7.1, 0.2)
bottom = np.zeros(len(edges) - 1)
for name, colour in zip(data.target_names, ("#2f6fbb", "#c2620a", "#3d8b5f")):
    counts = np.histogram(X.loc[y == name, "petal length (cm)"], edges)[0]
    chart.quad(
        top=bottom + counts,
        bottom=bottom,
        left=edges[:-1],
        right=edges[1:],
        color=colour,
        line_color="white",
        legend_label=name,
    )
    bottom = bottom + counts
for places, colour, dash, label in (
    (cuts, "#1d2430", "solid", "by entropy"),
    (equal, "#8a8f98", "dashed", "equal widths"),
):
    for place in places:
        chart.add_layout(Span(location=place, dimension="height", line_color=colour, line_dash=dash, line_width=3))
    chart.line([places[0]], [0], color=colour, line_dash=dash, line_width=3, legend_label=label)
show(chart)
