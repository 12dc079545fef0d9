# mypy: allow-untyped-defs
"""The compiled half of the scores of means and variances: shifted sums, row by row or column by column."""

from __future__ import annotations

from tamis.engine.kernel import njit

BLOCK = 8192  # rows of all columns at a time: weights and target stay in the cache from one column to the next


@njit
def rows_by_class(X, weights, classes, shift, sums, squares):
    """Of a block of rows: Σ w (x − shift) of each class and column, Σ w (x − shift)² of each column."""
    n, d = X.shape
    for i in range(n):
        w, row, class_sums = weights[i], X[i], sums[classes[i]]
        for j in range(d):
            v = row[j] - shift[j]
            class_sums[j] += w * v
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


@njit(fastmath={"reassoc", "contract"})
def columns_by_class(X, shares, shift, sums, squares):
    """The same as `rows_by_class`, of columns (d, n); `shares` (classes, n): the weight in the row's class, else 0.

    Two classes a round: with zeros for the other classes no sum is picked by a row's class, so all vectorise.
    """
    d, n = X.shape
    for first in range(0, n, BLOCK):
        last = min(n, first + BLOCK)
        for j in range(d):
            x, s = X[j], shift[j]
            for k in range(0, len(shares) - 1, 2):
                one, two = shares[k], shares[k + 1]
                a = b = c = 0.0
                for i in range(first, last):
                    v = x[i] - s
                    a += one[i] * v
                    b += two[i] * v
                    c += (one[i] + two[i]) * v * v
                sums[k, j] += a
                sums[k + 1, j] += b
                squares[j] += c
            if len(shares) % 2:
                one = shares[len(shares) - 1]
                a = c = 0.0
                for i in range(first, last):
                    v = x[i] - s
                    a += one[i] * v
                    c += one[i] * v * v
                sums[len(shares) - 1, j] += a
                squares[j] += c


@njit
def columns_by_many_classes(X, weights, classes, shift, sums, squares):
    """The same as `columns_by_class`, one row after the other."""
    d, n = X.shape
    for first in range(0, n, BLOCK):
        for j in range(d):
            s, square = shift[j], 0.0
            for i in range(first, min(n, first + BLOCK)):
                v = X[j, i] - s
                u = weights[i] * v
                sums[classes[i], j] += u
                square += u * v
            squares[j] += square


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
