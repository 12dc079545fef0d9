# mypy: allow-untyped-defs
"""The compiled half of the multinomial path: one fit of three classes or more, from one strength to the next.

A quadratic with the full Hessian of the softmax is minimised on a working set of (class, column) pairs, and again,
until the duality gap is closed. With P the probabilities (classes × rows), a step u (classes × rows) of the linear
predictors changes the residuals of class k by -w P_k (u_k - Σ_l P_l u_l): the classes are coupled through one number a
row, so coordinate descent that keeps residuals costs no more a coordinate than with two classes. Where rows outnumber
columns the Hessian of the working set is computed instead, or taken from one that all folds share.
"""

from __future__ import annotations

import numpy as np

from tamis.engine.kernel import njit
from tamis.linear.descend import descend, descend_groups, direct, dot, polish
from tamis.linear.screen import violators, worst

_NEWTON = 200  # quadratics a strength
_SWEEPS = 20_000
_DIRECT = 100  # coefficients up to which a direct solve costs less than a few sweeps
LEAST = 1e-9  # curvature added to every row; where no direct solve follows, 1e-5


@njit
def walk(units, look, stand, y, starts, alphas, rules, curve, have, out):
    """Follow falling strengths; `stand` and `look` hold where we stand, and are left where we end.

    units: the columns as rows, weights of the rows (sum 1), inverse scales, lengths, l1 and l2 of every column (of a
    group: l1 as one of its columns, √size included). look: what `violators` knows, one row a class. stand:
    coefficients (classes × columns), linear predictors, weighted residuals and probabilities (classes × rows),
    intercepts and, last, the mean loss. y: the class of every row. starts: where groups begin, or empty.
    rules: (whether there are intercepts, whether residuals are kept, the gap to reach, the gap that is enough where
    rounding keeps it from falling). curve: a Hessian shared by several fits on (classes × (1 + columns))², without
    scales, and the pairs it holds; or empty. out: coefficients (the intercept last), linear predictors and gaps, one
    row a strength.
    """
    Z, w, inverse, _, l1, _ = units
    beta, eta, pull, _, b = stand
    centred, residual, goal, enough = rules
    coefs, etas, gaps = out
    K, p = beta.shape
    present = _present(y, w, K, centred)
    used, size = np.empty((K, p), dtype=np.int64), np.zeros(K, dtype=np.int64)
    found, count = np.empty((K, p), dtype=np.int64), np.zeros(K, dtype=np.int64)
    hard, q = np.empty((K, p)), np.empty((K, p))
    inside = np.zeros((K, p), dtype=np.bool_)
    for a in range(len(alphas)):
        alpha = alphas[a]
        limits = alpha * l1
        for k in range(K):
            size[k] = _in_use(beta[k], l1, inverse, starts, present[k], inside[k], used[k])
        gap, care = np.inf, 0.1 * goal
        for step in range(_NEWTON):
            for k in range(K):
                for c in range(size[k]):
                    q[k, c] = inverse[used[k, c]] * dot(Z[used[k, c]], pull[k])
                count[k] = 0
                if present[k] and len(starts) == 0:
                    mine = look[0][k], look[1][k], look[2][k], look[3][k]
                    count[k] = violators(units, mine, pull[k], limits, inside[k], found[k], hard[k])
                elif present[k]:
                    count[k] = _group_violators(units, starts, pull[k], limits, inside[k], found[k], hard[k])
            before = gap
            gap = _gap(units, stand, y, starts, used, q, size, found, hard, count, alpha)
            if gap <= goal or (gap <= enough and gap > 0.5 * before):
                break
            # along a valley each sweep gains little however far the end: then sweep with more patience
            slow = gap > 0.3 * before
            care = max(1e-18, 0.1 * care if gap > 0.5 * before else min(care, 0.01 * gap))
            for k in range(K):
                if len(starts) == 0:
                    count[k] = worst(found[k], hard[k], limits, count[k], max(8 + 64 // K, size[k]))
                for c in range(count[k]):
                    used[k, size[k]], q[k, size[k]] = found[k, c], hard[k, c]
                    inside[k, found[k, c]] = True
                    size[k] += 1
            if residual:
                _newton(units, stand, y, starts, alpha, centred, care, present, used, size)
            else:
                shared = len(curve) > 0 and not slow and _holds(have, used, size)
                H = _shared(units, curve, used, size, centred) if shared else _own(units, stand, used, size, centred)
                _quadratic(units, stand, y, starts, alpha, centred, care, slow, present, used, size, q, H)
        for k in range(K):
            coefs[a, :p, k], coefs[a, p, k] = beta[k], b[k]
            etas[a, :, k] = eta[k]
        gaps[a] = gap


@njit
def _present(y, w, K, centred):
    """Which classes take part: all, but one without a row that counts keeps the intercept it begins with."""
    out = np.full(K, not centred)
    for i in range(len(y)):
        if w[i] > 0.0:
            out[y[i]] = True
    return out


@njit
def _in_use(beta, l1, inverse, starts, present, inside, used):
    """The columns a strength begins with: those in use (groups whole) and those without l1; returns their number."""
    size = 0
    if not present:
        return 0
    for j in range(len(beta)):
        inside[j] = inverse[j] > 0.0 and (beta[j] != 0.0 or l1[j] == 0.0)
    for g in range(len(starts) - 1):
        if inside[starts[g] : starts[g + 1]].any():
            inside[starts[g] : starts[g + 1]] = True
    for j in range(len(beta)):
        if inside[j]:
            used[size] = j
            size += 1
    return size


@njit
def _group_violators(units, starts, pull, limits, inside, found, hard):
    """The columns of the groups outside whose pulls together are longer than the limit."""
    Z, _, inverse, _, _, _ = units
    count = 0
    for g in range(len(starts) - 1):
        if inside[starts[g]]:
            continue
        length = 0.0
        for j in range(starts[g], starts[g + 1]):
            c = count + j - starts[g]
            found[c], hard[c] = j, inverse[j] * dot(Z[j], pull)
            length += hard[c] ** 2
        if length > limits[starts[g]] ** 2:
            count += starts[g + 1] - starts[g]
    return count


@njit
def _gap(units, stand, y, starts, used, q, size, found, hard, count, alpha):
    """The duality gap, the residuals shrunk until no pair pulls harder than its penalty allows.

    A free column counts with the gain that a Newton step would still bring: the dual point has no pull on it.
    """
    _, w, _, _, l1, l2 = units
    beta, eta, pull, prob, b = stand
    K, value = len(beta), b[-1]
    told = np.array([1.0, 0.0, 0.0, 0.0])  # share, held by l2, lean and squared pulls of free columns
    for k in range(K):
        _reach(starts, used[k], q[k], size[k], beta[k], l1, l2, alpha, told)
        _reach(starts, found[k], hard[k], count[k], beta[k], l1, l2, alpha, told)
        value += _penalty(starts, beta[k], used[k], size[k], l1, l2, alpha)
    share = told[0]
    value += told[1] + share * told[2]
    bend, s, inner = 0.0, 0.0, 0.0
    for k in range(K):
        inner += dot(pull[k], eta[k])
        if share == 1.0 and told[3] == 0.0:
            continue
        for i in range(len(y)):
            if w[i] > 0.0:
                one = 1.0 if y[i] == k else 0.0
                r = one - share * (one - prob[k, i])
                bend += w[i] * prob[k, i] * (1.0 - prob[k, i])
                if r > 0.0:
                    s += w[i] * r * np.log(r)
    if share == 1.0 and told[3] == 0.0:
        return value - b[-1] - inner  # the conjugate at the residuals themselves needs no logarithm
    if share == 1.0:
        s = -b[-1] - inner
    return value + s + 0.5 * told[3] * K / max(bend, 1e-300)


@njit
def _reach(starts, which, pulls, count, beta, l1, l2, alpha, told):
    """How far the residuals must shrink for no pull beyond l1, what l2 holds of the rest, and what free columns lack."""
    c = 0
    while c < count:
        j, end = which[c], c + 1
        if len(starts) > 0:
            end = c + starts[np.searchsorted(starts, j, side="right")] - j
        length = 0.0
        for e in range(c, end):
            length += pulls[e] * pulls[e]
        length = np.sqrt(length)
        over = length - alpha * l1[j]
        if over > 0.0:
            if alpha * l2[j] > 0.0:
                told[1] += over * over / (2.0 * alpha * l2[j])
            elif alpha * l1[j] > 0.0:
                told[0] = min(told[0], alpha * l1[j] / length)
            else:
                told[3] += over * over
                for e in range(c, end):
                    told[2] += beta[which[e]] * pulls[e]
        c = end


@njit
def _penalty(starts, beta, used, size, l1, l2, alpha):
    """alpha Σ (l1 |β| + ½ l2 β²) over the columns of one class, |β| the length of a group's coefficients."""
    total, length = 0.0, 0.0
    for c in range(size):
        j = used[c]
        total += 0.5 * l2[j] * beta[j] * beta[j]
        if len(starts) == 0:
            total += l1[j] * abs(beta[j])
            continue
        length += beta[j] * beta[j]
        if c + 1 == size or starts[np.searchsorted(starts, j, side="right")] == j + 1:
            total += l1[j] * np.sqrt(length)
            length = 0.0
    return alpha * total


@njit
def settle(eta, y, w, pull, prob, totals):
    """Probabilities and pull = w (y - P) of every class and row, the sums of pulls; returns the mean loss."""
    K, loss = len(eta), 0.0
    totals[:] = 0.0
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
def _go(units, stand, y, starts, alpha, centred, care, present, used, size, old, new, u, moved):
    """Step by u (classes × rows) to the new coefficients, halved until the objective falls; then centre."""
    _, w, _, _, l1, l2 = units
    beta, eta, pull, prob, b = stand
    K = len(beta)
    totals, start, length, before = np.zeros(K), eta.copy(), 1.0, b[-1]
    for k in range(K):
        before += _penalty(starts, beta[k], used[k], size[k], l1, l2, alpha)
    for _ in range(30):
        value = 0.0
        for k in range(K):
            for c in range(size[k]):
                beta[k, used[k, c]] = old[k, c] + length * (new[k, c] - old[k, c])
            value += _penalty(starts, beta[k], used[k], size[k], l1, l2, alpha)
            for i in range(len(w)):
                eta[k, i] = start[k, i] + length * u[k, i]
        b[-1] = settle(eta, y, w, pull, prob, totals)
        if b[-1] + value <= before + 1e-14 * abs(before):
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
    K, some = len(eta), np.flatnonzero(present)
    none, was = np.zeros(K), np.inf
    for _ in range(50):
        worst_total = np.abs(totals[some]).max()
        if worst_total < max(1e-15, 1e-4 * care) or (worst_total > 0.5 * was and was < 1e-10):
            return  # or rounding is all that is left
        was = worst_total
        H = np.zeros((K, K))
        for k in range(K):
            for l in range(k + 1):
                s = 0.0
                for i in range(len(w)):
                    s -= w[i] * prob[k, i] * prob[l, i]
                H[k, l] = H[l, k] = s
            for i in range(len(w)):
                H[k, k] += w[i] * prob[k, i]
        d = direct(H, some, none, totals[some])
        if not np.isfinite(d[0]):
            return
        d -= d.mean()
        for c in range(len(some)):
            move = min(max(d[c], -2.0), 2.0)
            b[some[c]] += move
            for i in range(len(w)):
                eta[some[c], i] += move
        b[-1] = settle(eta, y, w, pull, prob, totals)


@njit
def _newton(units, stand, y, starts, alpha, centred, care, present, used, size):
    """Minimise one quadratic on the working set by its residuals, and walk there."""
    Z, w, inverse, _, _, _ = units
    beta, eta, pull, prob, _ = stand
    (K, n), most = eta.shape, size.max()
    old, bend = np.empty((K, most)), np.empty((K, most))
    h, total = np.empty((K, n)), np.empty(K)
    for k in range(K):
        for i in range(n):
            h[k, i] = w[i] * (prob[k, i] * (1.0 - prob[k, i]) + 1e-5)
        total[k] = h[k].sum()
        for c in range(size[k]):
            j = used[k, c]
            old[k, c], bend[k, c] = beta[k, j], _curvature(Z[j], h[k]) * inverse[j] ** 2
    u, moved = np.zeros((K, n)), np.zeros(K)
    _descend(units, stand, (h, total, bend), (u, moved), alpha, centred, care, present, used, size)
    new = np.empty((K, most))
    for k in range(K):
        for c in range(size[k]):
            new[k, c] = beta[k, used[k, c]]
            beta[k, used[k, c]] = old[k, c]
    _go(units, stand, y, starts, alpha, centred, care, present, used, size, old, new, u, moved)


@njit
def _descend(units, stand, model, step, alpha, centred, tol, present, used, size):
    """Sweeps over the working set, then over those in use until they settle; u and moved are the step they make."""
    Z, w, inverse, _, l1, l2 = units
    beta, _, pull, prob, _ = stand
    h, total, bend = model
    u, moved = step
    K, n = u.shape
    s, g, t, whole = np.zeros(n), np.empty(n), np.empty(n), size.sum()
    inside, some = np.empty(used.shape, dtype=np.int64), np.zeros(K, dtype=np.int64)
    everywhere = True
    for _ in range(_SWEEPS):
        gain = 0.0
        for k in range(K):
            if not present[k]:
                continue
            _residual(w, pull[k], prob[k], u[k], s, g)
            t[:] = 0.0
            for c in range(size[k] if everywhere else some[k]):
                e = c if everywhere else inside[k, c]
                j = used[k, e]
                value = _step(Z[j], h[k], g, t, beta[k], bend[k, e], inverse[j], alpha * l1[j], alpha * l2[j], j)
                gain = max(gain, value)
            if centred:
                d = g.sum() / total[k]
                moved[k] += d
                t += d
                gain = max(gain, 0.5 * total[k] * d * d)
            for i in range(n):
                u[k, i] += t[i]
                s[i] += prob[k, i] * t[i]
        if gain * whole <= tol:
            if everywhere:
                break
            everywhere = True
        elif everywhere:
            everywhere = False
            for k in range(K):
                some[k] = 0
                for c in range(size[k]):
                    if beta[k, used[k, c]] != 0.0:
                        inside[k, some[k]] = c
                        some[k] += 1


@njit
def _residual(w, pull, prob, u, s, g):
    """The residuals of one class after the step so far."""
    for i in range(len(g)):
        g[i] = pull[i] - w[i] * (prob[i] * (u[i] - s[i]) + 1e-5 * u[i])


@njit
def _step(column, h, g, t, beta, bend, inverse, l1, l2, j):
    """Set one coefficient to its optimum; returns what that gained."""
    curve = bend + l2
    if curve <= 0.0:
        return 0.0
    was = beta[j]
    towards = inverse * dot(column, g) + bend * was
    if towards > l1:
        new = (towards - l1) / curve
    elif towards < -l1:
        new = (towards + l1) / curve
    else:
        new = 0.0
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


@njit(fastmath={"reassoc", "contract"})
def _curvature(column, h):
    s = 0.0
    for i in range(len(h)):
        s += h[i] * column[i] * column[i]
    return s


@njit
def _holds(have, used, size):
    """Whether the shared Hessian has all pairs of the working set."""
    for k in range(len(size)):
        for c in range(size[k]):
            if not have[k, used[k, c]]:
                return False
    return True


@njit
def _shared(units, curve, used, size, centred):
    """The Hessian of the working set (intercepts first) from the shared one, in the units of the fit."""
    _, _, inverse, _, _, _ = units
    K, p = used.shape
    m = K + size.sum()
    H, place, scale, e = np.empty((m, m)), np.empty(m, dtype=np.int64), np.ones(m), K
    for k in range(K):
        place[k] = k * (p + 1)
        if not centred:
            scale[k] = 0.0
        for c in range(size[k]):
            place[e], scale[e] = k * (p + 1) + 1 + used[k, c], inverse[used[k, c]]
            e += 1
    for i in range(m):
        row = curve[place[i]]
        for j in range(m):
            H[i, j] = row[place[j]] * scale[i] * scale[j]
    return H


@njit
def _own(units, stand, used, size, centred):
    """The Hessian of the working set (intercepts first) at the probabilities of now."""
    Z, w, inverse, _, _, _ = units
    _, eta, _, prob, _ = stand
    K, n = eta.shape
    m = K + size.sum()
    rows, owner, e = np.empty((m, n)), np.empty(m, dtype=np.int64), K
    for k in range(K):
        owner[k] = k
        rows[k] = 1.0 if centred else 0.0
        for c in range(size[k]):
            rows[e] = Z[used[k, c]] * inverse[used[k, c]]
            owner[e] = k
            e += 1
    H, same, other = np.empty((m, m)), np.empty(n), np.empty(n)
    part = np.empty((m, n))
    for e in range(m):
        part[e] = rows[e] * prob[owner[e]]
    for e in range(m):
        k = owner[e]
        for i in range(n):
            same[i] = w[i] * rows[e, i] * (prob[k, i] * (1.0 - prob[k, i]) + LEAST)
            other[i] = -w[i] * part[e, i]
        for f in range(e + 1):
            H[e, f] = H[f, e] = dot(same, rows[f]) if owner[f] == k else dot(other, part[f])
    return H


@njit
def _quadratic(units, stand, y, starts, alpha, centred, care, slow, present, used, size, q, H):
    """Minimise one quadratic on the working set by its Hessian, and walk there."""
    Z, _, inverse, _, l1, l2 = units
    beta, eta, pull, _, _ = stand
    K, m, e = len(beta), len(H), len(beta)
    left, old, hold, bend = np.zeros(m), np.zeros(m), np.zeros(m), np.zeros(m)
    for k in range(K):
        left[k] = pull[k].sum() if centred and present[k] else 0.0
        bend[k] = 1e-6 * H[k, k] if present[k] else 1.0  # adding a number to all intercepts changes nothing
        for c in range(size[k]):
            j = used[k, c]
            left[e], old[e], hold[e], bend[e] = q[k, c], beta[k, j], alpha * l1[j], alpha * l2[j]
            e += 1
    new = old.copy()
    if len(starts) > 0:
        _minimise_groups(H, left, new, hold, bend, starts, used, size, care)
    else:
        if hold.any():
            descend(H, left, new, hold, bend, care / max(1, m) ** 0.5, _SWEEPS)
        if slow or m <= _DIRECT or not hold.any():
            polish(H, left, new, hold, bend)
    before, after = np.zeros((K, size.max())), np.zeros((K, size.max()))
    u, e = np.zeros(eta.shape), K
    for k in range(K):
        if centred:
            u[k] += new[k]
        for c in range(size[k]):
            before[k, c], after[k, c] = old[e], new[e]
            if new[e] != old[e]:
                _add(u[k], (new[e] - old[e]) * inverse[used[k, c]], Z[used[k, c]])
            e += 1
    _go(units, stand, y, starts, alpha, centred, care, present, used, size, before, after, u, new[:K])


@njit
def _minimise_groups(H, left, new, hold, bend, starts, used, size, care):
    """Coordinate descent over the groups of every class; the intercepts are groups of one."""
    K, m = len(size), len(left)
    cuts, some, e = np.empty(m + 1, dtype=np.int64), K, K
    cuts[:K] = np.arange(K)
    for k in range(K):
        for c in range(size[k]):
            if c == 0 or starts[np.searchsorted(starts, used[k, c])] == used[k, c]:
                cuts[some] = e
                some += 1
            e += 1
    cuts[some] = m
    top = np.empty(some)
    for g in range(some):
        trace, row = 0.0, 0.0
        for i in range(cuts[g], cuts[g + 1]):
            trace += H[i, i]
            row = max(row, np.abs(H[i, cuts[g] : cuts[g + 1]]).sum())
        top[g] = min(trace, row)
    descend_groups(H, left, new, cuts[: some + 1], top, hold[cuts[:some]], bend[cuts[:some]], care, _SWEEPS)


@njit
def _add(total, d, column):
    for i in range(len(total)):
        total[i] += d * column[i]
