"""Tables of known truth for the benchmarks of linear models."""

from __future__ import annotations

import numpy as np


def table(
    n: int, p: int, *, k: int = 20, classes: bool = False, common: float = 0.0, seed: int = 0
) -> tuple[np.ndarray, np.ndarray]:
    """Neighbouring columns correlated at 0.5, k of them at work, as much noise as signal; columns standardised.

    common : the share of the variance that all columns have in common.
    """
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    if common:
        X = np.sqrt(1 - common) * X + np.sqrt(common) * rng.normal(size=(n, 1))
    X[:, 1:] = 0.5 * X[:, :-1] + np.sqrt(0.75) * X[:, 1:]
    coef = np.zeros(p)
    coef[rng.choice(p, k, replace=False)] = rng.normal(size=k)
    eta = X @ coef
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    if classes:
        return X, (2 * eta / eta.std() + rng.logistic(size=n) > 0).astype(int)
    return X, eta + eta.std() * rng.normal(size=n)
