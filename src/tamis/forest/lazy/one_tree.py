"""One tree of a forest on a large table: its rows are gathered from the mapped codes, then grown as in memory."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from tamis.forest.data.bootstrap import Bootstrap
from tamis.forest.growing import TreeBatch, grow_tree
from tamis.forest.layout import NO_CODES, NUMBER, ForestLimits, ForestTarget, class_target
from tamis.forest.lazy.draw import RowDraws
from tamis.views.lazy.mapped_codes import MappedCodes


@dataclass(frozen=True, eq=False)
class CodedTarget:
    """What a forest learns, by classes.

    Attributes
    ----------
    factor : what a row of each class weighs; empty for numbers.
    worth : what a class's weight is divided by in the answers.
    codes : what stands for ordered classes; empty without an order.
    """

    factor: np.ndarray
    worth: np.ndarray
    codes: np.ndarray = field(default_factory=lambda: NO_CODES)

    def of(self, target: np.ndarray) -> ForestTarget:
        """The target of some rows."""
        if not len(self.factor):
            none = np.empty(0, dtype=np.int32)
            return ForestTarget(NUMBER, 0, none, np.array(target)[:, None], np.ones(len(target)), self.worth)
        classes = np.array(target, dtype=np.int32)
        return class_target(classes, self.factor[classes], self.worth, self.codes)


@dataclass(frozen=True, eq=False)
class OneTree:
    """Grows a tree by its number; it can be sent to workers, which read the codes for themselves.

    The rows that judge come first in its table, then the others that it draws: those left out are then numbered as
    among the judging rows. What a tree draws it draws before it grows, so that the core draws every row as often as
    it is listed.
    """

    mapped: MappedCodes
    judged: np.ndarray
    draws: RowDraws
    target: CodedTarget
    limits: ForestLimits
    out_of_bag: bool
    loss: np.ndarray | None

    def __call__(self, t: int) -> TreeBatch:
        rows, counts = self.draws.of(t, self.mapped)
        order = np.argsort(self.judged, kind="stable")
        ordered = self.judged[order]
        at = np.minimum(np.searchsorted(ordered, rows), len(ordered) - 1)
        is_judged = ordered[at] == rows
        local = np.where(is_judged, order[at], 0)
        local[~is_judged] = len(self.judged) + np.arange(np.count_nonzero(~is_judged))
        table = np.append(self.judged, rows[~is_judged])
        target = self.target.of(self.mapped.target[table])
        population = np.repeat(np.sort(local), counts[np.argsort(local)]).astype(np.uint32)
        strata, sizes = np.array([0, len(population)], dtype=np.int64), np.array([len(population)], dtype=np.int64)
        bootstrap = Bootstrap(population, strata, sizes, False, self.draws.seed)
        return grow_tree(self.mapped.binned(table), target, self.limits, bootstrap, t, self.out_of_bag, self.loss)
