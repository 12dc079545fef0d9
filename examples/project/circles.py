"""
Kernel PCA unrolls circles
==========================

A ring around a disc. No direction of the plane separates them: plain components only turn the picture. Components
in the space of a radial kernel measure how near a row is to the others, and the first of them tells ring from disc
by one threshold.
"""

import numpy as np
from bokeh.layouts import row
from bokeh.plotting import figure, show
from sklearn.datasets import make_circles

from tamis import PCA, score
from tamis.project import KernelPCA

X, y = make_circles(400, noise=0.08, factor=0.35, random_state=0)
plain = PCA(2).fit_transform(X)
curved = KernelPCA(2, gamma=3.0).fit_transform(X)
before, after = score.stump(plain, y).max(), score.stump(curved, y).max()
print(f"the best single threshold is right in {before:.2f} of rows on PCA, in {after:.2f} on kernel PCA")

assert before < 0.75
assert after > 0.98

charts = []
for title, places in ((f"PCA: one threshold gets {before:.2f}", plain), (f"kernel PCA: {after:.2f}", curved)):
    chart = figure(title=title, x_axis_label="first component", y_axis_label="second component", width=470, height=420)
    for code, colour in ((0, "#c2620a"), (1, "#2f6fbb")):
        chart.scatter(*np.asarray(places)[y == code].T, color=colour, size=6, alpha=0.7)
    charts.append(chart)
show(row(*charts))
