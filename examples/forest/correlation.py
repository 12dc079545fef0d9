"""
Forest variance against the correlation of its trees
====================================================

The mean of B trees of variance σ² and correlation ρ has the variance ρσ² + (1 − ρ)σ²/B. More trees take away the
second part and leave the first. Trying fewer columns at each split makes trees less alike: ρ falls, while each tree
by itself gets worse. Points are measured over sixty tables drawn anew; the line is the formula.
"""

import numpy as np
from bokeh.models import ColumnDataSource, LabelSet
from bokeh.plotting import figure, show

from tamis import ForestRegressor

rng = np.random.default_rng(0)
d, trees, tables = 10, 50, 60
place = rng.normal(size=(30, d))  # rows at which the variance is measured


def draw():
    X = rng.normal(size=(150, d))
    return X, X @ np.linspace(1, 0.1, d) + rng.normal(size=150)


def answers(size, tried, seed):
    """Of a forest of so many trees on every table, at the places."""
    make = [ForestRegressor(size, max_features=tried, random_state=100 * seed + t) for t in range(tables)]
    return np.array([forest.fit(X, y).predict(place) for forest, (X, y) in zip(make, data)])


data = [draw() for _ in range(tables)]
columns = [1, 4, 10]
rho, forest_variance, formula = [], [], []
for tried in columns:
    one, two = (answers(1, tried, seed) for seed in (1, 2))
    forest, other = (answers(trees, tried, seed) for seed in (3, 4))
    variance = (one.var(axis=0, ddof=1).mean() + two.var(axis=0, ddof=1).mean()) / 2
    shared = np.mean(
        [np.cov(a, b)[0, 1] for a, b in zip(forest.T, other.T)]
    )  # two forests have only the table in common
    rho.append(shared / variance)
    forest_variance.append((forest.var(axis=0, ddof=1).mean() + other.var(axis=0, ddof=1).mean()) / 2)
    formula.append(shared + (variance - shared) / trees)
    print(f"{tried:>2} tried: ρ {rho[-1]:.2f}, variance of a tree {variance:.2f}, of all {forest_variance[-1]:.2f}")

assert rho[0] < rho[-1] / 1.8
assert forest_variance[0] < forest_variance[-1] / 1.5
assert np.abs(np.array(forest_variance) / np.array(formula) - 1).max() < 0.1

chart = figure(
    title="Fewer columns tried, less alike, less variance",
    x_axis_label="correlation ρ of two trees",
    y_axis_label="variance of the forest's answer",
    width=720,
    height=420,
)
source = ColumnDataSource({"rho": rho, "variance": forest_variance, "words": [f"{k} tried" for k in columns]})
chart.line(rho, formula, color="#c2620a", line_width=2, legend_label="ρσ² + (1 − ρ)σ²/B")
chart.scatter("rho", "variance", source=source, color="#2f6fbb", size=11, legend_label="measured, 60 tables")
chart.add_layout(LabelSet(x="rho", y="variance", text="words", source=source, x_offset=8, y_offset=-16))
chart.legend.location = "top_left"
show(chart)
