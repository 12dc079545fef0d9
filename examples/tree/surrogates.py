"""
Surrogates at work
==================

New rows come with holes. A tree that kept surrogates asks, instead of the missing column, the one that agreed with
it best while it learned, and then the next; a tree without them sends the row to the larger side. With a third of
all values missing, surrogates still get the larger part of what the columns tell, for the columns of a tumour say
much the same in several ways.
"""

import numpy as np
from bokeh.plotting import figure, show
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from tamis import TreeClassifier

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
train, test, y_train, y_test = train_test_split(X, y, test_size=0.5, random_state=0)
trees = {
    "surrogates": TreeClassifier(prune="cv").fit(train, y_train),
    "to the larger side": TreeClassifier(prune="cv", missing="majority").fit(train, y_train),
}
shares = [0, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9]
rng = np.random.default_rng(0)
accuracy = {name: [] for name in trees}
for share in shares:
    holes = [rng.random(test.shape) < share for _ in range(10)]
    for name, tree in trees.items():
        accuracy[name].append(np.mean([tree.score(test.mask(hole), y_test) for hole in holes]))
for name, values in accuracy.items():
    print(f"{name:<20}", " ".join(f"{value:.3f}" for value in values))

assert accuracy["surrogates"][0] == accuracy["to the larger side"][0]
assert accuracy["surrogates"][3] > accuracy["to the larger side"][3] + 0.05
assert accuracy["surrogates"][3] > 0.88

chart = figure(
    title="A tree on rows with holes",
    x_axis_label="share of values that are missing",
    y_axis_label="accuracy on rows held out",
    width=720,
    height=420,
)
for (name, values), colour in zip(accuracy.items(), ("#2f6fbb", "#c2620a")):
    chart.line(shares, values, color=colour, line_width=3, legend_label=name)
    chart.scatter(shares, values, color=colour, size=8)
chart.legend.location = "bottom_left"
show(chart)
