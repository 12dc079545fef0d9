"""
Excess risk of ridge against λ
==============================

The risk of the fitted model less that of the best linear model, exactly: with known coefficients w* and columns of
variance 1 the excess is (w − w*)ᵀ(w − w*). Without a penalty the model follows the noise of 30 rows; with a huge one it
forgets the target. The least excess lies between, where the risk on the training rows is no longer least.
"""

import numpy as np
from bokeh.plotting import figure, show

from tamis import LinearRegressor

N, D, NOISE, TABLES = 30, 15, 1.0, 40
strengths = np.logspace(-3, 2, 16)
excess, training = np.zeros(len(strengths)), np.zeros(len(strengths))
for seed in range(TABLES):
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=D) / np.sqrt(D)
    X = rng.normal(size=(N, D))
    y = X @ truth + NOISE * rng.normal(size=N)
    for place, alpha in enumerate(strengths):
        model = LinearRegressor("ridge", alpha=alpha, standardize=False, fit_intercept=False).fit(X, y)
        excess[place] += ((model.coef_ - truth) ** 2).sum() / TABLES
        training[place] += ((model.predict(X) - y) ** 2).mean() / TABLES
best = int(excess.argmin())
print(f"least excess {excess[best]:.2f} at λ = {strengths[best]:.2f}; without penalty {excess[0]:.2f}")

assert 0 < best < len(strengths) - 1
assert excess[best] < 0.6 * excess[0]
assert np.all(np.diff(training) > 0)
assert abs(excess[-1] - 1.0) < 0.25  # w = 0: what is lost is the whole signal
chart = figure(x_axis_type="log", x_axis_label="λ (alpha)", y_axis_label="risk", title="Excess risk of ridge")
chart.line(strengths, excess, color="#2f6fbb", line_width=3, legend_label="excess risk")
chart.line(strengths, training, color="#c2620a", line_width=3, legend_label="training error")
show(chart)
