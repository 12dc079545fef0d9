# mypy: ignore-errors
"""Growing one tree: the kernel of the forest.

The rows of a node are a stretch of one array, divided in place as the node is. Large nodes read the codes of the whole
table; from BLOCK drawn rows on, a node's codes are copied side by side, and its subtree is grown inside the processor's
cache.
"""

from __future__ import annotations

import numpy as np

from tamis.engine.kernel import njit
from tamis.forest.borrow import borrowed
from tamis.forest.chance import below, start
from tamis.forest.fetch import fetch
from tamis.forest.layout import CATEGORY, CLASSES, LEFT_IF_MISSING, NUMBER
from tamis.forest.levels import best_levels
from tamis.forest.node import ceiling, divide, gain_of, has, room, survey, write_leaf, write_set
from tamis.forest.split import best_cut, random_cut
from tamis.forest.threshold import widen_cuts, write_thresholds
from tamis.forest.workspace import BLOCK, block_for, copy_block, lent, rows_of, wood_for, workspace, worth_copying

NEAR = 512  # rows of a table whose columns are fetched whole before they are read
TINY = 12  # drawn rows up to which the best split there could be is worked out first


@njit(error_model="numpy")
def grow(field, target, limits, counts, seed, honest, stop):
    """A tree on the rows drawn counts[i] times: nodes, cuts (codes), values, leaf table, sets, gains by column.

    honest: rows that were not drawn will be sent down by their codes. It ends early, with what it has, when stop[0] is
    set from outside.
    """
    rows = rows_of(field, target, counts)
    m = len(rows.inside)
    n_sums = target.n_classes if target.kind == CLASSES else max(target.values.shape[1], 1)
    kept = workspace(field, target, m, n_sums)
    work = lent(kept)
    wood = wood_for(field, target, m, n_sums)
    state = np.empty(1, dtype=np.uint64)
    start(seed, state)
    below(state, 2)
    stack = np.empty((m + 1, 4), dtype=np.int64)
    pending = np.empty((m + 1, 4), dtype=np.int64)
    stack[0] = (0, 0, m, 0)
    work.tally[0] = 1
    floor = limits.min_share * rows.weight.sum() + 1e-300  # nothing weighs 0
    put_off = BLOCK if worth_copying(field, limits, m) else 0
    sets = np.empty(64, dtype=np.uint64)
    n_pending, sets = _subtrees(
        field, target, rows, limits, floor, put_off, stack, pending, work, wood, sets, state, stop
    )
    if n_pending:
        block = block_for(field, target)
        for at in range(n_pending):
            node, begin, end, depth = pending[at]
            copy_block(field.by_row, rows, begin, end, block)
            stack[0] = (node, 0, end - begin, depth)
            _, sets = _subtrees(field, target, block, limits, floor, 0, stack, pending, work, wood, sets, state, stop)
    n_nodes, n_leaves, n_words = kept.tally  # what was lent lives until here
    if stop[0] == 0 and not limits.random_cut:  # else some nodes were never written
        write_thresholds(field, wood.node[:n_nodes], wood.cut, wood.next)
        if honest:
            widen_cuts(field, wood.node[:n_nodes], wood.cut, wood.next)
    return (
        wood.node[:n_nodes].copy(),
        wood.cut[:n_nodes].copy(),
        wood.value[:n_nodes],
        wood.leaf[:n_leaves].copy(),
        sets[:n_words].copy(),
        wood.gain,
    )


