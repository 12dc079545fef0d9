# mypy: allow-untyped-defs
"""The compiled half of the logistic path: one fit of two classes, from one strength to the next.

A quadratic around the present coefficients is minimised by coordinate descent on the working set, and again, until
the duality gap is closed. Residuals are kept instead of a Hessian: with few columns in use a sweep costs little, and a
whole path of a small table costs less than one call of NumPy a strength would.
"""

from __future__ import annotations

import numpy as np

from tamis.engine.kernel import njit
from tamis.linear.descend import dot
from tamis.linear.screen import penalty, reach, violators, worst

_NEWTON = 200  # quadratics a strength


@njit
def walk(units, look, stand, y, alphas, centred, goal, out):
    """Follow falling strengths; `stand` and `look` hold where we stand, and are left where we end.

    units: the columns as rows, weights of the rows (sum 1), inverse scales, lengths, l1 and l2 of every column.
    look: what `violators` knows. stand: coefficients, predictors, weighted residuals, intercept. goal: the duality gap
    to reach. out: coefficients (the intercept last), predictors and gaps, one row a strength.
    """
    Z, _, inverse, _, l1, _ = units
    beta, eta, pull, b0 = stand
    coefs, etas, gaps = out
    p = len(beta)
    found, hard, q = np.empty(p, dtype=np.int64), np.empty(p), np.empty(p)
    used, inside = np.empty(p, dtype=np.int64), np.empty(p, dtype=np.bool_)
    for a in range(len(alphas)):
        alpha = alphas[a]
        limits = alpha * l1
        for j in range(p):
            inside[j] = beta[j] != 0.0
        gap, care = np.inf, 0.1 * goal
        for _ in range(_NEWTON):
            size = 0
            for j in range(p):
                if inside[j]:
                    used[size] = j
                    q[size] = inverse[j] * dot(Z[j], pull)
                    size += 1
            count = violators(units, look, pull, limits, inside, found, hard)
            before = gap
            gap = _gap(units, stand, y, used[:size], q, found, hard, count, alpha)
            if gap <= goal:
                break
            # along a valley each sweep gains little however far the end: then sweep with more patience
            care = max(1e-18, 0.1 * care if gap > 0.5 * before else min(care, 0.01 * gap))
            count = worst(found, hard, limits, count, max(64, size))
            for k in range(count):
                used[size + k] = found[k]
                inside[found[k]] = True
            _newton(units, stand, y, alpha, centred, care, used[: size + count])
        coefs[a, :p] = beta
        coefs[a, p] = b0[0]
        etas[a] = eta
        gaps[a] = gap


@njit
def _newton(units, stand, y, alpha, centred, care, used):
    """Minimise one quadratic on the working set and walk there, halving the step until the objective falls."""
    Z, w, inverse, _, l1, l2 = units
    beta, eta, pull, b0 = stand
    n = len(eta)
    v, r, step = np.empty(n), pull.copy(), np.zeros(n)
    old, bend = beta[used], np.empty(len(used))
    before = _loss(eta, y, w) + penalty(beta, used, l1, l2, alpha)
    for i in range(n):
        q = 1.0 / (1.0 + np.exp(-eta[i]))
        v[i] = w[i] * max(q * (1.0 - q), 1e-5)  # a row fitted perfectly keeps a little weight, as glmnet has it
    for k in range(len(used)):
        bend[k] = _curvature(Z[used[k]], v) * inverse[used[k]] ** 2
    moved = _descend(units, v, r, beta, bend, used, alpha, centred, care)
    for k in range(len(used)):
        d = (beta[used[k]] - old[k]) * inverse[used[k]]
        if d != 0.0:
            _add(step, d, Z[used[k]])
    length, there, start = 1.0, beta[used], eta.copy()
    for _ in range(30):
        for k in range(len(used)):
            beta[used[k]] = old[k] + length * (there[k] - old[k])
        for i in range(n):
            eta[i] = start[i] + length * (step[i] + moved)
        if _loss(eta, y, w) + penalty(beta, used, l1, l2, alpha) <= before + 1e-14 * abs(before):
            break
        length *= 0.5
    b0[0] += length * moved
    if centred:
        b0[0] += _centre(eta, y, w)
    residual(eta, y, w, pull)


@njit
def _descend(units, v, r, beta, bend, used, alpha, centred, tol):
    """Sweeps over the working set, then over those in use until they settle; returns the intercept's move."""
    Z, _, inverse, _, l1, l2 = units
    n, total, moved = len(r), v.sum(), 0.0
    inside = np.empty(len(used), dtype=np.int64)
    everywhere = True
    some = len(used)
    for _ in range(20_000):
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
    towards = inverse * dot(column, r) + bend * was
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
    for i in range(len(r)):
        r[i] -= d * v[i] * column[i]
    return 0.5 * curve * (new - was) ** 2


@njit
def _add(total, d, column):
    for i in range(len(total)):
        total[i] += d * column[i]


@njit(fastmath={"reassoc", "contract"})
def _curvature(column, v):
    s = 0.0
    for i in range(len(v)):
        s += v[i] * column[i] * column[i]
    return s


@njit
def _loss(eta, y, w):
    s = 0.0
    for i in range(len(eta)):
        if w[i] > 0.0:
            e = eta[i]
            s += w[i] * ((e if e > 0 else 0.0) + np.log1p(np.exp(-abs(e))) - y[i] * e)
    return s


@njit
def residual(eta, y, w, pull):
    """pull = w (y - q), q the probability of the second class."""
    for i in range(len(eta)):
        pull[i] = w[i] * (y[i] - 1.0 / (1.0 + np.exp(-eta[i])))


@njit
def _centre(eta, y, w):
    """Newton steps for the intercept alone: the dual point needs residuals that sum to zero."""
    moved = 0.0
    for _ in range(50):
        s, t = 0.0, 0.0
        for i in range(len(eta)):
            q = 1.0 / (1.0 + np.exp(-eta[i]))
            s += w[i] * (y[i] - q)
            t += w[i] * q * (1 - q)
        if abs(s) < 1e-15:
            break
        d = min(max(s / max(t, 1e-12), -2.0), 2.0)
        moved += d
        eta += d
    return moved


@njit
def _gap(units, stand, y, used, q, found, hard, count, alpha):
    """The duality gap, the residuals shrunk until no column pulls harder than its penalty allows."""
    _, w, _, _, l1, l2 = units
    beta, eta, pull, _ = stand
    share, held = reach(used, q, len(used), l1, l2, alpha, 1.0)
    share, more = reach(found, hard, count, l1, l2, alpha, share)
    s = 0.0
    for i in range(len(y)):
        if w[i] > 0.0:
            q1 = y[i] - share * pull[i] / w[i]
            if 0.0 < q1 < 1.0:
                s += w[i] * (q1 * np.log(q1) + (1 - q1) * np.log(1 - q1))
    return _loss(eta, y, w) + penalty(beta, used, l1, l2, alpha) + s + held + more
