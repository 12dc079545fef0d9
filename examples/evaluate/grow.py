"""
Raise the size until the training error has converged
=====================================================

The textbook's wrapper: cross-validate size 1, 2, 3, …; stop when the training score no longer moves, and take the size
of least validation error. Here the size is the depth of a tree on Fisher's iris.
"""

from bokeh.plotting import show
from sklearn.datasets import load_iris

from tamis import TreeClassifier
from tamis.evaluate import grow

X, y = load_iris(return_X_y=True)
grown = grow(lambda depth: TreeClassifier(max_depth=depth), X, y)
train, validation = (scores.mean(axis=1) for scores in (grown.curve.train, grown.curve.validation))
print(f"depth {grown.size} of {len(train)} tried: validation accuracy {validation[grown.size - 1]:.3f}")

assert grown.converged
assert 2 <= grown.size <= 5
assert validation[grown.size - 1] == validation.max() > 0.93
assert train[-1] > 0.99
show(grown.curve.figure())
