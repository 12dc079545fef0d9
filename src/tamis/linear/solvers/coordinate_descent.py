# mypy: allow-untyped-defs
"""Coordinate descent on a quadratic with an elastic-net or group penalty: the kernel under every path."""

from __future__ import annotations

import numpy as np

from tamis.engine.intrinsics import matrix, vector
from tamis.engine.kernel import njit

_LEAVES = 10  # columns that may leave while polishing
_SWEEPS = 20  # of descent before a direct solve: half the time where columns are nearly dependent (indicators)
_ATTEMPTS = 48
_LARGEST = 1000  # columns in use beyond which a direct solve costs more than sweeps


@njit
def coordinate_descent(H, q, beta, l1, l2, tol, most):
    """Minimise ½ δᵀHδ - qᵀδ + Σ l1|β| + ½ Σ l2 β² over β = β₀ + δ, in place; q becomes the gradient at the new β.

    Sweeps over the columns in use until they settle, then once over all. Stops when a full sweep lowers the objective
    by less than tol. Returns the number of sweeps.
    """
    p = len(beta)
    inside = vector(p, np.int64)
    sweeps = 0
    while sweeps < most:
        gain = 0.0
        for j in range(p):
            gain += _step(H, q, beta, l1, l2, j)
        sweeps += 1
        if gain <= tol:
            break
        used = 0
        for j in range(p):
            if beta[j] != 0.0:
                inside[used] = j
                used += 1
        while sweeps < most:
            gain = 0.0
            for i in range(used):
                gain += _step(H, q, beta, l1, l2, inside[i])
            sweeps += 1
            if gain <= tol:
                break
    return sweeps


@njit
def soft_threshold(gradient, l1, curvature):
    """The optimum of ½ curvature β² - gradient β + l1 |β|: the gradient, less the threshold, over the curvature."""
    if gradient > l1:
        return (gradient - l1) / curvature
    if gradient < -l1:
        return (gradient + l1) / curvature
    return 0.0


@njit(fastmath={"reassoc", "contract"})
def weighted_square(column, v):
    """Σ v x² of a column."""
    s = 0.0
    for i in range(len(v)):
        s += v[i] * column[i] * column[i]
    return s


@njit
def _step(H, q, beta, l1, l2, j):
    """Set one coefficient to its optimum; return half its curvature times its squared move."""
    curvature = H[j, j] + l2[j]
    old = beta[j]
    if curvature <= 0.0:
        return 0.0
    new = soft_threshold(q[j] + H[j, j] * old, l1[j], curvature)
    move = new - old
    if move == 0.0:
        return 0.0
    beta[j] = new
    column = H[j]
    for i in range(len(q)):
        q[i] -= move * column[i]
    return 0.5 * curvature * move * move


@njit
def polish(H, q, beta, l1, l2):
    """Set β to the exact optimum of the columns in use for their present signs; one that would change sign becomes 0.

    Columns without l1 are in use whatever their coefficient. q follows as in `coordinate_descent`.
    """
    exact(H, q, beta, l1, l2, vector(len(beta), np.int64))


@njit
def exact(H, q, beta, l1, l2, used):
    """What `polish` does; returns the number of columns in use, their positions in `used`, and their factor.

    The number is 0 where the optimum was not reached.
    """
    L = matrix(0, 0, np.float64)
    for _ in range(_LEAVES):
        m = 0
        for j in range(len(beta)):
            if beta[j] != 0.0 or (l1[j] == 0.0 and H[j, j] > 0.0):
                used[m] = j
                m += 1
        if m == 0 or m > _LARGEST:
            return 0, L
        L = factor(H, used[:m], l2)
        if len(L) == 0:
            return 0, L
        if advance(H, L, q, beta, l1, l2, used[:m]):
            return m, L
    return 0, L


@njit
def advance(H, L, q, beta, l1, l2, used):
    """One Newton step for the columns in use; False where it was shortened because a coefficient would change sign."""
    m = len(used)
    left = vector(m, np.float64)
    for k in range(m):
        j = used[k]
        left[k] = q[j] - l1[j] * np.sign(beta[j]) - l2[j] * beta[j]
    move = solve(H, L, used, l2, left)
    step, out = 1.0, -1
    for k in range(m):
        j = used[k]
        if l1[j] > 0.0 and (beta[j] + move[k]) * beta[j] <= 0.0 and move[k] != 0.0:
            length = -beta[j] / move[k]
            if length < step or out < 0:
                step, out = length, k
    for k in range(m):
        _shift(H[used[k]], q, step * move[k])
        beta[used[k]] += step * move[k]
    if out < 0:
        return True
    _shift(H[used[out]], q, -beta[used[out]])  # exactly 0, whatever rounding left
    beta[used[out]] = 0.0
    return False


@njit
def copy_to(out, values):
    """out[:] = values, by a loop: the assignment compiles Numba's error about shapes too, two seconds."""
    for i in range(len(values)):
        out[i] = values[i]


@njit
def copied(values):
    """A copy; NumPy's own takes longer to compile."""
    out = vector(len(values), np.float64)
    copy_to(out, values)
    return out


@njit
def _shift(column, q, move):
    for i in range(len(q)):
        q[i] -= move * column[i]


