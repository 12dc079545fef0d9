"""
Bagging and outliers in three cases
===================================

A bootstrap sample misses any one row with probability 0.37. What that is worth to a straight line depends on the row:

1. **High leverage, wrong**: a row far out on the x axis, off the line, bends the line of all rows. More than a third of
the bagged lines never saw it, so their mean is bent less: bagging helps. 2. **Low leverage, wrong**: an outlier in the
middle hardly turns the line, with or without a bag. 3. **High leverage, right**: the far row is what pins the slope
down. Lines that miss it vary more: bagging throws precision away.
"""

import numpy as np
from bokeh.layouts import row
from bokeh.plotting import figure, show

from tamis import LinearRegressor

N, SLOPE, NOISE, BAGS, TABLES = 20, 1.0, 0.4, 100, 60
CASES = {
    "high leverage, wrong": (8.0, -6.0),
    "low leverage, wrong": (0.5, 5.0),
    "high leverage, right": (8.0, 0.0),
}


def fitted(x, y):
    """Intercept and slope of least squares."""
    return np.polyfit(x, y, 1)[::-1]


def bagged(x, y, rng):
    samples = [rng.integers(0, len(x), len(x)) for _ in range(BAGS)]
    return np.mean([fitted(x[rows], y[rows]) for rows in samples], axis=0)


kept, charts = {}, []
for name, (place, error) in CASES.items():
    wrong = {"one line": [], "bag": []}
    for seed in range(TABLES):
        rng = np.random.default_rng(seed)
        x = np.append(rng.uniform(0, 1, N), place)
        y = SLOPE * x + NOISE * rng.normal(size=N + 1) * np.append(np.ones(N), 0.1)
        y[-1] += error
        one, bag = fitted(x, y), bagged(x, y, rng)
        for model, line in (("one line", one), ("bag", bag)):
            wrong[model].append((line[1] - SLOPE) ** 2)
    kept[name] = np.mean(wrong["bag"]) / np.mean(wrong["one line"])
    chart = figure(title=f"{name}: error of the slope, bag over one line, {kept[name]:.2f}", width=400, height=360)
    chart.scatter(x, y, color="#8a8f98", size=6)
    ends = np.array([0.0, max(1.0, place)])
    chart.line(ends, SLOPE * ends, color="#8a8f98", line_dash="dashed", legend_label="truth")
    chart.line(ends, one[0] + one[1] * ends, color="#c2620a", line_width=2, legend_label="one line")
    chart.line(ends, bag[0] + bag[1] * ends, color="#2f6fbb", line_width=3, legend_label="mean of 100 lines")
    chart.legend.location = "bottom_left"
    charts.append(chart)
print({name: round(float(value), 2) for name, value in kept.items()})
assert np.allclose(LinearRegressor(None).fit(x[:, None], y).coef_, one[1])

assert kept["high leverage, wrong"] < 0.8
assert 0.8 < kept["low leverage, wrong"] < 1.25
assert kept["high leverage, right"] > 1.25
show(row(*charts))
