"""Intervals in words."""

from itertools import pairwise

import numpy as np


def interval_names(name: str, cuts: np.ndarray) -> tuple[str, ...]:
    """What each interval of a column is called; a cut belongs to the interval below it.

    >>> interval_names("petal length", np.array([2.45, 4.75]))
    ('petal length ≤ 2.45', '2.45 < petal length ≤ 4.75', 'petal length > 4.75')
    """
    if not len(cuts):
        return (f"any {name}",)
    words = _written(cuts)
    between = [f"{low} < {name} ≤ {high}" for low, high in pairwise(words)]
    return (f"{name} ≤ {words[0]}", *between, f"{name} > {words[-1]}")


def _written(cuts: np.ndarray) -> list[str]:
    """Numbers with as few digits, from four on, as tell each from the next by a hundredth of their distance."""
    gaps = np.diff(cuts)
    close = 0.01 * gaps.min() if len(gaps) else np.inf
    for digits in range(4, 17):
        words = [f"{cut:.{digits}g}" for cut in cuts]
        if np.all(np.abs(np.array(words, dtype=np.float64) - cuts) <= close):
            return words
    return [repr(float(cut)) for cut in cuts]
