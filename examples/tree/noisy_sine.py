"""
Regression trees on a noisy sine
================================

A tree answers with steps. Of depth 2 it has four, too few for the wave; of depth 5 it follows the wave; without a
limit it has a step for every row, and follows the noise: no error on the rows it learned from, and half as much
again as necessary on new ones. Pruning by cross-validation finds the depth between.
"""

import numpy as np
from bokeh.layouts import gridplot
from bokeh.plotting import figure, show

from tamis import TreeRegressor

rng = np.random.default_rng(0)
x = np.sort(rng.uniform(0, 10, 200))
y = np.sin(x) + 0.3 * rng.normal(size=200)
grid = np.linspace(0, 10, 2_000)
models = {
    "depth 2": TreeRegressor(max_depth=2),
    "depth 5": TreeRegressor(max_depth=5),
    "no limit": TreeRegressor(),
    "pruned by folds": TreeRegressor(prune="cv", rule="min"),
}
error, charts = {}, []
for name, model in models.items():
    model.fit(x[:, None], y)
    steps = model.predict(grid[:, None])
    error[name] = np.mean((steps - np.sin(grid)) ** 2) + 0.09  # of a new row, its noise included
    chart = figure(
        title=f"{name}: {model.get_n_leaves()} steps, error {error[name]:.3f}",
        width=470,
        height=300,
        y_range=(-1.9, 1.9),
    )
    chart.scatter(x, y, color="#8a8f98", size=4)
    chart.line(grid, np.sin(grid), color="#3d8b5f", line_width=2, line_dash="dashed")
    chart.line(grid, steps, color="#c2620a", line_width=2.5)
    charts.append(chart)
print({name: round(float(value), 3) for name, value in error.items()})

assert models["no limit"].score(x[:, None], y) == 1
assert error["no limit"] > 1.4 * error["pruned by folds"]
assert error["depth 2"] > 1.4 * error["depth 5"]
show(gridplot([charts[:2], charts[2:]], toolbar_location=None))
