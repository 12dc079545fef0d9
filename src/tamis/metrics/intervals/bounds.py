"""Bounds of a score from the rows it was judged on: closed forms that stay sensible at 0, at 1 and with few rows.

References
----------
Wilson: Probable inference, the law of succession, and statistical inference. JASA 22 (1927).
Zou, Donner: Construction of confidence limits about effect measures: a general approach. Statistics in Medicine 27
(2008).
Hanley, McNeil: The meaning and use of the area under a receiver operating characteristic curve. Radiology 143 (1982).
Newcombe: Confidence intervals for an effect size measure based on the Mann–Whitney statistic. Statistics in Medicine 25
(2006).
"""

from typing import Any

import numpy as np
import scipy
from numpy.typing import ArrayLike

Pair = tuple[float, float]

#: A class with fewer judged rows has no bound.
FEWEST = 10


def wilson(share: Any, n: Any, z: float) -> tuple[Any, Any]:
    """Wilson's interval of a share of n rows; n need not be whole, and 0 rows tell nothing.

    >>> [round(float(end), 3) for end in wilson(1.0, 20, 1.96)]
    [0.839, 1.0]
    """
    p, rows = np.asarray(share, dtype=np.float64), np.asarray(n, dtype=np.float64)
    below = rows + z * z
    centre = (rows * p + z * z / 2) / below
    reach = z * np.sqrt(rows * p * (1 - p) + z * z / 4) / below
    return np.maximum(0.0, centre - reach), np.minimum(1.0, centre + reach)


def combined(value: object, low: Any, high: Any, weights: ArrayLike) -> Pair:
    """Bounds of a weighted sum of independent estimates from the bounds of each (the square-and-add rule).

    >>> [round(end, 3) for end in combined([0.5, 0.5], [0.4, 0.3], [0.6, 0.7], [0.5, 0.5])]
    [0.388, 0.612]
    """
    v, w = np.asarray(value), np.asarray(weights)
    middle = float((w * v).sum())
    down = np.sqrt(((w * (v - np.asarray(low))) ** 2).sum())
    up = np.sqrt(((w * (np.asarray(high) - v)) ** 2).sum())
    return float(middle - down), float(middle + up)


def area_variance(value: float, n_own: float, n_other: float) -> float:
    """Hanley and McNeil's variance of an area under the ROC curve, in Newcombe's symmetric form.

    >>> round(area_variance(0.5, 10, 10), 4)
    0.0175
    """
    more = (n_own + n_other) / 2 - 1
    return value * (1 - value) * (1 + more * (1 - value) / (2 - value) + more * value / (1 + value)) / (n_own * n_other)


def area(value: float, n_own: float, n_other: float, scale: float, z: float) -> Pair:
    """The areas that the found one is within z standard errors of, the error being that of the area supposed.

    >>> [round(end, 3) for end in area(1.0, 10, 10, 1.0, 1.96)]
    [0.8, 1.0]
    """

    def gap(supposed: float) -> float:
        return (value - supposed) ** 2 - z * z * scale * area_variance(supposed, n_own, n_other)

    inside = min(max(value, 1e-9), 1 - 1e-9)  # at 0 and 1 the variance itself is 0
    low = scipy.optimize.brentq(gap, 1e-12, inside) if gap(1e-12) > 0 > gap(inside) else 0.0
    high = scipy.optimize.brentq(gap, inside, 1 - 1e-12) if gap(1 - 1e-12) > 0 > gap(inside) else 1.0
    return float(low), float(high)


def positive(value: float, relative_error: float, quantile: float) -> Pair:
    """Bounds of a mean of losses, which is above 0 and skewed: symmetric in its logarithm.

    >>> [round(end, 3) for end in positive(2.0, 0.1, 1.96)]
    [1.644, 2.433]
    """
    reach = float(np.exp(min(quantile * relative_error, 300.0)))
    return value / reach, value * reach
