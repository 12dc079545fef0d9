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
from tamis.linear.losses.row_loss import LOGISTIC, POISSON, conjugate, row_curvature, update_residual
from tamis.linear.solvers.compiled.column_products import column_add, column_dot, column_moments, column_subtract
from tamis.linear.solvers.coordinate_descent import coordinate_descent, copy_to, dot, polish, soft_threshold, sum_of
from tamis.linear.solvers.screening import feasible_scale, penalty, violators, worst

_NEWTON = 200  # quadratics a strength
_SWEEPS = 20_000
LEAST = 1e-9  # curvature of a row fitted perfectly; where no direct solve follows, 1e-5, as glmnet has it
KIND, WIDTH, HAS_INTERCEPT, FLOOR, GOAL, ENOUGH, ALPHA, TOLERANCE, N_RULES = range(9)


@njit
def solve_path(columns, w, screen_state, state, target, weights, rules, shared, alphas, out):
    """Solve for falling strengths, each from the solution before; `state` and `screen_state` are updated.

    columns: Z and place (see column.py), inverse scales and lengths. w: weights of the rows (sum 1). screen_state: what
    `violators` knows. state: coefficients, predictors, weighted residuals, intercept and mean loss. target: y, and
    what is added to every predictor (or nothing). weights: l1 and l2 of every column. rules: by the names above, the
    loss and its width, whether there is an intercept, the least loss possible, the duality gap to reach, and the gap
    that is enough where rounding keeps it from falling. shared: row weights, the columns held, and their Hessian (the
    intercept first), an empty matrix where residuals are kept. out: coefficients (the intercept last), predictors and
    gaps, one row a strength. Without strengths, only residuals and intercept are brought to where they belong.
    """
    Z, place, inverse, _ = columns
    beta, eta, residual, b0 = state
    l1, l2 = weights
    row_curvatures, in_hessian, hessian = shared
    coefs, etas, gaps = out
    p, goal, kind = len(beta), rules[GOAL], int(rules[KIND])
    found, found_gradient, q, gradients = np.empty(p, dtype=np.int64), np.empty(p), np.empty(p), np.empty(p)
    b0[1], total, mean_curvature = update_residual(kind, rules[WIDTH], eta, target[0], w, residual)
    if rules[HAS_INTERCEPT] > 0.0:
        _optimise_intercept(w, state, target[0], rules, total, mean_curvature)
    fresh = False  # whether `gradients` holds those of the columns inside at the present residuals
    working_set, inside, limits = np.empty(p, dtype=np.int64), np.empty(p, dtype=np.bool_), np.empty(p)
    for a in range(len(alphas)):
        alpha = rules[ALPHA] = alphas[a]
        for j in range(p):
            limits[j] = alpha * l1[j]
            stays = beta[j] != 0.0 or (l1[j] == 0.0 and inverse[j] > 0.0)
            fresh = fresh and (inside[j] or not stays)
            inside[j] = stays
        gap, tolerance = np.inf, 0.1 * goal
        for step in range(_NEWTON):
            size = 0
            for j in range(p):
                if inside[j]:
                    if not fresh:
                        gradients[j] = inverse[j] * column_dot(Z, place, j, residual)
                    working_set[size], q[size] = j, gradients[j]
                    size += 1
            fresh = True
            count = violators(columns, w, screen_state, residual, limits, inside, found, found_gradient)
            before = gap
            dual_scale, penalty_value = feasible_scale(working_set, q, size, l1, l2, alpha, 1.0)
            dual_scale, more = feasible_scale(found, found_gradient, count, l1, l2, alpha, dual_scale)
            penalty_value += more + penalty(beta, working_set[:size], l1, l2, alpha)
            gap = _gap(
                w, state, target, rules, dual_scale, penalty_value, step > 0 or (kind != LOGISTIC and kind != POISSON)
            )
            if gap <= goal or (gap <= rules[ENOUGH] and gap > 0.5 * before):
                break
            fresh = False
            # along a valley each sweep gains little however far the end: then sweep with more patience
            tolerance = rules[TOLERANCE] = max(
                1e-18, 0.1 * tolerance if gap > 0.5 * before else min(tolerance, 0.01 * gap)
            )
            count = worst(found, found_gradient, limits, count, max(64, size))
            for k in range(count):
                working_set[size + k], q[size + k] = found[k], found_gradient[k]
                inside[found[k]] = True
            size += count
            if len(hessian) == 0:
                _by_residuals(columns, w, state, target, weights, rules, working_set[:size])
                continue
            if gap > 0.3 * before or len(row_curvatures) == 0:  # the Hessian is of another place: take that of here
                row_curvatures = row_curvature(kind, rules[WIDTH], eta, target[0], w, LEAST)
                for j in range(p):
                    in_hessian[j] = False
            _extend(columns, row_curvatures, in_hessian, hessian, rules[HAS_INTERCEPT] > 0.0, working_set[:size])
            _by_hessian(columns, w, state, target, weights, rules, working_set[:size], q, hessian)
        copy_to(coefs[a], beta)
        coefs[a, p] = b0[0]
        copy_to(etas[a], eta)
        gaps[a] = gap


