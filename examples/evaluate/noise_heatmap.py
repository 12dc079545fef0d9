"""
Two clusters out of noise
=========================

20 rows, two classes at random, 10,000 columns of noise. A heat map of ten columns picked at random shows nothing. A
heat map of the ten columns that differ most between the classes shows two clean clusters: the choice is what is seen.
Cross-validation with the choice inside every fold finds no better than a coin.
"""

import numpy as np
from bokeh.layouts import row
from bokeh.plotting import show
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline

import tamis
from tamis import RankSelector
from tamis.report import heatmap

rng = np.random.default_rng(0)
X, y = rng.normal(size=(20, 10_000)), np.repeat([0, 1], 10)
best = RankSelector("anova", k=10).fit(X, y).get_support(indices=True)
drawn = {"10 columns at random": rng.choice(10_000, 10, replace=False), "the 10 best of 10,000": best}


def purity(columns):
    """Share of rows whose cluster of two is the majority of its class."""
    clusters = tamis.project.map(X[:, columns], "hierarchical", n_clusters=2).clusters
    same = (clusters == y).mean()
    return max(same, 1 - same)


agreement = {name: purity(columns) for name, columns in drawn.items()}
honest = tamis.nested_score(make_pipeline(RankSelector("anova", k=10), GaussianNB()), X, y, outer=5).mean
print({name: round(float(value), 2) for name, value in agreement.items()}, "nested accuracy", round(honest, 2))

assert agreement["the 10 best of 10,000"] > 0.95
assert agreement["10 columns at random"] < 0.85
assert honest < 0.8
show(row(*[heatmap(X[:, columns], y, title=name, width=420) for name, columns in drawn.items()]))
