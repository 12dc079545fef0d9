"""
Loss against the number of rounds
=================================

Each round of boosting adds a small tree that steps down the loss of the trees before it. On the rows it learns from
the loss falls and falls; on other rows it falls, and then rises again. Large steps are quicker there and back, small
ones come lower.
"""

import numpy as np
from bokeh.plotting import figure, show

from tamis.boosting import BoostingRegressor

rng = np.random.default_rng(0)
X = rng.uniform(-2, 2, size=(1_200, 5))
y = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + rng.normal(size=1_200)
train, test = slice(0, 600), slice(600, None)
rounds = np.arange(1, 201)

chart = figure(
    title="600 rows, judged on 600 others",
    x_axis_label="rounds",
    y_axis_label="mean squared error",
    width=740,
    height=420,
)
errors = {}
for rate, colour in ((0.5, "#c2620a"), (0.1, "#2f6fbb"), (0.03, "#3d8b5f")):
    model = BoostingRegressor(200, learning_rate=rate).fit(X[train], y[train])
    for rows, name, dash in ((test, "other rows", "solid"), (train, "its own rows", "dotted")):
        errors[rate, name] = [np.mean((told - y[rows]) ** 2) for told in model.staged_predict(X[rows])]
        label = f"rate {rate}, {name}"
        chart.line(rounds, errors[rate, name], color=colour, line_width=2, line_dash=dash, legend_label=label)
    best = int(np.argmin(errors[rate, "other rows"]))
    print(f"rate {rate}: {errors[rate, 'other rows'][best]:.3f} after {best + 1} rounds")

large, small = errors[0.5, "other rows"], errors[0.1, "other rows"]
assert np.argmin(large) < np.argmin(small) < np.argmin(errors[0.03, "other rows"])
assert min(small) < min(large)
assert large[-1] > 1.1 * min(large)
assert np.all(np.diff(errors[0.1, "its own rows"]) < 0)
show(chart)
