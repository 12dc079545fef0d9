"""How alike sets of columns are that were chosen on different rows."""

import numpy as np

from tamis.metrics.distributions import normal_quantile


def agreement(chosen: np.ndarray, *, level: float = 0.95) -> tuple[float, tuple[float, float]]:
    r"""Nogueira's stability of the sets in the rows of a mask (sets × columns), and its confidence interval.

    .. math:: \hat\Phi = 1 - \frac{\frac1d \sum_f s_f^2}{\frac{\bar k}{d}\left(1 - \frac{\bar k}{d}\right)}, \qquad
              s_f^2 = \frac{M}{M - 1} \hat p_f (1 - \hat p_f)

    1 when all sets are equal, about 0 when columns are drawn blindly; NaN with one set, or when every set has all
    columns or none.

    References
    ----------
    Nogueira, Sechidis, Brown (2018), On the stability of feature selection algorithms, JMLR 18.

    >>> agreement(np.array([[1, 1, 0, 0], [1, 1, 0, 0], [1, 1, 0, 0]]))[0]
    1.0
    """
    Z = np.asarray(chosen, dtype=np.float64)
    n_sets, d = Z.shape
    sizes, often = Z.sum(axis=1), Z.mean(axis=0)
    share = sizes.mean() / d
    spread = share * (1 - share)
    if n_sets < 2 or spread == 0:
        return float("nan"), (float("nan"), float("nan"))
    value = 1 - n_sets / (n_sets - 1) * float((often * (1 - often)).mean()) / spread
    fraction = sizes / d
    each = (Z @ often / d - fraction * share + value / 2 * (2 * fraction * share - fraction - share + 1)) / spread
    error = np.sqrt(4 / n_sets**2 * ((each - each.mean()) ** 2).sum())
    reach = float(normal_quantile(0.5 + level / 2) * error)
    return float(value), (float(value) - reach, float(value) + reach)
