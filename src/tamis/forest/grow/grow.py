# mypy: ignore-errors
"""Growing trees: the kernel of the forest.

The rows of a node are a stretch of one array, divided in place as the node is. Large nodes read the codes of the whole
table; from BLOCK drawn rows on, a node's codes are copied side by side, and its subtree is grown inside the processor's
cache.
"""

from __future__ import annotations

import numpy as np

from tamis.engine.intrinsics import matrix, vector
from tamis.engine.kernel import inner, njit
from tamis.forest.data.rng import below, draw_bootstrap, seed_state
from tamis.forest.grow.sets import lengthened
from tamis.forest.grow.subtrees import (
    is_unfinished,
    push,
    subtrees_in_parts,
    subtrees_in_parts_several,
    subtrees_mixed,
    subtrees_mixed_several,
    subtrees_numeric,
    subtrees_numeric_several,
)
from tamis.forest.grow.threshold import widen_cuts, write_thresholds
from tamis.forest.grow.workspace import (
    BLOCK,
    NODES,
    OPEN,
    TABLES,
    WORDS,
    block_for,
    rows_of,
    tree_buffers,
    with_room,
    workspace,
    worth_copying,
)
from tamis.forest.layout import CLASSES, NODE, NUMBER, NodeLimits
from tamis.forest.predict.route import leaves_of_codes, out_of_bag_gain, write_out_of_bag


@njit(error_model="numpy")
def grow_mixed_several(binned, target, limits, draws, seeds, out_of_bag, stop):
    """Trees one after another, side by side in a few arrays; seeds[t]: of the rows drawn for tree t, and of the tree.

    Gives nodes, leaf table, sets; ends[t]: how many nodes, words of sets, rows of leaf table and rows left out the
    trees before t have, all of them at the end; the rows left out and the leaves they reach, counted from their tree's
    root (without `out_of_bag` the leaves are not looked for); gains of each tree by column. The arrays are longer than
    what is in them.
    """
    return _several(binned, target, limits, draws, seeds, out_of_bag, stop, True, target.kind, None)


@njit(error_model="numpy")
def grow_mixed(binned, target, limits, draws, seeds, out_of_bag, stop):
    """As `grow_mixed_several`, where the target is one number, or two classes: less to compile."""
    return _several(binned, target, limits, draws, seeds, out_of_bag, stop, True, None, None)


@njit(error_model="numpy")
def grow_numeric_several(binned, target, limits, draws, seeds, out_of_bag, stop):
    """As `grow_mixed_several`, where no column is categorical."""
    return _several(binned, target, limits, draws, seeds, out_of_bag, stop, None, target.kind, None)


@njit(error_model="numpy")
def grow_numeric(binned, target, limits, draws, seeds, out_of_bag, stop):
    """As `grow_mixed`, where no column is categorical."""
    return _several(binned, target, limits, draws, seeds, out_of_bag, stop, None, None, None)


@njit(error_model="numpy")
def grow_in_parts_several(binned, target, limits, draws, seeds, out_of_bag, stop):
    """As `grow_mixed_several`, where splits are looked for among some of a node's rows."""
    return _several(binned, target, limits, draws, seeds, out_of_bag, stop, True, target.kind, True)


@njit(error_model="numpy")
def grow_in_parts(binned, target, limits, draws, seeds, out_of_bag, stop):
    """As `grow_mixed`, where splits are looked for among some of a node's rows, or by the standard deviation."""
    return _several(binned, target, limits, draws, seeds, out_of_bag, stop, True, None, True)


@njit(error_model="numpy")
def _several(binned, target, limits, draws, seeds, out_of_bag, stop, mixed, kind, more):
    """mixed: None where no column is categorical, so that what these need is not compiled; kind: that of the target,
    and None for one number, likewise; more: None where splits are looked for among all rows, by squared errors.
    """
    k, n = len(seeds), len(target.weight)
    wide = target.n_classes if target.n_classes else max(target.values.shape[1], 1)
    nodes, sets = vector(2 * n * k, NODE), vector(64, np.uint64)
    table = matrix(n * k if target.kind != NUMBER or target.n_classes else 0, wide, np.float64)
    rows, leaf = vector(n * k, np.uint32), vector(n * k, np.int32)
    gain, ends = matrix(k, len(binned.n_values), np.float64), matrix(k + 1, 4, np.int64)
    counts = vector(n, np.int32)
    a = b = c = e = np.int64(0)
    for t in range(k):
        ends[t, 0], ends[t, 1], ends[t, 2], ends[t, 3] = a, b, c, e
        for j in range(gain.shape[1]):
            gain[t, j] = 0.0
        if stop[0]:
            continue
        draw_bootstrap(draws.population, draws.strata, draws.sizes, draws.replace, seeds[t, 0], counts)
        buffers, n_nodes, n_leaves, n_words = grow(
            binned, target, limits, counts, seeds[t, 1], out_of_bag, stop, mixed, kind, more
        )
        if b + n_words > len(sets):
            sets = lengthened(sets, b, 2 * (b + n_words))
        _append(buffers, n_nodes, n_leaves, n_words, nodes[a:], table[c:], sets[b:])
        n_out = write_out_of_bag(counts, rows[e:], seeds[t, 0] % draws.step, draws.step)
        if out_of_bag and n_out and stop[0] == 0:
            _judge(binned, target, buffers, n_nodes, rows[e : e + n_out], leaf[e : e + n_out], gain[t], mixed, kind)
        else:
            for j in range(gain.shape[1]):
                gain[t, j] = buffers.gain[j]
        a, b, c, e = a + n_nodes, b + n_words, c + n_leaves, e + n_out
    ends[k, 0], ends[k, 1], ends[k, 2], ends[k, 3] = a, b, c, e
    return nodes, table, sets, ends, rows, leaf, gain