@njit
def factor(H, used, l2):
    """The Cholesky factor of H + diag l2 on some columns; an empty one where that fails."""
    m = len(used)
    L, top = matrix(m, m, np.float64), 0.0
    for k in range(m):
        top = max(top, H[used[k], used[k]] + l2[used[k]])
    for i in range(m):
        for j in range(i + 1):
            value = H[used[i], used[j]] - dot(L[i, :j], L[j, :j])
            if i > j:
                L[i, j] = value / L[j, j]
            else:
                value += l2[used[i]] + 1e-11 * top  # for columns that repeat one another
                if value <= 0.0:
                    return matrix(0, 0, np.float64)
                L[i, i] = np.sqrt(value)
    return L


@njit
def solve(H, L, used, l2, left):
    """(H + diag l2)⁻¹ left on some columns by their factor, one step refined."""
    m = len(used)
    move = _substitute(L, left)
    rest = copied(left)
    for i in range(m):
        for j in range(m):
            rest[i] -= H[used[i], used[j]] * move[j]
        rest[i] -= l2[used[i]] * move[i]
    refined = _substitute(L, rest)
    for i in range(m):
        refined[i] = move[i] + refined[i]
    return refined


@njit
def _substitute(L, right):
    """L⁻ᵀ L⁻¹ right."""
    m = len(right)
    out = copied(right)
    for i in range(m):
        out[i] = (out[i] - dot(L[i, :i], out[:i])) / L[i, i]
    for i in range(m - 1, -1, -1):
        out[i] /= L[i, i]
        for j in range(i):
            out[j] -= L[i, j] * out[i]
    return out


@njit(fastmath={"reassoc", "contract"})  # sums in any order: five times faster
def dot(a, b):
    s = 0.0
    for i in range(len(a)):
        s += a[i] * b[i]
    return s


@njit
def sum_of(a):
    """Σ a; NumPy's own takes longer to compile."""
    s = 0.0
    for i in range(len(a)):
        s += a[i]
    return s


@njit
def follow_path(H, c, yy, l1, l2, alphas, goal, out, gaps):
    """A whole path of ½ βᵀHβ - cᵀβ + ½ yy with its penalty, each strength from the one before; duality gaps in gaps."""
    p = len(c)
    q, beta, alpha_l1, alpha_l2 = copied(c), vector(p, np.float64), vector(p, np.float64), vector(p, np.float64)
    for j in range(p):
        beta[j] = 0.0
    for a in range(len(alphas)):
        gain, gap, used = 1e-2 * goal / np.sqrt(max(1, p)), np.inf, 0
        for j in range(p):
            alpha_l1[j], alpha_l2[j] = alphas[a] * l1[j], alphas[a] * l2[j]
            used += beta[j] != 0.0
        for attempt in range(_ATTEMPTS):
            # a direct solve takes as long as used² / 3p sweeps: not before they were tried
            most = max(_SWEEPS, used * used // (3 * p)) if attempt < _ATTEMPTS - 8 else 20_000
            sweeps = coordinate_descent(H, q, beta, alpha_l1, alpha_l2, gain, most)
            if attempt > 0 or sweeps >= most:
                polish(H, q, beta, alpha_l1, alpha_l2)
            gap = _gap(c, yy, q, beta, alpha_l1, alpha_l2)
            if gap <= goal or yy <= 0.0:
                break
            if sweeps < most:
                gain *= 1e-2
            for j in range(p):
                q[j] = c[j] - dot(H[j], beta)
        copy_to(out[a], beta)
        gaps[a] = gap


@njit
def _gap(c, yy, q, beta, l1, l2):
    """Primal minus dual objective, q = c - Hβ shrunk until no gradient is beyond l1."""
    dual_scale, left, size, target_dot_residual = 1.0, yy, 0.0, yy
    for j in range(len(c)):
        gradient = abs(q[j] - l2[j] * beta[j])
        if gradient > l1[j]:
            dual_scale = min(dual_scale, l1[j] / gradient)
        left += beta[j] * (l2[j] * beta[j] - c[j] - q[j])
        size += l1[j] * abs(beta[j])
        target_dot_residual -= c[j] * beta[j]
    return 0.5 * left * (1.0 + dual_scale * dual_scale) + size - dual_scale * target_dot_residual


@njit
def group_coordinate_descent(H, q, beta, starts, top, l1, l2, tol, most):
    """The same for a group penalty Σ l1_g‖β_g‖ + ½ Σ l2_g‖β_g‖²; `top` bounds the curvature of each group."""
    sweeps = 0
    gain = tol + 1.0
    while sweeps < most and gain > tol:
        gain = 0.0
        for g in range(len(starts) - 1):
            gain += _block(H, q, beta, starts[g], starts[g + 1], top[g], l1[g], l2[g])
        sweeps += 1
    return sweeps


@njit
def _block(H, q, beta, a, b, top, l1, l2):
    """A proximal step on one group; for a group of one it is the exact minimum."""
    if top <= 0.0:
        return 0.0
    norm = 0.0
    for j in range(a, b):
        z = q[j] + top * beta[j]
        norm += z * z
    norm = np.sqrt(norm)
    shrink = max(0.0, 1.0 - l1 / norm) if norm > 0.0 else 0.0
    gain = 0.0
    new = vector(b - a, np.float64)
    for j in range(a, b):
        new[j - a] = shrink * (q[j] + top * beta[j]) / (top + l2)
    for j in range(a, b):
        move = new[j - a] - beta[j]
        if move == 0.0:
            continue
        gain += 0.5 * (top + l2) * move * move
        beta[j] = new[j - a]
        column = H[j]
        for i in range(len(q)):
            q[i] -= move * column[i]
    return gain
