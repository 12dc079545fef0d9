# mypy: allow-untyped-defs
"""The compiled half of the linear evaluators: one column in, one column out, or a set from scratch, for all folds.

In every kernel, A is the scatter of the training rows (penalty added), B that of the test rows about the training mean,
both folds × (d + 1) × (d + 1) with the target last. With w the coefficients, the squared error on the test rows is
w'Bw - 2w'b + b_yy, so no row is needed to tell what any set would score.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tamis.engine.kernel import njit


class Base(NamedTuple):
    """All columns after regression on a base of k columns: u_j = e_j - Σ γ e_s is column j less its regression."""

    tests: np.ndarray  # folds × room × d: columns of B of the base
    gamma: np.ndarray  # folds × room × d: coefficient of base column s in the regression of column j on the base
    rest: np.ndarray  # folds × d: u_j'A u_j
    gradient: np.ndarray  # folds × d: u_j'a
    test_curvature: np.ndarray  # folds × d: u_j'B u_j
    test_gradient: np.ndarray  # folds × d: u_j'(b - Bw)
    error: np.ndarray  # folds: squared error of the base on the test rows


class Shrinking(NamedTuple):
    """A base of k columns that is about to lose one, through the inverse M of A on the base."""

    M: np.ndarray  # folds × k × k
    Q: np.ndarray  # folds × k × k: M B M
    w: np.ndarray  # folds × k: M a, the coefficients
    g: np.ndarray  # folds × k: M (b - B w)
    error: np.ndarray  # folds
    first: np.ndarray  # folds × k: the diagonal of A


@njit
def push(p, k, chosen, train, base):
    """Add column p to a base of k columns, for every fold and every column outside.

    chosen: the columns of the base and p; train: folds × d, column p of A. Column p of B is in base.tests at place k.
    """
    tests, gamma, rest, gradient = base.tests, base.gamma, base.rest, base.gradient
    test_curvature, test_gradient, error = base.test_curvature, base.test_gradient, base.error
    folds, d = rest.shape
    ratio = np.empty(d)
    cross = np.empty(d)
    z = np.empty(d)
    for f in range(folds):
        if rest[f, p] <= 0.0:  # constant on these training rows: its coefficient is 0 and nothing changes
            for j in range(d):
                gamma[f, k, j] = 0.0
            continue
        for j in range(d):
            cross[j] = train[f, j]
            z[j] = tests[f, k, j]
        for s in range(k):
            g = train[f, chosen[s]]
            h = gamma[f, s, p]
            for j in range(d):
                cross[j] -= gamma[f, s, j] * g
                z[j] -= h * tests[f, s, j]
        step = gradient[f, p] / rest[f, p]
        curvature_p, test_gradient_p, gradient_p = test_curvature[f, p], test_gradient[f, p], gradient[f, p]
        for j in range(d):
            ratio[j] = cross[j] / rest[f, p]
        ratio[p] = 0.0  # p is in the base now: its entries are not read again
        for s in range(k):
            ratio[chosen[s]] = 0.0
        tau = z.copy()
        for s in range(k):
            h = z[chosen[s]]
            for j in range(d):
                tau[j] -= gamma[f, s, j] * h
        for j in range(d):
            r = ratio[j]
            test_gradient[f, j] += -r * test_gradient_p - step * (tau[j] - r * curvature_p)
            test_curvature[f, j] += r * (r * curvature_p - 2.0 * tau[j])
            rest[f, j] -= r * cross[j]
            gradient[f, j] -= r * gradient_p
        for s in range(k):
            h = gamma[f, s, p]
            for j in range(d):
                gamma[f, s, j] -= ratio[j] * h
        for j in range(d):
            gamma[f, k, j] = ratio[j]
        error[f] += step * (step * curvature_p - 2.0 * test_gradient_p)


@njit
def additions(columns, first, base, out, health):
    """out[f, i]: squared test error with column i added; health[i]: the least share of it that the base leaves.

    first: folds × d, the diagonal of A.
    """
    rest, gradient, error = base.rest, base.gradient, base.error
    for i in range(len(columns)):
        j = columns[i]
        health[i] = 1.0
        for f in range(len(error)):
            if first[f, j] <= 0.0:
                out[f, i] = error[f]
                continue
            left = rest[f, j] / first[f, j]
            if left < health[i]:
                health[i] = left
            if left <= 0.0:
                out[f, i] = np.nan
                continue
            step = gradient[f, j] / rest[f, j]
            out[f, i] = error[f] + step * (step * base.test_curvature[f, j] - 2.0 * base.test_gradient[f, j])


@njit
def removals(k, base, out):
    """out[f, i]: squared test error with the i-th column of the base (`Shrinking`) taken out."""
    for f in range(len(base.error)):
        for i in range(k):
            step = base.w[f, i] / base.M[f, i, i]
            out[f, i] = base.error[f] + step * (2.0 * base.g[f, i] + step * base.Q[f, i, i])


@njit
def pop(i, k, base):
    """Take the i-th column out of the base (`Shrinking`): its arrays become those of the k - 1 columns that stay."""
    M, Q, w, g, error, first = base.M, base.Q, base.w, base.g, base.error, base.first
    m = np.empty(k)
    q = np.empty(k)
    for f in range(len(error)):
        pivot = M[f, i, i]
        step = w[f, i] / pivot
        q_ii = Q[f, i, i]
        error[f] += step * (2.0 * g[f, i] + step * q_ii)
        for a in range(k):
            m[a] = M[f, a, i] / pivot
            q[a] = Q[f, a, i]
        g_i = g[f, i]
        for a in range(k):
            w[f, a] -= step * m[a] * pivot
            g[f, a] += step * q[a] - m[a] * (g_i + step * q_ii)
        for a in range(k):
            for b in range(k):
                M[f, a, b] -= m[a] * m[b] * pivot
                Q[f, a, b] += m[a] * m[b] * q_ii - m[a] * q[b] - q[a] * m[b]
        for a in range(i, k - 1):  # close the gap
            w[f, a], g[f, a], first[f, a] = w[f, a + 1], g[f, a + 1], first[f, a + 1]
            for b in range(k):
                M[f, a, b] = M[f, a + 1, b]
                Q[f, a, b] = Q[f, a + 1, b]
        for a in range(k - 1):
            for b in range(i, k - 1):
                M[f, a, b] = M[f, a, b + 1]
                Q[f, a, b] = Q[f, a, b + 1]


@njit
def solve_sets(sets, sizes, A, B, out, health, raw):
    """out[s, f]: squared test error of set s, by Cholesky; health: least share left; raw: least pivot over the trace.

    raw enters with the squared units of the columns in its first d places and leaves with a number a set in `health`.
    """
    folds, d = A.shape[0], A.shape[1] - 1
    most = sets.shape[1]
    L = np.empty((most, most))
    w = np.empty(most)
    for s in range(len(sizes)):
        k = sizes[s]
        health[s, 0] = 1.0
        health[s, 1] = 1.0
        for f in range(folds):
            trace, least = 0.0, np.inf
            for a in range(k):
                ja = sets[s, a]
                trace += A[f, ja, ja] * raw[ja]
                for b in range(a + 1):
                    total = A[f, ja, sets[s, b]]
                    for c in range(b):
                        total -= L[a, c] * L[b, c]
                    if a > b:
                        L[a, b] = total / L[b, b] if L[b, b] > 0.0 else 0.0
                    elif A[f, ja, ja] <= 0.0:
                        L[a, a] = 0.0
                    else:
                        share = total / A[f, ja, ja]
                        if share < health[s, 0]:
                            health[s, 0] = share
                        if total * raw[ja] < least:
                            least = total * raw[ja]
                        L[a, a] = np.sqrt(total) if total > 0.0 else 0.0
            if trace > 0.0 and least / trace < health[s, 1]:
                health[s, 1] = least / trace
            _coefficients(sets[s], k, A[f], L, w)
            out[s, f] = _error(sets[s], k, B[f], w, d)


@njit
def _coefficients(columns, k, A, L, w):
    d = A.shape[0] - 1
    for a in range(k):
        total = A[columns[a], d]
        for c in range(a):
            total -= L[a, c] * w[c]
        w[a] = total / L[a, a] if L[a, a] > 0.0 else 0.0
    for a in range(k - 1, -1, -1):
        total = w[a]
        for c in range(a + 1, k):
            total -= L[c, a] * w[c]
        w[a] = total / L[a, a] if L[a, a] > 0.0 else 0.0


@njit
def _error(columns, k, B, w, d):
    total = B[d, d]
    for a in range(k):
        inner = -2.0 * B[columns[a], d]
        for b in range(k):
            inner += B[columns[a], columns[b]] * w[b]
        total += w[a] * inner
    return total
