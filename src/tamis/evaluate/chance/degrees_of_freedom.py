"""Effective number of parameters of any model of numbers, by moving the target a little."""

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, clone

from tamis import check
from tamis.table import numbers
from tamis.table.like import TableLike


def degrees_of_freedom(
    model: BaseEstimator,
    X: TableLike,
    y: ArrayLike,
    *,
    step: float | None = None,
    n_draws: int = 50,
    random_state: int = 0,
) -> float:
    r"""How far fitted values follow the target, summed over the rows.

    .. math:: \mathrm{df} = \sum_i \frac{\partial\, \mathrm E\, \hat y_i}{\partial\, y_i}
              \approx \frac{1}{2 B s^2} \sum_{b=1}^B \delta_b^\top [\hat y(y + \delta_b) - \hat y(y - \delta_b)]

    with vectors δ of random signs and length s a row. For least squares it is the number of coefficients, for a linear
    smoother the trace of its matrix; for a tree, a forest or a selection of columns there is no formula.

    Parameters
    ----------
    model : a regressor; a copy is fitted to each moved target.
    X, y : the table and a target of numbers.
    step : s, how far each target is moved; None for half the standard deviation of the residuals.
    n_draws : B, pairs of refits.
    random_state : seed of the signs.

    References
    ----------
    Ye (1998), On measuring and correcting the effects of data mining and model selection, JASA 93.
    Efron (2004), The estimation of prediction error: covariance penalties and cross-validation, JASA 99.

    >>> from tamis import LinearRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 3))
    >>> round(degrees_of_freedom(LinearRegressor(None), X, X[:, 0] + rng.normal(size=100), n_draws=200))
    4
    """
    target = numbers(y)
    check.count("n_draws", n_draws)
    if step is None:
        step = 0.5 * float(np.std(target - np.asarray(clone(model).fit(X, target).predict(X))))
        step = step or 1e-3 * float(np.std(target)) or 1.0
    else:
        step = float(check.number("step", step, low=0, open_low=True))
    rng = np.random.default_rng(random_state)
    total = 0.0
    for _ in range(n_draws):
        move = step * rng.choice([-1.0, 1.0], size=len(target))
        above, below = (np.asarray(clone(model).fit(X, target + side * move).predict(X)) for side in (1, -1))
        total += float(move @ (above - below))
    return total / (2 * n_draws * step**2)
