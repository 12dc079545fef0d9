"""
A model tree: lines in the leaves
=================================

Two straight pieces with a jump. A tree with a number in each leaf needs a step for every bit of slope; a tree with
a linear model in each leaf needs one split and two lines. It is smaller, and it is right between the rows it has
seen.
"""

import numpy as np
from bokeh.plotting import figure, show

from tamis import TreeRegressor

rng = np.random.default_rng(0)
x = np.sort(rng.uniform(0, 10, 400))


def truth(x):
    """Rises to 4, jumps, and falls again."""
    return np.where(x < 4, 2 * x, 20 - 2 * x)


y = truth(x) + 0.6 * rng.normal(size=400)
grid = np.linspace(0, 10, 1_000)
trees = {
    "a number in each leaf": TreeRegressor(prune="cv").fit(x[:, None], y),
    "a line in each leaf": TreeRegressor(prune="cv", leaf="linear", min_samples_leaf=10).fit(x[:, None], y),
}
error = {name: np.mean((tree.predict(grid[:, None]) - truth(grid)) ** 2) for name, tree in trees.items()}
for name, tree in trees.items():
    print(f"{name}: {tree.get_n_leaves()} leaves, squared error {error[name]:.3f}")

assert trees["a line in each leaf"].get_n_leaves() == 2
assert trees["a number in each leaf"].get_n_leaves() > 6
assert error["a line in each leaf"] < error["a number in each leaf"] / 2

chart = figure(title="Two lines and a jump", x_axis_label="x", y_axis_label="y", width=740, height=420)
chart.scatter(x, y, color="#b8bec6", size=5)
for (name, tree), colour in zip(trees.items(), ("#c2620a", "#2f6fbb")):
    label = f"{name}: {tree.get_n_leaves()} leaves"
    chart.line(grid, tree.predict(grid[:, None]), color=colour, line_width=3, legend_label=label)
chart.legend.location = "top_right"
show(chart)
