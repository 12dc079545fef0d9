"""
Where Relief fails
==================

Relief measures distances over all columns. The more columns of noise there are, the less the nearest rows are near
in the columns that matter, and the XOR that it saw so well is lost. Searching every pair does not depend on
distances: it looks at two columns at a time, and pays with a number of pairs that grows with the square of the
columns.

Drawn is the share of twenty tables in which both true columns are ranked first.
"""

import numpy as np
from bokeh.plotting import figure, show

from tamis import score

rng = np.random.default_rng(1)
noise = [0, 10, 20, 40, 80, 160]
seen = {"relief": [], "interaction": []}
for extra in noise:
    hits = dict.fromkeys(seen, 0)
    for _ in range(20):
        X = rng.normal(size=(150, 2 + extra))
        y = ((X[:, 0] > 0) ^ (X[:, 1] > 0)).astype(int)
        values = {"relief": score.relief(X, y), "interaction": score.interaction(X, y, n_permutations=19).max(axis=0)}
        for name, each in values.items():
            hits[name] += set(np.argsort(-each)[:2]) == {0, 1}
    for name in seen:
        seen[name].append(hits[name] / 20)
print("160 columns of noise:", {name: shares[-1] for name, shares in seen.items()})

assert seen["relief"][1] >= 0.9
assert seen["relief"][-1] <= 0.3
assert seen["interaction"][-1] >= 0.9

chart = figure(
    title="XOR of two columns among columns of noise, 150 rows",
    x_axis_label="columns of noise",
    y_axis_label="share of tables in which both are found",
    y_range=(-0.03, 1.05),
    width=720,
    height=420,
)
for (name, shares), colour in zip(seen.items(), ("#c2620a", "#2f6fbb")):
    chart.line(noise, shares, color=colour, line_width=3, legend_label=name)
    chart.scatter(noise, shares, color=colour, size=9)
chart.legend.location = "center_right"
show(chart)
