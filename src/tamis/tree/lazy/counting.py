# mypy: allow-untyped-defs
"""Kernels over blocks of coded rows: down the splits found so far, then counted at the nodes of a level."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tamis.engine.kernel import inner, njit
from tamis.tree.grow.layout import UNKNOWN

LIMB, LOW_BITS = 31, (1 << 31) - 1  # a whole number is summed as its high bits and its low 31: neither sum overflows


class CodeRoutes(NamedTuple):
    """Splits as tables of sides: node k asks its rules one after the other, the split first, then its surrogates."""

    left: np.ndarray  # int64 (nodes): left child, the right one follows; -1: none
    default: np.ndarray  # uint8 (nodes): side of rows that no rule places
    first_rule: np.ndarray  # int64 (nodes + 1)
    column: np.ndarray  # int64 (rules)
    side: np.ndarray  # uint8 (rules, 256): LEFT, RIGHT or UNKNOWN of each code


@inner
def _node_of(codes, routes):
    node = 0
    while routes.left[node] >= 0:
        side = UNKNOWN
        for rule in range(routes.first_rule[node], routes.first_rule[node + 1]):
            side = routes.side[rule, codes[routes.column[rule]]]
            if side != UNKNOWN:
                break
        if side == UNKNOWN:
            side = routes.default[node]
        node = routes.left[node] + side
    return node


@njit
def count_classes(codes, classes, routes, slot_of, offset, counts):
    """counts[slot, offset of column + code, class] of the rows at the nodes that have a slot."""
    for i in range(len(codes)):
        c = classes[i]
        if c >= 0:
            slot = slot_of[_node_of(codes[i], routes)]
            if slot >= 0:
                for j in range(codes.shape[1]):
                    counts[slot, offset[j] + codes[i, j], c] += 1


@njit
def sum_numbers(codes, fixed, squares, routes, slot_of, offset, sums, squared, extremes):
    """sums[slot, offset of column + code]: rows, Σ high bits, Σ low bits of the fixed-point targets.

    squared[slot]: the same two sums of the squares; extremes[slot]: smallest and largest target. A target below
    -2^62 stands for none.
    """
    none = -(np.int64(1) << 62)
    for i in range(len(codes)):
        q = fixed[i]
        if q <= none:
            continue
        slot = slot_of[_node_of(codes[i], routes)]
        if slot < 0:
            continue
        high, low = q >> LIMB, q & LOW_BITS
        squared[slot, 0] += squares[i] >> LIMB
        squared[slot, 1] += squares[i] & LOW_BITS
        extremes[slot, 0] = min(extremes[slot, 0], q)
        extremes[slot, 1] = max(extremes[slot, 1], q)
        for j in range(codes.shape[1]):
            at = offset[j] + codes[i, j]
            sums[slot, at, 0] += 1
            sums[slot, at, 1] += high
            sums[slot, at, 2] += low


@njit
def count_sides(codes, present, routes, slot_of, primary, offset, counts):
    """counts[slot, offset of column + code, side] of the rows that the split of their node can place.

    primary[slot]: the rule of the split. The nodes that have a slot are leaves of `routes`.
    """
    for i in range(len(codes)):
        if present[i]:
            slot = slot_of[_node_of(codes[i], routes)]
            if slot >= 0:
                rule = primary[slot]
                side = routes.side[rule, codes[i, routes.column[rule]]]
                if side != UNKNOWN:
                    for j in range(codes.shape[1]):
                        counts[slot, offset[j] + codes[i, j], side] += 1


@njit
def list_rows(codes, present, first, routes, slot_of, ends, rows):
    """rows[ends[slot]…]: the numbers of the rows at each node that has a slot; ends moves on."""
    for i in range(len(codes)):
        if present[i]:
            slot = slot_of[_node_of(codes[i], routes)]
            if slot >= 0:
                rows[ends[slot]] = first + i
                ends[slot] += 1
