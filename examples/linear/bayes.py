"""
How sure is the strength? Bayes' answer
=======================================

With `alpha="bayes"` the strength of the penalty is not one number but a distribution, sampled together with the
coefficients. Every coefficient comes with a 95 % credible interval; columns whose interval leaves out 0 are called
selected. Cross-validation gives one strength; here it lies inside the range that the data leave possible.
"""

import numpy as np
from bokeh.layouts import row
from bokeh.models import Span
from bokeh.plotting import figure, show
from sklearn.datasets import load_diabetes

from tamis import LinearRegressor

X, y = load_diabetes(return_X_y=True, as_frame=True)
bayes = LinearRegressor("ridge", alpha="bayes").fit(X, y)
folds = LinearRegressor("ridge", rule="min").fit(X, y)
low, high = bayes.alpha_interval_
print(f"strength between {low:.4f} and {high:.4f}; ten folds choose {folds.alpha_:.4f}")
print("intervals that leave out 0:", ", ".join(bayes.selected_columns_))

assert low < folds.alpha_ < high
assert {"bmi", "bp", "s5"} <= set(bayes.selected_columns_)

counts, edges = np.histogram(np.log10(bayes.alpha_draws_), 40)
left = figure(title="What the rows say about λ", x_axis_label="log₁₀ λ", y_axis_label="draws", width=460, height=420)
left.quad(top=counts, bottom=0, left=edges[:-1], right=edges[1:], color="#2f6fbb", line_color="white")
left.add_layout(Span(location=np.log10(folds.alpha_), dimension="height", line_color="#c2620a", line_width=3))
left.line([edges[0]], [0], color="#c2620a", line_width=3, legend_label="ten folds")
names = list(X.columns)[::-1]
right = figure(title="Coefficients, 95 % intervals", y_range=names, width=460, height=420)
interval = np.asarray(bayes.coef_interval_).reshape(len(X.columns), 2)[::-1]
colours = ["#2f6fbb" if name in bayes.selected_columns_ else "#8a8f98" for name in names]
right.segment(interval[:, 0], names, interval[:, 1], names, line_width=4, color=colours)
right.scatter(bayes.coef_[::-1], names, size=9, color=colours)
right.add_layout(Span(location=0, dimension="height", line_color="#b8bec6"))
show(row(left, right))
