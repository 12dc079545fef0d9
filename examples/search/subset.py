"""
Forward misses what backward keeps
==================================

The target is the sum of two columns. A third column, the sum with noise, is the best single one, so forward search
takes it first and never lets it go; backward search starts from everything and drops what the others replace.
Floating search adds like forward and takes back what has become useless.
"""

import numpy as np
from bokeh.models import ColumnDataSource, Whisker
from bokeh.plotting import figure, show

from tamis import LinearRegressor, SubsetSelector

rng = np.random.default_rng(0)
first, second = rng.normal(size=(2, 200))
third = first + second + 0.6 * rng.normal(size=200)
X = np.column_stack([first, second, third, rng.normal(size=(200, 4))])
y = first + second + 0.3 * rng.normal(size=200)

chart = figure(
    title="R² in five folds against the number of columns",
    x_axis_label="columns",
    y_axis_label="R²",
    width=720,
    height=420,
)
pairs = {}
for search, colour, shift in (
    ("forward", "#c2620a", -0.04),
    ("backward", "#3d8b5f", 0.0),
    ("floating", "#2f6fbb", 0.04),
):
    found = SubsetSelector(LinearRegressor(None), search=search, k=(1, 6)).fit(X, y)
    pairs[search] = tuple(found.history_.best_columns(2))
    curve = found.history_.curve()
    data = {"size": curve["size"] + shift, "score": curve["score"]}
    data |= {"low": curve["score"] - curve["error"], "high": curve["score"] + curve["error"]}
    source = ColumnDataSource(data)
    chart.line("size", "score", source=source, color=colour, legend_label=search, line_width=3)
    chart.scatter("size", "score", source=source, color=colour, size=9)
    chart.add_layout(Whisker(source=source, base="size", lower="low", upper="high", line_color=colour))
    print(f"{search:9} best pair {pairs[search]}, R² {found.history_.best[2].score:.3f}")

assert 2 in pairs["forward"]
assert set(pairs["backward"]) == set(pairs["floating"]) == {0, 1}
chart.legend.location = "bottom_right"
show(chart)
