# mypy: allow-untyped-defs
"""The compiled half of the multinomial path: one fit of three classes or more, from one strength to the next.

A quadratic with the full Hessian of the softmax is minimised on a working set of (class, column) pairs, and again,
until the duality gap is closed. The Hessian is that of a reference near by: the fit itself at an earlier strength, or,
with many rows, the fit of all rows, which serves every fold. It grows with the working set and is renewed when a step
gains little. Where the working set is too large for it, residuals are kept instead: with P the probabilities (classes
× rows), a step u (classes × rows) of the linear predictors changes the residuals of class k by -w P_k (u_k - Σ_l P_l
u_l), so the classes are coupled through one number a row and a coordinate costs no more than with two classes.
"""

from __future__ import annotations

import numpy as np

from tamis.engine.kernel import njit
from tamis.linear.solvers.coordinate_descent import (
    advance,
    coordinate_descent,
    dot,
    exact,
    factor,
    group_coordinate_descent,
    soft_threshold,
    solve,
    weighted_square,
)
from tamis.linear.solvers.screening import violators, worst

_NEWTON = 200  # quadratics a strength
_SWEEPS = 20_000
_MORE_STEPS = 2  # of a model that is kept: near the optimum each doubles the digits, which a gap cannot see
_LEAST = 1e-9  # curvature added to every row
_FLOOR = 1e-5  # the same where residuals are kept and no direct solve follows


