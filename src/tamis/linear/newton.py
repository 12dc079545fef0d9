# mypy: allow-untyped-defs
"""The compiled path of one linear predictor: two classes, margins, counts or robust errors, dense or sparse columns.

A quadratic around the present coefficients is minimised by coordinate descent on the working set, and again, until
the duality gap is closed. With few rows, residuals are kept instead of a Hessian: a sweep costs little, and a whole
path of a small table costs less than one call of NumPy a strength would. With many rows a Hessian is given, computed a
few strengths before and for all rows: close enough to gain a digit of the gap a step, and a step then costs two
readings of the working set. The intercept is at its optimum for whatever the coefficients are: columns are read as if
centred by the curvatures of the rows, which makes them orthogonal to it.
"""

from __future__ import annotations

import numpy as np

from tamis.engine.kernel import inner, njit
from tamis.linear.column import column_add, column_dot, column_moments, column_subtract
from tamis.linear.descend import copy_to, descend, dot, polish, soft, sum_of
from tamis.linear.row_loss import LOGISTIC, POISSON, conjugate, curvature, settle
from tamis.linear.screen import penalty, reach, violators, worst

_NEWTON = 200  # quadratics a strength
_SWEEPS = 20_000
LEAST = 1e-9  # curvature of a row fitted perfectly; where no direct solve follows, 1e-5, as glmnet has it
KIND, WIDTH, CENTRED, FLOOR, GOAL, ENOUGH, ALPHA, CARE, N_RULES = range(9)


@njit
def walk(columns, w, look, stand, target, weights, rules, shared, alphas, out):
    """Follow falling strengths; `stand` and `look` hold where we stand, and are left where we end.

    columns: Z and place (see column.py), inverse scales and lengths. w: weights of the rows (sum 1). look: what
    `violators` knows. stand: coefficients, predictors, weighted residuals, intercept and mean loss. target: y, and
    what is added to every predictor (or nothing). weights: l1 and l2 of every column. rules: by the names above, the
    loss and its width, whether there is an intercept, the least loss possible, the duality gap to reach, and the gap
    that is enough where rounding keeps it from falling. shared: row weights, the columns held, and their Hessian (the
    intercept first), an empty matrix where residuals are kept. out: coefficients (the intercept last), predictors and
    gaps, one row a strength. Without strengths, only residuals and intercept are brought to where they belong.
    """
    Z, place, inverse, _ = columns
    beta, eta, pull, b0 = stand
    l1, l2 = weights
    bend, have, curve = shared
    coefs, etas, gaps = out
    p, goal, kind = len(beta), rules[GOAL], int(rules[KIND])
    found, hard, q, there = np.empty(p, dtype=np.int64), np.empty(p), np.empty(p), np.empty(p)
    b0[1], total, slope = settle(kind, rules[WIDTH], eta, target[0], w, pull)
    if rules[CENTRED] > 0.0:
        _centre(w, stand, target[0], rules, total, slope)
    fresh = False  # whether `there` holds the pulls of now on the columns inside
    used, inside, limits = np.empty(p, dtype=np.int64), np.empty(p, dtype=np.bool_), np.empty(p)
    for a in range(len(alphas)):
        alpha = rules[ALPHA] = alphas[a]
        for j in range(p):
            limits[j] = alpha * l1[j]
            stays = beta[j] != 0.0 or (l1[j] == 0.0 and inverse[j] > 0.0)
            fresh = fresh and (inside[j] or not stays)
            inside[j] = stays
        gap, care = np.inf, 0.1 * goal
        for step in range(_NEWTON):
            size = 0
            for j in range(p):
                if inside[j]:
                    if not fresh:
                        there[j] = inverse[j] * column_dot(Z, place, j, pull)
                    used[size], q[size] = j, there[j]
                    size += 1
            fresh = True
            count = violators(columns, w, look, pull, limits, inside, found, hard)
            before = gap
            share, held = reach(used, q, size, l1, l2, alpha, 1.0)
            share, more = reach(found, hard, count, l1, l2, alpha, share)
            held += more + penalty(beta, used[:size], l1, l2, alpha)
            gap = _gap(w, stand, target, rules, share, held, step > 0 or (kind != LOGISTIC and kind != POISSON))
            if gap <= goal or (gap <= rules[ENOUGH] and gap > 0.5 * before):
                break
            fresh = False
            # along a valley each sweep gains little however far the end: then sweep with more patience
            care = rules[CARE] = max(1e-18, 0.1 * care if gap > 0.5 * before else min(care, 0.01 * gap))
            count = worst(found, hard, limits, count, max(64, size))
            for k in range(count):
                used[size + k], q[size + k] = found[k], hard[k]
                inside[found[k]] = True
            size += count
            if len(curve) == 0:
                _by_residuals(columns, w, stand, target, weights, rules, used[:size])
                continue
            if gap > 0.3 * before or len(bend) == 0:  # the Hessian is of another place: take that of here
                bend = curvature(kind, rules[WIDTH], eta, target[0], w, LEAST)
                for j in range(p):
                    have[j] = False
            _extend(columns, bend, have, curve, rules[CENTRED] > 0.0, used[:size])
            _by_hessian(columns, w, stand, target, weights, rules, used[:size], q, curve)
        copy_to(coefs[a], beta)
        coefs[a, p] = b0[0]
        copy_to(etas[a], eta)
        gaps[a] = gap


