# mypy: allow-untyped-defs
"""What a tree loses on the rows it left out when a column's values are permuted among them.

A row only feels the columns asked on its own way down, and only where another row's value would go the other way: so
each row is sent down once, the nodes on its way are asked again with the permuted value of their column, and from the
first one where it turns off the row is sent on to another leaf. Most values turn off nowhere and cost one comparison.
"""

from __future__ import annotations

import numpy as np

from tamis.engine.kernel import inner, njit
from tamis.forest.data.rng import below, seed_state
from tamis.forest.grow.sets import holds
from tamis.forest.layout import CATEGORY, COLUMN, LEFT_IF_MISSING, OBLIQUE
from tamis.forest.predict.route import answer_of

LANES = 8  # rows that go down side by side: their memory accesses overlap
PENDING = 512  # rows that wait to be sent on together
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
    """The nodes of a tree as (questions, thresholds), columns and cuts as the binned table counts them, and its depth.

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
        return np.int64(not holds(sets, threshold[k], code))
    return np.int64(code > ask[k, CUT])


@njit(error_model="numpy")
def permutations_of(m, n_units, state):
    """A permutation of 0 … m - 1 for each unit: i goes to (factor · i + shift) mod m, the factor prime to m.

    The rows stand in the order of a digest, so stepping through them evenly is as good as drawing them at random, and
    costs no memory.
    """
    factor, shift = np.empty(n_units, dtype=np.int64), np.empty(n_units, dtype=np.int64)
    for u in range(n_units):
        shift[u], factor[u] = below(state, m), 1
        while m > 2:
            factor[u] = 1 + below(state, m - 1)
            a, b = m, factor[u]
            while b:
                a, b = b, a % b
            if a == 1:
                break
    return factor, shift


@inner(error_model="numpy")
def turned_off(
    way, n_steps, i, rows, factor, shift, off, unit_of, codes, by_row, X, ask, threshold, n_values, sets, sum_column,
    sum_factor, mine, other, node, unit, n,
):  # fmt: skip
    """Permute every unit for row i: where it turns off its way, wait as (mine, other, node, unit) from n on; the new n.

    way : the nodes of the row's way down, each doubled, plus 1 when the row went right. off[u] : the last row that
    turned off with unit u.
    """
    m, row = len(rows), np.int64(rows[i])
    for step in range(n_steps):
        k = way[step] >> 1
        flags = np.int64(ask[k, FLAGS])
        oblique = flags & OBLIQUE != 0
        for q in range(sum_column.shape[1] if oblique else 1):
            u = unit_of[sum_column[flags & COLUMN, q] if oblique else flags & COLUMN]
            if u < 0 or off[u] == i:
                continue
            donor = np.int64(rows[(factor[u] * i + shift[u]) % m])
            if ask[k, UNIT] == SPECIAL:
                right = turns_right(
                    k, row, donor, u, unit_of, codes, X, ask, threshold, n_values, sets, sum_column, sum_factor
                )
            else:
                right = np.int64(by_row[donor, flags & COLUMN] > ask[k, CUT])
            if right != way[step] & 1:
                off[u] = i
                mine[n], other[n], node[n], unit[n] = i, donor, ask[k, LEFT] + right, u
                n += 1
    return n


@inner(error_model="numpy")
def send_on(
    n, mine, other, node, unit, rows, unit_of, codes, by_row, X, ask, threshold, n_values, sets, sum_column,
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
                        k, np.int64(rows[mine[a]]), other[a], unit[a], unit_of, codes, X, ask, threshold, n_values,
                        sets, sum_column, sum_factor,
                    )  # fmt: skip
                else:
                    row = other[a] if ask[k, UNIT] == unit[a] else np.int64(rows[mine[a]])
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
def add_rises(
    rows, leaf_cost, factor, shift, unit_of, n_units, codes, by_row, X, ask, threshold, deepest, n_values, sets,
    sum_column, sum_factor, table, n_classes, classes, values, weight, loss, answers, rise, of_class,
):  # fmt: skip
    """rise[u] += what permuting unit u costs, over all rows; of_class[u, c] the same over rows of class c."""
    m = len(rows)
    most = (deepest + 1) * max(1, sum_column.shape[1])
    mine, other = np.empty(PENDING + most, dtype=np.int64), np.empty(PENDING + most, dtype=np.int64)
    node, unit = np.empty(PENDING + most, dtype=np.int64), np.empty(PENDING + most, dtype=np.int64)
    off, n = np.full(n_units, -1, dtype=np.int64), 0
    way = np.empty((LANES, deepest + 1), dtype=np.int32)
    on_at, on_of = np.empty(LANES, np.int64), np.empty(LANES, np.int64)
    lane_at, lane_of, steps = np.zeros(LANES, np.int64), np.arange(LANES), np.zeros(LANES, np.int64)
    after, busy = min(LANES, m), min(LANES, m)
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
            leaf_cost[i] = cost_at(k, rows[i], n_classes, classes, values, table, answers, ask, threshold, loss)
            n = turned_off(
                way[b], steps[b], i, rows, factor, shift, off, unit_of, codes, by_row, X, ask, threshold, n_values,
                sets, sum_column, sum_factor, mine, other, node, unit, n,
            )  # fmt: skip
            steps[b] = 0
            fewer = after == m
            if fewer:
                busy -= 1
                lane_at[b], lane_of[b], steps[b] = lane_at[busy], lane_of[busy], steps[busy]
                way[b, : steps[b]] = way[busy, : steps[b]]
            else:
                lane_at[b], lane_of[b] = 0, after
                after += 1
            if n < PENDING and busy > 0:
                if fewer:
                    break
                continue
            send_on(
                n, mine, other, node, unit, rows, unit_of, codes, by_row, X, ask, threshold, n_values, sets,
                sum_column, sum_factor, on_at, on_of,
            )  # fmt: skip
            for a in range(n):
                row = rows[mine[a]]
                more = cost_at(node[a], row, n_classes, classes, values, table, answers, ask, threshold, loss)
                more = weight[row] * (more - leaf_cost[mine[a]])
                rise[unit[a]] += more
                if n_classes:
                    of_class[unit[a], classes[row]] += more
            n = 0
            if fewer:
                break


@njit(error_model="numpy")
def add_losses(
    rows, unit_of, n_units, codes, by_row, X, nodes, place, missing, n_values, first, high, sets, sum_column,
    sum_factor, table, n_classes, classes, values, weight, loss, most, repeats, seed, total, square, by_class,
    with_class,
):  # fmt: skip
    """Add one tree's mean rise of cost on its left-out rows, for every unit of columns, and its square.

    by_class[u, c] takes the rise among the left-out rows of class c, with_class[c] whether there are any. Columns of
    the unit -1 are left alone.
    """
    m = len(rows)
    if m == 0:
        return
    answers = answers_of(nodes, table, n_classes, loss, most)
    ask, threshold, deepest = questions_of(nodes, unit_of, place, missing, first, high)
    heavy, heavy_of = 0.0, np.zeros(n_classes)
    for i in range(m):
        heavy += weight[rows[i]]
        if n_classes:
            heavy_of[classes[rows[i]]] += weight[rows[i]]
    for c in range(n_classes):
        with_class[c] += heavy_of[c] > 0
    state = np.empty(1, dtype=np.uint64)
    seed_state(seed, state)
    rise, of_class, leaf_cost = np.zeros(n_units), np.zeros((n_units, n_classes)), np.empty(m)
    for _ in range(repeats):
        factor, shift = permutations_of(m, n_units, state)
        add_rises(
            rows, leaf_cost, factor, shift, unit_of, n_units, codes, by_row, X, ask, threshold, deepest, n_values,
            sets, sum_column, sum_factor, table, n_classes, classes, values, weight, loss, answers, rise, of_class,
        )  # fmt: skip
    for u in range(n_units):
        mean = rise[u] / (repeats * heavy)
        total[u] += mean
        square[u] += mean * mean
        for c in range(n_classes):
            if heavy_of[c] > 0:
                by_class[u, c] += of_class[u, c] / (repeats * heavy_of[c])