@inner
def _append(buffers, n_nodes, n_leaves, n_words, nodes, table, sets):
    """Write a tree behind those before it; slices would bring in the words of an error about shapes: 35 functions."""
    for i in range(n_nodes):
        nodes[i] = buffers.node[i]
    for i in range(n_leaves):
        for q in range(table.shape[1]):
            table[i, q] = buffers.leaf[i, q]
    for i in range(n_words):
        sets[i] = buffers.sets[i]


@njit(error_model="numpy")
def _judge(binned, target, buffers, n_nodes, rows, leaf, gain, mixed, kind):
    """Send the rows left out down, and measure on them what columns bring."""
    nodes = buffers.node[:n_nodes]
    leaves_of_codes(binned.by_row, rows, nodes, buffers.cut, binned.n_values, buffers.sets, leaf, mixed)
    out_of_bag_gain(target, rows, leaf, nodes, buffers.value, gain, kind)


@njit(error_model="numpy")
def grow(binned, target, limits, counts, seed, out_of_bag, stop, mixed, kind, more):
    """A tree on the rows drawn counts[i] times, and how many nodes, rows of leaf table and words of sets it has.

    out_of_bag: rows that were not drawn will be sent down by their codes. It ends early, with what it has, when
    stop[0] is set from outside.
    """
    rows = rows_of(binned, target, counts)
    m = len(rows.inside)
    n_sums = target.n_classes if target.kind == CLASSES else max(target.values.shape[1], 1)
    work, buffers = workspace(binned, target, m, n_sums, stop), tree_buffers(binned, target, m, n_sums, out_of_bag)
    put_off = BLOCK if worth_copying(binned, limits, m) else 0
    block, node_limits = block_for(binned, target, put_off), _node_limits(limits, rows.weight, put_off)
    _begin(seed, m, work)
    _subtrees(binned, target, rows, block, node_limits, work, buffers, mixed, kind, more)
    if mixed is not None:
        while is_unfinished(work):
            buffers = with_room(buffers, work.tally[WORDS], binned)
            _subtrees(binned, target, rows, block, node_limits, work, buffers, mixed, kind, more)
    n_nodes, n_leaves, n_words = work.tally[NODES], work.tally[TABLES], work.tally[WORDS]
    if stop[0] == 0 and not limits.random_cut:  # else some nodes were never written
        _write_thresholds(binned, buffers, n_nodes, out_of_bag)
    return buffers, n_nodes, n_leaves, n_words


@inner
def _begin(seed, m, work):
    """The root, which has m rows, to be split first."""
    seed_state(seed, work.state)
    below(work.state, np.int64(2))
    push(work.stack, 0, 0, m, 0)
    work.tally[NODES] = work.tally[OPEN] = 1


@inner
def _write_thresholds(binned, buffers, n_nodes, out_of_bag):
    nodes = buffers.node[:n_nodes]
    write_thresholds(binned, nodes, buffers.cut, buffers.next)
    if out_of_bag:
        widen_cuts(binned, nodes, buffers.cut, buffers.next)


@inner
def _subtrees(binned, target, rows, block, limits, work, buffers, mixed, kind, more):
    """Grow the subtrees on the stack and those that wait, by the kernel that has what they need."""
    if more is not None:
        if kind is None:
            subtrees_in_parts(binned, target, rows, block, limits, work, buffers)
        else:
            subtrees_in_parts_several(binned, target, rows, block, limits, work, buffers)
    elif mixed is not None:
        if kind is None:
            subtrees_mixed(binned, target, rows, block, limits, work, buffers)
        else:
            subtrees_mixed_several(binned, target, rows, block, limits, work, buffers)
    elif kind is None:
        subtrees_numeric(binned, target, rows, block, limits, work, buffers)
    else:
        subtrees_numeric_several(binned, target, rows, block, limits, work, buffers)


@inner
def _node_limits(limits, weight, put_off):
    """The limits, the least weight of a side in units of the rows' weight."""
    total = 0.0
    for i in range(len(weight)):
        total += weight[i]
    least = limits.min_share * total + 1e-300  # nothing weighs 0
    return NodeLimits(
        limits.max_features, limits.max_depth, limits.min_split, limits.min_leaf, least, limits.random_cut,
        limits.by_deviation, limits.max_rows, put_off,
    )  # fmt: skip
