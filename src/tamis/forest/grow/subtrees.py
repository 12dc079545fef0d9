# mypy: ignore-errors
"""Growing subtrees: the best split of every node, rows divided in place.

The larger half of the kernel of the forest, compiled apart from the other, `grow`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tamis.engine.intrinsics import fetch
from tamis.engine.kernel import apart, inner
from tamis.forest.data.rng import below
from tamis.forest.grow.categories import best_levels
from tamis.forest.grow.node import ceiling, divide, gain_of, summarise, write_leaf
from tamis.forest.grow.part import spread, summarise_part
from tamis.forest.grow.scan.deviation import square
from tamis.forest.grow.sets import has, keep, most_words, write_bits
from tamis.forest.grow.split import best_cut, random_cut
from tamis.forest.grow.workspace import BEGUN, CONSTANT, NODES, OPEN, WAITING, WORDS, copy_block
from tamis.forest.layout import CATEGORY, CLASSES, LEFT_IF_MISSING

NEAR = 512  # rows of a table whose columns are fetched whole before they are read
TINY = 12  # drawn rows up to which the best split there could be is worked out first


class Split(NamedTuple):
    """How a node is split."""

    gain: float
    column: int  # -1: not at all
    cut: int  # the last code on the left
    missing_left: bool
    threshold: float
    n_set: int  # levels on the left, for a categorical column
    random: bool  # a threshold drawn at random, not one between the node's own values


_NONE = Split(-1.0, -1, 0, False, 0.0, 0, False)


@apart
def subtrees_mixed_several(binned, target, rows, block, limits, work, buffers):
    """Grow the subtrees on the stack: of a table with categorical columns, of any target."""
    _blocks(binned, target, rows, block, limits, work, buffers, True, target.kind, None)


@apart
def subtrees_mixed(binned, target, rows, block, limits, work, buffers):
    """The same, where the target is one number, or two classes: less to compile."""
    _blocks(binned, target, rows, block, limits, work, buffers, True, None, None)


@apart
def subtrees_numeric_several(binned, target, rows, block, limits, work, buffers):
    """As `subtrees_mixed_several`, where no column is categorical."""
    _blocks(binned, target, rows, block, limits, work, buffers, None, target.kind, None)


@apart
def subtrees_numeric(binned, target, rows, block, limits, work, buffers):
    """As `subtrees_mixed`, where no column is categorical."""
    _blocks(binned, target, rows, block, limits, work, buffers, None, None, None)


@apart
def subtrees_in_parts_several(binned, target, rows, block, limits, work, buffers):
    """As `subtrees_mixed_several`, where splits are looked for among some of a node's rows."""
    _blocks(binned, target, rows, block, limits, work, buffers, True, target.kind, True)


@apart
def subtrees_in_parts(binned, target, rows, block, limits, work, buffers):
    """As `subtrees_mixed`, where splits are looked for among some of a node's rows, or by the standard deviation."""
    _blocks(binned, target, rows, block, limits, work, buffers, True, None, True)


@inner
def _blocks(binned, target, rows, block, limits, work, buffers, mixed, kind, more):
    """Grow the subtrees on the stack, then those that wait, the rows of each copied to the block.

    Ends before `buffers.sets` could be full. mixed: None where no column is categorical, so that what these need is not
    compiled; kind: that of the target, and None for one number, likewise; more: None where splits are looked for among
    all rows, by squared errors.
    """
    tally, pending = work.tally, work.pending
    enough = len(buffers.sets) - most_words(binned)
    while is_unfinished(work) and tally[WORDS] <= enough:
        if tally[OPEN] == 0:
            at = tally[BEGUN]
            begin, end = pending[at, 1], pending[at, 2]
            copy_block(binned.by_row, rows, begin, end, block)
            push(work.stack, pending[at, 0], 0, end - begin, pending[at, 3])
            tally[OPEN] = 1
            tally[BEGUN] += 1
        _subtrees(binned, target, block if tally[BEGUN] else rows, limits, work, buffers, mixed, kind, more)


@inner
def is_unfinished(work):
    """Whether nodes are left to be split, and nobody has said to stop."""
    tally = work.tally
    return work.stop[0] == 0 and (tally[OPEN] > 0 or tally[BEGUN] < tally[WAITING])


