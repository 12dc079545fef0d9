# mypy: allow-untyped-defs
"""The best split of a node by one column, from the histogram of its rows.

Children with the sums (G, H) of gradients and hessians bring the loss down by half of the

.. math:: gain = G_l^2 / (H_l + λ) + G_r^2 / (H_r + λ) - G^2 / (H + λ)

and the score of a split is the sum of its first two terms.
"""

from __future__ import annotations

import numpy as np

from tamis.boosting.layout import LANES
from tamis.engine.kernel import inner

LEAST_HESSIAN = 1e-3  # of either child, as elsewhere: a leaf of less answers with anything
TIE = 1e-10  # of a score: what is no better by so much is as good, and the first one stays
SUPPORT = 10.0  # rows that a level of a category needs to be put in order, and hessian that draws its mean towards 0


@inner(forceinline=True)
def _terms(gl, hl, g, h, l2):
    """Numerator and denominator of Gl² / (Hl + λ) + Gr² / (Hr + λ): scores are compared without a division."""
    gr, a, b = g - gl, hl + l2, h - hl + l2
    return gl * gl * b + gr * gr * a, a * b


@inner
def scan_numbers(histogram, first, present, n, n_bins, whole, limits, best):
    """The best of the splits "up to a value", missing values on either side; whether it beats best[0].

    present: n codes in their order, among them all that are there; n_bins: the code of missing. whole: sums of the node
    (gradient, hessian, rows). best: score, bin, missing left, rows on the left.
    """
    g, h, count = whole
    least, l2 = limits.min_leaf, limits.l2
    gm = hm = cm = 0.0
    if n > 0 and np.int64(present[n - 1]) == n_bins:
        n -= 1
        at = LANES * (first + n_bins)
        gm, hm, cm = histogram[at], histogram[at + 1], histogram[at + 2]
    found = False
    top = best[0]
    for missing_left in range(2 if cm > 0.0 else 1):
        gl = hl = cl = 0.0
        if missing_left:
            gl, hl, cl = gm, hm, cm
        for k in range(n):
            at = LANES * (first + np.int64(present[k]))
            gl += histogram[at]
            hl += histogram[at + 1]
            cl += histogram[at + 2]
            if cl < least or hl < LEAST_HESSIAN:
                continue
            if count - cl < least or h - hl < LEAST_HESSIAN:
                break
            above, below = _terms(gl, hl, g, h, l2)
            if above > top * below:
                top = above / below * (1.0 + TIE)
                best[0], best[1], best[2], best[3] = top, present[k], missing_left, cl
                found = True
    return found


@inner
def scan_sorted(codes, order, lines, begin, end, n_bins, whole, limits, best):
    """As `scan_numbers`, over the rows order[begin:end] in the order of their codes instead of a histogram.

    lines: gradient, hessian and count of each row. Of 455 rows it takes 2 ns a row where counting and scanning bins
    takes 5.
    """
    g, h, count = whole
    least, l2 = limits.min_leaf, limits.l2
    gm = hm = cm = 0.0
    while end > begin and np.int64(codes[order[end - 1]]) == n_bins:
        end -= 1
        at = LANES * np.int64(order[end])
        gm += lines[at]
        hm += lines[at + 1]
        cm += lines[at + 2]
    found = False
    top = best[0]
    for missing_left in range(2 if cm > 0.0 else 1):
        gl = hl = cl = 0.0
        if missing_left:
            gl, hl, cl = gm, hm, cm
        for i in range(begin, end):
            row = order[i]
            at = LANES * np.int64(row)
            gl += lines[at]
            hl += lines[at + 1]
            cl += lines[at + 2]
            if cl < least or hl < LEAST_HESSIAN:
                continue
            if count - cl < least or h - hl < LEAST_HESSIAN:
                break
            above, below = _terms(gl, hl, g, h, l2)
            if above > top * below and (i + 1 == end or codes[order[i + 1]] != codes[row]):
                top = above / below * (1.0 + TIE)
                best[0], best[1], best[2], best[3] = top, codes[row], missing_left, cl
                found = True
    return found, cm > 0.0


@inner
def scan_levels(histogram, first, present, n, whole, limits, column):
    """The best split into two sets of levels, missing values a level: scanned from both ends of their order.

    Levels are in the order of G / (H + 10), those of few rows stay with the other side. Fills column.order; column.best
    has the number of levels of the set, and whether it is from the upper end.
    """
    g, h, count = whole
    order, best, l2 = column.order, column.best, limits.l2
    m = _put_in_order(histogram, first, present, n, min(SUPPORT, limits.min_leaf) * h / count, order)
    found = False
    top = best[0]
    for upper in range(2 if m > 1 else 0):
        gl = hl = cl = 0.0
        for k in range((m + 1) // 2 - upper):  # the other halves are the same sets
            at = LANES * (first + np.int64(order[m - 1 - k if upper else k]))
            gl += histogram[at]
            hl += histogram[at + 1]
            cl += histogram[at + 2]
            if cl < limits.min_leaf or hl < LEAST_HESSIAN:
                continue
            if count - cl < limits.min_leaf or h - hl < LEAST_HESSIAN:
                break
            above, below = _terms(gl, hl, g, h, l2)
            if above > top * below:
                top = above / below * (1.0 + TIE)
                best[0], best[1], best[2], best[3] = top, k + 1, upper, cl
                found = True
    return found, m


@inner
def _put_in_order(histogram, first, present, n, least, order):
    """order: the levels with a hessian of at least so much, by their means; returns how many.

    Gradients are about 1 or less a row, so means that differ by rounding differ by less than TIE, and codes decide.
    """
    m = 0
    for k in range(n):
        at = LANES * (first + np.int64(present[k]))
        if histogram[at + 1] < least * (1.0 - TIE) or histogram[at + 2] <= 0.0:  # exactly the least is enough
            continue
        mean, q = histogram[at] / (histogram[at + 1] + SUPPORT), m
        while q > 0:
            before = LANES * (first + np.int64(order[q - 1]))
            if histogram[before] / (histogram[before + 1] + SUPPORT) <= mean + TIE:
                break
            order[q] = order[q - 1]
            q -= 1
        order[q] = present[k]
        m += 1
    return m


@inner
def write_set(histogram, first, present, n, m, count, column, left):
    """left: bits of the codes that go left at the split in column.best; codes that the node lacks go with most rows."""
    order, size, upper = column.order, np.int64(column.best[1]), column.best[2] > 0.0
    one = np.uint64(1)
    for w in range(len(left)):
        left[w] = ~np.uint64(0) if 2.0 * column.best[3] > count else np.uint64(0)
    for k in range(n):
        code = np.uint64(present[k])
        if histogram[LANES * (first + np.int64(present[k])) + 2] > 0.0:
            left[code >> np.uint64(6)] &= ~(one << (code & np.uint64(63)))
    for k in range(size):
        code = np.uint64(order[m - 1 - k if upper else k])
        left[code >> np.uint64(6)] |= one << (code & np.uint64(63))


@inner(forceinline=True)
def holds(left, code):
    """Whether a set has a code."""
    return (left[np.uint64(code) >> np.uint64(6)] >> (np.uint64(code) & np.uint64(63))) & np.uint64(1)
