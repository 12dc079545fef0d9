# mypy: allow-untyped-defs
"""Best places in a running sum, block by block: only blocks that may hold a better place are looked at row by row.

The sum after every block of keys is found first; it raises the bar. What a block can reach at most follows from its
sum, so that most blocks are never opened: a column costs one addition a row.
"""

from __future__ import annotations

from typing import NamedTuple

from tamis.engine.kernel import inner
from tamis.tree.grow.layout import BLOCK, CLASS_BIT, HIGH, PLACE

SAME = 1e-12  # gains closer than this share are one gain: the first of them counts


class RunningSums(NamedTuple):
    """How the two running sums of `scan_two` grow with a row of class 0, and how much more with one of class 1."""

    weight_zero: float  # weight on the left
    weight_more: float
    s_zero: float  # weight of class 1 on the left beyond its share
    s_more: float
    total: float  # weight of the node


@inner
def _count_ones(keys, tally):
    """tally[b]: keys of class 1 in every full block."""
    for b in range(len(keys) // BLOCK):
        block, ones = keys[b * BLOCK : (b + 1) * BLOCK], 0
        for p in range(BLOCK):
            ones += (block[p] >> CLASS_BIT) & 1
        tally[b] = ones


@inner
def _raise_bar(keys, tally, sums, first, last, bar, min_weight, slack):
    """The bar, raised to just below the best cut at the end of a block."""
    w0, more, zero, apart, w = sums
    ones = 0
    for b in range(len(keys) // BLOCK):
        ones += tally[b]
        p = (b + 1) * BLOCK - 1
        s, wl = zero * (p + 1) + apart * ones, w0 * (p + 1) + more * ones
        area = wl * (w - wl)
        if s * s * w > bar * area and first <= p < last and keys[p] >> HIGH != keys[p + 1] >> HIGH:  # noqa: SIM102
            if wl >= min_weight and w - wl >= min_weight:
                bar = s * s * w / area * (1.0 - SAME) - slack
    return bar


@inner
def scan_two(keys, tally, w0, w1, all0, all1, bar, limits):
    """Best Gini cut of two classes that gains more than `bar`: gain, last code on the left (-2: none), next one.

    Rows of the classes weigh w0 and w1, all of them all0 and all1. With s the weight of class 1 on the left beyond its
    share of the node, the gain is 2 s² w / (w_left w_right). A row of class 0 adds `zero` to s, one of class 1
    `zero + apart`; the weight grows by w0, or w0 + more.
    """
    n, w, more, min_leaf, least = len(keys), all0 + all1, w1 - w0, limits.min_leaf, limits.min_weight
    zero = -w0 * all1 / w
    apart = w1 * all0 / w - zero
    first, last = max(min_leaf, 1) - 1, n - max(min_leaf, 1)
    bar, slack, where, n_blocks = 0.5 * bar, 0.5 * limits.slack, -1, n // BLOCK
    if n_blocks > 2:
        _count_ones(keys, tally)
        bar = _raise_bar(keys, tally, RunningSums(w0, more, zero, apart, w), first, last, bar, least, slack)
    else:
        n_blocks = 0
    ones, s, area = 0, 0.0, 0.0
    for b in range(n_blocks + 1):
        begin, end = b * BLOCK, n
        if b < n_blocks:
            end = begin + BLOCK
            after = ones + tally[b]
            wl = w0 * end + more * after
            highest, lowest, narrow = s + (zero + apart) * tally[b], s + zero * (BLOCK - tally[b]), area
            s, area = zero * end + apart * after, wl * (w - wl)
            if max(highest * highest, lowest * lowest) * w <= bar * min(narrow, area):
                ones = after
                continue
        for p in range(begin, min(end, last)):
            ones += (keys[p] >> CLASS_BIT) & 1
            s_p, wl = zero * (p + 1) + apart * ones, w0 * (p + 1) + more * ones
            gain = s_p * s_p * w
            if gain > bar * wl * (w - wl) and p >= first and keys[p] >> HIGH != keys[p + 1] >> HIGH:  # noqa: SIM102
                if wl >= least and w - wl >= least:
                    bar, where = gain / (wl * (w - wl)) + slack, p
    if where < 0:
        return 0.0, -2, -2
    return 2.0 * (bar - slack), keys[where] >> HIGH, keys[where + 1] >> HIGH


@inner
def _sum_directions(keys, direction, tally, first, last):
    """Sums of every block; the highest and the lowest running sum at the end of a block where a cut may be."""
    d = most = least = 0
    for b in range(len(keys) // BLOCK):
        block, t = keys[b * BLOCK : (b + 1) * BLOCK], 0
        for p in range(BLOCK):
            t += direction[block[p] & PLACE]
        tally[b] = t
        d += t
        p = (b + 1) * BLOCK - 1
        if (d > most or d < least) and first <= p < last and keys[p] >> HIGH != keys[p + 1] >> HIGH:
            most, least = max(most, d), min(least, d)
    return most, least


@inner
def scan_directions(keys, direction, tally, first, last, most, least):
    """First places of the highest sum above `most` and of the lowest below `least`, among cuts in [first, last).

    Returns (highest, its place, lowest, its place); a place is -1 when there is none.
    """
    n_blocks = len(keys) // BLOCK
    if n_blocks > 2:
        high, low = _sum_directions(keys, direction, tally, first, last)
        most, least = max(most, high - 1), min(least, low + 1)  # the first place of the same sum counts
    else:
        n_blocks = 0
    d, most_at, least_at = 0, -1, -1
    for b in range(n_blocks + 1):
        begin, end = b * BLOCK, len(keys)
        if b < n_blocks:
            end = begin + BLOCK
            if d + BLOCK <= most and d - BLOCK >= least:
                d += tally[b]
                continue
        for p in range(begin, min(end, last)):
            d += direction[keys[p] & PLACE]
            if (d > most or d < least) and p >= first and keys[p] >> HIGH != keys[p + 1] >> HIGH:
                if d > most:
                    most, most_at = d, p
                else:
                    least, least_at = d, p
    return most, most_at, least, least_at
