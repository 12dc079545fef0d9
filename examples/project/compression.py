"""
Compression by singular values
==============================

A picture is a table of numbers. The table of rank k nearest to it needs k numbers for every row and every column; a
few singular values hold most of a picture, since neighbouring rows are alike. Watch how many numbers are kept, and
what is lost.
"""

import numpy as np
from bokeh.layouts import gridplot
from bokeh.plotting import figure, show

from tamis.project import SVD

x, y = np.meshgrid(np.linspace(-3, 3, 160), np.linspace(-2.4, 2.4, 128))
picture = np.exp(-((x - 1) ** 2) - (y + 0.5) ** 2) + 0.8 * np.exp(-((x + 1) ** 2) / 2 - (y - 0.8) ** 2 / 0.5)
picture += 0.25 * (np.hypot(x, y) < 1.8) + 0.15 * (np.abs(y - 0.4 * x) < 0.15) + 0.05 * np.sin(6 * x)

charts, loss = [], {}
for k in (0, 16, 4, 1):
    near, title = picture, "the picture"
    if k:
        svd = SVD(k).fit(picture)
        near = svd.inverse_transform(svd.transform(picture))
        loss[k] = float(svd.loss_)
        title = f"rank {k}: {svd.compression_:.0%} of the numbers, {loss[k]:.2%} lost"
        assert np.isclose(loss[k], ((picture - near) ** 2).sum() / (picture**2).sum())
    chart = figure(title=title, width=440, height=360, x_range=(0, 160), y_range=(0, 128))
    chart.image([near], x=0, y=0, dw=160, dh=128, palette="Viridis256")
    chart.axis.visible = False
    charts.append(chart)
print({k: f"{value:.2%}" for k, value in loss.items()})

assert loss[16] < 0.005 < 0.1 < loss[1]
show(gridplot([charts[:2], charts[2:]], toolbar_location=None))
