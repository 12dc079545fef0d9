"""
Penalised is constrained
========================

Ridge can be asked for in two ways: least squares plus λ times the squared length of the coefficients, or least
squares among coefficients no longer than c. They are the same models: to every λ belongs the length its solution
has, and asking for that length gives the solution back. The curve is that correspondence on the diabetes table; its
end, at λ = 0, is the length of the least-squares solution, beyond which the bound does not bind.
"""

import numpy as np
from bokeh.plotting import figure, show
from sklearn.datasets import load_diabetes

from tamis import LinearRegressor

X, y = load_diabetes(return_X_y=True)
strengths = np.logspace(-4, 2, 25)
lengths, difference = [], 0.0
for alpha in strengths:
    penalised = LinearRegressor("ridge", alpha=alpha).fit(X, y)
    constrained = LinearRegressor("ridge", norm_bound=penalised.norm_bound_).fit(X, y)
    lengths.append(penalised.norm_bound_)
    difference = max(difference, np.abs(constrained.predict(X) - penalised.predict(X)).max())
free = LinearRegressor("ridge", norm_bound=1e6).fit(X, y)
least_squares = LinearRegressor(None).fit(X, y)
print(f"largest difference of predictions {difference:.1e}; longest coefficients {free.norm_bound_:.1f}")

assert difference < 1e-3
assert np.allclose(free.predict(X), least_squares.predict(X), atol=1e-3)
assert np.all(np.diff(lengths) < 0)

chart = figure(
    title="To every strength its length, to every length its strength",
    x_axis_label="λ, the price of length",
    y_axis_label="c, the length of the coefficients",
    x_axis_type="log",
    width=720,
    height=420,
)
chart.line(strengths, lengths, color="#2f6fbb", line_width=3, legend_label="penalised with λ = constrained to c")
chart.scatter(strengths, lengths, color="#2f6fbb", size=7)
chart.line(
    strengths[[0, -1]],
    [free.norm_bound_] * 2,
    color="#c2620a",
    line_dash="dashed",
    line_width=2,
    legend_label="least squares",
)
chart.legend.location = "bottom_left"
show(chart)
