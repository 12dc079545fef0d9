"""
A spectrum, its gap, and the rows behind it
===========================================

Digits 0 to 3 have 64 pixels. Twelve measurements of three hidden causes have a spectrum with a cliff: three
variances, then noise. `PCA("gap")` finds the cliff. Pixels of digits have no such cliff; there a share of the
variance decides, and two components already separate the digits.
"""

import numpy as np
from bokeh.layouts import row
from bokeh.plotting import show
from sklearn.datasets import load_digits

from tamis import PCA
from tamis.project import scores_figure, spectrum_figure

rng = np.random.default_rng(0)
hidden = rng.normal(size=(300, 3)) * [3, 2, 1.5]
mixed = hidden @ np.linalg.qr(rng.normal(size=(12, 3)))[0].T + 0.3 * rng.normal(size=(300, 12))
cliff = PCA("gap").fit(mixed)

X, y = load_digits(return_X_y=True)
few = X[y < 4]
digits = PCA(0.8).fit(few)
print(f"the gap is after {cliff.n_components_} of 12; {digits.n_components_} of 64 hold 80 % of the digits' variance")

assert cliff.n_components_ == 3
assert digits.n_components_ < 20
show(
    row(
        spectrum_figure(cliff, width=500, height=400),
        scores_figure(digits, few, y[y < 4].astype(str), width=480, height=400),
    )
)
