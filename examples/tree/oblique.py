"""
Oblique splits: one slanted question instead of a staircase
===========================================================

The classes lie on two sides of a slanted line. A tree that asks about one column at a time builds a staircase along
it; a tree that may ask for a combination of columns draws the line itself, with a third of the leaves, and is right
more often. Watch the titles.
"""

import numpy as np
from bokeh.layouts import row
from bokeh.plotting import show

from tamis import TreeClassifier
from tamis.report import boundary

rng = np.random.default_rng(0)
X = rng.uniform(-1, 1, (300, 2))
y = np.where(X[:, 0] + 0.6 * X[:, 1] + 0.1 * rng.normal(size=300) > 0, "above", "below")
fresh = rng.uniform(-1, 1, (20_000, 2))
truth = np.where(fresh[:, 0] + 0.6 * fresh[:, 1] > 0, "above", "below")

axis = TreeClassifier(prune="cv", rule="min").fit(X, y)
oblique = TreeClassifier(prune="cv", splits="oblique").fit(X, y)
charts = []
for name, tree in (("one column a question", axis), ("slanted questions", oblique)):
    new = tree.score(fresh, truth)
    title = f"{name}: {tree.get_n_leaves()} leaves, new rows {new:.2f}"
    print(title)
    charts.append(boundary(tree, X, y, title=title, width=480, height=420))

assert oblique.get_n_leaves() <= 6
assert axis.get_n_leaves() >= 15
assert oblique.score(fresh, truth) > axis.score(fresh, truth) + 0.02
show(row(*charts))
