# mypy: allow-untyped-defs
"""What a tree loses on the rows it left out when a column's values are permuted among them.

A row only feels the columns asked on its own way down, and only where another row's value would go the other way: so
each row is sent down once, the nodes on its way are noted by column, and from the first node where the permuted value
turns off it is sent on to another leaf. Most values turn off nowhere and cost one comparison.
"""

from __future__ import annotations

import numpy as np

from tamis.engine.kernel import inner, njit
from tamis.forest.chance import below, start
from tamis.forest.layout import CATEGORY, COLUMN, LEFT_IF_MISSING, OBLIQUE
from tamis.forest.route import answer_of

LANES = 8  # rows that go down side by side: their memory accesses overlap
LEFT, FLAGS, CUT, UNIT = 0, 1, 2, 3  # what a question holds: 16 bytes, so that a node is one access
SPECIAL = -2  # in place of the unit, for splits that are more than a comparison of codes


@njit(error_model="numpy")
def answers_of(nodes, table, n_classes, loss, plain):
    """The class that each leaf of a tree speaks for (nothing, for numbers); `nodes` are the tree's own."""
    out = np.empty(len(nodes), dtype=np.int32)
    for k in range(len(nodes)):
        if n_classes and nodes[k].left < 0:
            column = nodes[k].column
            out[k] = column if column < n_classes else answer_of(table[column - n_classes], loss, plain)
    return out


@inner(error_model="numpy")
def cost_at(k, row, n_classes, classes, values, table, answers, ask, threshold, loss):
    """What the answer of leaf k costs a row: 0 or 1 (or its loss) for classes, squared distance for numbers."""
    if n_classes:
        return loss[classes[row], answers[k]]
    n_targets = values.shape[1]
    if n_targets == 1:
        gap = values[row, 0] - threshold[k]
        return gap * gap
    off = 0.0
    for t in range(n_targets):
        gap = values[row, t] - table[ask[k, FLAGS], t]
        off += gap * gap
    return off / n_targets


@njit(error_model="numpy")
def questions_of(nodes, unit_of, place, missing, first, high):
    """The nodes of a tree as (questions, thresholds), columns and cuts as the field counts them, and its depth.

    Where UNIT is not SPECIAL a row goes right when its code exceeds CUT, missing or not.
    """
    n = len(nodes)
    ask, threshold = np.zeros((n, 4), dtype=np.int32), np.empty(n)
    deep, deepest = np.zeros(n, dtype=np.int32), 0
    for k in range(n):
        ask[k, LEFT], ask[k, FLAGS], threshold[k] = nodes[k].left, nodes[k].column, nodes[k].threshold
        if nodes[k].left < 0:
            deepest = max(deepest, deep[k])
            continue
        deep[nodes[k].left] = deep[nodes[k].left + 1] = deep[k] + 1
        flags = np.int64(nodes[k].column)
        ask[k, UNIT] = SPECIAL
        if flags & OBLIQUE:
            continue
        column = place[flags & COLUMN]
        ask[k, FLAGS] = (flags & ~COLUMN) | column
        if flags & CATEGORY == 0:
            begin, end = first[column], first[column + 1]
            while begin < end:  # the last code whose values do not exceed the threshold
                middle = (begin + end) >> 1
                if high[middle] <= threshold[k]:
                    begin = middle + 1
                else:
                    end = middle
            ask[k, CUT] = begin - first[column] - 1
            if not (missing[column] and flags & LEFT_IF_MISSING):
                ask[k, UNIT] = unit_of[column]
    return ask, threshold, deepest


@inner(error_model="numpy")
def turns_right(k, mine, other, unit, unit_of, codes, X, ask, threshold, n_values, sets, sum_column, sum_factor):
    """Whether row `mine` goes right at any split k, with the columns of one unit taken from row `other`."""
    flags = np.int64(ask[k, FLAGS])
    column = flags & COLUMN
    if flags & OBLIQUE:
        total = 0.0
        for q in range(sum_column.shape[1]):
            j = sum_column[column, q]
            total += sum_factor[column, q] * X[other if unit_of[j] == unit else mine, j]
        return np.int64(total > threshold[k] if total == total else flags & LEFT_IF_MISSING == 0)
    code = np.int64(codes[column, other if unit_of[column] == unit else mine])
    if code == n_values[column]:
        return np.int64(flags & LEFT_IF_MISSING == 0)
    if flags & CATEGORY:
        word = sets[np.int64(threshold[k]) + (code >> 6)]
        return np.int64((word >> np.uint64(code & 63)) & np.uint64(1) == np.uint64(0))
    return np.int64(code > ask[k, CUT])


