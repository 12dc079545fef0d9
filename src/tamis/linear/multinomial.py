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
from tamis.linear.descend import advance, descend, descend_groups, dot, exact, factor, soft, solve, weighted_square
from tamis.linear.screen import violators, worst

_NEWTON = 200  # quadratics a strength
_SWEEPS = 20_000
_MORE_STEPS = 2  # of a model that is kept: near the optimum each doubles the digits, which a gap cannot see
_LEAST = 1e-9  # curvature added to every row
_FLOOR = 1e-5  # the same where residuals are kept and no direct solve follows


@njit
def walk(units, look, stand, y, ends, alphas, rules, shared, out):
    """Follow falling strengths; `stand` and `look` hold where we stand, and are left where we end.

    units: the columns as rows, weights of the rows (sum 1), inverse scales, lengths, l1 and l2 of every column (in a
    group: those of the group). look: what `violators` knows, one row a class. stand: coefficients (classes × columns),
    linear predictors, weighted residuals and probabilities (classes × rows), intercepts and, last, the mean loss. y:
    the class of every row. ends: where the group of every column ends, or empty. rules: whether there are intercepts,
    the pairs up to which a Hessian is kept, the gap to reach, and the gap that is enough where rounding keeps it from
    falling. shared: weights and probabilities of the
    reference, its Hessian on (classes × (1 + columns))², without scales, and the pairs this holds; or empty arrays.
    out: coefficients (the intercept last), linear predictors and gaps, one row a strength. Returns whether a reference
    of the fit's own took the place of the one given.
    """
    Z, w, inverse, norms, l1, _ = units
    columns = Z, np.empty(0, dtype=np.int64), inverse, norms
    beta, eta, pull, prob, b = stand
    centred, most, goal, enough = rules
    coefs, etas, gaps = out
    K, p = beta.shape
    present = _present(y, w, K, centred)
    owner, column = np.empty(K * p, dtype=np.int64), np.empty(K * p, dtype=np.int64)
    found, count = np.empty((K, p), dtype=np.int64), np.zeros(K, dtype=np.int64)
    hard, q, inside = np.empty((K, p)), np.empty(K * p), np.zeros((K, p), dtype=np.bool_)
    m = _in_use(beta, l1, inverse, ends, present, inside, owner, column)
    built = active = m - m
    H, used, L = np.empty((0, 0)), np.empty(0, dtype=np.int64), np.empty((0, 0))
    base_w, base, curve, have = shared
    renewed, limits = len(curve) == 0, np.empty(p)
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
        gap, care, more = np.inf, 0.1 * goal, 0
        for step in range(_NEWTON):
            for e in range(m):
                q[e] = inverse[column[e]] * dot(Z[column[e]], pull[owner[e]])
            for k in range(K):
                count[k] = 0
                if present[k] and len(ends) == 0:
                    mine = look[0][k], look[1][k], look[2][k], look[3][k]
                    count[k] = violators(columns, w, mine, pull[k], limits, inside[k], found[k], hard[k])
                elif present[k]:
                    count[k] = _group_violators(units, ends, pull[k], limits, inside[k], found[k], hard[k])
            before = gap
            gap = _gap(units, stand, y, ends, owner[:m], column, q, found, hard, count, alpha)
            if gap <= goal or (gap <= enough and gap > 0.5 * before):
                if enough == 0.0 or more == _MORE_STEPS:
                    break
                more, built, active, renewed, base_w, base = more + 1, 0, 0, True, w, prob.copy()
            # along a valley each sweep gains little however far the end: then sweep with more patience
            care = max(1e-26, 0.1 * care if gap > 0.5 * before else min(care, 0.01 * abs(gap)))
            size = m
            for k in range(K):
                if len(ends) == 0:
                    count[k] = worst(found[k], hard[k], limits, count[k], max(8 + 64 // K, m // K))
                for c in range(count[k]):
                    owner[m], column[m], q[m] = k, found[k, c], hard[k, c]
                    inside[k, found[k, c]] = True
                    m += 1
            if m > most and len(ends) == 0:
                _newton(units, stand, y, ends, alpha, centred, care, present, owner[:m], column[:m])
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
                _extend(units, base_w, base, curve, have, not renewed, centred, owner[:m], column, built, H)
                built = m
            active, used, L = _quadratic(
                units, stand, y, ends, alpha, centred, care, present, owner[:m], column, q, H, active, used, L
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
def _extend(units, w, prob, curve, have, given, centred, owner, column, built, H):
    """Let the Hessian (the intercepts first) at probabilities `prob` hold the pairs after the first `built`."""
    Z, _, inverse, _, _, _ = units
    (K, n), m, p = prob.shape, len(owner), len(inverse)
    ones, parts = np.full(n, 1.0 if centred else 0.0), np.empty((K, n))
    for e in range(K + built if built > 0 else 0, K + m):
        k, j, scale, held = e, -1, 1.0, given
        if e >= K:
            k, j = owner[e - K], column[e - K]
            scale, held = inverse[j], held and have[k, j]
        ready = False
        for f in range(e + 1):
            other, i, length, both = f, -1, 1.0, held
            if f >= K:
                other, i = owner[f - K], column[f - K]
                length, both = inverse[i], held and have[other, i]
            if both:
                value = curve[k * (p + 1) + 1 + j, other * (p + 1) + 1 + i]
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
def _group_violators(units, ends, pull, limits, inside, found, hard):
    """The columns of the groups outside whose pulls together are longer than the limit."""
    Z, _, inverse, _, _, _ = units
    count = 0
    for first in range(len(ends)):
        if inside[first] or (first > 0 and ends[first - 1] > first):
            continue
        length = 0.0
        for j in range(first, ends[first]):
            c = count + j - first
            found[c], hard[c] = j, inverse[j] * dot(Z[j], pull)
            length += hard[c] ** 2
        if length > limits[first] ** 2:
            count += ends[first] - first
    return count


@njit
def _gap(units, stand, y, ends, owner, column, q, found, hard, count, alpha):
    """The duality gap, the residuals shrunk until no pair pulls harder than its penalty allows.

    A free column counts with the gain that a Newton step would still bring: the dual point has no pull on it.
    """
    _, w, _, _, l1, l2 = units
    beta, eta, pull, prob, b = stand
    K = len(beta)
    told = np.zeros(4)  # share, held by l2, lean and squared pulls of free columns
    told[0] = 1.0
    e = 0
    while e < len(owner):
        e = _reach(ends, beta[owner[e]], column, q, e, l1, l2, alpha, told)
    for k in range(K):
        c = 0
        while c < count[k]:
            c = _reach(ends, beta[k], found[k], hard[k], c, l1, l2, alpha, told)
    share, inner = told[0], 0.0
    value = b[-1] + _penalty(ends, beta, owner, column, l1, l2, alpha) + told[1] + share * told[2]
    for k in range(K):
        inner += dot(pull[k], eta[k])
    s, bend = -b[-1] - inner, 0.0  # the conjugate at the residuals themselves needs no logarithm
    if share < 1.0 or told[3] > 0.0:
        s = 0.0 if share < 1.0 else s
        for k in range(K):
            for i in range(len(y)):
                one = 1.0 if y[i] == k else 0.0
                r = one - share * (one - prob[k, i])
                bend += w[i] * prob[k, i] * (1.0 - prob[k, i])
                if share < 1.0 and r > 0.0 and w[i] > 0.0:
                    s += w[i] * r * np.log(r)
    return value + s + 0.5 * told[3] * K / max(bend, 1e-300)


@njit
def _reach(ends, beta, which, pulls, c, l1, l2, alpha, told):
    """What one column or group from c on tells of the dual point; returns where the next one begins.

    How far the residuals must shrink for no pull beyond l1, what l2 holds of the rest, what free columns lack.
    """
    j, end = which[c], c + 1
    if len(ends) > 0:
        end = c + ends[j] - j
    length = abs(pulls[c])
    if end > c + 1:
        length = np.sqrt(dot(pulls[c:end], pulls[c:end]))
    over = length - alpha * l1[j]
    if over <= 0.0:
        return end
    if alpha * l2[j] > 0.0:
        told[1] += over * over / (2.0 * alpha * l2[j])
    elif alpha * l1[j] > 0.0:
        told[0] = min(told[0], alpha * l1[j] / length)
    else:
        told[3] += over * over
        for e in range(c, end):
            told[2] += beta[which[e]] * pulls[e]
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
def settle(eta, y, w, pull, prob, totals):
    """Probabilities and pull = w (y - P) of every class and row, the sums of pulls; returns the mean loss."""
    K, loss = len(eta), 0.0
    for k in range(K):
        totals[k] = 0.0
    for i in range(len(y)):
        if w[i] == 0.0:
            for k in range(K):
                pull[k, i] = 0.0
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
            pull[k, i] = -w[i] * prob[k, i] if k != y[i] else w[i] * other / whole  # no digits lost near 1
            totals[k] += pull[k, i]
    return loss


@njit
def _go(units, stand, y, ends, alpha, centred, care, present, owner, column, old, new, u, moved):
    """Step by u (classes × rows) to the new coefficients, halved until the objective falls; then centre."""
    _, w, _, _, l1, l2 = units
    beta, eta, pull, prob, b = stand
    K = len(beta)
    totals, start, length = np.zeros(K), eta.copy(), 1.0
    before = b[-1] + _penalty(ends, beta, owner, column, l1, l2, alpha)
    for _ in range(30):
        for e in range(len(owner)):
            beta[owner[e], column[e]] = old[e] + length * (new[e] - old[e])
        for k in range(K):
            for i in range(len(w)):
                eta[k, i] = start[k, i] + length * u[k, i]
        b[-1] = settle(eta, y, w, pull, prob, totals)
        if b[-1] + _penalty(ends, beta, owner, column, l1, l2, alpha) <= before + 1e-14 * abs(before):
            break
        length *= 0.5
    for k in range(K):
        b[k] += length * moved[k]
    if centred:
        _centre(w, stand, y, care, present, totals)


@njit
def _centre(w, stand, y, care, present, totals):
    """Newton steps for the intercepts alone: the dual point needs residuals of every class that sum to zero."""
    _, eta, pull, prob, b = stand
    K, count, was = len(eta), 0, np.inf
    some, none, H, left = np.empty(K, dtype=np.int64), np.zeros(K), np.empty((K, K)), np.empty(K)
    for k in range(K):
        if present[k]:
            some[count] = k
            count += 1
    for _ in range(50):
        far = 0.0
        for c in range(count):
            left[c] = totals[some[c]]
            far = max(far, abs(left[c]))
        if far < max(1e-15, 1e-4 * care) or (far > 0.5 * was and was < 1e-10):
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
        d = solve(H, L, some[:count], none, left[:count])
        mean = d.sum() / count
        for c in range(count):
            move = min(max(d[c] - mean, -2.0), 2.0)
            b[some[c]] += move
            for i in range(len(w)):
                eta[some[c], i] += move
        b[-1] = settle(eta, y, w, pull, prob, totals)


@njit
def _newton(units, stand, y, ends, alpha, centred, care, present, owner, column):
    """Minimise one quadratic on the working set by its residuals, and walk there."""
    Z, w, inverse, _, _, _ = units
    beta, eta, _, prob, _ = stand
    K, n = eta.shape
    owner, column = _by_class(owner, column, K)
    h, total, bend, old = np.empty((K, n)), np.empty(K), np.empty(len(owner)), np.empty(len(owner))
    for k in range(K):
        for i in range(n):
            h[k, i] = w[i] * (prob[k, i] * (1.0 - prob[k, i]) + _FLOOR)
        total[k] = h[k].sum()
    for e in range(len(owner)):
        j = column[e]
        old[e], bend[e] = beta[owner[e], j], weighted_square(Z[j], h[owner[e]]) * inverse[j] ** 2
    u, moved, new = np.zeros((K, n)), np.zeros(K), np.empty(len(owner))
    _descend(units, stand, (h, total, bend), (u, moved), alpha, centred, care, present, owner, column)
    for e in range(len(owner)):
        new[e] = beta[owner[e], column[e]]
        beta[owner[e], column[e]] = old[e]
    _go(units, stand, y, ends, alpha, centred, care, present, owner, column, old, new, u, moved)


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
def _descend(units, stand, model, step, alpha, centred, tol, present, owner, column):
    """Sweeps over the working set, then over those in use until they settle; u and moved are the step they make."""
    Z, w, inverse, _, l1, l2 = units
    beta, _, pull, prob, _ = stand
    h, total, bend = model
    u, moved = step
    K, n = u.shape
    s, g, t = np.zeros(n), np.empty(n), np.empty(n)
    everywhere = True
    for _ in range(_SWEEPS):
        gain, e = 0.0, 0
        for k in range(K):
            _residual(w, pull[k], prob[k], u[k], s, g, t)
            while e < len(owner) and owner[e] == k:
                j = column[e]
                if everywhere or beta[k, j] != 0.0:
                    value = _step(Z[j], h[k], g, t, beta[k], bend[e], inverse[j], alpha * l1[j], alpha * l2[j], j)
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
def _residual(w, pull, prob, u, s, g, t):
    """The residuals of one class after the step so far; t, what is added to the step, begins at 0."""
    for i in range(len(g)):
        t[i] = 0.0
        g[i] = pull[i] - w[i] * (prob[i] * (u[i] - s[i]) + _FLOOR * u[i])


@njit
def _step(column, h, g, t, beta, bend, inverse, l1, l2, j):
    """Set one coefficient to its optimum; returns what that gained."""
    curve = bend + l2
    if curve <= 0.0:
        return 0.0
    was = beta[j]
    new = soft(inverse * dot(column, g) + bend * was, l1, curve)
    d = new - was
    if d == 0.0:
        return 0.0
    beta[j] = new
    d *= inverse
    for i in range(len(g)):
        move = d * column[i]
        g[i] -= h[i] * move
        t[i] += move
    return 0.5 * curve * (new - was) ** 2


@njit
def _quadratic(units, stand, y, ends, alpha, centred, care, present, owner, column, q, H, active, used, L):
    """Minimise one quadratic on the working set by its Hessian, and walk there.

    The first `active` of `used` are the pairs whose factor L a step before left behind (none where it is 0): as long
    as no coefficient turns and none wants to enter, the optimum is one substitution away. Returns the same of now.
    """
    Z, _, inverse, _, l1, l2 = units
    beta, eta, pull, _, _ = stand
    K, m = len(beta), len(owner)
    left, old, hold, bend = np.zeros(K + m), np.zeros(K + m), np.zeros(K + m), np.zeros(K + m)
    for k in range(K):
        left[k] = pull[k].sum() if centred and present[k] else 0.0
        bend[k] = 1e-6 * H[k, k] if present[k] else 1.0  # adding a number to all intercepts changes nothing
    for e in range(m):
        j = column[e]
        left[K + e], old[K + e], hold[K + e], bend[K + e] = q[e], beta[owner[e], j], alpha * l1[j], alpha * l2[j]
    new = old.copy()
    if len(ends) > 0:
        _minimise_groups(H, left, new, hold, bend, ends, column[:m], K, care)
    else:
        active, used, L = _minimise(H, left, new, hold, bend, care, active, used, L)
    u = np.zeros(eta.shape)
    for k in range(K):
        for i in range(len(u[k]) if centred else 0):
            u[k, i] = new[k]
    for e in range(m):
        if new[K + e] != old[K + e]:
            _add(u[owner[e]], (new[K + e] - old[K + e]) * inverse[column[e]], Z[column[e]])
    _go(units, stand, y, ends, alpha, centred, care, present, owner, column, old[K:], new[K:], u, new[:K])
    return active, used, L


@njit
def _minimise(H, left, new, hold, bend, care, active, used, L):
    """The optimum of a quadratic with an l1 penalty, to rounding where its columns in use are not too many."""
    if active > 0:
        start, old = left.copy(), new.copy()
        if advance(H, L, left, new, hold, bend, used[:active]) and not _wants(left, new, hold, bend):
            return active, used, L
        for j in range(len(left)):
            left[j], new[j] = start[j], old[j]
    used, tol, some = np.empty(len(left), dtype=np.int64), care, False
    for j in range(len(hold)):
        some = some or hold[j] > 0.0
    for _ in range(4):
        if some:
            descend(H, left, new, hold, bend, tol / len(left) ** 0.5, _SWEEPS)
        active, L = exact(H, left, new, hold, bend, used)
        if active == 0 or not _wants(left, new, hold, bend):
            break
        tol *= 1e-3
    return active, used, L


@njit
def _wants(left, new, hold, bend):
    """Whether a coefficient at 0 pulls harder than its penalty."""
    wanted = False
    for j in range(len(new)):
        wanted = wanted or (new[j] == 0.0 and hold[j] > 0.0 and abs(left[j]) > hold[j] * (1.0 + 1e-9))
    return wanted


@njit
def _minimise_groups(H, left, new, hold, bend, ends, column, K, care):
    """Coordinate descent over the groups of every class; the intercepts are groups of one."""
    m = len(left)
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
        top[g], l1[g], l2[g] = min(trace, most), hold[cuts[g]], bend[cuts[g]]
    descend_groups(H, left, new, cuts[: some + 1], top, l1, l2, care, _SWEEPS)


@njit
def _add(total, d, column):
    for i in range(len(total)):
        total[i] += d * column[i]
