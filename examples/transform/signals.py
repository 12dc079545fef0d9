"""
Spectra: smoothing, baseline, derivative
========================================

120 spectra of 300 positions. The height of one peak is the target; every spectrum lies on a smooth background of
its own that is up to ten times as high, and has noise. No single position tells the height, and a lasso finds
little. Asymmetric least squares takes the background away and a local polynomial the noise; then one column is
enough. A derivative removes slow backgrounds, too, and pays with noise.
"""

import numpy as np
from bokeh.layouts import column
from bokeh.plotting import figure, show
from sklearn.pipeline import make_pipeline

import tamis
from tamis.transform import Baseline, Derivative, Smooth

rng = np.random.default_rng(0)
t = np.arange(300) / 300


def peak(place, width=0.015):
    return np.exp(-(((t - place) / width) ** 2))


height = rng.uniform(0, 1, 120)
bumps = rng.uniform(-0.2, 1.2, (4, 120, 1)), rng.uniform(0.2, 0.6, (4, 120, 1))
background = (10 * rng.uniform(0, 1, (4, 120, 1)) * peak(*bumps)).sum(axis=0)
others = sum(rng.uniform(0, 2, (120, 1)) * peak(place) for place in (0.15, 0.34, 0.62, 0.8))
X = background + others + height[:, None] * peak(0.4) + 0.15 * rng.normal(size=(120, 300))

steps = {
    "as they are": [],
    "first derivative": [Derivative(window=15)],
    "baseline removed, smoothed": [Baseline(lam=1e3), Smooth(window=9)],
}
found = {}
for name, before in steps.items():
    found[name] = tamis.nested_score(
        make_pipeline(*before, tamis.LinearRegressor("subset", k=1)), X, height, scoring="r2"
    ).mean
    print(f"the best single position, {name}: R² {found[name]:.2f} on rows the whole procedure never saw")

assert found["baseline removed, smoothed"] > 0.8
assert found["as they are"] < 0.2

charts = []
for name, before in steps.items():
    shown = make_pipeline(*before).fit_transform(X[:4]) if before else X[:4]
    chart = figure(title=f"{name}: R² {found[name]:.2f}", width=860, height=230, x_axis_label="position")
    for k, colour in enumerate(("#2f6fbb", "#c2620a", "#3d8b5f", "#8659b5")):
        chart.line(np.arange(300), np.asarray(shown)[k], color=colour, line_width=1.5)
    charts.append(chart)
show(column(*charts))
