# mypy: ignore-errors
"""Growing one tree: the kernel of the forest.

The rows of a node are a stretch of one array, divided in place as the node is. Large nodes read the codes of the whole
table; from BLOCK rows on, a node's codes are copied side by side, and its subtree is grown inside the processor's
cache. Nothing is allocated while nodes are split.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tamis.engine.kernel import njit
from tamis.forest.borrow import borrowed
from tamis.forest.chance import below, share, start
from tamis.forest.layout import CATEGORY, CLASSES, LEFT_IF_MISSING, NODE, NUMBER
from tamis.forest.levels import best_levels
from tamis.forest.order import FEW
from tamis.forest.split import best_cut, random_cut

TINY = 12  # drawn rows up to which the best split there could be is worked out first
BLOCK = 1024  # rows from which on a subtree's codes are copied


class Work(NamedTuple):
    """What a tree needs while it grows."""

    code: np.ndarray
    key: np.ndarray
    order: np.ndarray
    bits: np.ndarray
    summary: np.ndarray
    head: np.ndarray
    after: np.ndarray
    weight: np.ndarray
    counts: np.ndarray
    z: np.ndarray
    zs: np.ndarray
    classes: np.ndarray
    left: np.ndarray
    sums: np.ndarray
    heap: np.ndarray
    table: np.ndarray
    mean: np.ndarray
    level: np.ndarray
    chosen: np.ndarray
    spare: np.ndarray
    column: np.ndarray
    tally: np.ndarray  # nodes, rows of the leaf table, words in sets


class Wood(NamedTuple):
    """The tree as it grows; trimmed at the end."""

    node: np.ndarray
    cut: np.ndarray
    value: np.ndarray
    leaf: np.ndarray
    gain: np.ndarray


@njit(error_model="numpy")
def _work(field, target, m, n_sums):
    d, most = len(field.n_values), 0
    levels = 1
    for j in range(d):
        most = max(most, field.n_values[j] + 1)
        if field.category[j]:
            levels = max(levels, field.n_values[j] + 1)
    several = n_sums if target.kind != NUMBER and target.kind != CLASSES else 0
    table = max(levels * n_sums, min(m, most * n_sums) + n_sums if target.kind == CLASSES else 1)
    return Work(
        np.empty(m, dtype=np.uint16),
        np.empty(FEW, dtype=np.int32),
        np.empty(m, dtype=np.uint32),
        np.zeros((most >> 6) + 1, dtype=np.uint64),
        np.zeros((most >> 12) + 1, dtype=np.uint64),
        np.full(most, -1, dtype=np.int32),
        np.empty(m, dtype=np.int32),
        np.empty(m),
        np.empty(m, dtype=np.int32),
        np.empty(m),
        np.empty((m if several else 0, max(several, 1))),
        np.empty(m, dtype=np.uint32),
        np.empty(n_sums),
        np.empty(n_sums),
        np.zeros((min(most, max(2 * m, levels)), 3)),
        np.zeros(table),
        np.empty(levels),
        np.empty(levels, dtype=np.int64),
        np.empty(levels, dtype=np.int64),
        np.empty(m, dtype=np.uint32),
        np.arange(d).astype(np.int32),
        np.zeros(3, dtype=np.int64),
    )


@njit(error_model="numpy")
def _lent(work):
    return Work(
        borrowed(work.code), borrowed(work.key), borrowed(work.order), borrowed(work.bits), borrowed(work.summary),
        borrowed(work.head), borrowed(work.after), borrowed(work.weight), borrowed(work.counts), borrowed(work.z),
        borrowed(work.zs), borrowed(work.classes), borrowed(work.left), borrowed(work.sums), borrowed(work.heap),
        borrowed(work.table), borrowed(work.mean), borrowed(work.level), borrowed(work.chosen), borrowed(work.spare),
        borrowed(work.column), borrowed(work.tally),
    )  # fmt: skip


@njit(error_model="numpy")
def grow(field, target, limits, counts, seed, stop):
    """A tree on the rows drawn counts[i] times: nodes, cuts (codes), values, leaf table, sets, gains by column.

    It ends early, with what it has, when stop[0] is set from outside.
    """
    n, m = len(counts), 0
    for i in range(n):
        m += counts[i] > 0
    rows = np.empty(m, dtype=np.uint32)
    weight = np.empty(n)
    m = 0
    for i in range(n):
        weight[i] = counts[i] * target.weight[i]
        if counts[i] > 0:
            rows[m] = i
            m += 1
    n_sums = target.n_classes if target.kind == CLASSES else max(target.values.shape[1], 1)
    kept = _work(field, target, m, n_sums)
    work = _lent(kept)
    wide = target.n_classes if target.n_classes else n_sums
    wood = Wood(
        np.empty(2 * m - 1, dtype=NODE),
        np.empty(2 * m - 1, dtype=np.uint16),
        np.empty((2 * m - 1, n_sums)),
        np.empty((m if target.kind != NUMBER or target.n_classes else 0, wide)),
        np.zeros(len(field.n_values)),
    )
    state = np.empty(1, dtype=np.uint64)
    start(seed, state)
    below(state, 2)
    sets = np.empty(64, dtype=np.uint64)
    stack = np.empty((m + 1, 4), dtype=np.int64)
    pending = np.empty((m + 1, 4), dtype=np.int64)
    stack[0] = (0, 0, m, 0)
    work.tally[0] = 1
    block = BLOCK if _worth_copying(field, limits, m) else 0
    floor = limits.min_share * weight.sum() + 1e-300  # nothing weighs 0
    codes, classes, values, own, drawn, inside = field.codes, target.classes, target.values, weight, counts, rows
    n_pending, at = 0, -1
    while at < n_pending:
        if at >= 0:
            if at == 0:
                codes = np.empty((len(field.n_values), BLOCK), dtype=np.uint16)
                inside = np.empty(BLOCK, dtype=np.uint32)
                classes = np.empty(BLOCK if len(target.classes) else 0, dtype=np.int32)
                values = np.empty((BLOCK if len(target.values) else 0, target.values.shape[1]))
                own, drawn = np.empty(BLOCK), np.empty(BLOCK, dtype=np.int32)
                block = 0
            node, begin, end, depth = pending[at]
            _copy(field.by_row, target.classes, target.values, weight, counts, rows, begin, end,
                  codes, classes, values, own, drawn, inside)  # fmt: skip
            stack[0] = (node, 0, end - begin, depth)
        put_off, sets = _subtrees(
            field, codes, target, classes, values, own, drawn, inside, limits, floor, block,
            stack, pending, work, wood, sets, state, stop,
        )  # fmt: skip
        n_pending = max(n_pending, put_off)
        at += 1
    n_nodes, n_leaves, n_words = kept.tally  # what was lent lives until here
    return (
        wood.node[:n_nodes].copy(),
        wood.cut[:n_nodes].copy(),
        wood.value[:n_nodes].copy(),
        wood.leaf[:n_leaves].copy(),
        sets[:n_words].copy(),
        wood.gain,
    )


@njit(error_model="numpy")
def _worth_copying(field, limits, m):
    """Copying reads every column once; growing reads max_features of them at each of some ten levels."""
    return m > BLOCK and len(field.n_values) <= 12 * limits.max_features


@njit(error_model="numpy")
def _copy(
    by_row, classes, values, weight, counts, rows, begin, end, codes, its_classes, its_values, own, drawn, inside
):
    """What a subtree needs of its rows, side by side."""
    for i in range(end - begin):
        row = rows[begin + i]
        for j in range(by_row.shape[1]):
            codes[j, i] = by_row[row, j]
        inside[i] = i
        own[i], drawn[i] = weight[row], counts[row]
        if len(classes):
            its_classes[i] = classes[row]
        if len(values):
            for t in range(values.shape[1]):
                its_values[i, t] = values[row, t]


@njit(error_model="numpy")
def _subtrees(
    field, codes, target, classes, values, weight, counts, rows, limits, floor, block,
    stack, pending, work, wood, sets, state, stop,
):  # fmt: skip
    """Grow every subtree on the stack; those of at most `block` rows are put off. Returns how many were, and sets.

    What is called for every node takes arrays one by one: counting the references of a tuple's arrays at every call
    showed up in a profile.
    """
    codes, classes, values, rows = borrowed(codes), borrowed(classes), borrowed(values), borrowed(rows)
    weight, counts, stack, pending = borrowed(weight), borrowed(counts), borrowed(stack), borrowed(pending)
    n_values, missing, category = borrowed(field.n_values), borrowed(field.missing), borrowed(field.category)
    first, lows, highs, state = borrowed(field.first), borrowed(field.low), borrowed(field.high), borrowed(state)
    code, key, bits, summary, head = work.code, work.key, work.bits, work.summary, work.head
    after, order, own, count, z, zs = work.after, work.order, work.weight, work.counts, work.z, work.zs
    own_classes, left, sums, heap, table = work.classes, work.left, work.sums, work.heap, work.table
    draws, spare, tally, spare_key = work.column, work.spare, work.tally, work.key
    nodes, cuts, value = borrowed(wood.node), borrowed(wood.cut), borrowed(wood.value)
    leaves, gains = borrowed(wood.leaf), borrowed(wood.gain)
    kind, n_classes, worth, least, random = (
        target.kind,
        target.n_classes,
        borrowed(target.worth),
        limits.min_leaf,
        limits.random_cut,
    )
    d = len(n_values)
    n_pending, n_stack = 0, 1
    while n_stack > 0 and stop[0] == 0:
        n_stack -= 1
        node, begin, end, depth = stack[n_stack, 0], stack[n_stack, 1], stack[n_stack, 2], stack[n_stack, 3]
        m = end - begin
        if m <= block:
            for q in range(4):
                pending[n_pending, q] = stack[n_stack, q]
            n_pending += 1
            continue
        total, n_count, impurity, pure = _survey(
            kind, classes, values, weight, counts, rows, begin, m, node, own, count, own_classes, sums, z, zs, value
        )
        best, column, cut, missing_left, threshold, n_set = -1.0, -1, 0, False, 0.0, 0
        if not pure and n_count >= limits.min_split and depth < limits.max_depth and n_count >= 2 * least:
            bound = (total if kind == CLASSES else impurity) * (1.0 - 1e-10)
            if kind == NUMBER and n_classes == 0 and n_count <= TINY:  # copies of a row or its weight: the same
                bound = _ceiling(m, z, own, total, spare_key) * (1.0 - 1e-10)
            for tried in range(d):
                if column >= 0 and (tried >= limits.max_features or best >= bound):
                    break
                at = tried + below(state, d - tried)
                j = np.int64(draws[at])
                draws[at] = draws[tried]
                draws[tried] = j
                for i in range(m):
                    code[i] = codes[j, rows[begin + i]]
                if category[j]:
                    best, found = best_levels(
                        kind, m, total, impurity, n_count, least, floor, random, state, work, best
                    )
                    if found:
                        column, n_set = j, found
                        work.chosen[:found] = work.level[:found]
                elif random:
                    best, found, side, drawn = random_cut(
                        kind, m, j, field, total, n_count, least, floor, state, work, best
                    )
                    if found >= 0:
                        column, cut, missing_left, threshold, n_set = j, found, side, drawn, 0
                else:
                    best, found, side = best_cut(
                        kind, m, n_values[j], missing[j], total, n_count, least, floor, best, code, key, bits, summary,
                        head, after, order, own, count, z, zs, own_classes, left, sums, heap, table,
                    )  # fmt: skip
                    if found >= 0:
                        column, cut, missing_left, n_set = j, found, side, 0
        if column < 0:
            _leaf(kind, n_classes, worth, values, rows, begin, m, total, node, own, value, nodes, leaves, tally, state)
            cuts[node] = 0
            continue
        if n_set:
            sets = _room(sets, tally[2], n_values[column])
            _write_set(n_values[column], codes, column, rows, begin, m, n_set, weight, total, work.chosen, tally, sets)
        middle, low, high, left_weight, n_missing = _divide(
            codes, column, cut, n_values[column], missing_left, n_set > 0, rows, begin, end, weight, spare, tally, sets
        )
        child = tally[0]
        tally[0] += 2
        flags = column
        if n_set:
            k = n_values[column]
            missing_left = has(sets, tally[2], k)
            threshold = np.float64(tally[2])
            tally[2] += (k >> 6) + 1
            flags |= CATEGORY
        else:
            if not random:
                threshold = _midway(first[column], lows, highs, low, high)
                cut = _last_code(first[column], lows, threshold, low, n_values[column] if high < 0 else high)
            if n_missing == 0:
                missing_left = left_weight * 2.0 >= total
        if missing_left:
            flags |= LEFT_IF_MISSING
        nodes[node].left = child
        nodes[node].column = flags
        nodes[node].threshold = threshold
        cuts[node] = 0 if n_set else cut
        gains[column] += _gain(kind, n_classes, best, total, sums)
        for side in range(2):
            stack[n_stack, 0] = child + 1 - side
            stack[n_stack, 1] = begin if side else middle
            stack[n_stack, 2] = middle if side else end
            stack[n_stack, 3] = depth + 1
            n_stack += 1
    return n_pending, sets


@njit(error_model="numpy", forceinline=True)
def _ceiling(m, z, own, total, place):
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
def _gain(kind, n_classes, best, total, sums):
    """The fall of impurity times weight that a split's score stands for."""
    if kind != CLASSES:
        return best * total * (2.0 if n_classes else 1.0)
    for c in range(len(sums)):
        best -= sums[c] * sums[c] / total
    return max(best, 0.0)


