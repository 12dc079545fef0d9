"""
A cube in a cube: what share of an edge holds a share of the volume
===================================================================

A cube that holds a tenth of the unit cube's volume has edges of length 0.1 in one dimension, 0.32 in two, 0.79 in ten:
s(f, d) = f^(1/d). "Near" neighbours are no longer near. The same is counted with uniform points.
"""

import numpy as np
from bokeh.layouts import row
from bokeh.plotting import figure, show

shares, dimensions = np.linspace(0, 1, 101), (1, 2, 3, 10)
colours = ("#2f6fbb", "#c2620a", "#00798c", "#6a4c93")
curves = figure(title="edge that holds a share of the volume", x_axis_label="share f", y_axis_label="edge", width=400)
for d, colour in zip(dimensions, colours):
    curves.line(shares, shares ** (1 / d), color=colour, line_width=3, legend_label=f"{d} dimensions")
curves.legend.location = "bottom_right"

edge = 0.1 ** (1 / 3)
cube = figure(title=f"a cube of a tenth of the volume: edge {edge:.2f}", width=400, match_aspect=True)
tilt = np.array([0.35, 0.25])
for size, colour in ((1.0, "#8a8f98"), (edge, "#c2620a")):
    front = np.array([[0, 0], [1, 0], [1, 1], [0, 1], [0, 0]]) * size
    for square in (front, front + tilt * size):
        cube.line(square[:, 0], square[:, 1], color=colour, line_width=2)
    for corner in front[:4]:
        cube.line([corner[0], corner[0] + tilt[0] * size], [corner[1], corner[1] + tilt[1] * size], color=colour)

points = np.random.default_rng(0).uniform(size=(100_000, 10))
inside = {d: (points[:, :d] <= 0.1 ** (1 / d)).all(axis=1).mean() for d in dimensions}
print({d: round(0.1 ** (1 / d), 2) for d in dimensions}, inside)

assert round(0.1 ** (1 / 10), 2) == 0.79
assert round(0.01 ** (1 / 10), 2) == 0.63
assert all(abs(share - 0.1) < 0.005 for share in inside.values())
show(row(cube, curves))
