"""
Projection pursuit: a view that separates
=========================================

The three wines differ in thirteen measurements. The two directions of largest variance show them overlapping; the
two directions that separate the wines most, learned from the labels, pull them apart. Because such views are
learned from labels, they are judged here on rows that had no part in learning them.
"""

from bokeh.layouts import row
from bokeh.plotting import show
from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

from tamis import PCA
from tamis.project import ProjectionPursuit, scores_figure

data = load_wine(as_frame=True)
X, y = data.data, data.target.map({0: "Barolo", 1: "Grignolino", 2: "Barbera"}).to_numpy()
train, test, y_train, y_test = train_test_split(X, y, test_size=0.5, random_state=0, stratify=y)
views = {"PCA": PCA(2).fit(train), "projection pursuit": ProjectionPursuit(2).fit(train, y_train)}
charts, right = [], {}
for name, view in views.items():
    near = make_pipeline(view, KNeighborsClassifier(5)).fit(train, y_train)
    right[name] = near.score(test, y_test)
    chart = scores_figure(view, test, y_test, width=470, height=420)
    chart.title.text = f"{name}: 5-NN {right[name]:.2f} on held-out wines"
    charts.append(chart)
print({name: round(value, 3) for name, value in right.items()})

assert right["PCA"] < 0.8
assert right["projection pursuit"] > 0.95
show(row(*charts))
