# mypy: allow-untyped-defs
"""The best subset of every size, proved: branch and bound over a triangular factor."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from tamis.engine.kernel import njit

MOST = 62  # columns: a subset is the bits of one integer


@njit
def _gains(R, Y, f, out, work):
    """How much the residual sum grows when each column is dropped: β² over the diagonal of (RᵀR)⁻¹."""
    for i in range(f - 1, -1, -1):  # rows of R⁻¹, from the last
        work[i, i] = 1.0 / R[i, i]
        for j in range(i + 1, f):
            total = 0.0
            for t in range(i + 1, j + 1):
                total += R[i, t] * work[t, j]
            work[i, j] = -total * work[i, i]
        beta, size = 0.0, 0.0
        for j in range(i, f):
            beta += work[i, j] * Y[j]
            size += work[i, j] * work[i, j]
        out[i] = beta * beta / size


@njit
def _sort(R, Y, free, gain, f, work, vector):
    """Columns by falling gain, the factor made triangular again by reflections."""
    moved = False
    for i in range(1, f):  # insertion sort: nearly sorted from the parent
        j = i
        while j > 0 and gain[j - 1] < gain[j]:
            gain[j - 1], gain[j] = gain[j], gain[j - 1]
            free[j - 1], free[j] = free[j], free[j - 1]
            for r in range(f):
                R[r, j - 1], R[r, j] = R[r, j], R[r, j - 1]
            moved = True
            j -= 1
    if not moved:
        return
    for c in range(f):
        low = c  # last row with an entry in this column
        for r in range(f - 1, c, -1):
            if R[r, c] != 0.0:
                low = r
                break
        if low == c:
            continue
        norm = 0.0
        for r in range(c, low + 1):
            norm += R[r, c] * R[r, c]
        norm = np.sqrt(norm)
        head = -norm if R[c, c] > 0 else norm
        for r in range(c, low + 1):
            vector[r] = R[r, c]
        vector[c] -= head
        square = 0.0
        for r in range(c, low + 1):
            square += vector[r] * vector[r]
        R[c, c] = head
        for r in range(c + 1, low + 1):
            R[r, c] = 0.0
        for j in range(c + 1, f):
            total = 0.0
            for r in range(c, low + 1):
                total += vector[r] * R[r, j]
            total *= 2.0 / square
            for r in range(c, low + 1):
                R[r, j] -= total * vector[r]
        total = 0.0
        for r in range(c, low + 1):
            total += vector[r] * Y[r]
        total *= 2.0 / square
        for r in range(c, low + 1):
            Y[r] -= total * vector[r]


@njit
def _open(L, Rs, Ys, frees, gains, sizes, kept, masks, rest, following, best, chosen, work, vector):
    """Order a node's free columns and score its leading subsets."""
    f = sizes[L]
    _gains(Rs[L], Ys[L], f, gains[L], work)
    if f > 2:
        _sort(Rs[L], Ys[L], frees[L], gains[L], f, work, vector)
    total = rest[L]
    mask = masks[L]
    for j in range(f):
        mask |= np.int64(1) << frees[L, j]
    for j in range(f, -1, -1):
        size = kept[L] + j
        if total < best[size]:
            best[size] = total
            chosen[size] = mask
        if j > 0:
            total += Ys[L, j - 1] * Ys[L, j - 1]
            mask &= ~(np.int64(1) << frees[L, j - 1])
    following[L] = f - 2


@njit
def _drop(L, i, Rs, Ys, frees, sizes, kept, masks, rest):
    """The child without free column i, the ones before it kept: rotations make its factor triangular."""
    f, g = sizes[L], sizes[L] - i - 1
    R, Y = Rs[L + 1], Ys[L + 1]
    for r in range(g + 1):
        for c in range(g):
            R[r, c] = Rs[L, i + r, i + 1 + c]
        Y[r] = Ys[L, i + r]
    for c in range(g):
        a, b = R[c, c], R[c + 1, c]
        norm = np.sqrt(a * a + b * b)
        co, si = a / norm, b / norm
        for j in range(c, g):
            x, z = R[c, j], R[c + 1, j]
            R[c, j], R[c + 1, j] = co * x + si * z, co * z - si * x
        x, z = Y[c], Y[c + 1]
        Y[c], Y[c + 1] = co * x + si * z, co * z - si * x
    mask = masks[L]
    for j in range(i):
        mask |= np.int64(1) << frees[L, j]
    masks[L + 1] = mask
    for c in range(g):
        frees[L + 1, c] = frees[L, i + 1 + c]
    sizes[L + 1], kept[L + 1] = g, kept[L] + i
    rest[L + 1] = rest[L] + Y[g] * Y[g]
    return f


