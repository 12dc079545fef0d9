r"""How far a score is exaggerated because it was quoted only where a test passed.

A gain whose statistic z passes :math:`z > c` (the level of the claim) is larger, on average, than the true one: of
weak signals only the lucky ones are claimed. With :math:`z \sim N(\mu, 1)` given z > c, the median-unbiased
:math:`\mu` solves

.. math:: \frac{1 - \Phi(z - \mu)}{1 - \Phi(c - \mu)} = \frac12,

and the gain is multiplied by :math:`\max(0, \mu) / z`. Far above the threshold the factor is 1.

References
----------
Zhong, Prentice: Bias-reduced estimators and confidence intervals for odds ratios in genome-wide association studies.
Biostatistics 9 (2008).
"""

from __future__ import annotations

import numpy as np
import scipy

from tamis.metrics.distributions import normal_quantile

__all__ = ["shrinkage"]

#: Below this p-value the factor is above 0.999, and rounding would decide.
SURE = 1e-6


def shrinkage(p_value: float, alpha: float) -> float:
    """The share of a claimed gain that is left once the claim itself is accounted for; between 0 and 1.

    Parameters
    ----------
    p_value : one-sided, at most alpha.
    alpha : the level at which a gain is claimed.

    >>> round(shrinkage(0.05, 0.1), 2), round(shrinkage(0.0001, 0.1), 2)
    (0.0, 1.0)
    """
    if p_value <= SURE:
        return 1.0
    z, threshold = normal_quantile(1 - p_value), normal_quantile(1 - alpha)
    if z <= threshold:
        return 0.0

    def imbalance(mu: float) -> float:
        return float(2 * scipy.special.ndtr(mu - z) - scipy.special.ndtr(mu - threshold))

    if imbalance(0.0) >= 0:  # even without any gain half of the claims would be as large
        return 0.0
    return float(np.clip(scipy.optimize.brentq(imbalance, 0.0, z) / z, 0.0, 1.0))
