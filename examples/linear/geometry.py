"""
Why the lasso drops columns and ridge does not
==============================================

Two columns. Ellipses are coefficients of equal squared error around the least-squares solution; the filled shape is
the set of coefficients the bound allows: a diamond for the lasso, a disc for ridge. The best allowed point is where
the smallest ellipse touches the shape. A diamond is mostly touched at a corner, where one coefficient is exactly 0;
a disc has no corners.
"""

import numpy as np
from bokeh.layouts import row
from bokeh.plotting import figure, show

from tamis import LinearRegressor

rng = np.random.default_rng(3)
X = rng.multivariate_normal([0, 0], [[1, 0.5], [0.5, 1]], 200)
X = (X - X.mean(axis=0)) / X.std(axis=0)
y = X @ [0.2, 1.0] + 0.5 * rng.normal(size=200)
y -= y.mean()
plain = LinearRegressor(None, standardize=False).fit(X, y).coef_
lasso = LinearRegressor("lasso", alpha=0.5, standardize=False).fit(X, y).coef_
ridge = LinearRegressor("ridge", norm_bound=float(np.abs(lasso).sum()), standardize=False).fit(X, y).coef_
print(f"least squares {plain.round(2)}, lasso {lasso.round(2)}, ridge {ridge.round(2)}")

assert lasso[0] == 0
assert ridge.min() > 0.1
assert np.isclose(np.hypot(*ridge), np.abs(lasso).sum(), atol=1e-6)

gram, turn = X.T @ X / len(X), np.linspace(0, 2 * np.pi, 400)
circle = np.stack([np.cos(turn), np.sin(turn)])
half = np.linalg.inv(np.linalg.cholesky(gram)).T  # turns a circle into an ellipse of equal error
charts = []
for name, found, p in (("lasso", lasso, 1), ("ridge", ridge, 2)):
    radius = np.linalg.norm(found, p)
    shape = radius * circle / np.linalg.norm(circle, p, axis=0)
    chart = figure(title=f"{name}: ({found[0]:.2f}, {found[1]:.2f})", width=470, height=470, match_aspect=True)
    chart.patch(*shape, color="#2f6fbb", alpha=0.3)
    touching = np.sqrt((found - plain) @ gram @ (found - plain))
    for size in (0.35, 0.7, 1.0, 1.3):
        ellipse = plain[:, None] + size * touching * half @ circle
        chart.line(*ellipse, color="#c2620a", line_width=3 if size == 1 else 1.5, alpha=1 if size == 1 else 0.5)
    chart.scatter([plain[0]], [plain[1]], marker="x", size=12, line_width=3, color="#c2620a")
    chart.scatter([found[0]], [found[1]], size=12, color="#1d2430")
    chart.xaxis.axis_label, chart.yaxis.axis_label = "first coefficient", "second coefficient"
    chart.line([0, 0], [-1, 1.6], color="#b8bec6")
    chart.line([-1, 1.6], [0, 0], color="#b8bec6")
    charts.append(chart)
show(row(*charts))
