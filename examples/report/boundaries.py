"""
Four classifiers, four boundaries
=================================

Two classes that overlap, 200 rows. One neighbour and a deep tree get every row right, and draw islands around
single rows: they have learned the noise. Fifty neighbours and logistic regression make mistakes on the rows they
learned from, and draw boundaries that new rows agree with.

Watch the two accuracies in each title: the first falls from the top row to the bottom row, the second rises.
"""

import numpy as np
from bokeh.layouts import gridplot
from bokeh.plotting import show
from sklearn.neighbors import KNeighborsClassifier

from tamis import LinearClassifier, TreeClassifier
from tamis.report import boundary

rng = np.random.default_rng(5)


def draw(n):
    """Two clouds whose means lie one and a half standard deviations apart in each direction."""
    y = rng.integers(0, 2, n)
    X = rng.normal(size=(n, 2)) + np.where(y == 1, 0.75, -0.75)[:, None]
    return X, np.where(y == 1, "ill", "well")


X, y = draw(200)
fresh, truth = draw(20_000)
models = {
    "1 nearest neighbour": KNeighborsClassifier(1),
    "deep tree": TreeClassifier(),
    "50 nearest neighbours": KNeighborsClassifier(50),
    "logistic regression": LinearClassifier(None),
}
pictures, new = [], {}
for name, model in models.items():
    model.fit(X, y)
    new[name] = model.score(fresh, truth)
    title = f"{name}: {model.score(X, y):.2f}, new rows {new[name]:.2f}"
    pictures.append(boundary(model, X, y, title=title, width=560, height=380))

assert models["1 nearest neighbour"].score(X, y) == models["deep tree"].score(X, y) == 1
assert (
    min(new["50 nearest neighbours"], new["logistic regression"])
    > max(new["1 nearest neighbour"], new["deep tree"]) + 0.03
)
show(gridplot([pictures[:2], pictures[2:]], toolbar_location=None))
