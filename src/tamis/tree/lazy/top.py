"""The top of a tree of a large table: grown level by level, down to nodes whose rows fit into memory."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from tamis.tree.grow.layout import LEFT, RIGHT, SURROGATE, UNKNOWN, TreeLimits
from tamis.tree.lazy.fixed_point import FixedPoint
from tamis.tree.lazy.level import CodeRoutes, CountLevel, CountSides, at_a_time, count_level, count_sides_of, offsets
from tamis.tree.lazy.split import Split, best_split
from tamis.tree.lazy.statistics import NodeCounts
from tamis.tree.lazy.surrogate import Surrogate, find_surrogates
from tamis.views.lazy.mapped_codes import MappedCodes

#: Codes of a node that is grown in memory, at most; and rows of such a node, at least.
MEMORY_CODES, MEMORY_ROWS = 1 << 22, 1 << 12


@dataclass(frozen=True, eq=False)
class LazyProblem:
    """What is to be learned from which codes.

    Attributes
    ----------
    criterion : see `grow.layout`.
    weight, case : of a row of each class, in the criterion and for majorities; empty for numbers.
    fixed : the scale of a numeric target; None for classes.
    order : the columns in the order that breaks ties.
    """

    mapped: MappedCodes
    criterion: int
    weight: np.ndarray
    case: np.ndarray
    fixed: FixedPoint | None
    order: np.ndarray

    @property
    def memory_rows(self) -> int:
        """Rows of a node up to which it is grown in memory."""
        return max(MEMORY_ROWS, MEMORY_CODES // max(1, self.mapped.n_columns))


@dataclass(eq=False)
class TopNode:
    """A node: what it holds and, where it is split, how."""

    parent: int
    depth: int
    n_rows: int = 0
    value: np.ndarray = field(default_factory=lambda: np.empty(0))
    weight: float = 0.0
    impurity: float = 0.0
    split: Split | None = None
    surrogates: list[Surrogate] = field(default_factory=list)
    left: int = -1
    in_memory: bool = False  # whether it is grown on as a table of its own

    @property
    def default(self) -> int:
        """The side of rows that nothing places: of missing values, where these took part, else the heavier one."""
        assert self.split is not None
        if self.split.missing != UNKNOWN:
            return self.split.missing
        return LEFT if self.split.weights[0] >= self.split.weights[1] else RIGHT


class TopTree:
    """Nodes 0 (the root), 1, …; children follow their parents, the right one its left one."""

    def __init__(self, problem: LazyProblem, limits: TreeLimits) -> None:
        self.problem, self.limits = problem, limits
        self.nodes: list[TopNode] = [TopNode(-1, 0)]
        self._grow()

    def routes(self) -> CodeRoutes:
        """The splits made so far, as the kernels take them."""
        codings = self.problem.mapped.codings
        columns, sides, first = [], [], [0]
        for node in self.nodes:
            if node.split is not None and node.left >= 0:
                rules: list[Split | Surrogate] = [node.split, *node.surrogates]
                for rule in rules:
                    columns.append(rule.column)
                    sides.append(rule.sides(codings[rule.column]))
            first.append(len(columns))
        return CodeRoutes(
            np.array([node.left for node in self.nodes], dtype=np.int64),
            np.array([node.default if node.left >= 0 else 0 for node in self.nodes], dtype=np.uint8),
            np.array(first, dtype=np.int64),
            np.array(columns, dtype=np.int64),
            np.array(sides, dtype=np.uint8).reshape(len(sides), 256),
        )

    def _grow(self) -> None:
        pending, routes = [0], self.routes()
        step = at_a_time(self.problem.mapped, max(2, self.problem.mapped.n_classes or 3))
        while pending:
            for first in range(0, len(pending), step):
                self._examine(pending[first : first + step], routes)
            made = [k for k in pending if self.nodes[k].split is not None]
            if self.limits.missing == SURROGATE and self.limits.n_surrogates:
                for first in range(0, len(made), step):
                    self._find_surrogates(made[first : first + step], routes)
            pending = []
            for k in made:
                self.nodes[k].left = len(self.nodes)
                pending += [len(self.nodes), len(self.nodes) + 1]
                self.nodes += [TopNode(k, self.nodes[k].depth + 1), TopNode(k, self.nodes[k].depth + 1)]
            routes = self.routes()

    def _slots(self, which: list[int]) -> np.ndarray:
        slot_of = np.full(len(self.nodes), -1, dtype=np.int64)
        slot_of[which] = np.arange(len(which))
        return slot_of

    def _examine(self, which: list[int], routes: CodeRoutes) -> None:
        """Count some nodes, and find their splits."""
        problem = self.problem
        make = CountLevel(problem.mapped, routes, self._slots(which), len(which), problem.fixed)
        level, offset = count_level(make), offsets(problem.mapped)
        weight = None if problem.fixed is not None else problem.weight
        for slot, k in enumerate(which):
            self._decide(self.nodes[k], NodeCounts.of(level, slot, offset, weight, problem.fixed))

    def _decide(self, node: TopNode, counts: NodeCounts) -> None:
        problem, limits = self.problem, self.limits
        node.n_rows, node.value = counts.n_rows, counts.value
        node.weight = float(counts.total[0] if problem.fixed is not None else counts.total.sum())
        node.impurity = counts.impurity(problem.criterion)
        enough = node.n_rows >= limits.min_split and node.n_rows >= 2 * limits.min_leaf
        if node.impurity <= 0.0 or not enough or node.depth >= limits.max_depth:
            return
        if node.n_rows <= problem.memory_rows:
            node.in_memory = True
            return
        node.split = best_split(
            counts, problem.mapped.codings, problem.order, problem.criterion, limits, self.nodes[0].weight, problem.case
        )

    def _find_surrogates(self, which: list[int], routes: CodeRoutes) -> None:
        """The surrogates of the splits of some nodes, which are leaves of `routes`."""
        problem, codings = self.problem, self.problem.mapped.codings
        splits = [split for k in which if (split := self.nodes[k].split) is not None]
        columns = np.array([split.column for split in splits], dtype=np.int64)
        sides = np.array([split.sides(codings[split.column]) for split in splits], dtype=np.uint8)
        primary = len(routes.column) + np.arange(len(which))
        longer = routes._replace(column=np.append(routes.column, columns), side=np.concatenate([routes.side, sides]))
        counts = count_sides_of(CountSides(problem.mapped, longer, self._slots(which), primary))
        for slot, k in enumerate(which):
            self.nodes[k].surrogates = find_surrogates(
                counts[slot], offsets(problem.mapped), codings, problem.order, splits[slot].column,
                self.limits.n_surrogates,
            )  # fmt: skip
