"""The compiled half of the logistic path: one fit of two classes, from one strength to the next.

A quadratic around the present coefficients is minimised by coordinate descent on the active columns, and again, until
the duality gap is closed. Residuals are kept instead of a Hessian: with few active columns a sweep costs little, and a
whole path of a small table costs less than one call of NumPy a strength would.
"""

from __future__ import annotations

import numpy as np

from tamis.engine.kernel import njit

_NEWTON = 200  # quadratics a strength


@njit
def walk(Z, y, w, factors, alphas, last, l1_ratio, centred, goal, beta, eta, grad, b0, coefs, gaps):  # type: ignore[no-untyped-def]
    """Follow falling strengths; beta, eta, grad and b0 hold where we stand, and are left where we end.

    Z is standardised, w sums to 1, `last` is the strength before the first, `goal` the duality gap to reach. Row a of
    coefs becomes the coefficients at alphas[a], its last entry the intercept.
    """
    p = Z.shape[1]
    active = np.zeros(p, dtype=np.bool_)
    listed = np.empty(p, dtype=np.int64)
    for a in range(len(alphas)):
        alpha = alphas[a]
        for j in range(p):  # the strong rule: other columns stay at zero, unless the check at the end says otherwise
            active[j] = beta[j] != 0.0 or abs(grad[j]) >= factors[j] * l1_ratio * (2 * alpha - last)
        gap, care = np.inf, 0.1 * goal
        for _ in range(_NEWTON):
            used = 0
            for j in range(p):
                if active[j]:
                    listed[used] = j
                    used += 1
            before = gap
            gap = _newton(Z, y, w, factors, alpha, l1_ratio, centred, care, beta, eta, grad, b0, listed[:used])
            if gap > goal:
                # along a valley each sweep gains little however far the end: then sweep with more patience
                care = max(1e-18, 0.1 * care if gap > 0.5 * before else min(care, 0.01 * gap))
                continue
            gap = _check(Z, y, w, factors, alpha, l1_ratio, beta, eta, grad)
            if gap <= goal:
                break
            for j in range(p):
                if abs(grad[j]) > factors[j] * l1_ratio * alpha:
                    active[j] = True
        coefs[a, :p] = beta
        coefs[a, p] = b0[0]
        gaps[a] = gap
        last = alpha


@njit
def _newton(Z, y, w, factors, alpha, l1_ratio, centred, care, beta, eta, grad, b0, used):  # type: ignore[no-untyped-def]
    """Minimise one quadratic on the active columns and walk there; the gap as far as these columns tell."""
    n = len(eta)
    v, r, step = np.empty(n), np.empty(n), np.zeros(n)
    old, bend = beta[used], np.zeros(len(used))
    before = _loss(eta, y, w) + _penalty(beta, factors, alpha, l1_ratio)
    for i in range(n):
        q = 1.0 / (1.0 + np.exp(-eta[i]))
        v[i] = w[i] * max(q * (1.0 - q), 1e-5)  # a row fitted perfectly keeps a little weight, as glmnet has it
        r[i] = w[i] * (y[i] - q)
    for k in range(len(used)):
        for i in range(n):
            bend[k] += v[i] * Z[i, used[k]] * Z[i, used[k]]
    moved = _descend(Z, v, r, beta, bend, factors, used, alpha, l1_ratio, centred, care)
    for k in range(len(used)):
        d = beta[used[k]] - old[k]
        if d != 0.0:
            for i in range(n):
                step[i] += d * Z[i, used[k]]
    length, there = 1.0, beta[used]
    for _ in range(30):  # halve the step until the objective falls
        for k in range(len(used)):
            beta[used[k]] = old[k] + length * (there[k] - old[k])
        after = _loss(eta + length * (step + moved), y, w) + _penalty(beta, factors, alpha, l1_ratio)
        if after <= before + 1e-14 * abs(before):
            break
        length *= 0.5
    eta += length * (step + moved)
    b0[0] += length * moved
    if centred:
        b0[0] += _centre(eta, y, w)
    _residual(eta, y, w, r)
    for j in used:
        s = 0.0
        for i in range(n):
            s += Z[i, j] * r[i]
        grad[j] = s
    now = _loss(eta, y, w) + _penalty(beta, factors, alpha, l1_ratio)
    return now - _dual(r, y, w, grad[used], factors[used], alpha, l1_ratio)


