"""
Curves of an additive model
===========================

The target is a sine of one column, a step of another, and a product of two more. An additive model finds the sine and
the step as curves. The product has no curve: it appears as a map of its two columns. Bands show two standard deviations
over the bags.
"""

import numpy as np
import pandas as pd
from bokeh.plotting import show

from tamis import AdditiveRegressor

rng = np.random.default_rng(0)
X = pd.DataFrame(rng.uniform(-2, 2, size=(1_500, 5)), columns=["sine", "step", "left", "right", "noise"])
y = np.sin(2 * X["sine"]) + (X["step"] > 0.5) + X["left"] * X["right"] + 0.3 * rng.normal(size=1_500)

model = AdditiveRegressor(max_columns=4, max_pairs=2).fit(X, y)
print(model.term_names_, f"R² of held-out rows {1 - np.var(model.cv_predictions_ - y) / np.var(y):.3f}")

assert list(model.pairs_) == [("left", "right")]
assert "noise" not in model.selected_columns_
grid = pd.DataFrame({"sine": np.linspace(-1.9, 1.9, 50), "step": 0.0, "left": 0.0, "right": 0.0, "noise": 0.0})
curve = model.contributions(grid)[:, model.term_names_.index("sine")]
assert np.corrcoef(curve, np.sin(2 * grid["sine"]))[0, 1] > 0.99

show(model.plot())
