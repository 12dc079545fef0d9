# mypy: allow-untyped-defs
"""The best cut of a node's rows along one column: improvement per unit of the node's weight.

With z = w (y - mean of the node), a cut whose left side has the sums s of z and v of w improves by s² / (v (W - v)):
the fall of the squared error over W. With three classes or more and class weights L on the left and R on the right,
Σ L² / v + Σ R² / (W - v) is compared instead. Divisions are only made for a cut that is better than the best so far.
"""

from __future__ import annotations

from tamis.engine.kernel import inner

#: A cut must be better than the one before by more than rounding: equal cuts go to the column drawn first.
MARGIN = 1.0 + 1e-11


@inner(forceinline=True)
def scan_number(end, code, node, limits, work, s, v, n_left, best):
    """Best cut between the first `end` places of work.order, with s, v and n_left on the left from the beginning.

    Returns the improvement, and the place after which to cut, -1 when none is better than `best`.
    """
    order, weight, count, z, total, least = work.order, work.weight, work.counts, work.z, node.total, limits.min_leaf
    at = -1
    bar = best * MARGIN
    for i in range(end - 1):
        p = order[i]
        s += z[p]
        v += weight[p]
        if least > 1:
            n_left += count[p]
        rest = total - v
        if (
            s * s > bar * v * rest
            and code[p] != code[order[i + 1]]
            and v >= limits.min_weight
            and rest >= limits.min_weight
        ):
            if least > 1 and (n_left < least or node.n_count - n_left < least):
                continue
            best = s * s / (v * rest)
            bar = best * MARGIN
            at = i
    return best, at


@inner(forceinline=True)
def scan_classes(end, code, node, limits, work, squares, both, v, n_left, best):
    """As scan_number, for classes; work.left has the weight of each class on the left from the beginning.

    squares and both are Σ L² and Σ L T over classes, T being the weight in the node.
    """
    order, weight, count, total, least = work.order, work.weight, work.counts, node.total, limits.min_leaf
    classes, left, sums = work.classes, work.left, work.sums
    at = -1
    bar = best * MARGIN
    for i in range(end - 1):
        p = order[i]
        w = weight[p]
        c = classes[p]
        squares += w * (2.0 * left[c] + w)
        left[c] += w
        both += w * sums[c]
        v += w
        if least > 1:
            n_left += count[p]
        rest = total - v
        other = node.whole - 2.0 * both + squares
        if (
            squares * rest + other * v > bar * v * rest
            and code[p] != code[order[i + 1]]
            and v >= limits.min_weight
            and rest >= limits.min_weight
        ):
            if least > 1 and (n_left < least or node.n_count - n_left < least):
                continue
            best = squares / v + other / rest
            bar = best * MARGIN
            at = i
    return best, at


@inner(forceinline=True)
def scan_several(end, code, node, limits, work, v, n_left, best):
    """As scan_number, the improvement summed over targets; work.left has their sums on the left from the beginning."""
    order, weight, count, total, least = work.order, work.weight, work.counts, node.total, limits.min_leaf
    z, sums = work.zs, work.left
    at = -1
    bar = best * MARGIN
    for i in range(end - 1):
        p = order[i]
        squares = 0.0
        for t in range(z.shape[1]):
            sums[t] += z[p, t]
            squares += sums[t] * sums[t]
        v += weight[p]
        if least > 1:
            n_left += count[p]
        rest = total - v
        if (
            squares > bar * v * rest
            and code[p] != code[order[i + 1]]
            and v >= limits.min_weight
            and rest >= limits.min_weight
        ):
            if least > 1 and (n_left < least or node.n_count - n_left < least):
                continue
            best = squares / (v * rest)
            bar = best * MARGIN
            at = i
    return best, at