@njit(error_model="numpy", forceinline=True)
def _midway(first, lows, highs, low, high):
    """The threshold between the largest code on the left and the smallest on the right (-1: nothing but missing)."""
    if high < 0:
        return np.inf
    a, b = highs[first + low], lows[first + high]
    middle = 0.5 * a + 0.5 * b
    return middle if a <= middle < b else a


@njit(error_model="numpy", forceinline=True)
def _last_code(first, lows, threshold, low, high):
    """The last code below `high` whose values go left: rows that were not drawn lie between the node's own values."""
    high -= 1
    while low < high:
        middle = (low + high + 1) >> 1
        if lows[first + middle] <= threshold:
            low = middle
        else:
            high = middle - 1
    return low


@njit(error_model="numpy", forceinline=True)
def _survey(kind, classes, values, weight, counts, rows, begin, m, node, own, count, own_classes, sums, z, zs, value):
    """Sums of a node's rows, its value, and copies of its target side by side; is it pure?"""
    total, n_count = 0.0, 0
    for i in range(m):
        row = rows[begin + i]
        w = weight[row]
        own[i] = w
        count[i] = counts[row]
        total += w
        n_count += counts[row]
    if kind == CLASSES:
        sums[:] = 0.0
        for i in range(m):
            c = classes[rows[begin + i]]
            own_classes[i] = c
            sums[c] += own[i]
        squares = 0.0
        for c in range(len(sums)):
            value[node, c] = sums[c] / total
            squares += value[node, c] * value[node, c]
        one = classes[rows[begin]]
        pure = True
        for i in range(1, m):
            if own_classes[i] != one:
                pure = False
                break
        return total, n_count, 1.0 - squares, pure
    impurity, pure = 0.0, True
    for t in range(values.shape[1]):
        s = 0.0
        one = values[rows[begin], t]
        for i in range(m):
            y = values[rows[begin + i], t]
            s += own[i] * y
            pure &= y == one
        mean = one if pure else s / total
        value[node, t] = mean
        if kind == NUMBER:
            for i in range(m):
                off = values[rows[begin + i], t] - mean
                z[i] = own[i] * off
                impurity += z[i] * off
        else:
            for i in range(m):
                off = values[rows[begin + i], t] - mean
                zs[i, t] = own[i] * off
                impurity += zs[i, t] * off
    return total, n_count, impurity / total, pure


