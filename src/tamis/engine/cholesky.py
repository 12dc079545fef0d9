# mypy: allow-untyped-defs
"""Cholesky factor, solution and inverse of small symmetric matrices inside kernels, in place and without memory.

For matrices of a few dozen columns; `tamis.linear.solvers.coordinate_descent.factor` is for some columns of a large
one, with sums in any order.
"""

from __future__ import annotations

import numpy as np

from tamis.engine.kernel import inner


@inner
def factor(a, k):
    """The leading k × k of a, in its lower triangle, becomes its Cholesky factor L.

    Returns the smallest pivot as a share of its entry on the diagonal: what of a column the columns before it leave;
    at most 0, or NaN, where the matrix is not positive definite.
    """
    least = 1.0
    for i in range(k):
        own = a[i, i]
        for j in range(i + 1):
            value = a[i, j]
            for q in range(j):
                value -= a[i, q] * a[j, q]
            if i == j:
                if not value > least * own:
                    least = value / own if own > 0.0 else 0.0
                a[i, i] = np.sqrt(max(value, 1e-300))
            else:
                a[i, j] = value / a[j, j]
    return least


@inner
def solve(a, k, b):
    """b becomes the solution of L Lᵀ x = b, for the factor L in a."""
    for i in range(k):
        value = b[i]
        for q in range(i):
            value -= a[i, q] * b[q]
        b[i] = value / a[i, i]
    for i in range(k - 1, -1, -1):
        value = b[i]
        for q in range(i + 1, k):
            value -= a[q, i] * b[q]
        b[i] = value / a[i, i]


@inner
def invert(a, k, out):
    """out becomes (L Lᵀ)⁻¹, for the factor L in a, which becomes L⁻¹."""
    for j in range(k):
        a[j, j] = 1.0 / a[j, j]
        for i in range(j + 1, k):
            value = 0.0
            for q in range(j, i):
                value -= a[i, q] * a[q, j]
            a[i, j] = value / a[i, i]
    for i in range(k):
        for j in range(i + 1):
            value = 0.0
            for q in range(i, k):
                value += a[q, i] * a[q, j]
            out[i, j] = value
            out[j, i] = value
