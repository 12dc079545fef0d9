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

from typing import NamedTuple

import numpy as np

from tamis.engine.kernel import inner, njit
from tamis.linear.losses.row_loss import LOGISTIC, POISSON, conjugate, row_curvature, update_residual
from tamis.linear.solvers.compiled.column_products import column_add, column_dot, column_moments, column_subtract
from tamis.linear.solvers.compiled.layout import Violators
from tamis.linear.solvers.coordinate_descent import coordinate_descent, copy_to, dot, polish, soft_threshold, sum_of
from tamis.linear.solvers.screening import feasible_scale, penalty_value, violators, worst

_NEWTON = 200  # quadratics a strength
_SWEEPS = 20_000
LEAST = 1e-9  # curvature of a row fitted perfectly; where no direct solve follows, 1e-5, as glmnet has it
#: The loss and its width, whether there is an intercept, the least loss possible, the duality gap to reach, the gap
#: that is enough where rounding keeps it from falling; strength and tolerance of the present quadratic.
KIND, WIDTH, HAS_INTERCEPT, FLOOR, GOAL, ENOUGH, ALPHA, TOLERANCE, N_RULES = range(9)


class SharedHessian(NamedTuple):
    """The Hessian of the mean loss, computed a few strengths before; an empty matrix where residuals are kept."""

    row_curvature: np.ndarray  # n, times the weights; empty where none was computed yet
    held: np.ndarray  # bool, p: columns the matrix holds
    matrix: np.ndarray  # (1 + p)², the intercept first


class WorkingSet(NamedTuple):
    """The columns a fit solves for at the present strength."""

    position: np.ndarray  # int64, p: the first so many are in the set
    gradient: np.ndarray  # p, of the columns in `position`
    inside: np.ndarray  # bool, p: by column
    known: np.ndarray  # p: gradients by column, of the columns inside
    limits: np.ndarray  # p: gradients up to which a column stays out


@njit
def solve_path(columns, target, weights, screening, state, shared, rules, alphas, out):
    """Minimise Σ w ℓ(y, η) + alpha Σ (l1 |β| + ½ l2 β²) for falling alphas, each from the solution before.

    The arguments are named tuples of `layout`, `shared` a `SharedHessian`, rules an array by the names above. `state`,
    `screening` and `shared` are updated, `out` is filled. Without strengths, only residuals and intercept are brought
    to their optimum.
    """
    beta, eta, residual = state.beta, state.eta, state.residual
    p, goal, kind = len(beta), rules[GOAL], int(rules[KIND])
    row_curvatures = shared.row_curvature
    found = Violators(np.empty(p, dtype=np.int64), np.empty(p))
    working = WorkingSet(
        np.empty(p, dtype=np.int64), np.empty(p), np.empty(p, dtype=np.bool_), np.empty(p), np.empty(p)
    )
    state.intercept[1], total, mean_curvature = update_residual(kind, rules[WIDTH], eta, target.y, target.w, residual)
    if rules[HAS_INTERCEPT] > 0.0:
        optimise_intercept(target, state, rules, total, mean_curvature)
    fresh = False  # whether `known` holds the gradients of the columns inside at the present residuals
    for a in range(len(alphas)):
        rules[ALPHA] = alphas[a]
        fresh = _begin_strength(columns, weights, state, working, alphas[a], fresh)
        gap, tolerance = np.inf, 0.1 * goal
        for step in range(_NEWTON):
            size = _gather(columns, state, working, fresh)
            fresh = True
            count = violators(columns, target.w, screening, residual, working.limits, working.inside, found)
            before, exact = gap, step > 0 or (kind != LOGISTIC and kind != POISSON)
            gap = _gap(target, weights, state, working, size, found, count, rules, exact)
            if gap <= goal or (gap <= rules[ENOUGH] and gap > 0.5 * before):
                break
            fresh = False
            # nearly dependent columns: a sweep gains little far from the optimum, so the tolerance is lowered
            tolerance = rules[TOLERANCE] = max(
                1e-18, 0.1 * tolerance if gap > 0.5 * before else min(tolerance, 0.01 * gap)
            )
            count = worst(found, working.limits, count, max(64, size))
            size = _admit(working, found, size, count)
            position = working.position[:size]
            if len(shared.matrix) == 0:
                _by_residuals(columns, target, weights, state, rules, position)
                continue
            if gap > 0.3 * before or len(row_curvatures) == 0:  # the Hessian is too far from the present one: renew it
                row_curvatures = row_curvature(kind, rules[WIDTH], eta, target.y, target.w, LEAST)
                for j in range(p):
                    shared.held[j] = False
            _extend(columns, row_curvatures, shared, rules[HAS_INTERCEPT] > 0.0, position)
            _by_hessian(columns, target, weights, state, rules, position, working.gradient, shared.matrix)
        copy_to(out.coef[a], beta)
        out.coef[a, p] = state.intercept[0]
        copy_to(out.eta[a], eta)
        out.gap[a] = gap