@njit(error_model="numpy", forceinline=True)
def has(sets, base, level):
    """Whether the set that begins at `base` has a level."""
    return (sets[base + (level >> 6)] >> np.uint64(level & 63)) & np.uint64(1) != 0


@njit(error_model="numpy", forceinline=True)
def _divide(codes, column, cut, absent, missing_left, category, rows, begin, end, weight, spare, tally, sets):
    """Rows that go left first, the order kept; returns where the right ones begin, the codes beside the cut (-1: none),
    the weight on the left, and how many rows have no value (the code `absent`).
    """
    n_left, n_right, n_missing = begin, 0, 0
    low, high, left_weight = -1, 1 << 17, 0.0
    base = tally[2]
    for i in range(begin, end):
        row = rows[i]
        c = np.int64(codes[column, row])
        if category:
            left = has(sets, base, c)
        elif c == absent:
            left = missing_left
            n_missing += 1
        else:
            left = c <= cut
            low = max(low, c if left else -1)
            high = min(high, 1 << 17 if left else c)
        spare[n_right] = row
        rows[n_left] = row
        n_left += left
        n_right += not left
        left_weight += weight[row] * left
    for i in range(n_right):
        rows[n_left + i] = spare[i]
    return n_left, low, -1 if high == 1 << 17 else high, left_weight, n_missing


