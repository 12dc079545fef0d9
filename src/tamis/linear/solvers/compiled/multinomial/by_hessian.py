# mypy: allow-untyped-defs
"""One quadratic on the working set, by its Hessian: coefficients in use to rounding, then a line search."""

from __future__ import annotations

import numpy as np

from tamis.engine.kernel import njit
from tamis.linear.solvers.compiled.multinomial.layout import Factor, Move
from tamis.linear.solvers.compiled.multinomial.line_search import line_search
from tamis.linear.solvers.coordinate_descent import (
    advance,
    coordinate_descent,
    dot,
    exact,
    group_coordinate_descent,
)

_SWEEPS = 20_000
_LEAST = 1e-9  # curvature added to every row


@njit
def by_hessian(columns, target, weights, state, pairs, q, quadratic, step):
    """Minimise one quadratic on the working set by its Hessian, then a line search.

    While no coefficient changes sign and none at 0 violates its optimality condition, the factor of the previous step
    gives the optimum by one substitution. Returns the factor of this step. q: gradients of the pairs.
    """
    beta, owner, column, H, alpha, present = (
        state.beta,
        pairs.owner,
        pairs.column,
        quadratic.H,
        step.alpha,
        target.present,
    )
    K, m = len(beta), len(owner)
    gradient, old, alpha_l1, alpha_l2 = np.zeros(K + m), np.zeros(K + m), np.zeros(K + m), np.zeros(K + m)
    for k in range(K):
        gradient[k] = state.residual[k].sum() if step.centred and present[k] else 0.0
        alpha_l2[k] = 1e-6 * H[k, k] if present[k] else 1.0  # adding a number to all intercepts changes nothing
    for e in range(m):
        j = column[e]
        gradient[K + e], old[K + e], alpha_l1[K + e], alpha_l2[K + e] = (
            q[e],
            beta[owner[e], j],
            alpha * weights.l1[j],
            alpha * weights.l2[j],
        )
    new, factor = old.copy(), quadratic.factor
    if len(weights.ends) > 0:
        _minimise_groups(H, gradient, new, alpha_l1, alpha_l2, weights.ends, column, step.tolerance)
    else:
        factor = _minimise(H, gradient, new, alpha_l1, alpha_l2, step.tolerance, factor)
    u = np.zeros(state.eta.shape)
    for k in range(K):
        for i in range(len(u[k]) if step.centred else 0):
            u[k, i] = new[k]
    for e in range(m):
        if new[K + e] != old[K + e]:
            _add(u[owner[e]], (new[K + e] - old[K + e]) * columns.inverse[column[e]], columns.Z[column[e]])
    line_search(target, weights, state, pairs, step, Move(old[K:], new[K:], u, new[:K]))
    return factor


@njit
def _minimise(H, gradient, new, alpha_l1, alpha_l2, tolerance, before):
    """The optimum of a quadratic with an l1 penalty, to rounding where its columns in use are not too many."""
    if before.size > 0:
        start, old = gradient.copy(), new.copy()
        if advance(H, before.L, gradient, new, alpha_l1, alpha_l2, before.used[: before.size]) and not _violated(
            gradient, new, alpha_l1, alpha_l2
        ):
            return Factor(before.size, before.used, before.L)
        for j in range(len(gradient)):
            gradient[j], new[j] = start[j], old[j]
    used, tol, some = np.empty(len(gradient), dtype=np.int64), tolerance, False
    for j in range(len(alpha_l1)):
        some = some or alpha_l1[j] > 0.0
    active, L = before.size, before.L
    for _ in range(4):
        if some:
            coordinate_descent(H, gradient, new, alpha_l1, alpha_l2, tol / len(gradient) ** 0.5, _SWEEPS)
        active, L = exact(H, gradient, new, alpha_l1, alpha_l2, used)
        if active == 0 or not _violated(gradient, new, alpha_l1, alpha_l2):
            break
        tol *= 1e-3
    return Factor(active, used, L)


@njit
def _violated(gradient, new, alpha_l1, alpha_l2):
    """Whether the gradient of a coefficient at 0 is beyond its penalty."""
    violated = False
    for j in range(len(new)):
        violated = violated or (new[j] == 0.0 and alpha_l1[j] > 0.0 and abs(gradient[j]) > alpha_l1[j] * (1.0 + 1e-9))
    return violated


@njit
def _minimise_groups(H, gradient, new, alpha_l1, alpha_l2, ends, column, tolerance):
    """Coordinate descent over the groups of every class; the intercepts are groups of one."""
    m, K = len(gradient), len(gradient) - len(column)
    cuts, some = np.empty(m + 1, dtype=np.int64), K
    for k in range(K):
        cuts[k] = k
    for e in range(len(column)):
        if column[e] == 0 or ends[column[e] - 1] == column[e]:
            cuts[some] = K + e
            some += 1
    cuts[some] = m
    top, l1, l2 = np.empty(some), np.empty(some), np.empty(some)
    for g in range(some):
        trace, most = 0.0, 0.0
        for i in range(cuts[g], cuts[g + 1]):
            row = 0.0
            for j in range(cuts[g], cuts[g + 1]):
                row += abs(H[i, j])
            trace, most = trace + H[i, i], max(most, row)
        top[g], l1[g], l2[g] = min(trace, most), alpha_l1[cuts[g]], alpha_l2[cuts[g]]
    group_coordinate_descent(H, gradient, new, cuts[: some + 1], top, l1, l2, tolerance, _SWEEPS)


@njit
def _add(total, d, column):
    for i in range(len(total)):
        total[i] += d * column[i]


@njit
def extend(columns, reference, centred, pairs, built, H):
    """Let the Hessian at the probabilities of the reference hold the pairs after the first `built`."""
    Z, inverse, owner, column = columns.Z, columns.inverse, pairs.owner, pairs.column
    hessian, held = reference.hessian, reference.held
    (K, n), m, p = reference.prob.shape, len(owner), len(inverse)
    ones, parts = np.full(n, 1.0 if centred else 0.0), np.empty((K, n))
    for e in range(K + built if built > 0 else 0, K + m):
        k, j, scale, is_kept = e, -1, 1.0, len(hessian) > 0
        if e >= K:
            k, j = owner[e - K], column[e - K]
            scale, is_kept = inverse[j], is_kept and held[k, j]
        ready = False
        for f in range(e + 1):
            other, i, length, both = f, -1, 1.0, is_kept
            if f >= K:
                other, i = owner[f - K], column[f - K]
                length, both = inverse[i], is_kept and held[other, i]
            if both:
                value = hessian[k * (p + 1) + 1 + j, other * (p + 1) + 1 + i]
            else:
                if not ready:
                    _weighted(reference.w, reference.prob, k, ones if j < 0 else Z[j], parts)
                    ready = True
                value = dot(parts[other], ones if i < 0 else Z[i])
            H[e, f] = H[f, e] = value * scale * length


@njit
def _weighted(w, prob, k, column, parts):
    """A column of class k times the curvature that couples it with every class."""
    for other in range(len(prob)):
        for i in range(len(w)):
            if other == k:
                parts[other, i] = w[i] * (prob[k, i] * (1.0 - prob[k, i]) + _LEAST) * column[i]
            else:
                parts[other, i] = -w[i] * prob[k, i] * prob[other, i] * column[i]


@njit
def grown(H, size):
    """A Hessian with room for a larger working set."""
    wide = np.empty((size, size))
    for i in range(len(H)):
        for j in range(len(H)):
            wide[i, j] = H[i, j]
    return wide
