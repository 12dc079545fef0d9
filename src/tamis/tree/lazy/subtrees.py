"""The lower part of a tree of a large table: each node whose rows fit into memory, grown there as a tree of its own."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from tamis import _core
from tamis.engine import current
from tamis.tree.grow.fit import TreeData, grow_tree
from tamis.tree.grow.layout import CHI2, TreeLimits, TreeTarget
from tamis.tree.lazy.level import RowSpan, offsets
from tamis.tree.lazy.top import LazyProblem, TopTree
from tamis.tree.tree import Tree
from tamis.views.bins import Bins
from tamis.views.coding import Coding
from tamis.views.lazy.mapped_codes import room

_ROWS = "rows.i64"
_NO_CLASSES, _NO_VALUES = np.zeros(0, dtype=np.int32), np.zeros((0, 1))


@dataclass(frozen=True)
class Place:
    """Where the rows of a node are listed, and the limits that it is grown by."""

    first: int
    end: int
    limits: TreeLimits


@dataclass(frozen=True, eq=False)
class GrowSubtree:
    """Grows the tree of a node, on codes as if they were the values; it can be sent to workers."""

    problem: LazyProblem
    first: Place

    def __call__(self, place: Place) -> Tree:
        mapped, problem = self.problem.mapped, self.problem
        listed = np.memmap(Path(mapped.folder) / _ROWS, np.int64, "r")
        rows = np.array(listed[place.first : place.end])
        codes = np.ascontiguousarray(np.asarray(mapped.codes[rows]).T)
        target = np.array(mapped.target[rows])
        data = TreeData(Bins(codes_as_values(mapped.codings), list(codes), n_rows=len(rows), named=True))
        if problem.criterion <= CHI2:
            weight, case = problem.weight[target], problem.case[target]
            given = TreeTarget(problem.criterion, len(problem.weight), target, _NO_VALUES, weight, case)
        else:
            one = np.ones(len(rows))
            given = TreeTarget(problem.criterion, 2, _NO_CLASSES, target[:, None], one, one)
        return grow_tree(data, given, place.limits, np.arange(len(rows)))[0]


def codes_as_values(codings: tuple[Coding, ...]) -> list[Coding]:
    """Codings whose values are the codes: thresholds then lie between two codes."""
    out = []
    for coding in codings:
        codes = np.arange(coding.n_values, dtype=np.float64)
        if coding.is_categorical:
            levels = coding.levels if coding.lossless else tuple(range(coding.n_values))
            out.append(replace(coding, levels=levels))
        else:
            out.append(Coding(coding.name, coding.n_values, codes, codes, codes[:-1] + 0.5))
    return out


def grow_subtrees(top: TopTree) -> dict[int, Tree]:
    """The trees of all nodes that are grown in memory, by node; worked out by the engine in use."""
    nodes = [k for k, node in enumerate(top.nodes) if node.in_memory]
    if not nodes:
        return {}
    ends = np.concatenate([[0], np.cumsum([top.nodes[k].n_rows for k in nodes])])
    _list_rows(top, nodes, ends)
    places = [Place(int(ends[s]), int(ends[s + 1]), _limits(top, k)) for s, k in enumerate(nodes)]
    return dict(zip(nodes, current().each(GrowSubtree(top.problem, places[0]), places)))


def _limits(top: TopTree, k: int) -> TreeLimits:
    """Those of the whole tree, in units of the node: shares of the weight, and levels that are left."""
    node, limits = top.nodes[k], top.limits
    share = top.nodes[0].weight / node.weight
    return limits._replace(
        max_depth=limits.max_depth - node.depth,
        min_share=limits.min_share * share,
        min_decrease=limits.min_decrease * share,
    )


def _list_rows(top: TopTree, nodes: list[int], ends: np.ndarray) -> None:
    """Write the numbers of each node's rows, node after node, to a file beside the codes."""
    mapped = top.problem.mapped
    path = Path(mapped.folder) / _ROWS
    with path.open("wb") as file, room(mapped.folder):
        os.posix_fallocate(file.fileno(), 0, int(8 * ends[-1]))  # a full disk is an error here, not the end of Python
    listed = np.memmap(path, np.int64, "r+")
    slot_of = np.full(len(top.nodes), -1, dtype=np.int64)
    slot_of[nodes] = np.arange(len(nodes))
    at, routes, codes = ends[:-1].astype(np.int64), top.routes(), mapped.codes
    plain, offset = np.asarray(listed), offsets(mapped)
    for rows in RowSpan(0, mapped.n_rows).blocks():
        present = mapped.has_target(mapped.learned(rows))
        _core.list_level_rows(np.array(codes[rows]), present, rows.start, routes, slot_of, offset, at, plain)
    listed.flush()
