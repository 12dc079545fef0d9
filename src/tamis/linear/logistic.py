# mypy: allow-untyped-defs
"""The compiled half of the logistic path: one fit of two classes, from one strength to the next.

A quadratic around the present coefficients is minimised by coordinate descent on the working set, and again, until
the duality gap is closed. With few rows, residuals are kept instead of a Hessian: a sweep costs little, and a whole
path of a small table costs less than one call of NumPy a strength would. With many rows a Hessian is given, computed a
few strengths before and for all rows: close enough to gain a digit of the gap a step, and a step then costs two
readings of the working set.
"""

from __future__ import annotations

import numpy as np

from tamis.engine.kernel import njit
from tamis.linear.descend import copy_to, descend, dot, polish, soft, weighted_square
from tamis.linear.screen import penalty, reach, violators, worst

_NEWTON = 200  # quadratics a strength
_SWEEPS = 20_000
LEAST = 1e-9  # curvature of a row fitted perfectly; where no direct solve follows, 1e-5, as glmnet has it


@njit
def walk(units, look, stand, y, alphas, centred, goal, bend, have, curve, out):
    """Follow falling strengths; `stand` and `look` hold where we stand, and are left where we end.

    units: the columns as rows, weights of the rows (sum 1), inverse scales, lengths, l1 and l2 of every column.
    look: what `violators` knows. stand: coefficients, predictors, weighted residuals, intercept and mean loss. goal:
    the duality gap to reach. curve: the Hessian (the intercept first) for the row weights `bend`, of the columns in
    `have`, or an empty matrix where residuals are kept. out: coefficients (the intercept last), predictors and gaps,
    one row a strength.
    """
    Z, w, inverse, _, l1, _ = units
    beta, eta, pull, b0 = stand
    coefs, etas, gaps = out
    p = len(beta)
    found, hard, q, there = np.empty(p, dtype=np.int64), np.empty(p), np.empty(p), np.empty(p)
    fresh = False  # whether `there` holds the pulls of now on the columns inside
    used, inside = np.empty(p, dtype=np.int64), np.empty(p, dtype=np.bool_)
    for a in range(len(alphas)):
        alpha = alphas[a]
        limits = alpha * l1
        for j in range(p):
            inside[j] = beta[j] != 0.0
        gap, care = np.inf, 0.1 * goal
        for step in range(_NEWTON):
            size = 0
            for j in range(p):
                if inside[j]:
                    if not fresh:
                        there[j] = inverse[j] * dot(Z[j], pull)
                    used[size], q[size] = j, there[j]
                    size += 1
            fresh = True
            count = violators(units, look, pull, limits, inside, found, hard)
            before = gap
            gap = _gap(units, stand, y, used[:size], q, found, hard, count, alpha, goal, step > 0)
            if gap <= goal:
                break
            fresh = False
            # along a valley each sweep gains little however far the end: then sweep with more patience
            care = max(1e-18, 0.1 * care if gap > 0.5 * before else min(care, 0.01 * gap))
            count = worst(found, hard, limits, count, max(64, size))
            for k in range(count):
                used[size + k], q[size + k] = found[k], hard[k]
                inside[found[k]] = True
            size += count
            if len(curve) == 0:
                _newton(units, stand, y, alpha, centred, care, used[:size])
                continue
            if gap > 0.3 * before:  # the Hessian is of another place: take that of here
                bend = weights(eta, w, LEAST)
                have[:] = False
            _extend(units, bend, have, curve, centred, used[:size])
            _quadratic(units, stand, y, alpha, centred, care, used[:size], q, curve)
        copy_to(coefs[a], beta)
        coefs[a, p] = b0[0]
        copy_to(etas[a], eta)
        gaps[a] = gap


@njit
def _scatter(beta, used, values):
    """beta[used] = values"""
    for k in range(len(used)):
        beta[used[k]] = values[k]


