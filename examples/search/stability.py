"""
Stable choices: bootstrap, union and frequency
==============================================

Sixty rows, forty columns, five of them true. The lasso is fitted on a hundred bootstrap samples. On any one of them
it takes true columns and some false ones, another set each time. The union of all sets holds nearly every column.
How *often* a column is taken tells them apart: true ones are taken almost always.

Complementary halves instead of bootstrap samples add a bound on how many columns are there by chance (Shah and
Samworth).
"""

import numpy as np
from bokeh.models import Span
from bokeh.plotting import figure, show

from tamis import LinearRegressor, StabilitySelector

rng = np.random.default_rng(4)
X = rng.normal(size=(60, 40))
y = X[:, :5] @ [1.5, -1.5, 1.2, -1.2, 1.0] + rng.normal(size=60)

lasso = LinearRegressor(alpha=0.25)
often = StabilitySelector(lasso, resample="bootstrap", threshold=0.8).fit(X, y)
union = StabilitySelector(lasso, resample="bootstrap", combine="union").fit(X, y)
halves = StabilitySelector(lasso, expected_false=1).fit(X, y)
sizes = often.selections_.sum(axis=1)
print(f"sets of {sizes.min()} to {sizes.max()}, their union {len(union.selected_)}; often enough: {often.selected_}")
print(
    f"stability {often.stability_:.2f}; halves keep {halves.selected_}, at most {halves.expected_false_:.2f} by chance"
)

assert often.selected_ == [0, 1, 2, 3, 4]
assert len(union.selected_) > 20
assert set(halves.selected_) <= {0, 1, 2, 3, 4}

chart = figure(
    title="How often 100 bootstrap samples choose each column",
    x_axis_label="column",
    y_axis_label="frequency",
    y_range=(0, 1.04),
    width=760,
    height=400,
)
colours = ["#2f6fbb" if j < 5 else "#b8bec6" for j in range(40)]
chart.vbar(x=np.arange(40), top=often.frequency_, width=0.8, color=colours)
chart.vbar(x=[0], top=[0], width=0, color="#2f6fbb", legend_label="true columns")
chart.vbar(x=[0], top=[0], width=0, color="#b8bec6", legend_label="noise")
chart.add_layout(Span(location=0.8, dimension="width", line_dash="dashed", line_color="#c2620a", line_width=2))
show(chart)