@inner(error_model="numpy")
def noted(way, n_steps, who, ask, unit_of, sum_column, entries, n, begin):
    """Note a row's way down (twice each node, plus 1 when it went right) from entry n on; the next free entry."""
    for step in range(n_steps):
        k = way[step] >> 1
        flags = np.int64(ask[k, FLAGS])
        oblique = flags & OBLIQUE != 0
        for q in range(sum_column.shape[1] if oblique else 1):
            u = unit_of[sum_column[flags & COLUMN, q] if oblique else flags & COLUMN]
            if u >= 0:
                entries[n, 0], entries[n, 1], entries[n, 2] = u, who, way[step]
                begin[u + 1] += 1
                n += 1
    return n


@njit(error_model="numpy")
def ways_down(
    rows, unit_of, n_units, codes, by_row, X, ask, threshold, deepest, n_values, sets, sum_column, sum_factor
):
    """The leaf of every row and, sorted by unit, the nodes that asked each row: (leaf, begin, who, node).

    begin[u] … begin[u + 1] - 1 are the entries of unit u, those of a row together and in the order of its way down;
    `node` is twice the node, plus 1 when the row went right. Columns of the unit -1 are left alone.
    """
    m = len(rows)
    leaf = np.empty(m, dtype=np.int32)
    most = (deepest + 1) * max(1, sum_column.shape[1])
    entries = np.empty((24 * m + most, 3), dtype=np.int32)
    begin = np.zeros(n_units + 1, dtype=np.int64)
    way = np.empty((LANES, deepest + 1), dtype=np.int32)
    lane_at, lane_of, steps = np.zeros(LANES, np.int64), np.arange(LANES), np.zeros(LANES, np.int64)
    after, busy, n = min(LANES, m), min(LANES, m), 0
    while busy > 0:
        for b in range(busy):
            k, i = lane_at[b], lane_of[b]
            if ask[k, LEFT] >= 0:
                row = np.int64(rows[i])
                if ask[k, UNIT] == SPECIAL:
                    right = turns_right(
                        k, row, row, -1, unit_of, codes, X, ask, threshold, n_values, sets, sum_column, sum_factor
                    )
                else:
                    right = np.int64(by_row[row, ask[k, FLAGS] & COLUMN] > ask[k, CUT])
                way[b, steps[b]] = 2 * k + right
                steps[b] += 1
                lane_at[b] = ask[k, LEFT] + right
                continue
            leaf[i] = k
            if n + most > len(entries):
                entries = longer(entries)
            n = noted(way[b], steps[b], i, ask, unit_of, sum_column, entries, n, begin)
            steps[b] = 0
            if after < m:
                lane_at[b], lane_of[b] = 0, after
                after += 1
            else:
                busy -= 1
                lane_at[b], lane_of[b], steps[b] = lane_at[busy], lane_of[busy], steps[busy]
                way[b, : steps[b]] = way[busy, : steps[b]]
                break
    for u in range(n_units):
        begin[u + 1] += begin[u]
    place = begin[:-1].copy()
    who, node = np.empty(n, dtype=np.int32), np.empty(n, dtype=np.int32)
    for e in range(n):
        to = place[entries[e, 0]]
        place[entries[e, 0]] += 1
        who[to], node[to] = entries[e, 1], entries[e, 2]
    return leaf, begin, who, node


@njit(error_model="numpy")
def longer(old):
    """A copy with room for twice as many."""
    new = np.empty((2 * len(old), old.shape[1]), dtype=old.dtype)
    new[: len(old)] = old
    return new


@inner(error_model="numpy")
def turned_off(
    unit, who, at, rows, pool, state, unit_of, codes, X, ask, threshold, n_values, sets, sum_column, sum_factor, mine,
    other, node,
):  # fmt: skip
    """Permute a unit among the rows: those that turn off their way, as (mine, other, node): how many.

    who, at : the unit's entries. mine[a] : place of a row that turns off, with the unit of row other[a], to node[a].
    Donors are drawn without replacement from all rows, but only for rows that are asked: the part of a random
    permutation that matters.
    """
    n_off, n_rows, last, off, donor = 0, 0, -1, False, np.int64(0)
    for e in range(len(who)):
        i = who[e]
        if i != last:
            last, off = i, False
            pick = n_rows + below(state, len(pool) - n_rows)
            pool[n_rows], pool[pick] = pool[pick], pool[n_rows]
            donor = np.int64(rows[pool[n_rows]])
            n_rows += 1
        if off:
            continue
        k = at[e] >> 1
        if ask[k, UNIT] == SPECIAL:
            right = turns_right(
                k, np.int64(rows[i]), donor, unit, unit_of, codes, X, ask, threshold, n_values, sets, sum_column,
                sum_factor,
            )  # fmt: skip
        else:
            right = np.int64(codes[ask[k, FLAGS] & COLUMN, donor] > ask[k, CUT])
        if right != at[e] & 1:
            off = True
            mine[n_off], other[n_off], node[n_off] = i, donor, ask[k, LEFT] + right
            n_off += 1
    return n_off


