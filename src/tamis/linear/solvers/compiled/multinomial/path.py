# mypy: allow-untyped-defs
"""The multinomial path: one fit of three classes or more, from one strength to the next.

A quadratic with the full Hessian of the softmax is minimised on a working set of (class, column) pairs, and again,
until the duality gap is closed. The Hessian is that of a reference near by: the fit itself at an earlier strength, or,
with many rows, the fit of all rows, which serves every fold. It grows with the working set and is renewed when a step
gains little. Where the working set is too large for it, residuals are kept instead (`by_residuals`).
"""

from __future__ import annotations

import numpy as np

from tamis.engine.kernel import njit
from tamis.linear.solvers.compiled.layout import Screening
from tamis.linear.solvers.compiled.layout import Violators as ColumnViolators
from tamis.linear.solvers.compiled.multinomial.by_hessian import by_hessian, extend, grown
from tamis.linear.solvers.compiled.multinomial.by_residuals import by_residuals
from tamis.linear.solvers.compiled.multinomial.gap import duality_gap
from tamis.linear.solvers.compiled.multinomial.layout import (
    Factor,
    Pairs,
    Quadratic,
    Reference,
    Step,
    Violators,
    WorkingSet,
)
from tamis.linear.solvers.compiled.multinomial.working_set import group_violators, in_use, shorten
from tamis.linear.solvers.coordinate_descent import dot
from tamis.linear.solvers.screening import violators, worst

_NEWTON = 200  # quadratics a strength
_MORE_STEPS = 2  # of a model that is kept: near the optimum each doubles the digits, which a gap cannot see


@njit
def solve_path(columns, target, weights, screening, state, shared, rules, alphas, out):
    """Minimise Σ w log-loss + alpha · penalty for falling alphas, each from the solution before.

    The arguments are named tuples of the two `layout` files; `shared` is a `Reference`, its Hessian empty where none is
    given. `state` and `screening` are updated, `out` is filled. Returns whether a reference of the fit's own took the
    place of the one given.
    """
    (K, p), prob = state.beta.shape, state.prob
    working = WorkingSet(
        np.empty(K * p, dtype=np.int64),
        np.empty(K * p, dtype=np.int64),
        np.empty(K * p),
        np.zeros((K, p), dtype=np.bool_),
        np.zeros(2, dtype=np.int64),
        np.empty(p),
    )
    found = Violators(np.empty((K, p), dtype=np.int64), np.empty((K, p)), np.zeros(K, dtype=np.int64))
    in_use(columns, target, weights, state, working)
    renewed, reference = len(shared.hessian) == 0, shared
    if renewed:
        reference = Reference(target.w, prob.copy(), shared.hessian, shared.held)
    none = Factor(working.size[1], np.empty(0, dtype=np.int64), np.empty((0, 0)))
    quadratic = Quadratic(np.empty((0, 0)), reference, none, renewed)
    for a in range(len(alphas)):
        for j in range(p):
            working.limits[j] = alphas[a] * weights.l1[j]
        quadratic = _shortened(weights, state, working, quadratic)
        quadratic, out.gap[a] = _solve(
            columns, target, weights, screening, state, rules, alphas[a], working, found, quadratic
        )
        for k in range(K):
            for j in range(p):
                out.coef[a, j, k] = state.beta[k, j]
            out.coef[a, p, k] = state.intercept[k]
            for i in range(len(target.w)):
                out.eta[a, i, k] = state.eta[k, i]
    return quadratic.renewed


@njit
def _shortened(weights, state, working, quadratic):
    """Let pairs that are not in use leave, where they are many."""
    K, m = len(state.beta), working.size[0]
    least = K + m
    for e in range(m):
        least -= state.beta[working.owner[e], working.column[e]] == 0.0
    factor = quadratic.factor
    if m > 32 + 1.5 * least:
        shorten(weights, state, working, quadratic.H)
        factor = _no_factor(factor)
    return Quadratic(quadratic.H, quadratic.reference, factor, quadratic.renewed)


