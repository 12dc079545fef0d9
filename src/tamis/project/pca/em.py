# mypy: allow-untyped-defs
"""The compiled half of EM: what a row's cells say about its missing ones."""

from __future__ import annotations

import numpy as np

from tamis.engine.cholesky import factor, invert, solve
from tamis.engine.kernel import njit


@njit
def condition(data, precision, rows, places, starts, weights, extra):
    """Fill the holes of centred rows by their expectation, and add their covariances, by weight, to `extra`.

    The holes of rows[r] are the columns places[starts[r]:starts[r + 1]].
    """
    p = data.shape[1]
    a, inverse, b = np.empty((p, p)), np.empty((p, p)), np.empty(p)
    for r in range(len(rows)):
        x, first = data[rows[r]], starts[r]
        k = starts[r + 1] - first
        for i in range(k):
            x[places[first + i]] = 0.0
        for i in range(k):
            line = precision[places[first + i]]
            value = 0.0
            for j in range(p):
                value += line[j] * x[j]
            b[i] = value
            for j in range(i + 1):
                a[i, j] = line[places[first + j]]
        factor(a, k)
        solve(a, k, b)
        invert(a, k, inverse)
        for i in range(k):
            x[places[first + i]] = -b[i]
            for j in range(k):
                extra[places[first + i], places[first + j]] += weights[rows[r]] * inverse[i, j]


@njit
def posterior(data, there, vectors, ridge, z):
    """z[i] becomes the solution of (Vᵀ V + diag(ridge)) z = Vᵀ x over the cells that are there."""
    n, p = data.shape
    k = vectors.shape[1]
    a = np.empty((k, k))
    for i in range(n):
        for s in range(k):
            z[i, s] = 0.0
            for t in range(s + 1):
                a[s, t] = 0.0
            a[s, s] = ridge[s]
        for j in range(p):
            if there[i, j]:
                v = vectors[j]
                for s in range(k):
                    z[i, s] += v[s] * data[i, j]
                    for t in range(s + 1):
                        a[s, t] += v[s] * v[t]
        factor(a, k)
        solve(a, k, z[i])


@njit
def improve_rows(data, there, loads, centre, noise, z, covariances):
    """Expectation and covariance of the factors z of every row, given directions and noise."""
    n, p = data.shape
    k = loads.shape[1]
    a = np.empty((k, k))
    for i in range(n):
        for s in range(k):
            z[i, s] = 0.0
            for t in range(s + 1):
                a[s, t] = 0.0
            a[s, s] = noise
        for j in range(p):
            if there[i, j]:
                v, x = loads[j], data[i, j] - centre[j]
                for s in range(k):
                    z[i, s] += v[s] * x
                    for t in range(s + 1):
                        a[s, t] += v[s] * v[t]
        factor(a, k)
        solve(a, k, z[i])
        invert(a, k, covariances[i])
        for s in range(k):
            for t in range(k):
                covariances[i, s, t] *= noise


@njit
def improve_columns(data, there, weights, z, covariances, loads, centre):
    """Directions and mean of every column, given the factors of all rows; the noise variance is returned.

    `data` and `there` are columns × rows here: read as they lie.
    """
    p, n = data.shape
    k = loads.shape[1]
    a, total, known = np.empty((k, k)), 0.0, 0.0
    sums = np.empty((k, k))
    for j in range(p):
        heavy, middle = 0.0, 0.0
        for i in range(n):
            if there[j, i]:
                value = data[j, i]
                for s in range(k):
                    value -= loads[j, s] * z[i, s]
                middle += weights[i] * value
                heavy += weights[i]
        centre[j] = middle / heavy
        w = loads[j]
        sums[:, :] = 0.0
        w[:] = 0.0
        squares = 0.0
        for i in range(n):
            if there[j, i]:
                x, g = data[j, i] - centre[j], weights[i]
                squares += g * x * x
                for s in range(k):
                    w[s] += g * x * z[i, s]
                    for t in range(s + 1):
                        sums[s, t] += g * (z[i, s] * z[i, t] + covariances[i, s, t])
        b = w.copy()
        for s in range(k):
            for t in range(s + 1):
                a[s, t] = sums[s, t]
            a[s, s] += 1e-12 * (sums[s, s] + 1.0)
        factor(a, k)
        solve(a, k, w)
        for s in range(k):
            squares -= b[s] * w[s]  # Σ g (x − wᵀz)² + wᵀ cov w = Σ g x² − bᵀ w at the solution
        total += max(squares, 0.0)
        known += heavy
    return total / known
