# mypy: allow-untyped-defs
"""The compiled half of the scores of means and variances: shifted sums, row by row or column by column."""

from __future__ import annotations

import numpy as np

from tamis.engine.kernel import njit

BLOCK = 8192  # rows of all columns at a time: weights and target stay in the cache from one column to the next


@njit
def rows_by_class(X, weights, classes, shift, sums, squares):
    """Of a block of rows: Σ w (x − shift) of each class and column, Σ w (x − shift)² of each column."""
    n, d = X.shape
    for i in range(n):
        w, row, own = weights[i], X[i], sums[classes[i]]
        for j in range(d):
            v = row[j] - shift[j]
            own[j] += w * v
            squares[j] += w * v * v


@njit
def rows_with_numbers(X, weights, y, shift, sums, squares, products):
    """Of a block of rows: Σ w (x − shift), Σ w (x − shift)² and Σ w (x − shift) y of each column."""
    n, d = X.shape
    for i in range(n):
        w, t, row = weights[i], y[i], X[i]
        for j in range(d):
            v = row[j] - shift[j]
            u = w * v
            sums[j] += u
            squares[j] += u * v
            products[j] += u * t


@njit
def columns_by_class(X, weights, classes, shift, sums, squares):
    """The same as `rows_by_class`, of columns (d, n): four rows a round, so that no sum waits for the last (2.5×)."""
    d, n = X.shape
    lanes = np.zeros((4, len(sums)))
    for first in range(0, n, BLOCK):
        last = min(n, first + BLOCK)
        whole = last - (last - first) % 4
        for j in range(d):
            x, s = X[j], shift[j]
            a = b = c = e = 0.0
            for i in range(first, whole, 4):
                p, q, r, t = x[i] - s, x[i + 1] - s, x[i + 2] - s, x[i + 3] - s
                wp, wq, wr, wt = weights[i] * p, weights[i + 1] * q, weights[i + 2] * r, weights[i + 3] * t
                lanes[0, classes[i]] += wp
                lanes[1, classes[i + 1]] += wq
                lanes[2, classes[i + 2]] += wr
                lanes[3, classes[i + 3]] += wt
                a += wp * p
                b += wq * q
                c += wr * r
                e += wt * t
            for i in range(whole, last):
                p = x[i] - s
                lanes[0, classes[i]] += weights[i] * p
                a += weights[i] * p * p
            squares[j] += (a + b) + (c + e)
            for k in range(len(sums)):
                sums[k, j] += (lanes[0, k] + lanes[1, k]) + (lanes[2, k] + lanes[3, k])
            lanes[:] = 0.0


@njit(fastmath={"reassoc", "contract"})
def columns_with_numbers(X, weights, y, shift, sums, squares, products):
    """The same as `rows_with_numbers`, of columns (d, n); sums may be taken in any order, so that they vectorise."""
    d, n = X.shape
    for first in range(0, n, BLOCK):
        last = min(n, first + BLOCK)
        for j in range(d):
            x, s = X[j], shift[j]
            a = b = c = 0.0
            for i in range(first, last):
                v = x[i] - s
                u = weights[i] * v
                a += u
                b += u * v
                c += u * y[i]
            sums[j] += a
            squares[j] += b
            products[j] += c
