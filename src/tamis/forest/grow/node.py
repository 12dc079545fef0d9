# mypy: ignore-errors
"""What is done to one node: its sums, its division, its leaf."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tamis.engine.intrinsics import vector
from tamis.engine.kernel import inner, njit
from tamis.forest.data.rng import uniform
from tamis.forest.grow.sets import has
from tamis.forest.grow.workspace import TABLES
from tamis.forest.layout import CLASSES, NUMBER


class Node(NamedTuple):
    """What is known of a node before it is split."""

    total: float  # weight
    n_count: int  # drawn rows
    impurity: float  # per unit of weight
    whole: float  # sum of the squared weights of classes
    pure: bool


@inner(forceinline=True)
def survey(kind, rows, here, work, value):
    """The sums of a node; writes its value, and copies of its rows' weights and targets side by side."""
    classes, values, weight, counts = rows.classes, rows.values, rows.weight, rows.drawn
    own, count, own_classes, sums, z, zs = work.weight, work.counts, work.classes, work.sums, work.z, work.zs
    left = work.left
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
            sums[c] = left[c] = 0.0
        for i in range(0, m - 1, 2):  # by turns: an addition does not wait for the one before
            sums[own_classes[i]] += own[i]
            left[own_classes[i + 1]] += own[i + 1]
        if m & 1:
            sums[own_classes[m - 1]] += own[m - 1]
        for c in range(len(sums)):
            sums[c] += left[c]
        whole, part = 0.0, 1.0 / total
        for c in range(len(sums)):
            value[c] = sums[c] * part
            whole += sums[c] * sums[c]
        return Node(total, n_count, 1.0 - whole * part * part, whole, pure)
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
        value[t] = mean
        for i in range(m):
            off = (z[i] if kind == NUMBER else zs[i, t]) - mean
            if kind == NUMBER:
                z[i] = own[i] * off
            else:
                zs[i, t] = own[i] * off
            impurity += own[i] * off * off
    return Node(total, n_count, impurity / total, 0.0, pure)


@inner(forceinline=True)
def ceiling(m, total, work):
    """The improvement of the best split any column could offer: a cut of the rows in the order of the target.

    Once a column reaches it the others need not be looked at, for equal splits go to the column drawn first.
    """
    z, own, place = work.z, work.weight, work.place
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


@inner(forceinline=True)
def gain_of(kind, n_classes, best, node):
    """The fall of impurity times weight that a split's score stands for."""
    if kind != CLASSES:
        return best * node.total * (2.0 if n_classes else 1.0)
    return max(best - node.whole / node.total, 0.0)


@inner(forceinline=True)
def divide(line, cut, absent, missing_left, category, here, weight, spare, bits):
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
            right = np.uint64(not has(bits, 0, np.int64(c)))
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


@inner
def most_words(binned):
    """Words that the set of a split can take at most."""
    most = 0
    for j in range(len(binned.n_values)):
        if binned.category[j]:
            most = max(most, (binned.n_values[j] >> 6) + 1)
    return most


@njit(error_model="numpy")
def room(sets, used, binned):
    """sets, larger when the next set may not fit."""
    needed = used + most_words(binned)
    if needed <= len(sets):
        return sets
    return lengthened(sets, used, 2 * needed)


@njit(error_model="numpy")
def lengthened(words, used, n):
    """An array of n words that begins with those in use."""
    longer = vector(n, np.uint64)
    for i in range(used):  # a slice would bring in the words of an error about shapes: two seconds of compiling
        longer[i] = words[i]
    return longer


@inner(forceinline=True)
def write_leaf(target, rows, here, node, at, work, buffers, value, state):
    """Write a leaf: a class or a row of the leaf table; for one number, the number and a training answer at random."""
    kind, n_classes, worth, leaves = target.kind, target.n_classes, target.worth, buffers.leaf
    leaf, free = buffers.node[at], work.tally[TABLES]
    buffers.cut[at] = 0
    leaf.left, leaf.threshold = -1, 0.0
    if n_classes == 0:
        if kind == NUMBER:
            leaf.threshold = value[0]
            someone = here[_anyone(work.weight, len(here), node.total, state)]
            leaf.column = np.float32(rows.values[someone, 0]).view(np.int32)
            return
        for t in range(len(value)):
            leaves[free, t] = value[t]
        leaf.column = free
    elif node.pure:
        leaf.column = rows.classes[here[0]]
        return
    else:
        whole = 0.0
        for c in range(n_classes):
            part = _part(kind, value, c) / worth[c]
            leaves[free, c] = part
            whole += part
        for c in range(n_classes):
            leaves[free, c] /= whole
        leaf.column = n_classes + free
    work.tally[TABLES] += 1


@inner(forceinline=True)
def _part(kind, value, c):
    """A class's share of a node's weight; of two classes only the second one's is written down."""
    if kind != NUMBER:
        return value[c]
    return value[0] if c else 1.0 - value[0]


@inner(forceinline=True)
def _anyone(own, m, total, state):
    """One of a node's rows, drawn by weight."""
    at = uniform(state) * total
    i = 0
    while i < m - 1 and at >= own[i]:
        at -= own[i]
        i += 1
    return i