@inner
def _begin_strength(columns, weights, state, working, alpha, fresh):
    """Limits of a new strength; the columns in use, and those without l1, stay inside. Returns `fresh` as it is now."""
    for j in range(len(state.beta)):
        working.limits[j] = alpha * weights.l1[j]
        stays = state.beta[j] != 0.0 or (weights.l1[j] == 0.0 and columns.inverse[j] > 0.0)
        fresh = fresh and (working.inside[j] or not stays)
        working.inside[j] = stays
    return fresh


@inner
def _gather(columns, state, working, fresh):
    """Positions and gradients of the columns inside; returns their number."""
    size = 0
    for j in range(len(state.beta)):
        if working.inside[j]:
            if not fresh:
                working.known[j] = columns.inverse[j] * column_dot(columns.Z, columns.place, j, state.residual)
            working.position[size], working.gradient[size] = j, working.known[j]
            size += 1
    return size


@inner
def _admit(working, found, size, count):
    """Add the first `count` violators to the working set; returns its size."""
    for k in range(count):
        j = found.column[k]
        working.position[size + k], working.gradient[size + k] = j, found.gradient[k]
        working.inside[j] = True
    return size + count


@inner
def _gap(target, weights, state, working, size, found, count, rules, exact):
    """The duality gap, the residuals shrunk until no gradient is beyond its penalty.

    Where a bound without logarithms is good enough, that bound; infinity where `exact` is False and it is not.
    """
    alpha, l1, l2, offset, mean_loss = rules[ALPHA], weights.l1, weights.l2, target.offset, state.intercept[1]
    dual_scale, value = feasible_scale(working.position, working.gradient, size, l1, l2, alpha, 1.0)
    dual_scale, more = feasible_scale(found.column, found.gradient, count, l1, l2, alpha, dual_scale)
    value += more + penalty_value(state.beta, working.position[:size], l1, l2, alpha)
    primal = mean_loss + value + (dual_scale * dot(state.residual, offset) if len(offset) > 0 else 0.0)
    # the conjugate is convex, and minus the least loss at 0
    bound = primal - dual_scale * (mean_loss + dot(state.residual, state.eta)) - (1.0 - dual_scale) * rules[FLOOR]
    if bound <= rules[GOAL] or dual_scale == 1.0:
        return bound
    if not exact:
        return np.inf
    return primal + conjugate(int(rules[KIND]), target.y, target.w, state.residual, dual_scale)


class _Quadratic(NamedTuple):
    """A quadratic model of the loss on the working set of m columns, by its residuals."""

    v: np.ndarray  # n, curvatures of the rows times their weights
    r: np.ndarray  # n, residuals; they follow the steps
    centre: np.ndarray  # m, means of the columns under v
    curvature: np.ndarray  # m
    inside: np.ndarray  # int64, m: places in the working set of the columns in use


@njit
def _by_residuals(columns, target, weights, state, rules, position):
    """Minimise one quadratic on the working set by its residuals, then a line search."""
    beta, eta, residual = state.beta, state.eta, state.residual
    kind, m = int(rules[KIND]), len(position)
    v, r, old = row_curvature(kind, rules[WIDTH], eta, target.y, target.w, 1e-5), np.empty(len(residual)), np.empty(m)
    copy_to(r, residual)
    total = sum_of(v)
    quadratic = _Quadratic(v, r, np.zeros(m), np.empty(m), np.empty(m, dtype=np.int64))
    centre, curvature = quadratic.centre, quadratic.curvature
    for k in range(m):
        old[k] = beta[position[k]]
        one, two = column_moments(columns.Z, columns.place, position[k], v)
        if rules[HAS_INTERCEPT] > 0.0:
            centre[k] = one / total
        curvature[k] = max(0.0, two - centre[k] * one) * columns.inverse[position[k]] ** 2
    start = sum_of(r) / total if rules[HAS_INTERCEPT] > 0.0 else 0.0
    moved = _coordinate_descent(columns, weights, beta, quadratic, rules, position, start)
    _line_search(columns, target, weights, state, rules, position, old, moved)


