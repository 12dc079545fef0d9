"""Coordinate descent on a quadratic with an elastic-net or group penalty: the kernel under every path."""

from __future__ import annotations

import numpy as np

from tamis.engine.kernel import njit


@njit
def descend(H, q, beta, l1, l2, tol, most):  # type: ignore[no-untyped-def]
    """Minimise ½ δᵀHδ - qᵀδ + Σ l1|β| + ½ Σ l2 β² over β = β₀ + δ, in place; q becomes the gradient at the new β.

    Sweeps over the columns in use until they settle, then once over all. Stops when a full sweep lowers the objective
    by less than tol. Returns the number of sweeps.
    """
    p = len(beta)
    inside = np.empty(p, dtype=np.int64)
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
def _step(H, q, beta, l1, l2, j):  # type: ignore[no-untyped-def]
    """Set one coefficient to its optimum; return half its curvature times its squared move."""
    bend = H[j, j] + l2[j]
    old = beta[j]
    if bend <= 0.0:
        return 0.0
    pull = q[j] + H[j, j] * old
    if pull > l1[j]:
        new = (pull - l1[j]) / bend
    elif pull < -l1[j]:
        new = (pull + l1[j]) / bend
    else:
        new = 0.0
    move = new - old
    if move == 0.0:
        return 0.0
    beta[j] = new
    column = H[j]
    for i in range(len(q)):
        q[i] -= move * column[i]
    return 0.5 * bend * move * move


@njit
def descend_groups(H, q, beta, starts, top, l1, l2, tol, most):  # type: ignore[no-untyped-def]
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
def _block(H, q, beta, a, b, top, l1, l2):  # type: ignore[no-untyped-def]
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
    new = np.empty(b - a)
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
