"""
A confusion matrix at two thresholds
====================================

One person in ten is ill. A model gives each person a probability, judged on held-out rows; a threshold makes it a
prediction. At 0.5 the model is right more often, and misses most of the ill. At 0.1 it finds most of them and sends
more healthy people to a second examination. Which is better depends on what a missed case costs, not on accuracy.

Rows are the truth, columns the prediction: sensitivity is the share of the lower line that stands on the right.
"""

import numpy as np
from bokeh.models import ColumnDataSource, FixedTicker, LabelSet
from bokeh.plotting import figure, show
from sklearn.model_selection import cross_val_predict

from tamis import LinearClassifier

rng = np.random.default_rng(4)
X = rng.normal(size=(2_000, 3))
log_odds = X @ [2.0, 1.5, 0.0] - 4.0
y = (log_odds + rng.logistic(size=2_000) > 0).astype(int)
shares = cross_val_predict(LinearClassifier("ridge"), X, y, cv=5, method="predict_proba")[:, 1]

matrices = {}
for threshold in (0.5, 0.1):
    predicted = (shares >= threshold).astype(int)
    matrix = np.array([[np.sum((y == truth) & (predicted == answer)) for answer in (0, 1)] for truth in (0, 1)])
    sensitivity, specificity = matrix[1, 1] / matrix[1].sum(), matrix[0, 0] / matrix[0].sum()
    accuracy = np.trace(matrix) / matrix.sum()
    print(
        f"threshold {threshold}: accuracy {accuracy:.2f}, sensitivity {sensitivity:.2f}, specificity {specificity:.2f}"
    )
    matrices[threshold] = matrix, accuracy, sensitivity

assert matrices[0.5][1] > matrices[0.1][1]
assert matrices[0.5][2] < 0.5 < 0.7 < matrices[0.1][2]

cells = {"y": [], "left": [], "right": [], "color": [], "x": [], "text": []}
names = {}
for panel, (threshold, (matrix, _, _)) in enumerate(matrices.items()):
    for truth in (0, 1):
        for answer in (0, 1):
            at = 1 + 3 * panel + answer
            cells["y"].append(1 - truth)
            cells["left"].append(at - 0.5)
            cells["right"].append(at + 0.5)
            cells["x"].append(at)
            cells["color"].append("#9fc0e6" if truth == answer else "#efc3b5")
            cells["text"].append(f"{matrix[truth, answer]:,}")
            names[at] = f"{'ill' if answer else 'healthy'} ({threshold})"

chart = figure(
    title="Held-out rows; blue is right, red is wrong",
    x_axis_label="prediction, at a threshold of 0.5 and of 0.1",
    y_axis_label="truth",
    width=740,
    height=320,
    x_range=(0.4, 5.6),
    y_range=(-0.6, 1.6),
)
source = ColumnDataSource(cells)
chart.hbar(source=source, y="y", left="left", right="right", height=0.98, color="color", line_color="white")
chart.add_layout(
    LabelSet(source=source, x="x", y="y", text="text", text_align="center", y_offset=-8, text_font_size="20px")
)
chart.xaxis.ticker = FixedTicker(ticks=list(names))
chart.xaxis.major_label_overrides = names
chart.yaxis.ticker = FixedTicker(ticks=[0, 1])
chart.yaxis.major_label_overrides = {0: "ill", 1: "healthy"}
chart.grid.visible = False
show(chart)