@inner
def _gap(w, state, target, rules, dual_scale, penalty_value, exact):
    """The duality gap, the residuals shrunk by `dual_scale`; `held` is the penalty and its conjugate.

    A bound that takes no logarithm is given where it is good enough, and infinity where the gap is not asked for.
    """
    _, eta, residual, b0 = state
    y, offset = target
    primal = b0[1] + penalty_value + (dual_scale * dot(residual, offset) if len(offset) > 0 else 0.0)
    # the conjugate is convex, and minus the least loss at 0
    bound = primal - dual_scale * (b0[1] + dot(residual, eta)) - (1.0 - dual_scale) * rules[FLOOR]
    if bound <= rules[GOAL] or dual_scale == 1.0:
        return bound
    if not exact:
        return np.inf
    return primal + conjugate(int(rules[KIND]), y, w, residual, dual_scale)


@njit
def _by_residuals(columns, w, state, target, weights, rules, working_set):
    """Minimise one quadratic on the working set by its residuals, then a line search."""
    Z, place, inverse, _ = columns
    beta, eta, residual, _ = state
    kind, m = int(rules[KIND]), len(working_set)
    v, r, old = row_curvature(kind, rules[WIDTH], eta, target[0], w, 1e-5), np.empty(len(residual)), np.empty(m)
    copy_to(r, residual)
    total = sum_of(v)
    centre, curvature, inside = np.zeros(m), np.empty(m), np.empty(m, dtype=np.int64)
    for k in range(m):
        old[k] = beta[working_set[k]]
        one, two = column_moments(Z, place, working_set[k], v)
        if rules[HAS_INTERCEPT] > 0.0:
            centre[k] = one / total
        curvature[k] = max(0.0, two - centre[k] * one) * inverse[working_set[k]] ** 2
    start = sum_of(r) / total if rules[HAS_INTERCEPT] > 0.0 else 0.0
    moved = _coordinate_descent(columns, v, r, beta, weights, rules, working_set, (centre, curvature, inside), start)
    _line_search(columns, w, state, target, weights, rules, working_set, old, moved)


@inner
def _coordinate_descent(columns, v, r, beta, weights, rules, working_set, model, moved):
    """Sweeps over the working set, then over those in use until they settle; returns the intercept's move.

    The residuals are r - moved v; that part is added when a column is read, so no step touches all rows of a sparse
    table.
    """
    Z, place, inverse, _ = columns
    l1, l2 = weights
    centre, curvature, inside = model
    total, alpha, tol = sum_of(v), rules[ALPHA], rules[TOLERANCE]
    everywhere = True
    some = len(working_set)
    for _ in range(_SWEEPS):
        gain = 0.0
        for c in range(some):
            k = c if everywhere else inside[c]
            j = working_set[k]
            total_curvature, was = curvature[k] + alpha * l2[j], beta[j]
            if total_curvature <= 0.0:
                continue
            g = inverse[j] * (column_dot(Z, place, j, r) - moved * centre[k] * total)
            new = soft_threshold(g + curvature[k] * was, alpha * l1[j], total_curvature)
            d = new - was
            if d == 0.0:
                continue
            beta[j] = new
            column_subtract(Z, place, j, d * inverse[j], v, r)
            moved -= d * inverse[j] * centre[k]
            gain = max(gain, 0.5 * total_curvature * d * d)
        if gain * len(working_set) <= tol:
            if everywhere:
                break
            everywhere, some = True, len(working_set)
        elif everywhere:
            everywhere, some = False, 0
            for k in range(len(working_set)):
                if beta[working_set[k]] != 0.0:
                    inside[some] = k
                    some += 1
    return moved


