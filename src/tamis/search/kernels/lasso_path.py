# mypy: allow-untyped-defs
"""The compiled half of stability selection by the lasso: a whole path on one resample, coordinate by coordinate."""

from __future__ import annotations

import numpy as np

from tamis.engine.kernel import njit


@njit
def path(X, y, alphas, tol, gram, chosen, gaps):
    """Minimise |y - Xw|²/2n + alpha |w|₁ for falling alphas; chosen[a, j]: w_j ≠ 0; gaps[a]: the relative gap.

    X : d × n, every line centred; y : centred; gram : room for the products of the columns taken in. A column is
    taken in when its gradient reaches alpha; a step ends when the duality gap is below tol · |y|²/2n. The gradient of a
    column moves by at most its length times that of the change of the residuals, so most gradients need not be computed
    most of the time.
    """
    d, n = X.shape
    room = len(gram)
    rest, then, candidates = y.copy(), y.copy(), np.empty(d, dtype=np.int64)
    held, inside = np.empty(room, dtype=np.int64), np.zeros(d, dtype=np.bool_)
    w, working_set, length = np.zeros(room), np.empty(room), np.empty(d)
    gradient = np.dot(X, y) / n
    for j in range(d):
        length[j] = np.sqrt(np.dot(X[j], X[j]) / n)
    scale, longest = max(np.dot(y, y) / (2 * n), 1e-300), length.max()
    some = _near(gradient, length, d, 0.0, 0.9 * alphas[0], candidates)
    reach, used = 0.9 * alphas[0], 0
    for a in range(len(alphas)):
        alpha = alphas[a]
        gap, goal = np.inf, 0.2 * tol * scale
        for trial in range(200):
            if used + 64 > room:
                used = _forget(held, inside, w, working_set, gram, used)
            for c in range(some):
                j = candidates[c]
                if not inside[j] and np.abs(gradient[j]) > alpha and used < room:
                    used = _take(X, j, held, inside, w, working_set, gram, gradient, used)
            _descend(gram, w, working_set, used, alpha, goal)
            rest[:] = y
            for i in range(used):
                if w[i] != 0.0:
                    rest -= w[i] * X[held[i]]
            for i in range(used):
                working_set[i] = np.dot(X[held[i]], rest) / n
            moved = np.sqrt(((rest - then) ** 2).sum() / n)
            if alpha - moved * longest < reach:
                # beyond what the columns looked at can vouch for: look at all, and keep those that could come near
                gradient[:] = np.dot(X, rest) / n
                then[:] = rest
                reach = 0.85 * alpha
                some = _near(gradient, length, d, 0.0, reach, candidates)
            else:
                for c in range(some):
                    if not inside[candidates[c]]:
                        gradient[candidates[c]] = np.dot(X[candidates[c]], rest) / n
            worst = 0.0
            for c in range(some):
                if not inside[candidates[c]]:
                    worst = max(worst, np.abs(gradient[candidates[c]]))
            for i in range(used):
                gradient[held[i]] = working_set[i]
                worst = max(worst, np.abs(working_set[i]))
            gap = _gap(y, rest, w, used, worst, alpha)
            if gap <= tol * scale and worst <= alpha * (1 + 1e-3):
                break
            if trial > 0:
                goal *= 0.2
        gaps[a] = gap / scale
        for i in range(used):
            if w[i] != 0.0:
                chosen[a, held[i]] = True


@njit
def _near(gradient, length, d, moved, reach, candidates):
    """The columns whose gradient is at least `reach`; returns how many."""
    some = 0
    for j in range(d):
        if length[j] > 0.0 and np.abs(gradient[j]) + moved * length[j] >= reach:
            candidates[some] = j
            some += 1
    return some


@njit
def _take(X, j, held, inside, w, working_set, gram, gradient, used):
    n = X.shape[1]
    for i in range(used):
        gram[used, i] = np.dot(X[j], X[held[i]]) / n
        gram[i, used] = gram[used, i]
    gram[used, used] = np.dot(X[j], X[j]) / n
    if gram[used, used] <= 0.0:
        return used
    held[used], inside[j], w[used], working_set[used] = j, True, 0.0, gradient[j]
    return used + 1


@njit
def _forget(held, inside, w, working_set, gram, used):
    """Make room: only the columns in use stay."""
    kept = 0
    for i in range(used):
        if w[i] == 0.0:
            inside[held[i]] = False
            continue
        if kept < i:
            held[kept], w[kept], working_set[kept] = held[i], w[i], working_set[i]
            for c in range(used):
                gram[kept, c] = gram[i, c]
            for c in range(used):
                gram[c, kept] = gram[c, i]
        kept += 1
    return kept


@njit
def _descend(gram, w, working_set, used, alpha, goal):
    """Coordinate descent on the columns held, until a sweep lowers the objective by less than the goal.

    Every third sweep the columns in use are solved for exactly, as long as no sign changes on the way: 50 columns cost
    one small factorisation instead of dozens of sweeps.
    """
    for sweep in range(20_000):
        gain = 0.0
        for i in range(used):
            bend = gram[i, i]
            target = working_set[i] + bend * w[i]
            new = 0.0
            if target > alpha:
                new = (target - alpha) / bend
            elif target < -alpha:
                new = (target + alpha) / bend
            move = new - w[i]
            if move != 0.0:
                w[i] = new
                for c in range(used):
                    working_set[c] -= move * gram[i, c]
                gain += 0.5 * bend * move * move
        if gain <= goal:
            return
        if sweep % 3 == 1:
            _solve(gram, w, working_set, used, alpha)


@njit
def _solve(gram, w, working_set, used, alpha):
    """Move the columns in use towards their common optimum, as far as every sign stays."""
    active = np.flatnonzero(w[:used])
    k = len(active)
    L = np.empty((k, k))
    move = np.empty(k)
    for a in range(k):  # Cholesky and the first of its two solves in one go
        i = active[a]
        value = working_set[i] - (alpha if w[i] > 0.0 else -alpha)
        for b in range(a + 1):
            entry = gram[i, active[b]]
            for c in range(b):
                entry -= L[a, c] * L[b, c]
            if a > b:
                L[a, b] = entry / L[b, b]
                value -= L[a, b] * move[b]
            else:
                if entry <= 1e-10 * gram[i, i]:
                    return
                L[a, a] = np.sqrt(entry)
        move[a] = value / L[a, a]
    for a in range(k - 1, -1, -1):
        for c in range(a + 1, k):
            move[a] -= L[c, a] * move[c]
        move[a] /= L[a, a]
    length = 1.0
    for a in range(k):
        if move[a] * w[active[a]] < 0.0 and np.abs(move[a]) > np.abs(w[active[a]]):
            length = min(length, np.abs(w[active[a]] / move[a]))
    for a in range(k):
        i = active[a]
        step = length * move[a]
        new = w[i] + step
        if length < 1.0 and np.abs(new) < 1e-14 * np.abs(w[i]):
            step, new = -w[i], 0.0
        w[i] = new
        for c in range(used):
            working_set[c] -= step * gram[i, c]


@njit
def _gap(y, rest, w, used, worst, alpha):
    n = len(y)
    size = 0.0
    for i in range(used):
        size += np.abs(w[i])
    share = 1.0 if worst <= alpha else alpha / worst
    primal = np.dot(rest, rest) / (2 * n) + alpha * size
    dual = share * np.dot(y, rest) / n - share * share * np.dot(rest, rest) / (2 * n)
    return primal - dual
