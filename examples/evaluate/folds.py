"""
Five folds
==========

Cross-validation deals the rows into five folds, with the classes in equal shares. Five models are fitted, each on four
folds, and each is judged on the fold that it did not see. Every row is held out once, so all rows judge, and none
judges a model that learned from it.

Ten rows are set aside before that: they are the test set, and no model sees them until the very end.
"""

import numpy as np
from bokeh.models import FixedTicker
from bokeh.plotting import figure, show

from tamis.split import folds

N_ROWS, N_LOCKED, N_FOLDS = 60, 10, 5
rng = np.random.default_rng(0)
y = rng.integers(0, 2, N_ROWS - N_LOCKED)
splits = folds(N_FOLDS, y)

held_out = np.concatenate([test for _, test in splits])
assert sorted(held_out) == list(range(len(y)))
for train, test in splits:
    assert not set(train) & set(test)
    assert len(train) + len(test) == len(y)
print(f"{len(y)} rows, {N_FOLDS} models, every row held out once")

TRAINING, HELD_OUT, LOCKED = "#9fc0e6", "#d0700f", "#c9cdd3"
bars = {"y": [], "left": [], "right": [], "color": []}
for model, (_, test) in enumerate(splits):
    for row in range(N_ROWS):
        bars["y"].append(N_FOLDS - model)
        bars["left"].append(row + 0.08)
        bars["right"].append(row + 0.92)
        bars["color"].append(LOCKED if row >= len(y) else HELD_OUT if row in test else TRAINING)

chart = figure(
    title="Blue: training rows; orange: held-out rows; grey: the test set",
    x_axis_label="row",
    width=740,
    height=300,
    x_range=(0, N_ROWS),
    y_range=(0.4, N_FOLDS + 0.6),
)
chart.hbar(source=bars, y="y", left="left", right="right", height=0.7, color="color", line_color=None)
chart.yaxis.ticker = FixedTicker(ticks=list(range(1, N_FOLDS + 1)))
chart.yaxis.major_label_overrides = {N_FOLDS - model: f"model {model + 1}" for model in range(N_FOLDS)}
chart.grid.visible = False
show(chart)
