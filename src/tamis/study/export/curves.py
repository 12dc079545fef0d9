"""Curves and pair maps of an additive model as trees of plain values: one tree per term."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tamis.additive.term import Axis, Curve, PairMap

Node = dict[str, Any]
Place = Callable[[str], int]


def tree_of(term: Curve | PairMap, column_index: Place) -> list[Node]:
    """The nodes of a term: is the value missing, then halves of its bins, then those of the second column."""
    nodes: list[Node] = [{}]
    heights = term.heights.reshape(*term.weight.shape, -1)
    if isinstance(term, Curve):
        _grow(nodes, 0, term.axis, column_index(term.column), lambda at, k: _leaf(nodes, at, heights[k]))
        return nodes
    first, second = term.axes

    def below(at: int, k: int) -> None:
        _grow(nodes, at, second, column_index(second.name), lambda leaf, q: _leaf(nodes, leaf, heights[k, q]))

    _grow(nodes, 0, first, column_index(first.name), below)
    return nodes


def _leaf(nodes: list[Node], at: int, heights: np.ndarray) -> None:
    nodes[at] = {"leaf": [float(height) for height in heights]}


def _split(nodes: list[Node], at: int, test: list[Any], default: int) -> int:
    left = len(nodes)
    nodes[at] = {"tests": [test], "default": default, "left": left}
    nodes += [{}, {}]
    return left


def _grow(nodes: list[Node], at: int, axis: Axis, column: int, finish: Callable[[int, int], None]) -> None:
    """Nodes from `at` on that tell the bins of an axis apart; `finish(node, bin)` writes what is below."""
    if axis.n_values == 0:
        finish(at, 0)
        return
    codes = [np.flatnonzero(axis.level_bins == k).tolist() for k in range(axis.n_values)] if axis.is_categorical else []
    all_codes = sorted(code for group in codes for code in group)
    test: list[Any] = ["in", column, all_codes, []] if axis.is_categorical else ["there", column]
    left = _split(nodes, at, test, 1)
    finish(left + 1, axis.n_values)

    def halves(at: int, low: int, high: int) -> None:
        if high - low == 1:
            finish(at, low)
            return
        middle = (low + high) // 2
        if axis.is_categorical:
            sides = [
                sorted(code for group in codes_of_half for code in group)
                for codes_of_half in (codes[low:middle], codes[middle:high])
            ]
            child = _split(nodes, at, ["in", column, *sides], 0)
        else:
            child = _split(nodes, at, ["le", column, float(axis.edges[middle - 1]), 0], 0)
        halves(child, low, middle)
        halves(child + 1, middle, high)

    halves(left, 0, axis.n_values)
