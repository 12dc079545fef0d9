"""What scores on shuffled targets are compared with, and how surely they are above it."""

from dataclasses import dataclass

import numpy as np
import scipy


@dataclass(frozen=True, eq=False)
class Level:
    """Chance, as samples of scores turned so that larger is better (a constant is a sample of one).

    Attributes
    ----------
    samples : above each of these a procedure leaks; above some of them only, it cannot be told.
    source : where they come from, in words.
    is_certain : False where they are only the best guess, so that nothing can be told.
    """

    samples: tuple[np.ndarray, ...]
    source: str
    is_certain: bool = True

    @property
    def low(self) -> float:
        return min(float(sample.mean()) for sample in self.samples)

    @property
    def high(self) -> float:
        return max(float(sample.mean()) for sample in self.samples)

    def p_values(self, scores: np.ndarray, scale: float = 0.0) -> tuple[float, float]:
        """p-values of "not above all of them" and of "above none of them"; see `p_above`."""
        pvalues = [p_above(scores, sample, scale) for sample in self.samples]
        return max(pvalues), min(pvalues)


def constant(values: list[float], source: str, is_certain: bool = True) -> Level:
    """A level of numbers that are known exactly."""
    return Level(tuple(np.array([value]) for value in sorted(set(values))), source, is_certain)


def p_above(scores: np.ndarray, sample: np.ndarray, scale: float = 0.0) -> float:
    """One-sided Welch test: the mean score is not above the mean of the sample (a constant where all are the same).

    Differences below 1e-9 of the scores, or of `scale` where differences of larger numbers are given, are rounding.
    Never below the sign test's least, 2 to the power of −n, however alike the scores are; NaN where a score is none.

    >>> p_above(np.array([0.9] * 10), np.array([0.5]))
    0.0009765625
    """
    excess = scores - sample.mean()
    if not np.isfinite(excess).all():  # max(least, nan) is least: surely above
        return float("nan")
    tiny = 1e-9 * max(scale, float(np.abs(scores).max()), float(np.abs(sample).max()))
    smallest_p = float(2.0 ** -len(scores))
    steady = len(sample) < 2 or sample.std() <= tiny
    if steady and excess.std() <= tiny:
        return 1.0 if excess.mean() <= tiny else smallest_p
    if steady:
        return max(smallest_p, float(scipy.stats.ttest_1samp(excess, 0, alternative="greater").pvalue))
    return max(smallest_p, float(scipy.stats.ttest_ind(scores, sample, equal_var=False, alternative="greater").pvalue))
