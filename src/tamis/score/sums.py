# mypy: allow-untyped-defs
"""The compiled half of the scores of means and variances: shifted sums, row by row or column by column."""

from __future__ import annotations

from tamis.engine.kernel import njit


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
def column_by_class(x, weights, classes, shift, sums):
    """Of a block of one column: Σ w (x − shift) of each class; returns Σ w (x − shift)²."""
    square = 0.0
    for i in range(len(x)):
        v = x[i] - shift
        u = weights[i] * v
        sums[classes[i]] += u
        square += u * v
    return square


@njit
def column_with_numbers(x, weights, y, shift):
    """Of a block of one column: Σ w (x − shift), Σ w (x − shift)², Σ w (x − shift) y."""
    a = b = c = 0.0
    for i in range(len(x)):
        v = x[i] - shift
        u = weights[i] * v
        a += u
        b += u * v
        c += u * y[i]
    return a, b, c
