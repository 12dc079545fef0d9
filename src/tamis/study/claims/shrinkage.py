r"""How far a score is exaggerated because it was quoted only where a test passed.

A gain whose statistic z passes :math:`z > c` (the level of the claim) is larger, on average, than the true one: of
weak signals only the lucky ones are claimed. With :math:`z \sim N(\mu, 1)` given z > c, the median-unbiased
:math:`\mu` solves

.. math:: \frac{1 - \Phi(z - \mu)}{1 - \Phi(c - \mu)} = \frac12,

so that z is too large by :math:`z - \max(0, \mu)` standard errors. The quoted score shares the rows and their
luck, as far as its gains by row correlate with those that were tested (:math:`\rho`): it is taken back by :math:`\rho`
times as many of its own standard errors. Far above the threshold that is nothing.

References
----------
Zhong, Prentice: Bias-reduced estimators and confidence intervals for odds ratios in genome-wide association studies.
Biostatistics 9 (2008).
"""

from __future__ import annotations

import scipy

from tamis.metrics.distributions import normal_quantile

__all__ = ["claim_excess"]

#: Below this p-value the excess is below 0.001, and rounding would decide.
SURE = 1e-6


def claim_excess(p_value: float, alpha: float) -> float:
    """By how many standard errors a gain is exaggerated for having passed a test.

    Parameters
    ----------
    p_value : one-sided.
    alpha : the level at which a gain is claimed.

    >>> round(claim_excess(0.05, 0.1), 2), round(claim_excess(0.02, 0.1), 2), round(claim_excess(0.0001, 0.1), 2)
    (1.64, 0.53, 0.01)
    """
    if p_value <= SURE:
        return 0.0
    z, threshold = normal_quantile(1 - p_value), normal_quantile(1 - alpha)

    def imbalance(mu: float) -> float:
        return float(2 * scipy.special.ndtr(mu - z) - scipy.special.ndtr(mu - threshold))

    if z <= threshold or imbalance(0.0) >= 0:  # even without any gain half of the claims would be as large
        return max(0.0, float(z))
    return float(z - scipy.optimize.brentq(imbalance, 0.0, z))