@njit
def weights(eta, w, least):
    """The curvature of every row's loss; a row fitted perfectly keeps a little."""
    v = np.empty(len(eta))
    for i in range(len(eta)):
        q = 1.0 / (1.0 + np.exp(-eta[i]))
        v[i] = w[i] * max(q * (1.0 - q), least)
    return v


@njit
def _newton(units, stand, y, alpha, centred, care, used):
    """Minimise one quadratic on the working set by its residuals, and walk there."""
    Z, w, inverse, _, _, _ = units
    beta, eta, pull, _ = stand
    v, r, old, bend = weights(eta, w, 1e-5), pull.copy(), beta[used], np.empty(len(used))
    for k in range(len(used)):
        bend[k] = weighted_square(Z[used[k]], v) * inverse[used[k]] ** 2
    moved = _descend(units, v, r, beta, bend, used, alpha, centred, care)
    _go(units, stand, y, alpha, centred, care, used, old, moved)


@njit
def _quadratic(units, stand, y, alpha, centred, care, used, q, curve):
    """Minimise one quadratic on the working set by its Hessian, and walk there."""
    _, _, _, _, l1, l2 = units
    beta, _, pull, _ = stand
    m = len(used)
    H, left, new = np.empty((m + 1, m + 1)), np.empty(m + 1), np.zeros(m + 1)
    hold, bend = np.zeros(m + 1), np.zeros(m + 1)
    H[0, 0], left[0] = curve[0, 0], pull.sum() if centred else 0.0
    for k in range(m):
        j = used[k]
        left[k + 1], new[k + 1], hold[k + 1], bend[k + 1] = q[k], beta[j], alpha * l1[j], alpha * l2[j]
        H[0, k + 1] = H[k + 1, 0] = curve[0, j + 1]
        for i in range(m):
            H[k + 1, i + 1] = curve[j + 1, used[i] + 1]
    descend(H, left, new, hold, bend, care, _SWEEPS)
    polish(H, left, new, hold, bend)  # the gap falls with the worst pull left over, so none is left
    old = beta[used]
    _scatter(beta, used, new[1:])
    _go(units, stand, y, alpha, centred, care, used, old, new[0])


@njit
def _extend(units, bend, have, curve, centred, used):
    """Let the Hessian hold the columns of the working set that it lacks."""
    Z, _, inverse, _, _, _ = units
    if not have.any():
        curve[0, 0] = bend.sum() if centred else 0.0
    for j in used:
        if have[j]:
            continue
        have[j] = True
        weighted = bend * Z[j]
        curve[0, j + 1] = curve[j + 1, 0] = weighted.sum() * inverse[j] if centred else 0.0
        for k in range(len(have)):
            if have[k]:
                curve[j + 1, k + 1] = curve[k + 1, j + 1] = dot(weighted, Z[k]) * inverse[j] * inverse[k]


@njit
def _go(units, stand, y, alpha, centred, care, used, old, moved):
    """Step from the old coefficients to those of now and the intercept's move, halved until the objective falls."""
    Z, w, inverse, _, l1, l2 = units
    beta, eta, pull, b0 = stand
    n, step, there, start = len(eta), np.zeros(len(eta)), beta[used], eta.copy()
    _scatter(beta, used, old)
    before = b0[1] + penalty(beta, used, l1, l2, alpha)
    for k in range(len(used)):
        d = (there[k] - old[k]) * inverse[used[k]]
        if d != 0.0:
            _add(step, d, Z[used[k]])
    length, total, bend = 1.0, 0.0, 0.0
    for _ in range(30):
        for k in range(len(used)):
            beta[used[k]] = old[k] + length * (there[k] - old[k])
        for i in range(n):
            eta[i] = start[i] + length * (step[i] + moved)
        b0[1], total, bend = settle(eta, y, w, pull)
        if b0[1] + penalty(beta, used, l1, l2, alpha) <= before + 1e-14 * abs(before):
            break
        length *= 0.5
    b0[0] += length * moved
    for _ in range(50):  # Newton steps for the intercept alone: the dual point needs residuals that sum to zero
        if not centred or abs(total) < max(1e-15, 1e-4 * care):
            break
        d, was = min(max(total / max(bend, 1e-12), -2.0), 2.0), abs(total)
        b0[0] += d
        eta += d
        b0[1], total, bend = settle(eta, y, w, pull)
        if abs(d) < 1.0 and abs(total) > 0.5 * was:  # rounding is all that is left
            break


