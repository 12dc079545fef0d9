"""
Tree, bag and forest: where the error comes from
================================================

A deep tree has little bias and much variance. Averaging trees of bootstrap samples (a bag) takes most of the variance
away and leaves the bias; a forest, which tries few columns at each split, lowers the correlation of its trees and the
variance further. Friedman's first function, 150 rows, noise of variance 1 that nobody can predict.
"""

import numpy as np
from bokeh.plotting import show
from sklearn.datasets import make_friedman1

from tamis import ForestRegressor, TreeRegressor
from tamis.evaluate import bias_variance, bias_variance_figure

X, truth = make_friedman1(200, noise=0.0, random_state=0)
y = truth + np.random.default_rng(0).normal(size=200)


def draw(rng):
    new, exact = make_friedman1(150, noise=0.0, random_state=int(rng.integers(2**31)))
    return new, exact + rng.normal(size=150)


models = {
    "tree": TreeRegressor(),
    "bag": ForestRegressor(60, max_features=None, oob_score=False, random_state=0),
    "forest": ForestRegressor(60, max_features=3, oob_score=False, random_state=0),
}
parts = {
    name: bias_variance(model, X, y, draw=draw, truth=truth, noise=1.0, n_resamples=25)
    for name, model in models.items()
}
for name, part in parts.items():
    print(f"{name}: bias {part.bias:.2f}, variance {part.variance:.2f}, loss {part.loss:.2f}")

assert parts["bag"].variance < 0.4 * parts["tree"].variance
assert parts["forest"].variance < parts["bag"].variance
assert abs(parts["bag"].bias - parts["tree"].bias) < 0.5 * parts["tree"].variance
show(bias_variance_figure(parts, label="model"))
