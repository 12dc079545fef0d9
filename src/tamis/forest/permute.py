# mypy: allow-untyped-defs
"""What a tree loses on the rows it left out when a column's values are permuted among them.

A row only feels the columns asked on its own way down, and only from the first node that asks: so each row is sent
down once, its first node for every column is noted, and from there it is sent on with another row's value.
"""

from __future__ import annotations

import numpy as np

from tamis.engine.kernel import njit
from tamis.forest.chance import below, start
from tamis.forest.layout import CATEGORY, COLUMN, LEFT_IF_MISSING, OBLIQUE
from tamis.forest.route import answer_of, goes_left

LANES = 8  # rows that go down side by side: their memory accesses overlap


@njit(error_model="numpy")
def answers_of(nodes, table, n_classes, loss, plain):
    """The class that each leaf of a tree speaks for; `nodes` are the tree's own."""
    out = np.empty(len(nodes), dtype=np.int32)
    for k in range(len(nodes)):
        if nodes[k].left < 0:
            column = nodes[k].column
            out[k] = column if column < n_classes else answer_of(table[column - n_classes], loss, plain)
    return out


@njit(error_model="numpy")
def cost_at(node, k, row, n_classes, classes, values, table, answers, loss):
    """What the answer of the leaf costs a row: 0 or 1 (or its loss) for classes, squared distance for numbers."""
    if n_classes:
        return loss[classes[row], answers[k]]
    n_targets = values.shape[1]
    if n_targets == 1:
        gap = values[row, 0] - node.threshold
        return gap * gap
    off = 0.0
    for t in range(n_targets):
        gap = values[row, t] - table[node.column, t]
        off += gap * gap
    return off / n_targets


@njit(error_model="numpy")
def mixed_left(mine, other, unit, unit_of, node, sets, sum_column, sum_factor):
    """Whether a row goes left when the columns of one unit are taken from another row."""
    column = node.column & COLUMN
    if node.column & OBLIQUE:
        total = 0.0
        for q in range(sum_column.shape[1]):
            j = sum_column[column, q]
            total += sum_factor[column, q] * (other[j] if unit_of[j] == unit else mine[j])
        return total <= node.threshold if total == total else node.column & LEFT_IF_MISSING != 0
    return goes_left(other if unit_of[column] == unit else mine, node, sets, sum_column, sum_factor)


@njit(error_model="numpy")
def first_uses(X, rows, nodes, sets, sum_column, sum_factor, unit_of, n_units):
    """The leaf of every row and, sorted by unit, each row's first node that asks for a unit: (leaf, begin, who, node).

    begin[u] … begin[u + 1] - 1 are the entries of unit u.
    """
    m = len(rows)
    leaf = np.empty(m, dtype=np.int32)
    last = np.full(n_units, -1, dtype=np.int32)  # the last row that met each unit
    size = 16 * m + 64
    unit, who, at = np.empty(size, dtype=np.int32), np.empty(size, dtype=np.int32), np.empty(size, dtype=np.int32)
    n = 0
    begin = np.zeros(n_units + 1, dtype=np.int64)
    for i in range(m):
        x = X[rows[i]]
        k = 0
        while nodes[k].left >= 0:
            node = nodes[k]
            oblique = node.column & OBLIQUE != 0
            for q in range(sum_column.shape[1] if oblique else 1):
                column = node.column & COLUMN
                u = unit_of[sum_column[column, q] if oblique else column]
                if last[u] == i:
                    continue
                last[u] = i
                if n == size:
                    size *= 2
                    unit, who, at = longer(unit, size), longer(who, size), longer(at, size)
                unit[n], who[n], at[n] = u, i, k
                begin[u + 1] += 1
                n += 1
            if node.column & (CATEGORY | OBLIQUE) == 0 and x[node.column] == x[node.column]:
                k = node.left + (x[node.column] > node.threshold)
            else:
                k = node.left + (not goes_left(x, node, sets, sum_column, sum_factor))
        leaf[i] = k
    for u in range(n_units):
        begin[u + 1] += begin[u]
    place = begin[:-1].copy()
    sorted_who, sorted_at = np.empty(n, dtype=np.int32), np.empty(n, dtype=np.int32)
    for e in range(n):
        to = place[unit[e]]
        place[unit[e]] += 1
        sorted_who[to], sorted_at[to] = who[e], at[e]
    return leaf, begin, sorted_who, sorted_at