@inner
def _coordinate_descent(columns, weights, beta, quadratic, rules, position, moved):
    """Sweeps over the working set, then over those in use until they settle; returns the intercept's move.

    The residuals are r - moved v; that part is added when a column is read, so no step touches all rows of a sparse
    table.
    """
    Z, place, inverse, l1, l2 = columns.Z, columns.place, columns.inverse, weights.l1, weights.l2
    v, r, centre, curvature, inside = quadratic.v, quadratic.r, quadratic.centre, quadratic.curvature, quadratic.inside
    total, alpha, tol = sum_of(v), rules[ALPHA], rules[TOLERANCE]
    everywhere = True
    some = len(position)
    for _ in range(_SWEEPS):
        gain = 0.0
        for c in range(some):
            k = c if everywhere else inside[c]
            j = position[k]
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
        if gain * len(position) <= tol:
            if everywhere:
                break
            everywhere, some = True, len(position)
        elif everywhere:
            everywhere, some = False, 0
            for k in range(len(position)):
                if beta[position[k]] != 0.0:
                    inside[some] = k
                    some += 1
    return moved


@njit
def _by_hessian(columns, target, weights, state, rules, position, q, hessian):
    """Minimise one quadratic on the working set by its Hessian, then a line search."""
    beta, l1, l2 = state.beta, weights.l1, weights.l2
    m, alpha = len(position), rules[ALPHA]
    H, gradient, new = np.empty((m, m)), np.empty(m), np.empty(m)
    alpha_l1, alpha_l2, mixed, old = np.empty(m), np.empty(m), np.zeros(m), np.empty(m)
    total, mean_residual, is_penalised = hessian[0, 0], 0.0, False
    if rules[HAS_INTERCEPT] > 0.0:
        mean_residual = sum_of(state.residual) / total
    for k in range(m):
        j = position[k]
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
            H[k, i] = hessian[j + 1, position[i] + 1] - centring * hessian[0, position[i] + 1]
    if is_penalised:
        coordinate_descent(H, gradient, new, alpha_l1, alpha_l2, rules[TOLERANCE], _SWEEPS)
    polish(H, gradient, new, alpha_l1, alpha_l2)  # the gap falls with the largest gradient left, so none is left
    moved = mean_residual
    for k in range(m):
        beta[position[k]] = new[k]
        if rules[HAS_INTERCEPT] > 0.0:
            moved -= mixed[k] * (new[k] - old[k]) / total
    _line_search(columns, target, weights, state, rules, position, old, moved)


@njit
def _extend(columns, row_curvatures, shared, centred, position):
    """Let the Hessian hold the columns of the working set that it lacks."""
    Z, place, inverse, in_hessian, hessian = columns.Z, columns.place, columns.inverse, shared.held, shared.matrix
    hessian[0, 0] = sum_of(row_curvatures) if centred else 0.0
    weighted = np.empty(len(row_curvatures))
    for j in position:
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
def _line_search(columns, target, weights, state, rules, position, old, moved):
    """Step from the old coefficients to those of now and the intercept's move, halved until the objective falls."""
    beta, eta, residual, b0 = state.beta, state.eta, state.residual, state.intercept
    l1, l2, y, w = weights.l1, weights.l2, target.y, target.w
    kind, width, alpha = int(rules[KIND]), rules[WIDTH], rules[ALPHA]
    n, step, proposed, start = len(eta), np.zeros(len(eta)), np.empty(len(position)), np.empty(len(eta))
    copy_to(start, eta)
    for k in range(len(position)):
        proposed[k] = beta[position[k]]
        beta[position[k]] = old[k]
        d = (proposed[k] - old[k]) * columns.inverse[position[k]]
        if d != 0.0:
            column_add(columns.Z, columns.place, position[k], d, step)
    before = b0[1] + penalty_value(beta, position, l1, l2, alpha)
    length, total, mean_curvature = 1.0, 0.0, 0.0
    for _ in range(30):
        for k in range(len(position)):
            beta[position[k]] = old[k] + length * (proposed[k] - old[k])
        for i in range(n):
            eta[i] = start[i] + length * (step[i] + moved)
        b0[1], total, mean_curvature = update_residual(kind, width, eta, y, w, residual)
        if b0[1] + penalty_value(beta, position, l1, l2, alpha) <= before + 1e-14 * abs(before):
            break
        length *= 0.5
    b0[0] += length * moved
    if rules[HAS_INTERCEPT] > 0.0:
        optimise_intercept(target, state, rules, total, mean_curvature)


@inner
def optimise_intercept(target, state, rules, total, mean_curvature):
    """Newton steps for the intercept alone, halved where they overshoot: the dual point needs residuals of sum 0."""
    y, w, eta, residual, b0 = target.y, target.w, state.eta, state.residual, state.intercept
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
