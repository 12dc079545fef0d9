"""
No free lunch: eight models on eight tables
===========================================

Each model assumes something: straight lines, boxes, neighbours, independent columns. Where the assumption holds it
is hard to beat, elsewhere it loses. Every row of the picture is a table, every column a model; the number is the
accuracy in five folds, the best of a row is framed. No model wins everywhere, and no model is worst everywhere. So
compare, and judge the comparison on rows it has not seen.
"""

import numpy as np
from bokeh.models import LinearColorMapper
from bokeh.plotting import figure, show
from sklearn.datasets import load_breast_cancer, load_iris, load_wine, make_circles, make_moons
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

import tamis
from tamis import ForestClassifier, LinearClassifier, TreeClassifier
from tamis.transform import Standardize

rng = np.random.default_rng(0)
noise = rng.normal(size=(300, 40))
line = rng.normal(size=(200, 12))
grid = rng.uniform(-1, 1, (300, 2))
tables = {
    "iris": load_iris(return_X_y=True),
    "wine": load_wine(return_X_y=True),
    "breast cancer": load_breast_cancer(return_X_y=True),
    "circles": make_circles(300, noise=0.15, factor=0.5, random_state=0),
    "moons": make_moons(300, noise=0.25, random_state=0),
    "a line in 12 columns": (line, (line.sum(axis=1) + rng.normal(size=200) > 0).astype(int)),
    "XOR": (grid, ((grid[:, 0] > 0) ^ (grid[:, 1] > 0)).astype(int)),
    "one column of 40": (noise, (noise[:, 7] + 0.5 * rng.normal(size=300) > 0.3).astype(int)),
}
models = {
    "stump": TreeClassifier(max_depth=1),
    "tree": TreeClassifier(prune="cv", cv=5),
    "forest": ForestClassifier(50),
    "lasso": LinearClassifier(cv=5),
    "logistic": LinearClassifier("ridge", alpha=0.01),
    "naive Bayes": GaussianNB(),
    "1-NN": make_pipeline(Standardize(), KNeighborsClassifier(1)),
    "15-NN": make_pipeline(Standardize(), KNeighborsClassifier(15)),
}
accuracy = np.array([[tamis.nested_score(model, X, y).mean for model in models.values()] for X, y in tables.values()])
winners = {name: int(np.argmax(row)) for name, row in zip(tables, accuracy)}
print("best:", ", ".join(f"{table}: {list(models)[k]}" for table, k in winners.items()))

assert len(set(winners.values())) == 4  # four different models win on eight tables
assert (accuracy < accuracy.max(axis=1, keepdims=True) - 0.03).any(axis=0).all()  # each loses somewhere

places = [(m, t) for t in tables for m in models]
values = accuracy.ravel()
source = {
    "model": [m for m, _ in places],
    "table": [t for _, t in places],
    "value": values,
    "text": [f"{v:.2f}" for v in values],
    "edge": ["#1d2430" if winners[t] == list(models).index(m) else "white" for m, t in places],
}
chart = figure(
    x_range=list(models),
    y_range=list(tables)[::-1],
    title="Accuracy in five folds",
    width=780,
    height=440,
    x_axis_location="above",
)
colour = LinearColorMapper(palette="Blues256", low=1.3, high=0.4)
chart.rect(
    "model",
    "table",
    0.94,
    0.9,
    source=source,
    color={"field": "value", "transform": colour},
    line_color="edge",
    line_width=3,
)
chart.text(
    "model",
    "table",
    "text",
    source=source,
    text_align="center",
    text_baseline="middle",
    text_font_size="15px",
    text_color="#1d2430",
)
chart.grid.visible = False
show(chart)