@inner(error_model="numpy")
def send_on(
    n, mine, other, node, rows, unit, unit_of, codes, by_row, X, ask, threshold, n_values, sets, sum_column,
    sum_factor, lane_at, lane_of,
):  # fmt: skip
    """Send the first n rows on from node[a] to their leaves, which take the place of node[a]."""
    lanes = min(LANES, n)
    for b in range(lanes):
        lane_of[b], lane_at[b] = b, node[b]
    after, busy = lanes, lanes
    while busy > 0:
        for b in range(busy):
            k, a = lane_at[b], lane_of[b]
            if ask[k, LEFT] >= 0:
                if ask[k, UNIT] == SPECIAL:
                    right = turns_right(
                        k, np.int64(rows[mine[a]]), other[a], unit, unit_of, codes, X, ask, threshold, n_values, sets,
                        sum_column, sum_factor,
                    )  # fmt: skip
                else:
                    row = other[a] if ask[k, UNIT] == unit else np.int64(rows[mine[a]])
                    right = np.int64(by_row[row, ask[k, FLAGS] & COLUMN] > ask[k, CUT])
                lane_at[b] = ask[k, LEFT] + right
                continue
            node[a] = k
            if after < n:
                lane_of[b], lane_at[b] = after, node[after]
                after += 1
            else:
                busy -= 1
                lane_of[b], lane_at[b] = lane_of[busy], lane_at[busy]
                break


@njit(error_model="numpy")
def add_losses(
    rows, unit_of, n_units, codes, by_row, X, nodes, place, missing, n_values, first, high, sets, sum_column,
    sum_factor, table, n_classes, classes, values, weight, loss, most, repeats, seed, total, square, by_class,
    with_class,
):  # fmt: skip
    """Add one tree's mean rise of cost on its left-out rows, for every unit of columns, and its square.

    by_class[u, c] takes the rise among the left-out rows of class c, with_class[c] whether there are any.
    """
    m = len(rows)
    if m == 0:
        return
    answers = answers_of(nodes, table, n_classes, loss, most)
    ask, threshold, deepest = questions_of(nodes, unit_of, place, missing, first, high)
    leaf, begin, who, at = ways_down(
        rows, unit_of, n_units, codes, by_row, X, ask, threshold, deepest, n_values, sets, sum_column, sum_factor
    )
    before, heavy, heavy_of = np.empty(m), 0.0, np.zeros(max(n_classes, 1))
    for i in range(m):
        row = rows[i]
        before[i] = cost_at(leaf[i], row, n_classes, classes, values, table, answers, ask, threshold, loss)
        heavy += weight[row]
        if n_classes:
            heavy_of[classes[row]] += weight[row]
    for c in range(n_classes):
        with_class[c] += heavy_of[c] > 0
    state = np.empty(1, dtype=np.uint64)
    start(seed, state)
    pool = np.arange(m)
    mine, other, node = np.empty(m, dtype=np.int64), np.empty(m, dtype=np.int64), np.empty(m, dtype=np.int64)
    lane_at, lane_of = np.empty(LANES, dtype=np.int64), np.empty(LANES, dtype=np.int64)
    of_class = np.zeros(max(n_classes, 1))
    for u in range(n_units):
        its_who, its_at = who[begin[u] : begin[u + 1]], at[begin[u] : begin[u + 1]]
        if len(its_who) == 0:
            continue
        rise = 0.0
        of_class[:] = 0.0
        for _ in range(repeats):
            n = turned_off(
                u, its_who, its_at, rows, pool, state, unit_of, codes, X, ask, threshold, n_values, sets, sum_column,
                sum_factor, mine, other, node,
            )  # fmt: skip
            send_on(
                n, mine, other, node, rows, u, unit_of, codes, by_row, X, ask, threshold, n_values, sets, sum_column,
                sum_factor, lane_at, lane_of,
            )  # fmt: skip
            for a in range(n):
                row = rows[mine[a]]
                more = cost_at(node[a], row, n_classes, classes, values, table, answers, ask, threshold, loss)
                more = weight[row] * (more - before[mine[a]])
                rise += more
                if n_classes:
                    of_class[classes[row]] += more
        rise /= repeats * heavy
        total[u] += rise
        square[u] += rise * rise
        for c in range(n_classes):
            if heavy_of[c] > 0:
                by_class[u, c] += of_class[c] / (repeats * heavy_of[c])