@inner
def _gap(w, stand, target, rules, share, held, exact):
    """The duality gap, the residuals shrunk by `share`; `held` is the penalty and its conjugate.

    A bound that takes no logarithm is given where it is good enough, and infinity where the gap is not asked for.
    """
    _, eta, pull, b0 = stand
    y, offset = target
    primal = b0[1] + held + (share * dot(pull, offset) if len(offset) > 0 else 0.0)
    # the conjugate is convex, and minus the least loss at 0
    bound = primal - share * (b0[1] + dot(pull, eta)) - (1.0 - share) * rules[FLOOR]
    if bound <= rules[GOAL] or share == 1.0:
        return bound
    if not exact:
        return np.inf
    return primal + conjugate(int(rules[KIND]), y, w, pull, share)


@njit
def _by_residuals(columns, w, stand, target, weights, rules, used):
    """Minimise one quadratic on the working set by its residuals, and walk there."""
    Z, place, inverse, _ = columns
    beta, eta, pull, _ = stand
    kind, m = int(rules[KIND]), len(used)
    v, r, old = curvature(kind, rules[WIDTH], eta, target[0], w, 1e-5), np.empty(len(pull)), np.empty(m)
    copy_to(r, pull)
    total = sum_of(v)
    middle, bend, inside = np.zeros(m), np.empty(m), np.empty(m, dtype=np.int64)
    for k in range(m):
        old[k] = beta[used[k]]
        one, two = column_moments(Z, place, used[k], v)
        if rules[CENTRED] > 0.0:
            middle[k] = one / total
        bend[k] = max(0.0, two - middle[k] * one) * inverse[used[k]] ** 2
    start = sum_of(r) / total if rules[CENTRED] > 0.0 else 0.0
    moved = _descend(columns, v, r, beta, weights, rules, used, (middle, bend, inside), start)
    _go(columns, w, stand, target, weights, rules, used, old, moved)


@inner
def _descend(columns, v, r, beta, weights, rules, used, model, moved):
    """Sweeps over the working set, then over those in use until they settle; returns the intercept's move.

    The residuals are r - moved v; that part is added when a column is read, so no step touches all rows of a sparse
    table.
    """
    Z, place, inverse, _ = columns
    l1, l2 = weights
    middle, bend, inside = model
    total, alpha, tol = sum_of(v), rules[ALPHA], rules[CARE]
    everywhere = True
    some = len(used)
    for _ in range(_SWEEPS):
        gain = 0.0
        for c in range(some):
            k = c if everywhere else inside[c]
            j = used[k]
            curve, was = bend[k] + alpha * l2[j], beta[j]
            if curve <= 0.0:
                continue
            g = inverse[j] * (column_dot(Z, place, j, r) - moved * middle[k] * total)
            new = soft(g + bend[k] * was, alpha * l1[j], curve)
            d = new - was
            if d == 0.0:
                continue
            beta[j] = new
            column_subtract(Z, place, j, d * inverse[j], v, r)
            moved -= d * inverse[j] * middle[k]
            gain = max(gain, 0.5 * curve * d * d)
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
def _by_hessian(columns, w, stand, target, weights, rules, used, q, curve):
    """Minimise one quadratic on the working set by its Hessian, and walk there."""
    l1, l2 = weights
    beta, _, pull, _ = stand
    m, alpha = len(used), rules[ALPHA]
    H, left, new = np.empty((m, m)), np.empty(m), np.empty(m)
    hold, bend, mixed, old = np.empty(m), np.empty(m), np.zeros(m), np.empty(m)
    total, push, held = curve[0, 0], 0.0, False
    if rules[CENTRED] > 0.0:
        push = sum_of(pull) / total
    for k in range(m):
        j = used[k]
        mixed[k], old[k] = curve[0, j + 1], beta[j]
        left[k], new[k], hold[k], bend[k] = q[k] - push * mixed[k], beta[j], alpha * l1[j], alpha * l2[j]
        held = held or l1[j] > 0.0
        lean = mixed[k] / total if rules[CENTRED] > 0.0 else 0.0
        for i in range(m):
            H[k, i] = curve[j + 1, used[i] + 1] - lean * curve[0, used[i] + 1]
    if held:
        descend(H, left, new, hold, bend, rules[CARE], _SWEEPS)
    polish(H, left, new, hold, bend)  # the gap falls with the worst pull left over, so none is left
    moved = push
    for k in range(m):
        beta[used[k]] = new[k]
        if rules[CENTRED] > 0.0:
            moved -= mixed[k] * (new[k] - old[k]) / total
    _go(columns, w, stand, target, weights, rules, used, old, moved)