@njit
def _by_hessian(columns, w, state, target, weights, rules, working_set, q, hessian):
    """Minimise one quadratic on the working set by its Hessian, then a line search."""
    l1, l2 = weights
    beta, _, residual, _ = state
    m, alpha = len(working_set), rules[ALPHA]
    H, gradient, new = np.empty((m, m)), np.empty(m), np.empty(m)
    alpha_l1, alpha_l2, mixed, old = np.empty(m), np.empty(m), np.zeros(m), np.empty(m)
    total, mean_residual, is_penalised = hessian[0, 0], 0.0, False
    if rules[HAS_INTERCEPT] > 0.0:
        mean_residual = sum_of(residual) / total
    for k in range(m):
        j = working_set[k]
        mixed[k], old[k] = hessian[0, j + 1], beta[j]
        gradient[k], new[k], alpha_l1[k], alpha_l2[k] = (
            q[k] - mean_residual * mixed[k],
            beta[j],
            alpha * l1[j],
            alpha * l2[j],
        )
        is_penalised = is_penalised or l1[j] > 0.0
        centring = mixed[k] / total if rules[HAS_INTERCEPT] > 0.0 else 0.0
        for i in range(m):
            H[k, i] = hessian[j + 1, working_set[i] + 1] - centring * hessian[0, working_set[i] + 1]
    if is_penalised:
        coordinate_descent(H, gradient, new, alpha_l1, alpha_l2, rules[TOLERANCE], _SWEEPS)
    polish(H, gradient, new, alpha_l1, alpha_l2)  # the gap falls with the largest gradient left, so none is left
    moved = mean_residual
    for k in range(m):
        beta[working_set[k]] = new[k]
        if rules[HAS_INTERCEPT] > 0.0:
            moved -= mixed[k] * (new[k] - old[k]) / total
    _line_search(columns, w, state, target, weights, rules, working_set, old, moved)


@njit
def _extend(columns, row_curvatures, in_hessian, hessian, centred, working_set):
    """Let the Hessian hold the columns of the working set that it lacks."""
    Z, place, inverse, _ = columns
    hessian[0, 0] = sum_of(row_curvatures) if centred else 0.0
    weighted = np.empty(len(row_curvatures))
    for j in working_set:
        if in_hessian[j]:
            continue
        in_hessian[j] = True
        for i in range(len(row_curvatures)):
            weighted[i] = 0.0
        column_subtract(Z, place, j, -1.0, row_curvatures, weighted)
        hessian[0, j + 1] = hessian[j + 1, 0] = sum_of(weighted) * inverse[j] if centred else 0.0
        for k in range(len(in_hessian)):
            if in_hessian[k]:
                value = column_dot(Z, place, k, weighted) * inverse[j] * inverse[k]
                hessian[j + 1, k + 1] = hessian[k + 1, j + 1] = value


@njit
def _line_search(columns, w, state, target, weights, rules, working_set, old, moved):
    """Step from the old coefficients to those of now and the intercept's move, halved until the objective falls."""
    Z, place, inverse, _ = columns
    beta, eta, residual, b0 = state
    l1, l2 = weights
    kind, width, alpha, y = int(rules[KIND]), rules[WIDTH], rules[ALPHA], target[0]
    n, step, proposed, start = len(eta), np.zeros(len(eta)), np.empty(len(working_set)), np.empty(len(eta))
    copy_to(start, eta)
    for k in range(len(working_set)):
        proposed[k] = beta[working_set[k]]
        beta[working_set[k]] = old[k]
        d = (proposed[k] - old[k]) * inverse[working_set[k]]
        if d != 0.0:
            column_add(Z, place, working_set[k], d, step)
    before = b0[1] + penalty(beta, working_set, l1, l2, alpha)
    length, total, mean_curvature = 1.0, 0.0, 0.0
    for _ in range(30):
        for k in range(len(working_set)):
            beta[working_set[k]] = old[k] + length * (proposed[k] - old[k])
        for i in range(n):
            eta[i] = start[i] + length * (step[i] + moved)
        b0[1], total, mean_curvature = update_residual(kind, width, eta, y, w, residual)
        if b0[1] + penalty(beta, working_set, l1, l2, alpha) <= before + 1e-14 * abs(before):
            break
        length *= 0.5
    b0[0] += length * moved
    if rules[HAS_INTERCEPT] > 0.0:
        _optimise_intercept(w, state, y, rules, total, mean_curvature)


@inner
def _optimise_intercept(w, state, y, rules, total, mean_curvature):
    """Newton steps for the intercept alone, halved where they overshoot: the dual point needs residuals of sum 0."""
    _, eta, residual, b0 = state
    kind, width = int(rules[KIND]), rules[WIDTH]
    longest = 2.0 if kind in (LOGISTIC, POISSON) else 1e3
    for _ in range(50):
        if abs(total) < max(1e-15, 1e-4 * rules[TOLERANCE]):
            return
        was, move = abs(total), min(max(total / max(mean_curvature, 1e-12), -longest), longest)
        back = move
        for _ in range(40):
            b0[0] += move
            for i in range(len(eta)):
                eta[i] += move
            b0[1], total, mean_curvature = update_residual(kind, width, eta, y, w, residual)
            if abs(total) < was:
                break
            back *= 0.5
            move = -back
        if abs(total) > 0.5 * was and was < 1e-10:  # rounding is all that is left
            return