@njit
def _solve(columns, target, weights, screening, state, rules, alpha, working, found, begun):
    """Quadratics at one strength until its duality gap is closed; returns the last one, and the gap."""
    K, size = len(state.beta), working.size
    gap, tolerance, more = np.inf, 0.1 * rules.goal, 0
    quadratic = Quadratic(begun.H, begun.reference, begun.factor, begun.renewed)
    for step in range(_NEWTON):
        _violators(columns, target, weights, screening, state, working, found)
        before, m = gap, size[0]
        pairs = Pairs(working.owner[:m], working.column[:m])
        gap = duality_gap(target, weights, state, pairs, working.gradient, found, alpha, rules.goal, step > 0)
        if gap <= rules.goal or (gap <= rules.enough and gap > 0.5 * before):
            if rules.enough == 0.0 or more == _MORE_STEPS:
                break
            more, quadratic = more + 1, _renewed(target, state, working, quadratic)
        # nearly dependent columns: a sweep gains little far from the optimum, so the tolerance is lowered
        tolerance = max(1e-26, 0.1 * tolerance if gap > 0.5 * before else min(tolerance, 0.01 * abs(gap)))
        _admit(weights, working, found)
        grew, m = size[0] > m, size[0]
        pairs, rule = Pairs(working.owner[:m], working.column[:m]), Step(alpha, rules.centred, tolerance)
        if m > rules.most and len(weights.ends) == 0:
            by_residuals(columns, target, weights, state, pairs, rule)
            size[1] = 0
            continue
        if grew:
            none = _no_factor(quadratic.factor)
            quadratic = Quadratic(quadratic.H, quadratic.reference, none, quadratic.renewed)
        # the first gap of a strength tells nothing: the residuals, all shrunk alike, are nearly dual feasible
        elif step > 1 and gap > 0.3 * before:
            quadratic = _renewed(target, state, working, quadratic)
        if len(quadratic.H) < K + m:
            wide = grown(quadratic.H, K + 2 * m)
            quadratic = Quadratic(wide, quadratic.reference, quadratic.factor, quadratic.renewed)
        if size[1] < m or size[1] == 0:  # without pairs there are the intercepts
            extend(columns, quadratic.reference, rules.centred, pairs, size[1], quadratic.H)
            size[1] = m
        factor = by_hessian(columns, target, weights, state, pairs, working.gradient, quadratic, rule)
        quadratic = Quadratic(quadratic.H, quadratic.reference, factor, quadratic.renewed)
    return quadratic, gap


@njit
def _renewed(target, state, working, quadratic):
    """The fit as it is now becomes the reference; the Hessian is to be computed anew."""
    working.size[1] = 0
    empty = np.empty((0, 0))
    reference = Reference(target.w, state.prob.copy(), empty, quadratic.reference.held)
    return Quadratic(quadratic.H, reference, Factor(working.size[1], quadratic.factor.used, empty), True)


@njit
def _no_factor(factor):
    return Factor(factor.size * 0, factor.used, factor.L)


@njit
def _violators(columns, target, weights, screening, state, working, found):
    """Gradients of the working set, and the pairs outside whose gradient is beyond its limit."""
    residual = state.residual
    for e in range(working.size[0]):
        j = working.column[e]
        working.gradient[e] = columns.inverse[j] * dot(columns.Z[j], residual[working.owner[e]])
    for k in range(len(residual)):
        found.counts[k] = 0
        if not target.present[k]:
            continue
        mine = ColumnViolators(found.column[k], found.gradient[k])
        if len(weights.ends) == 0:
            known = Screening(
                screening.last_residual[k], screening.clock[k], screening.last_gradient[k], screening.when[k]
            )
            found.counts[k] = violators(columns, target.w, known, residual[k], working.limits, working.inside[k], mine)
        else:
            found.counts[k] = group_violators(
                columns, weights.ends, residual[k], working.limits, working.inside[k], mine
            )


@njit
def _admit(weights, working, found):
    """Let the violators enter: all groups, or the pairs furthest beyond their limits when they are many."""
    K, before = len(found.counts), working.size[0]
    m = before
    for k in range(K):
        if len(weights.ends) == 0:
            mine = ColumnViolators(found.column[k], found.gradient[k])
            found.counts[k] = worst(mine, working.limits, found.counts[k], max(8 + 64 // K, m // K))
        for c in range(found.counts[k]):
            j = found.column[k, c]
            working.owner[m], working.column[m], working.gradient[m] = k, j, found.gradient[k, c]
            working.inside[k, j] = True
            m += 1
    working.size[0] = m
