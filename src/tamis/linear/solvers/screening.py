# mypy: allow-untyped-defs
"""Screening: columns outside the working set that violate optimality, found by bounds that need few products.

With residuals r = c r₀ + e, r₀ those of the last look, the gradient of column j satisfies |g_j - c g₀_j| ≤ ‖x_j‖ ‖e‖.
A column whose bound is below its limit is not read.
"""

from __future__ import annotations

import numpy as np

from tamis.engine.kernel import inner, njit
from tamis.linear.solvers.compiled.column_products import column_dot
from tamis.linear.solvers.coordinate_descent import copy_to


@inner(fastmath={"reassoc", "contract"})
def _projection(w, residual, last_residual):
    """Projection of the residuals on those last seen: the factor, and the length of the rest."""
    cross, square = 0.0, 0.0
    for i in range(len(w)):
        if w[i] > 0.0:
            cross += residual[i] * last_residual[i] / w[i]
            square += last_residual[i] * last_residual[i] / w[i]
    proportion = cross / square if square > 0.0 else 1.0
    if not 0.1 < proportion < 10.0:
        proportion = 1.0
    rest = 0.0
    for i in range(len(w)):
        if w[i] > 0.0:
            d = residual[i] - proportion * last_residual[i]
            rest += d * d / w[i]
    return proportion, np.sqrt(rest)


@inner
def violators(columns, w, screening, residual, limits, inside, found):
    """Fill `found` with the columns outside whose gradient is beyond its limit; returns how many.

    columns, screening, found: named tuples of `compiled.layout`. limits: the largest gradient of a column that stays
    out. inside: the columns of the working set, which are not looked at.
    """
    inverse, norms = columns.inverse, columns.norms
    last_residual, clock = screening.last_residual, screening.clock
    last_gradient, when = screening.last_gradient, screening.when
    proportion, rest = _projection(w, residual, last_residual)
    copy_to(last_residual, residual)
    clock[0] *= proportion
    clock[1] += rest / clock[0]
    scale, now, count = clock[0], clock[1], 0
    for j in range(len(norms)):
        if inside[j] or scale * (abs(last_gradient[j]) + norms[j] * (now - when[j])) <= limits[j]:
            continue
        g = inverse[j] * column_dot(columns.Z, columns.place, j, residual)
        last_gradient[j], when[j] = g / scale, now
        if abs(g) > limits[j]:
            found.column[count], found.gradient[count] = j, g
            count += 1
    return count


@njit
def gradients(Z, place, residual, inverse, last_gradient):
    """The gradient of every column."""
    for j in range(len(last_gradient)):
        last_gradient[j] = inverse[j] * column_dot(Z, place, j, residual) if inverse[j] > 0.0 else 0.0


@njit
def worst(found, limits, count, most):
    """Keep the columns furthest beyond their limits, in order of position, when there are more than `most`."""
    if count <= most:
        return count
    ratio = np.empty(count)
    for k in range(count):
        ratio[k] = abs(found.gradient[k]) / limits[found.column[k]]
    least = _select(ratio.copy(), count - most)
    some = 0
    for k in range(count):
        if ratio[k] >= least and some < most:
            found.column[some], found.gradient[some] = found.column[k], found.gradient[k]
            some += 1
    return some


@inner
def _select(values, k):
    """The k-th smallest value, from 0 (quickselect, Hoare 1961); the values are rearranged."""
    low, high = 0, len(values) - 1
    while low < high:
        middle, i, j = values[(low + high) >> 1], low, high
        while i <= j:
            while values[i] < middle:
                i += 1
            while values[j] > middle:
                j -= 1
            if i <= j:
                values[i], values[j] = values[j], values[i]
                i += 1
                j -= 1
        if k <= j:
            high = j
        elif k >= i:
            low = i
        else:
            break
    return values[k]


@inner
def penalty_value(beta, used, l1, l2, alpha):
    """alpha Σ (l1 |β| + ½ l2 β²) over some columns."""
    s = 0.0
    for j in used:
        b = beta[j]
        s += l1[j] * abs(b) + 0.5 * l2[j] * b * b
    return alpha * s


@inner
def feasible_scale(which, gradients, count, l1, l2, alpha, dual_scale):
    """How far the residuals must shrink for no gradient to be beyond l1, and the conjugate of l2."""
    l2_conjugate = 0.0
    for k in range(count):
        j, g = which[k], abs(gradients[k])
        over = g - alpha * l1[j]
        if over > 0.0 and l2[j] > 0.0:
            l2_conjugate += over * over / (2 * alpha * l2[j])
        elif over > 0.0:
            dual_scale = min(dual_scale, alpha * l1[j] / g)
    return dual_scale, l2_conjugate
