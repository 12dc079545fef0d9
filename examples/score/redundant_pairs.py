"""
Redundant pairs, and columns that help only together
====================================================

Four pairs of columns, after Guyon and Elisseeff (2003). Numbers under each picture are the accuracy of a forest
with the first column alone, with the second alone, and with both.

1. Two copies of one measurement with independent noise: each does well, together they do better. Redundant does not
mean useless. 2. The second column is the first, multiplied: together they do no better. This is redundancy that can
go. 3. The second column tells nothing alone, and corrects the noise of the first. 4. Neither tells anything alone:
XOR.
"""

import numpy as np
from bokeh.layouts import gridplot
from bokeh.plotting import figure, show

from tamis import ForestClassifier

rng = np.random.default_rng(0)
n = 400
y = np.arange(n) % 2
signal, noise = (2 * y - 1.0), rng.normal(size=(2, n))
flips = rng.choice([-1.0, 1.0], n)
pairs = {
    "independent noise": np.column_stack([signal + 1.2 * noise[0], signal + 1.2 * noise[1]]),
    "a perfect copy": np.column_stack([signal + 1.2 * noise[0], 2 * (signal + 1.2 * noise[0])]),
    "useless alone, useful beside another": np.column_stack([signal + 3 * noise[0], noise[0] + 0.2 * noise[1]]),
    "XOR": np.column_stack([2 * flips + noise[0], 2 * flips * signal + noise[1]]) * 0.7,
}


def accuracy(columns):
    """Out of the bag: every row is answered by trees that have not seen it."""
    return ForestClassifier(200, min_samples_leaf=5).fit(columns, y).oob_score_


found, charts = {}, []
for name, X in pairs.items():
    first, second, both = found[name] = [accuracy(X[:, [0]]), accuracy(X[:, [1]]), accuracy(X)]
    chart = figure(
        title=name,
        x_axis_label=f"first alone {first:.2f}, second alone {second:.2f}, both {both:.2f}",
        width=440,
        height=360,
    )
    for code, colour in ((0, "#2f6fbb"), (1, "#c2620a")):
        chart.scatter(*X[y == code].T, color=colour, size=5, alpha=0.7)
    charts.append(chart)

first, second, both = np.array(list(found.values())).T
assert both[0] > max(first[0], second[0]) + 0.05
assert both[1] < first[1] + 0.02
assert second[2] < 0.6 < 0.9 < both[2]
assert max(first[3], second[3]) < 0.6 < 0.8 < both[3]
show(gridplot([charts[:2], charts[2:]], toolbar_location=None))
