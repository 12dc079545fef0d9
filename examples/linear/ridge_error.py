"""
Ridge error against λ: train, test and the gap between them
===========================================================

Seventy rows and sixty columns. With hardly any penalty the model fits its own rows almost perfectly and new ones
badly: a gap of variance. With too much it fits neither: bias. As λ grows the training error can only rise and the
gap only closes; the error on new rows, their sum, has a minimum between. The strength that cross-validation
chooses, without the new rows, is marked.
"""

import numpy as np
from bokeh.models import Span
from bokeh.plotting import figure, show

from tamis import LinearRegressor

rng = np.random.default_rng(1)
w = rng.normal(size=60) * 0.5


def draw(n):
    X = rng.normal(size=(n, 60))
    return X, X @ w + 2 * rng.normal(size=n)


X, y = draw(70)
fresh, truth = draw(5_000)
strengths = np.logspace(-3, 2, 30)
train, test = [], []
for alpha in strengths:
    model = LinearRegressor("ridge", alpha=alpha).fit(X, y)
    train.append(np.mean((y - model.predict(X)) ** 2))
    test.append(np.mean((truth - model.predict(fresh)) ** 2))
gap = np.array(test) - np.array(train)
chosen = LinearRegressor("ridge", rule="min").fit(X, y)
error = np.mean((truth - chosen.predict(fresh)) ** 2)
best = strengths[np.argmin(test)]
print(f"least error on new rows {min(test):.1f} at λ = {best:.2f}; folds choose {chosen.alpha_:.2f}: {error:.1f}")

assert np.all(np.diff(train) > 0)
assert np.all(np.diff(gap) < 0)
assert test[0] > 1.3 * min(test)
assert error < 1.1 * min(test)

chart = figure(
    title="Ridge regression, 70 rows × 60 columns",
    x_axis_label="λ, strength of the penalty",
    y_axis_label="mean squared error",
    x_axis_type="log",
    width=740,
    height=440,
)
for name, values, colour in (
    ("training rows", train, "#8a8f98"),
    ("new rows", test, "#2f6fbb"),
    ("gap", gap, "#c2620a"),
):
    chart.line(
        strengths,
        values,
        color=colour,
        line_width=3,
        legend_label=name,
        line_dash="dashed" if name == "gap" else "solid",
    )
chart.add_layout(
    Span(location=chosen.alpha_, dimension="height", line_dash="dotted", line_color="#3d8b5f", line_width=3)
)
chart.line([best], [0], line_dash="dotted", color="#3d8b5f", line_width=3, legend_label="chosen by ten folds")
show(chart)