@njit
def _check(Z, y, w, factors, alpha, l1_ratio, beta, eta, grad):  # type: ignore[no-untyped-def]
    """The duality gap over all columns; grad becomes the pull on each."""
    r = np.empty(len(eta))
    _residual(eta, y, w, r)
    pulls(Z, r, grad)
    now = _loss(eta, y, w) + _penalty(beta, factors, alpha, l1_ratio)
    return now - _dual(r, y, w, grad, factors, alpha, l1_ratio)


@njit
def _descend(Z, v, r, beta, bend, factors, used, alpha, l1_ratio, centred, tol):  # type: ignore[no-untyped-def]
    """Sweeps over the active columns, then over those in use until they settle; returns the intercept's move."""
    n, total, moved = len(r), v.sum(), 0.0
    inside = np.empty(len(used), dtype=np.int64)
    everywhere = True
    some = len(used)
    for _ in range(20_000):
        gain = 0.0
        for c in range(some):
            k = c if everywhere else inside[c]
            gain = max(gain, _step(Z, v, r, beta, bend[k], factors, used[k], alpha, l1_ratio))
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
def _step(Z, v, r, beta, bend, factors, j, alpha, l1_ratio):  # type: ignore[no-untyped-def]
    """Set one coefficient to its optimum; returns what that gained."""
    g = 0.0
    for i in range(len(r)):
        g += Z[i, j] * r[i]
    was, l1, curve = beta[j], alpha * l1_ratio * factors[j], bend + alpha * (1 - l1_ratio) * factors[j]
    pull = g + bend * was
    if curve <= 0.0:
        return 0.0
    if pull > l1:
        new = (pull - l1) / curve
    elif pull < -l1:
        new = (pull + l1) / curve
    else:
        new = 0.0
    d = new - was
    if d == 0.0:
        return 0.0
    beta[j] = new
    for i in range(len(r)):
        r[i] -= d * v[i] * Z[i, j]
    return 0.5 * curve * d * d


@njit
def pulls(Z, r, grad):  # type: ignore[no-untyped-def]
    """grad = Zᵀ r."""
    for j in range(Z.shape[1]):
        s = 0.0
        for i in range(Z.shape[0]):
            s += Z[i, j] * r[i]
        grad[j] = s


@njit
def _loss(eta, y, w):  # type: ignore[no-untyped-def]
    s = 0.0
    for i in range(len(eta)):
        e = eta[i]
        s += w[i] * ((e if e > 0 else 0.0) + np.log1p(np.exp(-abs(e))) - y[i] * e)
    return s


@njit
def _penalty(beta, factors, alpha, l1_ratio):  # type: ignore[no-untyped-def]
    s = 0.0
    for j in range(len(beta)):
        b = beta[j]
        if b != 0.0:
            s += factors[j] * (l1_ratio * abs(b) + 0.5 * (1 - l1_ratio) * b * b)
    return alpha * s


@njit
def _residual(eta, y, w, r):  # type: ignore[no-untyped-def]
    for i in range(len(eta)):
        r[i] = w[i] * (y[i] - 1.0 / (1.0 + np.exp(-eta[i])))


@njit
def _centre(eta, y, w):  # type: ignore[no-untyped-def]
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
def _dual(r, y, w, grad, factors, alpha, l1_ratio):  # type: ignore[no-untyped-def]
    """The dual objective at the residuals, shrunk until no column pulls harder than its penalty allows."""
    share, held = 1.0, 0.0
    for j in range(len(grad)):
        l1, l2 = alpha * l1_ratio * factors[j], alpha * (1 - l1_ratio) * factors[j]
        over = abs(grad[j]) - l1
        if over > 0.0 and l2 > 0.0:
            held += over * over / (2 * l2)
        elif over > 0.0:
            share = min(share, l1 / abs(grad[j]))
    s = 0.0
    for i in range(len(r)):
        q = y[i] - share * r[i] / w[i]
        if 0.0 < q < 1.0:
            s += w[i] * (q * np.log(q) + (1 - q) * np.log(1 - q))
    return -s - held
