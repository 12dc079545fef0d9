"""
Bias and variance against complexity
====================================

Trees of growing depth on a noisy sine. A stump is wrong in the same way on every training set: bias. A deep tree
follows each training set's noise: variance. Their sum is least in between, and no depth gets below the noise, 0.09.
"""

import numpy as np
from bokeh.plotting import show

from tamis import TreeRegressor
from tamis.evaluate import bias_variance, bias_variance_figure

NOISE = 0.3
x = np.linspace(0, 2 * np.pi, 100)[:, None]
truth = np.sin(x[:, 0])
y = truth + NOISE * np.random.default_rng(0).normal(size=100)


def draw(rng):
    new = rng.uniform(0, 2 * np.pi, 60)
    return new[:, None], np.sin(new) + NOISE * rng.normal(size=60)


parts = {
    depth: bias_variance(TreeRegressor(max_depth=depth), x, y, draw=draw, truth=truth, noise=NOISE**2, n_resamples=100)
    for depth in (1, 2, 3, 4, 5, 6, 8)
}
for depth, part in parts.items():
    print(f"depth {depth}: bias {part.bias:.3f}, variance {part.variance:.3f}, loss {part.loss:.3f}")

assert parts[1].bias > 0.05 > 4 * parts[5].bias
assert parts[8].variance > 1.8 * parts[1].variance
best = min(parts, key=lambda depth: parts[depth].loss)
assert best in (3, 4)
assert all(part.loss > NOISE**2 for part in parts.values())
show(bias_variance_figure(parts, label="depth of the tree"))