@njit(error_model="numpy")
def longer(old, size):
    """A longer copy."""
    new = np.empty(size, dtype=old.dtype)
    new[: len(old)] = old
    return new


@njit(error_model="numpy")
def leaves_from(X, rows, who, donor, at, unit, unit_of, nodes, sets, sum_column, sum_factor, leaf):
    """leaf[e]: where entry e ends, sent on from at[e] with the unit's columns of the row donor[e]."""
    n = len(who)
    lanes = min(LANES, n)
    k, e = np.empty(LANES, dtype=np.int64), np.empty(LANES, dtype=np.int64)
    mine, other = np.empty(LANES, dtype=np.int64), np.empty(LANES, dtype=np.int64)
    for b in range(lanes):
        e[b], k[b], mine[b], other[b] = b, at[b], rows[who[b]], rows[donor[b]]
    after, busy = lanes, lanes
    while busy > 0:
        for b in range(busy):
            node = nodes[k[b]]
            if node.left >= 0:
                if node.column & (CATEGORY | OBLIQUE) == 0:
                    column = node.column & COLUMN
                    x = X[other[b] if unit_of[column] == unit else mine[b], column]
                    if x == x:
                        k[b] = node.left + (x > node.threshold)
                        continue
                k[b] = node.left + (
                    not mixed_left(X[mine[b]], X[other[b]], unit, unit_of, node, sets, sum_column, sum_factor)
                )
                continue
            leaf[e[b]] = k[b]
            if after < n:
                e[b], k[b], mine[b], other[b] = after, at[after], rows[who[after]], rows[donor[after]]
                after += 1
            else:
                busy -= 1
                e[b], k[b], mine[b], other[b] = e[busy], k[busy], mine[busy], other[busy]
                break


@njit(error_model="numpy")
def add_losses(
    X, rows, nodes, sets, sum_column, sum_factor, unit_of, n_units, table, n_classes, classes, values, weight, loss,
    plain, repeats, seed, total, square, by_class, class_trees,
):  # fmt: skip
    """Add one tree's mean rise of cost on its left-out rows, for every unit of columns, and its square.

    by_class[u, c] takes the rise among the left-out rows of class c, class_trees[c] whether there are any. Among the
    rows that feel a unit, donors are drawn without replacement from all left-out rows: a random permutation, of which
    only the part that matters is drawn.
    """
    m = len(rows)
    if m == 0:
        return
    answers = answers_of(nodes, table, n_classes, loss, plain)
    leaf, begin, who, at = first_uses(X, rows, nodes, sets, sum_column, sum_factor, unit_of, n_units)
    before, heavy, heavy_of = np.empty(m), 0.0, np.zeros(max(n_classes, 1))
    for i in range(m):
        row = rows[i]
        before[i] = cost_at(nodes[leaf[i]], leaf[i], row, n_classes, classes, values, table, answers, loss)
        heavy += weight[row]
        if n_classes:
            heavy_of[classes[row]] += weight[row]
    for c in range(n_classes):
        class_trees[c] += heavy_of[c] > 0
    state = np.empty(1, dtype=np.uint64)
    start(seed, state)
    pool = np.arange(m).astype(np.int32)
    new_leaf = np.empty(m, dtype=np.int32)
    of_class = np.zeros(max(n_classes, 1))
    for u in range(n_units):
        first, n = begin[u], begin[u + 1] - begin[u]
        if n == 0:
            continue
        rise = 0.0
        of_class[:] = 0.0
        for _ in range(repeats):
            for e in range(n):
                pick = e + below(state, m - e)
                pool[e], pool[pick] = pool[pick], pool[e]
            leaves_from(
                X, rows, who[first : first + n], pool, at[first : first + n], u, unit_of, nodes, sets, sum_column,
                sum_factor, new_leaf,
            )  # fmt: skip
            for e in range(n):
                k = new_leaf[e]
                i = who[first + e]
                if k != leaf[i]:
                    row = rows[i]
                    more = cost_at(nodes[k], k, row, n_classes, classes, values, table, answers, loss) - before[i]
                    rise += weight[row] * more
                    if n_classes:
                        of_class[classes[row]] += weight[row] * more
        rise /= repeats * heavy
        total[u] += rise
        square[u] += rise * rise
        for c in range(n_classes):
            if heavy_of[c] > 0:
                by_class[u, c] += of_class[c] / (repeats * heavy_of[c])
