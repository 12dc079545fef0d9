# mypy: ignore-errors
"""What is done to one node: its sums, its division, its leaf."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tamis.engine.kernel import inner
from tamis.forest.data.rng import uniform
from tamis.forest.grow.sets import has
from tamis.forest.grow.workspace import TABLES
from tamis.forest.layout import CLASSES


class Node(NamedTuple):
    """What is known of a node before it is split."""

    total: float  # weight
    n_count: int  # drawn rows
    impurity: float  # per unit of weight
    whole: float  # sum of the squared weights of classes
    pure: bool


@inner(forceinline=True)
def summarise(kind, rows, node_rows, work, value):
    """The Node; writes its value, and its rows' weights and targets into the workspace (z = w (y - mean))."""
    weight, count, z, zs = work.weight, work.counts, work.z, work.zs
    m, total, n_count = len(node_rows), 0.0, 0
    for i in range(m):
        row = node_rows[i]
        weight[i] = rows.weight[row]
        count[i] = rows.drawn[row]
    for i in range(m):
        n_count += count[i]
        total += weight[i]
    if kind == CLASSES:
        whole, pure = _sum_classes(rows.classes, node_rows, work)
        part = 1.0 / total
        for c in range(len(work.sums)):
            value[c] = work.sums[c] * part
        return Node(total, n_count, 1.0 - whole * part * part, whole, pure)
    impurity, pure, values = 0.0, True, rows.values
    for t in range(values.shape[1]):
        s, one = 0.0, values[node_rows[0], t]
        for i in range(m):
            y = values[node_rows[i], t]
            if kind is None:
                z[i] = y
            else:
                zs[i, t] = y
            s += weight[i] * y
            pure &= y == one
        mean = one if pure else s / total
        value[t] = mean
        for i in range(m):
            off = (z[i] if kind is None else zs[i, t]) - mean
            if kind is None:
                z[i] = weight[i] * off
            else:
                zs[i, t] = weight[i] * off
            impurity += weight[i] * off * off
    return Node(total, n_count, impurity / total, 0.0, pure)


@inner(forceinline=True)
def _sum_classes(classes, node_rows, work):
    """work.sums: the weight of each class in the node; returns the sum of its squares, and whether there is one class.

    work.classes: the classes of the node's rows.
    """
    weight, node_classes, sums, left, m = work.weight, work.classes, work.sums, work.left, len(node_rows)
    one, pure = classes[node_rows[0]], True
    for i in range(m):
        c = classes[node_rows[i]]
        node_classes[i] = c
        pure &= c == one
    for c in range(len(sums)):
        sums[c] = left[c] = 0.0
    for i in range(0, m - 1, 2):  # by turns: an addition does not wait for the one before
        sums[node_classes[i]] += weight[i]
        left[node_classes[i + 1]] += weight[i + 1]
    if m & 1:
        sums[node_classes[m - 1]] += weight[m - 1]
    whole = 0.0
    for c in range(len(sums)):
        sums[c] += left[c]
        whole += sums[c] * sums[c]
    return whole, pure


@inner(forceinline=True)
def ceiling(m, total, work):
    """The improvement of the best split any column could offer: a cut of the rows in the order of the target.

    Once a column reaches it the others need not be looked at, for equal splits go to the column drawn first.
    """
    z, weight, place = work.z, work.weight, work.place
    for i in range(m):
        mean = z[i] / weight[i]
        j = i
        while j > 0 and z[place[j - 1]] > mean * weight[place[j - 1]]:
            place[j] = place[j - 1]
            j -= 1
        place[j] = i
    best = s = v = 0.0
    for i in range(m - 1):
        s += z[place[i]]
        v += weight[place[i]]
        best = max(best, s * s / (v * (total - v)))
    return best


@inner(forceinline=True)
def gain_of(kind, n_classes, best, node):
    """The fall of impurity times weight that a split's score stands for."""
    if kind != CLASSES:
        return best * node.total * (2.0 if n_classes else 1.0)
    return max(best - node.whole / node.total, 0.0)


@inner(forceinline=True)
def divide(line, absent, split, node_rows, weight, work, mixed):
    """Rows that go left first, the order kept. No branch depends on a row's side: half of them would be mispredicted.

    Returns how many go left, the codes beside the cut (`absent`: none on the right), the weight on the left, and how
    many have no value (the code `absent`).
    """
    cut, missing_left, category, moved, bits = split.cut, split.missing_left, split.n_set > 0, work.right, work.bits
    m, one = len(node_rows), np.uint64(1)
    n_left = n_right = np.uint64(0)
    for i in range(m):
        row = node_rows[i]
        c = line[row]
        right = np.uint64(c > cut) if c != absent else np.uint64(not missing_left)
        if mixed is not None:  # noqa: SIM102 - what is None is known when it is compiled
            if category:
                right = np.uint64(not has(bits, 0, np.int64(c)))
        moved[n_right] = row
        node_rows[n_left] = row
        n_right += right
        n_left += one - right
    for i in range(n_right):
        node_rows[n_left + np.uint64(i)] = moved[i]
    low, high, left_weight, n_missing = np.int64(0), np.int64(absent), 0.0, 0
    for i in range(n_left):
        row = node_rows[i]
        c = np.int64(line[row])
        low = max(low, c if c != absent else 0)
        n_missing += c == absent
        left_weight += weight[row]
    for i in range(n_left, m):
        c = np.int64(line[node_rows[i]])
        high = min(high, c)
        n_missing += c == absent
    return np.int64(n_left), low, high, left_weight, n_missing


@inner(forceinline=True)
def write_leaf(kind, target, rows, node_rows, node, at, work, buffers, value):
    """Write a leaf: a class or a row of the leaf table; for one number, the number and a training answer at random."""
    n_classes, worth, leaves = target.n_classes, target.worth, buffers.leaf
    leaf, free = buffers.node[at], work.tally[TABLES]
    buffers.cut[at] = 0
    leaf.left, leaf.threshold = -1, 0.0
    if n_classes == 0:
        if kind is None:
            leaf.threshold = value[0]
            drawn = node_rows[_draw_by_weight(work.weight, len(node_rows), node.total, work.state)]
            leaf.column = np.float32(rows.values[drawn, 0]).view(np.int32)
            return
        for t in range(len(value)):
            leaves[free, t] = value[t]
        leaf.column = free
    elif node.pure:
        leaf.column = rows.classes[node_rows[0]]
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
    if kind is not None:
        return value[c]
    return value[0] if c else 1.0 - value[0]


@inner(forceinline=True)
def _draw_by_weight(weight, m, total, state):
    """A place 0 … m - 1, drawn with probability weight[i] / total."""
    at = uniform(state) * total
    i = 0
    while i < m - 1 and at >= weight[i]:
        at -= weight[i]
        i += 1
    return i
