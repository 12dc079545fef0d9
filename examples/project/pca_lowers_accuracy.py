"""
Principal components that lower accuracy
========================================

Variance is not information about a target. Handwritten digits: a linear classifier on all 64 pixels reads more than 90%
of held-out digits; on the two components of largest variance it reads about half, on ten it still loses. And where a
column of small variance holds the class, the first component loses everything.
"""

import numpy as np
from bokeh.plotting import figure, show
from sklearn.datasets import load_digits
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

from tamis import PCA

X, y = load_digits(return_X_y=True)
X = X[:, X.std(axis=0) > 0]
model = LinearDiscriminantAnalysis()
sizes = [2, 5, 10, 20, 40]
accuracy = [cross_val_score(make_pipeline(PCA(k), model), X, y, cv=5).mean() for k in sizes]
everything = cross_val_score(model, X, y, cv=5).mean()

rng = np.random.default_rng(0)
label = rng.integers(0, 2, 300)
wide = np.column_stack([10 * rng.normal(size=300), label + 0.2 * rng.normal(size=300)])
alone = [cross_val_score(step, wide, label, cv=5).mean() for step in (make_pipeline(PCA(1), model), model)]
print(dict(zip(sizes, np.round(accuracy, 3))), "all pixels", round(everything, 3), "small variance", np.round(alone, 2))

assert everything > 0.9
assert accuracy[0] < 0.65 < accuracy[2] < everything
assert abs(accuracy[-1] - everything) < 0.02
assert alone[0] < 0.6 < 0.95 < alone[1]
chart = figure(title="Accuracy by number of components", x_axis_label="components", y_axis_label="held-out accuracy")
chart.line(sizes, accuracy, color="#2f6fbb", line_width=3)
chart.scatter(sizes, accuracy, color="#2f6fbb", size=7)
chart.line([2, sizes[-1]], [everything] * 2, color="#8a8f98", line_dash="dashed", legend_label="all pixels")
chart.legend.location = "bottom_right"
show(chart)