@njit
def _extend(columns, bend, have, curve, centred, used):
    """Let the Hessian hold the columns of the working set that it lacks."""
    Z, place, inverse, _ = columns
    curve[0, 0] = sum_of(bend) if centred else 0.0
    weighted = np.empty(len(bend))
    for j in used:
        if have[j]:
            continue
        have[j] = True
        for i in range(len(bend)):
            weighted[i] = 0.0
        column_subtract(Z, place, j, -1.0, bend, weighted)
        curve[0, j + 1] = curve[j + 1, 0] = sum_of(weighted) * inverse[j] if centred else 0.0
        for k in range(len(have)):
            if have[k]:
                value = column_dot(Z, place, k, weighted) * inverse[j] * inverse[k]
                curve[j + 1, k + 1] = curve[k + 1, j + 1] = value


@njit
def _go(columns, w, stand, target, weights, rules, used, old, moved):
    """Step from the old coefficients to those of now and the intercept's move, halved until the objective falls."""
    Z, place, inverse, _ = columns
    beta, eta, pull, b0 = stand
    l1, l2 = weights
    kind, width, alpha, y = int(rules[KIND]), rules[WIDTH], rules[ALPHA], target[0]
    n, step, there, start = len(eta), np.zeros(len(eta)), np.empty(len(used)), np.empty(len(eta))
    copy_to(start, eta)
    for k in range(len(used)):
        there[k] = beta[used[k]]
        beta[used[k]] = old[k]
        d = (there[k] - old[k]) * inverse[used[k]]
        if d != 0.0:
            column_add(Z, place, used[k], d, step)
    before = b0[1] + penalty(beta, used, l1, l2, alpha)
    length, total, bend = 1.0, 0.0, 0.0
    for _ in range(30):
        for k in range(len(used)):
            beta[used[k]] = old[k] + length * (there[k] - old[k])
        for i in range(n):
            eta[i] = start[i] + length * (step[i] + moved)
        b0[1], total, bend = settle(kind, width, eta, y, w, pull)
        if b0[1] + penalty(beta, used, l1, l2, alpha) <= before + 1e-14 * abs(before):
            break
        length *= 0.5
    b0[0] += length * moved
    if rules[CENTRED] > 0.0:
        _centre(w, stand, y, rules, total, bend)


@inner
def _centre(w, stand, y, rules, total, bend):
    """Newton steps for the intercept alone, halved where they overshoot: the dual point needs residuals of sum 0."""
    _, eta, pull, b0 = stand
    kind, width = int(rules[KIND]), rules[WIDTH]
    longest = 2.0 if kind in (LOGISTIC, POISSON) else 1e3
    for _ in range(50):
        if abs(total) < max(1e-15, 1e-4 * rules[CARE]):
            return
        was, move = abs(total), min(max(total / max(bend, 1e-12), -longest), longest)
        back = move
        for _ in range(40):
            b0[0] += move
            for i in range(len(eta)):
                eta[i] += move
            b0[1], total, bend = settle(kind, width, eta, y, w, pull)
            if abs(total) < was:
                break
            back *= 0.5
            move = -back
        if abs(total) > 0.5 * was and was < 1e-10:  # rounding is all that is left
            return