@njit
def _explore(L, Rs, Ys, frees, gains, sizes, kept, masks, rest, following, best, chosen, most, budget):
    """Depth first for at most `budget` nodes; returns the level to go on from (-1 when all is explored)."""
    work, vector = np.empty(Rs[0].shape), np.empty(Rs.shape[1])
    while L >= 0 and budget > 0:
        i = following[L]
        if i < 0:
            L -= 1
            continue
        following[L] -= 1
        size = kept[L] + i + 1
        if size > most or rest[L] + gains[L, i] >= best[size] * (1 - 1e-12):
            continue
        _drop(L, i, Rs, Ys, frees, sizes, kept, masks, rest)
        L += 1
        _open(L, Rs, Ys, frees, gains, sizes, kept, masks, rest, following, best, chosen, work, vector)
        budget -= 1
    return L


@dataclass(frozen=True, eq=False)
class Subsets:
    """The best subset of every size from 0: residual sums, columns, and a bound below which none can fall."""

    rss: np.ndarray
    columns: list[np.ndarray]
    bound: np.ndarray

    @property
    def optimal(self) -> np.ndarray:
        """Which of them are proved best."""
        return np.asarray(self.bound >= self.rss * (1 - 1e-9))


def best_subsets(R: np.ndarray, Y: np.ndarray, rest: float, most: int, time_limit: float | None = None) -> Subsets:
    """Branch and bound on the triangular factor R of the columns and Y = Qᵀy, with `rest` the residual sum of all.

    A node keeps some columns, has left out others, and may still choose among the rest; its residual sum with all of
    them is a bound for whatever it leads to. Columns are ordered by what dropping them costs, so weak branches are cut
    before they are factored.

    References
    ----------
    Furnival, Wilson (1974), Regressions by leaps and bounds, Technometrics 16.
    Gatu, Kontoghiorghes (2006), Branch-and-bound algorithms for computing the best-subset regression models.
    """
    p = R.shape[1]
    Rs, Ys = np.zeros((p + 1, p + 1, p + 1)), np.zeros((p + 1, p + 1))
    frees, gains = np.zeros((p + 1, p + 1), np.int64), np.zeros((p + 1, p + 1))
    sizes, kept, masks = np.zeros(p + 1, np.int64), np.zeros(p + 1, np.int64), np.zeros(p + 1, np.int64)
    sums, following = np.zeros(p + 1), np.full(p + 1, -1, np.int64)
    best, chosen = np.full(p + 1, np.inf), np.zeros(p + 1, np.int64)
    Rs[0, :p, :p], Ys[0, :p], frees[0, :p], sizes[0], sums[0] = R, Y, np.arange(p), p, rest
    work, vector = np.empty((p + 1, p + 1)), np.empty(p + 1)
    _open(0, Rs, Ys, frees, gains, sizes, kept, masks, sums, following, best, chosen, work, vector)
    level, start = 0, time.monotonic()
    while level >= 0:
        level = _explore(level, Rs, Ys, frees, gains, sizes, kept, masks, sums, following, best, chosen, most, 20_000)
        if time_limit is not None and time.monotonic() - start > time_limit:
            break
    bound = best.copy()
    for at in range(level + 1):  # what was left unexplored
        for i in range(following[at] + 1):
            first = kept[at] + i + 1
            bound[first:] = np.minimum(bound[first:], sums[at] + gains[at, i])
    columns = [np.array([j for j in range(p) if mask >> j & 1], dtype=np.int64) for mask in chosen.tolist()]
    return Subsets(best[: most + 1], columns[: most + 1], bound[: most + 1])
