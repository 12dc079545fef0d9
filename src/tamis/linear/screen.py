# mypy: allow-untyped-defs
"""Which columns outside the working set want to enter: bounds that need no product leave few to be looked at.

The residuals of now are a share of the residuals last seen and a rest; a column's pull is that share of its pull then,
give or take its length times the length of the rest. So most columns are known to stay out without reading them.
"""

from __future__ import annotations

import numpy as np

from tamis.engine.kernel import inner, njit
from tamis.linear.column import column_dot
from tamis.linear.descend import copy_to


@inner(fastmath={"reassoc", "contract"})
def _part(w, pull, seen):
    """The share of the residuals seen in those of now, and the length of the rest."""
    both, own = 0.0, 0.0
    for i in range(len(w)):
        if w[i] > 0.0:
            both += pull[i] * seen[i] / w[i]
            own += seen[i] * seen[i] / w[i]
    share = both / own if own > 0.0 else 1.0
    if not 0.1 < share < 10.0:
        share = 1.0
    rest = 0.0
    for i in range(len(w)):
        if w[i] > 0.0:
            d = pull[i] - share * seen[i]
            rest += d * d / w[i]
    return share, np.sqrt(rest)


@inner
def violators(columns, w, look, pull, limits, inside, found, hard):
    """Columns not inside that pull harder than their limit: positions in found, pulls in hard, their number.

    columns: Z and place (see column.py), inverse scales and lengths.
    look = (seen, clock, known, when): clock[0] is the product of all shares so far, clock[1] the sum of all rests over
    it; `known` are pulls over clock[0] as they were at clock[1] = `when`; `seen` are the residuals of the last look.
    """
    Z, place, inverse, norms = columns
    seen, clock, known, when = look
    share, rest = _part(w, pull, seen)
    copy_to(seen, pull)
    clock[0] *= share
    clock[1] += rest / clock[0]
    scale, now, count = clock[0], clock[1], 0
    for j in range(len(norms)):
        if inside[j] or scale * (abs(known[j]) + norms[j] * (now - when[j])) <= limits[j]:
            continue
        g = inverse[j] * column_dot(Z, place, j, pull)
        known[j], when[j] = g / scale, now
        if abs(g) > limits[j]:
            found[count], hard[count] = j, g
            count += 1
    return count


@njit
def pulls(Z, place, pull, inverse, known):
    """The pull on every column."""
    for j in range(len(known)):
        known[j] = inverse[j] * column_dot(Z, place, j, pull) if inverse[j] > 0.0 else 0.0


@njit
def worst(found, hard, limits, count, most):
    """Keep the columns furthest beyond their limits, in order of position, when there are more than `most`."""
    if count <= most:
        return count
    ratio = np.empty(count)
    for k in range(count):
        ratio[k] = abs(hard[k]) / limits[found[k]]
    least = _select(ratio.copy(), count - most)
    some = 0
    for k in range(count):
        if ratio[k] >= least and some < most:
            found[some], hard[some] = found[k], hard[k]
            some += 1
    return some


@inner
def _select(values, k):
    """The value that would stand at place k in ascending order (Hoare 1961); the values are rearranged."""
    low, high = 0, len(values) - 1
    while low < high:
        middle, i, j = values[(low + high) >> 1], low, high
        while i <= j:
            while values[i] < middle:
                i += 1
            while values[j] > middle:
                j -= 1
            if i <= j:
                values[i], values[j] = values[j], values[i]
                i += 1
                j -= 1
        if k <= j:
            high = j
        elif k >= i:
            low = i
        else:
            break
    return values[k]


@inner
def penalty(beta, used, l1, l2, alpha):
    """alpha Σ (l1 |β| + ½ l2 β²) over some columns."""
    s = 0.0
    for j in used:
        b = beta[j]
        s += l1[j] * abs(b) + 0.5 * l2[j] * b * b
    return alpha * s


@inner
def reach(which, pulls, count, l1, l2, alpha, share):
    """How far the residuals must shrink for no column to pull harder than l1 allows, and what l2 holds of the rest."""
    held = 0.0
    for k in range(count):
        j, g = which[k], abs(pulls[k])
        over = g - alpha * l1[j]
        if over > 0.0 and l2[j] > 0.0:
            held += over * over / (2 * alpha * l2[j])
        elif over > 0.0:
            share = min(share, alpha * l1[j] / g)
    return share, held
