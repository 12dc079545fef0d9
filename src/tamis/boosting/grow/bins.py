# mypy: allow-untyped-defs
"""Codes of two bytes joined into bins of one byte."""

from __future__ import annotations

import numpy as np

from tamis.engine.kernel import njit


@njit(error_model="numpy")
def join_codes(binned, begin, end, counted, max_bins, codes, n_bins, edges):
    """codes, n_bins and edges of the columns of numbers from `begin` to `end`: at most `max_bins` bins each.

    binned : BinnedTable, whose codes are ranks. counted : rows that each row counts for. Values share a bin only where
    there are more of them than bins; each bin then has nearly as many rows as the others.
    """
    counts, bin_of = np.empty(65_536), np.empty(65_537, dtype=np.uint8)
    for p in range(begin, end):
        if binned.category[p]:
            continue
        line, own, k, first = binned.codes[p], codes[p], binned.n_values[p], binned.first[p]
        if k > max_bins:
            last = _quantiles(line, counted, k, max_bins, counts, bin_of)
        else:
            last = k - 1
            for v in range(k):
                bin_of[v] = v
        bin_of[k] = last + 1
        for i in range(len(line)):
            own[i] = bin_of[line[i]]
        n_bins[p] = last + 1
        for v in range(k - 1):
            if bin_of[v + 1] != bin_of[v]:
                edges[p, bin_of[v]] = _midway(binned.high[first + v], binned.low[first + v + 1])
        if k > 0:
            edges[p, last] = np.inf


@njit(error_model="numpy")
def _quantiles(line, counted, k, max_bins, counts, bin_of):
    """bin_of[v]: the bin of each of k values; returns the last one."""
    for v in range(k):
        counts[v] = 0.0
    total, before = 0.0, 0.0
    for i in range(len(line)):
        if line[i] < k:
            counts[line[i]] += counted[i]
            total += counted[i]
    at, place = -1, -1
    for v in range(k):
        now = int(before * max_bins / total)
        if now != place:
            at, place = at + 1, now
        bin_of[v] = at
        before += counts[v]
    return at


@njit(error_model="numpy")
def _midway(a, b):
    """Midway between two neighbours, and below the second."""
    middle = 0.5 * a + 0.5 * b  # a + b could overflow
    return middle if a <= middle < b else a