@njit(error_model="numpy")
def _subtrees(field, target, given, limits, floor, put_off, stack, pending, work, wood, sets, state, stop):
    """Grow every subtree on the stack; those of at most `put_off` drawn rows wait. Returns how many do, and sets.

    What is called for every node takes arrays one by one: counting the references of a tuple's arrays at every call
    showed up in a profile.
    """
    codes, classes, values = borrowed(given.codes), borrowed(given.classes), borrowed(given.values)
    rows, weight, counts = borrowed(given.inside), borrowed(given.weight), borrowed(given.drawn)
    stack, pending, state = borrowed(stack), borrowed(pending), borrowed(state)
    n_values, missing, category = borrowed(field.n_values), borrowed(field.missing), borrowed(field.category)
    code, key, place, begins = work.code, work.key, work.place, work.begins
    order, own, count, z, zs = work.order, work.weight, work.counts, work.z, work.zs
    own_classes, left, sums, heap, table = work.classes, work.left, work.sums, work.heap, work.table
    draws, spare, tally = work.column, work.spare, work.tally
    mean, level, chosen = work.mean, work.level, work.chosen
    nodes, cuts, following, value = borrowed(wood.node), borrowed(wood.cut), borrowed(wood.next), borrowed(wood.value)
    leaves, gains, worth = borrowed(wood.leaf), borrowed(wood.gain), borrowed(target.worth)
    kind, n_classes, least, random = target.kind, target.n_classes, limits.min_leaf, limits.random_cut
    d = len(n_values)
    near = codes.shape[1] if codes.shape[1] <= NEAR else 0
    n_pending, n_stack = 0, 1
    while n_stack > 0 and stop[0] == 0:
        n_stack -= 1
        node, begin, end, depth = stack[n_stack, 0], stack[n_stack, 1], stack[n_stack, 2], stack[n_stack, 3]
        here = rows[begin:end]
        m = len(here)
        total, n_count, impurity, whole, pure = survey(
            kind, classes, values, weight, counts, here, node, own, count, own_classes, sums, z, zs, value
        )
        if n_count <= put_off:
            for q in range(4):
                pending[n_pending, q] = stack[n_stack, q]
            n_pending += 1
            continue
        best, column, cut, missing_left, threshold, n_set = -1.0, -1, 0, False, 0.0, 0
        if not pure and n_count >= limits.min_split and depth < limits.max_depth and n_count >= 2 * least:
            bound = (total if kind == CLASSES else impurity) * (1.0 - 1e-10)
            if kind == NUMBER and n_classes == 0 and n_count <= TINY:  # copies of a row or its weight: the same
                bound = ceiling(m, z, own, total, place) * (1.0 - 1e-10)
            for tried in range(d):
                if column >= 0 and (tried >= limits.max_features or best >= bound):
                    break
                for next in range(
                    tried + (tried > 0), min(tried + 2, d)
                ):  # one ahead, so that its codes are on the way
                    at = next + below(state, d - next)
                    j = draws[at]
                    draws[at] = draws[next]
                    draws[next] = j
                    for i in range(0, near, 32):
                        fetch(codes, np.int64(j), i)
                j = np.int64(draws[tried])
                line = codes[j]
                for i in range(m):
                    code[i] = line[here[i]]
                if category[j]:
                    best, found = best_levels(
                        kind, m, n_values[j], total, impurity, n_count, least, floor, random, state, best, code, own,
                        count, z, zs, own_classes, left, sums, whole, heap, table, mean, level,
                    )  # fmt: skip
                    if found:
                        column, n_set = j, found
                        for q in range(found):
                            chosen[q] = level[q]
                elif random:
                    best, found, side, drawn = random_cut(
                        kind, m, j, field, total, n_count, least, floor, state, work, best
                    )
                    if found >= 0:
                        column, cut, missing_left, threshold, n_set = j, found, side, drawn, 0
                else:
                    best, found, side = best_cut(
                        kind, m, n_values[j], missing[j], total, n_count, least, floor, best, code, key, place,
                        begins, order, own, count, z, zs, own_classes, left, sums, whole, heap, table,
                    )  # fmt: skip
                    if found >= 0:
                        column, cut, missing_left, n_set = j, found, side, 0
        if column < 0:
            write_leaf(
                kind,
                n_classes,
                worth,
                pure,
                classes,
                values,
                here,
                total,
                node,
                own,
                value,
                nodes,
                leaves,
                tally,
                state,
            )
            cuts[node] = 0
            continue
        base, line, absent = tally[2], codes[column], n_values[column]
        if n_set:
            sets = room(sets, base, absent)
            write_set(absent, line, here, n_set, weight, total, chosen, base, sets)
        n_left, low, high, left_weight, n_missing = divide(
            line, cut, absent, missing_left, n_set > 0, here, weight, spare, base, sets
        )
        child, flags = tally[0], column
        tally[0] += 2
        if n_set:
            missing_left = has(sets, base, absent)
            threshold = np.float64(base)
            tally[2] += (absent >> 6) + 1
            flags |= CATEGORY
        else:
            if not random:
                cut, following[node] = low, high
            if n_missing == 0:
                missing_left = left_weight * 2.0 >= total
        if missing_left:
            flags |= LEFT_IF_MISSING
        nodes[node].left = child
        nodes[node].column = flags
        nodes[node].threshold = threshold
        cuts[node] = 0 if n_set else cut
        gains[column] += gain_of(kind, n_classes, best, total, whole)
        for side in range(2):
            stack[n_stack, 0] = child + 1 - side
            stack[n_stack, 1] = begin if side else begin + n_left
            stack[n_stack, 2] = begin + n_left if side else end
            stack[n_stack, 3] = depth + 1
            n_stack += 1
    return n_pending, sets
