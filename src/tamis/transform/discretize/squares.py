"""Cuts that a numeric target asks for: recursive splits by squared error, stopped by description length."""

from __future__ import annotations

import numpy as np

from tamis.engine.kernel import inner, njit
from tamis.transform.discretize.parts import largest, midpoint

TIE = 1e-10  # of the target's variance, a row: a later cut must be better by more


def number_cuts(values: np.ndarray, target: np.ndarray, most: int) -> np.ndarray:
    r"""Cut points of one column by the description length of a numeric target with normal errors.

    A stretch of n rows with the sum of squares R around its mean is cut where the sum R' around the two means is
    lowest, if the shorter description of the target pays for the place of the cut and one more mean:

    .. math:: \frac n2 \log \frac{R + s^2}{R' + s^2} > \log(n - 1) + \tfrac12 \log n

    and each part is then treated alike. The variance s² of the whole target, counted like one more row, keeps a few
    rows that agree by chance from being taken for a law.

    Parameters
    ----------
    values, target : of the rows that have a value.
    most : how many cuts there may be; those that lower the squared error most are made first.

    >>> number_cuts(np.arange(20.0), np.repeat([3.0, 5.0], 10), 100)
    array([9.5])
    """
    spread = target.std()
    if not len(target) or spread == 0 or not np.isfinite(spread):
        return np.empty(0)
    order = np.argsort(values)
    x, y = values[order], ((target - target.mean()) / spread)[order]
    sums = np.concatenate([[0.0], np.cumsum(y)])
    cuts = np.empty(min(most, max(len(x) - 1, 0)))
    n = _cut(x, sums, np.concatenate([[0.0], np.cumsum(y * y)]), cuts)
    return np.sort(cuts[:n])


@njit
def _cut(x, sums, squares, cuts):  # type: ignore[no-untyped-def]
    """Fill `cuts` with the accepted cuts of a sorted column, the largest gain first; how many there are."""
    most = len(cuts)
    begin, end = np.empty(most + 2, dtype=np.int64), np.empty(most + 2, dtype=np.int64)
    place, gain = np.empty(most + 2, dtype=np.int64), np.empty(most + 2)
    begin[0], end[0] = 0, len(x)
    place[0], gain[0] = _best(x, sums, squares, 0, len(x))
    n_parts, n_cuts = 1, 0
    while n_cuts < most:
        best = largest(gain, n_parts)
        if gain[best] < 0:
            break
        at = place[best]
        cuts[n_cuts] = midpoint(x, at)
        n_cuts += 1
        begin[n_parts], end[n_parts] = at + 1, end[best]
        end[best] = at + 1
        place[best], gain[best] = _best(x, sums, squares, begin[best], end[best])
        place[n_parts], gain[n_parts] = _best(x, sums, squares, begin[n_parts], end[n_parts])
        n_parts += 1
    return n_cuts


@inner
def _best(x, sums, squares, begin, end):  # type: ignore[no-untyped-def]
    """The best cut of a stretch of rows and how much it lowers the sum of squares; -1 where none is accepted."""
    n = end - begin
    total = sums[end] - sums[begin]
    level = total * total / n if n > 0 else 0.0
    at, highest, tie = -1, -np.inf, TIE * n
    for i in range(begin, end - 1):
        if x[i] != x[i + 1]:
            left = sums[i + 1] - sums[begin]
            right = total - left
            found = left * left / (i + 1 - begin) + right * right / (end - 1 - i) - level
            if found > highest + tie:
                at, highest = i, found
    if at < 0:
        return -1, -1.0
    before = max(squares[end] - squares[begin] - level, 0.0)
    after = max(before - highest, 0.0)
    if 0.5 * n * np.log((before + 1.0) / (after + 1.0)) > np.log(n - 1.0) + 0.5 * np.log(n * 1.0):
        return at, highest
    return -1, -1.0