@inner
def push(stack, node, begin, end, depth):
    """The first entry of an empty stack."""
    stack[0, 0], stack[0, 1], stack[0, 2], stack[0, 3], stack[0, 4] = node, begin, end, depth, 0


@inner
def _subtrees(binned, target, rows, limits, work, buffers, mixed, kind, more):
    """Grow the subtrees on the stack; of the whole table's, those of at most `limits.put_off` drawn rows wait."""
    tally, stack, pending, sets = work.tally, work.stack, work.pending, buffers.sets
    enough = len(sets) - most_words(binned)
    while tally[OPEN] > 0 and tally[WORDS] <= enough and work.stop[0] == 0:
        tally[OPEN] -= 1
        top = tally[OPEN]
        at, begin, end, depth = stack[top, 0], stack[top, 1], stack[top, 2], stack[top, 3]
        _forget(work, stack[top, 4])
        node_rows = rows.inside[begin:end]
        value = buffers.value[at if len(buffers.value) > 1 else 0]
        node = summarise(kind, rows, node_rows, work, value)
        if node.n_count <= limits.put_off and tally[BEGUN] == 0:
            for q in range(4):
                pending[tally[WAITING], q] = stack[top, q]
            tally[WAITING] += 1
            continue
        split, gain = _NONE, 0.0
        if not node.pure and node.n_count >= max(limits.min_split, 2 * limits.min_leaf) and depth < limits.max_depth:
            if more is None:
                split = _search(binned, target, rows.codes, node_rows, node, None, limits, work, mixed, kind)
                gain = gain_of(kind, target.n_classes, split.gain, node)
            else:
                split, gain = _best_split(binned, target, rows, node_rows, node, limits, work, mixed, kind)
        if split.column < 0:
            write_leaf(kind, target, rows, node_rows, node, at, work, buffers, value)
            continue
        n_left = _divide(binned.n_values[split.column], rows, node_rows, node, at, split, work, buffers, sets, mixed)
        buffers.gain[split.column] += gain
        child = buffers.node[at].left
        for side in range(2):
            stack[top + side, 0] = child + 1 - side
            stack[top + side, 1] = begin if side else begin + n_left
            stack[top + side, 2] = begin + n_left if side else end
            stack[top + side, 3] = depth + 1
            stack[top + side, 4] = tally[CONSTANT]
        tally[OPEN] += 2


@inner
def _forget(work, n):
    """Know only the first n constant columns: those of the node's ancestors."""
    for k in range(n, work.tally[CONSTANT]):
        work.is_constant[work.constant[k]] = 0
    work.tally[CONSTANT] = n


@inner
def _know_constant(j, work):
    """Keep in mind that a column is constant in the node at hand."""
    work.is_constant[j] = 1
    work.constant[work.tally[CONSTANT]] = j
    work.tally[CONSTANT] += 1


@inner(forceinline=True)
def _best_split(binned, target, rows, node_rows, node, limits, work, mixed, kind):
    """The best split of a node, looked for among `max_rows` of its rows, and among all where these show none; its gain.

    Rows of the part are rows of the node: what either side must have, it has all the more.
    """
    split, seen, looked_at = _NONE, node, node_rows
    is_part = len(node_rows) > limits.max_rows
    for attempt in range(1 + is_part):
        if is_part:
            looked_at = node_rows if attempt else work.right[: limits.max_rows]
            if attempt == 0:
                spread(node_rows, limits.max_rows, work.state, looked_at)
            seen = summarise_part(kind, rows, looked_at, work)
        if not seen.pure:
            part = is_part and attempt == 0
            split = _search(binned, target, rows.codes, looked_at, seen, part, limits, work, mixed, kind)
        if split.column >= 0:
            break
    return split, gain_of(kind, target.n_classes, split.gain, seen) * (node.total / seen.total)