@njit
def solve_path(units, screen_state, state, y, ends, alphas, rules, shared, out):
    """Solve for falling strengths, each from the solution before; `state` and `screen_state` are updated.

    units: the columns as rows, weights of the rows (sum 1), inverse scales, lengths, l1 and l2 of every column (in a
    group: those of the group). screen_state: what `violators` knows, one row a class. state: coefficients (classes ×
    columns), linear predictors, weighted residuals and probabilities (classes × rows), intercepts and, last, the mean
    loss. y: the class of every row. ends: where the group of every column ends, or empty. rules: whether there are
    intercepts, the pairs up to which a Hessian is kept, the gap to reach, and the gap that is enough where rounding
    keeps it from falling. shared: weights and probabilities of the
    reference, its Hessian on (classes × (1 + columns))², without scales, and the pairs this holds; or empty arrays.
    out: coefficients (the intercept last), linear predictors and gaps, one row a strength. Returns whether a reference
    of the fit's own took the place of the one given.
    """
    Z, w, inverse, norms, l1, _ = units
    columns = Z, np.empty(0, dtype=np.int64), inverse, norms
    beta, eta, residual, prob, b = state
    centred, most, goal, enough = rules
    coefs, etas, gaps = out
    K, p = beta.shape
    present = _present(y, w, K, centred)
    owner, column = np.empty(K * p, dtype=np.int64), np.empty(K * p, dtype=np.int64)
    found, count = np.empty((K, p), dtype=np.int64), np.zeros(K, dtype=np.int64)
    found_gradient, q, inside = np.empty((K, p)), np.empty(K * p), np.zeros((K, p), dtype=np.bool_)
    m = _in_use(beta, l1, inverse, ends, present, inside, owner, column)
    built = active = m - m
    H, used, L = np.empty((0, 0)), np.empty(0, dtype=np.int64), np.empty((0, 0))
    base_w, base, hessian, in_hessian = shared
    renewed, limits = len(hessian) == 0, np.empty(p)
    if renewed:
        base_w, base = w, prob.copy()
    for a in range(len(alphas)):
        alpha, least = alphas[a], K + m
        for j in range(p):
            limits[j] = alpha * l1[j]
        for e in range(m):
            least -= beta[owner[e], column[e]] == 0.0
        if m > 32 + 1.5 * least:
            m, built = _shorten(beta, l1, ends, inside, owner, column, m, H, built, K)
            active = 0
        gap, tolerance, more = np.inf, 0.1 * goal, 0
        for step in range(_NEWTON):
            for e in range(m):
                q[e] = inverse[column[e]] * dot(Z[column[e]], residual[owner[e]])
            for k in range(K):
                count[k] = 0
                if present[k] and len(ends) == 0:
                    mine = screen_state[0][k], screen_state[1][k], screen_state[2][k], screen_state[3][k]
                    count[k] = violators(columns, w, mine, residual[k], limits, inside[k], found[k], found_gradient[k])
                elif present[k]:
                    count[k] = _group_violators(
                        units, ends, residual[k], limits, inside[k], found[k], found_gradient[k]
                    )
            before = gap
            gap = _gap(units, state, y, ends, owner[:m], column, q, found, found_gradient, count, alpha)
            if gap <= goal or (gap <= enough and gap > 0.5 * before):
                if enough == 0.0 or more == _MORE_STEPS:
                    break
                more, built, active, renewed, base_w, base = more + 1, 0, 0, True, w, prob.copy()
            # along a valley each sweep gains little however far the end: then sweep with more patience
            tolerance = max(1e-26, 0.1 * tolerance if gap > 0.5 * before else min(tolerance, 0.01 * abs(gap)))
            size = m
            for k in range(K):
                if len(ends) == 0:
                    count[k] = worst(found[k], found_gradient[k], limits, count[k], max(8 + 64 // K, m // K))
                for c in range(count[k]):
                    owner[m], column[m], q[m] = k, found[k, c], found_gradient[k, c]
                    inside[k, found[k, c]] = True
                    m += 1
            if m > most and len(ends) == 0:
                _newton(units, state, y, ends, alpha, centred, tolerance, present, owner[:m], column[:m])
                built = 0
                continue
            if m > size:
                active = 0
            # the first gap of a strength tells nothing: the residuals, all shrunk alike, are nearly dual feasible
            if step > 1 and gap > 0.3 * before and m == size:
                renewed, base_w, base, built, active = True, w, prob.copy(), 0, 0
            if len(H) < K + m:
                H = _grown(H, K + 2 * m)
            if built < m or built == 0:  # without pairs there are the intercepts
                _extend(units, base_w, base, hessian, in_hessian, not renewed, centred, owner[:m], column, built, H)
                built = m
            active, used, L = _quadratic(
                units, state, y, ends, alpha, centred, tolerance, present, owner[:m], column, q, H, active, used, L
            )
        for k in range(K):
            for j in range(p):
                coefs[a, j, k] = beta[k, j]
            coefs[a, p, k] = b[k]
            for i in range(len(w)):
                etas[a, i, k] = eta[k, i]
        gaps[a] = gap
    return renewed


@njit
def _present(y, w, K, centred):
    """Which classes take part: all, but one without a row that counts keeps the intercept it begins with."""
    out = np.full(K, not centred)
    for i in range(len(y)):
        if w[i] > 0.0:
            out[y[i]] = True
    return out


@njit
def _in_use(beta, l1, inverse, ends, present, inside, owner, column):
    """The pairs a path goes on with: those in use (groups whole) and those without l1; returns their number."""
    m = 0
    for k in range(len(beta)):
        if not present[k]:
            continue
        for j in range(len(l1)):
            inside[k, j] = inverse[j] > 0.0 and (beta[k, j] != 0.0 or l1[j] == 0.0)
        for j in range(len(ends)):  # groups whole
            for i in range(j, ends[j] if j == 0 or ends[j - 1] == j else j):
                if inside[k, i]:
                    for c in range(j, ends[j]):
                        inside[k, c] = True
        for j in range(len(l1)):
            if inside[k, j]:
                owner[m], column[m] = k, j
                m += 1
    return m


@njit
def _shorten(beta, l1, ends, inside, owner, column, m, H, built, K):
    """Let pairs that are not in use leave the working set and its Hessian; returns how many are left in each."""
    kept, some = np.empty(K + m, dtype=np.int64), K
    for k in range(K):
        kept[k] = k
    e = m - m
    while e < m:
        k, end, stays = owner[e], e + 1, False
        if len(ends) > 0:
            end = e + ends[column[e]] - column[e]
        for f in range(e, end):
            stays = stays or beta[k, column[f]] != 0.0 or l1[column[f]] == 0.0
        for f in range(e, end):
            inside[k, column[f]] = stays
            if stays:
                kept[some] = K + f
                some += 1
        e = end
    left = 0
    for e in range(some):
        if kept[e] < K + built:
            left = e + 1
    for e in range(left if built > 0 else 0):
        for f in range(e + 1):
            H[e, f] = H[f, e] = H[kept[e], kept[f]]
    for e in range(K, some):
        owner[e - K], column[e - K] = owner[kept[e] - K], column[kept[e] - K]
    return some - K, max(0, left - K) if built > 0 else 0


@njit
def _grown(H, size):
    """A Hessian with room for a larger working set."""
    wide = np.empty((size, size))
    for i in range(len(H)):
        for j in range(len(H)):
            wide[i, j] = H[i, j]
    return wide


@njit
def _extend(units, w, prob, hessian, in_hessian, given, centred, owner, column, built, H):
    """Let the Hessian (the intercepts first) at probabilities `prob` hold the pairs after the first `built`."""
    Z, _, inverse, _, _, _ = units
    (K, n), m, p = prob.shape, len(owner), len(inverse)
    ones, parts = np.full(n, 1.0 if centred else 0.0), np.empty((K, n))
    for e in range(K + built if built > 0 else 0, K + m):
        k, j, scale, is_kept = e, -1, 1.0, given
        if e >= K:
            k, j = owner[e - K], column[e - K]
            scale, is_kept = inverse[j], is_kept and in_hessian[k, j]
        ready = False
        for f in range(e + 1):
            other, i, length, both = f, -1, 1.0, is_kept
            if f >= K:
                other, i = owner[f - K], column[f - K]
                length, both = inverse[i], is_kept and in_hessian[other, i]
            if both:
                value = hessian[k * (p + 1) + 1 + j, other * (p + 1) + 1 + i]
            else:
                if not ready:
                    _weighted(w, prob, k, ones if j < 0 else Z[j], parts)
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
def _group_violators(units, ends, residual, limits, inside, found, found_gradient):
    """The columns of the groups outside whose gradients together are longer than the limit."""
    Z, _, inverse, _, _, _ = units
    count = 0
    for first in range(len(ends)):
        if inside[first] or (first > 0 and ends[first - 1] > first):
            continue
        length = 0.0
        for j in range(first, ends[first]):
            c = count + j - first
            found[c], found_gradient[c] = j, inverse[j] * dot(Z[j], residual)
            length += found_gradient[c] ** 2
        if length > limits[first] ** 2:
            count += ends[first] - first
    return count


@njit
def _gap(units, state, y, ends, owner, column, q, found, found_gradient, count, alpha):
    """The duality gap, the residuals shrunk until the gradient of no pair is beyond its penalty.

    A free column counts with the gain that a Newton step would still bring: its gradient is 0 at the dual point.
    """
    _, w, _, _, l1, l2 = units
    beta, eta, residual, prob, b = state
    K = len(beta)
    dual = np.zeros(4)  # dual scale, conjugate of l2, inner product and squared gradients of free columns
    dual[0] = 1.0
    e = 0
    while e < len(owner):
        e = _feasible_scale(ends, beta[owner[e]], column, q, e, l1, l2, alpha, dual)
    for k in range(K):
        c = 0
        while c < count[k]:
            c = _feasible_scale(ends, beta[k], found[k], found_gradient[k], c, l1, l2, alpha, dual)
    dual_scale, fitted_dot_residual = dual[0], 0.0
    value = b[-1] + _penalty(ends, beta, owner, column, l1, l2, alpha) + dual[1] + dual_scale * dual[2]
    for k in range(K):
        fitted_dot_residual += dot(residual[k], eta[k])
    s, curvature = -b[-1] - fitted_dot_residual, 0.0  # the conjugate at the residuals themselves needs no logarithm
    if dual_scale < 1.0 or dual[3] > 0.0:
        s = 0.0 if dual_scale < 1.0 else s
        for k in range(K):
            for i in range(len(y)):
                one = 1.0 if y[i] == k else 0.0
                r = one - dual_scale * (one - prob[k, i])
                curvature += w[i] * prob[k, i] * (1.0 - prob[k, i])
                if dual_scale < 1.0 and r > 0.0 and w[i] > 0.0:
                    s += w[i] * r * np.log(r)
    return value + s + 0.5 * dual[3] * K / max(curvature, 1e-300)


@njit
def _feasible_scale(ends, beta, which, gradients, c, l1, l2, alpha, dual):
    """What one column or group from c on tells of the dual point; returns where the next one begins.

    How far the residuals must shrink for no gradient beyond l1, the conjugate of l2, and the gradients of free columns.
    """
    j, end = which[c], c + 1
    if len(ends) > 0:
        end = c + ends[j] - j
    length = abs(gradients[c])
    if end > c + 1:
        length = np.sqrt(dot(gradients[c:end], gradients[c:end]))
    over = length - alpha * l1[j]
    if over <= 0.0:
        return end
    if alpha * l2[j] > 0.0:
        dual[1] += over * over / (2.0 * alpha * l2[j])
    elif alpha * l1[j] > 0.0:
        dual[0] = min(dual[0], alpha * l1[j] / length)
    else:
        dual[3] += over * over
        for e in range(c, end):
            dual[2] += beta[which[e]] * gradients[e]
    return end


@njit
def _penalty(ends, beta, owner, column, l1, l2, alpha):
    """alpha Σ (l1 |β| + ½ l2 β²) over the working set, |β| the length of a group's coefficients."""
    total, length = 0.0, 0.0
    for e in range(len(owner)):
        j = column[e]
        value = beta[owner[e], j]
        total += 0.5 * l2[j] * value * value
        if len(ends) == 0:
            total += l1[j] * abs(value)
            continue
        length += value * value
        if ends[j] == j + 1:
            total += l1[j] * np.sqrt(length)
            length = 0.0
    return alpha * total


@njit
def update_probabilities(eta, y, w, residual, prob, totals):
    """Probabilities P and residuals w (y - P) of every class and row, the sums of residuals; returns the mean loss."""
    K, loss = len(eta), 0.0
    for k in range(K):
        totals[k] = 0.0
    for i in range(len(y)):
        if w[i] == 0.0:
            for k in range(K):
                residual[k, i] = 0.0
                prob[k, i] = 0.0
            continue
        top, whole, other = eta[0, i], 0.0, 0.0
        for k in range(1, K):
            top = max(top, eta[k, i])
        for k in range(K):
            e = np.exp(eta[k, i] - top)
            prob[k, i] = e
            whole += e
            other += e if k != y[i] else 0.0
        loss += w[i] * (np.log(whole) + top - eta[y[i], i])
        for k in range(K):
            prob[k, i] /= whole
            residual[k, i] = -w[i] * prob[k, i] if k != y[i] else w[i] * other / whole  # no digits lost near 1
            totals[k] += residual[k, i]
    return loss


@njit
def _line_search(units, state, y, ends, alpha, centred, tolerance, present, owner, column, old, new, u, moved):
    """Step by u (classes × rows) to the new coefficients, halved until the objective falls; then centre."""
    _, w, _, _, l1, l2 = units
    beta, eta, residual, prob, b = state
    K = len(beta)
    totals, start, length = np.zeros(K), eta.copy(), 1.0
    before = b[-1] + _penalty(ends, beta, owner, column, l1, l2, alpha)
    for _ in range(30):
        for e in range(len(owner)):
            beta[owner[e], column[e]] = old[e] + length * (new[e] - old[e])
        for k in range(K):
            for i in range(len(w)):
                eta[k, i] = start[k, i] + length * u[k, i]
        b[-1] = update_probabilities(eta, y, w, residual, prob, totals)
        if b[-1] + _penalty(ends, beta, owner, column, l1, l2, alpha) <= before + 1e-14 * abs(before):
            break
        length *= 0.5
    for k in range(K):
        b[k] += length * moved[k]
    if centred:
        _optimise_intercepts(w, state, y, tolerance, present, totals)


@njit
def _optimise_intercepts(w, state, y, tolerance, present, totals):
    """Newton steps for the intercepts alone: the dual point needs residuals of every class that sum to zero."""
    _, eta, residual, prob, b = state
    K, count, was = len(eta), 0, np.inf
    some, none, H, gradient = np.empty(K, dtype=np.int64), np.zeros(K), np.empty((K, K)), np.empty(K)
    for k in range(K):
        if present[k]:
            some[count] = k
            count += 1
    for _ in range(50):
        far = 0.0
        for c in range(count):
            gradient[c] = totals[some[c]]
            far = max(far, abs(gradient[c]))
        if far < max(1e-15, 1e-4 * tolerance) or (far > 0.5 * was and was < 1e-10):
            return  # or rounding is all that is left
        was = far
        for k in range(K):
            for c in range(k + 1):
                s = 0.0
                for i in range(len(w)):
                    s -= w[i] * prob[k, i] * prob[c, i]
                H[k, c] = H[c, k] = s
            for i in range(len(w)):
                H[k, k] += w[i] * prob[k, i]
        L = factor(H, some[:count], none)
        if len(L) == 0:
            return
        d = solve(H, L, some[:count], none, gradient[:count])
        mean = d.sum() / count
        for c in range(count):
            move = min(max(d[c] - mean, -2.0), 2.0)
            b[some[c]] += move
            for i in range(len(w)):
                eta[some[c], i] += move
        b[-1] = update_probabilities(eta, y, w, residual, prob, totals)


@njit
def _newton(units, state, y, ends, alpha, centred, tolerance, present, owner, column):
    """Minimise one quadratic on the working set by its residuals, then a line search."""
    Z, w, inverse, _, _, _ = units
    beta, eta, _, prob, _ = state
    K, n = eta.shape
    owner, column = _by_class(owner, column, K)
    h, total, curvature, old = np.empty((K, n)), np.empty(K), np.empty(len(owner)), np.empty(len(owner))
    for k in range(K):
        for i in range(n):
            h[k, i] = w[i] * (prob[k, i] * (1.0 - prob[k, i]) + _FLOOR)
        total[k] = h[k].sum()
    for e in range(len(owner)):
        j = column[e]
        old[e], curvature[e] = beta[owner[e], j], weighted_square(Z[j], h[owner[e]]) * inverse[j] ** 2
    u, moved, new = np.zeros((K, n)), np.zeros(K), np.empty(len(owner))
    _coordinate_descent(
        units, state, (h, total, curvature), (u, moved), alpha, centred, tolerance, present, owner, column
    )
    for e in range(len(owner)):
        new[e] = beta[owner[e], column[e]]
        beta[owner[e], column[e]] = old[e]
    _line_search(units, state, y, ends, alpha, centred, tolerance, present, owner, column, old, new, u, moved)


@njit
def _by_class(owner, column, K):
    """The same pairs, class after class."""
    first, second, m = np.empty_like(owner), np.empty_like(owner), 0
    for k in range(K):
        for e in range(len(owner)):
            if owner[e] == k:
                first[m], second[m] = k, column[e]
                m += 1
    return first, second


@njit
def _coordinate_descent(units, state, model, step, alpha, centred, tol, present, owner, column):
    """Sweeps over the working set, then over those in use until they settle; u and moved are the step they make."""
    Z, w, inverse, _, l1, l2 = units
    beta, _, residual, prob, _ = state
    h, total, curvature = model
    u, moved = step
    K, n = u.shape
    s, g, t = np.zeros(n), np.empty(n), np.empty(n)
    everywhere = True
    for _ in range(_SWEEPS):
        gain, e = 0.0, 0
        for k in range(K):
            _residual(w, residual[k], prob[k], u[k], s, g, t)
            while e < len(owner) and owner[e] == k:
                j = column[e]
                if everywhere or beta[k, j] != 0.0:
                    value = _step(Z[j], h[k], g, t, beta[k], curvature[e], inverse[j], alpha * l1[j], alpha * l2[j], j)
                    gain = max(gain, value)
                e += 1
            d = g.sum() / total[k] if centred and present[k] else 0.0
            moved[k] += d
            gain = max(gain, 0.5 * total[k] * d * d)
            for i in range(n):
                u[k, i] += t[i] + d
                s[i] += prob[k, i] * (t[i] + d)
        if gain * len(owner) <= tol:
            if everywhere:
                break
            everywhere = True
        else:
            everywhere = False


@njit
def _residual(w, residual, prob, u, s, g, t):
    """The residuals of one class after the step so far; t, what is added to the step, begins at 0."""
    for i in range(len(g)):
        t[i] = 0.0
        g[i] = residual[i] - w[i] * (prob[i] * (u[i] - s[i]) + _FLOOR * u[i])


@njit
def _step(column, h, g, t, beta, curvature, inverse, l1, l2, j):
    """Set one coefficient to its optimum; returns what that gained."""
    total_curvature = curvature + l2
    if total_curvature <= 0.0:
        return 0.0
    was = beta[j]
    new = soft_threshold(inverse * dot(column, g) + curvature * was, l1, total_curvature)
    d = new - was
    if d == 0.0:
        return 0.0
    beta[j] = new
    d *= inverse
    for i in range(len(g)):
        move = d * column[i]
        g[i] -= h[i] * move
        t[i] += move
    return 0.5 * total_curvature * (new - was) ** 2


@njit
def _quadratic(units, state, y, ends, alpha, centred, tolerance, present, owner, column, q, H, active, used, L):
    """Minimise one quadratic on the working set by its Hessian, then a line search.

    The first `active` of `used` are the pairs whose factor L a step before left behind (none where it is 0): as long
    as no coefficient turns and none wants to enter, the optimum is one substitution away. Returns the same of now.
    """
    Z, _, inverse, _, l1, l2 = units
    beta, eta, residual, _, _ = state
    K, m = len(beta), len(owner)
    gradient, old, alpha_l1, alpha_l2 = np.zeros(K + m), np.zeros(K + m), np.zeros(K + m), np.zeros(K + m)
    for k in range(K):
        gradient[k] = residual[k].sum() if centred and present[k] else 0.0
        alpha_l2[k] = 1e-6 * H[k, k] if present[k] else 1.0  # adding a number to all intercepts changes nothing
    for e in range(m):
        j = column[e]
        gradient[K + e], old[K + e], alpha_l1[K + e], alpha_l2[K + e] = (
            q[e],
            beta[owner[e], j],
            alpha * l1[j],
            alpha * l2[j],
        )
    new = old.copy()
    if len(ends) > 0:
        _minimise_groups(H, gradient, new, alpha_l1, alpha_l2, ends, column[:m], K, tolerance)
    else:
        active, used, L = _minimise(H, gradient, new, alpha_l1, alpha_l2, tolerance, active, used, L)
    u = np.zeros(eta.shape)
    for k in range(K):
        for i in range(len(u[k]) if centred else 0):
            u[k, i] = new[k]
    for e in range(m):
        if new[K + e] != old[K + e]:
            _add(u[owner[e]], (new[K + e] - old[K + e]) * inverse[column[e]], Z[column[e]])
    _line_search(units, state, y, ends, alpha, centred, tolerance, present, owner, column, old[K:], new[K:], u, new[:K])
    return active, used, L


@njit
def _minimise(H, gradient, new, alpha_l1, alpha_l2, tolerance, active, used, L):
    """The optimum of a quadratic with an l1 penalty, to rounding where its columns in use are not too many."""
    if active > 0:
        start, old = gradient.copy(), new.copy()
        if advance(H, L, gradient, new, alpha_l1, alpha_l2, used[:active]) and not _wants(
            gradient, new, alpha_l1, alpha_l2
        ):
            return active, used, L
        for j in range(len(gradient)):
            gradient[j], new[j] = start[j], old[j]
    used, tol, some = np.empty(len(gradient), dtype=np.int64), tolerance, False
    for j in range(len(alpha_l1)):
        some = some or alpha_l1[j] > 0.0
    for _ in range(4):
        if some:
            coordinate_descent(H, gradient, new, alpha_l1, alpha_l2, tol / len(gradient) ** 0.5, _SWEEPS)
        active, L = exact(H, gradient, new, alpha_l1, alpha_l2, used)
        if active == 0 or not _wants(gradient, new, alpha_l1, alpha_l2):
            break
        tol *= 1e-3
    return active, used, L


@njit
def _wants(gradient, new, alpha_l1, alpha_l2):
    """Whether the gradient of a coefficient at 0 is beyond its penalty."""
    wanted = False
    for j in range(len(new)):
        wanted = wanted or (new[j] == 0.0 and alpha_l1[j] > 0.0 and abs(gradient[j]) > alpha_l1[j] * (1.0 + 1e-9))
    return wanted


@njit
def _minimise_groups(H, gradient, new, alpha_l1, alpha_l2, ends, column, K, tolerance):
    """Coordinate descent over the groups of every class; the intercepts are groups of one."""
    m = len(gradient)
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