@njit(error_model="numpy")
def _room(sets, used, n_values):
    """sets, larger when the next set would not fit."""
    if used + (n_values >> 6) + 1 <= len(sets):
        return sets
    larger = np.empty(2 * len(sets) + (n_values >> 6) + 1, dtype=np.uint64)
    larger[:used] = sets[:used]
    return larger


@njit(error_model="numpy")
def _write_set(n_values, codes, column, rows, begin, m, n_set, weight, total, chosen, tally, sets):
    """The bits of the levels that go left; levels the node has not met go with the heavier side."""
    base, words = tally[2], (n_values >> 6) + 1
    for k in range(words):
        sets[base + k] = 0
    for i in range(n_set):
        sets[base + (chosen[i] >> 6)] |= np.uint64(1) << np.uint64(chosen[i] & 63)
    left = 0.0
    for i in range(m):
        row = rows[begin + i]
        if has(sets, base, np.int64(codes[column, row])):
            left += weight[row]
    if 2.0 * left < total:
        return
    met = np.zeros(words, dtype=np.uint64)
    for i in range(m):
        c = np.int64(codes[column, rows[begin + i]])
        met[c >> 6] |= np.uint64(1) << np.uint64(c & 63)
    for k in range(words):
        sets[base + k] |= ~met[k]


