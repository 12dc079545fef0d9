"""
The best subset, proved
=======================

Thirty columns have a billion subsets. `LinearRegressor("subset")` finds the best of every size by branch and bound,
and proves it: bounds rule out whole families of subsets unseen. Forward search looks at a few hundred and gets some
sizes wrong. Drawn is the training error of the best subset of each size: how much error each further column saves.
Folds choose the size.
"""

import numpy as np
from bokeh.plotting import figure, show

from tamis import LinearRegressor, SubsetSelector

rng = np.random.default_rng(6)
hidden = rng.normal(size=(100, 8))
X = hidden @ rng.normal(size=(8, 30)) + 0.7 * rng.normal(size=(100, 30))  # columns that hang together
y = X[:, [2, 9, 17, 25]] @ [1.0, -1.0, 1.0, -1.0] + rng.normal(size=100)

sizes = np.arange(1, 11)
best = [LinearRegressor("subset", k=int(k)).fit(X, y) for k in sizes]
forward = SubsetSelector(LinearRegressor(None), search="forward", k=(1, 10), cv="train").fit(X, y)
error = np.array([np.mean((y - model.predict(X)) ** 2) for model in best])
greedy = np.array([(1 - forward.history_.best[int(k)].score) * y.var() for k in sizes])
chosen = LinearRegressor("subset", k="cv").fit(X, y)
print(f"four columns: best {best[3].selected_columns_}, forward {forward.history_.best_columns(4)}")
print(f"folds choose {chosen.selected_columns_}")

assert all(model.optimal_ for model in best)
assert best[3].selected_columns_ == ("x2", "x9", "x17", "x25")
assert np.all(error <= greedy + 1e-9)
assert greedy[3] > 1.05 * error[3]

chart = figure(
    title="Best of all subsets, and what forward search finds",
    x_axis_label="columns",
    y_axis_label="mean squared error of the training rows",
    width=720,
    height=420,
)
for name, values, colour in (("forward search", greedy, "#c2620a"), ("branch and bound, proved", error, "#2f6fbb")):
    chart.line(sizes, values, color=colour, line_width=3, legend_label=name)
    chart.scatter(sizes, values, color=colour, size=8)
show(chart)
