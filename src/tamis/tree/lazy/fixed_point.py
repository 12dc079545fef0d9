"""Numeric targets as whole numbers, so that sums are exact and any order of adding them gives the same.

q = round((y − centre) · 2^e), with the centre near the mean of the training rows and e from the largest distance to
it, |q| < 2⁵⁹. Sums are kept as two numbers of 64 bits, of the high bits and of the low 31: exact for up to 2³² rows. A
value is off by at most 2⁻⁵⁹ of the largest distance, and by the rounding of y − centre, 2⁻⁵³ of its size; a sum of n
values by n times that.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

LIMB = 31  # a whole number is summed as its high bits and its low 31: neither sum overflows

BITS = 60
NONE = -(1 << 62)


@dataclass(frozen=True)
class FixedPoint:
    """The scale of a target.

    >>> scale = FixedPoint.of(0.0, 10.0, 5.0)
    >>> q = scale.encode(np.array([1.0, 10.0, np.nan]))
    >>> (scale.centre + scale.value(int(q[:2].sum()))).item() - scale.centre == -4.0 + 5.0
    True
    """

    centre: float
    half: float
    exponent: int

    @classmethod
    def of(cls, low: float, high: float, centre: float) -> FixedPoint:
        """The scale of targets from `low` to `high` about a centre."""
        half = max(high - centre, centre - low)
        return cls(centre, half if half > 0 else 1.0, BITS - 1 - math.frexp(half)[1] if half > 0 else 0)

    def encode(self, y: np.ndarray) -> np.ndarray:
        """q of every target; NONE for a missing one."""
        scaled = np.rint(np.ldexp(y - self.centre, self.exponent))
        return np.where(np.isnan(scaled), NONE, np.nan_to_num(scaled)).astype(np.int64)

    def squares(self, y: np.ndarray) -> np.ndarray:
        """((y − centre) / half)² · 2^BITS of every target; 0 for a missing one."""
        share = np.nan_to_num((y - self.centre) / self.half)
        return np.rint(np.ldexp(share * share, BITS)).astype(np.int64)

    def value(self, q: int) -> np.float64:
        """The number that a sum of q stands for, less the centre of each."""
        return np.float64(_ldexp(q, -self.exponent))

    def squares_value(self, q: int) -> float:
        """The number that a sum of squares stands for."""
        return _ldexp(q, -BITS) * self.half * self.half

    def values(self, high: np.ndarray, low: np.ndarray) -> np.ndarray:
        """As `value` for sums of high and low bits."""
        return np.ldexp(high * float(1 << LIMB) + low, -self.exponent)


def _ldexp(q: int, exponent: int) -> float:
    """q · 2^exponent of a whole number of any size, rounded once."""
    return q * 2**exponent if exponent >= 0 else q / (1 << -exponent)


def whole(high: int, low: int) -> int:
    """The sum whose high and low bits were summed apart."""
    return (int(high) << LIMB) + int(low)
