"""
A tree beside its partition
===========================

A tree of depth 2 on two columns cuts the plane into rectangles, one for every leaf: each split is a line parallel to an
axis, inside the rectangle of its node. Petal length and width of two kinds of iris.
"""

import numpy as np
from bokeh.layouts import row
from bokeh.models import Div
from bokeh.plotting import show
from sklearn.datasets import load_iris

from tamis import TreeClassifier
from tamis.report import boundary

iris = load_iris(as_frame=True)
rows = iris.target > 0
X = iris.data.loc[rows, ["petal length (cm)", "petal width (cm)"]]
y = iris.target_names[iris.target[rows]]
tree = TreeClassifier(max_depth=2).fit(X, y)
leaves = tree.apply(X)
print(tree.to_text())

assert tree.get_n_leaves() == 4
assert (tree.predict(X) == y).mean() >= 0.94
for leaf in np.unique(leaves):  # rows of a leaf fill a rectangle without rows of another
    inside = X[leaves == leaf]
    low, high = inside.min(), inside.max()
    assert (leaves[((low <= X) & (high >= X)).all(axis=1)] == leaf).all()
picture = Div(text=tree.to_svg(), width=480)
show(row(picture, boundary(tree, X, y, title="its partition of the plane")))
