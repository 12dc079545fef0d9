"""
Columns chosen before cross-validation
======================================

Forty rows of pure noise with up to three thousand columns. Choose the ten columns that look best, then
cross-validate a model on them: the more columns there are to choose from, the better the noise looks, up to nearly
no error. The held-out rows had their say when the columns were chosen. Put the choice inside the folds, and the
score is that of a coin.

`tamis.audit` finds the mistake without knowing how it was made: it runs the whole procedure on shuffled
targets.
"""

import numpy as np
from bokeh.models import Span
from bokeh.plotting import figure, show
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline

import tamis
from tamis import RankSelector

rng = np.random.default_rng(0)
X, y = rng.normal(size=(40, 3_000)), rng.permutation(np.arange(40) % 2)


def chosen_before(X, y):
    """What too many papers do: choose on all rows, then cross-validate."""
    best = RankSelector("anova", k=10).fit(X, y).get_support()
    return tamis.nested_score(GaussianNB(), X[:, best], y, repeats=3).mean


columns = [10, 30, 100, 300, 1_000, 3_000]
before = [chosen_before(X[:, :d], y) for d in columns]
inside = [
    tamis.nested_score(make_pipeline(RankSelector("anova", k=10), GaussianNB()), X[:, :d], y, repeats=3).mean
    for d in columns
]
print(f"3,000 columns of noise: {before[-1]:.2f} when chosen before the folds, {inside[-1]:.2f} inside")
verdict = tamis.audit(chosen_before, X[:, :300], y, scoring="accuracy", n_permutations=20)
print(verdict)

assert before[-1] > 0.9
assert inside[-1] < 0.65
assert verdict.leaks

chart = figure(
    title="The best 10 columns of noise, 40 rows",
    x_axis_label="columns to choose from",
    y_axis_label="accuracy in cross-validation",
    x_axis_type="log",
    y_range=(0.3, 1.04),
    width=720,
    height=420,
)
for name, values, colour in (("chosen before the folds", before, "#c2620a"), ("chosen inside them", inside, "#2f6fbb")):
    chart.line(columns, values, color=colour, line_width=3, legend_label=name)
    chart.scatter(columns, values, color=colour, size=9)
chart.add_layout(Span(location=0.5, dimension="width", line_dash="dashed", line_color="#8a8f98", line_width=2))
chart.legend.location = "top_left"
show(chart)