@njit
def _descend(units, v, r, beta, bend, used, alpha, centred, tol):
    """Sweeps over the working set, then over those in use until they settle; returns the intercept's move."""
    Z, _, inverse, _, l1, l2 = units
    n, total, moved = len(r), v.sum(), 0.0
    inside = np.empty(len(used), dtype=np.int64)
    everywhere = True
    some = len(used)
    for _ in range(_SWEEPS):
        gain = 0.0
        for c in range(some):
            k = c if everywhere else inside[c]
            j = used[k]
            gain = max(gain, _step(Z[j], v, r, beta, bend[k], inverse[j], alpha * l1[j], alpha * l2[j], j))
        if centred:
            d = r.sum() / total
            moved += d
            for i in range(n):
                r[i] -= d * v[i]
            gain = max(gain, 0.5 * total * d * d)
        if gain * len(used) <= tol:
            if everywhere:
                break
            everywhere, some = True, len(used)
        elif everywhere:
            everywhere, some = False, 0
            for k in range(len(used)):
                if beta[used[k]] != 0.0:
                    inside[some] = k
                    some += 1
    return moved


@njit
def _step(column, v, r, beta, bend, inverse, l1, l2, j):
    """Set one coefficient to its optimum; returns what that gained."""
    curve = bend + l2
    if curve <= 0.0:
        return 0.0
    was = beta[j]
    new = soft(inverse * dot(column, r) + bend * was, l1, curve)
    d = new - was
    if d == 0.0:
        return 0.0
    beta[j] = new
    d *= inverse
    for i in range(len(r)):
        r[i] -= d * v[i] * column[i]
    return 0.5 * curve * (new - was) ** 2


@njit
def _add(total, d, column):
    for i in range(len(total)):
        total[i] += d * column[i]


@njit
def settle(eta, y, w, pull):
    """pull = w (y - q), q the probability of the second class; returns mean loss, sum of pulls and mean q (1 - q)."""
    loss, total, bend = 0.0, 0.0, 0.0
    for i in range(len(eta)):
        if w[i] == 0.0:
            pull[i] = 0.0
            continue
        small = np.exp(-abs(eta[i]))
        q = 1.0 / (1.0 + small)
        other = small * q
        if eta[i] < 0.0:
            q, other = other, q
        loss += w[i] * (max(eta[i], 0.0) + np.log1p(small) - y[i] * eta[i])
        pull[i] = w[i] * (y[i] * other - (1.0 - y[i]) * q)
        total += pull[i]
        bend += w[i] * q * other
    return loss, total, bend


@njit
def _gap(units, stand, y, used, q, found, hard, count, alpha, goal, exact):
    """The duality gap, the residuals shrunk until no column pulls harder than its penalty allows.

    A bound that takes no logarithm is given where it is good enough, and infinity where the gap is not asked for.
    """
    _, w, _, _, l1, l2 = units
    beta, eta, pull, b0 = stand
    share, held = reach(used, q, len(used), l1, l2, alpha, 1.0)
    share, more = reach(found, hard, count, l1, l2, alpha, share)
    primal = b0[1] + penalty(beta, used, l1, l2, alpha) + held + more
    bound = primal - share * (b0[1] + dot(pull, eta))  # the conjugate is convex, and 0 at 0
    if bound <= goal:
        return bound
    if not exact:
        return np.inf
    s = 0.0
    for i in range(len(y)):
        if w[i] > 0.0:
            q1 = y[i] - share * pull[i] / w[i]
            if 0.0 < q1 < 1.0:
                s += w[i] * (q1 * np.log(q1) + (1 - q1) * np.log(1 - q1))
    return primal + s