@njit(error_model="numpy", forceinline=True)
def _leaf(kind, n_classes, worth, values, rows, begin, m, total, node, own, value, nodes, leaves, tally, state):
    """Write a leaf: a class or a row of the leaf table; for one number, the number and a training answer at random."""
    nodes[node].left = -1
    nodes[node].threshold = 0.0
    if n_classes == 0:
        if kind == NUMBER:
            nodes[node].threshold = value[node, 0]
            nodes[node].column = np.float32(values[rows[begin + _anyone(own, m, total, state)], 0]).view(np.int32)
            return
        for t in range(value.shape[1]):
            leaves[tally[1], t] = value[node, t]
        nodes[node].column = tally[1]
        tally[1] += 1
        return
    whole, top, many = 0.0, 0, 0
    for c in range(n_classes):
        part = value[node, min(c, value.shape[1] - 1)]
        if kind == NUMBER and c == 0:
            part = 1.0 - part
        part /= worth[c]
        leaves[tally[1], c] = part
        whole += part
        if part > 0.0:
            many += 1
            top = c
    for c in range(n_classes):
        leaves[tally[1], c] /= whole
    if many == 1:
        nodes[node].column = top
    else:
        nodes[node].column = n_classes + tally[1]
        tally[1] += 1


@njit(error_model="numpy", forceinline=True)
def _anyone(own, m, total, state):
    """One of a node's rows, drawn by weight."""
    at = share(state) * total
    i = 0
    while i < m - 1 and at >= own[i]:
        at -= own[i]
        i += 1
    return i
