"""
Norm balls from p = 0.5 to p = 4
================================

The coefficients with :math:`|w_1|^p + |w_2|^p \\le 1`. Up to p = 1 the shape has corners on the axes, where
coefficients are 0; from p = 1 on it is convex, so that the best point can be found for certain. Only p = 1, the
lasso, has both.

Counted below each shape: how often the best allowed point for a random least-squares problem has a coefficient of
exactly 0.
"""

import numpy as np
from bokeh.layouts import gridplot
from bokeh.plotting import figure, show

rng = np.random.default_rng(0)
turn = np.linspace(0, 2 * np.pi, 14401)  # every axis is one of the directions
circle = np.stack([np.cos(turn), np.sin(turn)])
circle[np.abs(circle) < 1e-12] = 0
problems = []
for _ in range(300):
    angle, length, correlation = rng.uniform(0, 2 * np.pi), rng.uniform(1.2, 3), rng.uniform(-0.8, 0.8)
    centre = length * np.array([np.cos(angle), np.sin(angle)])
    problems.append((centre, np.array([[1, correlation], [correlation, 1]])))

share, charts = {}, []
for p in (0.5, 1.0, 1.5, 2.0, 3.0, 4.0):
    ball = circle / (np.abs(circle) ** p).sum(axis=0) ** (1 / p)
    zero = 0
    for centre, gram in problems:
        away = ball - centre[:, None]
        best = ball[:, np.argmin(np.einsum("ik,ij,jk->k", away, gram, away))]
        zero += bool((best == 0).any())
    share[p] = zero / len(problems)
    chart = figure(title=f"p = {p:g}", x_axis_label=f"a coefficient is 0 in {share[p]:.0%}", width=300, height=310)
    chart.patch(*ball, color="#2f6fbb", alpha=0.35, line_color="#2f6fbb", line_width=2)
    chart.line([-1.1, 1.1], [0, 0], color="#8a8f98")
    chart.line([0, 0], [-1.1, 1.1], color="#8a8f98")
    chart.grid.visible = False
    charts.append(chart)
print(share)

assert share[0.5] > share[1.0] > 0.3
assert max(share[p] for p in share if p > 1.4) < 0.02
show(gridplot([charts[:3], charts[3:]], toolbar_location=None))
