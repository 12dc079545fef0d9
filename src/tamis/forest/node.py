# mypy: ignore-errors
"""What is done to one node: its sums, its division, its leaf."""

from __future__ import annotations

import numpy as np

from tamis.engine.kernel import njit
from tamis.forest.chance import share
from tamis.forest.layout import CLASSES, NUMBER


@njit(error_model="numpy", forceinline=True)
def survey(kind, classes, values, weight, counts, here, node, own, count, own_classes, sums, z, zs, value):
    """Weight, number of drawn rows, impurity, sum of the squared weights of classes; is it pure?

    Writes the node's value, its sums, and copies of its rows' weights and targets, side by side.
    """
    m, total, n_count = len(here), 0.0, 0
    for i in range(m):
        row = here[i]
        own[i] = weight[row]
        count[i] = counts[row]
    for i in range(m):
        n_count += count[i]
        total += own[i]
    if kind == CLASSES:
        one, pure = classes[here[0]], True
        for i in range(m):
            c = classes[here[i]]
            own_classes[i] = c
            pure &= c == one
        for c in range(len(sums)):
            sums[c] = 0.0
        for i in range(m):
            sums[own_classes[i]] += own[i]
        whole, part = 0.0, 1.0 / total
        for c in range(len(sums)):
            value[node, c] = sums[c] * part
            whole += sums[c] * sums[c]
        return total, n_count, 1.0 - whole * part * part, whole, pure
    impurity, pure = 0.0, True
    for t in range(values.shape[1]):
        s, one = 0.0, values[here[0], t]
        for i in range(m):
            y = values[here[i], t]
            if kind == NUMBER:
                z[i] = y
            else:
                zs[i, t] = y
            s += own[i] * y
            pure &= y == one
        mean = one if pure else s / total
        value[node, t] = mean
        for i in range(m):
            off = (z[i] if kind == NUMBER else zs[i, t]) - mean
            if kind == NUMBER:
                z[i] = own[i] * off
            else:
                zs[i, t] = own[i] * off
            impurity += own[i] * off * off
    return total, n_count, impurity / total, 0.0, pure


@njit(error_model="numpy", forceinline=True)
def ceiling(m, z, own, total, place):
    """The improvement of the best split any column could offer: a cut of the rows in the order of the target.

    Once a column reaches it the others need not be looked at, for equal splits go to the column drawn first.
    """
    for i in range(m):
        mean = z[i] / own[i]
        j = i
        while j > 0 and z[place[j - 1]] > mean * own[place[j - 1]]:
            place[j] = place[j - 1]
            j -= 1
        place[j] = i
    best = s = v = 0.0
    for i in range(m - 1):
        s += z[place[i]]
        v += own[place[i]]
        best = max(best, s * s / (v * (total - v)))
    return best


@njit(error_model="numpy", forceinline=True)
def gain_of(kind, n_classes, best, total, whole):
    """The fall of impurity times weight that a split's score stands for."""
    if kind != CLASSES:
        return best * total * (2.0 if n_classes else 1.0)
    return max(best - whole / total, 0.0)


@njit(error_model="numpy", forceinline=True)
def has(sets, base, level):
    """Whether the set that begins at `base` has a level."""
    return (sets[base + (level >> 6)] >> np.uint64(level & 63)) & np.uint64(1) != 0


@njit(error_model="numpy", forceinline=True)
def divide(line, cut, absent, missing_left, category, here, weight, spare, base, sets):
    """Rows that go left first, the order kept. No branch depends on a row's side: half of them would be mispredicted.

    Returns how many go left, the codes beside the cut (`absent`: none on the right), the weight on the left, and how
    many have no value (the code `absent`).
    """
    m, one = len(here), np.uint64(1)
    n_left = n_right = np.uint64(0)
    for i in range(m):
        row = here[i]
        c = line[row]
        if category:
            right = np.uint64(not has(sets, base, np.int64(c)))
        else:
            right = np.uint64(c > cut) if c != absent else np.uint64(not missing_left)
        spare[n_right] = row
        here[n_left] = row
        n_right += right
        n_left += one - right
    for i in range(n_right):
        here[n_left + np.uint64(i)] = spare[i]
    low, high, left_weight, n_missing = np.int64(0), np.int64(absent), 0.0, 0
    for i in range(n_left):
        row = here[i]
        c = np.int64(line[row])
        low = max(low, c if c != absent else 0)
        n_missing += c == absent
        left_weight += weight[row]
    for i in range(n_left, m):
        c = np.int64(line[here[i]])
        high = min(high, c)
        n_missing += c == absent
    return np.int64(n_left), low, high, left_weight, n_missing


@njit(error_model="numpy")
def room(sets, used, n_values):
    """sets, larger when the next set would not fit."""
    if used + (n_values >> 6) + 1 <= len(sets):
        return sets
    larger = np.empty(2 * len(sets) + (n_values >> 6) + 1, dtype=np.uint64)
    larger[:used] = sets[:used]
    return larger


@njit(error_model="numpy")
def write_set(n_values, line, here, n_set, weight, total, chosen, base, sets):
    """The bits of the levels that go left; levels the node has not met go with the heavier side."""
    words = (n_values >> 6) + 1
    for k in range(words):
        sets[base + k] = 0
    for i in range(n_set):
        sets[base + (chosen[i] >> 6)] |= np.uint64(1) << np.uint64(chosen[i] & 63)
    left = 0.0
    for i in range(len(here)):
        if has(sets, base, np.int64(line[here[i]])):
            left += weight[here[i]]
    if 2.0 * left < total:
        return
    for k in range(words):
        met = np.uint64(0)
        for i in range(len(here)):
            c = np.int64(line[here[i]])
            if c >> 6 == k:
                met |= np.uint64(1) << np.uint64(c & 63)
        sets[base + k] |= ~met


@njit(error_model="numpy", forceinline=True)
def write_leaf(
    kind, n_classes, worth, pure, classes, values, here, total, node, own, value, nodes, leaves, tally, state
):
    """Write a leaf: a class or a row of the leaf table; for one number, the number and a training answer at random."""
    nodes[node].left = -1
    nodes[node].threshold = 0.0
    if n_classes == 0:
        if kind == NUMBER:
            nodes[node].threshold = value[node, 0]
            someone = here[_anyone(own, len(here), total, state)]
            nodes[node].column = np.float32(values[someone, 0]).view(np.int32)
            return
        for t in range(value.shape[1]):
            leaves[tally[1], t] = value[node, t]
        nodes[node].column = tally[1]
        tally[1] += 1
        return
    if pure:
        nodes[node].column = classes[here[0]]
        return
    whole = 0.0
    for c in range(n_classes):
        part = _part(kind, value, node, c) / worth[c]
        leaves[tally[1], c] = part
        whole += part
    for c in range(n_classes):
        leaves[tally[1], c] /= whole
    nodes[node].column = n_classes + tally[1]
    tally[1] += 1


@njit(error_model="numpy", forceinline=True)
def _part(kind, value, node, c):
    """A class's share of a node's weight; of two classes only the second one's is written down."""
    if kind != NUMBER:
        return value[node, c]
    return value[node, 0] if c else 1.0 - value[node, 0]


@njit(error_model="numpy", forceinline=True)
def _anyone(own, m, total, state):
    """One of a node's rows, drawn by weight."""
    at = share(state) * total
    i = 0
    while i < m - 1 and at >= own[i]:
        at -= own[i]
        i += 1
    return i