@inner(forceinline=True)
def _search(binned, target, codes, node_rows, node, part, limits, work, mixed, kind):
    """The best split of rows along columns drawn at random: max_features of them, or more until one can be split.

    part: whether they are not all of the node's; None in kernels that know of no parts and no deviations. A column that
    is constant in a node is so in its subtree, and not read there (2,344 rows × 74 mixed columns: 3 to 8% of the time).
    """
    d, m = len(binned.n_values), len(node_rows)
    bound = (node.total if kind == CLASSES else node.impurity) * (1.0 - 1e-10)
    if kind is None and target.n_classes == 0 and node.n_count <= TINY:  # copies of a row or its weight: the same
        bound = ceiling(m, node.total, work) * (1.0 - 1e-10)
    if part is not None:  # noqa: SIM102 - what is None is known when it is compiled
        if limits.by_deviation:
            square(m, work)
            bound = np.sqrt(node.impurity) * (1.0 - 1e-10)
    best, column, cut, missing_left, threshold, n_set = -1.0, -1, np.int64(0), False, 0.0, 0
    for tried in range(d):
        if column >= 0 and (tried >= limits.max_features or best >= bound):
            break
        j = _draw(tried, codes, work.column, work.state)
        if work.is_constant[j]:
            continue
        line, absent = codes[j], binned.n_values[j]
        first, differ = line[node_rows[0]], np.uint16(0)
        for i in range(m):
            code = line[node_rows[i]]
            work.code[i] = code
            differ |= code ^ first
        if differ == 0 and not limits.random_cut:
            if part is None:  # noqa: SIM114 - what is None is known when it is compiled
                _know_constant(j, work)
            elif not part:
                _know_constant(j, work)
            continue
        if mixed is not None:  # noqa: SIM102 - what is None is known when it is compiled
            if binned.category[j]:
                best, n_found = best_levels(kind, part, m, absent, node, limits, best, work)
                if n_found:
                    column, n_set = j, n_found
                    for q in range(n_found):
                        work.chosen[q] = work.level[q]
                continue
        if limits.random_cut:
            best, found, side, drawn = random_cut(kind, part, m, j, binned, node, limits, best, work)
            if found >= 0:
                column, cut, missing_left, threshold, n_set = j, found, side, drawn, 0
            continue
        best, found, side = best_cut(kind, part, m, absent, binned.missing[j], node, limits, best, work)
        if found >= 0:
            column, cut, missing_left, n_set = j, found, side, 0
    return Split(best, column, cut, missing_left, threshold, n_set, limits.random_cut)


@inner(forceinline=True)
def _draw(tried, codes, draws, state):
    """The next column at random; the one after it is drawn, too, so that its codes are on the way."""
    d, near = len(draws), codes.shape[1] if codes.shape[1] <= NEAR else 0
    for ahead in range(tried + (tried > 0), min(tried + 2, d)):
        at = ahead + below(state, d - ahead)
        j = draws[at]
        draws[at] = draws[ahead]
        draws[ahead] = j
        for i in range(0, near, 32):
            fetch(codes, np.int64(j), i)
    return np.int64(draws[tried])


@inner(forceinline=True)
def _divide(absent, rows, node_rows, node, at, split, work, buffers, sets, mixed):
    """Write a split and put the rows that go left first; returns how many do. absent: the column's code for missing."""
    cut, missing_left, threshold = split.cut, split.missing_left, split.threshold
    flags, tally, line = split.column, work.tally, rows.codes[split.column]
    child = tally[NODES]
    rest_left = False
    if mixed is not None:  # noqa: SIM102 - what is None is known when it is compiled
        if split.n_set:
            rest_left = write_bits(
                absent, line, node_rows, split.n_set, rows.weight, node.total, work.chosen, work.bits
            )
    n_left, low, high, left_weight, n_missing = divide(line, absent, split, node_rows, rows.weight, work, mixed)
    tally[NODES] += 2
    if mixed is not None:  # noqa: SIM102 - what is None is known when it is compiled
        if split.n_set:
            missing_left, cut = has(work.bits, 0, np.int64(absent)), np.int64(0)
            threshold, n_words = keep(work.bits, absent, rest_left, tally[WORDS], sets)
            tally[WORDS] += n_words
            flags |= CATEGORY
    if split.n_set == 0:
        if not split.random:
            cut, buffers.next[at] = low, high
        if n_missing == 0:
            missing_left = left_weight * 2.0 >= node.total
    if missing_left:
        flags |= LEFT_IF_MISSING
    written = buffers.node[at]
    written.left, written.column, written.threshold = child, flags, threshold
    buffers.cut[at] = cut
    return n_left
