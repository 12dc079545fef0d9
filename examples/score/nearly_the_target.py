"""
A column that is nearly the target, beside its cause
====================================================

y = x₁², and x₂ = y + U(−0.01, 0.01). By correlation x₁, from which y follows exactly, is worth nothing and x₂ almost
everything. A score that sees curves finds both. A model that can bend gets y from x₁ without error; a line on x₂
keeps the error of its noise.
"""

import numpy as np
from bokeh.layouts import row
from bokeh.plotting import figure, show

from tamis import LinearRegressor, score
from tamis.transform import Monomials

rng = np.random.default_rng(0)
x1 = rng.uniform(-1, 1, 1000)
y = x1**2
X = np.column_stack([x1, y + rng.uniform(-0.01, 0.01, 1000)])
squared, information = score.pearson(X, y), score.mutual_information(X, y)
line = LinearRegressor(None).fit(X[:, 1:], y)
bent = Monomials(2).fit(X[:, :1])
curve = LinearRegressor(None).fit(bent.transform(X[:, :1]), y)
errors = [
    np.sqrt(np.mean((model.predict(Z) - y) ** 2)) for model, Z in ((line, X[:, 1:]), (curve, bent.transform(X[:, :1])))
]
print("r²", squared.round(3), "nats", information.round(2), "errors", errors)

assert squared[0] < 0.02 < 0.99 < squared[1]
assert information[0] > 1.0
assert abs(errors[0] - 0.01 / np.sqrt(3)) < 5e-4  # standard deviation of the noise
assert errors[1] < 1e-10
charts = []
for place, name in enumerate(("x1", "x2")):
    chart = figure(title=f"{name}: r² {squared[place]:.2f}, {information[place]:.1f} nats", width=380, height=340)
    chart.scatter(X[:, place], y, size=3, color="#2f6fbb")
    charts.append(chart)
show(row(*charts))
