"""
Bagging and outliers in three cases
===================================

A bootstrap sample misses any one row with probability 0.37, so a single outlier is absent from more than a third of
the models. What that is worth depends on the model:

1. **Nearest neighbour**: the outlier's own place is spoiled in the models that have it; the mean of the bag pulls
the spike to two thirds. 2. **A deep tree**: the same, for a leaf is one row. 3. **Least squares**: every model that
has the outlier is bent a little, and the bag is bent as much as one model is. Averaging lowers variance, and does
not undo a bias that all models share.
"""

import numpy as np
from bokeh.layouts import row
from bokeh.plotting import figure, show
from sklearn.ensemble import BaggingRegressor
from sklearn.neighbors import KNeighborsRegressor

from tamis import LinearRegressor, TreeRegressor

rng = np.random.default_rng(0)
x = np.linspace(0, 1, 40)
y = x.copy()
y[30] = 6.0  # the outlier; otherwise a clean line
grid = np.linspace(0, 1, 400)
models = {
    "nearest neighbour": KNeighborsRegressor(1),
    "deep tree": TreeRegressor(),
    "least squares": LinearRegressor(None),
}
spike, charts = {}, []
for name, model in models.items():
    alone = model.fit(x[:, None], y).predict(grid[:, None])
    bag = BaggingRegressor(model, 200, random_state=0).fit(x[:, None], y).predict(grid[:, None])
    at = np.argmin(np.abs(grid - x[30]))
    spike[name] = (bag[at] - x[30]) / (alone[at] - x[30])  # of the error at the outlier, what the bag keeps
    chart = figure(title=f"{name}: {spike[name]:.0%} remains", width=400, height=360)
    chart.scatter(x, y, color="#8a8f98", size=5)
    chart.line(grid, alone, color="#c2620a", line_width=2, legend_label="one model")
    chart.line(grid, bag, color="#2f6fbb", line_width=3, legend_label="200 models")
    chart.legend.location = "top_left"
    charts.append(chart)
print({name: round(float(value), 2) for name, value in spike.items()})

assert 0.55 < spike["nearest neighbour"] < 0.72
assert 0.55 < spike["deep tree"] < 0.72
assert 0.85 < spike["least squares"] < 1.15
show(row(*charts))
